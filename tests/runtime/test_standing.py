"""What runs a stand-in: its files, its place beside the peers of a table, and who has a word at its seat."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_roaming import IDENTITIES, LO, peers, quick, until

from kemps_p2p.codec import encode
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime import roaming
from kemps_p2p.runtime.bot_nodes import BotNodes
from kemps_p2p.runtime.meeting import Table
from kemps_p2p.runtime.profile import new_match_files, own_identity
from kemps_p2p.runtime.roaming import Roaming
from kemps_p2p.runtime.standing import StandIns
from kemps_p2p.runtime.transport import Arrival, LinkState, Mesh, PublicKey, new_event_loop, now_ms
from kemps_p2p.runtime.wayback import Came, WayBack, unfinished
from kemps_p2p.runtime.ways import Ways
from kemps_p2p.runtime.zap import CurveKeys
from kemps_p2p.session import effects as fx
from kemps_p2p.session.journal import Remembered
from kemps_p2p.session.lobby import Setup
from protocol_table import identity, match_secret, table

__all__ = ["quick"]  # Where it is found, it holds for all tests here.

BEN = Seat(1)
CURVES = tuple(PublicKey(bytes([seat]) * 32) for seat in range(4))
GUEST = PublicKey(b"g" * 32)


# Its files


@dataclass
class Started:
    """Stands for what runs processes: notes what it is to start."""

    homes: list[tuple[Path, str]] = field(default_factory=list)
    fault: RuntimeFault | None = None

    async def stand_in(self, home: Path, match: str) -> "asyncio.Task[str | None]":
        if self.fault is not None:
            raise self.fault
        self.homes.append((home, match))
        return asyncio.create_task(self._played())

    async def _played(self) -> str | None:
        return None


def failed(told: list[tuple[Seat, str]]) -> Callable[[Seat, str], None]:
    """Notes what is told of bots that fail."""
    return lambda seat, text: told.append((seat, text))


def owned(home: Path, bots: Started) -> StandIns:
    """What seat 0 of the examples runs; its match has begun."""
    at_table, files = table(), new_match_files(home, match_secret(Seat(0)))
    roster = at_table.founding.keys
    place = Table(roster, CURVES, dict.fromkeys(CURVES, "tcp://127.0.0.1:1"))
    way_back = WayBack(CurveKeys.generate(), "tcp://127.0.0.1:5368")
    setup = Setup(
        identity=identity(Seat(0)), seat=Seat(0), roster=roster, meeting=bytes(range(32)), name="Ann",
        rules=load_rules("kemps"), group="ristretto255", secret=files.secret,
    )  # fmt: skip
    way_back.keep(files, setup, place, home)
    names = at_table.lobbies[0].name_openings
    heading = at_table.signed, Remembered(meeting=setup.meeting, wall_ms=0, names=names)
    files.journal.write_bytes(b"".join(map(encode, heading)))
    return StandIns(bots, home / "bots", place, way_back)  # type: ignore[arg-type]  # of bots no more is asked


def test_a_bot_that_has_its_seat_comes_back_to_it_as_any_peer(tmp_path: Path) -> None:
    bots = Started()
    stand_ins = owned(tmp_path, bots)
    drawn, other = stand_ins.draw(), stand_ins.draw()
    assert list(tmp_path.glob("bots/*")) == []
    told: list[tuple[Seat, str]] = []

    async def main() -> None:
        key = drawn.signs[0].public
        stand_ins.start(BEN, key, failed(told))
        stand_ins.start(BEN, key, failed(told))
        await stand_ins.started()
        await asyncio.sleep(0)

    asyncio.run(main())
    assert told == []
    ((home, match),) = bots.homes
    assert match == table().founding.match.hex()
    found = unfinished(home, own_identity(home), match)
    assert found.kept.came is Came.STANDING_IN
    assert (found.setup.seat, found.setup.identity.public, found.setup.secret) == (
        BEN,
        drawn.signs[0].public,
        drawn.secret,
    )
    assert found.setup.roster == table().founding.keys
    assert found.table().roster[BEN] == drawn.signs[0].public
    assert found.table().curves == (CURVES[0], drawn.curve.public, *CURVES[2:])
    assert found.keys == drawn.curve
    assert other.signs[0].public != drawn.signs[0].public


def test_a_bot_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    stand_ins = owned(tmp_path, Started(fault=RuntimeFault("no more processes")))
    told: list[tuple[Seat, str]] = []

    async def main() -> None:
        stand_ins.start(BEN, stand_ins.draw().signs[0].public, failed(told))
        await stand_ins.started()
        # Nor can one that was drawn by an earlier run, one beside whose journal, or one for whose files
        # there is no room. The match goes on without it.
        stand_ins.start(BEN, bytes(32), failed(told))
        (journal,) = tmp_path.glob("matches/*/journal")
        journal.rename(tmp_path / "journal")
        stand_ins.start(BEN, stand_ins.draw().signs[0].public, failed(told))
        await stand_ins.started()
        (tmp_path / "bots").rename(tmp_path / "other")
        (tmp_path / "bots").touch()
        stand_ins.start(BEN, stand_ins.draw().signs[0].public, failed(told))
        await stand_ins.started()

    asyncio.run(main())
    starts = "no more processes", "it was offered by an earlier run", "the journal ends before", "cannot make"
    assert [(seat, text[: len(start)]) for (seat, text), start in zip(told, starts, strict=True)] == [
        (BEN, start) for start in starts
    ]


def test_what_a_bot_says_as_it_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> tuple[str | None, str]:
        bots = BotNodes(0, tmp_path, "fast", stay=False)
        said = await (await bots.stand_in(tmp_path / "home", "00" * 16))
        monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere"))
        with pytest.raises(RuntimeFault) as fault:
            await bots.stand_in(tmp_path / "home", "00" * 16)
        await bots.end()
        return said, str(fault.value)

    said, refused = asyncio.run(main())
    assert said is not None
    assert "has no match 0000" in said
    assert refused == "a bot cannot be started: No such file or directory"


# Its links


def test_a_guest_is_let_in_tells_where_it_listens_and_is_let_go() -> None:
    program = Identity.derived(b"standing", "guest")

    async def main() -> None:
        async with asyncio.timeout(30), peers(()) as three:
            mesh = Mesh(message_bytes_max=4096)
            await mesh.open()
            own, host = mesh.public_key, three.carriers[0]
            # It sits where the last peer does; of that one it knows nothing.
            others = three.table.curves[:2]
            addresses = {**{curve: three.table.addresses[curve] for curve in others}, own: ""}
            roster = (*three.table.roster[:2], program.public)
            place = Table(roster, (*others, own), addresses)
            guest = Roaming(mesh, program, place, WayBack(mesh.keys, mesh.address), lambda: LO)
            guest.come_back(())
            host.let_in({own: program.public, GUEST: program.public})
            begun_ms = now_ms()
            done = asyncio.Event()
            along = [
                asyncio.create_task(each.along(asyncio.shield(asyncio.ensure_future(done.wait()))))
                for each in (host, guest)
            ]
            await until(lambda: three.meshes[0].links().get(own) is LinkState.UP)
            # One that never tells where it listens is tried nowhere.
            await until(lambda: now_ms() - begun_ms > roaming.TRY_MS + 100)
            assert GUEST not in three.meshes[0].links()
            three.heard.clear()
            guest.send(three.table.curves[0], b"a word")
            await until(lambda: three.heard == [b"a word"])
            # Nobody else has let it in.
            assert mesh.links()[three.table.curves[1]] is not LinkState.UP
            host.let_in({})
            assert own not in three.meshes[0].links()
            guest.send(three.table.curves[0], b"another")
            await until(lambda: three.meshes[0].turned_away.unheard > 0)
            assert three.heard == [b"a word"]
            done.set()
            await asyncio.gather(*along)
            await mesh.close()

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main())
    assert program.public not in {each.public for each in IDENTITIES}


# Who has a word


def ways(sits: bytes, curve: PublicKey = GUEST) -> tuple[Ways, list[Mapping[PublicKey, bytes]]]:
    """Those of seat 0, where a stand-in is let in at seat 1; `sits`: whose key sits there."""
    let_in: list[Mapping[PublicKey, bytes]] = []
    session = SimpleNamespace(
        peers=4,
        seat=Seat(0),
        keys=tuple(bytes([seat]) for seat in range(4)),
        let_in=lambda: (SimpleNamespace(curve=curve, seat=BEN, key=b"guest"),),
        is_sitting=lambda seat, key: key == (sits if seat == BEN else bytes([seat])),
    )
    made = Ways(session, CURVES, let_in.append)  # type: ignore[arg-type]  # of a session no more is asked
    made.follow()
    made.follow()
    return made, let_in


def heard(made: Ways, *from_: PublicKey) -> tuple[list[Seat], list[Seat]]:
    came, aside = made.heard([Arrival(curve, b"", 0) for curve in from_])
    return [seat for seat, _ in came], [seat for seat, _ in aside]


def test_who_sits_has_a_word_and_the_other_is_told_what_it_lacks() -> None:
    held, let_in = ways(b"guest")
    assert let_in == [{GUEST: b"guest"}]
    stranger = PublicKey(b"s" * 32)
    assert heard(held, GUEST, CURVES[BEN], CURVES[2], stranger) == ([BEN, Seat(2)], [BEN])
    back, _ = ways(bytes([BEN]))
    assert heard(back, GUEST, CURVES[BEN]) == ([BEN], [BEN])
    for made, sitter in ((held, GUEST), (back, CURVES[BEN])):
        # Who spoke last is served first; both of a seat get what is for all.
        assert set(made.to(fx.Send(b""))) == {*CURVES[1:], GUEST}
        assert set(made.to(fx.Send(b"", BEN))) == {CURVES[BEN], GUEST}
        assert list(made.to(fx.Send(b"", BEN, is_private=True))) == [sitter]


def test_nobody_takes_the_place_of_a_peer_by_its_curve_key() -> None:
    made, let_in = ways(bytes([BEN]), CURVES[2])
    assert let_in == [{}]
    assert heard(made, CURVES[2]) == ([Seat(2)], [])
    assert list(made.to(fx.Send(b"", BEN))) == [CURVES[BEN]]
