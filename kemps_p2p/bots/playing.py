"""What a bot would do now, the most urgent first: the conduct of one seat through a deal.

It remembers the deal under way, asks `watching` for calls and `collecting` for cards, and `patience` for
the time. Whether an action is legal or already under way is not decided here. Invariants:

1. Asking again with nothing changed gives the same wishes and draws nothing.
2. Between two sweeps a bounded number of exchanges is wished for, so deals end.
3. The agreed signal is made only with a quartet in hand; calls are answered truthfully.
"""

from collections.abc import Iterator
from random import Random
from typing import assert_never

import msgspec

from kemps_p2p.bots.collecting import Mind, Trade, feed, grab, idle_trade, pick
from kemps_p2p.bots.pace import Manners, Span
from kemps_p2p.bots.pact import Pact
from kemps_p2p.bots.patience import Errand, Patience
from kemps_p2p.bots.reading import Reading, read
from kemps_p2p.bots.watching import Watch
from kemps_p2p.game.actions import (
    Action,
    Call,
    Discard,
    Gesture,
    Go,
    Halt,
    Next,
    Pass,
    Resume,
    Signal,
    Swap,
    Take,
)
from kemps_p2p.game.cards import QUARTET_CARDS, RANKS
from kemps_p2p.game.gestures import GESTURES
from kemps_p2p.game.legal import against
from kemps_p2p.game.record import Phase, State
from kemps_p2p.game.rules import Exchange, Signals, Start, Sweep
from kemps_p2p.game.table import truthful_answer
from kemps_p2p.game.views import Held, SeatView
from kemps_p2p.ids import Position, Seat

EXCHANGES_MAX = 8
"""So many exchanges between two sweeps; whoever wants more would hand cards back and forth."""
HALT_MARGIN_MS = 200
"""A halt comes a little late, since the table counts from when it settled the last exchange."""


class _Sight(msgspec.Struct, frozen=True):
    """The table as the bot reads it, kept for as long as it stays as it is."""

    state: State
    hand: tuple[Held, ...]
    reading: Reading
    mind: Mind


