"""`kemps play --plain` as a program: a scripted person plays a whole match through pipes."""

import io
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from plain_person import LIMIT_S, Person, answer

from kemps_p2p.cli.errors import CommandError
from kemps_p2p.cli.play import NAME_OF_NOBODY, own_name, play
from kemps_p2p.runtime.settings import remembered_name
from kemps_p2p.session.audit import Verdict, audit

HOUSE = 'base = "kemps"\nword = "K"\n'


class Solo(Person):
    """A person who plays alone, by short rules."""

    def __init__(self, home: Path, *options: str, before: tuple[str, ...] = ()) -> None:
        rules = home / "house.toml"
        rules.write_text(HOUSE)
        own = ("--home", str(home / "home"), "--rules", str(rules), "--pace", "fast", "--seed", "3")
        super().__init__("play", "--plain", *own, *options, before=before)


def play_a_match(person: Person) -> Path:
    """Play to the end and leave; the log."""
    agreed = ""
    for line in person.lines():
        if "whispers: signal: " in line and not agreed:
            agreed = line.removesuffix(".").rpartition("signal: ")[2]
            person.type(f"signal {agreed}")
        answer(person, line, agreed)
        if "`rematch` plays again" in line:
            person.type("quit")
    assert person.process.wait(LIMIT_S) == 0, person.told
    assert person.told[-1].startswith("log: ")
    assert agreed
    return Path(person.told[-1].removeprefix("log: "))


def check_match(person: Person, log: Path) -> None:
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN
    told = "\n".join(person.told)
    for sentence in (
        "At the table: you, Mia, with",
        "Your partner is ",
        "all see the same three words.",
        "Play is open.",
        "Your hand: 1 ",
        "Mia passed.",
        "All shuffles of this match are opened and checked now.",
    ):
        assert sentence in told
    assert "fault" not in told


@pytest.mark.soak
def test_a_match_to_its_end(tmp_path: Path) -> None:
    with Solo(tmp_path, "--name", "Mia") as person:
        check_match(person, play_a_match(person))


@pytest.mark.netns
def test_a_match_to_its_end_without_any_network(tmp_path: Path) -> None:
    """In a network namespace of its own, where not even the loopback interface is up."""
    unshare = shutil.which("unshare")
    assert unshare is not None
    with Solo(tmp_path, "--name", "Mia", before=(unshare, "-n")) as person:
        check_match(person, play_a_match(person))


def test_the_end_of_the_input_abandons_the_match_and_keeps_the_log(tmp_path: Path) -> None:
    with Solo(tmp_path, "--name", "Mia", "--ascii", "--tutorial") as person:
        person.until("Your hand:")
        for line in ("table", "dance", "take 9 give 1", "next", "look partner", "waiting", "help"):
            person.type(line)
        person.until("`rematch`, after")
        person.close()
        assert person.end() == 8
    told = "\n".join(person.told)
    for sentence in (
        "Lesson: collect four cards of one rank",
        "I do not know",
        "There is no card 9 in the middle.",
        "You cannot do that: the deal is still on.",
        "You watch ",
        "no letter",
        "You have left the table, and so the match ends here.",
    ):
        assert sentence in told
    assert told.isascii()
    assert remembered_name(tmp_path / "home") == "Mia"
    log = Path(told.rpartition("What was played is in ")[2].removesuffix("."))
    assert audit(log.read_bytes()).verdict is Verdict.UNDECIDABLE


@pytest.mark.soak
def test_an_interrupt_leaves_the_log_readable(tmp_path: Path) -> None:
    with Solo(tmp_path, "--name", "Mia") as person:
        person.until("Your hand:")
        person.process.send_signal(signal.SIGINT)
        assert person.end() == 130
        assert person.told[-2] == "kemps: interrupted; the bots have left too, so the match ends here"
    (log,) = (tmp_path / "home" / "logs").glob("*.kemps")
    assert person.told[-1] == f"  What was played is in {log}."
    assert audit(log.read_bytes()).verdict is Verdict.UNDECIDABLE
    assert "Traceback" not in "\n".join(person.told)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--name", ""), "a name has 1 to 24 printable characters"),
        (("--name", "a\tb"), "a name has 1 to 24 printable characters"),
        (("--players", "5"), "is for 4, 6, 8, 10, 12, 14 or 16 players, not 5"),
        (("--bots", "perfect"), "perfect"),
        (("--colours", "3"), "3"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(tmp_path: Path, options: tuple[str, ...], part: str) -> None:
    ran = CliRunner().invoke(play, ["--home", str(tmp_path / "home"), *options])
    assert ran.exit_code == 2 or isinstance(ran.exception, CommandError)
    assert part in ran.output + str(ran.exception)
    assert not (tmp_path / "home").exists()


def test_the_name_is_asked_for_once_where_somebody_can_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def prompt(text: str, *, value_proc: Callable[[str], str], **_: object) -> str:
        asked.append(text)
        with pytest.raises(click.BadParameter):
            value_proc("")
        return value_proc(" Mia ")

    monkeypatch.setattr(click, "prompt", prompt)
    assert own_name(None, tmp_path) == NAME_OF_NOBODY
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert own_name(None, tmp_path) == "Mia"
    assert own_name(None, tmp_path) == "Mia"
    assert own_name("Zoë", tmp_path) == "Zoë"
    assert own_name(None, tmp_path) == "Zoë"
    assert asked == ["Your name"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True
