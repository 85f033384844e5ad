"""How soon a person who sits down with bots sees cards: from the start of the process, imports and all."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

from kemps_p2p.errors import RuntimeFault
from kemps_p2p.lab.figures import Spread, spread

ROUNDS = 7
LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class SoloBench:
    """Milliseconds from the start of the process, over some starts."""

    players: int
    rounds: int
    seated_ms: Spread
    """Until the table is told."""
    first_card_ms: Spread
    """Until the first cards can be seen, own or in the middle."""


def bench_solo(players: int, progress: Callable[[str], None]) -> SoloBench:
    """Start `kemps play --plain` again and again, each time until cards are there. Raises `RuntimeFault`."""
    seated, cards = [], []
    for number in range(ROUNDS):
        progress(f"start {number + 1} of {ROUNDS}")
        with tempfile.TemporaryDirectory(prefix="kemps-bench-") as home:
            at_table, at_cards = _one_start(players, home)
        seated.append(at_table)
        cards.append(at_cards)
    return SoloBench(players, ROUNDS, spread(seated), spread(cards))


def _one_start(players: int, home: str) -> tuple[float, float]:
    command = [
        sys.executable, "-m", "kemps_p2p", "play", "--plain", "--home", home, "--name", "Mia",
        "--players", str(players),
    ]  # fmt: skip
    began = time.monotonic()
    seated = None
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1,
        env={**os.environ, "PYTHONUTF8": "1"},
    ) as person:  # fmt: skip
        assert person.stdin is not None, "started with a pipe"
        assert person.stdout is not None, "started with a pipe"
        try:
            for line in person.stdout:
                spent_ms = (time.monotonic() - began) * 1000
                if line.startswith("At the table"):
                    seated = spent_ms
                if line.startswith("You are the dealer"):
                    person.stdin.write("next\n")
                    person.stdin.flush()
                if line.startswith(("Middle", "Your hand")) and seated is not None:
                    return seated, spent_ms
                if spent_ms > LIMIT_S * 1000:
                    break
        finally:
            person.kill()
            with contextlib.suppress(BrokenPipeError):
                person.stdin.close()
    raise RuntimeFault("a table for one person did not come to its first cards")
