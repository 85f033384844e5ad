"""A person who types lines into a command and reads what it tells, through pipes."""

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Self

LIMIT_S = 90
ENVIRONMENT = {**os.environ, "PYTHONUTF8": "1"}


class Person:
    """Types lines and reads what is told."""

    def __init__(self, *command: str, before: tuple[str, ...] = ()) -> None:
        self.process = subprocess.Popen(
            [*before, sys.executable, "-m", "kemps_p2p", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=ENVIRONMENT, encoding="utf-8", bufsize=1,
        )  # fmt: skip
        self.told: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def lines(self) -> Iterator[str]:
        """What is told, until the program ends."""
        until = time.monotonic() + LIMIT_S
        while (line := self._lines.get(timeout=max(0.0, until - time.monotonic()))) is not None:
            self.told.append(line)
            yield line

    def until(self, start: str) -> None:
        """Read up to a line that begins so, and start the deal if that is due here."""
        for line in self.lines():
            if line.startswith("You are the dealer: `next`"):
                self.type("next")
            if line.startswith(start):
                return
        raise AssertionError(f"never told: {start}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.close()
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def end(self) -> int:
        """Read to the end; the exit code."""
        for _ in self.lines():
            pass
        return self.process.wait(LIMIT_S)


def answer(person: Person, line: str, agreed: str) -> None:
    """What a person who wants no cards does about a line."""
    prompts = {"You are the dealer: `next`": "next", "Middle:": "pass", "All others have passed": "pass"}
    for start, said in prompts.items():
        if line.startswith(start):
            person.type(said)
    if agreed and line.endswith(f"makes a gesture: {agreed}."):
        person.type("kemps")
