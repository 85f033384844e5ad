"""Bots around an omniscient table in virtual time: a match in a tenth of a second, for figures and tests.

No network, no keys, no deck: a claim becomes final some milliseconds after it was made, in the order in
which claims do, and a gesture is seen at once. Views are a seat's own. One seed makes one evening.
Invariants:

1. A bot that proposes what its fresh view forbids, wakes up in the past or never stops is an error here.
2. A bot gets views, events, gestures, whispers and the time, and nothing else.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.bots.level import Level
from kemps_p2p.errors import IllegalAction
from kemps_p2p.game.actions import Action, CallKind, Gesture, call_kind
from kemps_p2p.game.cards import Card
from kemps_p2p.game.events import DealEnd, DealEnded, Dealt, Event, Verdicts
from kemps_p2p.game.record import Phase, Result, State
from kemps_p2p.game.rules import RuleSet, deal_cards
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.seating import partner_of, seats
from kemps_p2p.game.state import Applied, advance, check, may_start_play, new_match
from kemps_p2p.game.table import Layout, Table, layout_of
from kemps_p2p.game.views import SeatView, seat_view
from kemps_p2p.ids import Seat

ANSWERS_IN_A_ROW_MAX = 12
"""So many actions of one bot at one instant are a hot loop."""
WORDS_IN_A_ROW_MAX = 4
STEPS_MAX = 60_000
GESTURE_MS = 1
"""From a gesture being made until it is seen."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One call and what it was found to be."""

    seat: Seat
    kind: CallKind
    verdict: Verdict


@dataclass(slots=True)
class DealRecord:
    """A deal: `actions` were settled while it ran, whatever their result, gestures aside."""

    started_ms: int
    actions: int = 0
    ended_ms: int = 0
    end: DealEnd | None = None
    calls: list[Judgement] = field(default_factory=list)


@dataclass(slots=True)
class Tally:
    """What an evening left behind."""

    deals: list[DealRecord] = field(default_factory=list)
    results: dict[Result, int] = field(default_factory=lambda: dict.fromkeys(Result, 0))
    log: list[tuple[int, Seat, Action]] = field(default_factory=list)
    """Every action as it was proposed, with its time."""

    def over(self) -> list[DealRecord]:
        """The deals that have ended."""
        return [deal for deal in self.deals if deal.end is not None]


class _PatientTable(Table):
    """A table at which play opens when the driver says so, in the first pool of a deal too."""

    may_open = False

    def _answer(self) -> Applied | None:
        if may_start_play(self.state) and not self.may_open:
            return None
        return super()._answer()

    def open_play(self) -> tuple[Event, ...]:
        self.may_open = True
        events = self.settle()
        self.may_open = False
        return events


