"""Reasons that only one check gives: what another rule would refuse too is refused for the right reason."""

import pytest
from game_helpers import laid, where

from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import (
    Action,
    Call,
    Counter,
    Deny,
    Discard,
    Gesture,
    Partner,
    Pass,
    Swap,
    Take,
)
from kemps_p2p.game.calls import is_stopped
from kemps_p2p.game.conflicts import precedes_when_together
from kemps_p2p.game.legal import against, waits_for_call
from kemps_p2p.game.record import Judged, replace
from kemps_p2p.game.rules import RuleError, load_rules, read_rules
from kemps_p2p.game.ruleset import COUNT_MAX
from kemps_p2p.game.state import apply
from kemps_p2p.ids import Position, Seat

ME = Seat(0)
TRIO = ["7S 7H 7D KC", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"]
QUARTET = ["7S 7H 7D 7C", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"]
POOL = "6C 2H 5S JD"
KEMPS = (Seat(2), Call((Partner(),)))


def reason(name: str, action: Action) -> Illegal | None:
    """Why seat 0 may not do it, holding 7S 7H 7D KC with the pool untouched."""
    return against(laid(name, TRIO, POOL).state, ME, action, {})


@pytest.mark.parametrize("swap", [Swap(take=(), give=(Position(0),)), Swap(take=(Position(16),), give=())])
def test_a_swap_of_nothing_on_one_side_names_no_card(swap: Swap) -> None:
    assert reason("kemps", swap) is Illegal.NO_CARD


def test_one_card_is_put_down_and_one_is_picked_up() -> None:
    table = laid("chaulcer", TRIO, POOL)
    hand, pool = table.state.hands[0], table.state.pool
    assert reason("chaulcer", Discard(())) is Illegal.NO_CARD
    assert reason("chaulcer", Discard(hand[:2])) is Illegal.TOO_MANY_CARDS
    half = apply(table.state, ME, Discard(hand[:1])).state
    assert against(half, ME, Take(()), {}) is Illegal.NO_CARD
    assert against(half, ME, Take(pool[:2]), {}) is Illegal.TOO_MANY_CARDS
    assert against(half, ME, Take(pool[:1]), {}) is None


def test_where_cards_are_swapped_none_is_picked_up_alone() -> None:
    assert reason("kemps", Take((Position(16),))) is Illegal.NOT_IN_RULES
    assert reason("kemps", Discard((Position(0),))) is Illegal.NOT_IN_RULES


def test_a_denial_that_shows_nothing_is_still_no_lie() -> None:
    """Under `reveal = "claim"` a denied hand stays hidden, so only its owner's program can find the lie."""
    table = laid("chaulcer", QUARTET, POOL)
    state = apply(table.state, Seat(2), KEMPS[1]).state
    own = table.hand(ME)
    assert against(state, ME, Deny(), own) is Illegal.FALSE_DENIAL
    assert against(state, ME, Deny(), {}) is None
    assert against(state, ME, Deny(where(table, "7S 7H")), {}) is Illegal.TOO_MANY_CARDS


def test_what_a_call_keeps_waiting() -> None:
    table = laid("chaulcer", TRIO, POOL)
    free, wish = Gesture("wink"), Discard(table.state.hands[0][:1])
    assert not waits_for_call(table.state, wish)
    called = apply(table.state, Seat(2), KEMPS[1]).state
    assert waits_for_call(called, wish)
    assert waits_for_call(called, Call((Counter(1),)))
    assert not waits_for_call(called, free)


def test_a_set_goes_on_behind_a_call_that_wins_nothing() -> None:
    state = laid("chaulcer", TRIO, POOL).state
    judged = Judged(seat=Seat(2), calls=(Partner(),), quartets=frozenset(), denied=(), group=0)
    called = replace(state, group=0, judged=(judged,))
    assert not is_stopped(called)
    assert is_stopped(replace(called, scores=(state.rules.goal, 0)))
    assert not is_stopped(replace(called, scores=(state.rules.goal, 0), group=None))


@pytest.mark.parametrize("action", [Pass((Position(16),)), KEMPS[1]])
def test_nothing_but_a_stop_goes_before_a_call_where_stops_go_first(action: Action) -> None:
    assert not precedes_when_together(load_rules("kent"), 4, (Seat(1), action), KEMPS)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("deal_limit = [[4, 3]]", "deal_limit"),
        (f"deal_limit = {{ 4 = {COUNT_MAX + 1} }}", "deal_limit.4"),
    ],
)
def test_a_deal_limit_that_is_none(line: str, key: str) -> None:
    with pytest.raises(RuleError) as error:
        read_rules(f'base = "chaulcer"\n{line}')
    assert error.value.key == key


def test_the_greatest_deal_limit_is_one() -> None:
    assert read_rules(f'base = "chaulcer"\ndeal_limit = {{ 4 = {COUNT_MAX} }}').deals(4) == COUNT_MAX


def test_a_base_that_is_no_name() -> None:
    with pytest.raises(RuleError) as error:
        read_rules("base = 5")
    assert error.value.key == "base"
    assert "not the name" in str(error.value)
