"""Matches whose processes are killed: what they leave is checked, and the check finds what is wrong."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kemps_p2p.cli.lab import lab
from kemps_p2p.lab.survival import Blow, check
from kemps_p2p.runtime.profile import new_match_files, own_identity
from kemps_p2p.runtime.store import AppendFile, split_objects


def test_who_was_killed_while_it_wrote_how_its_match_began_held_nothing(tmp_path: Path) -> None:
    log = Path(__file__).parents[1] / "golden" / "kemps.kemps"
    _, genesis, *_ = split_objects(log.read_bytes()).objects
    own_identity(tmp_path)
    files = new_match_files(tmp_path)
    file = AppendFile.open(files.journal)
    file.append(genesis)
    file.close()
    left = check({0: log}, [Blow(seat=0, at_ms=0, away_s=1.0, kept=tmp_path)])
    assert (left.is_clean, left.mismatched, left.findings) == (True, 0, [])


@pytest.mark.soak
def test_matches_with_kills_end_clean(tmp_path: Path) -> None:
    rules = tmp_path / "short.toml"
    rules.write_text('base = "kemps"\nword = "KE"\n')
    words = ["chaos", "--kills", "6", "--rules", str(rules), "--out", str(tmp_path / "logs"), "--json"]
    done = CliRunner().invoke(lab, words)
    found = json.loads(done.stdout)
    assert found["kills"] >= 6
    assert found["failures"] == []
    assert found["matches"] == found["finished"] == found["clean"]
    assert found["mismatched"] == 0
