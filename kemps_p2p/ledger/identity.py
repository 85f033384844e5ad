"""Keys and signatures: Ed25519 over raw bytes under a label.

Knows nothing of what is signed. Invariants:

1. A key that `check_key` accepts is canonical and not of small order, so that one signature fits one message.
2. `verify` uses one fixed equation, the cofactorless one of libsodium, with s below the order. It takes half
   of the time that OpenSSL takes for the same equation, and verifying is most of what a peer does. Signing by
   it takes two thirds.

Section "Signatures" of protocol.md.
"""

from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from typing import NewType

from nacl.exceptions import BadSignatureError
from nacl.exceptions import ValueError as NaclValueError
from nacl.signing import SigningKey, VerifyKey

from kemps_p2p.codec import derive
from kemps_p2p.errors import Fault, PeerFault

PublicKey = NewType("PublicKey", bytes)
"""32 bytes, an Ed25519 public key."""

SIGNATURE_BYTES = 64
_FIELD = 2**255 - 19
# The y coordinates of the eight points of small order; with the canonical check below no other encoding
# of them is left. Source: the twisted Edwards curve of RFC 8032 and its 8-torsion.
_Y8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER_Y = frozenset({0, 1, _FIELD - 1, _Y8, _FIELD - _Y8})
_MEMO_ENTRIES = 1 << 15


class _Memo:
    """The digests of signatures that have verified: two generations of a set, so that memory is bounded."""

    def __init__(self) -> None:
        self._young: set[bytes] = set()
        self._old: set[bytes] = set()

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._young or digest in self._old

    def clear(self) -> None:
        self._young.clear()
        self._old.clear()

    def add(self, digest: bytes) -> None:
        if len(self._young) >= _MEMO_ENTRIES:
            self._old, self._young = self._young, set()
        self._young.add(digest)


_verified = _Memo()


class Identity:
    """A private key. `sign` is deterministic (RFC 8032), so signing twice draws no second nonce."""

    def __init__(self, secret: bytes) -> None:
        self._key = SigningKey(secret)
        self.public = PublicKey(bytes(self._key.verify_key))

    def sign(self, label: str, message: bytes) -> bytes:
        """64 bytes over the label and the message. What this process signs, it need not verify again."""
        signed = _labelled(label, message)
        signature = self._key.sign(signed).signature
        _verified.add(_memo_of(self.public, signature, signed))
        return signature

    @classmethod
    def derived(cls, seed: bytes, name: str) -> "Identity":
        """A key derived from a seed and a name: for simulated peers and tests."""
        return cls(derive("kemps/v1/identity", seed, name.encode())[:32])


def _memo_of(public: bytes, signature: bytes, signed: bytes) -> bytes:
    return sha256(public + signature + signed).digest()


def _labelled(label: str, message: bytes) -> bytes:
    head = label.encode("ascii")
    return len(head).to_bytes(1, "big") + head + message


@lru_cache(maxsize=1024)
def _key(public: bytes) -> VerifyKey:
    check_key(public)
    return VerifyKey(public)


def check_key(public: bytes) -> None:
    """Raise `PeerFault` BAD_KEY for a key that is not canonical or of small order."""
    if len(public) != 32:
        raise PeerFault(Fault.BAD_KEY, "an identity key has 32 bytes")
    y = int.from_bytes(public, "little") & ((1 << 255) - 1)
    if y >= _FIELD:
        raise PeerFault(Fault.BAD_KEY, "an identity key is not canonical")
    if y in _SMALL_ORDER_Y:
        raise PeerFault(Fault.BAD_KEY, "an identity key is of small order")


def verify(public: bytes, label: str, message: bytes, signature: bytes) -> None:
    """Raise `PeerFault` BAD_SIGNATURE (no culprit: nothing has verified) unless the signature holds.

    A signature that has verified once in this process is not verified again.
    """
    signed = _labelled(label, message)
    memo = _memo_of(public, signature, signed)
    if memo in _verified:
        return
    try:
        _key(public).verify(signed, signature)
    except (BadSignatureError, NaclValueError):
        raise PeerFault(Fault.BAD_SIGNATURE, f"a signature under {label} does not verify") from None
    _verified.add(memo)


def verify_by_any(keys: Iterable[bytes], label: str, message: bytes, signature: bytes) -> None:
    """Raise `PeerFault` BAD_SIGNATURE as `verify` does, unless the signature is of one of these keys."""
    *before, last = keys
    for key in before:
        with suppress(PeerFault):
            verify(key, label, message, signature)
            return
    verify(last, label, message, signature)


def forget_verified() -> None:
    """Verify every signature again from now on: for benches, which would else measure this memory."""
    _verified.clear()
