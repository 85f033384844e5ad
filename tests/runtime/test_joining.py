"""Hosts and joiners on loopback: who sits where, and who is known."""

import asyncio
from pathlib import Path

import pytest
from join_helpers import anybody, came, hosted, newcomer, plan, refused, run, seated

from kemps_p2p.errors import Unreachable, Unwelcome
from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat
from kemps_p2p.runtime import hosting, joining
from kemps_p2p.runtime.gathering import Came, Drawing, Waiting, Went
from kemps_p2p.runtime.guests import BOT
from kemps_p2p.runtime.hosting import CodeDrawn
from kemps_p2p.runtime.joining import join
from kemps_p2p.runtime.known import KnownPlayers, Standing
from kemps_p2p.wording.joins import hosting_text

pytest_plugins = ("join_fixtures",)
pytestmark = pytest.mark.usefixtures("short_farewells")


# Who sits where


def test_four_come_by_the_code_and_agree_on_everything(tmp_path: Path) -> None:
    async def main() -> None:
        anna, *guests = (newcomer(name, tmp_path / name) for name in ("Anna", "Ben", "Carla", "Dan"))
        async with hosted(anna, plan()) as at:
            tables = await seated(at, *guests)
            assert len({each.table.digest for each in tables}) == 1
            assert len({each.names for each in tables}) == 1
            assert sorted(tables[0].names) == ["Anna", "Ben", "Carla", "Dan"]
            keys = {
                name: key for each in tables for name, key in zip(each.names, each.table.roster, strict=True)
            }
            assert keys == {guest.name: guest.identity.public for guest in (anna, *guests)}
            told = [type(each) for each in at.news]
            assert told == [CodeDrawn, Came, Came, Came, Drawing]
            assert at.host.notice.is_open == 0

    run(main())


def test_wishes_for_seats_and_partners_are_granted(tmp_path: Path) -> None:
    async def main() -> None:
        anna = newcomer("Anna", tmp_path / "a", wish=2)
        ben = newcomer("Ben", tmp_path / "b", partner=" CARLA")
        carla = newcomer("Carla", tmp_path / "c", partner="Ben")
        async with hosted(anna, plan()) as at:
            tables = await seated(at, ben, carla, newcomer("Dan", tmp_path / "d", partner="nobody here"))
        names = tables[0].names
        assert names[2] == "Anna"
        assert partner_of(Seat(names.index("Ben")), 4) == names.index("Carla")

    run(main())


def check_counts(news: list[object]) -> None:
    """Each who comes or goes is told with how many sit there then, and after that how many are to come."""
    here, waits = 0, 0
    for each in news:
        match each:
            case Came() | Went():
                here += 1 if isinstance(each, Came) else -1
                assert each.here == here
            case Waiting(players=players):
                assert players == 4 - here
                waits += 1
            case _:
                pass
    assert here == 4
    assert waits > 0


def test_who_leaves_gives_its_seat_back_and_the_rest_go_on(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            gathering = asyncio.create_task(at.host.gathered())
            code, place = at.host.code, at.host.place
            news: list[object] = []
            first = asyncio.create_task(join(place, code, newcomer("Ben", tmp_path / "b"), news.append))
            eve = asyncio.create_task(join(place, code, newcomer("Eve", tmp_path / "e"), lambda _: None))
            await came(at, 3)
            eve.cancel()
            await came(at, 2)
            late = [
                asyncio.create_task(join(place, code, newcomer(name, tmp_path / name), lambda _: None))
                for name in ("Carla", "Dan")
            ]
            table = await gathering
            for task in (first, *late):
                await (await task).mesh.close()
        assert sorted(table.names) == ["Anna", "Ben", "Carla", "Dan"]
        assert Went("Eve", 2, 4) in at.news
        assert Went("Eve", 2, 4) in news
        check_counts(news)

    run(main())


def test_a_host_that_closes_says_so(tmp_path: Path) -> None:
    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            joining_ben = asyncio.create_task(
                join(at.host.place, at.host.code, newcomer("Ben", tmp_path / "b"), lambda _: None)
            )
            await came(at, 2)
        with pytest.raises(Unreachable, match=r"^Anna has closed the table$"):
            await joining_ben

    run(main())


def test_a_host_or_guest_that_falls_silent_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "SILENCE_S", 0.3)
    monkeypatch.setattr(hosting, "SILENCE_S", 0.3)
    monkeypatch.setattr(hosting, "HERE_S", 0.05)

    async def main() -> None:
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            # Guests speak every two seconds only, which is too seldom for this host.
            ben = asyncio.create_task(
                join(at.host.place, at.host.code, newcomer("Ben", tmp_path / "b"), lambda _: None)
            )
            await came(at, 2)
            await came(at, 1)
            with pytest.raises(Unreachable):
                await ben

    run(main())


