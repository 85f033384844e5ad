import asyncio
import socket
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

import pytest
import zmq
from zmq.utils import z85

from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime import links
from kemps_p2p.runtime.probe import speaks_curve
from kemps_p2p.runtime.transport import (
    Arrival,
    CurveKeys,
    Door,
    LinkState,
    Mesh,
    PublicKey,
    new_event_loop,
)

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


# Messages.


def test_messages_go_both_ways_and_name_their_sender() -> None:
    async def main() -> None:
        async with meshes(3) as (a, b, c):
            await introduce(a, b, c)
            assert b.send(a.public_key, b"from b")
            assert c.send(a.public_key, b"from c")
            assert a.send(b.public_key, b"from a")
            assert {(x.peer, x.data) for x in await take(a, 2)} == {
                (b.public_key, b"from b"),
                (c.public_key, b"from c"),
            }
            assert [(x.peer, x.data) for x in await take(b, 1)] == [(a.public_key, b"from a")]

    run(main())


def test_order_of_each_peer_is_kept_and_stamps_never_run_back() -> None:
    async def main() -> None:
        async with meshes(3) as (a, b, c):
            # Nothing is connected when the first are sent: they are held back, then go out before the rest.
            c.admit(table(a, b))
            a.admit(table(c))
            b.admit(table(c))
            for number in range(3000):
                assert a.send(c.public_key, b"%d" % number)
                assert b.send(c.public_key, b"%d" % number)
            arrivals = await take(c, 6000)
            for peer in (a.public_key, b.public_key):
                assert [int(x.data) for x in arrivals if x.peer == peer] == list(range(3000))
            stamps = [x.at_ms for x in arrivals]
            assert stamps == sorted(stamps)

    run(main())


def test_batches_are_bounded_and_lose_nothing() -> None:
    async def main() -> None:
        async with meshes(2, batch_messages_max=7) as (a, b):
            await introduce(a, b)
            for number in range(1000):
                assert a.send(b.public_key, b"%d" % number)
            got: list[Arrival] = []
            while len(got) < 1000:
                batch = await b.receive()
                assert 1 <= len(batch) <= 7
                got += batch
            assert [int(x.data) for x in got] == list(range(1000))
            assert b.arrived() == []

    run(main())


def test_arrived_sees_what_is_there_without_a_pass_of_the_loop() -> None:
    async def main() -> None:
        async with meshes(2) as (a, b):
            await introduce(a, b)
            assert a.send(b.public_key, b"rival")
            poller = zmq.Poller()
            assert b._router is not None
            poller.register(b._router, zmq.POLLIN)
            assert poller.poll(5000)
            assert [x.data for x in b.arrived()] == [b"rival"]
            # Asking took the signal; later messages must wake the loop none the less.
            assert a.send(b.public_key, b"later")
            assert [x.data for x in await b.receive()] == [b"later"]

    run(main())


def test_deliver_hands_over_what_was_there_and_what_comes() -> None:
    async def main() -> None:
        async with meshes(2, batch_messages_max=5) as (a, b):
            await introduce(a, b)
            got: list[bytes] = []
            done = asyncio.get_running_loop().create_future()

            def handle(batch: list[Arrival]) -> None:
                assert 1 <= len(batch) <= 5
                got.extend(x.data for x in batch)
                if len(got) == 200 and not done.done():
                    done.set_result(None)

            for number in range(100):
                assert a.send(b.public_key, b"%d" % number)
            b.deliver(handle)
            for number in range(100, 200):
                assert a.send(b.public_key, b"%d" % number)
            await done
            assert got == [b"%d" % number for number in range(200)]
            b.deliver(None)
            assert a.send(b.public_key, b"awaited")
            assert [x.data for x in await b.receive()] == [b"awaited"]

    run(main())


def test_the_size_limit_is_exact() -> None:
    async def main() -> None:
        async with meshes(1) as (small,), meshes(1, message_bytes_max=2 * BYTES_MAX) as (big,):
            await introduce(small, big)
            assert big.send(small.public_key, bytes(BYTES_MAX))
            assert [len(x.data) for x in await take(small, 1)] == [BYTES_MAX]
            assert big.send(small.public_key, bytes(BYTES_MAX + 1))
            await until(big, small.public_key, LinkState.DOWN)
            await until(big, small.public_key, LinkState.UP)
            assert big.send(small.public_key, b"small again")
            assert [x.data for x in await take(small, 1)] == [b"small again"]
            with pytest.raises(ValueError, match="4097 bytes are more than 4096"):
                small.send(big.public_key, bytes(BYTES_MAX + 1))

    run(main())