class Evening:
    """One table for one match. `levels` gives each seat's; claims take `delay_ms`, drawn evenly."""

    def __init__(
        self,
        seed: int,
        rules: RuleSet,
        players: int,
        *,
        pace: Pace,
        levels: Sequence[Level] = (),
        delay_ms: tuple[int, int] = (2, 12),
        whispers: bool = True,
    ) -> None:
        self.rules = rules
        self.players = players
        self.luck = Random(seed)
        self.now_ms = 0
        self.delay_ms = delay_ms
        self.seats = seats(players)
        self.bots = {
            seat: Bot(
                seat, players, Random(seed * 100 + seat), pace, levels[seat] if levels else Level.NORMAL
            )
            for seat in self.seats
        }
        self.table = _PatientTable(new_match(rules, players, Seat(0)), self._lay, self._shuffled)
        self.tally = Tally()
        self.on_ask: Callable[[Seat, SeatView], None] | None = None
        self.on_action: Callable[[Seat, SeatView, Action], None] | None = None
        self.on_event: Callable[[Event], None] | None = None
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._views: dict[Seat, SeatView] = {}
        self._count = 0
        self._opening = False
        if whispers:
            self._huddle()

    def _shuffled(self, cards: tuple[Card, ...]) -> list[Card]:
        order = list(cards)
        self.luck.shuffle(order)
        return order

    def _lay(self, _state: State) -> Layout:
        order = self._shuffled(deal_cards(self.rules, self.players))
        return layout_of(order, self.players, self.rules.pool_size)

    def _huddle(self) -> None:
        for seat in self.seats:
            words, listener = self.bots[seat].greet(), partner_of(seat, self.players)
            for _ in range(WORDS_IN_A_ROW_MAX):
                if words is None:
                    break
                words = self.bots[listener].whispered(words)
                listener = partner_of(listener, self.players)
            assert words is None, "two bots never stop whispering"

    def view(self, seat: Seat) -> SeatView:
        """What a seat sees; time alone changes nothing in it."""
        view = self._views.get(seat)
        if view is None or view.state is not self.table.state:
            view = self._views[seat] = seat_view(self.table.state, seat, self.table.hand(seat))
        return view

    def run(self, until: Callable[["Evening"], bool], steps_max: int = STEPS_MAX) -> None:
        """Play until a condition holds; that it takes more steps than allowed is an error."""
        self._ask_all()
        for _ in range(steps_max):
            if until(self):
                return
            self._step()
        raise AssertionError(f"no end after {steps_max} steps, phase {self.table.state.phase}")

    def play_match(self) -> Tally:
        """Play to the end of the match."""
        self.run(lambda evening: evening.table.state.phase is Phase.MATCH_OVER)
        return self.tally

    def play_deals(self, count: int) -> Tally:
        """Play until so many deals are over."""
        self.run(lambda evening: len(evening.tally.over()) >= count)
        return self.tally

    def _after(self, delay_ms: int, what: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._agenda, (self.now_ms + delay_ms, self._count, what))

    def _step(self) -> None:
        wakes = [bot.wake_at_ms for bot in self.bots.values() if bot.wake_at_ms is not None]
        first_ms = self._agenda[0][0] if self._agenda else None
        times = [*wakes, *([] if first_ms is None else [first_ms])]
        assert times, f"everybody waits for ever, phase {self.table.state.phase}"
        now_ms = self.now_ms = max(self.now_ms, min(times))
        if first_ms is not None and first_ms <= now_ms:
            heapq.heappop(self._agenda)[2]()
            self._ask_all()
            return
        for seat in self.seats:
            wake_at_ms = self.bots[seat].wake_at_ms
            if wake_at_ms is not None and wake_at_ms <= now_ms:
                self._ask(seat)

    def _ask_all(self) -> None:
        if may_start_play(self.table.state) and not self._opening:
            self._opening = True
            self._after(self.rules.look_ms, self._open)
        order = list(self.seats)
        self.luck.shuffle(order)
        for seat in order:
            self._ask(seat)

    def _ask(self, seat: Seat) -> None:
        bot = self.bots[seat]
        for _ in range(ANSWERS_IN_A_ROW_MAX):
            view = self.view(seat)
            if self.on_ask is not None:
                self.on_ask(seat, view)
            action = bot.decide(view, self.now_ms)
            if action is None:
                wake_at_ms = bot.wake_at_ms
                assert wake_at_ms is None or wake_at_ms > self.now_ms, "wants to wake up in the past"
                return
            self._propose(seat, view, action)
        raise AssertionError(f"seat {seat} does not stop: {action}")

    def _propose(self, seat: Seat, view: SeatView, action: Action) -> None:
        try:
            check(advance(view.state, self.now_ms), seat, action, self.table.hand(seat))
        except IllegalAction as error:
            raise AssertionError(f"seat {seat} proposes {action}: {error}") from error
        if self.on_action is not None:
            self.on_action(seat, view, action)
        self.tally.log.append((self.now_ms, seat, action))
        if isinstance(action, Gesture):
            self._after(GESTURE_MS, lambda: self._show_gesture(seat, action))
        self._after(self.luck.randint(*self.delay_ms), lambda: self._settle(seat, action))

    def _show_gesture(self, seat: Seat, action: Gesture) -> None:
        for other in self.seats:
            self.bots[other].gestured(seat, action.name, self.now_ms)

    def _open(self) -> None:
        self._opening = False
        self._catch_up()
        self._tell(self.table.open_play())

    def _catch_up(self) -> None:
        """Tell the table what time it is, before something happens there."""
        self.table.wait(self.now_ms - self.table.state.now_ms)

    def _settle(self, seat: Seat, action: Action) -> None:
        if self.tally.deals and self.tally.deals[-1].end is None and not isinstance(action, Gesture):
            self.tally.deals[-1].actions += 1
        self._catch_up()
        outcome = self.table.act(seat, action)
        self.tally.results[outcome.result] += 1
        if outcome.result is Result.REFUSED:
            self.bots[seat].refused(action, self.now_ms)
        self._tell(outcome.events)

    def _tell(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self._record(event)
        for seat in self.seats:
            self.bots[seat].happened(events, self.now_ms)

    def _record(self, event: Event) -> None:
        if self.on_event is not None:
            self.on_event(event)
        deals = self.tally.deals
        match event:
            case Dealt():
                deals.append(DealRecord(started_ms=self.now_ms))
            case Verdicts():
                deals[-1].calls += [
                    Judgement(event.seat, call_kind(item), found)
                    for item, found in zip(event.calls, event.verdicts, strict=True)
                ]
            case DealEnded():
                deals[-1].end = event.end
                deals[-1].ended_ms = self.now_ms
            case _:
                # The rest is in the state of the table.
                pass
