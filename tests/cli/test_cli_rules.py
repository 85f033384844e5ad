"""`kemps rules`: the books and their pages, and what is said about files of rules and scenarios."""

import json
import re
import shutil
import tomllib
from functools import partial
from pathlib import Path

import pytest
from cli_helpers import Here, Ran

from kemps_p2p.game.rules import KEYS, RuleSet, load_rules, load_summary, override, read_rules, rule_names
from kemps_p2p.wording.rules_page import page_lines, rules_page

pytest_plugins = ("cli_fixtures",)

SHARED = Path(__file__).parent.parent / "scenarios" / "shared"
HOLDS = SHARED / "kemps" / "19-go.toml"
INVALID = SHARED / "bad" / "01-duplicate-card.toml"


@pytest.fixture
def run(here: Here) -> Here:
    """`kemps rules` in this process."""
    return partial(here, "rules")


@pytest.fixture
def differs(tmp_path: Path) -> Path:
    """A scenario whose second step expects what does not come."""
    path = tmp_path / "differs.toml"
    text = (SHARED / "kemps" / "06-several-cards-at-once.toml").read_text(encoding="utf-8")
    assert 'expect.pool = "4D 8H TS QC"' in text
    path.write_text(
        text.replace('expect.pool = "4D 8H TS QC"', 'expect.pool = "4D 8H TS KC"'), encoding="utf-8"
    )
    return path


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = tmp_path / "house.toml"
    path.write_text('base = "kems"\ngoal = 3\nplayers = [4]\n', encoding="utf-8")
    return path


# list and show


def test_list_has_a_line_for_every_rule_set(run: Here) -> None:
    ran = run("list")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()] == list(rule_names())
    assert all(len(line) < 150 for line in ran.out.splitlines())
    books = json.loads(run("list", "--json").out)["rules"]
    assert [book["name"] for book in books] == list(rule_names())
    assert next(book for book in books if book["name"] == "kent")["players"] == [4, 6, 8]
    assert all(f"  {book['summary']}\n" in ran.out for book in books)


def test_list_is_broken_between_words_before_a_pager(run: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kemps_p2p.cli.rules.page_columns", lambda: 60)
    lines = run("list").out.splitlines()
    whole = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= 60
    assert all(f"{name} {load_summary(name)}" in whole for name in rule_names())
    assert [line.split()[0] for line in lines if line[0] != " "] == list(rule_names())


@pytest.mark.parametrize("name", rule_names())
def test_show_as_data_is_the_whole_rule_set(name: str, run: Here) -> None:
    ran = run("show", name, "--json")
    assert ran.code == 0
    values = json.loads(ran.out)
    assert set(values) == set(KEYS)
    assert override(load_rules("kent"), values) == load_rules(name)
    text = run("show", name, "--toml").out
    assert read_rules(text) == load_rules(name)
    assert tomllib.loads(text) == values


def test_show_of_a_file_of_house_rules(run: Here, house: Path) -> None:
    ran = run("show", house)
    assert ran.code == 0
    assert ran.out.startswith(f"{house}\nHouse rules.\n")
    assert "- 4 players, in teams of two." in ran.out
    assert "- The first team with 3 points wins" in ran.out
    assert json.loads(run("show", house, "--json").out)["goal"] == 3


def test_show_wraps_and_has_all_sections(run: Here) -> None:
    ran = run("show", "chaulcer/five-up")
    assert max(map(len, ran.out.splitlines())) <= 80
    headings = [line for line in ran.out.splitlines()[2:] if line and line[0] not in "- "]
    assert headings == [
        "The table", "The deal", "Exchanges", "New cards in the middle", "Signs between partners", "Calls",
        "Counting", "The end of the match",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base = "kemps"\nmode = "fast"', 'mode: "fast" is not "simultaneous" or "turns"'),
        ('base = "kemps"\nspech = true', 'spech: no such key; did you mean "speech"?'),
        ('base = "kemp"', 'base: no such rule set: "kemp"; there are cash'),
        ("base =", "not TOML"),
        ('base = "kemps"\n"\\u001b[2J" = 1', "\\x1b[2J: no such key"),
    ],
)
def test_what_is_wrong_with_house_rules_is_one_line_everywhere(
    text: str, said: str, run: Here, tmp_path: Path
) -> None:
    path = tmp_path / "house.toml"
    path.write_text(text, encoding="utf-8")
    ran = run("show", path)
    assert (ran.code, ran.out) == (2, "")
    first, hint = ran.err.splitlines()
    assert first.startswith(f"kemps: {path}: {said}")
    assert "--toml" in hint
    checked = run("check", path)
    assert (checked.code, checked.err) == (2, "")
    assert checked.out.startswith(f"{path}: no {'scenario' if text == 'base =' else 'rule set'}: {said}")


