"""Links follow whoever moves: three peers on loopback, in one process, with a table that is out of date."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from join_helpers import LOOPBACK

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime import roaming
from kemps_p2p.runtime.addresses import Interface, Place
from kemps_p2p.runtime.links import is_address
from kemps_p2p.runtime.meeting import Table
from kemps_p2p.runtime.profile import new_match_files
from kemps_p2p.runtime.roaming import Roaming
from kemps_p2p.runtime.transport import LinkState, Mesh, PublicKey, new_event_loop, now_ms
from kemps_p2p.runtime.wayback import KeptSeat, WayBack
from kemps_p2p.runtime.whereabouts import (
    PLACES_MAX,
    Whereabouts,
    in_order,
    read_whereabouts,
    sign_whereabouts,
)
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.messages import Moved

PLACES = (
    "tcp://[fe80::1%eth0]:5", "tcp://[::1%lo]:1", "tcp://[::]:1", "tcp://[:::]:1", "tcp://1.2.3.4:1",
    "tcp://1.2.3:1", "tcp://host:1", "tcp://[::ffff:1.2.3.4]:9", "tcp://0.0.0.0:1", "tcp://[fd00::9]:1",
)  # fmt: skip
LO = (Interface("lo", LOOPBACK, 8),)
IDENTITIES = tuple(Identity.derived(b"roaming", f"peer {index}") for index in range(3))
CURVES = tuple(PublicKey(bytes([index]) * 32) for index in range(3))
KNOWN = {curve: identity.public for curve, identity in zip(CURVES, IDENTITIES, strict=True)}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roaming, "LOOK_S", 0.02)
    # Shorter than a handshake takes on a busy machine, and no link would ever come up.
    monkeypatch.setattr(roaming, "TRY_MS", 600)


def dead_address() -> str:
    """Where nobody listens."""
    with socket.create_server((LOOPBACK, 0)) as taken:
        return f"tcp://{LOOPBACK}:{taken.getsockname()[1]}"


class Peers:
    """Three peers; the table has those of `moved` at addresses where nobody listens any more."""

    def __init__(self, meshes: list[Mesh], moved: Iterable[int]) -> None:
        self.meshes = meshes
        curves = tuple(mesh.public_key for mesh in meshes)
        addresses = {mesh.public_key: mesh.address for mesh in meshes}
        for index in moved:
            addresses[curves[index]] = dead_address()
        roster = tuple(identity.public for identity in IDENTITIES)
        self.table = Table(roster, curves, addresses)
        self.carriers = []
        for index, (mesh, identity) in enumerate(zip(meshes, IDENTITIES, strict=True)):
            carrier = Roaming(mesh, identity, self.table, WayBack(mesh.keys, mesh.address), lambda: LO)
            carrier.deliver(lambda arrivals: self.heard.extend(each.data for each in arrivals))
            if index in moved:
                carrier.come_back(())
            self.carriers.append(carrier)
        self.heard: list[bytes] = []

    def all_up(self) -> bool:
        return all(state is LinkState.UP for mesh in self.meshes for state in mesh.links().values())


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


@asynccontextmanager
async def peers(moved: Iterable[int]) -> AsyncIterator[Peers]:
    meshes = [Mesh(message_bytes_max=4096) for _ in range(3)]
    for mesh in meshes:
        await mesh.open()
    try:
        yield Peers(meshes, moved)
    finally:
        for mesh in meshes:
            await mesh.close()


def run(scene: Callable[[Peers], Callable[[], bool]], moved: Iterable[int]) -> None:
    """Let three peers run until what the scene waits for holds."""

    async def main() -> None:
        async with asyncio.timeout(30), peers(moved) as three:
            waiting = asyncio.create_task(until(scene(three)))
            along = [asyncio.create_task(each.along(asyncio.shield(waiting))) for each in three.carriers]
            await asyncio.gather(*along)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main())


def test_whoever_comes_back_elsewhere_is_followed() -> None:
    run(lambda three: three.all_up, moved=[1])


def test_two_who_have_moved_find_each_other_by_a_third() -> None:
    run(lambda three: three.all_up, moved=[1, 2])


def test_words_of_carriers_reach_no_match_and_all_else_does() -> None:
    def scene(three: Peers) -> Callable[[], bool]:
        three.carriers[0].send(three.meshes[2].public_key, b"a message")
        return lambda: three.all_up() and three.heard == [b"a message"]

    run(scene, moved=[2])


def begin_at(three: Peers, address: str) -> None:
    """The link of the first peer to the second leads to where the second is not."""
    _, b, _ = three.meshes
    carrier = three.carriers[0]
    carrier._ways[b.public_key].address = address
    carrier._admit()


def test_a_false_hint_costs_time_and_no_more() -> None:
    """Another peer answers there, with its own key; and then the one who is meant, where it always was."""

    def scene(three: Peers) -> Callable[[], bool]:
        _, b, c = three.meshes
        begin_at(three, dead_address())
        three.carriers[0]._sought(b.public_key, (c.address,))
        tried: set[str] = set()

        def holds() -> bool:
            tried.add(three.carriers[0]._ways[b.public_key].address)
            return c.address in tried and three.all_up()

        return holds

    run(scene, moved=[])


def test_an_old_word_of_a_peer_is_set_right_by_it() -> None:
    """As after a backup was played back: it hears what it once said, and says more."""

    def scene(three: Peers) -> Callable[[], bool]:
        _, b, c = three.meshes
        begin_at(three, c.address)
        word = Whereabouts(curve=b.public_key, addresses=(c.address,), number=7)
        three.carriers[0]._take(sign_whereabouts(IDENTITIES[1], word))
        way = three.carriers[0]._ways[b.public_key]
        return lambda: three.all_up() and way.word is not None and way.word.addresses == (b.address,)

    run(scene, moved=[])


def test_a_word_that_is_played_back_leads_nobody_back() -> None:
    async def main() -> None:
        async with peers([]) as three:
            curve, way = three.meshes[1].public_key, three.carriers[0]._ways[three.meshes[1].public_key]
            for number, address in (
                (2, "tcp://127.0.0.1:2"),
                (1, "tcp://127.0.0.1:1"),
                (2, "tcp://127.0.0.1:1"),
            ):
                said = Whereabouts(curve=curve, addresses=(address,), number=number)
                three.carriers[0]._take(sign_whereabouts(IDENTITIES[1], said))
                assert way.word is not None
                assert (way.word.number, way.word.addresses) == (2, ("tcp://127.0.0.1:2",))

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main())


def test_a_peer_says_only_where_it_listens_and_tries_an_address_for_a_while() -> None:
    async def main() -> None:
        async with peers([]) as three:
            carrier, mesh, other = three.carriers[0], three.meshes[0], three.meshes[1].public_key
            carrier.deliver(None)
            assert mesh._handler is None
            # Where the table has it, it need not say that it is there.
            carrier.come_back(())
            carrier._mind_own(())
            assert carrier._hosts == (LOOPBACK,)
            assert not carrier._said
            way, now = carrier._ways[other], now_ms()
            way.tried_ms = 0
            carrier._try_elsewhere(other, LO, now)
            assert way.tried_ms == 0, "there is nowhere else to try"
            way.word, way.tried_ms = word(1, "tcp://127.0.0.1:2"), now
            carrier._try_elsewhere(other, LO, now + roaming.TRY_MS - 1)
            assert way.address == three.meshes[1].address
            carrier._try_elsewhere(other, LO, now + roaming.TRY_MS)
            assert way.address == "tcp://127.0.0.1:2"
            # An address of this machine at which it cannot listen, as if the port were another's there.
            carrier._bound = Place("192.0.2.1", carrier._bound.port)
            carrier._mind_own((Interface("eth0", "192.0.2.9", 24),))
            assert not carrier._hosts
            assert not carrier._said

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main())


# What is believed


def word(number: int = 1, *addresses: str, curve: PublicKey = CURVES[1]) -> Whereabouts:
    return Whereabouts(curve=curve, addresses=addresses or ("tcp://10.0.0.2:5368",), number=number)


def test_what_a_peer_has_signed_is_believed() -> None:
    assert read_whereabouts(sign_whereabouts(IDENTITIES[1], word()), KNOWN) == word()


@pytest.mark.parametrize(
    ("moved", "fault"),
    [
        (sign_whereabouts(IDENTITIES[2], word()), Fault.BAD_SIGNATURE),
        (sign_whereabouts(IDENTITIES[1], word(curve=PublicKey(bytes(32)[:31] + b"x"))), Fault.WRONG_SEAT),
        (sign_whereabouts(IDENTITIES[1], word(1, "ipc://somewhere")), Fault.MALFORMED),
        (sign_whereabouts(IDENTITIES[1], word(1, *["tcp://10.0.0.2:1"] * (PLACES_MAX + 1))), Fault.MALFORMED),
        (Moved(raw=bytes(5000), signature=bytes(64)), Fault.TOO_LARGE),
        (Moved(raw=b"", signature=bytes(64)), Fault.MALFORMED),
        (
            Moved(raw=encode(word()), signature=IDENTITIES[1].sign("kemps/v1/contact", encode(word()))),
            Fault.BAD_SIGNATURE,
        ),
    ],
    ids=[
        "of another",
        "of nobody here",
        "into the machine",
        "too many",
        "too large",
        "nothing",
        "another label",
    ],
)
def test_what_leads_nowhere_is_not(moved: Moved, fault: Fault) -> None:
    with pytest.raises(PeerFault) as caught:
        read_whereabouts(moved, KNOWN)
    assert caught.value.code is fault


def test_addresses_beside_the_old_one_are_tried_first() -> None:
    here = (Interface("eth0", "192.168.1.5", 24), Interface("tun0", "10.99.0.5", 24))
    told = [
        "tcp://172.16.0.9:5368",
        "tcp://10.99.0.9:5368",
        "tcp://host.example:5368",
        "tcp://192.168.1.9:5368",
    ]
    before = "tcp://192.168.1.7:5368"
    assert in_order(told, before, here) == [told[3], told[1], told[0], told[2]]


@given(
    st.lists(st.sampled_from(PLACES), max_size=PLACES_MAX),
    st.sampled_from(PLACES),
)
def test_whatever_a_peer_calls_its_addresses_each_is_tried_once(told: list[str], before: str) -> None:
    here = (Interface("eth0", "192.168.1.5", 24), Interface("eth0", "fd00::5", 64))
    kept = [address for address in told if is_address(address)]
    assert sorted(in_order(kept, before, here)) == sorted(kept)


def test_where_others_are_is_kept_for_a_restart_and_no_longer_than_the_match(tmp_path: Path) -> None:
    mesh = Mesh(message_bytes_max=4096)
    files, back = new_match_files(tmp_path), WayBack(mesh.keys, "tcp://127.0.0.1:5368")
    table = Table(tuple(KNOWN.values()), CURVES, dict.fromkeys(CURVES, "tcp://127.0.0.1:1"))
    setup = Setup(
        identity=IDENTITIES[0], seat=Seat(0), roster=table.roster, meeting=table.digest, name="Ann",
        rules=load_rules("kemps"), group="stub", secret=files.secret,
    )  # fmt: skip
    back.keep(files, setup, table, tmp_path)
    moved = (sign_whereabouts(IDENTITIES[1], word()),)
    back.moved(moved)
    assert back.kept is not None
    read = back.kept[0].read()
    assert read == encode(back.kept[1])
    assert back.kept[1].moved == moved
    assert isinstance(back.kept[1], KeptSeat)
    files.seat.unlink()
    back.moved(moved)
    assert not files.seat.exists()
    # A rematch begins with what is known.
    again = new_match_files(tmp_path)
    back.keep(again, setup, table, tmp_path)
    assert back.kept[1].moved == moved
