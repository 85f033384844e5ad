"""Keys, shares and openings: copies, cancellations, shares in the wrong place, false seeds."""

import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest
from deck_helpers import positions, seats, seed, share, shuffled, table, take_turns, with_keys
from msgspec import structs

from kemps_p2p.deck import shares as shares_module
from kemps_p2p.deck.context import Stage
from kemps_p2p.deck.deal import (
    DealKey,
    Deck,
    Shares,
    Table,
    add_key,
    add_shares,
    add_turn,
    check_key,
    check_seed,
    check_shares,
    check_turn,
    face,
    list_digest,
    make_key,
    make_shares,
    make_turn,
    missing,
    new_deck,
    next_round,
    next_turn,
    open_all,
    own_face,
)
from kemps_p2p.deck.group import IDENTITY, RISTRETTO, STUB, Group, Point, card_point, scalar_bytes
from kemps_p2p.deck.shares import ShareStatement, prove_shares, secret_key
from kemps_p2p.deck.state import list_before
from kemps_p2p.errors import Fault, Missing, PeerFault
from kemps_p2p.ids import Position, Seat

GROUPS = pytest.mark.parametrize("group", [RISTRETTO, STUB], ids=lambda group: group.name)
ME = Seat(1)


def fault_of(act: Callable[..., object], *args: object) -> tuple[Fault, int | None]:
    """Code and culprit of the fault that an act must raise."""
    with pytest.raises(PeerFault) as fault:
        act(*args)
    return fault.value.code, fault.value.culprit


def key_of(at: Table, seat: Seat, secret: int, committed: bytes | None = None) -> DealKey:
    """A key with a true proof for a secret of the seat's own choice."""
    key = at.group.base_mul(secret)
    committed = bytes([seat]) * 32 if committed is None else committed
    transcript = shares_module._key_transcript(at, seat, committed, key)
    challenge = shares_module._challenge(transcript, at.group.base_mul(77))
    return DealKey(commitment=committed, key=key, proof=shares_module._proof(challenge, 77, secret))


# Keys


@GROUPS
def test_a_key_proof_holds_for_its_table_and_seat_alone(group: Group) -> None:
    at = table(group)
    key = make_key(at, ME, seed(ME))
    check_key(at, ME, key)
    elsewhere = [
        table(group, match=b"n" * 32), table(group, deal=4), table(group, attempt=1), table(group, seats=6),
        table(STUB if group is RISTRETTO else RISTRETTO),
    ]  # fmt: skip
    for other in elsewhere:
        code, culprit = fault_of(check_key, other, ME, key)
        assert code in (Fault.BAD_KEY_PROOF, Fault.BAD_POINT)
        assert culprit == ME
    assert fault_of(check_key, at, Seat(2), key) == (Fault.BAD_KEY_PROOF, 2)


def test_a_seat_that_does_not_know_its_secret() -> None:
    """The usual rogue: a key that makes the joint key the cheat's own."""
    at = table(RISTRETTO)
    honest = make_key(at, Seat(0), seed(0))
    rogue = at.group.sub(at.group.base_mul(5), Point(honest.key))
    lied = structs.replace(key_of(at, ME, 5), key=rogue)
    assert fault_of(check_key, at, ME, lied) == (Fault.BAD_KEY_PROOF, ME)


def test_copies_of_another_seats_key() -> None:
    at = table()
    deck = add_key(new_deck(at, range(4)), Seat(0), make_key(at, Seat(0), seed(0)))
    original = deck.keys[0]
    assert original is not None
    assert fault_of(add_key, deck, ME, original) == (Fault.BAD_KEY_PROOF, ME)
    same_key = key_of(at, ME, secret_key(at, Seat(0), seed(0)))
    check_key(at, ME, same_key)
    assert fault_of(add_key, deck, ME, same_key) == (Fault.BAD_KEY, ME)
    second = make_key(at, Seat(0), b"\x44" * 32)
    for again in (original, second):
        assert fault_of(add_key, deck, Seat(0), again) == (Fault.BAD_KEY, 0)


