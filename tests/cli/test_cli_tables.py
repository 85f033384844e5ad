"""Commands around tables: every refusal has its exit code and its own sentence, every cause its name."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

import pytest
from cli_helpers import Here, Ran, free_port, kemps

from kemps_p2p.cli.errors import Exit, exit_of_unwelcome
from kemps_p2p.cli.table_telling import TableReporter
from kemps_p2p.errors import Unreachable, Unwelcome
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime import doctor as checks
from kemps_p2p.runtime import table as runtime_table
from kemps_p2p.runtime.addresses import Interface, Place
from kemps_p2p.runtime.gathering import Came, Waiting, Went, open_mesh
from kemps_p2p.runtime.guesses import GUESSES_MAX
from kemps_p2p.runtime.guests import BOT, PERSON, Guest
from kemps_p2p.runtime.known import KnownPlayers
from kemps_p2p.runtime.meeting import Contact
from kemps_p2p.runtime.profile import own_identity
from kemps_p2p.runtime.settings import remember_name, remembered_name
from kemps_p2p.runtime.table import Opened, TableNews, TablePlan

# The tables that commands come to are those of the tests of joining.
sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))

from join_helpers import LOOPBACK, Hosted, came, hosted, in_background, in_the_middle, newcomer, plan

pytest_plugins = ("cli_fixtures",)


@pytest.fixture
def command(here: Here, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Here:
    """A command line, run in this process, so that a table can be open in another thread of it."""
    monkeypatch.setenv("KEMPS_HOME", str(tmp_path / "own"))
    # What play does to the garbage collector would last for all tests that follow.
    monkeypatch.setattr("kemps_p2p.runtime.process.favour_play", lambda: None)
    monkeypatch.setattr("kemps_p2p.runtime.wire._PARTING_S", 0.2)
    return here


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Hosted]:
    """A table that is open, with its host alone at it."""
    with open_table(tmp_path) as at:
        yield at


def open_table(tmp_path: Path, *, players: int = 4, bots: int = 0) -> AbstractContextManager[Hosted]:
    anna = newcomer("Anna", tmp_path / "anna")
    return in_background(
        lambda: hosted(anna, plan(players=players, bots=bots)), lambda at: at.host.gathered()
    )


def joining(at: Hosted, *more: object) -> tuple[object, ...]:
    return ("join", at.host.place, "--code", at.host.code, "--name", "Ben", "--bot", *more)


# Refusals


def test_a_wrong_code(command: Here, table: Hosted) -> None:
    said = command("join", table.host.place, "--code", table.wrong, "--bot")
    assert (said.code, said.out) == (Exit.REFUSED, "")
    assert said.err.splitlines()[0] == "kemps: the code is wrong"
    assert len(table.sent_away) == 1


def test_the_eleventh_guess(command: Here, table: Hosted) -> None:
    wrong = table.wrong
    said = [command("join", table.host.place, "--code", wrong, "--bot") for _ in range(GUESSES_MAX + 1)]
    assert {each.code for each in said} == {Exit.REFUSED}
    assert {each.err for each in said[:-1]} == {said[0].err}
    assert "its code was changed" in said[-1].err
    assert "in 30 seconds" in said[-1].err


def test_a_wrong_code_is_refused_before_a_name_is_asked_for(
    command: Here, table: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = at_a_terminal(monkeypatch, "Ben")
    said = command("join", table.host.place, "--code", table.wrong)
    assert said.code == Exit.REFUSED
    assert said.err.splitlines()[0] == "kemps: the code is wrong"
    assert (asked, len(table.sent_away)) == ([], 1)
    # Who knows the code is asked, and that one has looked before it sits down costs no guess.
    said = command("join", table.host.place, "--code", table.host.code, "--rules", "kemps/go")
    assert (said.code, asked) == (Exit.OTHER_VERSION, ["Your name"])
    assert table.sent_away[-1].guesses == 1


def test_a_slip_of_the_tongue_costs_no_guess(command: Here, table: Hosted) -> None:
    said = command("join", table.host.place, "--code", "3-cobolt-otter", "--bot")
    assert said.code == Exit.USAGE
    assert "did you hear 'cobalt'?" in said.err
    assert table.sent_away == []


def test_no_code_where_nobody_can_be_asked(
    command: Here, table: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    said = command("join", table.host.place, "--bot")
    assert said.code == Exit.REFUSED
    assert "without its code" in said.err


def test_other_rules_name_the_key(command: Here, table: Hosted) -> None:
    said = command(*joining(table, "--rules", "kemps/go"))
    assert said.code == Exit.OTHER_VERSION
    assert "another rule set: the key start differs" in said.err


def test_a_name_that_sits_there(command: Here, table: Hosted) -> None:
    said = command("join", table.host.place, "--code", table.host.code, "--name", "anna", "--bot")
    assert said.code == Exit.REFUSED
    assert "somebody called anna sits at this table already" in said.err


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """Somebody is there, and answers so; what is asked."""
    asked: list[str] = []
    coming = iter(answers)

    def answer(text: str, **_: object) -> str:
        asked.append(text)
        return next(coming)

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.prompt", answer)
    return asked


def test_another_name_is_asked_for_if_one_is_in_use_and_only_the_good_one_is_kept(
    command: Here, table: Hosted, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = at_a_terminal(monkeypatch, "anna", "ANNA", "Ben")

    def seated(_: TableReporter, news: TableNews) -> None:
        if isinstance(news, Came) and news.guest.name == "Ben":
            raise Unreachable("the table is gone")

    monkeypatch.setattr(TableReporter, "news", seated)
    said = command("join", table.host.place, "--code", table.host.code, "--plain")
    assert (said.code, said.err) == (Exit.UNREACHABLE, "kemps: the table is gone\n")
    in_use = "Somebody called {} sits there already. Your name here"
    assert asked == ["Your name", in_use.format("anna"), in_use.format("ANNA")]
    assert remembered_name(tmp_path / "own") == "Ben"


def test_a_name_that_is_in_use_is_not_remembered(command: Here, table: Hosted, tmp_path: Path) -> None:
    remember_name(tmp_path / "own", "Ben")
    at = table.host.place, "--code", table.host.code, "--plain"
    assert command("join", *at, "--name", "Anna").code == Exit.REFUSED
    assert remembered_name(tmp_path / "own") == "Ben"


def test_a_full_table(command: Here, tmp_path: Path) -> None:
    with open_table(tmp_path, bots=3) as at:
        said = command("join", at.host.place, "--code", at.host.code, "--name", "Ben")
    assert said.code == Exit.REFUSED
    assert "the table is full" in said.err


def test_a_running_table(command: Here, table: Hosted) -> None:
    table.host._is_open = False
    said = command(*joining(table))
    assert said.code == Exit.REFUSED
    assert "playing already" in said.err


def test_a_known_name_with_a_new_key(command: Here, table: Hosted, tmp_path: Path) -> None:
    KnownPlayers(tmp_path / "own").remember("Anna", Identity.derived(b"x", "Eve").public)
    said = command(*joining(table))
    assert said.code == Exit.IDENTITY
    assert "Anna was known with another key" in said.err
    assert "--accept-key Anna" in said.err


def test_a_host_sees_a_known_name_with_a_new_key(command: Here, tmp_path: Path) -> None:
    anna = newcomer("Anna", tmp_path / "anna")
    anna.known.remember("Ben", Identity.derived(b"x", "Eve").public)
    with in_background(lambda: hosted(anna, plan())) as at:
        said = command(*joining(at))
    assert said.code == Exit.IDENTITY
    assert said.err.startswith("kemps: the host knows Ben with another key, and has not accepted this one\n")


def test_somebody_in_the_middle(command: Here, table: Hosted) -> None:
    def change(who: str, number: int, body: bytes) -> bytes:
        return body[:-1] + bytes([body[-1] ^ 1]) if (who, number) == ("host", 3) else body

    with in_background(lambda: in_the_middle(table.host.place, change)) as place:
        said = command("join", place, "--code", table.host.code, "--name", "Ben", "--bot")
    assert said.code == Exit.IDENTITY
    assert "somebody between this machine and the table" in said.err


def test_another_server_key_at_the_address_of_the_host(command: Here, table: Hosted, tmp_path: Path) -> None:
    """The join is right, but at the host's address at the table somebody else answers."""
    eve = newcomer("Eve", tmp_path / "eve")

    @asynccontextmanager
    async def other_mesh() -> AsyncIterator[str]:
        mesh = await open_mesh(eve, LOOPBACK)
        yield mesh.address
        await mesh.close()

    with in_background(other_mesh) as address:
        table.host._mesh._address = address
        with in_background(lambda: filled(table, tmp_path)):
            said = command(*joining(table))
    assert said.code == Exit.IDENTITY
    assert "at the address of Anna another key answers" in said.err


