"""Who comes to watch: the first is the observer, whoever else does sees the log and nothing else."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from join_helpers import Hosted, contact, hosted, newcomer, plan, run, seated

from kemps_p2p.codec import Digest, encode, frame
from kemps_p2p.errors import Fault, NotSeated, PeerFault, Unwelcome
from kemps_p2p.game.events import DealEnded, Event
from kemps_p2p.game.record import State
from kemps_p2p.game.rules import RuleSet, load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.plain.onlooking import PublicVoice
from kemps_p2p.runtime import hosting
from kemps_p2p.runtime.chair import FIRST, Before, Chair
from kemps_p2p.runtime.gathering import Came, Gathered, Went
from kemps_p2p.runtime.joining import join, watch
from kemps_p2p.runtime.local import LocalMesh, Room
from kemps_p2p.runtime.meeting import WATCH, seat_contacts, seat_of
from kemps_p2p.runtime.onlooker import Onlooker
from kemps_p2p.runtime.watching import ShownLog
from kemps_p2p.session.audit import audit
from kemps_p2p.session.following import Following
from kemps_p2p.session.logfile import ANNEX_LEAD

LOGS = Path(__file__).parent.parent / "vectors" / "logs"
WATCHED, SILENT, LYING, ABSENT = (
    (LOGS / name).read_bytes()
    for name in ("observer.kemps", "silent-observer.kemps", "lying-observer.kemps", "absent-twice.kemps")
)


class Seen:
    """What somebody sees who watches: bytes, with names. `end`: all there is to see, if that is known."""

    def __init__(self, end: bytes | None = None) -> None:
        self.data = b""
        self.names: set[str] = set()
        self._end = end

    def see(self, data: bytes, names: Mapping[bytes, str]) -> bool:
        self.data += data
        self.names = set(names.values())
        return self.data == self._end

    async def until(self, data: bytes) -> None:
        """Wait until all of this has been seen, and no more."""
        while self.data != data:
            await asyncio.sleep(0.01)


class Guests:
    """People who come to a table, each with a home."""

    def __init__(self, at: Hosted, homes: Path) -> None:
        self._at, self._homes = at, homes

    def watching(self, name: str, seen: Seen) -> Coroutine[Any, Any, Gathered | None]:
        who = newcomer(name, self._homes / name, wish=WATCH)
        return watch(self._at.host.place, self._at.host.code, who, lambda _: None, seen.see)

    async def come_to_watch(self, name: str, seen: Seen) -> "asyncio.Task[Gathered | None]":
        """Come, and be noticed."""
        task = asyncio.create_task(self.watching(name, seen))
        while not any(isinstance(news, Came) and news.guest.name == name for news in self._at.news):
            await asyncio.sleep(0.01)
        return task

    async def sit_down(self) -> list[Gathered]:
        """All seats are taken."""
        names = ("Ben", "Carla", "Dan")
        return await seated(self._at, *(newcomer(name, self._homes / name) for name in names))


@asynccontextmanager
async def friday(homes: Path) -> AsyncIterator[tuple[Hosted, Guests]]:
    """A table that Anna hosts."""
    async with hosted(newcomer("Anna", homes / "Anna"), plan()) as at:
        yield at, Guests(at, homes)


# At the host


def test_the_first_who_watches_is_the_observer_and_takes_no_seat(tmp_path: Path) -> None:
    async def main() -> None:
        async with friday(tmp_path) as (at, guests):
            watching = await guests.come_to_watch("Zoe", seen := Seen())
            assert at.host.notice.taken == 1
            gathered = await guests.sit_down()
            watched = await watching
            assert watched is not None
            await watched.mesh.close()
            zoe = newcomer("Zoe", tmp_path).identity
            for each in (*gathered, watched):
                assert each.table.observer == zoe.public
                assert sorted(each.names[:4]) == ["Anna", "Ben", "Carla", "Dan"]
                assert each.names[4] == "Zoe"
                assert len(each.table.roster) == 4
                assert each.table.curves[4] == watched.mesh.public_key
                assert each.table.digest == gathered[0].table.digest
            assert seat_of(watched.table, zoe) == 4
            assert seen.data == b""

    run(main())


def test_who_comes_second_or_later_sees_the_log_as_it_grows(tmp_path: Path) -> None:
    log = tmp_path / "growing.kemps"

    async def main() -> None:
        seen = [Seen(), Seen(WATCHED)]
        async with friday(tmp_path) as (at, guests):
            first = await guests.come_to_watch("Zoe", Seen())
            second = await guests.come_to_watch("Yan", seen[0])
            await guests.sit_down()
            observed = await first
            assert observed is not None
            await observed.mesh.close()
            at.host.show(log, None)
            log.write_bytes(WATCHED[:1000])
            await seen[0].until(WATCHED[:1000])
            third = await guests.come_to_watch("Xia", seen[1])
            await seen[1].until(WATCHED[:1000])
            log.write_bytes(WATCHED)
            # Whoever knows that this was all goes, and the host may stay.
            assert await third is None
        # The host goes as soon as all has been seen.
        assert await second is None
        assert [each.data for each in seen] == [WATCHED, WATCHED]
        assert seen[0].names == {"Anna", "Ben", "Carla", "Dan", "Zoe", "Yan"}
        assert seen[1].names == {"Anna", "Ben", "Carla", "Dan", "Zoe", "Xia"}

    run(main())


def test_if_the_observer_goes_before_the_match_the_next_who_watches_takes_its_place(tmp_path: Path) -> None:
    async def main() -> None:
        async with friday(tmp_path) as (at, guests):
            first = await guests.come_to_watch("Zoe", Seen())
            second = await guests.come_to_watch("Yan", Seen())
            first.cancel()
            while not any(isinstance(news, Went) for news in at.news):
                await asyncio.sleep(0.01)
            await guests.sit_down()
            observed = await second
            assert observed is not None
            assert observed.names[4] == "Yan"
            await observed.mesh.close()

    run(main())


def test_a_table_that_plays_takes_nobody_but_to_watch(tmp_path: Path) -> None:
    async def main() -> None:
        async with friday(tmp_path) as (at, guests):
            await guests.sit_down()
            late = newcomer("Eve", tmp_path / "Eve")
            for _ in range(2):
                with pytest.raises(NotSeated) as caught:
                    await join(at.host.place, at.host.code, late, lambda _: None)
                assert caught.value.reason is Unwelcome.TABLE_PLAYING
                at.host.show(tmp_path / "none.kemps", None)

    run(main())


def test_not_too_many_may_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosting, "WATCHING_MAX", 1)

    async def main() -> None:
        async with friday(tmp_path) as (_, guests):
            first = await guests.come_to_watch("Zoe", Seen())
            with pytest.raises(NotSeated) as caught:
                await guests.watching("Yan", Seen())
            assert caught.value.reason is Unwelcome.TABLE_FULL
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)

    run(main())


# On a chair


@pytest.mark.parametrize(("before", "peers"), [(FIRST, 5), (Before(1, Digest(bytes([7]) * 32)), 4)])
def test_a_rematch_is_among_the_seats_alone(before: Before, peers: int, tmp_path: Path) -> None:
    table = seat_contacts([*(contact(number) for number in range(2, 6)), contact(1, wish=WATCH)])
    chair = Chair(
        identity=newcomer("2", tmp_path).identity,
        seat=Seat(0),
        table=table,
        carrier=LocalMesh(Room(), table.curves[0]),
        name="Ann",
        rules=load_rules("kemps"),
        home=tmp_path,
        logs=tmp_path,
        give_up_ms=1000,
    )
    session, _ = chair.sit(Onlooker(), lambda session, sight: None, before)
    assert chair.players == 4
    assert session.peers == peers
    assert session.missing() == set(range(peers))


# The log that is shown


class Eyes:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []
        self.events: list[Event] = []

    def formed(self, match: Digest, rules: RuleSet, names: tuple[str, ...], observer: str | None) -> None:
        self.told.append(("formed", names, observer))

    def moved(self, index: int, events: tuple[Event, ...], game: State) -> None:
        self.events += events

    def gesture(self, seat: int, name: str) -> None:
        self.told.append(("gesture", seat, name))

    def struck(self, *, is_proven: bool) -> None:
        self.told.append(("struck", is_proven))

    def absent(self, seat: int) -> None:
        self.told.append(("absent", seat))

    def back(self, seat: int) -> None:
        self.told.append(("back", seat))

    def held(self, seat: int) -> None:
        self.told.append(("held", seat))

    def fault(self, fault: PeerFault) -> None:
        self.told.append(("fault", fault.code))

    def ended(self) -> None:
        self.told.append(("ended",))


def test_absent_seats_are_told(tmp_path: Path) -> None:
    eyes = Eyes()
    shown = ShownLog(tmp_path, eyes)
    shown.see(ABSENT, names_of(ABSENT))
    shown.close()
    assert [told for told in eyes.told if told[0] in ("absent", "back")] == [
        ("absent", 3),
        ("back", 3),
        ("absent", 1),
    ]


def names_of(log: bytes) -> dict[bytes, str]:
    following = Following()
    following.feed(b"".join(frame(log).objects[:2]))
    assert following.founding is not None
    return {key: f"Name {number}" for number, key in enumerate(following.founding.keys)}


@pytest.mark.parametrize(("log", "struck"), [(WATCHED, ()), (SILENT, (False,)), (LYING, (True,))])
def test_a_log_is_told_and_kept_while_it_comes(log: bytes, struck: tuple[bool, ...], tmp_path: Path) -> None:
    eyes = Eyes()
    shown = ShownLog(tmp_path, eyes)
    ends = [shown.see(log[start : start + 997], names_of(log)) for start in range(0, len(log), 997)]
    shown.close()
    assert (any(ends[:-1]), ends[-1]) == (False, True)
    names = tuple(f"Name {seat}" for seat in range(4))
    assert eyes.told[0] == ("formed", names, "Name 4")
    assert eyes.told[-1] == ("ended",)
    assert [told[1] for told in eyes.told if told[0] == "struck"] == list(struck)
    assert any(isinstance(event, DealEnded) for event in eyes.events)
    assert shown.outcome.is_closed
    assert shown.outcome.log is not None
    assert shown.outcome.log.read_bytes() == log


def test_a_second_copy_of_a_log_takes_nothing_of_the_first(tmp_path: Path) -> None:
    paths = []
    for _ in range(2):
        shown = ShownLog(tmp_path, Eyes())
        shown.see(WATCHED, {})
        shown.close()
        paths.append(shown.outcome.log)
    assert len(set(paths)) == 2
    assert all(path is not None and path.read_bytes() == WATCHED for path in paths)


@pytest.mark.parametrize("step", [61, 4096])
def test_following_a_log_gives_the_entries_of_its_audit(step: int) -> None:
    following = Following()
    steps = []
    for start in range(0, len(SILENT), step):
        steps += following.feed(SILENT[start : start + step])
    assert following.has_ended
    audited = audit(SILENT, allow_stub=True)
    assert [found.match.head for found in steps] == [found.match.head for found in audited.steps]


@pytest.mark.parametrize("name", ["strike-with-a-word-too-few", "entry-of-an-observer"])
def test_a_log_that_does_not_hold_is_refused_where_an_audit_says_so(name: str) -> None:
    log = (LOGS / f"{name}.kemps").read_bytes()
    (finding,) = audit(log, allow_stub=True).findings
    with pytest.raises(PeerFault, match=f"entry {finding.index}") as caught:
        Following().feed(log)
    assert (caught.value.code, caught.value.culprit) == (finding.code, finding.culprit)


def test_what_is_no_log_is_refused() -> None:
    header, genesis = frame(WATCHED).objects[:2]
    for data in (
        b"\xc1",
        header + header,
        header + encode([1, 2, 3]),
        genesis + genesis,
        header[:-1] + b"x" + genesis,
    ):
        with pytest.raises(PeerFault):
            Following().feed(data)


def test_a_log_with_an_annex_alone_has_ended() -> None:
    objects = frame(WATCHED).objects
    following = Following()
    following.feed(b"".join(objects[:-1]))
    assert not following.has_ended
    assert objects[-1].startswith(ANNEX_LEAD)
    assert following.feed(objects[-1]) == []
    assert following.has_ended


def test_the_lines_of_a_match_that_is_watched() -> None:
    voice = PublicVoice(is_ascii=True)
    audited = audit(LYING, allow_stub=True)
    assert audited.founding is not None
    lines = list(
        voice.formed(audited.founding.match, audited.founding.rules, audited.names, audited.observer_name)
    )
    assert lines[:3] == [
        "At the table: Ann, Ben, Cleo and Dora.",
        "Partners: Ann and Cleo; Ben and Dora.",
        "The observer Emil is a witness of who is first.",
    ]
    for step in audited.steps:
        events = tuple(event for part in step.parts for event in part.events)
        lines += voice.moved(events, step.match.game)
    assert "Deal 1 starts; Cleo is the dealer." in lines
    assert any(line.startswith("Middle: ") for line in lines)
    fault = PeerFault(Fault.WRONG_SEAT, culprit=4)
    assert list(voice.fault(fault)) == [
        "Fault of the observer Emil: something is said that only a seat of this table may say."
    ]
    assert list(voice.fault(fault)) == []
