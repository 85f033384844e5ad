"""The page that says where each rule is shown names what there is, and leaves no scenario out."""

import re
from pathlib import Path

from kemps_p2p.game.rules import KEYS

HERE = Path(__file__).parent
PAGE = (HERE / "coverage.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"\b(?:kemps|chaulcer|cash|kems|kent)/\d\d\b|\bown/[a-z0-9-]+", PAGE))


def short(path: Path) -> str:
    return f"own/{path.stem}" if path.parent.name == "own" else f"{path.parent.name}/{path.stem[:2]}"


def test_every_key_has_its_row() -> None:
    assert sorted(re.findall(r"(?m)^\| `(\w+)` \|", PAGE)) == list(KEYS)


def test_every_scenario_named_is_there() -> None:
    there = {short(path) for path in HERE.glob("*/*/*.toml")} | {
        short(path) for path in HERE.glob("own/*.toml")
    }
    assert NAMED - there == set()


def test_every_own_scenario_is_named() -> None:
    own = {short(path) for path in HERE.glob("own/*.toml")}
    assert own
    assert own - NAMED == set()
