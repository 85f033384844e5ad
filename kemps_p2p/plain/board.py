"""The table as a line of text can point at it: cards by number or name, players by name or seat.

Pure; knows no streams. Invariants:

1. A number means the card at that place of its row; a card is found by its name wherever it lies.
2. Only what the seat sees can be named.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kemps_p2p.errors import KempsError
from kemps_p2p.game.cards import Card, CardError, parse_card
from kemps_p2p.game.seating import partner_of, seats
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position, Seat
from kemps_p2p.wording.people import People, listed
from kemps_p2p.wording.plain import plain

_SUITS = str.maketrans("♣♦♥♠", "CDHS")


class NotUnderstood(KempsError):
    """A line that cannot be made sense of; the text says why, for whoever typed it."""


@dataclass(frozen=True, slots=True)
class Board:
    """What lies where, by place from 0, and who sits where."""

    view: SeatView
    pool: tuple[Position | None, ...]
    hand: tuple[Position | None, ...]
    people: People

    def in_pool(self, word: str) -> Position:
        """A card of the middle, by number or name. Raises `NotUnderstood`."""
        faces = {lying.position: lying.card for lying in self.view.pool}
        return _found(word, self.pool, faces, "in the middle")

    def in_hand(self, word: str) -> Position:
        """A card of the own hand, by number or name. Raises `NotUnderstood`."""
        faces: dict[Position, Card | None] = {held.position: held.card for held in self.view.hand}
        return _found(word, self.hand, faces, "in your hand")

    def seat(self, text: str) -> Seat:
        """A player, by name, by the beginning of a name that fits only one, or as `seat N`.

        Raises `NotUnderstood`.
        """
        wanted = text.strip().casefold()
        if wanted.startswith("seat"):
            number = wanted.removeprefix("seat").strip()
            if number.isdecimal() and int(number) < self.view.players:
                return Seat(int(number))
        if wanted == "partner":
            return partner_of(self.view.seat, self.view.players)
        if wanted in ("me", "myself"):
            return self.view.seat
        names = {seat: self.people.seat(seat).casefold() for seat in seats(self.view.players)}
        exact = [seat for seat, name in names.items() if name == wanted]
        fitting = exact or [seat for seat, name in names.items() if wanted and name.startswith(wanted)]
        if len(fitting) == 1:
            return fitting[0]
        known = listed([self.people.seat(seat) for seat in seats(self.view.players)])
        if fitting:
            raise NotUnderstood(f"{plain(text)} could be several players; there are {known}")
        raise NotUnderstood(f"nobody here is called {plain(text)}; there are {known}")


def _found(
    word: str,
    row: tuple[Position | None, ...],
    faces: dict[Position, Card | None],
    where: str,
) -> Position:
    if word.isdecimal():
        place = int(word) - 1
        position = row[place] if 0 <= place < len(row) else None
        if position is None:
            raise NotUnderstood(f"there is no card {plain(word)} {where}")
        return position
    try:
        card = parse_card(_notation(word))
    except CardError:
        raise NotUnderstood(
            f"{plain(word)} is no card; say its number, or its name such as 9S or 10H"
        ) from None
    for position in _lying(row):
        if faces.get(position) == card:
            return position
    raise NotUnderstood(f"there is no {plain(word)} {where}")


def _lying(row: tuple[Position | None, ...]) -> Iterator[Position]:
    return (position for position in row if position is not None)


def _notation(word: str) -> str:
    return word.upper().translate(_SUITS).replace("10", "T")
