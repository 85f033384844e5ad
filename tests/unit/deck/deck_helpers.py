"""Honest deals for the tests of the deck: fixed seeds, all messages checked and folded."""

from collections.abc import Iterable, Sequence

from kemps_p2p.deck.deal import (
    Deck,
    Table,
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
    next_turn,
)
from kemps_p2p.deck.group import STUB, Group
from kemps_p2p.ids import Position, Seat


def table(
    group: Group = STUB, seats: int = 4, *, match: bytes = b"m" * 32, deal: int = 3, attempt: int = 0
) -> Table:
    return Table(group, match, deal, attempt, seats)


def seed(seat: int, salt: int = 0) -> bytes:
    return bytes([seat + 1, salt]) * 16


def seats(deck: Deck | Table) -> list[Seat]:
    return [Seat(seat) for seat in range(deck.seats if isinstance(deck, Table) else deck.table.seats)]


def positions(numbers: Iterable[int]) -> list[Position]:
    return [Position(number) for number in numbers]


def with_keys(at: Table, cards: Sequence[int], salt: int = 0) -> Deck:
    deck = new_deck(at, cards)
    for seat in seats(at):
        key = make_key(at, seat, seed(seat, salt))
        check_key(at, seat, key)
        deck = add_key(deck, seat, key)
    return deck


def take_turns(deck: Deck, salt: int = 0, *, count: int | None = None) -> Deck:
    while (seat := next_turn(deck)) is not None and seat != count:
        turn = make_turn(deck, seat, seed(seat, salt))
        check_turn(deck, seat, turn)
        deck = add_turn(deck, seat, turn)
    return deck


def shuffled(at: Table, cards: Sequence[int], salt: int = 0) -> Deck:
    return take_turns(with_keys(at, cards, salt), salt)


def share(deck: Deck, seat: Seat, numbers: Iterable[int], salt: int = 0) -> Deck:
    shares = make_shares(deck, seat, seed(seat, salt), positions(numbers))
    check_shares(deck, seat, shares)
    return add_shares(deck, seat, shares)