@asynccontextmanager
async def filled(at: Hosted, tmp_path: Path) -> AsyncIterator[None]:
    """Two more guests come, and stay until the table begins."""
    from kemps_p2p.runtime.joining import join as come

    coming = [
        asyncio.create_task(
            come(at.host.place, at.host.code, newcomer(name, tmp_path / name), lambda _: None)
        )
        for name in ("Carla", "Dan")
    ]
    await came(at, 3)
    yield
    for task in coming:
        await (await task).mesh.close()


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[Place]:
    """Something that answers whoever connects with these bytes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, LOOPBACK, 0)
    yield Place(LOOPBACK, server.sockets[0].getsockname()[1])
    server.close()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"kemps\x02" + bytes(4), (Exit.OTHER_VERSION, "speaks version 2 of the protocol", "other-version")),
        (b"HTTP/1.1 400\r\n\r\n", (Exit.UNREACHABLE, "is not a table of kemps", "not-kemps")),
        (b"\xff" + bytes(8) + b"\x7f\x03" + bytes(60), (Exit.UNREACHABLE, "is not a table", "not-kemps")),
    ],
    ids=["version", "http", "zeromq"],
)
def test_what_listens_there_is_something_else(
    command: Here, healthy: None, answer: bytes, told: tuple[Exit, str, str]
) -> None:
    code, sentence, ailment = told
    with in_background(lambda: answering(answer)) as place:
        said = command("join", place, "--code", "3-cobalt-otter", "--name", "Ben", "--bot")
        examined = command("doctor", "--json", "--port", free_port(), place)
    assert (said.code, sentence in said.err) == (code, True)
    assert (examined.code, codes(examined)) == (code, [ailment])


def test_nobody_listens_there(command: Here) -> None:
    said = command("join", f"{LOOPBACK}:{free_port()}", "--code", "3-cobalt-otter", "--name", "Ben", "--bot")
    assert said.code == Exit.UNREACHABLE
    assert "cannot be reached" in said.err


def test_a_port_in_use(command: Here) -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        said = command("host", "--bind", LOOPBACK, "--port", port, "--bot", "--name", "Anna", "--no-mdns")
    assert said.code == Exit.UNREACHABLE
    assert f"cannot listen on {LOOPBACK}:{port}" in said.err
    assert "--port takes another" in said.err


def test_the_next_free_port_is_taken_if_none_was_told(command: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(_: TableReporter, news: TableNews) -> None:
        if isinstance(news, Opened):
            told.append(news)
            raise Unreachable("that is enough")

    told: list[Opened] = []
    monkeypatch.setattr(TableReporter, "news", opened)
    with socket.create_server((LOOPBACK, 0)) as taken, socket.create_server((LOOPBACK, 0)) as other:
        ports = [each.getsockname()[1] for each in (taken, other)]
        free = free_port()
        monkeypatch.setattr(runtime_table, "PORT", ports[0])
        monkeypatch.setattr(runtime_table, "PEER_PORTS", (ports[1], free))
        open_here = ("host", "--bind", LOOPBACK, "--bot", "--name", "Anna", "--no-mdns")
        assert command(*open_here).code == Exit.UNREACHABLE
        monkeypatch.setattr(runtime_table, "PEER_PORTS", (ports[1],))
        assert f"cannot listen on {LOOPBACK}:{ports[1]}" in command(*open_here).err
    assert told == [Opened((Place(LOOPBACK, free),), is_other=True)]


def test_bots_of_the_table_are_not_told_as_people_who_are_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    reporter = TableReporter(as_events=False, bots=2)
    contact = Contact(1, Identity.derived(b"s" * 32, "guest").public, b"c" * 32, "tcp://127.0.0.1:1", 4, -1)

    def told(news: TableNews) -> str:
        reporter.news(news)
        return capsys.readouterr().out.partition(";")[0].strip()

    assert told(Waiting(3)) == "waiting for 1 more, and for 2 bots of this table"
    told(Came(Guest(contact, "Bot Ben", "", BOT), 2, 4))
    assert told(Waiting(2)) == "waiting for 1 more, and for 1 bot of this table"
    told(Came(Guest(contact, "Mia", "", PERSON), 3, 4))
    assert told(Waiting(1)) == "waiting for 1 bot of this table"
    told(Went("Mia", 2, 4))
    told(Came(Guest(contact, "Bot Cy", "", BOT), 3, 4))
    assert told(Waiting(1)) == "waiting for 1 more"
    told(Went("Bot Cy", 2, 4))
    assert told(Waiting(2)) == "waiting for 1 more, and for 1 bot of this table"


@pytest.mark.parametrize(
    ("told", "pace"),
    [((), "normal"), (("--plain",), "relaxed"), (("--plain", "--pace", "fast"), "fast")],
)
def test_own_bots_leave_time_to_whoever_reads_lines(
    command: Here, monkeypatch: pytest.MonkeyPatch, told: tuple[str, ...], pace: str
) -> None:
    def opened(offer: TablePlan, *_: object) -> None:
        paces.append(offer.pace)
        raise Unreachable("that is enough")

    paces: list[str] = []
    monkeypatch.setattr("kemps_p2p.cli.host.host_table", opened)
    assert command("host", "--bots", 2, "--name", "Mia", *told).code == Exit.UNREACHABLE
    assert paces == [pace]


def test_every_reason_has_an_exit_code_of_its_kind() -> None:
    by_code: dict[Exit, set[Unwelcome]] = {}
    for reason in Unwelcome:
        by_code.setdefault(exit_of_unwelcome(reason), set()).add(reason)
    assert by_code[Exit.IDENTITY] == {
        Unwelcome.CHANGED_ON_THE_WAY,
        Unwelcome.OTHER_SERVER_KEY,
        Unwelcome.KNOWN_NAME_NEW_KEY,
        Unwelcome.OTHER_NAME,
    }
    assert by_code[Exit.OTHER_VERSION] == {Unwelcome.OTHER_VERSION, Unwelcome.OTHER_RULES}
    assert by_code[Exit.UNREACHABLE] == {Unwelcome.NOT_KEMPS}
    assert by_code.keys() == {Exit.IDENTITY, Exit.OTHER_VERSION, Exit.UNREACHABLE, Exit.REFUSED}


@pytest.mark.parametrize(
    "wrong",
    [
        ("host", "--bots", "4"),
        ("host", "--seat", "4"),
        ("host", "--players", "5"),
        ("host", "--bind", "here"),
        ("host", "--events"),
        ("host", "x" * 41),
        ("host", "--name", "a\x1b[31m"),
        ("join", "10.0.0.1:99999"),
        ("join", "box", "--code", "cobalt"),
        ("doctor", "a b"),
        ("completion", "csh"),
        ("id", "--forget", "nobody"),
    ],
    ids=lambda wrong: " ".join(wrong[:2])[:20],
)
def test_what_cannot_be_meant_is_refused_at_once(command: Here, wrong: tuple[str, ...]) -> None:
    said = command(*wrong)
    assert said.code == Exit.USAGE
    assert said.out == ""
    assert said.err.startswith("kemps: ")


@pytest.mark.parametrize(
    "wrong",
    [
        ("--name", "a\x1b[31mRED"), ("--name", ""), ("--name", "x" * 65), ("--seat", "4"), ("--wait", "nan"),
        ("--bind", "tcp://127.0.0.1:99999"), ("--bind", "foo"), ("--players", "5"), ("--rules", "no-such"),
    ],
)  # fmt: skip
def test_a_node_with_a_wrong_option_makes_no_place_to_meet(
    command: Here, tmp_path: Path, wrong: tuple[str, str]
) -> None:
    assert command("node", "--meet", tmp_path / "meeting", *wrong).code == Exit.USAGE
    assert not (tmp_path / "meeting").exists()


# Doctor


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine, with one interface on which everything works."""

    async def hears(_ip: str) -> bool:
        return True

    monkeypatch.setattr(checks, "interfaces", lambda only=None: (Interface("eth0", "10.0.0.7", 24),))
    monkeypatch.setattr(checks, "_hears_itself", hears)


