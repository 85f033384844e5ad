"""Keys and signatures: what one key can sign, and nothing that looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_helpers import IDENTITIES, KEYS, code_of

from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ledger.identity import Identity, check_key, verify

FIELD = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, FIELD) % FIELD
LABEL = "test/label"
SIGN_BIT = 1 << 255


def root(value: int) -> int | None:
    """A square root modulo the field, by the textbook formula for p = 5 mod 8."""
    found = pow(value, (FIELD + 3) // 8, FIELD)
    for candidate in (found, found * pow(2, (FIELD - 1) // 4, FIELD) % FIELD):
        if candidate * candidate % FIELD == value % FIELD:
            return candidate
    return None


def add(p: tuple[int, int], q: tuple[int, int]) -> tuple[int, int]:
    """The addition of the twisted Edwards curve, computed apart from the code under test."""
    (x1, y1), (x2, y2) = p, q
    k = D * x1 * x2 * y1 * y2 % FIELD
    x3 = (x1 * y2 + x2 * y1) * pow(1 + k, -1, FIELD) % FIELD
    y3 = (y1 * y2 + x1 * x2) * pow(1 - k, -1, FIELD) % FIELD
    return x3, y3


def times(scalar: int, p: tuple[int, int]) -> tuple[int, int]:
    total = (0, 1)
    while scalar:
        if scalar & 1:
            total = add(total, p)
        p = add(p, p)
        scalar >>= 1
    return total


def torsion() -> set[tuple[int, int]]:
    """The eight points of small order, found by multiplying arbitrary points by the group order."""
    y = 2
    while True:
        x = root((y * y - 1) * pow(D * y * y + 1, -1, FIELD))
        if x is not None:
            small = times(ORDER, (x, y))
            points = {times(factor, small) for factor in range(8)}
            if len(points) == 8:
                return points
        y += 1


SMALL = sorted({y | sign for _, y in torsion() for sign in (0, SIGN_BIT)})


def test_there_are_eight_points_of_small_order() -> None:
    assert len({y for _, y in torsion()}) == 5
    assert all(times(8, point) == (0, 1) for point in torsion())


@pytest.mark.parametrize("encoding", SMALL, ids=hex)
def test_keys_of_small_order_are_refused(encoding: int) -> None:
    with pytest.raises(PeerFault) as fault:
        check_key(encoding.to_bytes(32, "little"))
    assert code_of(fault) == (Fault.BAD_KEY, None)


@pytest.mark.parametrize("sign", [0, SIGN_BIT])
@pytest.mark.parametrize("excess", range(19))
def test_keys_that_are_not_canonical_are_refused(excess: int, sign: int) -> None:
    with pytest.raises(PeerFault) as fault:
        check_key((FIELD + excess | sign).to_bytes(32, "little"))
    assert code_of(fault) == (Fault.BAD_KEY, None)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_keys_of_another_length_are_refused(length: int) -> None:
    with pytest.raises(PeerFault) as fault:
        check_key(bytes([7]) * length)
    assert code_of(fault) == (Fault.BAD_KEY, None)


def test_honest_keys_are_accepted() -> None:
    for key in KEYS:
        check_key(key)


def test_a_signature_of_small_order_does_not_verify_anything() -> None:
    # Under a key of small order this R and s would hold for many messages; such a key is no key here.
    for encoding in SMALL:
        key = encoding.to_bytes(32, "little")
        for message in (b"one", b"two"):
            with pytest.raises(PeerFault) as fault:
                verify(key, LABEL, message, key + bytes(32))
            assert fault.value.code is Fault.BAD_KEY


def test_what_was_signed_verifies_again_and_again() -> None:
    signature = IDENTITIES[0].sign(LABEL, b"message")
    for _ in range(3):
        verify(KEYS[0], LABEL, b"message", signature)


def refused(key: bytes, label: str, message: bytes, signature: bytes) -> None:
    with pytest.raises(PeerFault) as fault:
        verify(key, label, message, signature)
    assert code_of(fault) == (Fault.BAD_SIGNATURE, None)


def test_key_label_message_and_signature_are_all_bound() -> None:
    signature = IDENTITIES[0].sign(LABEL, b"message")
    verify(KEYS[0], LABEL, b"message", signature)
    refused(KEYS[1], LABEL, b"message", signature)
    refused(KEYS[0], "test/other", b"message", signature)
    refused(KEYS[0], LABEL, b"massage", signature)
    for bit in range(512):
        changed = int.from_bytes(signature, "little") ^ 1 << bit
        refused(KEYS[0], LABEL, b"message", changed.to_bytes(64, "little"))


def test_label_and_message_do_not_run_into_each_other() -> None:
    signature = IDENTITIES[0].sign("ab", b"c")
    refused(KEYS[0], "a", b"bc", signature)


def test_s_plus_the_order_is_refused() -> None:
    signature = IDENTITIES[0].sign(LABEL, b"message")
    s = int.from_bytes(signature[32:], "little")
    for factor in range(1, 15):
        if s + factor * ORDER < 1 << 256:
            refused(KEYS[0], LABEL, b"message", signature[:32] + (s + factor * ORDER).to_bytes(32, "little"))


@pytest.mark.parametrize("length", [0, 1, 32, 63, 65, 128])
def test_signatures_of_another_length_are_refused(length: int) -> None:
    refused(KEYS[0], LABEL, b"message", bytes(length))


@given(seed=st.binary(min_size=32, max_size=32), message=st.binary(max_size=80))
def test_signing_is_deterministic(seed: bytes, message: bytes) -> None:
    identity = Identity(seed)
    signature = identity.sign(LABEL, message)
    assert signature == Identity(seed).sign(LABEL, message)
    verify(identity.public, LABEL, message, signature)
