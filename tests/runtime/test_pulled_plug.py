"""The plug is pulled right after "Stop Kemps!" is called on a true quartet: it saves nobody."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_rejoin import check_all_end, rejoin

from kemps_p2p.game.events import Called, Unopened, Verdicts
from kemps_p2p.game.rules import canonical_text, load_rules, override
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.session.audit import audit

PLUG_NODE = Path(__file__).with_name("plug_node.py")
LIMIT_S = 120


def table(scratch: Path, dies: str, word: str) -> "list[subprocess.Popen[str]]":
    rules = canonical_text(override(load_rules("kemps"), {"look_ms": 0, "word": word}))
    nodes = []
    for seat in range(4):
        order = {"scratch": str(scratch), "seat": seat, "rules": rules, "dies": dies}
        command = [sys.executable, str(PLUG_NODE), json.dumps(order)]
        nodes.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    return nodes


def first_dead(peers: "list[subprocess.Popen[str]]") -> int:
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        for seat, peer in enumerate(peers):
            if peer.poll() is not None:
                _, said = peer.communicate()
                assert peer.returncode == -signal.SIGKILL, said
                return seat
        time.sleep(0.01)
    raise AssertionError("nobody called")


@pytest.mark.soak
@pytest.mark.parametrize(
    ("dies", "away_s"), [("caller", 0), ("caller", 8), ("called", 0), ("called", None)], ids=str
)
def test_whoever_pulls_the_plug_after_a_call_changes_nothing(
    tmp_path: Path, dies: str, away_s: int | None
) -> None:
    """`away_s`: None until the others have judged without it. Then another deal follows, to come back to."""
    peers = table(tmp_path, dies, "K" if away_s is not None else "KE")
    dead = first_dead(peers)
    holder = int((tmp_path / "quartet").read_text())
    assert dead == (holder if dies == "called" else (holder + 1) % 4)
    if away_s is None:
        witness = peers[(dead + 1) % 4].stdout
        assert witness is not None
        assert witness.readline() == "judged\n"
    else:
        time.sleep(away_s)
    peers[dead] = rejoin(tmp_path / f"home-{dead}")
    check_all_end(peers, tmp_path / "logs")
    for log in (tmp_path / "logs").iterdir():
        read = audit(log.read_bytes())
        told = [(step, event) for step in read.steps for part in step.parts for event in part.events]
        called = [event.seat for _, event in told if isinstance(event, Called)]
        assert called[0] == (holder + 1) % 4
        step, judged = next((step, event) for step, event in told if isinstance(event, Verdicts))
        assert judged.verdicts == (Verdict.RIGHT,)
        assert step.match.game.scores == ((1, 0) if holder % 2 == 0 else (0, 1))
        unopened = [event.seat for _, event in told if isinstance(event, Unopened)]
        assert unopened == ([holder] if away_s is None else [])
