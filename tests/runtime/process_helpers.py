"""Real processes for the tests: the command `kemps`, a whole match between peers, and single nodes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

KEMPS = [sys.executable, "-m", "kemps_p2p"]
LIMIT_S = 170


def kemps(*arguments: str, limit_s: float = LIMIT_S) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*KEMPS, *arguments], capture_output=True, text=True, timeout=limit_s, check=False)


def play(players: int, out: Path, *more: str) -> dict[str, Any]:
    done = kemps("demo", "--players", str(players), "--pace", "fast", "--out", str(out), "--json", *more)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def node(tmp_path: Path, seat: int, *more: str) -> "subprocess.Popen[str]":
    arguments = [
        "node", "--meet", str(tmp_path / "meeting"), "--seat", str(seat),
        "--home", str(tmp_path / f"home-{seat}"), "--out", str(tmp_path / "logs"), "--pace", "fast", *more,
    ]  # fmt: skip
    return subprocess.Popen([*KEMPS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
