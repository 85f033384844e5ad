"""What holds for all tests: no deadline a loaded machine would miss, long files first, compiled once."""

import os
import signal
import sys

import pytest
from hypothesis import settings

FIRST = (
    "secrecy_nodes", "secrecy_ma", "match_processes", "test_sim_cheats", "test_rejoin", "test_sim_seeds",
    "node_processes", "audit", "grab_processes", "test_bots", "stopped_processes", "secrecy", "test_sim",
)  # fmt: skip
"""Tests of processes stand apart from each other: all of them at once would be too much for two cores."""

settings.register_profile("kemps", deadline=None)
settings.load_profile("kemps")


def pytest_configure(config: pytest.Config) -> None:
    """What the many processes that tests start inherit: compiled modules, and an ear for Ctrl-C."""
    compiled = str(config.rootpath / ".pytest_cache" / "compiled")
    sys.dont_write_bytecode, sys.pycache_prefix = False, compiled
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = compiled
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts what it runs in the background deaf to Ctrl-C, and processes inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first, so that at the end no worker waits for the other."""
    items.sort(key=lambda item: _turn(item.nodeid.partition("::")[0]))


def _turn(file: str) -> int:
    return next((turn for turn, part in enumerate(FIRST) if part in file), len(FIRST))
