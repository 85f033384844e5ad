"""Bytes: canonical MessagePack, tagged hashes and the Fiat–Shamir transcript.

Knows no message type. Invariants:

1. `decode` accepts a byte string only if `encode` gives the same bytes back.
2. `decode` raises `PeerFault` and nothing else, whatever the bytes.
3. Two different (label, parts) never feed the same bytes to a hash: every part is length-prefixed.

Section "Encodings and hashes" of protocol.md.
"""

from hashlib import sha256, sha512
from typing import NewType, TypeVar, cast

import msgspec

from kemps_p2p.errors import Fault, PeerFault

Digest = NewType("Digest", bytes)
"""32 bytes of SHA-256."""

T = TypeVar("T")

DIGEST_BYTES = 32
_encoder = msgspec.msgpack.Encoder()


class Record(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """Base of everything that is encoded: a frozen record that becomes a MessagePack array."""


def encode(value: object) -> bytes:
    """Return the canonical MessagePack of records, tuples, ints, strings and bytes."""
    return _encoder.encode(value)


_decoders: dict[object, msgspec.msgpack.Decoder[object]] = {}


def _decoder(kind: type[T]) -> "msgspec.msgpack.Decoder[T]":
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.msgpack.Decoder(kind)
    return cast("msgspec.msgpack.Decoder[T]", decoder)


def decode(data: bytes, kind: type[T]) -> T:
    """Read `data` as one `kind`.

    Raises `PeerFault` MALFORMED (not MessagePack, wrong types, missing or extra fields) or NOT_CANONICAL.
    """
    try:
        value = _decoder(kind).decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, OverflowError) as error:
        raise PeerFault(Fault.MALFORMED, str(error)) from None
    if _encoder.encode(value) != data:
        raise PeerFault(Fault.NOT_CANONICAL, "another encoding of the same value is shorter or ordered")
    return value


def _framed(label: str, parts: tuple[bytes, ...]) -> bytes:
    out = [len(label).to_bytes(1, "big"), label.encode("ascii")]
    for part in parts:
        out.append(len(part).to_bytes(8, "big"))
        out.append(part)
    return b"".join(out)


def tagged_hash(label: str, *parts: bytes) -> Digest:
    """SHA-256 over the label (1-byte length) and each part (8-byte big-endian length)."""
    return Digest(sha256(_framed(label, parts)).digest())


def derive(label: str, *parts: bytes) -> bytes:
    """64 bytes (SHA-512, framed like `tagged_hash`) to derive secrets and scalars from."""
    return sha512(_framed(label, parts)).digest()


class Transcript:
    """A Fiat–Shamir transcript: absorb labelled values, squeeze challenges that depend on all of them.

    State is one running SHA-512; a challenge is taken from a copy and absorbed again, so that later
    challenges depend on earlier ones.
    """

    def __init__(self, label: str) -> None:
        self._hash = sha512()
        self.append("transcript", label.encode("ascii"))

    def append(self, label: str, *values: bytes) -> None:
        """Absorb values under a label; their count and lengths are absorbed too."""
        head = label.encode("ascii")
        out = [len(head).to_bytes(1, "big"), head, len(values).to_bytes(4, "big")]
        for value in values:
            out.append(len(value).to_bytes(4, "big"))
            out.append(value)
        self._hash.update(b"".join(out))

    def challenge(self, label: str) -> bytes:
        """64 bytes that depend on everything absorbed so far."""
        fork = self._hash.copy()
        head = label.encode("ascii")
        fork.update(b"\xff" + len(head).to_bytes(1, "big") + head)
        squeezed = fork.digest()
        self.append(label, squeezed)
        return squeezed

    def challenges(self, label: str, count: int, size: int = 16) -> list[bytes]:
        """`count` independent strings of `size` ≤ 64 bytes, as the challenges u and the weights ω need."""
        seed = self.challenge(label)
        return [sha512(seed + n.to_bytes(4, "big")).digest()[:size] for n in range(count)]

    def fork(self) -> "Transcript":
        """An independent copy in the same state."""
        other = Transcript.__new__(Transcript)
        other._hash = self._hash.copy()
        return other
