from pathlib import Path

import pytest
from cli_helpers import Here, Ran

from kemps_p2p.cli.errors import run
from kemps_p2p.cli.main import main
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.runtime.sim import Sim, Stop


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The four logs of a short simulated match."""
    rules = override(load_rules("kemps"), {"word": "K", "look_ms": 200})
    sim = Sim(rules=rules, players=4, seed=17, group="stub-insecure")
    assert sim.run() is Stop.DONE
    directory = tmp_path_factory.mktemp("logs")
    paths = [directory / f"seat{seat}.kemps" for seat in range(4)]
    for path, peer in zip(paths, sim.peers, strict=True):
        path.write_bytes(peer.log_bytes)
    return paths


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Here:
    """`kemps` in this process, which saves the start of one."""

    def call(*args: object) -> Ran:
        code = run(lambda: main.main([str(arg) for arg in args], prog_name="kemps", standalone_mode=False))
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call
