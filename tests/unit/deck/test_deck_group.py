"""The two groups: published vectors, the identity, what is refused, and independent generators."""

import pickle
from hashlib import sha512
from itertools import chain, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_p2p.deck.group import (
    IDENTITY,
    ORDER,
    RISTRETTO,
    STUB,
    Group,
    Point,
    card_point,
    chain_generator,
    check_point,
    check_points,
    check_scalar,
    check_scalars,
    generators,
    generators_total,
    group_named,
    hash_to_group,
    scalar_bytes,
    wide_scalar,
)
from kemps_p2p.errors import Fault, PeerFault

BOTH = pytest.mark.parametrize("group", [RISTRETTO, STUB], ids=lambda group: group.name)
scalars = st.integers(min_value=0, max_value=ORDER - 1)

MULTIPLES = (  # RFC 9496, appendix A.1
    "0000000000000000000000000000000000000000000000000000000000000000",
    "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76",
    "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
)
NOT_CANONICAL = (  # RFC 9496, appendix A.2: field elements that are not reduced, then negative ones
    "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20",
    "c34c4e1826e5d403b78e246e88aa051c36ccf0aafebffe137d148a2bf9104562",
)
WIDE = (  # RFC 9496, appendix A.3
    "5d1be09e3d0c82fc538112490e35701979d99e06ca3e2b5b54bffe8b4dc772c1"
    "4d98b696a1bbfb5ca32c436cc61c16563790306c79eaca7705668b47dffe5bb6",
    "3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46",
)


def test_published_multiples_of_the_base_point() -> None:
    for scalar, encoding in enumerate(MULTIPLES):
        assert RISTRETTO.base_mul(scalar).hex() == encoding
    base = RISTRETTO.base_mul(1)
    assert RISTRETTO.add(base, base).hex() == MULTIPLES[2]
    assert RISTRETTO.mul(2, base).hex() == MULTIPLES[2]


def test_the_published_map_from_a_hash() -> None:
    assert RISTRETTO.from_hash(bytes.fromhex(WIDE[0])).hex() == WIDE[1]


@pytest.mark.parametrize("encoding", NOT_CANONICAL)
def test_published_encodings_that_are_not_canonical(encoding: str) -> None:
    with pytest.raises(PeerFault) as refused:
        check_point(RISTRETTO, bytes.fromhex(encoding), 2)
    assert (refused.value.code, refused.value.culprit) == (Fault.BAD_POINT, 2)


def test_the_top_bit_gives_no_second_encoding() -> None:
    """The bundled libsodium would take each of these for the point without the bit."""
    for scalar in range(32):
        top_bit = (int.from_bytes(RISTRETTO.base_mul(scalar), "little") | 2**255).to_bytes(32, "little")
        assert not RISTRETTO.is_point(top_bit)
        with pytest.raises(PeerFault, match="canonical"):
            check_point(RISTRETTO, top_bit)


@BOTH
def test_the_identity_is_a_point_of_ours_but_of_no_peer(group: Group) -> None:
    base = group.base_mul(1)
    assert group.base_mul(0) == group.base_mul(ORDER) == IDENTITY
    assert group.mul(0, base) == group.mul(7, IDENTITY) == group.mul(ORDER, base) == IDENTITY
    assert group.sub(base, base) == group.add(group.base_mul(-1), base) == IDENTITY
    assert group.add(base, IDENTITY) == group.add(IDENTITY, base) == group.sub(base, IDENTITY) == base
    assert group.total([]) == IDENTITY
    assert group.total([base, group.base_mul(-1), base]) == base
    assert group.weighted([], []) == IDENTITY
    assert group.weighted((2, -1, 3), (base, base, group.base_mul(5))) == group.base_mul(16)
    with pytest.raises(ValueError, match="zip"):
        group.weighted((2, 1), (base,))
    with pytest.raises(PeerFault, match="identity"):
        check_point(group, bytes(32))


@BOTH
@pytest.mark.parametrize("data", [b"", b"\x02" * 31, b"\x02" * 33, "\x02" * 32, None, 5, bytearray(32)])
def test_what_is_not_32_bytes_is_no_point_and_no_scalar(group: Group, data: object) -> None:
    with pytest.raises(PeerFault) as no_point:
        check_point(group, data, 1)
    with pytest.raises(PeerFault) as no_scalar:
        check_scalar(data, 1)
    assert (no_point.value.code, no_scalar.value.code) == (Fault.BAD_POINT, Fault.BAD_SCALAR)


