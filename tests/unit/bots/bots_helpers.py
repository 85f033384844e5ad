"""A table of bots in virtual time: claims take a while to become final, views are a seat's own."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.errors import IllegalAction
from kemps_p2p.game.actions import Action, Gesture, Next, Swap
from kemps_p2p.game.cards import Card, format_cards, parse_cards
from kemps_p2p.game.events import DealEnd, DealEnded, Dealt, Event, Verdicts
from kemps_p2p.game.record import Phase, Result, State
from kemps_p2p.game.rules import deal_cards, load_rules
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.state import Applied, check, may_start_play, new_match
from kemps_p2p.game.table import Layout, Outcome, Table, layout_of
from kemps_p2p.game.views import SeatView, seat_view
from kemps_p2p.ids import Position, Seat

ANSWERS_IN_A_ROW_MAX = 12
"""So many actions of one bot at one instant are a hot loop."""


@dataclass
class DealRecord:
    actions: int = 0
    """Settled while the deal ran, whatever their result; gestures aside."""
    started_ms: int = 0
    ended_ms: int = 0
    end: DealEnd | None = None
    verdicts: list[tuple[Seat, Verdict]] = field(default_factory=list)


@dataclass
class Tally:
    deals: list[DealRecord] = field(default_factory=list)
    results: dict[Result, int] = field(default_factory=lambda: dict.fromkeys(Result, 0))
    log: list[tuple[int, Seat, Action]] = field(default_factory=list)
    """Every action as it was proposed, with its time."""

    def over(self) -> list[DealRecord]:
        return [deal for deal in self.deals if deal.end is not None]


class PatientTable(Table):
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
    """Bots around an omniscient table. One seed makes one evening."""

    def __init__(
        self,
        seed: int,
        players: int = 4,
        *,
        pace: Pace = Pace.FAST,
        preset: str = "kemps",
        delay_ms: tuple[int, int] = (2, 12),
        whispers: bool = True,
    ) -> None:
        self.rules = load_rules(preset)
        self.players = players
        self.luck = Random(seed)
        self.now_ms = 0
        self.delay_ms = delay_ms
        self.seats = tuple(Seat(index) for index in range(players))
        self.bots = {seat: Bot(seat, players, Random(seed * 100 + seat), pace) for seat in self.seats}
        self.table = PatientTable(new_match(self.rules, players, Seat(0)), self._lay, self._shuffled)
        self.tally = Tally()
        self.on_ask: Callable[[Seat, SeatView], None] | None = None
        self.on_action: Callable[[Seat, SeatView, Action], None] | None = None
        self.on_event: Callable[[Event], None] | None = None
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._opening = False
        if whispers:
            self._huddle()

    def _shuffled(self, cards: tuple[Card, ...]) -> list[Card]:
        order = list(cards)
        self.luck.shuffle(order)
        return order

    def _lay(self, state: State) -> Layout:
        order = self._shuffled(deal_cards(self.rules, self.players))
        return layout_of(order, self.players, self.rules.pool_size)

    def _huddle(self) -> None:
        half = self.players // 2
        for seat in self.seats:
            words, listener = self.bots[seat].greet(), (seat + half) % self.players
            for _ in range(4):
                if words is None:
                    break
                words = self.bots[Seat(listener)].whispered(words)
                listener = (listener + half) % self.players
            assert words is None, "two bots never stop whispering"

    def view(self, seat: Seat) -> SeatView:
        return seat_view(self.table.state, seat, self.table.hand(seat))

    def after(self, delay_ms: int, what: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._agenda, (self.now_ms + delay_ms, self._count, what))

    def run(self, until: Callable[["Evening"], bool], steps_max: int = 100_000) -> None:
        """Play until a condition holds; that it takes more steps than allowed is a failure."""
        self._ask_all()
        for _ in range(steps_max):
            if until(self):
                return
            self._step()
        raise AssertionError(f"no end after {steps_max} steps, phase {self.table.state.phase}")

    def play_match(self) -> Tally:
        self.run(lambda evening: evening.table.state.phase is Phase.MATCH_OVER)
        return self.tally

    def play_deals(self, count: int) -> Tally:
        self.run(lambda evening: len(evening.tally.over()) >= count)
        return self.tally

    def _step(self) -> None:
        wakes = [bot.wake_at_ms for bot in self.bots.values() if bot.wake_at_ms is not None]
        first_ms = self._agenda[0][0] if self._agenda else None
        times = [*wakes, *([] if first_ms is None else [first_ms])]
        assert times, f"everybody waits for ever, phase {self.table.state.phase}"
        now_ms = max(self.now_ms, min(times))
        self.table.wait(now_ms - self.now_ms)
        self.now_ms = now_ms
        if first_ms is not None and first_ms <= now_ms:
            heapq.heappop(self._agenda)[2]()
            self._ask_all()
        else:
            for seat in self.seats:
                wake_at_ms = self.bots[seat].wake_at_ms
                if wake_at_ms is not None and wake_at_ms <= now_ms:
                    self._ask(seat)

    def _ask_all(self) -> None:
        if may_start_play(self.table.state) and not self._opening:
            self._opening = True
            self.after(self.rules.look_ms, self._open)
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
            check(view.state, seat, action, self.table.hand(seat))
        except IllegalAction as error:
            raise AssertionError(f"seat {seat} proposes {action}: {error}") from error
        if self.on_action is not None:
            self.on_action(seat, view, action)
        self.tally.log.append((self.now_ms, seat, action))
        if isinstance(action, Gesture):
            self.after(1, lambda: self._show_gesture(seat, action))
        self.after(self.luck.randint(*self.delay_ms), lambda: self._settle(seat, action))

    def _show_gesture(self, seat: Seat, action: Gesture) -> None:
        for other in self.seats:
            self.bots[other].gestured(seat, action.name, self.now_ms)

    def _open(self) -> None:
        self._opening = False
        self._tell(self.table.open_play())

    def _settle(self, seat: Seat, action: Action) -> None:
        if self.tally.deals and self.tally.deals[-1].end is None and not isinstance(action, Gesture):
            self.tally.deals[-1].actions += 1
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
                deals[-1].verdicts += [(event.seat, found) for found in event.verdicts]
            case DealEnded():
                deals[-1].end = event.end
                deals[-1].ended_ms = self.now_ms
            case _:
                pass


class Eager(Random):
    """A luck with which every chance comes true, and every delay is the shortest."""

    def random(self) -> float:
        return 0.0

    def randint(self, a: int, b: int) -> int:
        return a


class Numb(Random):
    """A luck with which no chance comes true, and every delay is the longest."""

    def random(self) -> float:
        return 0.999999

    def randint(self, a: int, b: int) -> int:
        return b


def laid(hands: str, pool: str, *, preset: str = "kemps") -> Table:
    """A table in play: hands with semicolons between them, the rest of the pack is the stock."""
    rules = load_rules(preset)
    held = tuple(parse_cards(hand) for hand in hands.split(";"))
    middle = parse_cards(pool)
    used = {card for cards in (*held, middle) for card in cards}
    stock = tuple(card for card in deal_cards(rules, len(held)) if card not in used)
    layout = Layout(hands=held, pool=middle, stock=stock)
    table = Table.seated(rules, len(held), Seat(0), lambda state: layout)
    assert table.act(Seat(0), Next()).result is Result.OK
    return table


def view_of(table: Table, seat: int) -> SeatView:
    return seat_view(table.state, Seat(seat), table.hand(Seat(seat)))


def names(table: Table, cards: tuple[Position, ...]) -> str:
    return format_cards(sorted(table.faces[card] for card in cards))


def swap(table: Table, seat: int, take: str, give: str) -> Outcome:
    """A swap by the names of its cards."""
    where = table.positions()
    action = Swap(
        take=tuple(where[card] for card in parse_cards(take)),
        give=tuple(where[card] for card in parse_cards(give)),
    )
    outcome = table.act(Seat(seat), action)
    assert outcome.result is Result.OK
    return outcome