def test_demo_and_node_read_house_rules_alike(here: Here, house: Path, tmp_path: Path) -> None:
    ran = here("demo", "--rules", house, "--players", "6")
    assert (ran.code, ran.out, ran.err) == (2, "", f"kemps: {house} is for 4 players, not 6\n")
    house.write_text('base = "kems"\ngoal = "3"\n', encoding="utf-8")
    ran = here("node", "--meet", tmp_path / "meet", "--rules", house)
    assert ran.code == 2
    assert ran.err.splitlines()[0] == f'kemps: {house}: goal: "3" is not a whole number from 0 to 1000000'
    assert not (tmp_path / "meet").exists()


def test_show_of_nothing_says_what_there_is(run: Here) -> None:
    ran = run("show", "kemps/stopp")
    assert ran.code == 2
    assert "kemps/stopp" in ran.err
    assert "kemps/stop," in ran.err
    assert run("show", "kemps", "--json", "--toml").code == 2


# check


def test_check_of_one_that_holds(run: Here) -> None:
    assert run("check", HOLDS) == Ran(0, f"{HOLDS}: ok, 13 steps\n", "")


def test_check_names_the_first_step_that_differs(run: Here, differs: Path) -> None:
    said = "step 2: pool: expected KC 4D 8H TS, actual QC 4D 8H TS"
    assert run("check", differs) == Ran(1, f"{differs}: {said}\n", "")
    told = json.loads(run("check", differs, "--json").out)
    assert told["exit"] == 1
    assert told["files"] == [
        {
            "file": str(differs),
            "verdict": "differs",
            "text": said,
            "title": "Several cards at once, as many down as up",
            "step": 2,
            "key": "pool",
            "expected": "KC 4D 8H TS",
            "actual": "QC 4D 8H TS",
        }
    ]


def test_check_of_no_scenario_is_one_clear_line(run: Here) -> None:
    for path in sorted((SHARED / "bad").glob("*.toml")):
        ran = run("check", path)
        assert ran.code == 2
        assert len(ran.out.splitlines()) == 1
        assert ran.out.startswith(f"{path}: no scenario: ")


def test_check_of_what_cannot_be_read(run: Here, tmp_path: Path) -> None:
    gone = tmp_path / "gone.toml"
    assert run("check", gone) == Ran(7, f"{gone}: cannot be read: No such file or directory\n", "")
    below = HOLDS / "below.toml"
    assert run("check", below).code == 7
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"title = '\xff'")
    assert run("check", binary) == Ran(2, f"{binary}: not TOML: not UTF-8\n", "")


@pytest.mark.parametrize("order", [1, -1])
def test_the_worst_verdict_counts_whatever_the_order(
    order: int, run: Here, differs: Path, tmp_path: Path
) -> None:
    """Neither scenario nor rules, then unreadable, then differing."""
    files = [INVALID, tmp_path / "gone.toml", differs, HOLDS]
    codes = [run("check", *files[start:][::order]).code for start in range(4)]
    assert codes == [2, 7, 1, 0]
    last = run("check", *files).out.splitlines()[-1]
    assert last == "4 files: 1 ok, 1 differs, 1 unreadable, 1 invalid"


def test_check_of_a_directory_takes_all_below(run: Here, tmp_path: Path) -> None:
    assert run("check", tmp_path) == Ran(2, f"{tmp_path}: no .toml file is in this directory\n", "")
    shutil.copytree(SHARED / "cash", tmp_path / "b" / "deep")
    shutil.copy(HOLDS, tmp_path / "a.toml")
    (tmp_path / "notes.txt").write_text("not looked at")
    ran = run("check", tmp_path)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == f"{tmp_path / 'a.toml'}: ok, 13 steps"
    assert lines[1].startswith(str(tmp_path / "b" / "deep" / "01-"))
    assert lines[-1] == "14 files: 14 ok"