def test_a_copy_that_comes_first_does_not_shut_out_its_owner() -> None:
    """A cheat that sends another seat's key, or its opposite, before that seat does."""
    at = table(RISTRETTO)
    deck = new_deck(at, range(4))
    original = make_key(at, Seat(0), seed(0))
    opposite = structs.replace(original, key=RISTRETTO.sub(IDENTITY, Point(original.key)))
    for stolen in (original, opposite):
        assert fault_of(add_key, deck, ME, stolen) == (Fault.BAD_KEY_PROOF, ME)
    assert add_key(deck, Seat(0), original).keys[0] == original


@pytest.mark.parametrize("copier_first", [True, False])
def test_a_copied_commitment_stops_nobody_and_cannot_be_opened(copier_first: bool) -> None:
    """The order of two messages does not tell who copied; the seeds do, since a commitment names its seat."""
    at = table()
    owner, copier = Seat(0), ME
    original = make_key(at, owner, seed(owner))
    copy = key_of(at, copier, 5, original.commitment)
    messages = [(copier, copy), (owner, original)]
    deck = new_deck(at, range(4))
    for seat, key in messages if copier_first else messages[::-1]:
        deck = add_key(deck, seat, key)
    for seat in (Seat(2), Seat(3)):
        deck = add_key(deck, seat, make_key(at, seat, seed(seat)))
    assert next_turn(deck) == 0
    check_seed((deck,), owner, seed(owner))
    for guess in (seed(owner), seed(copier)):
        assert fault_of(check_seed, (deck,), copier, guess) == (Fault.BAD_SEED, copier)


@GROUPS
def test_keys_that_cancel(group: Group) -> None:
    """Seats that conspire can prove such keys; they are refused all the same, with the last one named."""
    at = table(group)
    deck = new_deck(at, range(4))
    for seat, secret in ((Seat(0), 3), (Seat(1), 4)):
        deck = add_key(deck, seat, key_of(at, seat, secret))
    opposite, cancelling = key_of(at, Seat(2), -3), key_of(at, Seat(2), -7)
    for key in (opposite, cancelling):
        check_key(at, Seat(2), key)
        assert fault_of(add_key, deck, Seat(2), key) == (Fault.BAD_KEY, 2)
    deck = add_key(deck, Seat(2), key_of(at, Seat(2), 5))
    all_of_them = key_of(at, Seat(3), -12)
    check_key(at, Seat(3), all_of_them)
    assert fault_of(add_key, deck, Seat(3), all_of_them) == (Fault.BAD_KEY, 3)
    assert fault_of(add_key, deck, Seat(3), key_of(at, Seat(3), 0)) == (Fault.BAD_POINT, 3)


def test_the_joint_key_is_there_when_all_keys_are() -> None:
    at = table(RISTRETTO)
    deck = new_deck(at, range(4))
    for seat in (Seat(2), Seat(0), Seat(3), Seat(1)):
        assert deck.joint_key is None
        assert next_turn(deck) is None
        deck = add_key(deck, seat, make_key(at, seat, seed(seat)))
    assert deck.joint_key == RISTRETTO.base_mul(sum(secret_key(at, seat, seed(seat)) for seat in seats(at)))
    assert deck == with_keys(at, range(4))


def test_a_seat_that_the_table_lacks() -> None:
    at = table()
    key = make_key(at, Seat(4), seed(4))
    assert fault_of(add_key, new_deck(at, range(4)), Seat(4), key) == (Fault.WRONG_SEAT, None)
    assert fault_of(check_key, at, Seat(4), key) == (Fault.WRONG_SEAT, None)
    shares = make_shares(shuffled(at, range(4)), ME, seed(ME), positions((0,)))
    for act in (add_shares, check_shares):
        deck = shuffled(at, range(4))
        assert fault_of(act, deck, Seat(-1), shares) == (Fault.WRONG_SEAT, None)


# Shares


def forged(deck: Deck, seat: Seat, numbers: tuple[int, ...], parts: tuple[Point, ...], secret: int) -> Shares:
    """Shares with a proof made for exactly these parts."""
    last = list_before(deck, Seat(deck.table.seats))
    key = deck.keys[seat]
    assert key is not None
    masks = tuple(last.a[number - deck.first] for number in numbers)
    wanted = tuple(positions(numbers))
    statement = ShareStatement(deck.context(seat, Stage.SHARES), Point(key.key), wanted, masks, parts)
    return Shares(positions=numbers, parts=parts, proof=prove_shares(statement, secret, seed(seat)))