def codes(said: Ran) -> list[str]:
    return [complaint["code"] for complaint in json.loads(said.out)["complaints"]]


def test_nothing_is_the_matter_on_a_healthy_machine_with_a_table(
    command: Here, healthy: None, table: Hosted
) -> None:
    place, free = table.host.place, free_port()
    said = command("doctor", place, "--port", place.port)
    seats = f"{table.host.notice.table}, 3 of 4 seats free"
    healthy_up = "nothing is the matter: eth0 is up, tables can be found there"
    assert said.code == Exit.DONE
    assert said.out.splitlines() == [
        f"a table answers at {place}: {seats}",
        f"{healthy_up}, and at port {place.port} listens {seats}",
    ]
    said = command("doctor", "--port", free)
    assert (
        said.out == f"nothing is the matter: eth0 is up, tables can be found there, and port {free} is free\n"
    )


def test_no_interface(command: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "interfaces", lambda only=None: (Interface("lo", "127.0.0.1", 8),))
    said = command("doctor", "--json", "--port", free_port())
    assert (said.code, codes(said)) == (Exit.UNREACHABLE, ["no-interface"])


@pytest.mark.parametrize(("flags", "ailment"), [(0x1003, "multicast-blocked"), (0x3, "multicast-off")])
def test_multicast_that_does_not_come_back(
    command: Here, healthy: None, monkeypatch: pytest.MonkeyPatch, flags: int, ailment: str
) -> None:
    async def deaf(_ip: str) -> bool:
        return False

    monkeypatch.setattr(checks, "_hears_itself", deaf)
    monkeypatch.setattr(checks, "_flags", lambda _: flags)
    said = command("doctor", "--json", "--port", free_port())
    assert (said.code, codes(said)) == (Exit.UNREACHABLE, [ailment])


