"""Actions that do not conflict commute; those the rules of a race depend on do conflict."""

from itertools import product

import pytest
from game_helpers import PRESETS, Script, begin_next, laid, play, scripts, shuffled, where
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_p2p.game.actions import (
    Action,
    Call,
    Counter,
    Discard,
    DoubleCounter,
    Gesture,
    Go,
    Halt,
    Kind,
    Mulligan,
    Next,
    Partner,
    Pass,
    Say,
    Signal,
    Swap,
    Take,
    kind,
)
from kemps_p2p.game.conflicts import conflicts, order_of_calls, precedes_when_together
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.game.state import State, legal_actions
from kemps_p2p.game.table import Table
from kemps_p2p.ids import Position, Seat

Act = tuple[Seat, Action]


def both_orders(table: Table, a: Act, b: Act) -> tuple[tuple[State, str, str], tuple[State, str, str]]:
    """State and results of (a, b), in each order."""
    first, second = table.fork(), table.fork()
    a_first, b_after = first.act(*a).result, first.act(*b).result
    b_first, a_after = second.act(*b).result, second.act(*a).result
    return (first.state, a_first, b_after), (second.state, a_after, b_first)


def forestalls(a: Act, b: Act) -> bool:
    """A call and something that it may end the deal before: only the score has to be the same."""
    sorts = {kind(a[1]), kind(b[1])}
    others = [action for _, action in (a, b) if not isinstance(action, Call)]
    return Kind.CALL in sorts and all(
        kind(action) is Kind.EXCHANGE or isinstance(action, Signal) for action in others
    )


@pytest.mark.parametrize("name", [*PRESETS, "kemps/go", "kemps/peanut-butter", "chaulcer/five-up"])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), script=scripts, seats=st.tuples(st.integers(0, 3), st.integers(0, 3)))
def test_what_does_not_conflict_commutes(
    name: str, seed: int, script: Script, seats: tuple[int, int]
) -> None:
    rules = load_rules(name)
    table = shuffled(rules, 4, seed)
    begin_next(table)
    play(table, script)
    table.wait(3000)
    here = [[(Seat(seat), act) for act in legal_actions(table.state, Seat(seat))] for seat in seats]
    for a, b in product(*(_thinned(acts) for acts in here)):
        if conflicts(rules, 4, a, b):
            continue
        (state, *results), (other, *others) = both_orders(table, a, b)
        assert (state.scores, state.deals) == (other.scores, other.deals)
        if not forestalls(a, b):
            assert results == others
            assert state == other


def _thinned(acts: list[Act]) -> list[Act]:
    """All but most gestures and swaps of several cards."""
    few = [act for act in acts if not isinstance(act[1], Swap) or len(act[1].take) == 1]
    gestures = [act for act in few if isinstance(act[1], Gesture)]
    return [act for act in few if not isinstance(act[1], Gesture)][::2] + gestures[:1]


A, B, C, D = (Position(index) for index in range(4))
SWAP = Swap(take=(A,), give=(B,))


