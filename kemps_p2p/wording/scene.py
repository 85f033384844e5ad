"""What sentences about a deal need to know: who sits where, what a call is named, and which card is which."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kemps_p2p.game.actions import CallItem, Counter, Double, DoubleCounter, Partner, call_kind
from kemps_p2p.game.cards import Card
from kemps_p2p.game.rules import CounterTarget, RuleSet
from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Position, Seat
from kemps_p2p.wording.cards import HIDDEN, card_text
from kemps_p2p.wording.people import People, counted, listed
from kemps_p2p.wording.plain import plain


@dataclass(frozen=True, slots=True)
class Scene:
    """The table during one deal. `faces` may hold more than was public at the time."""

    people: People
    rules: RuleSet
    faces: Mapping[Position, Card]
    is_ascii: bool = False

    def card(self, position: Position) -> str:
        """The card at a position."""
        return card_text(self.faces.get(position), is_ascii=self.is_ascii)

    def cards(self, positions: Iterable[Position]) -> str:
        """Several cards; those that nobody knows are counted."""
        known = [self.card(position) for position in positions]
        shown = [card for card in known if card != HIDDEN]
        hidden = len(known) - len(shown)
        if not hidden:
            return " ".join(shown)
        unknown = HIDDEN if hidden == 1 else counted(hidden, "hidden card")
        return listed([" ".join(shown), unknown]) if shown else unknown

    def call(self, seat: Seat, item: CallItem) -> str:
        """A call by its name in the rules, and whom it is about."""
        word = self.rules.words.of(call_kind(item))
        name = f"“{plain(word)}”" if word else call_kind(item).value
        if self.is_ascii:
            name = name.replace("“", '"').replace("”", '"')
        return f"{name} ({self._about(seat, item)})"

    def _about(self, seat: Seat, item: CallItem) -> str:
        people = self.people
        match item:
            case Partner():
                return f"{people.seat(partner_of(seat, people.seats))} has a quartet"
            case Double():
                partner = people.seat(partner_of(seat, people.seats))
                return f"{people.seat(seat)} and {partner} have a quartet each"
            case Counter(target=target) if self.rules.counter_target is CounterTarget.PLAYER:
                return f"{people.seat(target)} has a quartet"
            case Counter(target=target):
                return f"one of {people.team(target)} has a quartet"
            case DoubleCounter(team=team):
                return f"{people.team(team)} have a quartet each"

    def calls(self, seat: Seat, items: Iterable[CallItem]) -> str:
        """A whole declaration."""
        return listed([self.call(seat, item) for item in items])
