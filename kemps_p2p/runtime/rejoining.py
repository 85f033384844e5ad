"""Coming back to a running match: the same seat, the same hand, the same keys.

Invariant:

1. Whoever comes back says nothing on its tape before the others have told how much of it they hold.

Section "Journal and log" of protocol.md.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kemps_p2p.errors import Unreachable
from kemps_p2p.runtime.chair import Chair, Plays
from kemps_p2p.runtime.node import favour_play
from kemps_p2p.runtime.profile import home_held, own_identity
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.transport import LinkState, Mesh, new_event_loop
from kemps_p2p.runtime.wayback import Unfinished, WayBack, unfinished
from kemps_p2p.session.messages import MESSAGE_BYTES_MAX

REACH_S = 20.0
"""How long it may take until one of the others is reached."""
_LOOK_AGAIN_S = 0.2


@dataclass(frozen=True, slots=True)
class Return:
    """Who comes back: its home, which match if not the last, and how long a stand-still may last."""

    home: Path
    which: str | None
    give_up_s: float


def rejoin_table(coming: Return, plays: Plays, tell: Callable[[Unfinished], None]) -> Outcome:
    """Take the own seat of an unfinished match again and play it to the end. Raises `KempsError`.

    `tell` is told of the match before the others are asked.
    """
    favour_play()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(_rejoined(coming, plays, tell))


async def _rejoined(coming: Return, plays: Plays, tell: Callable[[Unfinished], None]) -> Outcome:
    with home_held(coming.home):
        identity = own_identity(coming.home)
        found = unfinished(coming.home, identity, coming.which)
        tell(found)
        mesh = Mesh(message_bytes_max=MESSAGE_BYTES_MAX, bind=found.kept.bind, keys=found.keys)
        await mesh.open()
        try:
            table = found.table()
            mesh.admit({curve: table.addresses[curve] for curve in table.curves if curve != mesh.public_key})
            chair = Chair(
                identity=identity,
                seat=found.setup.seat,
                table=table,
                carrier=mesh,
                name=found.setup.name,
                rules=found.setup.rules,
                home=coming.home,
                logs=found.logs,
                give_up_ms=int(coming.give_up_s * 1000),
                group=found.setup.group,
                way_back=WayBack(mesh.keys, mesh.address),
                returning=found,
            )
            return await _played(chair, mesh, plays)
        finally:
            await mesh.close()


async def _played(chair: Chair, mesh: Mesh, plays: Plays) -> Outcome:
    playing = asyncio.ensure_future(plays(chair))
    reaching = asyncio.create_task(_reached(mesh))
    try:
        await asyncio.wait({playing, reaching}, return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            await reaching
        return await playing
    finally:
        for task in (playing, reaching):
            task.cancel()
        await asyncio.gather(playing, reaching, return_exceptions=True)


async def _reached(mesh: Mesh) -> None:
    """Wait until one of the others is there. Raises `Unreachable` if none is."""
    waited_s = 0.0
    while LinkState.UP not in mesh.links().values():
        if waited_s >= REACH_S:
            raise Unreachable("none of the others can be reached: they have left, or the match is over")
        await asyncio.sleep(_LOOK_AGAIN_S)
        waited_s += _LOOK_AGAIN_S
