"""Bytes: canonical MessagePack, tagged hashes and the Fiat–Shamir transcript.

Knows no message type. Invariants:

1. `decode` accepts a byte string only if `encode` gives the same bytes back.
2. `decode` raises `PeerFault` and nothing else, whatever the bytes.
3. `frame` raises nothing, whatever the bytes; objects and rest, put together, are the bytes again.
4. Two different (label, parts) never feed the same bytes to a hash: every part is length-prefixed.

Section "Encodings and hashes" of protocol.md.
"""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256, sha512
from typing import Any, NewType, TypeVar

import msgspec

from kemps_p2p.errors import Fault, PeerFault

Digest = NewType("Digest", bytes)
"""32 bytes of SHA-256."""

T = TypeVar("T")

DIGEST_BYTES = 32
OBJECT_BYTES_MAX = 8 * 1024 * 1024
"""The longest object that a file of objects may hold."""

_encoder = msgspec.msgpack.Encoder()


class Record(
    msgspec.Struct, frozen=True, kw_only=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """Base of everything that is encoded: a frozen record that becomes a MessagePack array."""


def encode(value: object) -> bytes:
    """Return the canonical MessagePack of records, tuples, ints, strings and bytes."""
    return _encoder.encode(value)


_decoders: dict[object, Any] = {}
"""By kind; a decoder is dear to make and cheap to use."""


def _new_decoder(kind: type[T]) -> "msgspec.msgpack.Decoder[T]":
    decoder = msgspec.msgpack.Decoder(kind)
    _decoders[kind] = decoder
    return decoder


def decode(data: bytes, kind: type[T]) -> T:
    """Read `data` as one `kind`.

    Raises `PeerFault` MALFORMED (not MessagePack, wrong types, missing or extra fields) or NOT_CANONICAL.
    """
    try:
        value: T = (_decoders.get(kind) or _new_decoder(kind)).decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, OverflowError) as error:
        raise PeerFault(Fault.MALFORMED, str(error)) from None
    if _encoder.encode(value) != data:
        raise PeerFault(Fault.NOT_CANONICAL, "another encoding of the same value is shorter or ordered")
    return value


@dataclass(frozen=True, slots=True)
class Framed:
    """Bytes, cut into MessagePack objects that lie back to back."""

    objects: tuple[bytes, ...]
    rest: bytes
    """What follows the last whole object."""
    flaw: str | None
    """Why `rest` is not the beginning of an object; None if it is, or is empty."""


def _heads() -> tuple[tuple[int, int, int, int] | None, ...]:
    """For each first byte of a value: width of its length, further bytes, values inside, values per length.

    None for 0xc1, which MessagePack never uses.
    """
    heads: list[tuple[int, int, int, int] | None] = [(0, 0, 0, 0)] * 256
    for count in range(16):
        heads[0x80 + count] = (0, 0, 2 * count, 0)
        heads[0x90 + count] = (0, 0, count, 0)
    for count in range(32):
        heads[0xA0 + count] = (0, count, 0, 0)
    heads[0xC1] = None
    # Bytes, extensions (one more byte for their type) and strings, by the width of their length.
    for index, width in enumerate((1, 2, 4)):
        heads[0xC4 + index] = heads[0xD9 + index] = (width, 0, 0, 0)
        heads[0xC7 + index] = (width, 1, 0, 0)
    # Floats, integers, fixed extensions.
    for lead, size in enumerate((4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17), start=0xCA):
        heads[lead] = (0, size, 0, 0)
    for index, width in enumerate((2, 4)):
        heads[0xDC + index] = (width, 0, 0, 1)
        heads[0xDE + index] = (width, 0, 0, 2)
    return tuple(heads)


_HEADS = _heads()


class _Unframed(Exception):
    """Bytes that no object begins with, or an object that is too long."""


def _end_of_object(data: bytes, start: int, bytes_max: int) -> int | None:
    """Where the object at `start` ends; None if `data` ends first.

    Builds no values and does not recurse, so that no content can make it costly. A length that no object may
    have is wrong even if the data ends before: cutting there could throw away whole objects.
    """
    at, missing = start, 1
    while missing:
        if at >= len(data):
            return None
        head = _HEADS[data[at]]
        if head is None:
            raise _Unframed(f"byte {start}: not an object (byte {at} begins no value)")
        width, body, inside, per_length = head
        at += 1
        if width:
            if at + width > len(data):
                return None
            length = int.from_bytes(data[at : at + width], "big")
            inside = length * per_length
            body += 0 if per_length else length
            at += width
        at += body
        missing += inside - 1
        if at + missing - start > bytes_max:
            raise _Unframed(f"byte {start}: an object longer than {bytes_max} bytes")
    return at if at <= len(data) else None


def frame(data: bytes, object_bytes_max: int = OBJECT_BYTES_MAX) -> Framed:
    """Cut `data` into objects, each an array, a map or bytes, at most `object_bytes_max` long."""
    objects: list[bytes] = []
    start = 0
    flaw = None
    try:
        while start < len(data):
            if not _is_container(data[start]):
                raise _Unframed(f"byte {start}: not the start of an object")
            end = _end_of_object(data, start, object_bytes_max)
            if end is None:
                break
            objects.append(data[start:end])
            start = end
    except _Unframed as unframed:
        flaw = str(unframed)
    return Framed(tuple(objects), data[start:], flaw)


def _is_container(lead: int) -> bool:
    # fixmap and fixarray 0x80-0x9f, bin 0xc4-0xc6, array and map 0xdc-0xdf. A tail of zeros, as some file
    # systems leave it after a power cut, would otherwise read as so many small numbers.
    return 0x80 <= lead <= 0x9F or 0xC4 <= lead <= 0xC6 or 0xDC <= lead <= 0xDF


_SIZES = tuple(size.to_bytes(8, "big") for size in range(128))
"""Of most parts, which are points, digests and numbers."""
_SHORT_SIZES = tuple(size[4:] for size in _SIZES)
"""The same, as transcripts take them."""


@lru_cache(maxsize=256)
def _label_head(label: str) -> bytes:
    return len(label).to_bytes(1, "big") + label.encode("ascii")


def framed(label: str, parts: tuple[bytes, ...]) -> bytes:
    """What tagged hashes are of: the label (1-byte length) and each part (8-byte big-endian length)."""
    out = [_label_head(label)]
    for part in parts:
        size = len(part)
        out += (_SIZES[size] if size < 128 else size.to_bytes(8, "big"), part)
    return b"".join(out)


def lead(label: str, *parts: bytes, last_bytes: int) -> bytes:
    """What `framed` begins with, up to one more part of that length: many hashes differ in that alone."""
    return framed(label, (*parts, bytes(last_bytes)))[:-last_bytes]


def tagged_hash(label: str, *parts: bytes) -> Digest:
    """SHA-256 over the label (1-byte length) and each part (8-byte big-endian length)."""
    return Digest(sha256(framed(label, parts)).digest())


def derive(label: str, *parts: bytes) -> bytes:
    """64 bytes (SHA-512, framed like `tagged_hash`) to derive secrets and scalars from."""
    return sha512(framed(label, parts)).digest()


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
        out = [_label_head(label), len(values).to_bytes(4, "big")]
        for value in values:
            size = len(value)
            out += (_SHORT_SIZES[size] if size < 128 else size.to_bytes(4, "big"), value)
        self._hash.update(b"".join(out))

    def challenge(self, label: str) -> bytes:
        """64 bytes that depend on everything absorbed so far."""
        fork = self._hash.copy()
        fork.update(b"\xff" + _label_head(label))
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
