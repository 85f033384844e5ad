"""Running the command as a program, and reading what it printed."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: str
    err: str


Here = Callable[..., Ran]
"""The command in this process."""


def kemps(*args: str | Path, env: dict[str, str] | None = None) -> Ran:
    """`kemps` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "kemps_p2p", *map(str, args)],
        capture_output=True,
        env={**os.environ, "PYTHONUTF8": "1", **(env or {})},
        timeout=120,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])
