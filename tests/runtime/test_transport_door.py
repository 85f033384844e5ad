"""The closed door of a mesh: strangers, wrong keys, no keys, garbage, and an authenticator that stops."""

import asyncio
from contextlib import suppress

import pytest
import zmq
from transport_helpers import BYTES_MAX, free_port, introduce, meshes, run, table, take, until
from zmq.utils import z85

from kemps_p2p.runtime import links
from kemps_p2p.runtime.probe import speaks_curve
from kemps_p2p.runtime.transport import CurveKeys, Door, LinkState, Mesh


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