class Play:
    """One seat's conduct."""

    def __init__(
        self,
        seat: Seat,
        players: int,
        rng: Random,
        *,
        manners: Manners,
        pact: Pact,
        watch: Watch,
        patience: Patience,
    ) -> None:
        self._seat = seat
        self._players = players
        self._rng = rng
        self._manners = manners
        self._pact = pact
        self._watch = watch
        self._patience = patience
        self._sight: _Sight | None = None
        self._pool_number = 0
        self._idle_from_ms: int | None = None
        self.begin_deal()
        self.begin_pool()

    def begin_deal(self) -> None:
        """New cards, new tastes."""
        self._tastes = tuple(self._rng.sample(range(len(RANKS)), len(RANKS)))
        self._signals_made = 0

    def begin_pool(self) -> None:
        """New cards lie in the middle."""
        self._pool_number += 1
        self._has_seen_pool = False
        self._exchanges = 0
        self._wanted: Position | None = None
        self._noticed: dict[Position, bool] = {}
        self._decoys: tuple[str, ...] = ()
        self._idle_roll: float | None = None

    def moved(self, now_ms: int) -> None:
        """Play opened, or a card changed its place: the table is not idle."""
        self._idle_from_ms = now_ms

    def exchanged(self) -> None:
        """The own exchange is final."""
        self._exchanges += 1
        self._idle_roll = None

    def wishes(self, view: SeatView, now_ms: int) -> Iterator[Action]:
        """What to do now, in order of urgency; times that have not come are left with `patience`."""
        match view.phase:
            case Phase.SEATED | Phase.DEAL_OVER:
                key = view.matches, view.deal
                if view.next_dealer == self._seat and self._is_due(
                    Errand.NEXT, key, self._manners.deal, now_ms
                ):
                    yield Next()
            case Phase.DEALT:
                yield from self._before_play(view, now_ms)
            case Phase.OPEN if view.call is not None:
                if self._seat in view.call.owes_answer:
                    yield from self._answer(view, now_ms)
            case Phase.OPEN:
                yield from self._in_play(view, now_ms)
            case Phase.HALTED:
                if view.dealer == self._seat and self._is_due(
                    Errand.TABLE_DUTY, (self._pool_number, view.phase), self._manners.table_duty, now_ms
                ):
                    yield Resume()
            case Phase.PROVING | Phase.MATCH_OVER:
                # A new match is for people to want.
                return
            case _:
                assert_never(view.phase)

    def made(self, view: SeatView, action: Action) -> None:
        """A wish has become the seat's action."""
        if isinstance(action, Gesture):
            if self._decoys and action.name == self._decoys[0]:
                self._decoys = self._decoys[1:]
            else:
                self._signals_made += 1
        elif isinstance(action, Call):
            self._watch.calling(view, action)

    def _is_due(self, errand: Errand, key: object, span: Span, now_ms: int) -> bool:
        return self._patience.is_due(errand, key, span, now_ms)

    def _look(self, view: SeatView) -> _Sight:
        sight = self._sight
        for lying in view.pool:
            if lying.card is not None and lying.position not in self._noticed:
                self._noticed[lying.position] = self._rng.random() >= self._manners.overlooks_card
        if sight is None or sight.state is not view.state or sight.hand != view.hand:
            overlooked = frozenset(card for card, is_seen in self._noticed.items() if not is_seen)
            mind = Mind(
                seat=self._seat,
                players=self._players,
                # Card by card, where they are put down first.
                limit=view.rules.exchange_limit if view.rules.exchange is Exchange.SWAP else 1,
                tastes=self._tastes,
            )
            sight = self._sight = _Sight(view.state, view.hand, read(view, overlooked), mind)
        return sight

    def _before_play(self, view: SeatView, now_ms: int) -> Iterator[Action]:
        if any(lying.card is None for lying in view.pool):
            return
        self._see_pool(now_ms)
        rules = view.rules
        if rules.start is not Start.GO or view.dealer != self._seat:
            return
        duty = self._manners.table_duty
        span = Span(rules.look_ms + duty.low_ms, rules.look_ms + duty.high_ms)
        if self._is_due(Errand.TABLE_DUTY, (self._pool_number, view.phase), span, now_ms):
            yield Go()

    def _see_pool(self, now_ms: int) -> bool:
        """Take in a new pool, which takes a moment; what it tempts to is drawn once."""
        if not self._has_seen_pool:
            self._has_seen_pool = True
            rng, manners = self._rng, self._manners
            if rng.random() < manners.makes_decoy:
                name = rng.choice([each.name for each in GESTURES if each.name != self._pact.signal])
                times = 2 if rng.random() < manners.repeats_decoy else 1
                self._decoys = (name,) * times
            if rng.random() < manners.swaps_idly:
                self._idle_roll = rng.random()
        return self._is_due(Errand.LOOK, self._pool_number, self._manners.look, now_ms)

    def _answer(self, view: SeatView, now_ms: int) -> Iterator[Action]:
        faces = {held.position: held.card for held in view.hand}
        hand = view.state.hands[self._seat]
        key = view.matches, view.deal, len(view.state.judged)
        if len(faces) == len(hand) and self._is_due(Errand.ANSWER, key, self._manners.answer, now_ms):
            yield truthful_answer(view.rules, hand, faces)

    def _in_play(self, view: SeatView, now_ms: int) -> Iterator[Action]:
        sight = self._look(view)
        self._watch.look(sight.reading, now_ms)
        is_calling = False
        for plan in self._watch.plans(view, sight.reading):
            call = self._watch.call_on(view, plan.seat)
            if against(view.state, self._seat, call, {}) is None:
                is_calling = True
                if self._patience.is_past(plan.due_ms, now_ms):
                    yield call
        if len(view.hand) < len(view.state.hands[self._seat]):
            # The faces of the own cards are still on their way.
            return
        yield from self._faces_to_make(view, sight, now_ms)
        has_looked = self._see_pool(now_ms)
        if view.turn is not None and view.turn != self._seat:
            if view.rules.sweep is Sweep.IDLE:
                # Nobody passes here; it is for the dealer to see that the seat whose turn it is wants nothing.
                yield from self._decline(view, sight, now_ms)
            return
        if len(view.hand) < QUARTET_CARDS:
            trade = pick(sight.mind, sight.reading, self._wanted)
            key = self._pool_number, trade
            if trade is not None and self._is_due(Errand.EXCHANGE, key, self._manners.react, now_ms):
                yield Take(take=trade.take)
            return
        if not has_looked:
            return
        trade = self._trade(view, sight)
        if trade is not None:
            self._wanted = trade.take[0]
            key = self._pool_number, trade
            if self._is_due(Errand.EXCHANGE, key, self._manners.react, now_ms):
                yield _first_half(view, trade)
        elif not is_calling:
            yield from self._decline(view, sight, now_ms)

    def _faces_to_make(self, view: SeatView, sight: _Sight, now_ms: int) -> Iterator[Action]:
        """The signal of a quartet; without one, perhaps a gesture that means nothing."""
        manners = self._manners
        if sight.reading.is_quartet:
            if view.rules.signals is Signals.ONCE:
                if self._seat not in view.signalled:
                    yield Signal()
                return
            span = manners.next_signal if self._signals_made else manners.first_signal
            if self._is_due(Errand.SIGNAL, (view.matches, view.deal, self._signals_made), span, now_ms):
                yield Gesture(name=self._pact.signal)
        elif self._decoys and self._decoys[0] != self._pact.signal:
            key = self._pool_number, len(self._decoys)
            span = manners.decoy if len(self._decoys) > 1 else manners.next_signal
            if self._is_due(Errand.DECOY, key, span, now_ms):
                yield Gesture(name=self._decoys[0])

    def _trade(self, view: SeatView, sight: _Sight) -> Trade | None:
        if self._exchanges >= EXCHANGES_MAX:
            return None
        mind, reading = sight.mind, sight.reading
        trade = grab(mind, reading) or feed(mind, reading)
        if trade is None and self._idle_roll is not None:
            trade = idle_trade(mind, reading, self._idle_roll)
        return trade

    def _decline(self, view: SeatView, sight: _Sight, now_ms: int) -> Iterator[Action]:
        """Pass or, where the dealer clears an idle table, wait and halt."""
        manners = self._manners
        is_quartet = sight.reading.is_quartet
        match view.rules.sweep:
            case Sweep.PASS:
                if self._seat in view.passes or any(lying.card is None for lying in view.pool):
                    return
                span = manners.linger if is_quartet else manners.decline
                key = self._pool_number, frozenset(view.state.pool)
                if self._is_due(Errand.PASS, key, span, now_ms):
                    yield Pass(pool=view.state.pool)
            case Sweep.IDLE:
                if view.dealer != self._seat:
                    return
                if self._idle_from_ms is None:
                    # Seated in the middle of a deal: what moved before was not seen.
                    self._idle_from_ms = now_ms
                idle_until_ms = self._idle_from_ms + int(view.rules.idle_seconds * 1000) + HALT_MARGIN_MS
                if not self._patience.is_past(idle_until_ms, now_ms):
                    return
                span = manners.linger if is_quartet else manners.table_duty
                if self._is_due(Errand.HALT, self._idle_from_ms, span, now_ms):
                    yield Halt()
            case _:
                assert_never(view.rules.sweep)


def _first_half(view: SeatView, trade: Trade) -> Action:
    """The whole exchange or, where cards are put down first, its beginning."""
    match view.rules.exchange:
        case Exchange.SWAP:
            return Swap(take=trade.take, give=trade.give)
        case Exchange.DISCARD_FIRST:
            return Discard(give=trade.give)
        case _:
            assert_never(view.rules.exchange)
