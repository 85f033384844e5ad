"""The name of a rule set changes nothing: presets are data, and no code asks which one it runs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from game_helpers import PRESETS, begin_next, play, shuffled

import kemps_p2p
from kemps_p2p.game import rules as rules_module
from kemps_p2p.game.rules import canonical_text, load_rules, load_text, read_rules, rule_names
from kemps_p2p.game.scenario import run_scenario

PACKAGE = Path(kemps_p2p.__file__).parent
SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios" / "shared").glob("*/*.toml"))
RENAMED = {name: f"table{index}" for index, name in enumerate(PRESETS)}


def renamed(name: str) -> str:
    """`kemps/go` becomes `table0/go`."""
    preset, slash, variant = name.partition("/")
    return RENAMED[preset] + slash + variant


@pytest.fixture
def other_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, str]]:
    """All rule sets under other names; gives the canonical texts that they had under their own."""
    texts = {renamed(name): canonical_text(load_rules(name)) for name in rule_names()}
    for name in rule_names():
        path = tmp_path / f"{renamed(name)}.toml"
        path.parent.mkdir(exist_ok=True)
        base = re.sub(r'(?m)^base = "(\w+)"$', lambda found: f'base = "{RENAMED[found[1]]}"', load_text(name))
        path.write_text(base, encoding="utf-8")
    caches = (rules_module.rule_names, rules_module.load_rules)
    for cache in caches:
        cache.cache_clear()
    monkeypatch.setattr(rules_module, "_FOLDER", tmp_path)
    yield texts
    for cache in caches:
        cache.cache_clear()


def test_a_renamed_rule_set_has_the_same_text(other_names: dict[str, str]) -> None:
    """What is digested is the canonical text, and the name is no part of it."""
    assert {name: canonical_text(load_rules(name)) for name in rule_names()} == other_names
    assert not set(rule_names()) & set(PRESETS)


@pytest.mark.usefixtures("other_names")
def test_scenarios_hold_under_other_names() -> None:
    told = 0
    for path in SCENARIOS:
        if path.parent.name == "bad":
            continue
        text = re.sub(
            r'(?m)^(rules\s*=\s*)"([^"]+)"',
            lambda found: f'{found[1]}"{renamed(found[2])}"',
            path.read_text(encoding="utf-8"),
        )
        findings = run_scenario(text)
        assert findings.holds, (path.name, findings.difference)
        told += 1
    assert told > 100


SCRIPT = [(seat % 5, (7 * seat) % 20, 31 * seat % 997, 17 * seat % 991) for seat in range(120)]


@pytest.mark.parametrize("name", PRESETS)
def test_a_file_with_the_same_keys_plays_the_same_game(name: str) -> None:
    ours, theirs = load_rules(name), read_rules(load_text(name))
    assert ours == theirs
    one, other = shuffled(ours, 4, seed=5), shuffled(theirs, 4, seed=5)
    begin_next(one)
    begin_next(other)
    assert play(one, SCRIPT) == play(other, SCRIPT)
    assert one.state == other.state


def strings(module: Path) -> Iterator[tuple[ast.AST, ast.Constant]]:
    """Every text in a module, with what stands around it."""
    for parent in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.Constant) and isinstance(child.value, str):
                yield parent, child


ASKING = (ast.Compare, ast.MatchValue, ast.Subscript, ast.Dict, ast.Set)
CORE = {"game", "session", "deck", "ledger", "bots", "report"}


def test_no_code_asks_which_rule_set_it_runs() -> None:
    """The default is also the name of the program and the word of a call. The others are in no code."""
    found = 0
    for module in PACKAGE.rglob("*.py"):
        where = module.relative_to(PACKAGE)
        for parent, string in strings(module):
            if string.value not in rule_names():
                continue
            found += 1
            assert string.value == PRESETS[0], (where, string.lineno)
            assert where.parts[0] not in CORE, (where, string.lineno)
            assert not isinstance(parent, ASKING), (where, string.lineno)
    assert found
