"""The end of a match, faults, and scores that no preset produces but house rules do."""

import pytest
from game_helpers import laid

from kemps_p2p.game.actions import Call, CallItem, Counter, Double, DoubleCounter, Partner
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.game.scoring import (
    GoesOn,
    Playoff,
    Verdict,
    Won,
    changes,
    is_deal_over,
    loss,
    outcome,
    verdict,
)
from kemps_p2p.game.state import Phase
from kemps_p2p.ids import Seat, Team

KEMPS, CHAULCER, KEMS, CASH = (load_rules(name) for name in ("kemps", "chaulcer", "kems", "cash"))
PEANUT = load_rules("kemps/peanut-butter")
LIMITED = override(KEMPS, {"deal_limit": 6})
LIMITED_TIE = override(LIMITED, {"tie": "playoff"})
SHARED = override(CHAULCER, {"tie": "none"})


@pytest.mark.parametrize(
    ("rules", "scores", "deals", "playoff", "expected"),
    [
        (KEMPS, (4, 4), 30, False, GoesOn()),
        (KEMPS, (5, 4), 9, False, Won((Team(1),))),
        (KEMPS, (5, 0, 5), 9, False, Won((Team(1),))),
        (KEMPS, (5, 5), 9, False, Won(())),
        (LIMITED, (2, 1), 6, False, Won((Team(1),))),
        (LIMITED, (2, 2), 6, False, Won((Team(0), Team(1)))),
        (LIMITED_TIE, (2, 2), 6, False, Playoff()),
        (LIMITED_TIE, (2, 5), 7, True, Won((Team(0),))),
        (CHAULCER, (9, 9), 11, False, GoesOn()),
        (CHAULCER, (10, 9), 3, False, Won((Team(0),))),
        (CHAULCER, (10, 12), 3, False, Won((Team(1),))),
        (CHAULCER, (10, 10), 3, False, Playoff()),
        (CHAULCER, (3, 4), 12, False, Won((Team(1),))),
        (CHAULCER, (4, 4), 12, False, Playoff()),
        (CHAULCER, (8, 8), 5, True, Playoff()),
        (CHAULCER, (9, 8), 5, True, Won((Team(0),))),
        (SHARED, (4, 4), 12, False, Won((Team(0), Team(1)))),
        (CASH, (4, 4), 99, False, GoesOn()),
        (PEANUT, (2, 1), 4, False, GoesOn()),
        (PEANUT, (3, 1), 4, False, GoesOn()),
        (PEANUT, (3, 1), 5, False, Won((Team(0),))),
    ],
)
def test_outcome(rules: object, scores: tuple[int, ...], deals: int, playoff: bool, expected: object) -> None:
    assert outcome(rules, 2 * len(scores), scores, deals, playoff=playoff) == expected  # type: ignore[arg-type]


def test_letters_of_calls_that_only_house_rules_allow() -> None:
    every = override(KEMPS, {"calls": ["partner", "counter", "double", "double-counter"]})
    right, wrong, half = Verdict.RIGHT, Verdict.WRONG, Verdict.HALF
    cases: list[tuple[CallItem, Verdict, tuple[int, ...]]] = [
        (Double(), right, (0, 1, 1)),
        (Double(), half, (1, 0, 0)),
        (DoubleCounter(2), right, (0, 0, 1)),
        (DoubleCounter(2), wrong, (1, 0, 0)),
    ]
    for item, found, expected in cases:
        assert changes(every, 6, Seat(0), (item,), (found,)) == expected


def test_losing_a_deal() -> None:
    assert loss(KEMPS, 6, Team(2)) == (0, 0, 1)
    assert loss(CHAULCER, 4, Team(0)) == (0, 4)
    assert loss(KEMS, 6, Team(0)) == (0, 2, 2)


@pytest.mark.parametrize(
    ("item", "quartets", "expected"),
    [
        (Partner(), {2}, "right"),
        (Partner(), {0, 1, 3}, "wrong"),
        (Double(), {0, 2}, "right"),
        (Double(), {0}, "half"),
        (Double(), {1, 3}, "wrong"),
        (DoubleCounter(1), {1, 3}, "right"),
        (DoubleCounter(1), {3}, "half"),
        (DoubleCounter(1), {0}, "wrong"),
        (Counter(3), {3}, "right"),
        (Counter(3), {1}, "wrong"),
    ],
)
def test_verdict(
    item: Partner | Double | Counter | DoubleCounter, quartets: set[Seat], expected: str
) -> None:
    assert verdict(CHAULCER, 4, Seat(0), item, quartets) == expected


def test_a_counter_on_a_team_needs_one_quartet() -> None:
    assert [verdict(KEMPS, 4, Seat(0), Counter(1), {Seat(seat)}) for seat in (1, 3, 0)] == [
        "right",
        "right",
        "wrong",
    ]


def test_what_ends_a_deal() -> None:
    wrong = (Verdict.WRONG,)
    assert is_deal_over(KEMPS, (Counter(1),), wrong)
    assert not is_deal_over(CHAULCER, (Partner(),), wrong)
    assert is_deal_over(CHAULCER, (Double(),), (Verdict.HALF,))
    assert is_deal_over(KEMS, (Partner(),), wrong)
    assert is_deal_over(KEMS, (Double(),), wrong)
    assert not is_deal_over(KEMS, (Counter(1),), wrong)


def test_a_letter_in_the_middle_of_a_deal_ends_the_match() -> None:
    hands = ["7S 7H 7D KC", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"]
    table = laid("kemps", hands, "7C 2H 5S JD", wrong_call="continue", word="NO")
    table.act(Seat(2), Call((Partner(),)))
    assert table.state.phase is Phase.OPEN
    table.act(Seat(0), Call((Partner(),)))
    assert (table.state.phase, table.state.winners) == (Phase.MATCH_OVER, (1,))