def test_a_port_that_another_program_has(command: Here, healthy: None) -> None:
    with in_background(lambda: answering(b"220 mail\r\n")) as place:
        said = command("doctor", "--json", "--port", place.port)
    assert (said.code, codes(said)) == (Exit.UNREACHABLE, ["port-taken"])


def test_a_peer_that_does_not_run(command: Here, healthy: None) -> None:
    said = command("doctor", "--port", free_port(), f"{LOOPBACK}:{free_port()}")
    assert said.code == Exit.UNREACHABLE
    assert "no table is open at that port" in said.out


@pytest.mark.usefixtures("healthy")
@pytest.mark.parametrize(
    ("cause", "host", "ailment"),
    [
        (socket.gaierror(-2, "Name or service not known"), "nowhere", "no-such-host"),
        (OSError(113, "No route to host"), "10.0.0.9", "no-route"),
        (None, "10.0.0.9", "port-blocked"),
        (None, "10.1.0.9", "silent"),
    ],
    ids=["name", "route", "blocked", "silent"],
)
def test_a_peer_that_is_not_reached(
    command: Here,
    monkeypatch: pytest.MonkeyPatch,
    cause: OSError | None,
    host: str,
    ailment: str,
) -> None:
    async def unreachable(place: Place, _limit_s: float) -> None:
        raise Unreachable(f"{place} is not there") from cause

    async def absent(_host: str) -> bool:
        return False

    monkeypatch.setattr(checks, "asked", unreachable)
    monkeypatch.setattr(checks, "_is_there", absent)
    said = command("doctor", "--json", "--port", free_port(), host)
    assert (said.code, codes(said)) == (Exit.UNREACHABLE, [ailment])


