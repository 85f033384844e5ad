"""Evenings at a table in one process, without slow cryptography: a scripted person and quick bots."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.bots.player import Player
from kemps_p2p.errors import IllegalAction
from kemps_p2p.game.actions import Action, Next, Pass
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import RuleSet, load_rules, override
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.chair import Chair
from kemps_p2p.runtime.local import SoloPlan, chairs, play_on, play_with
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.runtime.transport import new_event_loop
from kemps_p2p.session import effects as fx

STUB = "stub-insecure"
SHORT = override(load_rules("kemps"), {"look_ms": 0, "word": "K"})

LIMIT_S = 50
"""So long may an evening take on a machine that has much else to do; else it hangs."""

Seated = Callable[[Seat, Random], Player]


def quick_bot(seat: Seat, chances: Random) -> Player:
    return Bot(seat, 4, chances, Pace.FAST)


class Still(Player):
    """Starts a deal where it is the dealer, passes where it is its turn, and touches nothing."""

    def __init__(self) -> None:
        self._wake_at_ms: int | None = None

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        if view.turn == view.seat and view.phase is Phase.OPEN and view.seat not in view.passes:
            return Pass(pool=view.state.pool)
        if view.phase is not Phase.SEATED or view.next_dealer != view.seat:
            self._wake_at_ms = None
            return None
        is_due = self._wake_at_ms is not None and self._wake_at_ms <= now_ms
        self._wake_at_ms = now_ms + 20
        return Next() if is_due else None

    @property
    def wake_at_ms(self) -> int | None:
        return self._wake_at_ms


def still_bot(seat: Seat, chances: Random) -> Player:
    return Still()


def plan(home: Path, rules: RuleSet = SHORT, name: str = "Me") -> SoloPlan:
    return SoloPlan(name=name, players=4, rules=rules, home=home, seed=1)


def evening(
    home: Path,
    screen: Callable[[Sitting], Awaitable[None]],
    seated: Seated = quick_bot,
    rules: RuleSet = SHORT,
) -> Outcome:
    """One person's evening, from sitting down to leaving."""

    async def run() -> Outcome:
        own, others = chairs(plan(home, rules))
        bots = [play_on(quick(chair), seated, Random(int(chair.seat))) for chair in others]
        return await asyncio.wait_for(play_with(quick(own), bots, screen), LIMIT_S)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(run())


def quick(chair: Chair) -> Chair:
    return replace(chair, group=STUB)


def passing(sitting: Sitting) -> Action:
    """To pass on what lies in the middle now."""
    return Pass(pool=sitting.view().state.pool)


def tried(sitting: Sitting, *actions: Action) -> None:
    """Do what can be done of this; what has arrived meanwhile may forbid it after all."""
    for action in actions:
        if sitting.against(action) is None:
            with suppress(IllegalAction):
                sitting.act(action)


async def played(sitting: Sitting) -> list[fx.Sight]:
    """Start deals and pass on everything, until the match is over; what was seen."""
    seen: list[fx.Sight] = []

    async def go_on() -> None:
        while True:
            await asyncio.sleep(0.01)
            if sitting.has_begun:
                tried(sitting, Next(), Pass(pool=sitting.view().state.pool))

    going = asyncio.ensure_future(go_on())
    async for sight in sitting.sights():
        seen.append(sight)  # type: ignore[arg-type]
    going.cancel()
    await asyncio.wait({going})
    return seen