def test_more_than_one_part_is_dropped_and_counted() -> None:
    async def main() -> None:
        keys = CurveKeys.generate()
        async with meshes(1) as (a,):
            a.admit({keys.public: None})
            with zmq.Context() as context, dealer(context, a, keys) as raw:
                raw.connect(a.address)
                raw.send_multipart([b"two", b"parts", b"or three"])
                raw.send(b"one")
                assert [x.data for x in await take(a, 1)] == [b"one"]
            assert a.turned_away.malformed == 1

    run(main())


def test_the_sender_is_the_proven_key_whatever_it_calls_itself() -> None:
    async def main() -> None:
        mine = CurveKeys.generate()
        async with meshes(2) as (a, victim):
            a.admit({mine.public: None, victim.public_key: None})
            with zmq.Context() as context, dealer(context, a, mine) as raw:
                raw.setsockopt(zmq.ROUTING_ID, z85.encode(victim.public_key))
                raw.connect(a.address)
                raw.send(b"I am the victim")
                assert [x.peer for x in await take(a, 1)] == [mine.public]

    run(main())


# A slow reader, and closing.


def is_full(mesh: Mesh) -> bool:
    return not mesh._is_reading


def test_a_slow_reader_holds_back_a_bounded_number_and_loses_nothing() -> None:
    async def main() -> None:
        async with meshes(2, queue_messages_max=100, queue_bytes_max=40 * BYTES_MAX) as (a, b):
            await introduce(a, b)
            link = a._links[b.public_key]
            sent = refused_in_a_row = 0
            # Nobody asks `b`, so it stops reading at one batch; from then on every buffer on the way fills.
            while not is_full(b) or refused_in_a_row < 100:
                if a.send(b.public_key, b"%d" % sent + bytes(BYTES_MAX - 8)):
                    sent, refused_in_a_row = sent + 1, 0
                else:
                    refused_in_a_row += 1
                    await asyncio.sleep(0)
                assert len(link._held) <= 40
                assert len(b._inbox) <= 256
                assert sent < 20_000
            arrivals = await take(b, sent)
            assert [int(x.data.rstrip(b"\0")) for x in arrivals] == list(range(sent))
            assert a.send(b.public_key, b"on we go")
            assert [x.data for x in await b.receive()] == [b"on we go"]

    run(main())


def test_a_peer_that_is_not_there_costs_a_bounded_queue() -> None:
    async def main() -> None:
        nobody = CurveKeys.generate().public
        async with meshes(1, queue_messages_max=3, queue_bytes_max=100) as (a,):
            a.admit({nobody: f"tcp://127.0.0.1:{free_port()}"})
            assert [a.send(nobody, b"x") for _ in range(5)] == [True, True, True, False, False]
            await until(a, nobody, LinkState.DOWN)
        async with meshes(1, queue_messages_max=3, queue_bytes_max=100) as (a,):
            a.admit({nobody: f"tcp://127.0.0.1:{free_port()}"})
            assert [a.send(nobody, bytes(60)) for _ in range(2)] == [True, False]
            assert a.send(nobody, bytes(40))

    run(main())


def test_nothing_is_taken_for_a_peer_without_a_link() -> None:
    async def main() -> None:
        async with meshes(2) as (a, b):
            assert not a.send(b.public_key, b"unknown")
            a.admit({b.public_key: None})
            assert not a.send(b.public_key, b"no address")

    run(main())


def test_last_words_still_leave_when_the_mesh_closes() -> None:
    async def main() -> None:
        async with meshes(1, linger_ms=5000) as (a,), meshes(1) as (b,):
            await introduce(a, b)
            # Send until every buffer on the way to the reader is full, so that closing has to wait for it.
            sent = 0
            while not a._links[b.public_key]._held or not is_full(b):
                assert a.send(b.public_key, b"%d" % sent + bytes(BYTES_MAX - 8))
                sent += 1
                await asyncio.sleep(0)
            closing = asyncio.ensure_future(a.close())
            arrivals = await take(b, sent)
            await closing
            assert [int(x.data.rstrip(b"\0")) for x in arrivals] == list(range(sent))

    run(main())


