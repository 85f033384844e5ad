"""Addresses that peers name, and failures of this machine."""

import asyncio
import socket

import pytest
from transport_helpers import BYTES_MAX, meshes, run, table

from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.transport import CurveKeys, LinkState, Mesh, PublicKey


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
