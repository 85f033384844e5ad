"""Group elements and scalars: ristretto255, and an insecure stand-in for simulations.

Knows no card, seat or message. Invariants:

1. A `Point` is 32 bytes that its group accepts as canonical. `check_point` is the only door for bytes of a
   peer, and it refuses the identity too; arithmetic trusts what came through that door.
2. The identity is 32 zero bytes. It may arise in a calculation and is then handled like any point.
3. A scalar is a Python int mod ℓ. On the wire it is 32 bytes, little-endian, reduced and not zero.
4. Generators and card points come from hashes of fixed labels alone, so that nobody knows a ratio of two.

Scalars are Python integers, whose arithmetic takes a time that depends on their values: a seat is protected
from its peers, who see only messages, not from a program that measures it on its own machine. Calls go to the
public functions of rbcl; calling its shared library directly was measured and gains nothing.

Section "Blind deck" of protocol.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NewType, cast

import rbcl

from kemps_p2p.codec import derive
from kemps_p2p.errors import Fault, PeerFault

Point = NewType("Point", bytes)
"""A canonical encoding of a group element, the identity included."""

POINT_BYTES = 32
SCALAR_BYTES = 32
ORDER = 2**252 + 27742317777372353535851937790883648493
"""ℓ, the prime order of ristretto255; the stand-in has the same."""

IDENTITY = Point(bytes(POINT_BYTES))
CARD_LABEL = "kemps/v1/card"
CHAIN_LABEL = "kemps/v1/deck/generator/chain"
COMMITMENT_LABEL = "kemps/v1/deck/generator/commitment"


class Group(ABC):
    """A group of prime order ℓ with canonical 32-byte encodings.

    Every point passed in is canonical (invariant 1) and every scalar is any int, taken mod ℓ.
    """

    name: str
    """What transcripts call this group, and `group_named` finds it by."""

    @abstractmethod
    def base_mul(self, scalar: int) -> Point:
        """scalar·B for the base point B."""

    @abstractmethod
    def mul(self, scalar: int, point: Point) -> Point:
        """scalar·point, the identity if either is nothing."""

    @abstractmethod
    def add(self, left: Point, right: Point) -> Point:
        """Sum: left + right."""

    @abstractmethod
    def sub(self, left: Point, right: Point) -> Point:
        """Difference: left - right."""

    @abstractmethod
    def is_point(self, data: bytes) -> bool:
        """Whether these 32 bytes are the canonical encoding of a point; the identity is one."""

    @abstractmethod
    def from_hash(self, digest: bytes) -> Point:
        """The point that 64 uniform bytes map to, with no known discrete logarithm."""

    def total(self, points: Iterable[Point]) -> Point:
        """Sum up points; nothing sums to the identity."""
        result = IDENTITY
        for point in points:
            result = point if result == IDENTITY else self.add(result, point)
        return result

    def weighted(self, scalars: Sequence[int], points: Sequence[Point]) -> Point:
        """Σ scalar·point, over as many of both."""
        return self.total(self.mul(s, p) for s, p in zip(scalars, points, strict=True))


class Ristretto(Group):
    """ristretto255 (RFC 9496) through rbcl."""

    name = "ristretto255"

    def __reduce__(self) -> tuple[Callable[[str], Group], tuple[str]]:
        """Travel to another process as a name."""
        return group_named, (self.name,)

    def base_mul(self, scalar: int) -> Point:
        """scalar·B."""
        reduced = scalar % ORDER
        if not reduced:
            return IDENTITY
        return Point(rbcl.crypto_scalarmult_ristretto255_base(reduced.to_bytes(32, "little")))

    def mul(self, scalar: int, point: Point) -> Point:
        """scalar·point."""
        reduced = scalar % ORDER
        # libsodium reports a product that is the identity like an invalid point, as an exception.
        if not reduced or point == IDENTITY:
            return IDENTITY
        return Point(rbcl.crypto_scalarmult_ristretto255(reduced.to_bytes(32, "little"), point))

    def add(self, left: Point, right: Point) -> Point:
        """Sum: left + right."""
        return Point(rbcl.crypto_core_ristretto255_add(left, right))

    def sub(self, left: Point, right: Point) -> Point:
        """Difference: left - right."""
        return Point(rbcl.crypto_core_ristretto255_sub(left, right))

    def is_point(self, data: bytes) -> bool:
        """Whether these 32 bytes are canonical."""
        # libsodium 1.0.18, which rbcl bundles, ignores the top bit: every point would have a second encoding,
        # the identity too. RFC 9496 refuses it.
        return data[31] < 0x80 and bool(rbcl.crypto_core_ristretto255_is_valid_point(data))

    def from_hash(self, digest: bytes) -> Point:
        """Map 64 uniform bytes to a point."""
        return Point(rbcl.crypto_core_ristretto255_from_hash(digest))


class Stub(Group):
    """Integers mod ℓ under addition: a point is its own discrete logarithm, so it hides nothing.

    Every equation that holds in ristretto255 holds here, a hundred times faster. For simulations only.
    """

    name = "stub-insecure"

    def __reduce__(self) -> tuple[Callable[[str], Group], tuple[str]]:
        """Travel to another process as a name."""
        return group_named, (self.name,)

    def base_mul(self, scalar: int) -> Point:
        """scalar·B."""
        return Point((scalar % ORDER).to_bytes(32, "little"))

    def mul(self, scalar: int, point: Point) -> Point:
        """scalar·point."""
        return Point((scalar * int.from_bytes(point, "little") % ORDER).to_bytes(32, "little"))

    def add(self, left: Point, right: Point) -> Point:
        """Sum: left + right."""
        total = int.from_bytes(left, "little") + int.from_bytes(right, "little")
        return Point((total % ORDER).to_bytes(32, "little"))

    def sub(self, left: Point, right: Point) -> Point:
        """Difference: left - right."""
        return self.base_mul(int.from_bytes(left, "little") - int.from_bytes(right, "little"))

    def is_point(self, data: bytes) -> bool:
        """Whether these 32 bytes are canonical."""
        return int.from_bytes(data, "little") < ORDER

    def from_hash(self, digest: bytes) -> Point:
        """Map 64 uniform bytes to a point."""
        return self.base_mul(int.from_bytes(digest, "little"))

    def total(self, points: Iterable[Point]) -> Point:
        """Sum up points, reduced once."""
        return self.base_mul(sum(int.from_bytes(point, "little") for point in points))

    def weighted(self, scalars: Sequence[int], points: Sequence[Point]) -> Point:
        """Σ scalar·point, reduced once."""
        pairs = zip(scalars, points, strict=True)
        return self.base_mul(sum(scalar * int.from_bytes(point, "little") for scalar, point in pairs))


RISTRETTO: Group = Ristretto()
STUB: Group = Stub()
_GROUPS = {group.name: group for group in (RISTRETTO, STUB)}


def group_named(name: str) -> Group:
    """Return the group of that name; KeyError if there is none."""
    return _GROUPS[name]


def check_point(group: Group, data: object, culprit: int | None = None) -> Point:
    """Return a peer's bytes as a point. Raises `PeerFault` BAD_POINT: not canonical, or the identity."""
    if not isinstance(data, bytes) or len(data) != POINT_BYTES:
        raise PeerFault(Fault.BAD_POINT, "a point has 32 bytes", culprit=culprit)
    if data == IDENTITY:
        raise PeerFault(Fault.BAD_POINT, "the identity", culprit=culprit)
    if not group.is_point(data):
        raise PeerFault(Fault.BAD_POINT, "not a canonical encoding", culprit=culprit)
    return Point(data)