@GROUPS
def test_false_shares_with_a_fresh_proof(group: Group) -> None:
    deck = shuffled(table(group), range(6))
    secret = secret_key(deck.table, ME, seed(ME))
    masks = list_before(deck, Seat(4)).a
    true = tuple(group.mul(secret, mask) for mask in masks)
    check_shares(deck, ME, forged(deck, ME, (0, 1), true[:2], secret))
    extra = group.base_mul(99)
    other = secret_key(deck.table, Seat(2), seed(2))
    wrong = {
        "of another position": (true[2], true[1]),
        "exchanged": (true[1], true[0]),
        "of another key": (group.mul(other, masks[0]), group.mul(other, masks[1])),
        "making up for each other": (group.add(true[0], extra), group.sub(true[1], extra)),
        "one of another factor": (true[0], group.mul(secret + 1, masks[1])),
        "negated": (group.mul(-1, true[0]), group.mul(-1, true[1])),
    }
    for parts in wrong.values():
        for known in (secret, other):
            lied = forged(deck, ME, (0, 1), parts, known)
            assert fault_of(check_shares, deck, ME, lied) == (Fault.BAD_SHARE_PROOF, ME)


def test_shares_that_would_pass_with_weights_known_beforehand() -> None:
    """Parts that make up for each other under the weights of the true shares: but the weights change too."""
    deck = shuffled(table(), range(6))
    secret = secret_key(deck.table, ME, seed(ME))
    masks = list_before(deck, Seat(4)).a
    true = tuple(STUB.mul(secret, mask) for mask in masks[:2])
    key = deck.keys[ME]
    assert key is not None
    context = deck.context(ME, Stage.SHARES)
    statement = ShareStatement(context, Point(key.key), tuple(positions((0, 1))), masks[:2], true)
    first, second = shares_module._weights(shares_module.share_transcript(statement), 2)
    parts = (STUB.add(true[0], STUB.base_mul(second)), STUB.sub(true[1], STUB.base_mul(first)))
    both = [STUB.total((STUB.mul(first, p[0]), STUB.mul(second, p[1]))) for p in (true, parts)]
    assert both[0] == both[1]
    lied = forged(deck, ME, (0, 1), parts, secret)
    assert fault_of(check_shares, deck, ME, lied) == (Fault.BAD_SHARE_PROOF, ME)


@GROUPS
def test_shares_replayed_elsewhere(group: Group) -> None:
    """Same keys and same last list, only the context differs."""
    deck = shuffled(table(group), range(4))
    shares = make_shares(deck, ME, seed(ME), positions((0, 3)))
    elsewhere = [
        replace(deck, table=table(group, match=b"n" * 32)),
        replace(deck, table=table(group, deal=4)),
        replace(deck, table=table(group, attempt=1)),
        replace(deck, round=1),
    ]
    for other in elsewhere:
        assert fault_of(check_shares, other, ME, shares) == (Fault.BAD_SHARE_PROOF, ME)
    assert fault_of(check_shares, deck, Seat(2), shares) == (Fault.BAD_SHARE_PROOF, 2)
    renamed = structs.replace(shares, positions=(0, 2))
    assert fault_of(check_shares, deck, ME, renamed) == (Fault.BAD_SHARE_PROOF, ME)
    copied = replace(deck, keys=(deck.keys[0], deck.keys[1], deck.keys[1], deck.keys[3]))
    assert fault_of(check_shares, copied, Seat(2), shares) == (Fault.BAD_SHARE_PROOF, 2)


def test_shares_that_nobody_can_owe() -> None:
    deck = shuffled(table(), range(6))
    shares = make_shares(deck, ME, seed(ME), positions((0, 3)))
    early = take_turns(with_keys(table(), range(6)), count=3)
    again = take_turns(next_round(deck, range(6), Position(6)))
    for act in (check_shares, add_shares):
        for other in (new_deck(table(), range(6)), early, again):
            assert fault_of(act, other, ME, shares) == (Fault.NOT_OWED, ME)
        for numbers in ((0, 6), (-1, 3), (0, 2**70)):
            named = structs.replace(shares, positions=numbers)
            assert fault_of(act, deck, ME, named) == (Fault.NOT_OWED, ME)
        for numbers in ((3, 0), (3, 3)):
            named = structs.replace(shares, positions=numbers)
            assert fault_of(act, deck, ME, named) == (Fault.MALFORMED, ME)


