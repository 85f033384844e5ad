"""Meshes for tests, in an event loop that ends in time."""

import asyncio
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import zmq
from zmq.utils import z85

from kemps_p2p.runtime.transport import Arrival, CurveKeys, LinkState, Mesh, PublicKey, new_event_loop

T = TypeVar("T")
TIMEOUT_S = 10
BYTES_MAX = 4096


def run(main: Coroutine[Any, Any, T]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(TIMEOUT_S):
            return await main

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(bounded())


@asynccontextmanager
async def meshes(count: int, **settings: Any) -> AsyncIterator[list[Mesh]]:
    settings.setdefault("message_bytes_max", BYTES_MAX)
    opened = [Mesh(**settings) for _ in range(count)]
    for mesh in opened:
        await mesh.open()
    try:
        yield opened
    finally:
        for mesh in opened:
            await mesh.close()


def table(*others: Mesh) -> dict[PublicKey, str | None]:
    return {mesh.public_key: mesh.address for mesh in others}


async def introduce(*everyone: Mesh) -> None:
    for mesh in everyone:
        mesh.admit(table(*(other for other in everyone if other is not mesh)))
    for mesh in everyone:
        for other in everyone:
            if other is not mesh:
                await until(mesh, other.public_key, LinkState.UP)


async def until(mesh: Mesh, peer: PublicKey, state: LinkState) -> None:
    while mesh.links()[peer] is not state:
        await mesh.link_changes()


async def take(mesh: Mesh, count: int) -> list[Arrival]:
    arrivals: list[Arrival] = []
    while len(arrivals) < count:
        arrivals += await mesh.receive()
    return arrivals


def dealer(context: "zmq.Context[Any]", server: Mesh, keys: CurveKeys | None = None) -> "zmq.Socket[bytes]":
    """A client that follows no rule of ours but the handshake's."""
    keys = CurveKeys.generate() if keys is None else keys
    made: zmq.Socket[bytes] = context.socket(zmq.DEALER)
    made.linger = 1000
    made.curve_serverkey = z85.encode(server.public_key)
    made.curve_publickey = z85.encode(keys.public)
    made.curve_secretkey = z85.encode(keys.secret)
    return made


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
