"""Coming back to a running match: the same seat, the same hand, the same keys.

Invariant:

1. Whoever comes back says nothing on its tape before the others have told how much of it they hold.

Section "Journal and log" of protocol.md.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kemps_p2p.errors import RuntimeFault, Unreachable
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.addresses import Place, everywhere, is_loopback, read_place
from kemps_p2p.runtime.bot_nodes import BotNodes
from kemps_p2p.runtime.chair import Chair, Plays
from kemps_p2p.runtime.process import play_through
from kemps_p2p.runtime.profile import home_held, own_identity
from kemps_p2p.runtime.roaming import Roaming
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.standing import StandIns
from kemps_p2p.runtime.transport import LinkState, Mesh
from kemps_p2p.runtime.wayback import Came, Choose, Unfinished, WayBack, unfinished
from kemps_p2p.session.messages import MESSAGE_BYTES_MAX

_LOOK_AGAIN_S = 0.2


@dataclass(frozen=True, slots=True)
class Return:
    """Who comes back: its home, which match, and how long a stand-still may last.

    `choose`: asked where several matches have not ended and none is told. `reach_s`: how long it may take
    until one of the others is reached. `pace`, `stay`: of the bots that it hosts.
    """

    home: Path
    which: str | None
    choose: Choose
    give_up_s: float
    reach_s: float
    pace: str
    stay: bool


@dataclass(frozen=True, slots=True)
class Returned:
    """A peer that is back, and listens: who it is, what it goes on with, and how the others reach it.

    `bots`: its own, which end with it; those that sit at the table are back already.
    """

    identity: Identity
    found: Unfinished
    mesh: Mesh
    way_back: WayBack
    home: Path
    bots: BotNodes

    async def play_on(self, plays: Plays, *, give_up_s: float, reach_s: float) -> Outcome:
        """Take the own seat again and play to the end. Raises `KempsError`."""
        found, table = self.found, self.found.table()
        roaming = Roaming(self.mesh, self.identity, table, self.way_back)
        roaming.come_back(found.kept.moved)
        chair = Chair(
            identity=self.identity,
            seat=found.setup.seat,
            table=table,
            carrier=roaming,
            name=found.setup.name,
            rules=found.setup.rules,
            home=self.home,
            logs=found.logs,
            give_up_ms=int(give_up_s * 1000),
            group=found.setup.group,
            way_back=self.way_back,
            returning=found,
            came=found.names,
            has_bots=self.bots.are_there,
            let_in=roaming.let_in,
            stand_ins=StandIns(self.bots, self.home / "bots", table, self.way_back),
        )
        return await roaming.along(plays(chair), _reached(self.mesh, reach_s))


def rejoin_table(coming: Return, plays: Plays, tell: Callable[[Unfinished], None]) -> Outcome:
    """Take the own seat of an unfinished match again and play it to the end. Raises `KempsError`.

    `tell` is told of the match before the others are asked.
    """
    return play_through(_rejoined(coming, plays, tell))


async def _rejoined(coming: Return, plays: Plays, tell: Callable[[Unfinished], None]) -> Outcome:
    with home_held(coming.home):
        identity = own_identity(coming.home)
        found = unfinished(coming.home, identity, coming.which, coming.choose)
        tell(found)
        mesh = await _listening(found)
        bots = BotNodes(0, coming.home / "bots", coming.pace, stay=coming.stay)
        try:
            await bots.bring_back(None if found.journal is None else found.journal.founding.match.hex())
            way_back = WayBack(mesh.keys, mesh.address)
            way_back.come_back(found)
            returned = Returned(identity, found, mesh, way_back, coming.home, bots)
            outcome = await returned.play_on(plays, give_up_s=coming.give_up_s, reach_s=coming.reach_s)
            await bots.ended()
            return outcome
        finally:
            await bots.end()
            await mesh.close()


async def _listening(found: Unfinished) -> Mesh:
    """Listen where this peer listened before, or as near to that as this machine lets us be now.

    Raises `Unreachable` if it lets us listen nowhere.
    """
    place = read_place(found.kept.bind.removeprefix("tcp://"))
    assert place is not None, "what was bound is an address of numbers"
    # The machine may have another address now, and another program the port.
    anywhere = place.host if is_loopback(place.host) else everywhere(place.host)
    binds: tuple[Place, ...] = (place, Place(anywhere, place.port), Place(anywhere, 0))
    if found.kept.came is Came.STANDING_IN:
        # What is kept is where its owner listens.
        binds = (Place(place.host, 0), Place(anywhere, 0))
    for bind in binds:
        mesh = Mesh(message_bytes_max=MESSAGE_BYTES_MAX, bind=bind.endpoint, keys=found.keys)
        try:
            await mesh.open()
        except Unreachable:
            if bind == binds[-1]:
                raise
        else:
            return mesh
    raise RuntimeFault("there is no port to listen on")


async def _reached(mesh: Mesh, reach_s: float) -> None:
    """Wait until one of the others is there. Raises `Unreachable` if none is."""
    waited_s = 0.0
    while LinkState.UP not in mesh.links().values():
        if waited_s >= reach_s:
            raise Unreachable("none of the others can be reached: they have left, or the match is over")
        await asyncio.sleep(_LOOK_AGAIN_S)
        waited_s += _LOOK_AGAIN_S
