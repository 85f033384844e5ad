"""Every field of every message, changed in every way: refused, with the right code and culprit."""

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from deck_helpers import positions, seed, shuffled, table, take_turns, with_keys
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from kemps_p2p.codec import Record, decode, encode
from kemps_p2p.deck.deal import (
    DealKey,
    Deck,
    Shares,
    Turn,
    add_key,
    add_shares,
    add_turn,
    check_key,
    check_shares,
    check_turn,
    make_key,
    make_shares,
    make_turn,
    new_deck,
)
from kemps_p2p.deck.group import ORDER, RISTRETTO, STUB, Group, check_point, scalar_bytes
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat

ME = Seat(1)
GROUPS = pytest.mark.parametrize("group", [RISTRETTO, STUB], ids=lambda group: group.name)
CARDS = {RISTRETTO.name: 3, STUB.name: 5}
JUNK: tuple[object, ...] = (
    None, True, -1, 2**70, 1.5, "x", "\x01" * 32, b"", b"\x02" * 31, b"\x02" * 33, (), [b"\x02" * 32],
    (b"\x02" * 32,) * 100_000, (None, None, None), {}, ((),) * 5, 10**40,
)  # fmt: skip


class Subject:
    """A message of one seat, the deck on which it is checked, and how."""

    def __init__(
        self, message: Record, check: Callable[[Record], None], add: Callable[[Record], object], wrong: Fault
    ) -> None:
        self.message, self.check, self.add, self.wrong = message, check, add, wrong


def key_subject(group: Group) -> Subject:
    at = table(group)
    return Subject(
        make_key(at, ME, seed(ME)),
        lambda key: check_key(at, ME, key),  # type: ignore[arg-type]
        lambda key: add_key(new_deck(at, range(3)), ME, key),  # type: ignore[arg-type]
        Fault.BAD_KEY_PROOF,
    )


def turn_subject(group: Group) -> Subject:
    deck = take_turns(with_keys(table(group), range(CARDS[group.name])), count=1)
    return Subject(
        make_turn(deck, ME, seed(ME)),
        lambda turn: check_turn(deck, ME, turn),  # type: ignore[arg-type]
        lambda turn: add_turn(deck, ME, turn),  # type: ignore[arg-type]
        Fault.BAD_SHUFFLE_PROOF,
    )


def first_turn_subject(group: Group) -> Subject:
    deck = with_keys(table(group), range(CARDS[group.name]))
    return Subject(
        make_turn(deck, Seat(0), seed(0)),
        lambda turn: check_turn(deck, Seat(0), turn),  # type: ignore[arg-type]
        lambda turn: add_turn(deck, Seat(0), turn),  # type: ignore[arg-type]
        Fault.BAD_SHUFFLE_PROOF,
    )


def shares_subject(group: Group) -> Subject:
    deck = shuffled(table(group), range(CARDS[group.name]))
    return Subject(
        make_shares(deck, ME, seed(ME), positions((0, 2))),
        lambda shares: check_shares(deck, ME, shares),  # type: ignore[arg-type]
        lambda shares: add_shares(deck, ME, shares),  # type: ignore[arg-type]
        Fault.BAD_SHARE_PROOF,
    )


SUBJECTS = pytest.mark.parametrize(
    "subject_of", [key_subject, turn_subject, first_turn_subject, shares_subject], ids=lambda f: f.__name__
)


