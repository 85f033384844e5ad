"""The shared scenario files: what they say holds, and what is no scenario is refused in one clear line."""

from pathlib import Path

import pytest

from kemps_p2p.game.scenario import ScenarioError, run_scenario

SHARED = Path(__file__).parent / "shared"
GOOD = sorted(path for path in SHARED.glob("*/*.toml") if path.parent.name != "bad")
BAD = sorted(SHARED.glob("bad/*.toml"))


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_the_files_are_there() -> None:
    assert len(GOOD) >= 103
    assert len(BAD) >= 6


@pytest.mark.parametrize("path", GOOD, ids=name)
def test_holds(path: Path) -> None:
    findings = run_scenario(path.read_text(encoding="utf-8"))
    assert findings.holds, findings.difference


@pytest.mark.parametrize("path", BAD, ids=name)
def test_is_no_scenario(path: Path) -> None:
    with pytest.raises(ScenarioError) as caught:
        run_scenario(path.read_text(encoding="utf-8"))
    line = str(caught.value)
    assert line
    assert "\n" not in line