@pytest.mark.parametrize(
    ("name", "a", "b", "expected"),
    [
        ("kemps", (0, SWAP), (1, Swap(take=(A,), give=(C,))), True),
        ("kemps", (0, SWAP), (1, Swap(take=(C,), give=(D,))), False),
        ("kemps", (0, SWAP), (1, Swap(take=(B,), give=(D,))), True),
        ("kemps", (0, SWAP), (2, Call((Partner(),))), True),
        ("kemps", (2, SWAP), (0, Call((Partner(),))), True),
        ("kemps", (2, SWAP), (2, Call((Partner(),))), False),
        ("kemps", (1, SWAP), (2, Call((Partner(),))), False),
        ("kemps", (3, SWAP), (0, Call((Counter(1),))), True),
        ("kemps", (3, SWAP), (0, Call((Counter(7),))), False),
        ("chaulcer", (3, Discard((A,))), (0, Call((Counter(1),))), False),
        ("chaulcer", (3, Discard((A,))), (0, Call((DoubleCounter(1),))), True),
        ("chaulcer", (0, Discard((A,))), (1, Discard((B,))), False),
        ("chaulcer", (0, Take((A,))), (1, Take((A,))), True),
        ("chaulcer", (0, Discard((A,))), (1, Take((A,))), True),
        ("chaulcer", (0, Halt()), (1, Take((A,))), True),
        ("chaulcer", (0, Halt()), (1, Call((Partner(),))), True),
        ("kemps", (0, Pass((A,))), (1, SWAP), True),
        ("kemps", (0, Pass((A,))), (1, Call((Partner(),))), True),
        ("kemps", (0, Pass((A,))), (1, Pass((A,))), False),
        ("kemps", (0, Pass((A,))), (0, Pass((A,))), True),
        ("kemps", (0, Call((Partner(),))), (1, Call((Partner(),))), True),
        ("kems", (0, Go()), (1, Mulligan()), True),
        ("kems", (0, Mulligan()), (1, Mulligan()), True),
        ("kems", (0, Go()), (1, Pass((A,))), True),
        ("kemps", (0, Gesture("wink")), (1, Call((Partner(),))), False),
        ("kemps", (0, Gesture("wink")), (1, Next()), False),
        ("kemps", (0, Say("so")), (1, Next()), True),
        ("chaulcer/verbal", (0, Say("so")), (1, Next()), False),
        ("cash", (0, Signal()), (0, Pass((A,))), True),
        ("cash", (0, Gesture("wink")), (1, SWAP), False),
    ],
)
def test_conflict(name: str, a: Act, b: Act, expected: bool) -> None:
    rules = load_rules(name)
    assert conflicts(rules, 4, a, b) is expected
    assert conflicts(rules, 4, b, a) is expected


def test_signals_of_two_seats_commute_and_one_seats_do_not() -> None:
    rules = override(load_rules("kemps"), {"signals": "once"})
    assert not conflicts(rules, 4, (Seat(0), Signal()), (Seat(1), Signal()))
    assert conflicts(rules, 4, (Seat(0), Signal()), (Seat(0), Signal()))
    assert conflicts(rules, 4, (Seat(0), Signal()), (Seat(1), Pass((A,))))
    assert not conflicts(rules, 4, (Seat(0), Signal()), (Seat(1), SWAP))


KEMPS = (Seat(2), Call((Partner(),)))
STOP = (Seat(1), Call((Counter(0),)))


def test_an_exchange_goes_before_a_call_of_its_own_team() -> None:
    rules = load_rules("kemps")
    assert precedes_when_together(rules, 4, (Seat(0), SWAP), KEMPS)
    assert not precedes_when_together(rules, 4, (Seat(1), SWAP), KEMPS)
    assert not precedes_when_together(rules, 4, KEMPS, (Seat(0), SWAP))
    assert not precedes_when_together(rules, 4, STOP, KEMPS)


def test_a_stop_goes_first_where_the_rules_say_so() -> None:
    rules = load_rules("kent")
    assert precedes_when_together(rules, 4, STOP, KEMPS)
    assert not precedes_when_together(rules, 4, KEMPS, STOP)
    assert not precedes_when_together(rules, 4, STOP, STOP)
    assert order_of_calls(rules, [KEMPS, (Seat(0), SWAP), STOP]) == (2, 1, 0)
    assert order_of_calls(load_rules("kemps"), [KEMPS, STOP]) == (0, 1)


def test_a_race_for_one_card_has_one_winner_in_either_order() -> None:
    table = laid("kemps", ["8S 8H 3D QC", "2C 5D JS KH", "3C 6D 9S AH", "4C 8D TS KD"], "8C 2H 5S JD")
    eight = where(table, "8C")
    a = (Seat(0), Swap(take=eight, give=where(table, "QC")))
    b = (Seat(3), Swap(take=eight, give=where(table, "TS")))
    assert conflicts(table.state.rules, 4, a, b)
    (_, *first), (_, *second) = both_orders(table, a, b)
    assert first == ["ok", "missed"]
    assert second == ["missed", "ok"]
