"""What a bot has under way, what it was refused, and when it next wants to move.

A claim takes some time to become final, and meanwhile the view shows the old state. Knows no rules.
Invariants:

1. While an action of a slot is under way no other of that slot is allowed, until it is settled or a
   timeout passes; timeouts in a row double.
2. An action that was refused is not allowed again before a pause; refusals of it in a row double the pause.
3. A timer keeps its time as long as it is asked for with the same key.
"""

from enum import Enum, auto
from random import Random

import msgspec

from kemps_p2p.bots.pace import Span
from kemps_p2p.game.actions import Action, Kind, Next, kind

TIMEOUT_MS = 1000
TIMEOUT_MAX_MS = 16_000
PAUSE_MS = 50
PAUSE_MAX_MS = 1600

Slot = Kind | type[Action]
"""Actions that wait for each other: those of one kind; of the free kind, those of one type."""


class Errand(Enum):
    """What a timer is for."""

    LOOK = auto()
    EXCHANGE = auto()
    PASS = auto()
    SIGNAL = auto()
    DECOY = auto()
    TABLE_DUTY = auto()
    MULLIGAN = auto()
    HALT = auto()
    NEXT = auto()
    ANSWER = auto()


class _Timer(msgspec.Struct, frozen=True):
    key: object
    due_ms: int


class _UnderWay(msgspec.Struct, frozen=True):
    action: Action
    until_ms: int


class _Refusal(msgspec.Struct, frozen=True):
    action: Action
    pause_ms: int
    until_ms: int


def slot(action: Action) -> Slot:
    """The slot of an action."""
    sort = kind(action)
    return type(action) if sort is Kind.FREE else sort


class Patience:
    """The timers and the memory of one bot's own actions."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._timers: dict[Errand, _Timer] = {}
        self._under_way: dict[Slot, _UnderWay] = {}
        self._timeout_ms: dict[Slot, int] = {}
        self._refusals: dict[Slot, _Refusal] = {}
        self.wake_at_ms: int | None = None

    def is_due(self, errand: Errand, key: object, span: Span, now_ms: int) -> bool:
        """Whether the time has come; the first question with a key sets the timer."""
        timer = self._timers.get(errand)
        if timer is None or timer.key != key:
            timer = self._timers[errand] = _Timer(key, now_ms + span.draw(self._rng))
        return self.is_past(timer.due_ms, now_ms)

    def is_past(self, at_ms: int, now_ms: int) -> bool:
        """Whether a time has come; if not, the bot wants to wake up then."""
        if at_ms <= now_ms:
            return True
        if self.wake_at_ms is None or at_ms < self.wake_at_ms:
            self.wake_at_ms = at_ms
        return False

    def forget_timer(self, errand: Errand) -> None:
        """The next question sets this timer anew."""
        self._timers.pop(errand, None)

    def allows(self, action: Action, now_ms: int) -> bool:
        """Whether nothing under way and no refusal stands against an action."""
        place = slot(action)
        refusal = self._refusals.get(place)
        if refusal is not None and refusal.action == action and not self.is_past(refusal.until_ms, now_ms):
            return False
        under_way = self._under_way.get(place)
        return under_way is None or self.is_past(under_way.until_ms, now_ms)

    def send(self, action: Action, now_ms: int) -> None:
        """An action is under way."""
        place = slot(action)
        timeout_ms = self._timeout_ms.get(place, TIMEOUT_MS)
        self._under_way[place] = _UnderWay(action, now_ms + timeout_ms)
        self._timeout_ms[place] = min(2 * timeout_ms, TIMEOUT_MAX_MS)

    def under_way(self, place: Slot) -> Action | None:
        """What was sent and is not settled, timed out or not."""
        found = self._under_way.get(place)
        return None if found is None else found.action

    def settled(self, place: Slot) -> None:
        """The table has answered: the outcome is known."""
        self._under_way.pop(place, None)
        self._timeout_ms.pop(place, None)
        self._refusals.pop(place, None)

    def refused(self, action: Action, now_ms: int) -> None:
        """The action was not taken; it is not tried again before a pause."""
        place = slot(action)
        before = self._refusals.get(place)
        self._under_way.pop(place, None)
        self._timeout_ms.pop(place, None)
        pause_ms = PAUSE_MS
        # The next deck is shuffled for as long as it takes, and everybody waits for this one action.
        if before is not None and before.action == action and not isinstance(action, Next):
            pause_ms = min(2 * before.pause_ms, PAUSE_MAX_MS)
        self._refusals[place] = _Refusal(action, pause_ms, now_ms + pause_ms)

    def settle_all(self) -> None:
        """The table has moved to another phase: nothing sent before it is waited for."""
        self._under_way.clear()
        self._timeout_ms.clear()
        self._refusals.clear()