def test_a_scalar_is_reduced_and_not_zero() -> None:
    assert check_scalar((1).to_bytes(32, "little")) == 1
    assert check_scalar((ORDER - 1).to_bytes(32, "little")) == ORDER - 1
    for value in (0, ORDER, ORDER + 1, 2**255, 2**256 - 1):
        with pytest.raises(PeerFault) as refused:
            check_scalar(value.to_bytes(32, "little"), 3)
        assert (refused.value.code, refused.value.culprit) == (Fault.BAD_SCALAR, 3)


def test_vectors_have_their_length() -> None:
    point, scalar = STUB.base_mul(5), scalar_bytes(5)
    assert check_points(STUB, (point, point), 2, "p") == (point, point)
    assert check_scalars((scalar,), 1, "s") == (5,)
    for count in (0, 1, 3):
        with pytest.raises(PeerFault) as refused:
            check_points(STUB, (point, point), count, "p", 1)
        assert (refused.value.code, refused.value.culprit) == (Fault.MALFORMED, 1)
        with pytest.raises(PeerFault, match="malformed"):
            check_scalars((scalar, scalar), count, "s", 1)


def test_a_wide_scalar_is_never_zero() -> None:
    assert wide_scalar(bytes(64)) == 1
    assert wide_scalar((ORDER - 1).to_bytes(64, "little")) == 1
    assert wide_scalar((ORDER - 2).to_bytes(64, "little")) == ORDER - 1


@settings(max_examples=25)
@given(x=scalars, y=scalars, z=scalars)
def test_both_groups_obey_the_same_laws(x: int, y: int, z: int) -> None:
    for group in (RISTRETTO, STUB):
        p, q = group.base_mul(x), group.base_mul(y)
        assert group.mul(z, p) == group.base_mul(x * z)
        assert group.add(p, q) == group.add(q, p) == group.base_mul(x + y)
        assert group.sub(p, q) == group.base_mul(x - y)
        assert group.is_point(p)


@BOTH
def test_points_with_no_known_ratio(group: Group) -> None:
    """Base point, generators and two packs: all distinct, none a small multiple or small sum of another."""
    points = [
        group.base_mul(1),
        chain_generator(group),
        *generators(group, 104),
        *(card_point(group, card) for card in range(104)),
    ]
    seen: dict[Point, int] = {}
    for which, point in enumerate(points):
        multiple = IDENTITY
        for _ in range(8):
            multiple = group.add(multiple, point)
            for near in (multiple, group.sub(IDENTITY, multiple)):
                assert seen.setdefault(near, which) == which
    steps = {group.sub(after, before) for before, after in pairwise(points)}
    assert len(steps) == len(points) - 1


@BOTH
def test_generators_come_from_labels_alone(group: Group) -> None:
    """The derivation, written out a second time."""

    def by_hand(label: str, index: int) -> Point:
        part = index.to_bytes(4, "big")
        framed = bytes([len(label)]) + label.encode() + len(part).to_bytes(8, "big") + part
        return group.from_hash(sha512(framed).digest())

    assert card_point(group, 51) == by_hand("kemps/v1/card", 51)
    assert hash_to_group(group, "a", 1) == by_hand("a", 1) != hash_to_group(group, "a", 2)
    assert generators(group, 3) == generators(group, 9)[:3]
    assert generators_total(group, 9) == group.total(generators(group, 9))
    assert generators(group, 1)[0] == by_hand("kemps/v1/deck/generator/commitment", 0)
    assert chain_generator(group) == by_hand("kemps/v1/deck/generator/chain", 0)


def test_groups_by_name() -> None:
    assert group_named("ristretto255") is RISTRETTO
    assert group_named("stub-insecure") is STUB
    with pytest.raises(KeyError):
        group_named("ed25519")


@BOTH
def test_a_group_travels_by_name(group: Group) -> None:
    assert pickle.loads(pickle.dumps(group)) is group


def test_the_cards_of_two_packs_are_distinct() -> None:
    pack = chain.from_iterable((card_point(RISTRETTO, c), card_point(STUB, c)) for c in range(104))
    assert len(set(pack)) == 208