def places(record: Record) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Every value in a record, with its path; a vector is a value too, and so are its elements."""
    for name in record.__struct_fields__:
        value = getattr(record, name)
        yield (name,), value
        if isinstance(value, Record):
            for path, inner in places(value):
                yield (name, *path), inner
        elif isinstance(value, tuple):
            for index, element in enumerate(value):
                yield (name, index), element


def changed(record: Record, path: tuple[str | int, ...], value: object) -> Record:
    """A copy with the value at a path replaced."""
    name, *rest = path
    assert isinstance(name, str)
    old = getattr(record, name)
    match rest:
        case []:
            new: object = value
        case [int(index)]:
            new = (*old[:index], value, *old[index + 1 :])
        case _:
            new = changed(old, tuple(rest), value)
    return structs.replace(record, **{name: new})


def is_scalar(path: tuple[str | int, ...]) -> bool:
    names = {"challenge", "response", "s1", "s2", "s3", "s4", "s_hat", "s_prime"}
    return bool(names & set(path))


def refused(subject: Subject, message: Record, seat: Seat) -> Fault:
    """Check a message that must be refused; folding it may not raise anything else either."""
    with pytest.raises(PeerFault) as fault:
        subject.check(message)
    assert fault.value.culprit == seat
    with suppress(PeerFault):
        subject.add(message)
    return fault.value.code


def seat_of(subject_of: object) -> Seat:
    return Seat(0) if subject_of is first_turn_subject else ME


@GROUPS
@SUBJECTS
def test_the_message_unchanged_is_accepted(group: Group, subject_of: Callable[[Group], Subject]) -> None:
    subject = subject_of(group)
    subject.check(subject.message)
    subject.add(subject.message)


@GROUPS
@SUBJECTS
def test_every_point_and_scalar_changed(group: Group, subject_of: Callable[[Group], Subject]) -> None:
    subject, seat = subject_of(group), seat_of(subject_of)
    count = 0
    for path, value in places(subject.message):
        if not isinstance(value, bytes) or path[0] in ("input", "commitment"):
            continue
        count += 1
        number = int.from_bytes(value, "little")
        if is_scalar(path):
            unreduced = (0, ORDER, 2**256 - 1) + ((number + ORDER,) if number + ORDER < 2**256 else ())
            for bad in unreduced:
                message = changed(subject.message, path, bad.to_bytes(32, "little"))
                assert refused(subject, message, seat) is Fault.BAD_SCALAR
            others = {scalar_bytes(n) for n in (number + 1, number - 1, -number, number ^ 1, 1)}
            wrong_length = Fault.BAD_SCALAR
        else:
            for bad_point in (bytes(32), b"\xff" * 32, (2**255 + number).to_bytes(32, "little")):
                message = changed(subject.message, path, bad_point)
                assert refused(subject, message, seat) is Fault.BAD_POINT
            point = check_point(group, value)
            others = {group.add(point, group.base_mul(1)), group.mul(-1, point), group.base_mul(1)}
            wrong_length = Fault.BAD_POINT
        for other in others - {value}:
            assert refused(subject, changed(subject.message, path, other), seat) is subject.wrong
        for data in (value[:31], value + b"\x00", b""):
            assert refused(subject, changed(subject.message, path, data), seat) is wrong_length
    assert count >= 3


@GROUPS
@SUBJECTS
def test_vectors_of_another_length_or_order(group: Group, subject_of: Callable[[Group], Subject]) -> None:
    subject, seat = subject_of(group), seat_of(subject_of)
    for path, value in places(subject.message):
        if not isinstance(value, tuple):
            continue
        for vector in ((), value[:-1], (*value, value[-1]), value * 50_000, list(value)):
            assert refused(subject, changed(subject.message, path, vector), seat) is Fault.MALFORMED
        for index in range(len(value) - 1):
            swapped = list(value)
            swapped[index], swapped[index + 1] = swapped[index + 1], swapped[index]
            code = refused(subject, changed(subject.message, path, tuple(swapped)), seat)
            assert code is (Fault.MALFORMED if path == ("positions",) else subject.wrong)


def test_lengths_come_before_everything_else() -> None:
    """Nothing in a turn is looked at, not even the list it names, before all its vectors have their size."""
    subject = turn_subject(STUB)
    elsewhere = changed(subject.message, ("input",), bytes(32))
    with pytest.raises(PeerFault, match="another list"):
        subject.check(elsewhere)
    vectors = [path for path, value in places(subject.message) if isinstance(value, tuple)]
    assert len(vectors) == 6
    for path in vectors:
        for act in (subject.check, subject.add):
            with pytest.raises(PeerFault) as fault:
                act(changed(elsewhere, path, ()))
            assert (fault.value.code, fault.value.culprit) == (Fault.MALFORMED, ME)


@GROUPS
@SUBJECTS
def test_values_of_another_type(group: Group, subject_of: Callable[[Group], Subject]) -> None:
    subject, seat = subject_of(group), seat_of(subject_of)
    form = {Fault.MALFORMED, Fault.BAD_POINT, Fault.BAD_SCALAR, Fault.NOT_OWED}
    for path, _ in places(subject.message):
        for junk in JUNK:
            assert refused(subject, changed(subject.message, path, junk), seat) in form
    for junk in JUNK:
        with pytest.raises(PeerFault, match="malformed"):
            subject.check(junk)  # type: ignore[arg-type]
        with pytest.raises(PeerFault, match="malformed"):
            subject.add(junk)  # type: ignore[arg-type]


@SUBJECTS
def test_every_bit_of_the_encoded_message(subject_of: Callable[[Group], Subject]) -> None:
    """Whatever still decodes is refused: no bit of a message is without meaning."""
    subject = subject_of(STUB)
    data = encode(subject.message)
    kind = type(subject.message)
    decoded = 0
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            message = decode(bytes(flipped), kind)
        except PeerFault:
            continue
        decoded += 1
        refused(subject, message, seat_of(subject_of))
    assert decoded > 4 * len(data)


@pytest.mark.parametrize("subject_of", [key_subject, shares_subject])
def test_every_bit_of_short_messages_in_the_real_group(subject_of: Callable[[Group], Subject]) -> None:
    subject = subject_of(RISTRETTO)
    for path, value in places(subject.message):
        if isinstance(value, bytes):
            for bit in range(256):
                flipped = (int.from_bytes(value, "little") ^ 1 << bit).to_bytes(32, "little")
                refused(subject, changed(subject.message, path, flipped), ME)


SUBJECT = turn_subject(STUB)
WIRE = encode(SUBJECT.message)


@settings(max_examples=150)
@given(st.integers(0, len(WIRE)), st.integers(0, len(WIRE)), st.binary(max_size=80))
def test_spliced_bytes_bring_nothing_but_a_fault(start: int, end: int, middle: bytes) -> None:
    data = WIRE[:start] + middle + WIRE[end:]
    if data == WIRE:
        return
    with pytest.raises(PeerFault):
        SUBJECT.check(decode(data, Turn))


@pytest.mark.parametrize("where", ["input", "commitment"])
def test_a_digest_changed(where: str) -> None:
    """A turn on another list, and a key proof made for another commitment."""
    subject = turn_subject(RISTRETTO) if where == "input" else key_subject(RISTRETTO)
    expected = Fault.BAD_TURN if where == "input" else Fault.BAD_KEY_PROOF
    digest = getattr(subject.message, where)
    for bit in range(256):
        flipped = (int.from_bytes(digest, "little") ^ 1 << bit).to_bytes(32, "little")
        assert refused(subject, changed(subject.message, (where,), flipped), ME) is expected
    for data in (digest[:31], digest + b"\x00", b""):
        assert refused(subject, changed(subject.message, (where,), data), ME) is Fault.MALFORMED


def test_a_proof_of_another_kind() -> None:
    """Each proof in the place of another one, and a message in the place of a proof."""
    keys, turns, shares = key_subject(STUB), turn_subject(STUB), shares_subject(STUB)
    assert isinstance(keys.message, DealKey)
    assert isinstance(turns.message, Turn)
    assert isinstance(shares.message, Shares)
    swaps = (
        (keys, shares.message.proof, Fault.BAD_KEY_PROOF),
        (shares, keys.message.proof, Fault.BAD_SHARE_PROOF),
        (turns, keys.message.proof, Fault.MALFORMED),
        (keys, turns.message.proof, Fault.MALFORMED),
        (shares, shares.message, Fault.MALFORMED),
    )
    for subject, proof, code in swaps:
        assert refused(subject, changed(subject.message, ("proof",), proof), ME) is code


def test_what_a_deck_holds_is_canonical_even_unverified() -> None:
    """Folding verifies no proof, but the seat that works on the list must not stumble over a point of it."""
    deck = take_turns(with_keys(table(RISTRETTO), range(3)), count=1)
    turn = make_turn(deck, ME, seed(ME))
    for name in ("a", "c"):
        for bad in (bytes(32), b"\xff" * 32, b"\x01" + bytes(31)):
            with pytest.raises(PeerFault) as fault:
                add_turn(deck, ME, changed(turn, (name, 1), bad))  # type: ignore[arg-type]
            assert (fault.value.code, fault.value.culprit) == (Fault.BAD_POINT, ME)
    unproven = changed(turn, ("proof", "s1"), scalar_bytes(1))
    assert isinstance(unproven, Turn)
    after: Deck = add_turn(deck, ME, unproven)
    make_turn(after, Seat(2), seed(2))
    with pytest.raises(PeerFault):
        check_turn(after, ME, unproven)