def test_check_tells_rules_from_scenarios(run: Here, house: Path, tmp_path: Path) -> None:
    assert run("check", house) == Ran(0, f"{house}: ok, rules for 4 players\n", "")
    whole = tmp_path / "whole.toml"
    whole.write_text(run("show", "kent", "--toml").out, encoding="utf-8")
    assert run("check", whole).out == f"{whole}: ok, rules for 4, 6 or 8 players\n"
    neither = tmp_path / "neither.toml"
    neither.write_text("colour = 3\n", encoding="utf-8")
    assert run("check", neither).out.startswith(f"{neither}: no scenario: ")


# The page


def page(rules: RuleSet) -> str:
    return "\n".join(page_lines(rules_page(rules)))


CHANGES: list[tuple[str, str, object]] = [
    ("kemps", "players", [4, 6]),
    ("kemps", "two_decks_above", 4),
    ("kemps", "pool_size", 5),
    ("kemps", "mode", "turns"),
    ("kemps", "exchange", "discard-first"),
    ("kemps", "exchange_limit", 2),
    ("kemps", "start", "go"),
    ("kemps", "mulligan", 4),
    ("kemps", "sweep", "idle"),
    ("chaulcer", "idle_seconds", 4.5),
    ("kemps", "stock_out", "recycle"),
    ("kemps", "calls", ["partner"]),
    ("kemps", "combine_calls", True),
    ("kemps", "counter_target", "player"),
    ("kemps", "reveal", "two-cards"),
    ("kemps", "reveal", "claim"),
    ("kemps", "wrong_call", "continue"),
    ("kemps", "wrong_call", "counter-continues"),
    ("kemps", "bar_after_wrong_counter", True),
    ("kemps", "scoring", "points"),
    ("kemps", "word", "KENT"),
    ("chaulcer", "points_right", {"partner": 1, "counter": 1, "double": 2, "double-counter": 4}),
    ("chaulcer", "points_wrong_caller", -2),
    ("chaulcer", "points_wrong_other", 1),
    ("chaulcer", "goal", 11),
    ("chaulcer", "deal_limit", 12),
    ("chaulcer", "deal_limit", {"4": 12}),
    ("chaulcer", "tie", "none"),
    ("kemps", "rotation", "clockwise"),
    ("kemps", "first_dealer", "seat-0"),
    ("kemps", "first_dealer", "rotates"),
    ("kemps", "simultaneous_calls", "both"),
    ("kemps", "simultaneous_calls", "counter-first"),
    ("kemps", "poll_tie", "dealer"),
    ("kemps", "look_ms", 900),
    ("kemps", "auto_pass_s", 0),
    ("kemps", "signals", "once"),
    ("kemps", "speech", True),
    ("kemps", "words", {"partner": "Kent!", "counter": "Stop Kemps!"}),
]


def test_every_key_is_tried() -> None:
    assert {key for _, key, _ in CHANGES} == set(KEYS)


@pytest.mark.parametrize(("name", "key", "value"), CHANGES)
def test_every_key_changes_the_page(name: str, key: str, value: object) -> None:
    base = load_rules(name)
    assert page(override(base, {key: value})) != page(base)


@pytest.mark.parametrize("name", rule_names())
def test_a_page_is_sentences(name: str) -> None:
    for section in rules_page(load_rules(name)):
        for point in section.points:
            assert re.fullmatch(r"[A-Z0-9“].*[.!]", point), point
            assert not re.search(r"None|_|[{}\[\]]|  | ,|\.\.|\b1 points|\bone points", point), point


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("chaulcer", {}, "at most 12 deals with 4 or 6 players; 16 deals with 8 players."),
        ("chaulcer", {}, "“Double Chaulcer!” three points and “Double-Counter-Chaulcer!” four points."),
        ("chaulcer", {}, "If a call is wrong, the caller's team loses one point."),
        ("kems", {}, "may not call that again in this deal; the partner may."),
        ("kems", {}, "or for “Kem's!” or “Double Kem's!” each other team, gets one point."),
        ("cash", {}, "If a call is wrong, the other team gets one point."),
        ("cash", {}, "Players take turns, clockwise. The player at the dealer's left begins."),
        ("kent", {}, "Of two calls at the same moment “Stop Kemps!” goes first, right or wrong."),
        ("kemps", {}, "with more than 8 players, two packs. A quartet may mix the packs."),
        ("kemps/peanut-butter", {}, "A match has 5 deals. After the last the team with most points wins."),
        ("kemps", {"scoring": "points"}, "These rules name no end: play until you agree that it is enough."),
    ],
)
def test_what_a_page_says(name: str, changes: dict[str, object], said: str) -> None:
    assert said in page(override(load_rules(name), changes))
