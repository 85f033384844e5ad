"""From a gathered table to its match: who is let in, who is kept out, and what ends it before it begins."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from join_helpers import LOOPBACK, hosted, newcomer, plan, run, seated

from kemps_p2p.bots.player import Player
from kemps_p2p.errors import NotSeated, Unreachable, Unwelcome
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.game.views import SeatView
from kemps_p2p.runtime import table as tables
from kemps_p2p.runtime.chair import Chair, Plays
from kemps_p2p.runtime.gathering import Gathered, Newcomer, open_mesh
from kemps_p2p.runtime.guests import PERSON
from kemps_p2p.runtime.known import Standing
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.table import KeptOut, SeatPlan, TableNews, seat_played
from kemps_p2p.runtime.transport import LinkState, Mesh
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import MESSAGE_BYTES_MAX
from kemps_p2p.session.session import Session

NAMES = ("Anna", "Ben", "Carla", "Dan")


def seat_plan(me: Newcomer, home: Path) -> SeatPlan:
    return SeatPlan(
        name=me.name,
        wish=-1,
        partner="",
        player=PERSON,
        trusts=me.trusts,
        bind=LOOPBACK,
        port=0,
        home=home,
        logs=home / "logs",
        give_up_s=20,
    )


@asynccontextmanager
async def gathered(tmp_path: Path) -> AsyncIterator[list[tuple[Newcomer, Gathered, SeatPlan]]]:
    """Four peers of one table, in this process, each about to play."""
    people = [newcomer(name, tmp_path / name) for name in NAMES]
    rules = override(load_rules("kemps"), {"word": "K", "look_ms": 0})
    async with hosted(people[0], plan(rules)) as at:
        joined = await seated(at, *people[1:], keeps_open=True)
        try:
            yield [
                (me, each, seat_plan(me, tmp_path / me.name)) for me, each in zip(people, joined, strict=True)
            ]
        finally:
            for each in joined[1:]:
                await each.mesh.close()


def until_formed(
    meanwhile: Callable[[Chair], Coroutine[None, None, None]] | None = None, calls_itself: str | None = None
) -> Plays:
    """Sit down, and leave as soon as the match has begun."""

    async def play(chair: Chair) -> Outcome:
        formed = asyncio.Event()

        def watch(_session: Session, sight: fx.Sight) -> None:
            if isinstance(sight, fx.TableFormed):
                formed.set()

        if calls_itself is not None:
            object.__setattr__(chair, "name", calls_itself)
        _, runner = chair.sit(Still(), watch)
        running = asyncio.ensure_future(runner.run())
        waiting = asyncio.create_task(formed.wait())
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            # Long enough for the others to learn of it too.
            await asyncio.sleep(0.3)
            if meanwhile is not None:
                await meanwhile(chair)
            runner.leave()
        waiting.cancel()
        return await running

    return play


class Still(Player):
    """A player that does nothing."""

    def decide(self, view: SeatView, now_ms: int) -> None:
        return None


def test_a_table_that_has_gathered_forms_and_keeps_strangers_out(tmp_path: Path) -> None:
    async def main() -> None:
        async with gathered(tmp_path) as seats:
            news: list[TableNews] = []
            (me, at, own), *others = seats
            outcomes = await asyncio.gather(
                seat_played(at, me, own, until_formed(strangers), news.append),
                *(seat_played(at, me, own, until_formed(), lambda _: None) for me, at, own in others),
            )
            assert not any(outcome.faults for outcome in outcomes)
            (kept_out,) = news
            assert isinstance(kept_out, KeptOut)
            # Who is refused tries again until it goes.
            assert (kept_out.strangers >= 1, kept_out.without_keys) == (True, 1)
        for me, *_ in seats:
            rest = [other for other, *_ in seats if other is not me]
            assert {me.known.standing(each.name, each.identity.public) for each in rest} == {Standing.KNOWN}

    async def strangers(chair: Chair) -> None:
        """A client without keys, and one with keys of its own that even knows the server's."""
        server_key = chair.carrier.public_key
        address = chair.table.addresses[server_key]
        reader, writer = await asyncio.open_connection(LOOPBACK, int(address.rpartition(":")[2]))
        writer.write(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32))
        await reader.read()
        writer.close()
        stranger = Mesh(message_bytes_max=MESSAGE_BYTES_MAX)
        await stranger.open()
        stranger.admit({server_key: address})
        while stranger.links()[server_key] is not LinkState.REFUSED:
            await stranger.link_changes()
        await stranger.close()

    run(main())


def test_a_seat_that_calls_itself_otherwise_than_it_came_ends_it_for_the_others(tmp_path: Path) -> None:
    async def main() -> None:
        async with gathered(tmp_path) as seats:
            playing = [
                asyncio.create_task(
                    seat_played(
                        at,
                        me,
                        own,
                        until_formed(calls_itself="Eve" if me.name == "Dan" else None),
                        lambda _: None,
                    )
                )
                for me, at, own in seats
            ]
            for each in playing:
                with pytest.raises(NotSeated, match=Unwelcome.OTHER_NAME.value) as why:
                    await each
                assert why.value.detail == "Dan"
            assert seats[0][0].known.players == ()

    run(main())


def test_a_peer_that_is_not_reached_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "FORM_S", 0.5)

    async def main() -> None:
        async with gathered(tmp_path) as seats:
            await seats[2][1].mesh.close()
            me, at, own = seats[0]
            others = [
                asyncio.create_task(seat_played(*reordered(seat), until_formed(), lambda _: None))
                for seat in (seats[1], seats[3])
            ]
            with pytest.raises(Unreachable, match=r"Carla cannot be reached at tcp://127.0.0.1:\d+ \(down\)"):
                await seat_played(at, me, own, until_formed(), lambda _: None)
            for each in others:
                with pytest.raises(Unreachable, match="cannot be reached"):
                    await each

    def reordered(seat: tuple[Newcomer, Gathered, SeatPlan]) -> tuple[Gathered, Newcomer, SeatPlan]:
        return seat[1], seat[0], seat[2]

    run(main())


def test_with_the_authenticator_stopped_nobody_gets_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a stranger nor those who are in the list."""
    monkeypatch.setattr(tables, "FORM_S", 0.5)

    async def main() -> None:
        async with gathered(tmp_path) as seats:
            seats[0][1].mesh._door.stop()
            playing = [
                asyncio.create_task(seat_played(at, me, own, until_formed(), lambda _: None))
                for me, at, own in seats
            ]
            for (me, *_), each in zip(seats, playing, strict=True):
                if me.name == "Anna":
                    each.cancel()
                    continue
                with pytest.raises(Unreachable, match="Anna cannot be reached"):
                    await each
            await asyncio.gather(*playing, return_exceptions=True)

    run(main())


def test_ports_that_are_told_are_kept_and_taken_ones_passed_over(tmp_path: Path) -> None:
    async def main() -> None:
        first = await open_mesh(newcomer("Anna", tmp_path, port=None), LOOPBACK)
        second = await open_mesh(newcomer("Ben", tmp_path, port=None), LOOPBACK)
        ports = [int(each.address.rpartition(":")[2]) for each in (first, second)]
        assert ports[0] != ports[1]
        with pytest.raises(Unreachable, match="cannot listen"):
            await open_mesh(newcomer("Carla", tmp_path, port=ports[0]), LOOPBACK)
        await first.close()
        await second.close()

    run(main())
