"""A person's seat, as the runner sees it: what the program does at the seat by itself.

A person acts through `Sitting`; what has to wait for an earlier action waits here. By itself the seat only
moves its face now and then: fidgets, and gestures of the catalogue that mean nothing here. They are actions
like any other, so nobody can filter them. Invariants:

1. A gesture that was named in the huddle is never made by the program.
2. It moves only in play, where the rules have gestures, and draws from the chances it was given.
3. No whisper changes the sign while a deal is on, but the answer to the own proposal; others are taken in
   when the deal is over.
"""

from collections.abc import Callable
from random import Random

from kemps_p2p.bots.patience import slot
from kemps_p2p.bots.player import Player
from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Action, Gesture, Kind
from kemps_p2p.game.gestures import FIDGETS, GESTURES, Intent
from kemps_p2p.game.record import is_running
from kemps_p2p.game.rules import Signals
from kemps_p2p.game.views import SeatView
from kemps_p2p.runtime.accord import Accord

WAITED_FOR = (Illegal.TOO_SOON, Illegal.NOT_READY, Illegal.COMING_BACK)
"""What goes by by itself: an action that is forbidden for one of these waits."""

PAUSE_MS = (9_000, 30_000)
"""Between two movements of a face, at least and at most."""


class Person(Player):
    """The player at a seat where a person sits."""

    def __init__(
        self,
        chances: Random,
        against: Callable[[Action], Illegal | None],
        refused: Callable[[Action, Illegal], None],
        in_deal: Callable[[], bool],
    ) -> None:
        self._chances = chances
        self._against = against
        self._refused = refused
        self._intents: dict[Kind | type[Action], Action] = {}
        self._move_at_ms: int | None = None
        self._in_deal = in_deal
        self._accord = Accord()
        self._unheard: list[str] = []

    @property
    def accord(self) -> Accord:
        """What is agreed on with the partner, as far as it counts now."""
        if self._unheard and not self._in_deal():
            for text in self._unheard:
                self._accord.heard(text)
            self._unheard.clear()
        return self._accord

    def kept(self) -> str:
        """What is agreed on, for a later process."""
        return self.accord.kept()

    def recall(self, text: str) -> None:
        """What an earlier process has left is agreed on still."""
        self._accord.recall(text)

    @property
    def wake_at_ms(self) -> int | None:
        """When the face next moves."""
        return self._move_at_ms

    @property
    def goes_along(self) -> bool:
        """False: a person decides about pauses."""
        return False

    def whispered(self, text: str) -> str | None:
        """Note which gesture the partner means; a person answers by hand."""
        if self._accord.is_answer(text):
            # The partner goes by it already, and so does this seat.
            self.accord.heard(text)
        else:
            self._unheard.append(text)
        return None

    def said(self, text: str) -> None:
        """Note which gestures the own words name."""
        self.accord.said(text)

    def intend(self, action: Action) -> None:
        """Do this as soon as the earlier action of its kind is settled; the last one of a kind counts."""
        self._intents[slot(action)] = action

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        """What was waiting, if its time has come; else a movement of the face, if it is time for one."""
        for place, action in tuple(self._intents.items()):
            reason = self._against(action)
            if reason in WAITED_FOR:
                continue
            del self._intents[place]
            if reason is None:
                return action
            self._refused(action, reason)
        return self._move(view, now_ms)

    def intent(self, action: Action) -> Intent:
        """A gesture decided on here is the program's: what the person makes is claimed at once."""
        return Intent.DECOY if isinstance(action, Gesture) else Intent.MEANT

    def _move(self, view: SeatView, now_ms: int) -> Action | None:
        if view.rules.signals is not Signals.GESTURES:
            return None
        if self._move_at_ms is None:
            self._move_at_ms = now_ms + self._chances.randint(*PAUSE_MS)
        if now_ms < self._move_at_ms:
            return None
        self._move_at_ms = now_ms + self._chances.randint(*PAUSE_MS)
        return Gesture(name=self._movement()) if is_running(view.state) else None

    def _movement(self) -> str:
        """A fidget; once a signal is agreed on, another gesture just as often."""
        free = [kind.name for kind in GESTURES if kind.name not in self._accord.named]
        names = [kind.name for kind in FIDGETS]
        if self._accord.signal is not None and self._chances.random() < 0.5:
            names = free
        return self._chances.choice(names)
