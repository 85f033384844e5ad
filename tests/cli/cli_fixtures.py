from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from cli_helpers import Here, Ran

from kemps_p2p.cli import auditing
from kemps_p2p.cli.errors import run
from kemps_p2p.cli.main import main
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.session.audit import JointAudit, audit_all
from kemps_p2p.session.chaincheck import Progress
from kemps_p2p.session.provers import Helpers


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


@cache
def _found_before(logs: tuple[bytes, ...], allow_stub: bool) -> JointAudit:
    return audit_all(logs, allow_stub=allow_stub)


def _audited_once(
    logs: Sequence[bytes], *, allow_stub: bool, progress: Progress | None, helpers: Helpers | None
) -> JointAudit:
    """What bytes come to depends on nothing else: most tests ask something about the same few logs."""
    if progress is None and helpers is None:
        return _found_before(tuple(logs), allow_stub)
    return audit_all(logs, allow_stub=allow_stub, progress=progress, helpers=helpers)


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Here:
    """`kemps` in this process, which saves the start of one, and audits of the same logs."""
    monkeypatch.setattr(auditing, "audit_all", _audited_once)

    def call(*args: object) -> Ran:
        code = run(lambda: main.main([str(arg) for arg in args], prog_name="kemps", standalone_mode=False))
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call