def test_closing_wakes_who_waits_and_is_final() -> None:
    async def main() -> None:
        mesh = Mesh(message_bytes_max=BYTES_MAX)
        with pytest.raises(RuntimeFault, match="not open"):
            await mesh.receive()
        await mesh.open()
        waiting = [asyncio.ensure_future(mesh.receive()), asyncio.ensure_future(mesh.link_changes())]
        await asyncio.sleep(0)
        await mesh.close()
        for outcome in await asyncio.gather(*waiting, return_exceptions=True):
            assert isinstance(outcome, RuntimeFault)
            assert str(outcome) == "the mesh is closed"
        await mesh.close()
        with pytest.raises(RuntimeFault, match="opened before"):
            await mesh.open()
        with pytest.raises(RuntimeFault, match="closed"):
            mesh.admit({})

    run(main())


def test_closing_with_an_unreachable_peer_does_not_hang() -> None:
    async def main() -> None:
        async with meshes(1, linger_ms=100) as (a,):
            nobody = CurveKeys.generate().public
            a.admit({nobody: f"tcp://127.0.0.1:{free_port()}"})
            assert a.send(nobody, b"never")
            async with asyncio.timeout(3):
                await a.close()

    run(main())


# The closed door.


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_stranger_is_refused_until_it_is_admitted() -> None:
    async def main() -> None:
        async with meshes(2) as (a, stranger):
            stranger.admit(table(a))
            assert stranger.send(a.public_key, b"let me in")
            await until(stranger, a.public_key, LinkState.REFUSED)
            assert a.turned_away.strangers >= 1
            assert a.arrived() == []
            # A refused socket never retries by itself; the link makes a new one, and lost nothing.
            a.admit(table(stranger))
            await until(stranger, a.public_key, LinkState.UP)
            assert [(x.peer, x.data) for x in await take(a, 1)] == [(stranger.public_key, b"let me in")]

    run(main())


def test_who_is_removed_is_not_heard_though_connected() -> None:
    async def main() -> None:
        async with meshes(3) as (a, b, c):
            await introduce(a, b, c)
            a.admit(table(c))
            assert b.public_key not in a.links()
            assert b.send(a.public_key, b"still here")
            while a.turned_away.unheard == 0:
                # Each tick is an event that lets `a` read; it ends as soon as the unheard one was read too.
                assert c.send(a.public_key, b"tick")
                assert {x.data for x in await a.receive()} == {b"tick"}

    run(main())


def test_a_wrong_server_key_is_told_and_put_right() -> None:
    async def main() -> None:
        async with meshes(2) as (a, b):
            other = CurveKeys.generate().public
            a.admit({other: b.address})
            b.admit(table(a))
            await until(a, other, LinkState.WRONG_SERVER_KEY)
            assert b.turned_away.wrong_server_key >= 1
            assert b.turned_away.strangers == 0
            a.admit(table(b))
            await until(a, b.public_key, LinkState.UP)
            assert other not in a.links()

    run(main())


def test_a_plaintext_client_is_kept_out() -> None:
    async def main() -> None:
        async with meshes(2) as (a, b):
            await introduce(a, b)
            # A greeting as ZMTP 3 writes it: signature, version, mechanism, client, filler. ZeroMQ's own
            # client often hangs up before it has sent all of it.
            greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
            host, port = a.address.removeprefix("tcp://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(greeting)
            with suppress(ConnectionError):
                while await reader.read(4096):
                    pass
            writer.close()
            while a.turned_away.not_curve == 0:
                assert b.send(a.public_key, b"tick")
                assert {x.peer for x in await a.receive()} == {b.public_key}

    run(main())


def test_a_plaintext_message_never_arrives() -> None:
    async def main() -> None:
        async with meshes(2) as (a, b):
            await introduce(a, b)
            with zmq.Context() as context, context.socket(zmq.DEALER) as plain:
                plain.linger = 0
                plain.monitor("inproc://plain", zmq.EVENT_DISCONNECTED)
                with context.socket(zmq.PAIR) as events:
                    events.connect("inproc://plain")
                    plain.connect(a.address)
                    plain.send(b"no handshake")
                    assert events.poll(5000)
                    plain.monitor(None, 0)
            assert b.send(a.public_key, b"tick")
            assert [x.peer for x in await a.receive()] == [b.public_key]

    run(main())


def test_a_peer_that_speaks_no_curve_is_told_apart() -> None:
    async def main() -> None:
        async with meshes(1) as (a,):
            with zmq.Context() as context, context.socket(zmq.ROUTER) as plain:
                plain.linger = 0
                plain.bind("tcp://127.0.0.1:0")
                peer = CurveKeys.generate().public
                a.admit({peer: plain.getsockopt_string(zmq.LAST_ENDPOINT)})
                await until(a, peer, LinkState.NOT_CURVE)

    run(main())


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (b"\xff" + bytes(7) + b"\x01\x7f\x03\x01" + b"CURVE".ljust(20, b"\0") + bytes(32), True),
        (b"\xff" + bytes(7) + b"\x01\x7f\x03\x01" + b"NULL".ljust(20, b"\0") + bytes(32), False),
        (b"\xff" + bytes(7) + b"\x01\x7f\x03\x01" + b"CURVED".ljust(20, b"\0") + bytes(32), False),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", False),
        (b"SSH-2.0\r\n", False),
        (b"\xff" + bytes(7) + b"\x01\x7f\x03", None),
        (b"", None),
    ],
)
def test_a_probe_tells_what_listens(said: bytes, expected: bool | None) -> None:
    async def main() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(11)
            writer.write(said)
            await writer.drain()
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            assert await speaks_curve("127.0.0.1", server.sockets[0].getsockname()[1]) is expected

    run(main())


