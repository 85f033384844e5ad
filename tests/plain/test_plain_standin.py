"""A player whose computer dies: a bot of another stands in, and the player gets the seat back."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from plain_person import Person, answer
from test_plain_rejoin import below, told


def play_on(person: Person, *until: str) -> None:
    """Want no cards and call nothing until a line begins so."""
    for line in person.lines():
        if line.startswith("You are the dealer: `next`"):
            person.type("next")
        answer(person, line, "")
        if line.startswith(until):
            return
    raise AssertionError(f"never told: {until}")


def dealt(person: Person) -> None:
    """Until this person has a hand in the next deal."""
    play_on(person, "Deal")
    play_on(person, "Your hand:")


def both(*persons: Person) -> None:
    """Both play until they have hands; either may be the dealer, who is asked to begin."""
    with ThreadPoolExecutor(len(persons)) as each:
        list(each.map(dealt, persons))


@contextmanager
def held(homes: tuple[Path, Path], word: str, pace: str) -> Iterator[Person]:
    """Anna, at a table with bots: Ben was killed and voted absent, and a bot plays the next deal for him."""
    anna_home, ben_home = homes
    anna_home.mkdir()
    rules = anna_home / "house.toml"
    rules.write_text(f'base = "kemps"\nword = "{word}"\nlook_ms = 0\n')
    local = ("--bind", "127.0.0.1", "--port", "0", "--no-mdns", "--rules", str(rules))
    bots = "--bots", "2", "--pace", pace
    with Person(
        "host", "Friday", "--name", "Anna", *local, *bots, "--plain", "--home", str(anna_home)
    ) as anna:
        code = told(anna, "code:")
        place = told(anna, "others reach this table at")
        come = ("join", place, "--code", code, "--name", "Ben", "--plain", "--home", str(ben_home))
        with Person(*come) as ben:
            both(anna, ben)
            os.kill(ben.process.pid, signal.SIGKILL)
            # Before ten seconds of silence that is refused, whatever this machine is busy with.
            votes = [threading.Timer(after_s, anna.type, ["vote ben"]) for after_s in (11, 14, 20, 40)]
            for vote in votes:
                vote.start()
            play_on(anna, "The table has voted Ben absent")
            for vote in votes:
                vote.cancel()
            count = len(below(anna.process.pid))
            anna.type("hold ben")
            play_on(anna, "A bot of Anna plays for Ben from now on")
            # All that it needs of the table is beside its own, and it plays a deal.
            play_on(anna, "Deal")
            assert len(below(anna.process.pid)) == count + 1
            yield anna


def logs_of(homes: Sequence[Path]) -> list[str]:
    """The logs of a first match, one a home."""
    logs = [str(log) for home in homes for log in (home / "logs").glob("*.kemps")]
    assert len(logs) == len(homes)
    return logs


def audited(logs: Sequence[str], code: int) -> set[str]:
    """What is said of logs."""
    done = subprocess.run(
        [sys.executable, "-m", "kemps_p2p", "audit", "--json", *logs],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    return {log["verdict"] for log in json.loads(done.stdout)["logs"]}


@pytest.mark.soak
def test_a_bot_that_ends_is_told_to_whoever_runs_it(tmp_path: Path) -> None:
    with held((tmp_path / "anna", tmp_path / "ben"), "KEMPS", "relaxed") as anna:
        commands = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in below(anna.process.pid)}
        (bot,) = [pid for pid, command in commands.items() if "stand-in" in command]
        os.kill(bot, signal.SIGKILL)
        play_on(anna, "Your bot for Ben has ended: it does not say why")
        anna.type("quit")
        assert anna.end() == 8


@pytest.mark.soak
def test_a_bot_of_another_plays_until_the_player_is_back(tmp_path: Path) -> None:
    homes = tmp_path / "anna", tmp_path / "ben"
    again = "rejoin", "--plain", "--home", str(homes[1])
    with held(homes, "KEMPS", "relaxed") as anna, Person(*again) as back:
        play_on(anna, "Ben is back, and plays from the next deal on")
        play_on(anna, "Ben is back at the table")
        play_on(back, "Ben is back at the table")
        both(anna, back)
        assert not [line for line in anna.told if line.startswith("Fault")]
        for each in (anna, back):
            each.type("quit")
        assert (anna.end(), back.end()) == (8, 8)
    # A match that was left is not complete; nothing in it is wrong.
    assert audited(logs_of(homes), 11) == {"undecidable"}
    # The bot has come to its end, and nothing is left to come back to.
    assert list(homes[0].glob("bots/stand-in-*/matches/*/seat")) == []


@pytest.mark.soak
def test_a_match_that_ends_while_a_bot_plays_is_whole_for_its_player_and_has_a_rematch(
    tmp_path: Path,
) -> None:
    homes = tmp_path / "anna", tmp_path / "ben"
    # No bot is to call before the player is back.
    with held(homes, "K", "slow") as anna, Person("rejoin", "--plain", "--home", str(homes[1])) as back:
        play_on(anna, "Ben is back, and plays from the next deal on")
        logs = logs_of(homes)
        # Right or wrong, one call ends this match.
        anna.type("kemps")
        for each in (anna, back):
            play_on(each, "The match is over: `rematch`")
            each.type("rematch")
        both(anna, back)
        assert audited(logs, 0) == {"clean"}
        told_by_both = "\n".join((*anna.told, *back.told))
        assert "left the table" not in told_by_both
        assert "Fault" not in told_by_both
        for each in (anna, back):
            each.type("quit")
            each.end()