def check_scalar(data: object, culprit: int | None = None) -> int:
    """Return a peer's bytes as a scalar. Raises `PeerFault` BAD_SCALAR: wrong length, zero, or unreduced."""
    if not isinstance(data, bytes) or len(data) != SCALAR_BYTES:
        raise PeerFault(Fault.BAD_SCALAR, "a scalar has 32 bytes", culprit=culprit)
    scalar = int.from_bytes(data, "little")
    if not 0 < scalar < ORDER:
        raise PeerFault(Fault.BAD_SCALAR, "zero or not reduced", culprit=culprit)
    return scalar


def check_length(values: object, count: int, what: str, culprit: int | None = None) -> None:
    """Raise `PeerFault` MALFORMED unless `values` is a tuple of `count`: the first check, before any work."""
    if not isinstance(values, tuple) or len(values) != count:
        raise PeerFault(Fault.MALFORMED, f"{what}: not {count} values", culprit=culprit)


def check_points(
    group: Group, values: Sequence[object], count: int, what: str, culprit: int | None = None
) -> tuple[Point, ...]:
    """Return a peer's vector as `count` points. Raises `PeerFault` MALFORMED (length) or BAD_POINT."""
    check_length(values, count, what, culprit)
    if set(map(type, values)) - {bytes} or not _are_points(group, tuple(values)):
        for value in values:
            check_point(group, value, culprit)
    # Every one of them has been found to be bytes.
    return cast("tuple[Point, ...]", values)


@lru_cache(maxsize=256)
def _are_points(group: Group, values: tuple[bytes, ...]) -> bool:
    """Whether all are canonical and none is the identity: asked of a list on the draft and in the fold."""
    is_point = group.is_point
    return all(len(value) == POINT_BYTES and value != IDENTITY and is_point(value) for value in values)


def check_scalars(
    values: tuple[bytes, ...], count: int, what: str, culprit: int | None = None
) -> tuple[int, ...]:
    """Return a peer's vector as `count` scalars. Raises `PeerFault` MALFORMED (length) or BAD_SCALAR."""
    check_length(values, count, what, culprit)
    return tuple(check_scalar(value, culprit) for value in values)


def scalar_bytes(scalar: int) -> bytes:
    """Return the wire form of a scalar."""
    return (scalar % ORDER).to_bytes(SCALAR_BYTES, "little")


def wide_scalar(data: bytes) -> int:
    """Reduce 64 uniform bytes to a scalar that is not zero, without bias that anyone could measure."""
    return 1 + int.from_bytes(data, "little") % (ORDER - 1)


@lru_cache(maxsize=4096)
def hash_to_group(group: Group, label: str, index: int) -> Point:
    """Return the point that everybody derives for this label and index."""
    return group.from_hash(derive(label, index.to_bytes(4, "big")))


def card_point(group: Group, card: int) -> Point:
    """M_c, the point that stands for card index c."""
    return hash_to_group(group, CARD_LABEL, card)


def chain_generator(group: Group) -> Point:
    """H, where the chain of a proof of shuffle starts."""
    return hash_to_group(group, CHAIN_LABEL, 0)


@lru_cache(maxsize=256)
def generators(group: Group, count: int) -> tuple[Point, ...]:
    """H_0 … H_{count-1}, which the permutation commitments of a proof of shuffle use."""
    return tuple(hash_to_group(group, COMMITMENT_LABEL, index) for index in range(count))


@lru_cache(maxsize=256)
def generators_total(group: Group, count: int) -> Point:
    """Σ H_i over the first `count`."""
    return group.total(generators(group, count))
