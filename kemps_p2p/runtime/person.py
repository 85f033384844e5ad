"""A person's seat, as the runner sees it: what the program does at the seat by itself.

A person acts through `Sitting`; what has to wait for an earlier action waits here. By itself the seat only
moves its face now and then: fidgets, and gestures of the catalogue that mean nothing here. They are actions
like any other, so nobody can filter them. Invariants:

1. A gesture that was named in the huddle is never made by the program.
2. It moves only in play, where the rules have gestures, and draws from the chances it was given.
3. What partners agreed on outlives the process, and is on disk for the own user alone.
"""

from collections.abc import Callable, Collection
from random import Random

from kemps_p2p.bots.patience import slot
from kemps_p2p.bots.player import Player
from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Action, Gesture, Kind
from kemps_p2p.game.gestures import FIDGETS, GESTURES, Intent, named_in
from kemps_p2p.game.record import is_running
from kemps_p2p.game.rules import Signals
from kemps_p2p.game.views import SeatView
from kemps_p2p.runtime.files import SecretFile

WAITED_FOR = (Illegal.TOO_SOON, Illegal.NOT_READY, Illegal.COMING_BACK)
"""What goes by by itself: an action that is forbidden for one of these waits."""

_NAMES = frozenset(kind.name for kind in GESTURES)

PAUSE_MS = (9_000, 30_000)
"""Between two movements of a face, at least and at most."""


class Person(Player):
    """The player at a seat where a person sits."""

    def __init__(
        self,
        chances: Random,
        against: Callable[[Action], Illegal | None],
        refused: Callable[[Action, Illegal], None],
    ) -> None:
        self._chances = chances
        self._against = against
        self._refused = refused
        self._intents: dict[Kind | type[Action], Action] = {}
        self._move_at_ms: int | None = None
        self._named: set[str] = set()
        self.signal: str | None = None
        self._kept: SecretFile | None = None

    def keep_in(self, file: SecretFile) -> None:
        """Keep what is agreed on in a file of this match, beside the log, which never holds it.

        What an earlier process left there is agreed on still. Raises `RuntimeFault`.
        """
        self._kept = file
        words = (file.read() or b"").decode(errors="replace").splitlines()
        known = [name for name in words if name in _NAMES]
        self._named.update(known)
        self.signal = known[0] if known and words[0] == known[0] else None

    def _keep(self) -> None:
        if self._kept is not None:
            lines = (self.signal or "", *sorted(self._named))
            self._kept.replace("\n".join(lines).encode())

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
        named = named_in(text)
        self._note(named, named[0] if len(named) == 1 else self.signal)
        return None

    def said(self, text: str) -> None:
        """Note which gestures the own words name."""
        self._note(named_in(text), self.signal)

    def _note(self, named: Collection[str], signal: str | None) -> None:
        is_known = signal == self.signal and self._named.issuperset(named)
        self.signal = signal
        self._named.update(named)
        if not is_known:
            self._keep()

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
        free = [kind.name for kind in GESTURES if kind.name not in self._named]
        names = [kind.name for kind in FIDGETS]
        if self.signal is not None and self._chances.random() < 0.5:
            names = free
        return self._chances.choice(names)