# The rest


def test_id_shows_the_own_key_and_who_is_known(command: Here, tmp_path: Path) -> None:
    home = tmp_path / "own"
    KnownPlayers(home).remember("Ben", Identity.derived(b"x", "Ben").public)
    told = json.loads(command("id", "--json").out)
    assert told["key"] == own_identity(home).public.hex()
    assert [player["name"] for player in told["known"]] == ["Ben"]
    lines = command("id").out.splitlines()
    assert lines[0] == f"{told['fingerprint']}  you, in {home}"
    assert lines[1].endswith("  Ben")
    assert command("id", "--forget", "BEN").code == Exit.DONE
    assert json.loads(command("id", "--json").out)["known"] == []


def test_log_lists_what_was_played_and_finds_it(command: Here, tmp_path: Path, logs: list[Path]) -> None:
    kept = tmp_path / "own" / "logs"
    kept.mkdir(parents=True)
    (kept / "aaaa-seat0.kemps").write_bytes(logs[0].read_bytes())
    (kept / "bbbb-seat1.kemps").write_bytes(logs[1].read_bytes()[:50_000])
    (kept / "notes.kemps").write_text("no log")
    told = json.loads(command("log", "list", "--json").out)["logs"]
    assert {Path(each["path"]).name: each["finished"] for each in told} == {
        "aaaa-seat0.kemps": True,
        "bbbb-seat1.kemps": False,
    }
    finished = next(each for each in told if each["finished"])
    assert finished["names"] == ["Bot 0", "Bot 1", "Bot 2", "Bot 3"]
    lines = command("log", "list").out
    assert "Bot 0, Bot 1, Bot 2 and Bot 3" in lines
    assert "4 players, not finished" in lines
    assert command("log", "path", "aaaa").out == f"{kept / 'aaaa-seat0.kemps'}\n"
    assert command("log", "path").out.endswith("-seat1.kemps\n")
    assert command("log", "path", "zz").code == Exit.UNREADABLE
    assert lines.splitlines()[-1].startswith(f"in {kept}; ")