def test_a_probe_of_real_listeners_and_of_nobody() -> None:
    async def main() -> None:
        assert await speaks_curve("127.0.0.1", free_port()) is None
        async with meshes(1) as (a,):
            assert await speaks_curve("127.0.0.1", int(a.address.split(":")[2])) is True
        with zmq.Context() as context, context.socket(zmq.ROUTER) as plain:
            plain.linger = 0
            port = plain.bind_to_random_port("tcp://127.0.0.1")
            assert await speaks_curve("127.0.0.1", port) is False

    run(main())


def test_garbage_before_the_handshake_disturbs_nobody() -> None:
    async def main() -> None:
        async with meshes(2) as (a, b):
            await introduce(a, b)
            host, port = a.address.removeprefix("tcp://").split(":")
            for garbage in (
                b"GET / HTTP/1.1\r\n\r\n" * 8,
                bytes(200),
                b"\xff" * 500,
                b"\xff\0\0\0\0\0\0\0\x01\x7f",
            ):
                _, writer = await asyncio.open_connection(host, int(port))
                writer.write(garbage)
                await writer.drain()
                assert b.send(a.public_key, b"still fine")
                assert [x.data for x in await a.receive()] == [b"still fine"]
                writer.close()
                with suppress(ConnectionError):
                    await writer.wait_closed()

    run(main())


def test_with_the_authenticator_stopped_nobody_gets_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "HANDSHAKE_MS", 300)

    async def main() -> None:
        door = Door()
        door.open()
        async with meshes(1) as (friend,):
            inside = Mesh(message_bytes_max=BYTES_MAX, door=door)
            await inside.open()
            inside.admit(table(friend))
            door.stop()
            friend.admit(table(inside))
            assert friend.send(inside.public_key, b"an admitted key, but nobody asks")
            # The handshake stalls until its time is over, and never succeeds.
            seen = [change.state for change in await friend.link_changes()]
            assert seen == [LinkState.DOWN]
            assert inside.arrived() == []
            await inside.close()
        await door.close()

    run(main())


def test_a_stopped_authenticator_leaves_standing_links_up() -> None:
    async def main() -> None:
        door = Door()
        door.open()
        async with meshes(2, door=door) as (a, b):
            await introduce(a, b)
            door.stop()
            assert a.send(b.public_key, b"we know each other")
            assert [x.data for x in await b.receive()] == [b"we know each other"]
        await door.close()

    run(main())


def test_one_door_keeps_the_tables_of_its_meshes_apart() -> None:
    async def main() -> None:
        door = Door()
        door.open()
        async with meshes(2, door=door) as (a, b), meshes(1) as (c,):
            a.admit(table(c))
            c.admit(table(a, b))
            await until(c, a.public_key, LinkState.UP)
            await until(c, b.public_key, LinkState.REFUSED)
            assert (a.turned_away.strangers, b.turned_away.strangers >= 1) == (0, True)
        await door.close()

    run(main())


