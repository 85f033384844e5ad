"""Whole matches between real processes: sockets, files, cryptography, and the commands that start them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from process_helpers import KEMPS, kemps, play

from kemps_p2p.codec import frame
from kemps_p2p.ledger.tape import Receipt
from kemps_p2p.session.audit import audit


@pytest.fixture(scope="module")
def short_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rule book kemps with a word of one letter, so that a match is short."""
    file = tmp_path_factory.mktemp("rules") / "short.toml"
    file.write_text('base = "kemps"\nword = "K"\n')
    return file


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory, short_rules: Path) -> dict[str, Any]:
    """A match between four processes, which a fifth observes."""
    return play(4, tmp_path_factory.mktemp("logs"), "--rules", str(short_rules), "--observer")


def test_four_processes_and_an_observer_play_a_match_that_audits_clean(match: dict[str, Any]) -> None:
    assert match["players"] == 4
    assert match["audit"] == "clean"
    assert max(match["scores"]) == 1
    assert match["winners"] == [match["scores"].index(min(match["scores"]))]
    assert match["deals"] >= 1
    names = sorted(Path(log).name.rpartition("-")[2] for log in match["logs"])
    assert names == ["observer.kemps", *(f"seat{seat}.kemps" for seat in range(4))]


def test_the_observer_was_a_witness(match: dict[str, Any]) -> None:
    audited = audit(Path(match["logs"][-1]).read_bytes())
    assert audited.founding is not None
    assert audited.annexed_by == audited.founding.observer == 4
    assert audited.observer_name == "Zoe"
    assert audited.tapes is not None
    said = {
        type(statement)
        for seen in audited.tapes.seen.values()
        if seen.item.seat == 4
        for statement in seen.item.item.body
    }
    assert said == {Receipt}


def test_a_stranger_audits_a_log_and_all_of_them(
    match: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    together = kemps("audit", "--json", *match["logs"])
    assert together.returncode == 0, together.stdout
    heads = {log["head"] for log in json.loads(together.stdout)["logs"]}
    assert len(heads) == 1
    alone = kemps("audit", "--json", match["logs"][-1])
    assert alone.returncode == 0, alone.stdout
    assert json.loads(alone.stdout)["head"] in heads
    assert not list(tmp_path.iterdir()), "something is left in the temporary directory"


def test_the_logs_hold_one_chain_byte_for_byte(match: dict[str, Any]) -> None:
    chains = {frame(Path(log).read_bytes()).objects[:-1] for log in match["logs"]}
    assert len(chains) == 1


def test_replay_tells_the_match(match: dict[str, Any]) -> None:
    told = kemps("replay", match["logs"][1])
    assert told.returncode == 0, told.stderr
    assert "Anna" in told.stdout


def test_the_rules_in_the_log_say_that_nobody_looked(match: dict[str, Any]) -> None:
    assert b"look_ms = 0" in Path(match["logs"][0]).read_bytes()


@pytest.mark.soak
@pytest.mark.parametrize("players", [6, 8, 10])
def test_more_players_finish_a_match(players: int, tmp_path: Path) -> None:
    told = play(players, tmp_path)
    assert told["audit"] == "clean"
    assert max(told["scores"]) == 5


@pytest.mark.soak
def test_eight_players_finish_a_short_match(tmp_path: Path) -> None:
    file = tmp_path / "short.toml"
    file.write_text('base = "kemps"\nword = "K"\n')
    told = play(8, tmp_path, "--rules", str(file))
    assert told["audit"] == "clean"


def test_a_closed_output_is_no_bug_of_ours(match: dict[str, Any]) -> None:
    done = subprocess.run(
        f"{' '.join(KEMPS)} replay {match['logs'][0]} >&-",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
