"""Deal keys and shares, with their proofs.

Knows no turn and no book of shares. Invariants:

1. A key comes with a proof that its seat knows x; the proof holds for one table, seat and commitment.
2. A message of shares comes with one proof for all of them: its weights depend on every share, so that shares
   with wrong factors cannot make up for one another.
3. Everything of a proof is checked for form before the first multiplication.

Section "Keys and shares" of protocol.md.
"""

from dataclasses import dataclass

from kemps_p2p.codec import Digest, Record, Transcript
from kemps_p2p.deck.context import SEED_BYTES, Context, Secrets, Stage, Table, check_seat, nonces, number
from kemps_p2p.deck.group import (
    ORDER,
    Group,
    Point,
    check_point,
    check_points,
    check_scalar,
    scalar_bytes,
)
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Position, Seat

DIGEST_BYTES = 32


class Proof(Record, frozen=True):
    """Challenge and response of a proof that one logarithm is known, or that two are equal."""

    challenge: bytes
    response: bytes


class DealKey(Record, frozen=True):
    """A seat's commitment to its deal seed, its key of the deal, and the proof that it knows the secret."""

    commitment: bytes
    key: bytes
    proof: Proof


class Shares(Record, frozen=True):
    """A seat's shares of some positions, which ascend, with one proof for all."""

    positions: tuple[int, ...]
    parts: tuple[bytes, ...]
    proof: Proof


@dataclass(frozen=True, slots=True)
class ShareStatement:
    """What a proof of shares says: `key` = x·B, and each of `parts` = x times its point of `masks`."""

    context: Context
    key: Point
    positions: tuple[Position, ...]
    masks: tuple[Point, ...]
    parts: tuple[Point, ...]


def _key_context(table: Table, seat: Seat) -> Context:
    return Context(table, 0, seat, Stage.KEY)


def commitment(table: Table, seat: Seat, seed: bytes) -> Digest:
    """Return the commitment to a deal seed; the seed's own 32 random bytes are what hides it."""
    return _key_context(table, seat).digest("commitment", seed)


def secret_key(table: Table, seat: Seat, seed: bytes) -> int:
    """Derive x, the secret of a seat in all rounds of a deal."""
    return Secrets(seed, _key_context(table, seat).digest("secret")).scalar("key")


def _key_transcript(table: Table, seat: Seat, committed: bytes, key: bytes) -> Transcript:
    transcript = _key_context(table, seat).transcript()
    transcript.append("commitment", committed)
    transcript.append("key", key)
    return transcript


def _challenge(transcript: Transcript, *announced: Point) -> int:
    """Absorb what was announced and draw the challenge."""
    transcript.append("t", *announced)
    return int.from_bytes(transcript.challenge("c"), "little") % ORDER


def _proof(challenge: int, nonce: int, secret: int) -> Proof:
    return Proof(challenge=scalar_bytes(challenge), response=scalar_bytes(nonce + challenge * secret))


def _check_proof(proof: object, culprit: int) -> tuple[int, int]:
    """Return challenge and response of a proof whose form is right."""
    if not isinstance(proof, Proof):
        raise PeerFault(Fault.MALFORMED, "not a proof", culprit=culprit)
    return check_scalar(proof.challenge, culprit), check_scalar(proof.response, culprit)


def make_key(table: Table, seat: Seat, seed: bytes) -> DealKey:
    """Make a seat's first message of a deal from its deal seed (32 fresh random bytes, already on disk)."""
    if len(seed) != SEED_BYTES:
        raise ValueError("a deal seed has 32 bytes")
    group = table.group
    secret = secret_key(table, seat, seed)
    key = group.base_mul(secret)
    committed = commitment(table, seat, seed)
    transcript = _key_transcript(table, seat, committed, key)
    nonce = nonces(seed, transcript).scalar("w")
    challenge = _challenge(transcript, group.base_mul(nonce))
    return DealKey(commitment=committed, key=key, proof=_proof(challenge, nonce, secret))


def check_key(table: Table, seat: Seat, key: DealKey) -> None:
    """Verify that the seat knows its secret.

    Raises `PeerFault` WRONG_SEAT (no culprit), or the seat's own fault: MALFORMED, BAD_POINT, BAD_SCALAR or
    BAD_KEY_PROOF.
    """
    check_seat(table, seat)
    message: object = key
    if not isinstance(message, DealKey):
        raise PeerFault(Fault.MALFORMED, "not a deal key", culprit=seat)
    committed: object = key.commitment
    if not isinstance(committed, bytes) or len(committed) != DIGEST_BYTES:
        raise PeerFault(Fault.MALFORMED, "a commitment has 32 bytes", culprit=seat)
    group = table.group
    point = check_point(group, key.key, seat)
    challenge, response = _check_proof(key.proof, seat)
    announced = group.sub(group.base_mul(response), group.mul(challenge, point))
    if _challenge(_key_transcript(table, seat, key.commitment, point), announced) != challenge:
        raise PeerFault(Fault.BAD_KEY_PROOF, "the seat does not know its secret", culprit=seat)


def share_transcript(statement: ShareStatement) -> Transcript:
    """Start the transcript of a proof of shares with everything that was fixed before it."""
    transcript = statement.context.transcript()
    transcript.append("key", statement.key)
    transcript.append("positions", *(number(position) for position in statement.positions))
    transcript.append("masks", *statement.masks)
    transcript.append("parts", *statement.parts)
    return transcript


def _weights(transcript: Transcript, count: int) -> tuple[int, ...]:
    """ω_0 … ω_{count-1}, 128 bits each."""
    return tuple(int.from_bytes(omega, "little") for omega in transcript.challenges("omega", count))


def prove_shares(statement: ShareStatement, secret: int, seed: bytes) -> Proof:
    """Prove that one secret made the key and all parts. It does not check that it did."""
    group = statement.context.table.group
    transcript = share_transcript(statement)
    weights = _weights(transcript, len(statement.masks))
    nonce = nonces(seed, transcript).scalar("w")
    mask = group.weighted(weights, statement.masks)
    challenge = _challenge(transcript, group.base_mul(nonce), group.mul(nonce, mask))
    return _proof(challenge, nonce, secret)


def verify_shares(statement: ShareStatement, proof: Proof) -> None:
    """Verify a proof of shares for canonical points.

    Raises `PeerFault` MALFORMED, BAD_SCALAR or BAD_SHARE_PROOF with the context's seat as culprit.
    """
    culprit = statement.context.seat
    group = statement.context.table.group
    challenge, response = _check_proof(proof, culprit)
    transcript = share_transcript(statement)
    weights = _weights(transcript, len(statement.masks))
    mask = group.weighted(weights, statement.masks)
    part = group.weighted(weights, statement.parts)
    by_key = group.sub(group.base_mul(response), group.mul(challenge, statement.key))
    by_mask = group.sub(group.mul(response, mask), group.mul(challenge, part))
    if _challenge(transcript, by_key, by_mask) != challenge:
        raise PeerFault(Fault.BAD_SHARE_PROOF, "a share is not of the seat's key", culprit=culprit)


def check_parts(group: Group, shares: Shares, culprit: Seat) -> tuple[Point, ...]:
    """Return the points of a message of shares. Raises `PeerFault` MALFORMED or BAD_POINT."""
    return check_points(group, shares.parts, len(shares.positions), "parts", culprit)
