"""What takes longest begins first, so that at the end no worker waits for the other."""

import pytest

FIRST = ("secrecy", "test_match_processes", "test_node_processes", "test_sim_cheats", "audit", "test_bots")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: min((at for at, part in enumerate(FIRST) if part in item.nodeid), default=9))
