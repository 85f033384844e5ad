"""What a bot would do now, the most urgent first: the conduct of one seat through a deal.

It remembers the deal under way, asks `watching` for calls, `collecting` for cards, `mood` for what is
tempting, and `patience` for the time. Whether an action is legal or already under way is not decided here.
Invariants:

1. Asking again with nothing changed gives the same wishes and draws nothing.
2. Between two sweeps a bounded number of exchanges is wished for, so deals end.
3. The agreed signal is made only with a quartet in hand; calls are answered truthfully.
4. The one public signal that some rules have is false only where the partner, who knows the cards taken in
   public, can tell.
"""

from collections.abc import Iterator
from random import Random
from typing import assert_never

import msgspec

from kemps_p2p.bots.collecting import (
    Mind,
    Trade,
    can_become_quartet,
    feed,
    grab,
    idle_trade,
    pick,
    steal,
    target,
    useless,
)
from kemps_p2p.bots.level import Skill
from kemps_p2p.bots.memory import Memory
from kemps_p2p.bots.mood import DealMood, PoolMood, is_restless
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
    Mulligan,
    Next,
    Pass,
    Resume,
    Signal,
    Swap,
    Take,
)
from kemps_p2p.game.cards import QUARTET_CARDS, RANKS, rank
from kemps_p2p.game.events import Verdicts
from kemps_p2p.game.legal import against
from kemps_p2p.game.record import Phase, State
from kemps_p2p.game.rules import Exchange, RuleSet, Signals, Start, Sweep
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
        skill: Skill,
        pact: Pact,
        memory: Memory,
        watch: Watch,
        patience: Patience,
    ) -> None:
        self._seat = seat
        self._players = players
        self._rng = rng
        self._manners = manners
        self._skill = skill
        self._pact = pact
        self._memory = memory
        self._watch = watch
        self._patience = patience
        self._sight: _Sight | None = None
        self._rules: RuleSet | None = None
        self._pool_number = 0
        self._idle_from_ms: int | None = None
        self.begin_deal()
        self.begin_pool()

    def begin_deal(self) -> None:
        """New cards, new tastes."""
        self._tastes = tuple(self._rng.sample(range(len(RANKS)), len(RANKS)))
        self._mood = DealMood.draw(self._rng, self._skill)
        self._memory.begin_deal()
        self._signals_made = 0
        self._exchanges = 0
        # The first pool of the deal counts up to none.
        self._idle_pools = -1

    def begin_pool(self) -> None:
        """New cards lie in the middle."""
        self._pool_number += 1
        self._idle_pools = 0 if self._exchanges else self._idle_pools + 1
        self._pool_mood: PoolMood | None = None
        self._decoys: tuple[str, ...] = ()
        self._may_confuse = True
        self._exchanges = 0
        self._wanted: Position | None = None

    def moved(self, now_ms: int) -> None:
        """Play opened, or a card changed its place: the table is not idle."""
        self._idle_from_ms = now_ms

    def exchanged(self) -> None:
        """The own exchange is final."""
        self._exchanges += 1
        self._may_confuse = False

    def judged(self, event: Verdicts) -> None:
        """A declaration has been judged, and teaches what gestures were worth."""
        if self._rules is not None:
            self._watch.judged(self._rules, event)

    def wishes(self, view: SeatView, now_ms: int) -> Iterator[Action]:
        """What to do now, in order of urgency; times that have not come are left with `patience`."""
        self._rules = view.rules
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
        if sight is None or sight.state is not view.state or sight.hand != view.hand:
            gaps = self._memory.gaps(view)
            mind = Mind(
                seat=self._seat,
                players=self._players,
                # Card by card, where they are put down first.
                limit=view.rules.exchange_limit if view.rules.exchange is Exchange.SWAP else 1,
                tastes=self._tastes,
                denies=self._mood.denies and not is_restless(self._idle_pools),
            )
            # Whoever has put a card down looks closely at what to pick up.
            overlooked = gaps.overlooked if len(view.hand) == QUARTET_CARDS else ()
            reading = read(view, overlooked, gaps.forgotten)
            sight = self._sight = _Sight(view.state, view.hand, reading, mind)
        return sight

    def _before_play(self, view: SeatView, now_ms: int) -> Iterator[Action]:
        if view.rules.mulligan and not view.state.started:
            yield from self._change_hand(view, now_ms)
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

    def _change_hand(self, view: SeatView, now_ms: int) -> Iterator[Action]:
        """Change a hand with too many alike, if it is dead or by custom; a quartet is kept."""
        sight = self._look(view)
        most = max(sight.reading.own)
        if len(view.hand) < QUARTET_CARDS or not view.rules.mulligan <= most < QUARTET_CARDS:
            return
        if self._mood.changes_hand or not can_become_quartet(sight.mind, sight.reading):
            key = view.state.hands[self._seat]
            if self._is_due(Errand.MULLIGAN, key, self._manners.react, now_ms):
                yield Mulligan()

    def _see_pool(self, now_ms: int) -> bool:
        """Take in a new pool, which takes a moment; what it tempts to is drawn once."""
        if self._pool_mood is None:
            self._pool_mood = PoolMood.draw(self._rng, self._skill, self._pact.signal, self._idle_pools)
            self._decoys = self._pool_mood.decoys
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
        for declaration in self._watch.declarations(view, sight.reading, now_ms):
            if against(view.state, self._seat, declaration.call, {}) is None:
                is_calling = True
                if self._patience.is_past(declaration.due_ms, now_ms):
                    yield declaration.call
        if len(view.hand) < len(view.state.hands[self._seat]):
            # The faces of the own cards are still on their way.
            return
        yield from self._faces_to_make(view, sight, now_ms)
        has_looked = self._see_pool(now_ms)
        if view.turn is not None and view.turn != self._seat:
            if view.rules.sweep is Sweep.IDLE:
                # Nobody passes here: it is for the dealer to see that the seat at its turn wants nothing.
                yield from self._decline(view, sight, now_ms)
            return
        if view.turn is not None and is_calling:
            # An exchange or a pass would end the turn, and with it the chance to call.
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
        elif view.rules.signals is Signals.ONCE:
            if self._mood.bluffs and self._seat not in view.signalled and _is_open_book(view):
                yield Signal()
        elif self._decoys and self._decoys[0] != self._pact.signal:
            key = self._pool_number, len(self._decoys)
            span = manners.decoy if len(self._decoys) > 1 else manners.next_signal
            if self._is_due(Errand.DECOY, key, span, now_ms):
                yield Gesture(name=self._decoys[0])

    def _trade(self, view: SeatView, sight: _Sight) -> Trade | None:
        if self._exchanges >= EXCHANGES_MAX:
            return None
        mind, reading, mood = sight.mind, sight.reading, self._pool_mood
        trade = grab(mind, reading)
        if trade is None and mood is not None and mood.feeds:
            trade = feed(mind, reading)
        if trade is None and mood is not None and self._may_confuse:
            if mood.steals:
                trade = steal(mind, reading)
            if trade is None and mood.idle_roll is not None:
                trade = idle_trade(mind, reading, mood.idle_roll)
        return trade

    def _decline(self, view: SeatView, sight: _Sight, now_ms: int) -> Iterator[Action]:
        """Pass or, where the dealer clears an idle table, wait and halt."""
        manners = self._manners
        is_quartet = sight.reading.is_quartet
        match view.rules.sweep:
            case Sweep.PASS:
                has_passed = self._seat in view.passes
                if (has_passed and view.turn is None) or any(lying.card is None for lying in view.pool):
                    return
                span = manners.linger if is_quartet else manners.decline
                key = self._pool_number, frozenset(view.state.pool), has_passed
                if self._is_due(Errand.PASS, key, span, now_ms):
                    yield self._only_exchange(view, sight) if has_passed else Pass(pool=view.state.pool)
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

    def _only_exchange(self, view: SeatView, sight: _Sight) -> Action:
        """What is left at the own turn while the own pass stands, since a call took another's turn."""
        spare = useless(sight.mind, sight.reading, target(sight.mind, sight.reading))
        give = spare[0] if spare else view.hand[0].position
        self._wanted = view.pool[0].position
        return _first_half(view, Trade((self._wanted,), (give,)))


def _is_open_book(view: SeatView) -> bool:
    """True if cards that the hand took in public show that it is no quartet."""
    faces = view.state.faces
    public = {rank(faces[held.position]) for held in view.hand if held.position in faces}
    return len(public) > 1


def _first_half(view: SeatView, trade: Trade) -> Action:
    """The whole exchange or, where cards are put down first, its beginning."""
    match view.rules.exchange:
        case Exchange.SWAP:
            return Swap(take=trade.take, give=trade.give)
        case Exchange.DISCARD_FIRST:
            return Discard(give=trade.give)
        case _:
            assert_never(view.rules.exchange)
