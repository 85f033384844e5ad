"""A sitting: by which key and which coins a new incarnation takes a seat, signed with that key.

Pure. Knows nothing of whether the seat is to be had. Section "New incarnations" of protocol.md.
"""

from kemps_p2p.codec import DIGEST_BYTES, Digest, Record, decode, encode, tagged_hash
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ledger.identity import Identity, check_key, verify

SITTING_LABEL = "kemps/v1/sitting"
SITTING_BYTES_MAX = 256
"""More than any sitting has."""


class Sitting(Record, frozen=True):
    """Who takes a seat of a match: `key` signs its items, `coin` is the end of its fresh coin chain."""

    match: Digest
    seat: int
    incarnation: int
    key: bytes
    coin: bytes


def sign_sitting(identity: Identity, sitting: Sitting) -> tuple[bytes, bytes]:
    """The bytes of a sitting, and the signature under them."""
    raw = encode(sitting)
    return raw, identity.sign(SITTING_LABEL, raw)


def read_sitting(raw: bytes, signature: bytes, match: Digest) -> Sitting:
    """Decode and verify a sitting of this match. Raises `PeerFault` without a culprit."""
    if len(raw) > SITTING_BYTES_MAX:
        raise PeerFault(Fault.TOO_LARGE, "a sitting is too large")
    sitting = decode(raw, Sitting)
    if sitting.match != match:
        raise PeerFault(Fault.WRONG_MATCH, "a sitting of another match")
    if len(sitting.coin) != DIGEST_BYTES:
        raise PeerFault(Fault.MALFORMED, "a sitting whose coin is none")
    check_key(sitting.key)
    verify(sitting.key, SITTING_LABEL, raw, signature)
    return sitting


def sitting_in(raw: bytes) -> Sitting:
    """What a sitting says whose signature has been verified. Raises `PeerFault` without a culprit."""
    return decode(raw, Sitting)


def sitting_digest(raw: bytes) -> Digest:
    """What names a sitting."""
    return tagged_hash(SITTING_LABEL, raw)
