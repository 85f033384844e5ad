"""Whose eyes a match is told with: everything that a log shows, the whole table's, or one seat's.

A log with open seeds shows every hand, but no seat saw them so. Works from states that the fold has made, and
derives nothing else. Invariants:

1. A seat is told a face of its own hand only once the shares of all others for it are in the log, as in play.
2. What a seat or the table is told is never more than `views` shows them, or has shown them in that deal.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from kemps_p2p.deck.deal import is_shuffled, missing
from kemps_p2p.game.cards import Card
from kemps_p2p.ids import Position, Seat
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.match import Match, deck_of
from kemps_p2p.session.opening import opened_deals

Faces = Mapping[Position, Card]
Deals = Mapping[int, Faces]
"""By deal: the faces that a log shows."""


def shown_deals(audit: Audit) -> Deals:
    """By deal: every face that the log shows, at whatever time."""
    faces: dict[int, Faces] = {step.match.game.deal: step.match.game.faces for step in audit.steps}
    if audit.match is not None:
        faces.update(opened_deals(audit.match))
    return faces


def own_faces(match: Match, seat: Seat, deals: Deals) -> dict[Position, Card]:
    """The faces of its hand that a seat can see at this state, as far as the log shows them at all."""
    hand = match.game.hands[seat] if match.game.hands else ()
    opened = deals.get(match.game.deal, {})
    seen = {}
    for position in hand:
        card = match.game.faces.get(position, opened.get(position))
        if card is not None and can_see(match, seat, position):
            seen[position] = card
    return seen


def can_see(match: Match, seat: Seat, position: Position) -> bool:
    """True if a card is open, or nobody's share of it is missing but that of the seat that holds it."""
    if position in match.game.faces:
        return True
    deck = deck_of(match, position)
    return deck is not None and is_shuffled(deck) and missing(deck, position) <= {seat}


class Eyes(ABC):
    """Which faces are known, asked state by state in the order of the match."""

    @abstractmethod
    def faces(self, match: Match) -> Faces:
        """The faces of the running deal that are known at this state."""

    @abstractmethod
    def is_told_intents_of(self, seat: Seat) -> bool:
        """True if it is known whether a gesture of this seat was meant."""


class AllEyes(Eyes):
    """Everything that the log shows, at whatever time of the deal."""

    def __init__(self, deals: Deals) -> None:
        self._deals = deals

    def faces(self, match: Match) -> Faces:
        """Those of the whole deal."""
        return self._deals.get(match.game.deal, match.game.faces)

    def is_told_intents_of(self, seat: Seat) -> bool:
        """Of every seat whose seed is open."""
        del seat
        return True


class TableEyes(Eyes):
    """What everybody has seen."""

    def faces(self, match: Match) -> Faces:
        """The public ones."""
        return match.game.faces

    def is_told_intents_of(self, seat: Seat) -> bool:
        """Of nobody."""
        del seat
        return False


class SeatEyes(Eyes):
    """What one seat has seen: what everybody has, and each card that it has held."""

    def __init__(self, seat: Seat, deals: Deals) -> None:
        self._seat = seat
        self._deals = deals
        self._deal = -1
        self._held: dict[Position, Card] = {}

    def is_told_intents_of(self, seat: Seat) -> bool:
        """Of itself."""
        return seat == self._seat

    def faces(self, match: Match) -> Faces:
        """The public ones and its own, those that it has given away again included."""
        if match.game.deal != self._deal:
            self._deal, self._held = match.game.deal, {}
        self._held.update(own_faces(match, self._seat, self._deals))
        return {**match.game.faces, **self._held}
