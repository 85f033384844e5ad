"""What makes a text a scenario, and what is said when a step differs."""

from pathlib import Path

import pytest

from kemps_p2p.game.scenario import Difference, Findings, ScenarioError, run_scenario

OWN = sorted((Path(__file__).parent / "own").glob("*.toml"))

GOOD = """
title = "A swap"
rules = "kemps"
players = 4

[table]
hands = ["8S 8H 8D QC", "2C 5D JS KH", "3C 6D 9S AH", "4C 7D TS KD"]
pool = "8C 2H 5S JD"

[[step]]
seat = 0
do = "swap"
take = "8C"
give = "QC"
expect.result = "ok"

[[step]]
do = "wait"
seconds = 1.5

[[step]]
do = "together"
acts = [{ seat = 1, do = "pass" }, { seat = 2, do = "call", calls = ["partner"] }]
expect.results = ["ok", "ok"]
"""


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_own_scenario_holds(path: Path) -> None:
    findings = run_scenario(path.read_text(encoding="utf-8"))
    assert findings.holds, findings.difference


def test_a_scenario_that_holds() -> None:
    assert run_scenario(GOOD) == Findings("A swap", 3, None)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "A swap"', "", "'title' is missing"),
        ('rules = "kemps"', "", "'rules' is missing"),
        ("players = 4", "", "'players' is missing"),
        ("players = 4", "players = 5", "do not allow 5 players"),
        ("players = 4", 'players = "4"', "not a whole number"),
        ("players = 4", "players = true", "not a whole number"),
        ("players = 4", "players = 6", "4 hands for 6 players"),
        ('title = "A swap"', "title = 3", "not a text"),
        ("[table]", '[overrides]\nspeed = "fast"\n[table]', "speed: no such key"),
        ("[table]", '[overrides]\nmode = "fast"\n[table]', 'mode: "fast" is not'),
        ("[table]", "[overrides]\nplayers = [6]\n[table]", "do not allow 4 players"),
        ("[table]", "[tabel]\n[table]", "unknown key 'tabel'"),
        ("[table]", "[table]\ndealer = 4", "no seat 4"),
        ("[table]", "[table]\ndealer = -1", "less than 0"),
        ("[table]", "[table]\nturn = 1", "nobody has a turn"),
        ("[table]", "[table]\nscores = [1]", "1 scores for 2 teams"),
        ("[table]", "[table]\nplayoff = 1", "not true or false"),
        ("[table]", '[table]\nphase = "deal-over"', "not one of open, dealt, halted"),
        ("[table]", '[table]\nstock = "2C"', "2C is named twice"),
        ("[table]", '[table]\nstock = "7C"\ndiscards = "7H"', "lies nowhere"),
        ('pool = "8C 2H 5S JD"', "", "'pool' is missing"),
        ("8C 2H 5S JD", "8C 2H 5S QC", "QC is named twice"),
        ("8C 2H 5S JD", "8C 2H 5S QC'", "QC' is not in the pack"),
        ("8C 2H 5S JD", "8C 2H 5S 10D", "no such card"),
        ("8S 8H 8D QC", "8S 8H 8D", "seat 0 has 3 cards"),
        ('do = "swap"', "", "'do' is missing"),
        ('do = "swap"', 'do = "grab"', "no such action: 'grab'"),
        ('do = "swap"', 'do = "pass"', "unknown key"),
        ('give = "QC"', "", "'give' is missing"),
        ('give = "QC"', 'give = ["QC"]', "not a text"),
        ('give = "QC"', 'give = "QC\'"', "is not in the pack"),
        ("seat = 0", "", "'seat' is missing"),
        ("seat = 0", 'seat = "0"', "not a whole number"),
        ('expect.result = "ok"', 'expect.result = "fine"', "not one of ok, missed, refused"),
        ('expect.result = "ok"', 'expect.results = ["ok"]', "unknown key 'results'"),
        ('expect.result = "ok"', 'expect.hands = { "4" = "2C" }', "no seat '4'"),
        ('expect.result = "ok"', 'expect.phase = "closed"', "not one of"),
        ('expect.result = "ok"', 'expect.verdicts = ["maybe"]', "not one of"),
        ('expect.results = ["ok", "ok"]', 'expect.result = "ok"', "unknown key 'result'"),
        ("seconds = 1.5", "", "'seconds' is missing"),
        ("seconds = 1.5", "seconds = -1", "not a number of seconds"),
        ("seconds = 1.5", "seconds = inf", "not a number of seconds"),
        ("seconds = 1.5", 'seconds = 1\nexpect.result = "ok"', "unknown key 'result'"),
        ('do = "pass" }', 'do = "wait" }', "no such action: 'wait'"),
        ('do = "pass" }', 'do = "pass", expect = {} }', "unknown key 'expect'"),
        (', calls = ["partner"]', "", "'calls' is missing"),
        ('calls = ["partner"]', 'calls = "partner"', "not a list"),
        ('calls = ["partner"]', 'calls = ["partner 1"]', "no such call"),
        ('calls = ["partner"]', 'calls = ["counter"]', "no such call"),
        ('calls = ["partner"]', 'calls = ["counter one"]', "no such call"),
        ('calls = ["partner"]', 'calls = ["triple"]', "no such call"),
    ],
)
def test_no_scenario(old: str, new: str, said: str) -> None:
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    with pytest.raises(ScenarioError) as caught:
        run_scenario(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_shown_is_not_for_a_next() -> None:
    step = '\n[[step]]\nseat = 0\ndo = "next"\nexpect.shown = ""\n'
    with pytest.raises(ScenarioError):
        run_scenario(GOOD + step)


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        ('result = "missed"', Difference(1, "result", "missed", "ok")),
        ('hands = { "0" = "8S 8H 8D QC" }', Difference(1, "hands.0", "QC 8D 8H 8S", "8C 8D 8H 8S")),
        ('pool = "QC 2H 5S JD"\nexpect.shown = ""', Difference(1, "shown", "no cards", "QC")),
        ("scores = [1, 0]", Difference(1, "scores", "[1, 0]", "[0, 0]")),
        ("deal_over = true", Difference(1, "deal_over", "true", "false")),
        ("winners = [0]", Difference(1, "winners", "[0]", "None")),
        ("turn = 1", Difference(1, "turn", "1", "None")),
    ],
)
def test_the_first_difference_is_named(expect: str, difference: Difference) -> None:
    text = GOOD.replace('expect.result = "ok"', f"expect.{expect}", 1)
    assert run_scenario(text).difference == difference


def test_results_of_a_set_are_compared_as_listed() -> None:
    text = GOOD.replace('["ok", "ok"]', '["ok", "refused"]')
    assert run_scenario(text).difference == Difference(3, "results", "[ok, refused]", "[ok, ok]")
