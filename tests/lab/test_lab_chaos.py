"""Matches whose processes are killed: what they leave is checked, and the check finds what is wrong."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kemps_p2p.cli.lab import lab


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