def test_shares_of_nothing_and_of_more_than_there_is() -> None:
    """A proof that holds for no position at all, and a list too long to be looked at."""
    deck = shuffled(table(), range(3))
    secret = secret_key(deck.table, ME, seed(ME))
    empty = forged(deck, ME, (), (), secret)
    whole = make_shares(deck, ME, seed(ME), positions(range(3)))
    longer = structs.replace(whole, positions=(0, 1, 2, 3), parts=(*whole.parts, whole.parts[0]))
    check_shares(deck, ME, whole)
    for act in (check_shares, add_shares):
        for shares in (empty, longer):
            assert fault_of(act, deck, ME, shares) == (Fault.MALFORMED, ME)


def test_a_second_share_of_a_position() -> None:
    deck = share(shuffled(table(), range(6)), ME, (0, 3))
    for numbers in ((0,), (3, 4), (0, 3)):
        shares = make_shares(deck, ME, seed(ME), positions(numbers))
        check_shares(deck, ME, shares)
        assert fault_of(add_shares, deck, ME, shares) == (Fault.NOT_OWED, ME)
    assert missing(deck, Position(4)) == {0, 1, 2, 3}
    assert missing(share(deck, Seat(0), (0,)), Position(0)) == {2, 3}


def test_no_share_of_an_earlier_list_is_ever_made() -> None:
    """One share of a list that a later seat still shuffles would let the others read it early."""
    early = take_turns(with_keys(table(), range(6)), count=3)
    with pytest.raises(ValueError, match="shuffled"):
        make_shares(early, ME, seed(ME), positions((0,)))
    deck = shuffled(table(), range(6))
    for numbers in ((), (6,), (-1,)):
        with pytest.raises(ValueError, match="position"):
            make_shares(deck, ME, seed(ME), positions(numbers))


def test_positions_are_sorted_and_named_once() -> None:
    deck = shuffled(table(), range(6))
    assert make_shares(deck, ME, seed(ME), positions((4, 0, 4))).positions == (0, 4)


# Openings


def shared_by_all(deck: Deck) -> Deck:
    for seat in seats(deck):
        deck = share(deck, seat, deck.positions)
    return deck


@GROUPS
def test_without_the_share_of_one_honest_seat_nothing_shows(group: Group) -> None:
    """All others pool their secrets: what is left of each card, in each list, is no card's point."""
    deck = shuffled(table(group), range(6))
    for honest in seats(deck):
        pooled = sum(secret_key(deck.table, s, seed(s)) for s in seats(deck) if s != honest)
        known = {card_point(group, card) for card in range(104)}
        for after in range(int(honest) + 1, 5):
            blinded = list_before(deck, Seat(after))
            left = [group.sub(c, group.mul(pooled, a)) for a, c in zip(blinded.a, blinded.c, strict=True)]
            assert not known & set(left)
            assert len(set(left)) == 6


def test_faces_and_openings_agree() -> None:
    deck = shared_by_all(shuffled(table(RISTRETTO), (10, 20, 30, 40, 50, 60)))
    faces = open_all(deck, {seat: seed(seat) for seat in seats(deck)})
    assert sorted(faces) == [10, 20, 30, 40, 50, 60]
    for position in positions(deck.positions):
        assert face(deck, position) == faces[position]
        assert own_face(deck, position, ME, seed(ME)) == faces[position]


def test_a_share_that_was_never_verified_names_nobody() -> None:
    deck = shuffled(table(), range(6))
    wrong = make_shares(deck, Seat(3), seed(0), positions((2,)))
    for seat in seats(deck)[:3]:
        deck = share(deck, seat, (2,))
    deck = add_shares(deck, Seat(3), wrong)
    assert fault_of(check_shares, deck, Seat(3), wrong) == (Fault.BAD_SHARE_PROOF, 3)
    assert fault_of(face, deck, Position(2)) == (Fault.BAD_SHARE_PROOF, None)
    assert fault_of(own_face, deck, Position(2), Seat(0), seed(0)) == (Fault.BAD_SHARE_PROOF, None)
    assert own_face(deck, Position(2), Seat(3), seed(3)) in range(6)


def test_positions_of_another_round_are_a_mistake_of_ours() -> None:
    deck = shuffled(table(), range(6))
    for act in (missing, face):
        with pytest.raises(ValueError, match="position"):
            act(deck, Position(6))
    with pytest.raises(ValueError, match="position"):
        own_face(deck, Position(-1), ME, seed(ME))


