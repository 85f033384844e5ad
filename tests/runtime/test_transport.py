"""Meshes that talk: what arrives, in which order, how much is held, and how they close."""

import asyncio

import pytest
import zmq
from transport_helpers import BYTES_MAX, dealer, free_port, introduce, meshes, run, table, take, until
from zmq.utils import z85

from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime import transport
from kemps_p2p.runtime.transport import Arrival, CurveKeys, LinkState, Mesh

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


def test_whoever_sends_something_back_on_a_link_is_cut_off() -> None:
    """An honest peer uses its own link. Many messages unread would stop our reading; see `beat`."""

    async def main() -> None:
        keys = CurveKeys.generate()
        async with meshes(1) as (a,):
            with zmq.Context() as context, context.socket(zmq.ROUTER) as raw:
                raw.linger = 0
                raw.curve_server = True
                raw.curve_publickey, raw.curve_secretkey = z85.encode(keys.public), z85.encode(keys.secret)
                port = raw.bind_to_random_port("tcp://127.0.0.1")
                a.admit({keys.public: f"tcp://127.0.0.1:{port}"})
                await until(a, keys.public, LinkState.UP)
                assert a.send(keys.public, b"hello")
                while not raw.poll(0):
                    await asyncio.sleep(0.01)
                caller, said = raw.recv_multipart()
                assert said == b"hello"
                raw.send_multipart([caller, b"not so"])
                await until(a, keys.public, LinkState.DOWN)
                # It may try again, as if it had been away.
                await until(a, keys.public, LinkState.UP)

    run(main())


# A slow reader, and closing.


@pytest.mark.parametrize(("messages", "size_bytes"), [(50, 1 << 20), (1000, 50 * 5)])
def test_of_a_slow_reader_s_peers_a_bounded_number_is_kept(
    messages: int, size_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What each sends beyond that is lost, and the others lose nothing by it."""
    monkeypatch.setattr(transport, "ARRIVED_MESSAGES", messages)
    monkeypatch.setattr(transport, "ARRIVED_BYTES", size_bytes)

    async def main() -> None:
        async with meshes(3, batch_messages_max=7) as (a, b, c):
            await introduce(a, b, c)
            for number in range(200):
                assert a.send(b.public_key, b"%05d" % number)
            while b.turned_away.beyond < 150:
                await asyncio.sleep(0.01)
            assert c.send(b.public_key, b"other")
            arrivals = await take(b, 51)
            mine = [int(x.data) for x in arrivals if x.peer == a.public_key]
            assert mine == list(range(50))
            assert b.arrived() == []
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
            # Send until every buffer on the way is full, so that closing has to wait for the reader.
            sent = 0
            while not a._links[b.public_key]._held:
                assert a.send(b.public_key, b"%d" % sent + bytes(BYTES_MAX - 8))
                sent += 1
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
