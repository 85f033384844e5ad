"""The examples run, and say what they are there to show."""

import runpy
import sys
from pathlib import Path

import pytest

from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.runtime.sim import Sim, Stop

EXAMPLES = Path(__file__).parent.parent / "examples"


def _run(name: str, *arguments: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")


def test_the_own_bot_plays_a_match_to_its_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _run("own_bot.py", monkeypatch=monkeypatch)
    said = capsys.readouterr().out
    assert said.startswith("letters (")
    assert "5" in said.split(" after ")[0]


def test_a_log_is_read_from_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = override(load_rules("kemps"), {"look_ms": 0, "word": "K"})
    sim = Sim(rules=rules, players=4, seed=11, group="stub-insecure")
    assert sim.run() is Stop.DONE
    log = tmp_path / "one.kemps"
    log.write_bytes(sim.peers[2].log_bytes)
    _run("read_log.py", str(log), monkeypatch=monkeypatch)
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("clean: ")
    scores = sim.peers[0].session.play.final.game.scores
    assert f"scores {scores}" in said[-3]
    assert "Swapped" in said[-2]


def test_the_own_policy_gives_every_dead_heat_to_the_lower_seat(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _run("own_policy.py", monkeypatch=monkeypatch)
    assert capsys.readouterr().out == "the lower seat won 20 of 20 dead heats\n"