def test_seeds_open_their_own_commitments_alone() -> None:
    deck = shuffled(table(), range(6))
    again = take_turns(next_round(deck, (5, 2), Position(6)))
    for seat in seats(deck):
        check_seed((deck, again), seat, seed(seat))
        for wrong in (seed(seat, 1), bytes(32), seed((seat + 1) % 4)):
            assert fault_of(check_seed, (deck,), seat, wrong) == (Fault.BAD_SEED, seat)
    for junk in (b"", b"x" * 31, b"x" * 33, None, "x" * 32, 7):
        assert fault_of(check_seed, (deck,), ME, junk) == (Fault.MALFORMED, ME)
    assert fault_of(check_seed, (deck,), Seat(4), seed(4)) == (Fault.WRONG_SEAT, None)


@pytest.mark.parametrize("round_", [0, 1])
def test_a_turn_that_was_not_made_from_the_seed(round_: int) -> None:
    """A true shuffle with a true proof, from other randomness than the seat had committed to."""
    start = with_keys(table(), range(6))
    decks = [start] if round_ == 0 else [take_turns(start), next_round(start, (5, 2, 1), Position(6))]
    deck = take_turns(decks[-1], count=1)
    turn = make_turn(deck, ME, b"\x66" * 32)
    check_turn(deck, ME, turn)
    deck = take_turns(add_turn(deck, ME, turn))
    decks[-1] = deck
    assert sorted(open_all(deck, {seat: seed(seat) for seat in seats(deck)})) == sorted(deck.cards)
    assert fault_of(check_seed, decks, ME, seed(ME)) == (Fault.BAD_SEED, ME)
    for other in (Seat(0), Seat(2), Seat(3)):
        check_seed(decks, other, seed(other))


def test_a_proof_that_was_not_made_from_the_seed() -> None:
    """The key is the seed's, its proof has another nonce: an opening must give all bytes again."""
    at = table()
    deck = with_keys(at, range(4))
    own = deck.keys[ME]
    assert own is not None
    other = key_of(at, ME, secret_key(at, ME, seed(ME)), own.commitment)
    check_key(at, ME, other)
    lied = replace(deck, keys=(deck.keys[0], other, deck.keys[2], deck.keys[3]))
    assert fault_of(check_seed, (lied,), ME, seed(ME)) == (Fault.BAD_SEED, ME)


def test_what_an_opening_needs() -> None:
    deck = shuffled(table(), range(6))
    seeds = {seat: seed(seat) for seat in seats(deck)}
    with pytest.raises(Missing, match="seat 2"):
        open_all(deck, {seat: s for seat, s in seeds.items() if seat != 2})
    with pytest.raises(Missing, match="shuffled"):
        open_all(take_turns(with_keys(table(), range(6)), count=3), seeds)
    assert fault_of(open_all, deck, {**seeds, Seat(2): seed(0)}) == (Fault.BAD_SEED, 2)
    broken = structs.replace(deck.turns[3], c=deck.turns[3].a)
    unverified = replace(deck, turns=(*deck.turns[:3], broken))
    assert fault_of(open_all, unverified, seeds) == (Fault.BAD_TURN, None)


def test_mistakes_of_the_caller() -> None:
    at = table()
    for cards in ((), (1, 1), range(1025)):
        with pytest.raises(ValueError, match="cards"):
            new_deck(at, cards)
    deck = with_keys(at, range(4))
    with pytest.raises(ValueError, match="positions"):
        next_round(deck, range(4), Position(3))
    with pytest.raises(ValueError, match="keys"):
        next_round(new_deck(at, range(4)), range(4), Position(4))
    with pytest.raises(ValueError, match="keys"):
        list_digest(new_deck(at, range(4)))
    with pytest.raises(ValueError, match="32 bytes"):
        make_key(at, ME, b"short")


def test_a_deck_and_its_messages_travel_to_another_process() -> None:
    deck = share(shuffled(table(RISTRETTO), range(4)), ME, (1,))
    assert pickle.loads(pickle.dumps(deck)) == deck


def test_scalars_of_the_wire_are_little_endian() -> None:
    assert scalar_bytes(1) == b"\x01" + bytes(31)
    assert scalar_bytes(0) == IDENTITY
