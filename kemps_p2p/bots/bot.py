"""The honest bot: views, gestures, whispers and events in; at most one action at a time out.

It sees what its seat sees and draws from the `rng` it was given; it knows no clock, no peer and no
other bot. Its parts: `reading` counts, `collecting` picks cards, `watching` suspects, `pact` agrees on a
signal, `memory` has gaps, `patience` waits, `playing` puts them in order. Invariants:

1. An action is legal on the view it answers, or it is not proposed; but whether a table has been idle for
   long enough is judged by the bot's own time, since that of the view may be older.
2. After an action it answers None until something has changed or a time it named has come.
3. The same seed and the same inputs give the same actions.
"""

from random import Random

from kemps_p2p.bots.level import Level, skill_of
from kemps_p2p.bots.memory import Memory
from kemps_p2p.bots.pace import Pace, manners_of
from kemps_p2p.bots.pact import Pact
from kemps_p2p.bots.patience import Patience, Slot
from kemps_p2p.bots.player import Player
from kemps_p2p.bots.playing import Play
from kemps_p2p.bots.watching import Watch
from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Action, Admit, Deny, Gesture, Halt, Kind, Mulligan, Pass, Signal, kind
from kemps_p2p.game.events import (
    Answered,
    AnswerVoid,
    Called,
    Dealt,
    Discarded,
    Event,
    Missed,
    Mulliganed,
    MulliganFailed,
    Passed,
    PlayStarted,
    PoolDealt,
    Settled,
    Signalled,
    Swapped,
    Took,
    Verdicts,
)
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.legal import against
from kemps_p2p.game.record import Phase, Result
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position, Seat

__all__ = ["Bot", "Level", "Pace"]


class Bot(Player):
    """One seat's player. `speaks_first`: its partner may be a person, who waits for a word."""

    def __init__(
        self,
        seat: Seat,
        players: int,
        rng: Random,
        pace: Pace,
        level: Level = Level.NORMAL,
        *,
        speaks_first: bool = False,
    ) -> None:
        skill = skill_of(level)
        manners = manners_of(pace, skill.tempo)
        self._seat = seat
        self._pact = Pact(seat, players, rng, skill.signals, speaks_first=speaks_first)
        self._patience = Patience(rng)
        self._watch = Watch(seat, players, rng, manners=manners, skill=skill, pact=self._pact)
        self._play = Play(
            seat,
            players,
            rng,
            manners=manners,
            skill=skill,
            pact=self._pact,
            memory=Memory(rng, skill),
            watch=self._watch,
            patience=self._patience,
        )
        self._where: tuple[int, int, Phase] | None = None
        self._hand: tuple[Position, ...] = ()

    @property
    def wake_at_ms(self) -> int | None:
        """When to ask again even if nothing happens. May be now: there may be more to do at once."""
        return self._patience.wake_at_ms

    def greet(self) -> str | None:
        """Words for the partner before the first deal; may be asked for again, since words can be lost."""
        return self._pact.greet()

    def whispered(self, text: str) -> str | None:
        """The partner's words, whatever they are; gives the words to whisper back."""
        return self._pact.hear(text)

    def regret(self) -> str | None:
        """What led to a wrong call on the partner's hand, so that a person can make sense of it."""
        return self._watch.regret()

    def kept(self) -> str:
        """What is agreed on, or the own idea."""
        return self._pact.kept()

    def recall(self, text: str) -> None:
        """Go by the same as the process before."""
        self._pact.recall(text)

    def gestured(self, seat: Seat, name: str, now_ms: int) -> None:
        """Somebody made a gesture just now."""
        self._watch.gestured(seat, name, now_ms)

    def happened(self, events: tuple[Event, ...], now_ms: int) -> None:
        """What became final, in order. Gestures are not taken from here: they were seen when made."""
        for event in events:
            match event:
                case Dealt():
                    self._pact.begin_deal(event.deal)
                    self._watch.begin_deal()
                    self._play.begin_deal()
                case PoolDealt():
                    self._watch.begin_pool()
                    self._play.begin_pool()
                case PlayStarted():
                    self._play.moved(now_ms)
                case Swapped() | Discarded() | Took():
                    self._play.moved(now_ms)
                    self._watch.exchanged(event.seat)
                    if event.seat == self._seat and not isinstance(event, Discarded):
                        self._play.exchanged()
                    self._settle(event.seat, Kind.EXCHANGE)
                case Called():
                    if event.seat == self._seat:
                        self._watch.called()
                    self._settle(event.seat, Kind.CALL)
                case Signalled():
                    self._watch.signalled(event.seat, now_ms)
                    self._settle(event.seat, Signal)
                case Verdicts():
                    self._play.judged(event)
                case Passed():
                    self._settle(event.seat, Kind.PASS)
                case Mulliganed() | MulliganFailed():
                    self._settle(event.seat, Mulligan)
                case Missed():
                    self._settle(event.seat, kind(event.action))
                case Answered() | AnswerVoid():
                    self._settle(event.seat, Admit)
                    self._settle(event.seat, Deny)
                case Settled():
                    if event.result == Result.REFUSED and event.seat == self._seat:
                        self.refused(event.action, now_ms)
                case _:
                    # Nothing else changes what is remembered; the next view shows the rest.
                    pass

    def _settle(self, seat: Seat, place: Slot) -> None:
        if seat == self._seat:
            self._patience.settled(place)

    def refused(self, action: Action, now_ms: int) -> None:
        """The own action was not allowed after all; it is not tried again at once."""
        self._patience.refused(action, now_ms)

    def book(self, deal: int) -> tuple[str, ...] | None:
        """What is agreed on with the partner for this deal."""
        signal = self._pact.agreed_for(deal)
        return None if signal is None else (signal,)

    def intent(self, action: Action) -> Intent:
        """Of gestures, whatever is not the signal means nothing."""
        is_decoy = isinstance(action, Gesture) and action.name != self._pact.signal
        return Intent.DECOY if is_decoy else Intent.MEANT

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        """What to do now. To be asked on every change, and at `wake_at_ms`."""
        patience = self._patience
        patience.wake_at_ms = None
        self._compare(view)
        for action in self._play.wishes(view, now_ms):
            if patience.allows(action, now_ms) and self._is_legal(view, action):
                # A gesture is seen as it is made: there is no outcome to wait for.
                if not isinstance(action, Gesture):
                    patience.send(action, now_ms)
                self._play.made(view, action)
                patience.wake_at_ms = now_ms
                return action
        return None

    def _compare(self, view: SeatView) -> None:
        """See what the view itself says of actions under way."""
        where = view.matches, view.deal, view.phase
        if where != self._where:
            self._where = where
            self._patience.settle_all()
            # Whoever has come back in a deal was not told that it began.
            self._pact.begin_deal(max(view.deal, 0))
        hand = view.state.hands[self._seat] if view.state.hands else ()
        if hand != self._hand:
            self._hand = hand
            self._patience.settled(Kind.EXCHANGE)
        passing = self._patience.under_way(Kind.PASS)
        if isinstance(passing, Pass) and set(passing.pool) != set(view.state.pool):
            self._patience.settled(Kind.PASS)

    def _is_legal(self, view: SeatView, action: Action) -> bool:
        own = {held.position: held.card for held in view.hand}
        reason = against(view.state, self._seat, action, own)
        return reason is None or (reason is Illegal.NOT_IDLE and isinstance(action, Halt))
