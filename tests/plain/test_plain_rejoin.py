"""An evening's power cut: everybody is gone at once, all come back to the same hands, and the match ends."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from plain_person import LIMIT_S, Person, answer

HOUSE = 'base = "kemps"\nword = "K"\nlook_ms = 0\n'


def told(person: Person, start: str) -> str:
    """What follows the start of a line, once it is told."""
    person.until(start)
    return person.told[-1].removeprefix(start).strip()


def below(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(each) for each in found.stdout.split()]


def agree(person: Person) -> None:
    """Agree on a sign with the bot opposite, and seal it."""
    person.until("This match is called")
    person.type("signal wink")
    told(person, "Bot")
    while not person.told[-1].endswith("whispers: agreed: wink."):
        told(person, "Bot")
    person.type("seal")
    person.until("Your book is sealed: wink")


def play_on(person: Person) -> int:
    """Want no cards and call nothing until the match is over; the exit code."""
    for line in person.lines():
        answer(person, line, "")
        if "`rematch` plays again" in line:
            person.type("quit")
    return person.process.wait(LIMIT_S)


@pytest.mark.soak
def test_all_are_killed_at_once_the_bots_of_the_host_too(tmp_path: Path) -> None:
    rules, homes = tmp_path / "house.toml", [tmp_path / "anna", tmp_path / "ben"]
    rules.write_text(HOUSE)
    local = ("--bind", "127.0.0.1", "--port", "0", "--no-mdns", "--bots", "2")
    mine = [("--plain", "--home", str(home)) for home in homes]
    host = ("host", "Friday", "--name", "Anna", "--seat", "0", *local, "--rules", str(rules), *mine[0])
    with Person(*host) as anna:
        code = told(anna, "code:")
        place = told(anna, "others reach this table at")
        with Person("join", place, "--code", code, "--name", "Ben", "--seat", "1", *mine[1]) as ben:
            for each in (anna, ben):
                agree(each)
            # Either may be the dealer, who is asked to begin.
            with ThreadPoolExecutor(2) as both:
                hands = list(both.map(lambda each: told(each, "Your hand:"), (anna, ben)))
            for pid in (*below(anna.process.pid), anna.process.pid, ben.process.pid):
                os.kill(pid, signal.SIGKILL)
    with Person("rejoin", *mine[1]) as ben, Person("rejoin", *mine[0]) as anna:
        for each, hand in zip((anna, ben), hands, strict=True):
            assert told(each, "Your hand:") == hand
            # Their bots have come back too, and whisper nothing anew that would change the sign.
            each.type("gestures")
            assert told(each, "Agreed with Bot").endswith(": wink.")
            each.type("pass")
        with ThreadPoolExecutor(2) as both:
            assert list(both.map(play_on, (anna, ben))) == [0, 0], (anna.told, ben.told)
    logs = [str(log) for home in homes for log in (home / "logs").glob("*.kemps")]
    assert len(logs) == 2
    audited = subprocess.run(
        [sys.executable, "-m", "kemps_p2p", "audit", "--json", *logs],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert audited.returncode == 0, audited.stdout
    assert len({log["head"] for log in json.loads(audited.stdout)["logs"]}) == 1
    # What was sealed before is opened, by the people and by the bots; each team goes by one sign.
    audited = subprocess.run(
        [sys.executable, "-m", "kemps_p2p", "audit", "--signals", "--json", logs[0]],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    books = [seat["books"] for seat in json.loads(audited.stdout)["seats"]]
    assert [[(book["state"], book["signals"]) for book in own] for own in books] == [[("open", ["wink"])]] * 4
