"""Peers in processes of their own: killed, restarted, frozen; and what a round trip costs there.

Run as a program, this file is the other peer: it says its key and address, reads lines of "KEY ADDRESS" and
admits exactly those, and sends every message back.
"""

import asyncio
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
import zmq

from kemps_p2p.runtime.transport import Arrival, CurveKeys, LinkState, Mesh, PublicKey, new_event_loop

BYTES_MAX = 65536
TIMEOUT_S = 15


class Echo:
    """An echo peer in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]", stdin: IO[str], public_key: PublicKey) -> None:
        self.process, self._stdin, self.public_key = process, stdin, public_key
        self.address = ""

    def admit(self, mesh: Mesh) -> None:
        self._stdin.write(f"{mesh.public_key.hex()} {mesh.address}\n")
        self._stdin.flush()

    def table(self) -> dict[PublicKey, str | None]:
        return {self.public_key: self.address}


@contextmanager
def echo_peer(bare: str = "") -> Iterator[Echo]:
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), *([bare] if bare else [])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            key, address = process.stdout.readline().split()
            echo = Echo(process, process.stdin, PublicKey(bytes.fromhex(key)))
            echo.address = address
            yield echo
        finally:
            process.kill()


async def until(mesh: Mesh, peer: PublicKey, state: LinkState) -> None:
    while mesh.links()[peer] is not state:
        await mesh.link_changes()


async def ask(mesh: Mesh, peer: PublicKey, data: bytes) -> None:
    assert mesh.send(peer, data)
    assert [(x.peer, x.data) for x in await mesh.receive()] == [(peer, data)]


def with_mesh(main: "Callable[[Mesh], object]") -> None:
    async def bounded() -> None:
        async with asyncio.timeout(TIMEOUT_S):
            mesh = Mesh(message_bytes_max=BYTES_MAX)
            await mesh.open()
            try:
                outcome = main(mesh)
                assert asyncio.iscoroutine(outcome)
                await outcome
            finally:
                await mesh.close()

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(bounded())


def test_a_killed_peer_shows_at_once_and_comes_back_elsewhere() -> None:
    async def main(mesh: Mesh) -> None:
        with echo_peer() as first:
            first.admit(mesh)
            mesh.admit(first.table())
            await until(mesh, first.public_key, LinkState.UP)
            await ask(mesh, first.public_key, b"before")
            first.process.send_signal(signal.SIGKILL)
            await until(mesh, first.public_key, LinkState.DOWN)
            with echo_peer() as second:
                assert second.address != first.address
                second.admit(mesh)
                mesh.admit(second.table())
                await until(mesh, second.public_key, LinkState.UP)
                assert first.public_key not in mesh.links()
                await ask(mesh, second.public_key, b"after")

    with_mesh(main)


def test_a_peer_that_moves_keeps_its_key_and_what_waits_for_it() -> None:
    async def main(mesh: Mesh) -> None:
        keys = CurveKeys.generate()
        first = Mesh(message_bytes_max=BYTES_MAX, keys=keys)
        await first.open()
        first.admit({mesh.public_key: mesh.address})
        mesh.admit({keys.public: first.address})
        await until(mesh, keys.public, LinkState.UP)
        await first.close()
        await until(mesh, keys.public, LinkState.DOWN)
        second = Mesh(message_bytes_max=BYTES_MAX, keys=keys)
        await second.open()
        second.admit({mesh.public_key: mesh.address})
        mesh.admit({keys.public: second.address})
        assert mesh.send(keys.public, b"forwarded")
        assert [x.data for x in await second.receive()] == [b"forwarded"]
        await second.close()

    with_mesh(main)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot stop a process and let it go on")
def test_a_frozen_peer_shows_by_its_missing_heartbeats_and_thaws() -> None:
    async def main(mesh: Mesh) -> None:
        with echo_peer() as peer:
            peer.admit(mesh)
            mesh.admit(peer.table())
            await until(mesh, peer.public_key, LinkState.UP)
            frozen_s = time.monotonic()
            peer.process.send_signal(signal.SIGSTOP)
            await until(mesh, peer.public_key, LinkState.DOWN)
            assert time.monotonic() - frozen_s < 3
            # Said while it cannot hear, heard when it can.
            assert mesh.send(peer.public_key, b"wake up")
            peer.process.send_signal(signal.SIGCONT)
            assert [x.data for x in await mesh.receive()] == [b"wake up"]
            await until(mesh, peer.public_key, LinkState.UP)

    with_mesh(main)


def test_a_peer_that_dies_where_nobody_has_read_for_long_ends_nobody_else() -> None:
    """It has sent more than is kept: libzmq ends a process whose own beats find such a connection lost."""

    async def main(mesh: Mesh) -> None:
        with echo_peer("flood") as peer:
            peer.admit(mesh)
            mesh.admit(peer.table())
            await until(mesh, peer.public_key, LinkState.UP)
            # Nobody receives, so reading stops at the mark.
            await asyncio.sleep(0.2)
            peer.process.kill()
            await until(mesh, peer.public_key, LinkState.DOWN)
            await asyncio.sleep(1.5)
        count = 0
        while batch := mesh.arrived():
            count += len(batch)
        assert count > 1000

    with_mesh(main)


@pytest.mark.soak
def test_a_round_trip_costs_at_most_two_and_a_half_bare_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """Rounds alternate, so that both see the same machine; the medians of rounds are compared."""
    bare_s: list[float] = []
    mesh_s: list[float] = []
    payload = bytes(200)

    async def main(mesh: Mesh) -> None:
        with echo_peer() as peer, echo_peer("bare") as bare, zmq.Context() as context:
            peer.admit(mesh)
            mesh.admit(peer.table())
            await until(mesh, peer.public_key, LinkState.UP)
            with context.socket(zmq.DEALER) as dealer:
                dealer.linger = 0
                public, secret = zmq.curve_keypair()
                dealer.curve_publickey, dealer.curve_secretkey = public, secret
                dealer.curve_serverkey = zmq.utils.z85.encode(bare.public_key)
                dealer.connect(bare.address)
                for _ in range(20):
                    bare_s.extend(bare_round(dealer, payload, 300))
                    mesh_s.extend(await mesh_round(mesh, peer.public_key, payload, 300))

    with_mesh(main)
    ratio = statistics.median(mesh_s) / statistics.median(bare_s)
    with capsys.disabled():
        sys.stdout.write(f"\nbare {quantiles(bare_s)}; mesh {quantiles(mesh_s)}; ratio {ratio:.2f}\n")
    assert ratio < 2.5


def quantiles(samples_s: list[float]) -> str:
    cuts = statistics.quantiles(samples_s, n=20)
    return f"p50 {cuts[9] * 1e6:.0f} µs, p95 {cuts[18] * 1e6:.0f} µs"


def bare_round(dealer: "zmq.Socket[bytes]", payload: bytes, count: int) -> list[float]:
    samples = []
    for _ in range(count):
        start = time.perf_counter()
        dealer.send(payload)
        dealer.recv()
        samples.append(time.perf_counter() - start)
    return samples


async def mesh_round(mesh: Mesh, peer: PublicKey, payload: bytes, count: int) -> list[float]:
    samples: list[float] = []
    done = asyncio.get_running_loop().create_future()
    start = time.perf_counter()

    def handle(_: list[Arrival]) -> None:
        nonlocal start
        now = time.perf_counter()
        samples.append(now - start)
        if len(samples) == count:
            done.set_result(None)
            return
        start = time.perf_counter()
        mesh.send(peer, payload)

    mesh.deliver(handle)
    start = time.perf_counter()
    mesh.send(peer, payload)
    await done
    mesh.deliver(None)
    return samples


# The other process.


async def serve() -> None:
    mesh = Mesh(message_bytes_max=BYTES_MAX)
    await mesh.open()
    sys.stdout.write(f"{mesh.public_key.hex()} {mesh.address}\n")
    sys.stdout.flush()
    loop = asyncio.get_running_loop()
    threading.Thread(target=read_table, args=(loop, mesh), daemon=True).start()

    def answer(batch: list[Arrival]) -> None:
        for arrival in batch:
            mesh.send(arrival.peer, arrival.data)

    mesh.deliver(answer)
    while "flood" in sys.argv:
        for peer in mesh.links():
            while mesh.send(peer, bytes(300)):
                pass
        await asyncio.sleep(0.001)
    await asyncio.Event().wait()


def read_table(loop: asyncio.AbstractEventLoop, mesh: Mesh) -> None:
    for line in sys.stdin:
        key, address = line.split()
        loop.call_soon_threadsafe(mesh.admit, {PublicKey(bytes.fromhex(key)): address})


def serve_bare() -> None:
    keys = CurveKeys.generate()
    router: zmq.Socket[bytes] = zmq.Context().socket(zmq.ROUTER)
    router.curve_server = True
    router.curve_publickey = zmq.utils.z85.encode(keys.public)
    router.curve_secretkey = zmq.utils.z85.encode(keys.secret)
    router.bind("tcp://127.0.0.1:0")
    sys.stdout.write(f"{keys.public.hex()} {router.getsockopt_string(zmq.LAST_ENDPOINT)}\n")
    sys.stdout.flush()
    while True:
        router.send_multipart(router.recv_multipart())


if __name__ == "__main__":
    if sys.argv[1:] == ["bare"]:
        serve_bare()
    else:
        asyncio.run(serve())
