"""Honest deals, from the first key to the opened seeds."""

import pytest
from deck_helpers import positions, seats, seed, share, shuffled, table, take_turns, with_keys

from kemps_p2p.codec import decode, encode
from kemps_p2p.deck.deal import (
    DealKey,
    Deck,
    Shares,
    Turn,
    check_seed,
    face,
    is_shuffled,
    list_digest,
    make_key,
    make_shares,
    make_turn,
    missing,
    next_round,
    next_turn,
    open_all,
    own_face,
)
from kemps_p2p.deck.group import RISTRETTO, STUB, Group
from kemps_p2p.ids import Position, Seat


def hands_and_pool(deck: Deck) -> tuple[dict[Seat, list[int | None]], list[int | None], Deck]:
    """Four cards for each seat, then four for the middle."""
    count = deck.table.seats
    for seat in seats(deck):
        hand = range(4 * seat, 4 * seat + 4)
        others = [p for p in range(4 * count) if p not in hand]
        deck = share(deck, seat, others)
        deck = share(deck, seat, range(4 * count, 4 * count + 4))
    hands = {
        seat: [own_face(deck, p, seat, seed(seat)) for p in positions(range(4 * seat, 4 * seat + 4))]
        for seat in seats(deck)
    }
    pool = [face(deck, p) for p in positions(range(4 * count, 4 * count + 4))]
    return hands, pool, deck


@pytest.mark.parametrize(
    ("group", "count", "cards"),
    [(STUB, 4, 52), (STUB, 6, 52), (STUB, 8, 52), (STUB, 10, 104), (RISTRETTO, 4, 52), (RISTRETTO, 8, 40)],
    ids=lambda value: value.name if hasattr(value, "name") else str(value),
)
def test_an_honest_deal(group: Group, count: int, cards: int) -> None:
    deck = shuffled(table(group, count), range(cards))
    assert is_shuffled(deck)
    assert next_turn(deck) is None
    hands, pool, deck = hands_and_pool(deck)
    faces = open_all(deck, {seat: seed(seat) for seat in seats(deck)})
    assert sorted(faces) == list(range(cards))
    assert faces != tuple(range(cards))
    for seat, hand in hands.items():
        assert hand == list(faces[4 * seat : 4 * seat + 4])
    assert pool == list(faces[4 * count : 4 * count + 4])


def test_a_recycled_pool_is_a_round_of_its_own() -> None:
    deck = shuffled(table(), range(52))
    again = next_round(deck, (7, 3, 50, 12), Position(52))
    assert next_turn(again) == 0
    again = take_turns(again)
    for seat in seats(again):
        again = share(again, seat, range(52, 56))
    faces = tuple(face(again, p) for p in positions(range(52, 56)))
    assert sorted(faces, key=str) == sorted((7, 3, 50, 12), key=str)
    assert faces == open_all(again, {seat: seed(seat) for seat in seats(again)})
    for seat in seats(deck):
        check_seed((deck, again), seat, seed(seat))


def test_messages_survive_the_wire() -> None:
    deck = with_keys(table(RISTRETTO), range(5))
    key = make_key(deck.table, Seat(1), seed(1))
    assert decode(encode(key), DealKey) == key
    turn = make_turn(deck, Seat(0), seed(0))
    assert decode(encode(turn), Turn) == turn
    shares = make_shares(take_turns(deck), Seat(2), seed(2), positions((1, 4)))
    assert decode(encode(shares), Shares) == shares


def test_who_has_not_shared() -> None:
    deck = share(shuffled(table(), range(8)), Seat(2), (1, 5))
    assert missing(deck, Position(5)) == {0, 1, 3}
    assert missing(deck, Position(4)) == {0, 1, 2, 3}
    assert face(deck, Position(5)) is None
    assert own_face(deck, Position(5), Seat(0), seed(0)) is None


def test_the_list_digest_changes_with_every_turn() -> None:
    deck = with_keys(table(), range(6))
    digests = {list_digest(take_turns(deck, count=count)) for count in range(5)}
    assert len(digests) == 5
