"""A network falls apart in mid-deal, two and two (marker netns, as root): both halves wait and say so."""

import subprocess
import time
from pathlib import Path
from threading import Event, Thread

import pytest
from network import LIMIT_S, Machine, Running, cut_apart, machines

pytestmark = [pytest.mark.netns]

CUT_S = 30.0
STILL_S = 5.0
"""What was on its way when the network fell apart has long arrived."""


class Person:
    """Somebody at a screen of lines who never takes a card: passes, and deals when that is due."""

    def __init__(self, on: Machine, *words: str) -> None:
        self.process = subprocess.Popen(
            on.command(("join", *words, "--plain")),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=on.environment,
        )  # fmt: skip
        self.read = ""
        self._is_over = Event()
        self._threads = [Thread(target=self._listen), Thread(target=self._play)]
        for thread in self._threads:
            thread.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.read += line

    def _play(self) -> None:
        assert self.process.stdin is not None
        while not self._is_over.wait(0.5) and self.process.poll() is None:
            self.process.stdin.write("pass\nnext\n")
            self.process.stdin.flush()

    def leave(self) -> int:
        self._is_over.set()
        self._threads[1].join()
        self.process.communicate("quit\n", timeout=LIMIT_S)
        self._threads[0].join()
        return self.process.returncode


def moved(peer: Running) -> int:
    return max((told["entry"] for told in peer.told if told["event"] == "moved"), default=0)


def test_two_halves_wait_for_each_other_and_end_the_match_together(tmp_path: Path) -> None:
    rules = tmp_path / "short.toml"
    rules.write_text('base = "kemps"\nword = "K"\nlook_ms = 0\n')
    bot = ("--events", "--bot", "--pace", "fast")
    with machines(4) as made:
        anna, ben, carla, dan = made
        at = anna.start("host", "--name", "Anna", "--seat", "0", "--rules", rules, "--no-mdns", *bot)
        code = at.event("code")["code"]
        there = anna.address, "--code", code
        people = [
            Person(ben, *there, "--name", "Ben", "--seat", "1"),
            Person(dan, *there, "--name", "Dan", "--seat", "3"),
        ]
        beside = carla.start("join", *there, "--name", "Carla", "--seat", "2", *bot)
        halves = [at, beside]
        at.wait_for(lambda told: moved(at) >= 20)
        with cut_apart([carla, dan]):
            time.sleep(STILL_S)
            before = [moved(peer) for peer in halves]
            time.sleep(CUT_S - STILL_S)
            assert [moved(peer) for peer in halves] == before
        for person, others in zip(people, (("Carla", "Dan"), ("Anna", "Ben")), strict=True):
            for name in others:
                assert f"Nothing has been heard of {name} for" in person.read
        for peer in halves:
            peer.event("closed")
        assert [person.leave() for person in people] == [0, 0], [person.read for person in people]
        assert [peer.ended() for peer in halves] == [0, 0], [peer.err for peer in halves]
        logs = [path for machine in made for path in (machine.home / "logs").iterdir()]
        assert len(logs) == 4
        audited = anna.kemps("audit", *logs)
        assert audited.returncode == 0, audited.stdout
