"""A table in one process: one person and bots, every seat a real peer, without any network.

What sockets do elsewhere, a room does here: it passes bytes on. Keys, shuffles, proofs, journals and logs are
those of any other table, and no peer trusts another more than it would across a network. Invariants:

1. Nothing here opens a socket.
2. Messages of one peer arrive in the order in which they were sent.
3. A bot's chances come from the given seed alone; keys and shuffles never do.
"""

import asyncio
import random
import secrets
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path

from kemps_p2p.bots.player import Player
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.game.seating import partner_of, seats
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.chair import FIRST, Chair, after
from kemps_p2p.runtime.launch import NAMES
from kemps_p2p.runtime.meeting import Table
from kemps_p2p.runtime.process import play_through
from kemps_p2p.runtime.profile import home_held, own_identity
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.sitting import Screen, play_as_person
from kemps_p2p.runtime.transport import Arrival, PublicKey, now_ms

KEPT_MESSAGES_MAX = 4096
NEVER_MS = 1 << 53

Seated = Callable[[Seat, random.Random], Player]
"""Makes the bot of a seat; its chances come from the given source."""


class Room:
    """Passes bytes on between the peers of one event loop."""

    def __init__(self) -> None:
        self.meshes: dict[PublicKey, LocalMesh] = {}

    def enter(self) -> "LocalMesh":
        """A new peer's end; its key is fresh, as that of a process on a network is."""
        mesh = LocalMesh(self, PublicKey(secrets.token_bytes(32)))
        self.meshes[mesh.public_key] = mesh
        return mesh


class LocalMesh:
    """One peer's end: a `Carrier`. Of what nobody takes, the oldest is dropped: peers ask for gaps anyway."""

    def __init__(self, room: Room, key: PublicKey) -> None:
        self._room = room
        self._key = key
        self._inbox: deque[Arrival] = deque(maxlen=KEPT_MESSAGES_MAX)
        self._handler: Callable[[list[Arrival]], None] | None = None
        self._is_called = False

    @property
    def public_key(self) -> PublicKey:
        """By what the others know this peer."""
        return self._key

    def deliver(self, handler: Callable[[list[Arrival]], None] | None) -> None:
        """Hand arrivals to `handler` from now on; None: keep them."""
        self._handler = handler
        self._call()

    def arrived(self) -> list[Arrival]:
        """What has arrived and was not handed over yet."""
        arrivals = list(self._inbox)
        self._inbox.clear()
        return arrivals

    def send(self, peer: PublicKey, data: bytes) -> bool:
        """Send to a peer of the room; False if there is none of that key."""
        other = self._room.meshes.get(peer)
        if other is None:
            return False
        other.take(Arrival(self._key, data, now_ms()))
        return True

    def take(self, arrival: Arrival) -> None:
        """Take in one message; it is handed over when the loop comes to it."""
        self._inbox.append(arrival)
        self._call()

    def _call(self) -> None:
        if self._inbox and self._handler is not None and not self._is_called:
            self._is_called = True
            asyncio.get_running_loop().call_soon(self._hand_over)

    def _hand_over(self) -> None:
        self._is_called = False
        if self._handler is not None and self._inbox:
            self._handler(self.arrived())


@dataclass(frozen=True, slots=True, kw_only=True)
class SoloPlan:
    """A table for one person. `seed`: of the bots' chances, None for others each time."""

    name: str
    players: int
    rules: RuleSet
    home: Path
    seed: int | None = None


def play_solo(plan: SoloPlan, seated: Seated, screen: Screen) -> Outcome:
    """Play with bots in this process until the person leaves. Raises `KempsError`."""
    return play_through(_play_solo(plan, seated, screen))


async def _play_solo(plan: SoloPlan, seated: Seated, screen: Screen) -> Outcome:
    with home_held(plan.home):
        own, others = chairs(plan)
        bots = [play_on(chair, seated, _chances(plan, chair)) for chair in others]
        return await play_with(own, bots, screen)


async def play_with(own: Chair, bots: Sequence[Coroutine[None, None, None]], screen: Screen) -> Outcome:
    """Let a person play at the own chair with those that play at the others'. Raises `RuntimeFault`."""
    tasks = [asyncio.create_task(bot) for bot in bots]
    try:
        return await play_as_person(own, screen, tasks)
    finally:
        for task in tasks:
            task.cancel()
        # How the first of them failed has been said; the others may have failed of the same.
        await asyncio.gather(*tasks, return_exceptions=True)


async def play_on(chair: Chair, seated: Seated, chances: random.Random) -> None:
    """Play one seat, match after match, for as long as they are played to their end."""
    before = FIRST
    while True:
        player = seated(chair.seat, chances)
        session, runner = chair.sit(player, lambda session, sight: None, before)
        outcome = await runner.run()
        if not outcome.is_closed:
            return
        before = after(session)


def own_seat(players: int) -> Seat:
    """Where the person sits: opposite seat 0, since the lower seat of a team proposes the signal."""
    return partner_of(Seat(0), players)


def chairs(plan: SoloPlan) -> tuple[Chair, list[Chair]]:
    """The person's chair and those of the bots, each with a home of its own."""
    own = own_seat(plan.players)
    names = (name for name in NAMES if name.casefold() != plan.name.casefold())
    homes = [plan.home if seat == own else plan.home / "bots" / str(seat) for seat in seats(plan.players)]
    identities = [own_identity(home) for home in homes]
    room = Room()
    meshes = [room.enter() for _ in homes]
    curves = tuple(mesh.public_key for mesh in meshes)
    table = Table(tuple(identity.public for identity in identities), curves, {})
    made = [
        Chair(
            identity=identities[seat],
            seat=seat,
            table=table,
            carrier=meshes[seat],
            name=plan.name if seat == own else next(names),
            rules=plan.rules,
            home=homes[seat],
            logs=homes[seat] / "logs",
            give_up_ms=NEVER_MS,
        )
        for seat in seats(plan.players)
    ]
    return made[own], [chair for chair in made if chair.seat != own]


def _chances(plan: SoloPlan, chair: Chair) -> random.Random:
    if plan.seed is None:
        return random.Random(secrets.randbits(128))
    return random.Random(f"kemps bot {plan.seed} {chair.seat}")
