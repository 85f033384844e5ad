"""What is said at the end of a match, and lines on terminals that are not wide."""

import io
import os
from pathlib import Path

import pytest
from cli_helpers import Here

from kemps_p2p.cli import ending
from kemps_p2p.cli.ending import own_command, rejoin_command, seat_kept, told_end
from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.logs import progress
from kemps_p2p.cli.options import progress as moving
from kemps_p2p.cli.saying import say
from kemps_p2p.cli.telling import Reporter
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.profile import MatchFiles
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.wayback import KeptSeat, Left

pytest_plugins = ("cli_fixtures",)

LOG = Path("logs") / "feed-seat2.kemps"


def ended(outcome: Outcome, left: str | None = None) -> Exit:
    return told_end(Reporter(as_events=False), outcome, left=left, otherwise="nothing has moved")


def test_who_has_won_is_said_before_where_the_log_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(Outcome(log=LOG, is_closed=True, result="Mia and Ben win")) is Exit.DONE
    assert capsys.readouterr().out == f"Mia and Ben win\nlog: {LOG}\n"


def test_what_people_have_decided_is_told_as_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(Outcome(log=LOG, is_abandoned=True), "You have left.") is Exit.ABANDONED
    assert ended(Outcome(log=LOG), "You have left.") is Exit.ABANDONED
    out, err = capsys.readouterr()
    saved = f"What was played is in {LOG}.\n"
    assert (out, err) == (f"The match is abandoned: all agreed to that.\n{saved}You have left.\n{saved}", "")


def test_a_bot_that_has_stood_in_is_done_once_its_player_is_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(Outcome(log=LOG, is_relieved=True)) is Exit.DONE
    assert capsys.readouterr().out.startswith("This bot has stood in for a player")


@pytest.mark.parametrize(
    ("outcome", "left", "why"),
    [
        (Outcome(log=LOG), None, "match abandoned (nothing has moved)"),
        (Outcome(is_abandoned=True, is_walk_over=True), "You have left.", "walk-over"),
        (Outcome(faults=[PeerFault(Fault.BAD_SEED, culprit=1)]), "You have left.", "seat 1"),
    ],
    ids=["standstill", "walk-over", "fault"],
)
def test_what_nobody_here_has_decided_is_an_error(outcome: Outcome, left: str | None, why: str) -> None:
    with pytest.raises(CommandError) as raised:
        ended(outcome, left)
    assert raised.value.code is Exit.ABANDONED
    assert why in raised.value.text


def test_an_interrupt_where_no_match_was_on_says_nothing_of_a_seat(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), seat_kept(tmp_path, "kemps rejoin"):
        raise KeyboardInterrupt


def test_an_observer_is_told_of_no_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = MatchFiles(tmp_path, bytes(32))
    names = ("Anna", "Ben", "Carla", "Dan")
    kept = KeptSeat(
        version=2, public=b"", secret=b"", bind="", curves=(), addresses=(), logs="logs", roster=(),
        observer=b"", name="Zoe", rules="", group="", previous=b"", matches=0,
    )  # fmt: skip
    left = Left(files, kept, "feed" * 16, names, Seat(4), 0.0)
    monkeypatch.setattr(ending, "left_since", lambda *_: left)
    with pytest.raises(CommandError) as raised, seat_kept(tmp_path, "kemps rejoin"):
        raise KeyboardInterrupt
    assert raised.value.text == "interrupted; your place as observer of this match is kept"
    assert raised.value.hint == f"`kemps rejoin` takes it again. What was played is in {left.log}."
    assert left.log == Path("logs") / "feedfeedfeedfeed-observer.kemps"


def test_the_own_command_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "a b" / "kemps"
    script.parent.mkdir()
    script.touch(0o755)
    monkeypatch.setattr("sys.argv", [str(script)])
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert own_command() == f"'{script}'"
    assert rejoin_command(Path("h h"), is_bot=True) == f"'{script}' rejoin --bot --home 'h h'"
    monkeypatch.setattr("shutil.which", lambda _: str(script))
    assert own_command() == "kemps"
    assert rejoin_command(None, is_bot=False) == "kemps rejoin"
    monkeypatch.setattr("sys.argv", ["/x/kemps_p2p/__main__.py"])
    assert own_command().endswith(" -m kemps_p2p")
    monkeypatch.setattr("sys.executable", str(script.with_name("python")))
    assert ending.own_command() == "kemps"


class Terminal(io.StringIO):
    """A terminal of 40 columns, which keeps what it is sent."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1


def narrowed(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setattr("os.get_terminal_size", lambda *_: os.terminal_size((40, 24)))
    monkeypatch.setattr("sys.stderr", terminal)
    return terminal


def test_a_long_line_is_broken_between_words_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = narrowed(monkeypatch)
    path = "/a/path/that/is/longer/than/the/terminal/is/wide-and-has-hyphens.kemps"
    say(f"  the log of this match, which was long, is {path}, and it is whole", err=True)
    first, *rest = narrow.getvalue().splitlines()
    assert first == "  the log of this match, which was long,"
    assert rest == ["    is", f"    {path},", "    and it is whole"]


def test_a_command_stays_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = narrowed(monkeypatch)
    say("your seat at this table is kept: `kemps rejoin --home /here` takes it again", err=True)
    assert narrow.getvalue().splitlines() == [
        "your seat at this table is kept:",
        "  `kemps rejoin --home /here` takes it",
        "  again",
    ]


def test_a_long_line_stays_whole_where_no_terminal_is(capsys: pytest.CaptureFixture[str]) -> None:
    line = "word " * 100 + "end"
    say(line)
    assert capsys.readouterr().out == f"{line}\n"


def test_a_bar_fits_its_line_and_goes_once_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = narrowed(monkeypatch)
    with progress("checking") as show:
        assert show is not None
        for done in range(0, 101, 10):
            show(done, 100)
    drawn, erased, after = narrow.getvalue().partition("\n\x1b[A\x1b[2K\r")
    assert (bool(erased), after) == (True, "")
    drawn = drawn.replace("\x1b[?25l", "").replace("\x1b[?25h", "")
    assert "100%" in drawn
    assert max(map(len, drawn.split("\r"))) <= 40


def test_a_moving_line_fits_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = narrowed(monkeypatch)
    moving("deal 12, 345 entries, letters 3 : 1, and more")
    assert narrow.getvalue() == "\r\x1b[Kdeal 12, 345 entries, letters 3 : 1, an"


def test_an_error_has_a_line_of_its_own_below_a_bar(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, here: Here
) -> None:
    narrow = narrowed(monkeypatch)
    assert here("audit", tmp_path / "no.kemps").code is Exit.UNREADABLE
    bar, error = narrow.getvalue().split("kemps:", 1)
    assert "checking" in bar
    assert bar.endswith("\n")
    assert "cannot be read" in " ".join(error.split())
