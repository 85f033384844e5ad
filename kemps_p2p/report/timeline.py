"""One timeline of a log: each thing that happened, the state it led to, and what each seat could know then.

Made once from what an audit has folded; screens and pages ask it and derive nothing. Pure. Invariants:

1. A moment's state is the fold's own, as live play had it.
2. `perspective` is the `SeatView` that the seat's own program had at that state.
3. What is told to a seat names no card that it had not seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kemps_p2p.game.cards import Card
from kemps_p2p.game.record import State
from kemps_p2p.game.views import PublicView, SeatView, public_view, seat_view
from kemps_p2p.ids import Position, Seat
from kemps_p2p.report.knowledge import Deals, Eyes, SeatEyes, TableEyes, own_faces, shown_deals
from kemps_p2p.report.replay_text import Line, tell
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.match import Match, begin
from kemps_p2p.wording.audits import people_of
from kemps_p2p.wording.cards import clock_text, day_text
from kemps_p2p.wording.eyes import Whose, Wide, everybody
from kemps_p2p.wording.people import People
from kemps_p2p.wording.races import words_text


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that happened, and the match as it was then. `index`: its place on the timeline."""

    index: int
    line: Line
    match: Match
    wall_ms: int | None
    """Its time of day, by the clock of the seat on duty; None beside the entries."""

    @property
    def game(self) -> State:
        """The rules' state."""
        return self.match.game

    @property
    def clock(self) -> str:
        """Time since the match began."""
        return clock_text(self.line.at_ms)

    @property
    def day(self) -> str:
        """The time of day, which nobody can prove."""
        return "" if self.wall_ms is None else day_text(self.wall_ms)


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a numbered thing is on the timeline: a call, a race, a deal. Numbers count from 1."""

    number: int
    index: int
    text: str


class Timeline:
    """The moments of a log, in order; never empty."""

    def __init__(self, audit: Audit, *, is_ascii: bool = False) -> None:
        if audit.founding is None:
            raise ValueError("a log without a founding has no timeline")
        self.audit = audit
        self.people: People = people_of(audit)
        self.rules = audit.founding.rules
        self.is_ascii = is_ascii
        self._deals: Deals = shown_deals(audit)
        self._told: dict[Whose, tuple[Line, ...]] = {}
        walls = {step.record.entry.index: step.record.entry.wall_ms for step in audit.steps}
        match = begin(audit.founding)
        moments = []
        for index, line in enumerate(tell(audit, is_ascii=is_ascii, deals=self._deals)):
            match = line.match or match
            moments.append(Moment(index, line, match, walls.get(line.entry)))
        self.moments = tuple(moments)

    @property
    def seats(self) -> int:
        """How many play."""
        return self.people.seats

    @property
    def everybody(self) -> tuple[Whose, ...]:
        """All eyes that there are."""
        return everybody(self.people)

    # Where things are

    @cached_property
    def calls(self) -> tuple[Mark, ...]:
        """Where each call is made."""
        return self._marks("called", "call")

    @cached_property
    def races(self) -> tuple[Mark, ...]:
        """Where each race is told."""
        found = (*self._marks("race", "race"), *self._marks("together", "race"))
        return tuple(sorted(found, key=lambda mark: mark.number))

    @cached_property
    def deals(self) -> tuple[Mark, ...]:
        """Where each deal starts."""
        starts = (moment for moment in self.moments if moment.line.event == "dealt")
        return tuple(
            Mark(number, moment.index, moment.line.text) for number, moment in enumerate(starts, start=1)
        )

    def _marks(self, event: str, key: str) -> tuple[Mark, ...]:
        found = []
        for moment in self.moments:
            number = moment.line.facts.get(key)
            if moment.line.event == event and isinstance(number, int):
                found.append(Mark(number, moment.index, moment.line.text))
        return tuple(found)

    # What could be known

    def table(self, index: int) -> PublicView:
        """What everybody saw at a moment."""
        return public_view(self.moments[index].game)

    def perspective(self, seat: Seat, index: int) -> SeatView:
        """What a seat could see at a moment, as far as the log shows its own hand."""
        match = self.moments[index].match
        return seat_view(match.game, seat, own_faces(match, seat, self._deals))

    def faces(self, index: int, whose: Whose = Wide.ALL) -> Mapping[Position, Card]:
        """The faces on the table and in hands that are seen at a moment: of cards that lie somewhere."""
        match = self.moments[index].match
        if whose is Wide.ALL:
            return self._deals.get(match.game.deal, match.game.faces)
        view = self.table(index) if isinstance(whose, Wide) else self.perspective(whose, index)
        seen = {
            lying.position: lying.card
            for lying in (*view.pool, *(card for hand in view.hands for card in hand))
            if lying.card is not None
        }
        if isinstance(view, SeatView):
            seen.update((held.position, held.card) for held in view.hand)
        return seen

    def line(self, index: int, whose: Whose = Wide.ALL) -> Line:
        """A moment as it could be told to somebody then."""
        if whose is Wide.ALL:
            return self.moments[index].line
        if whose not in self._told:
            eyes: Eyes = TableEyes() if isinstance(whose, Wide) else SeatEyes(whose, self._deals)
            told = tell(self.audit, is_ascii=self.is_ascii, eyes=eyes, deals=self._deals)
            self._told[whose] = tuple(told)
        return self._told[whose][index]

    def words(self, index: int) -> tuple[str, ...]:
        """What each witness signed of the race that is told at a moment; empty if none is."""
        facts: Mapping[str, Any] = self.moments[index].line.facts
        claims = [(Seat(claim["seat"]), claim["kind"]) for claim in facts.get("claims", ())]
        return tuple(
            words_text(Seat(word["witness"]), [claims[place] for place in word["saw"]], self.people)
            for word in facts.get("orders", ())
        )

    def text(self, index: int, whose: Whose = Wide.ALL) -> str:
        """The same in words."""
        return self.line(index, whose).text
