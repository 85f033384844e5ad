"""One peer process: from the meeting place to the finished log."""

import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kemps_p2p.bots.player import Player
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.chair import Chair, Watch
from kemps_p2p.runtime.meeting import Contact, Table, contact_left, meet, seat_of
from kemps_p2p.runtime.process import play_through
from kemps_p2p.runtime.profile import home_held, own_identity
from kemps_p2p.runtime.roaming import Roaming
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.transport import Mesh
from kemps_p2p.runtime.wayback import WayBack
from kemps_p2p.session.messages import MESSAGE_BYTES_MAX, PROTOCOL_VERSION

Seated = Callable[[Seat, random.Random], Player]
"""Makes the player of a seat, once the seat is known; its chances come from the given source."""


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """How one node plays: `wish` is the seat it would like, `bind` where it listens.

    `observers`: 1 if a witness without a seat comes too, else 0.
    """

    name: str
    place: Path
    players: int
    wish: int
    rules: RuleSet
    bind: str
    home: Path
    logs: Path
    meet_s: float
    give_up_s: float
    observers: int = 0


def run_node(config: NodeConfig, seated: Seated, watch: Watch) -> Outcome:
    """Run one peer in this process. Raises `KempsError`."""
    return play_through(_run(config, seated, watch))


async def _run(config: NodeConfig, seated: Seated, watch: Watch) -> Outcome:
    with home_held(config.home):
        identity = own_identity(config.home)
        mesh = Mesh(message_bytes_max=MESSAGE_BYTES_MAX, bind=config.bind)
        await mesh.open()
        try:
            contact = Contact(
                version=PROTOCOL_VERSION,
                identity=identity.public,
                curve=mesh.public_key,
                address=mesh.address,
                players=config.players,
                wish=config.wish,
            )
            with contact_left(config.place, identity, contact):
                table = await meet(config.place, config.players, config.meet_s, config.observers)
                return await _play(config, identity, mesh, table, seated=seated, watch=watch)
        finally:
            await mesh.close()


async def _play(
    config: NodeConfig, identity: Identity, mesh: Mesh, table: Table, *, seated: Seated, watch: Watch
) -> Outcome:
    """Sit down at a table that has met, and play to the end."""
    way_back = WayBack(mesh.keys, mesh.address)
    roaming = Roaming(mesh, identity, table, way_back)
    chair = Chair(
        identity=identity,
        seat=seat_of(table, identity),
        table=table,
        carrier=roaming,
        name=config.name,
        rules=config.rules,
        home=config.home,
        logs=config.logs,
        give_up_ms=int(config.give_up_s * 1000),
        way_back=way_back,
        let_in=roaming.let_in,
    )
    _, runner = chair.sit(seated(chair.seat, random.Random(secrets.randbits(128))), watch)
    return await roaming.along(runner.run())
