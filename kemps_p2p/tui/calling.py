"""Calls take two presses: the first says what, the second calls. A machine of one person's fingers.

Pure. Whether a call is allowed is the rules' affair, whether it is right nobody's: it never tells.
Invariants:

1. Nothing is called by one press, and nothing by a press that comes too late after the one before.
2. What is named cannot be called on the own team.
"""

from dataclasses import dataclass
from typing import assert_never

from kemps_p2p.game.actions import CallItem, CallKind, Counter, Double, DoubleCounter, Partner
from kemps_p2p.game.rules import CounterTarget, RuleSet
from kemps_p2p.game.seating import team_of
from kemps_p2p.ids import Seat

AGAIN_MS = 2500

Declaration = tuple[CallItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What the presses until now amount to. `choosing`: a call that still lacks its target."""

    items: Declaration = ()
    choosing: CallKind | None = None
    is_several: bool = False
    until_ms: int


class Caller:
    """One person's calls."""

    def __init__(self, rules: RuleSet, seat: Seat, players: int) -> None:
        self._rules = rules
        self._seat = seat
        self._players = players
        self._draft: Draft | None = None

    def draft(self, now_ms: int) -> Draft | None:
        """What the next press would add to; None once it is too late."""
        if self._draft is not None and now_ms > self._draft.until_ms:
            self._draft = None
        return self._draft

    def cancel(self) -> None:
        """Forget the presses until now."""
        self._draft = None

    def targets(self, sort: CallKind) -> tuple[Seat, ...]:
        """The seats that can be pressed to say on whom one calls; none if the call names nobody."""
        if sort in (CallKind.PARTNER, CallKind.DOUBLE):
            return ()
        own = team_of(self._seat, self._players)
        return tuple(Seat(seat) for seat in range(self._players) if team_of(Seat(seat), self._players) != own)

    def press(self, sort: CallKind, now_ms: int) -> Declaration | None:
        """The key of a sort of call; what is called, if that was the second press."""
        draft = self.draft(now_ms)
        item = self._only(sort)
        is_several = draft is not None and draft.is_several
        before = draft.items if draft is not None and is_several else ()
        if item is None:
            self._draft = self._until(now_ms, items=before, choosing=sort, is_several=is_several)
            return None
        if draft is not None and is_several:
            self._draft = self._until(now_ms, items=_toggled(before, item), is_several=True)
            return None
        if draft is not None and draft.items == (item,):
            return self._declare(draft.items)
        self._draft = self._until(now_ms, items=(item,))
        return None

    def press_seat(self, seat: Seat, now_ms: int) -> Declaration | None:
        """The key of a seat while a target is wanted; what is called, if that completes it."""
        draft = self.draft(now_ms)
        if draft is None or draft.choosing is None or seat not in self.targets(draft.choosing):
            return None
        item = self._on(draft.choosing, seat)
        if not draft.is_several:
            return self._declare((item,))
        self._draft = self._until(now_ms, items=_toggled(draft.items, item), is_several=True)
        return None

    def press_several(self, now_ms: int) -> Declaration | None:
        """The key that begins a declaration of several calls, and ends it."""
        draft = self.draft(now_ms)
        if draft is None or not draft.is_several:
            self._draft = self._until(now_ms, is_several=True)
            return None
        if draft.items:
            return self._declare(draft.items)
        self._draft = None
        return None

    def _declare(self, items: Declaration) -> Declaration:
        self._draft = None
        return items

    def _until(
        self,
        now_ms: int,
        *,
        items: Declaration = (),
        choosing: CallKind | None = None,
        is_several: bool = False,
    ) -> Draft:
        return Draft(items=items, choosing=choosing, is_several=is_several, until_ms=now_ms + AGAIN_MS)

    def _only(self, sort: CallKind) -> CallItem | None:
        """The call of a sort if there is but one; None if a seat is to be named."""
        match sort:
            case CallKind.PARTNER:
                return Partner()
            case CallKind.DOUBLE:
                return Double()
            case CallKind.COUNTER | CallKind.DOUBLE_COUNTER:
                named = {self._on(sort, seat) for seat in self.targets(sort)}
                return named.pop() if len(named) == 1 else None
            case _:
                assert_never(sort)

    def _on(self, sort: CallKind, seat: Seat) -> CallItem:
        team = team_of(seat, self._players)
        if sort is CallKind.DOUBLE_COUNTER:
            return DoubleCounter(team=team)
        return Counter(target=seat if self._rules.counter_target is CounterTarget.PLAYER else team)


def _toggled(items: Declaration, item: CallItem) -> Declaration:
    return tuple(each for each in items if each != item) if item in items else (*items, item)
