from pathlib import Path

import pytest

from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.runtime.sim import Sim, Stop


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The four logs of a short simulated match."""
    rules = override(load_rules("kemps"), {"word": "K", "look_ms": 200})
    sim = Sim(rules=rules, players=4, seed=14, group="stub-insecure")
    assert sim.run() is Stop.DONE
    directory = tmp_path_factory.mktemp("logs")
    paths = [directory / f"seat{seat}.kemps" for seat in range(4)]
    for path, peer in zip(paths, sim.peers, strict=True):
        path.write_bytes(peer.log_bytes)
    return paths