# Known players


def test_a_known_name_with_another_key_is_an_alarm_at_the_host(tmp_path: Path) -> None:
    async def main() -> None:
        anna = newcomer("Anna", tmp_path / "a")
        anna.known.remember("Ben", newcomer("Ben", tmp_path / "x").identity.public)
        async with hosted(anna, plan()) as at:
            why = await refused(at, newcomer("ben", tmp_path / "e", key="Eve"))
            assert (why.reason, why.detail) == (Unwelcome.KNOWN_NAME_NEW_KEY, "ben")
            assert at.host.notice.taken == 1

    run(main())


def test_a_known_name_with_another_key_is_an_alarm_at_a_guest(tmp_path: Path) -> None:
    async def main() -> None:
        ben = newcomer("Ben", tmp_path / "b")
        ben.known.remember("Anna", newcomer("Eve", tmp_path / "x").identity.public)
        async with hosted(newcomer("Anna", tmp_path / "a"), plan()) as at:
            why = await refused(at, ben)
            assert (why.reason, why.detail, why.is_theirs) == (Unwelcome.KNOWN_NAME_NEW_KEY, "Anna", False)
            while not at.sent_away:
                await asyncio.sleep(0.01)
        said = hosting_text("10.0.0.7", at.sent_away[0].why, 0)
        assert said == "somebody at 10.0.0.7 has gone again: it knows Anna with another key"

    run(main())


def test_another_key_that_the_person_accepts_is_the_known_one_from_then_on(tmp_path: Path) -> None:
    async def main() -> None:
        anna = newcomer("Anna", tmp_path / "a", trusts=anybody)
        anna.known.remember("Ben", newcomer("Eve", tmp_path / "x").identity.public)
        guests = [newcomer(name, tmp_path / name) for name in ("Ben", "Carla", "Dan")]
        async with hosted(anna, plan()) as at:
            (table, *_) = await seated(at, *guests)
        table.remember(anna)
        again = KnownPlayers(tmp_path / "a")
        assert [again.standing(guest.name, guest.identity.public) for guest in guests] == [Standing.KNOWN] * 3
        assert again.standing("Anna", anna.identity.public) is Standing.NEW

    run(main())


def test_bots_are_not_remembered_but_may_not_take_a_known_name(tmp_path: Path) -> None:
    async def main() -> None:
        anna = newcomer("Anna", tmp_path / "a")
        async with hosted(anna, plan()) as at:
            guests = [newcomer(name, tmp_path / name, player=BOT) for name in ("Ben", "Carla", "Dan")]
            (table, *_) = await seated(at, *guests)
            table.remember(anna)
        assert KnownPlayers(tmp_path / "a").players == ()
        anna.known.remember("Ben", anna.identity.public)
        async with hosted(anna, plan()) as at:
            why = await refused(at, newcomer("Ben", tmp_path / "f", player=BOT, key="Eve"))
            assert why.reason is Unwelcome.KNOWN_NAME_NEW_KEY

    run(main())