def test_logs_are_found_by_their_names_as_they_are_listed(
    command: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logs: list[Path]
) -> None:
    kept, by_demo = tmp_path / "own" / "logs", tmp_path / "here" / "kemps-logs"
    for directory in (kept, by_demo):
        directory.mkdir(parents=True)
    monkeypatch.chdir(by_demo.parent)
    match = json.loads(command("log", "show", "--json", logs[0]).out)["match"]
    name = f"{match[:16]}-seat0.kemps"
    (kept / name).write_bytes(logs[0].read_bytes())
    for told in (name, match, match[:4]):
        said = command("audit", "--allow-simulated", told)
        assert (said.code, said.err) == (Exit.DONE, f"the log is {kept / name}\n")
        said = command("replay", "--text", told)
        assert (said.code, said.err) == (Exit.DONE, f"the log is {kept / name}\n")
    said = command("audit", "--allow-simulated", "--home", tmp_path / "own", name)
    assert said.code == Exit.DONE
    (by_demo / "0demo-seat1.kemps").write_bytes(logs[1].read_bytes())
    assert command("audit", "--allow-simulated", "0demo").code == Exit.DONE
    (kept / f"{match[:4]}-seat1.kemps").write_bytes(logs[1].read_bytes())
    said = command("audit", match[:4])
    assert (said.code, "Say more of the name" in said.err) == (Exit.USAGE, True)
    said = command("audit", "zz.kemps")
    assert (said.code, "`kemps log list` lists yours" in said.err) == (Exit.UNREADABLE, True)
    said = command("audit", kept / "zz.kemps")
    assert (said.code, f"{kept / 'zz.kemps'} cannot be read" in said.err) == (Exit.UNREADABLE, True)


def test_log_path_of_nothing(command: Here, tmp_path: Path) -> None:
    assert command("log", "list").out == f"no logs yet in {tmp_path / 'own' / 'logs'}\n"
    assert command("log", "path").code == Exit.UNREADABLE


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_what_the_shell_evaluates(command: Here, shell: str) -> None:
    said = command("completion", shell)
    assert said.code == Exit.DONE
    assert f"_KEMPS_COMPLETE={shell}_complete" in said.out


def test_the_script_for_bash_is_one_that_bash_reads() -> None:
    script = kemps("completion", "bash").out
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