@pytest.mark.parametrize(
    "change",
    [
        {0: b"2.0"},
        {2: b"elsewhere"},
        {2: b""},
        {2: b"*"},
        {5: b"NULL"},
        {5: b"PLAIN"},
        {6: bytes(32)},
        {6: b""},
        {},
    ],
)
def test_the_door_refuses_every_question_but_the_right_one(change: dict[int, bytes]) -> None:
    async def main() -> None:
        key = CurveKeys.generate().public
        door = Door()
        door.open()
        door.admit("table", [key])
        question = [b"1.0", b"77", b"table", b"127.0.0.1", b"", b"CURVE", bytes(key)]
        for index, field in change.items():
            question[index] = field
        with door.context.socket(zmq.REQ) as asking:
            asking.linger = 0
            asking.connect("inproc://zeromq.zap.01")
            asking.send_multipart(question)
            asking.rcvtimeo = 5000
            answer = await asyncio.get_running_loop().run_in_executor(None, asking.recv_multipart)
        if change:
            assert (answer[2], answer[4]) == (b"400", b"")
        else:
            assert (answer[2], answer[4]) == (b"200", z85.encode(key))
        assert answer[1] == b"77"
        await door.close()

    run(main())


@pytest.mark.parametrize("frames", [[b"1.0"], [b""], [b"1.0", b"1", b"table"], [b"x"] * 12])
def test_the_door_survives_questions_without_a_form(frames: list[bytes]) -> None:
    door = Door()
    assert door._answer(frames)[2] == b"400"


# Addresses and failures of this machine.


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ipc:///run/lock",
        "inproc://zeromq.zap.01",
        "tcp://127.0.0.1",
        "tcp://127.0.0.1:0",
        "tcp://127.0.0.1:70000",
        "tcp://127.0.0.1:*",
        "tcp://127.0.0.1:1;127.0.0.1:2",
        "tcp://127.0.0.1:1\n",
        "udp://127.0.0.1:1",
        "tcp://..:1",
    ],
)
def test_an_address_that_a_peer_should_not_name_is_never_tried(address: str) -> None:
    async def main() -> None:
        async with meshes(1) as (a,):
            peer = CurveKeys.generate().public
            a.admit({peer: address})
            assert a.links() == {peer: LinkState.BAD_ADDRESS}
            changes = await a.link_changes()
            assert [(x.peer, x.state) for x in changes] == [(peer, LinkState.BAD_ADDRESS)]

    run(main())


def test_a_port_in_use_is_one_clear_line() -> None:
    async def main() -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            bind = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
            mesh = Mesh(message_bytes_max=BYTES_MAX, bind=bind)
            with pytest.raises(RuntimeFault) as caught:
                await mesh.open()
            assert str(caught.value) == f"cannot listen on {bind}: Address already in use"

    run(main())


def test_an_address_of_another_machine_is_one_clear_line() -> None:
    async def main() -> None:
        mesh = Mesh(message_bytes_max=BYTES_MAX, bind="tcp://192.0.2.1:5000")
        with pytest.raises(RuntimeFault, match=r"^cannot listen on tcp://192\.0\.2\.1:5000: .+$"):
            await mesh.open()

    run(main())


def test_a_loop_that_cannot_watch_sockets_is_told() -> None:
    class Deaf(asyncio.SelectorEventLoop):
        def add_reader(self, *_: object) -> None:
            raise NotImplementedError

    async def main() -> None:
        with pytest.raises(RuntimeFault, match="a selector loop is needed"):
            await Mesh(message_bytes_max=BYTES_MAX).open()

    with asyncio.Runner(loop_factory=Deaf) as runner:
        runner.run(main())


def test_a_dropped_link_lets_go_of_its_connection() -> None:
    # If monitors were closed in the wrong order, ZeroMQ would stop closing sockets after the first one.
    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with meshes(1) as (a,):
            with socket.create_server(("127.0.0.1", 0)) as silent:
                silent.setblocking(False)
                address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
                for _ in range(5):
                    a.admit({CurveKeys.generate().public: address})
                    connection, _ = await loop.sock_accept(silent)
                    with connection:
                        connection.setblocking(False)
                        a.admit({})
                        while await loop.sock_recv(connection, 4096):
                            pass

    run(main())


def test_a_peer_admits_everybody_but_itself() -> None:
    async def main() -> None:
        async with meshes(1) as (a,):
            with pytest.raises(ValueError, match="itself"):
                a.admit(table(a))

    run(main())


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_curve_key_has_32_bytes(size: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        CurveKeys(PublicKey(bytes(size)), bytes(32))
    with pytest.raises(ValueError, match="32 bytes"):
        CurveKeys(PublicKey(bytes(32)), bytes(size))


def test_keys_do_not_show_their_secret() -> None:
    keys = CurveKeys.generate()
    assert repr(keys.secret) not in repr(keys)
    assert len({CurveKeys.generate().public for _ in range(10)}) == 10
