"""Hosts and joiners in one process, on loopback, and somebody in the middle."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from msgspec import structs

from kemps_p2p.codec import derive
from kemps_p2p.errors import NotSeated
from kemps_p2p.game.rules import RuleSet, load_rules
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.addresses import Place
from kemps_p2p.runtime.gathering import Entropy, Gathered, Newcomer, open_mesh
from kemps_p2p.runtime.guests import PERSON
from kemps_p2p.runtime.handshake import HEADER_BYTES, header
from kemps_p2p.runtime.hosting import Host, HostNews, Plan, SentAway
from kemps_p2p.runtime.joining import join
from kemps_p2p.runtime.known import KnownPlayers
from kemps_p2p.runtime.meeting import Contact
from kemps_p2p.runtime.transport import new_event_loop
from kemps_p2p.wording.words import Code, code_of

LOOPBACK = "127.0.0.1"
LIMIT_S = 60


def drawn(seed: str) -> Entropy:
    """Chances that are the same every time."""
    number = itertools.count()

    def draw(size: int) -> bytes:
        return derive("test-entropy", seed.encode(), str(next(number)).encode())[:size]

    return draw


async def nobody(_name: str, _was: bytes, _now: bytes) -> bool:
    return False


async def anybody(_name: str, _was: bytes, _now: bytes) -> bool:
    return True


def newcomer(name: str, home: Path, *, key: str = "", **more: Any) -> Newcomer:
    given: dict[str, Any] = {
        "identity": Identity.derived(b"join", key or name),
        "name": name,
        "wish": -1,
        "partner": "",
        "player": PERSON,
        "known": KnownPlayers(home),
        "trusts": nobody,
        "bind": LOOPBACK,
        "port": 0,
    }
    return Newcomer(**{**given, **more})


def contact(number: int, **changes: object) -> Contact:
    key = newcomer(str(number), Path("none")).identity.public
    return structs.replace(
        Contact(
            version=1,
            identity=key,
            curve=bytes([number]) * 32,
            address="tcp://127.0.0.1:1",
            players=4,
            wish=-1,
        ),
        **changes,
    )


def plan(rules: RuleSet | None = None, *, players: int = 4, bots: int = 0) -> Plan:
    return Plan("Friday", players, rules or load_rules("kemps"), "kemps", bots)


@dataclass
class Hosted:
    """A host that is open, and what it has told."""

    host: Host
    me: Newcomer
    news: list[HostNews] = field(default_factory=list)

    @property
    def sent_away(self) -> list[SentAway]:
        return [each for each in self.news if isinstance(each, SentAway)]

    @property
    def wrong(self) -> Code:
        """A code that is not the host's."""
        right = self.host.code
        return next(
            code for byte in range(256) if (code := code_of(right.number, bytes([byte] * 4))) != right
        )


@asynccontextmanager
async def hosted(me: Newcomer, offered: Plan) -> AsyncIterator[Hosted]:
    mesh = await open_mesh(me, LOOPBACK)
    news: list[HostNews] = []
    host = Host(offered, me, mesh, news.append)
    await host.open(LOOPBACK, 0)
    try:
        yield Hosted(host, me, news)
    finally:
        await host.close()
        await mesh.close()


async def seated(
    at: Hosted, *guests: Newcomer, place: Place | None = None, keeps_open: bool = False
) -> list[Gathered]:
    """Let everybody join, and close their meshes if they are not kept; what each has gathered, host first."""
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(at.host.gathered())
        where = place or at.host.place
        joining = [group.create_task(join(where, at.host.code, guest, lambda _: None)) for guest in guests]
    gathered = [waiting.result(), *(task.result() for task in joining)]
    for each in () if keeps_open else gathered[1:]:
        await each.mesh.close()
    return gathered


async def came(at: Hosted, count: int) -> None:
    """Wait until so many sit at the table, the host included."""
    while at.host.notice.taken != count:
        await asyncio.sleep(0.01)


def run(main: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(LIMIT_S):
            await main

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(bounded())


@asynccontextmanager
async def in_the_middle(place: Place, change: Callable[[str, int, bytes], bytes]) -> AsyncIterator[Place]:
    """Somebody relays between a joiner and the table at `place`, and changes what it wants.

    `change` gets who speaks ("joiner" or "host"), the number of the frame in that direction, and its body.
    """
    tasks: set[asyncio.Task[None]] = set()

    async def relay(who: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            for number in itertools.count():
                head = await reader.readexactly(HEADER_BYTES)
                body = await reader.readexactly(int.from_bytes(head[-4:], "big"))
                body = change(who, number, body)
                writer.write(header(len(body)) + body)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def both() -> None:
            there, back = await asyncio.open_connection(place.host, place.port)
            await asyncio.gather(relay("joiner", reader, back), relay("host", there, writer))

        task = asyncio.create_task(both())
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, LOOPBACK, 0)
    try:
        yield Place(LOOPBACK, server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


T = TypeVar("T")


@contextmanager
def in_background(
    make: Callable[[], AbstractAsyncContextManager[T]],
    use: Callable[[T], Coroutine[Any, Any, object]] | None = None,
) -> Iterator[T]:
    """Enter an asynchronous context on a loop in a thread, so that a command can run in this one."""
    ready, done = threading.Event(), threading.Event()
    box: list[T] = []

    async def main() -> None:
        async with make() as made:
            using = [] if use is None else [asyncio.create_task(use(made))]
            box.append(made)
            ready.set()
            await asyncio.to_thread(done.wait)
            for task in using:
                task.cancel()
            await asyncio.gather(*using, return_exceptions=True)

    def work() -> None:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(main())

    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(LIMIT_S)
    try:
        yield box[0]
    finally:
        done.set()
        thread.join(LIMIT_S)
        assert not thread.is_alive()


async def refused(
    at: Hosted, guest: Newcomer, code: Code | None = None, place: Place | None = None
) -> NotSeated:
    """Why somebody is not seated."""
    with pytest.raises(NotSeated) as why:
        await join(place or at.host.place, code or at.host.code, guest, lambda _: None)
    return why.value
