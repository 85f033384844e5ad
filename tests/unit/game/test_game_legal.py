"""Every phase times every action, and the limits of what anybody may say."""

import pytest
from game_helpers import dealt, laid, shuffled, where

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.actions import (
    Action,
    Admit,
    Call,
    CallItem,
    Counter,
    Deny,
    Discard,
    Gesture,
    Go,
    Halt,
    Mulligan,
    Next,
    Partner,
    Pass,
    Resume,
    Say,
    Signal,
    Swap,
    Take,
)
from kemps_p2p.game.legal import against
from kemps_p2p.game.record import replace
from kemps_p2p.game.rules import load_rules
from kemps_p2p.game.state import Phase, Result, State, advance, apply, check, legal_actions, legal_of
from kemps_p2p.ids import Position, Seat

DEALER = Seat(0)
TRIO = ["7S 7H 7D KC", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"]


def in_phase(name: str, phase: Phase, **changes: str) -> State:
    """A table of four in that phase, idle long enough, as if the phase had come about in play."""
    state = advance(laid(name, TRIO, "7C 2H 5S JD", None, **changes).state, 10_000)
    return replace(state, phase=phase, started=phase is not Phase.DEALT)


SWAPS: set[type] = {Swap, Pass, Call, Gesture}
DISCARDS: set[type] = {Discard, Call, Halt, Gesture}
ALLOWED: list[tuple[str, Phase, set[type]]] = [
    ("kemps/go", Phase.DEALT, {Go, Gesture}),
    ("kemps/go", Phase.OPEN, SWAPS),
    ("kemps/go", Phase.HALTED, {Resume, Gesture}),
    ("kemps/go", Phase.PROVING, {Gesture}),
    ("kemps/go", Phase.DEAL_OVER, {Next, Gesture, Say}),
    ("kemps/go", Phase.MATCH_OVER, {Next, Gesture, Say}),
    ("kemps/go", Phase.SEATED, {Next, Gesture, Say}),
    ("kemps", Phase.DEALT, {Gesture}),
    ("kems", Phase.DEALT, {Go, Mulligan, Gesture}),
    ("chaulcer", Phase.OPEN, DISCARDS),
    ("chaulcer", Phase.DEALT, {Gesture}),
    ("chaulcer/verbal", Phase.OPEN, DISCARDS | {Say}),
    ("cash", Phase.DEALT, set()),
    ("cash", Phase.OPEN, {Swap, Pass, Call, Signal}),
]


def every_action(state: State) -> list[Action]:
    hand = state.hands[0]
    return [
        Swap(take=state.pool[:1], give=hand[:1]),
        Discard(hand[:1]),
        Take(state.pool[:1]),
        Pass(state.pool),
        Signal(),
        Gesture("wink"),
        Say("so"),
        Call((Partner(),)),
        Mulligan(),
        Go(),
        Halt(),
        Resume(),
        Next(),
        Admit(),
        Deny(),
    ]


@pytest.mark.parametrize(("name", "phase", "allowed"), ALLOWED)
def test_phase(name: str, phase: Phase, allowed: set[type]) -> None:
    state = in_phase(name, phase, rotation="fixed")
    if state.turn is not None:
        state = replace(state, turn=DEALER)
    legal = {type(action) for action in every_action(state) if against(state, DEALER, action, {}) is None}
    assert legal == allowed


@pytest.mark.parametrize("phase", Phase)
def test_nobody_outside_the_table_acts(phase: Phase) -> None:
    state = in_phase("kemps/go", phase)
    for action in every_action(state):
        for seat in (-1, 4, 99):
            applied = apply(state, Seat(seat), action)
            assert (applied.result, applied.reason) == (Result.REFUSED, Illegal.NO_SUCH_SEAT)


@pytest.mark.parametrize("action", [Go(), Halt(), Resume(), Next()])
def test_only_the_dealer_runs_the_table(action: Action) -> None:
    phases = {Go: Phase.DEALT, Halt: Phase.OPEN, Resume: Phase.HALTED, Next: Phase.DEAL_OVER}
    state = in_phase("chaulcer", phases[type(action)], start="go", rotation="fixed")
    assert against(state, DEALER, action, {}) is None
    assert against(state, Seat(1), action, {}) is Illegal.NOT_DEALER


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Gesture("w" * 41), Illegal.TEXT_TOO_LONG),
        (Gesture(""), Illegal.NO_TEXT),
        (Gesture("wi\nnk"), Illegal.NOT_PRINTABLE),
        (Gesture("\x1b[2J"), Illegal.NOT_PRINTABLE),
        (Say("w" * 201), Illegal.TEXT_TOO_LONG),
        (Say(""), Illegal.NO_TEXT),
        (Say("a\u202eb"), Illegal.NOT_PRINTABLE),
    ],
)
def test_text(action: Action, reason: Illegal) -> None:
    state = dealt("kemps/peanut-butter").state
    with pytest.raises(IllegalAction) as caught:
        check(state, Seat(1), action)
    assert caught.value.reason is reason


def test_a_swap_of_cards_out_of_nowhere() -> None:
    table = laid("kemps", TRIO, "7C 2H 5S JD")
    give = where(table, "KC")
    for number in (-1, 52, 10**9):
        gone = apply(table.state, Seat(0), Swap(take=(Position(number),), give=give))
        assert gone.result is Result.MISSED
        forbidden = apply(table.state, Seat(0), Swap(take=table.state.pool[:1], give=(Position(number),)))
        assert forbidden.result is Result.REFUSED


def test_a_pass_names_the_pool_it_declines() -> None:
    state = dealt("kemps").state
    for pool in ((), state.pool[:3], (*state.pool[:3], Position(40)), (*state.pool, state.pool[0])):
        assert against(state, Seat(0), Pass(pool), {}) is Illegal.OTHER_POOL
    assert against(state, Seat(0), Pass(state.pool[::-1]), {}) is None


def test_swaps_that_are_listed() -> None:
    state = dealt("kemps").state
    swaps = [action for action in legal_actions(state, Seat(1)) if isinstance(action, Swap)]
    assert len(swaps) == len(set(swaps)) == 16 + 36 + 16 + 1
    one = [action for action in legal_actions(dealt("kent").state, Seat(1)) if isinstance(action, Swap)]
    assert len(one) == 16


def listed_calls(name: str) -> list[tuple[CallItem, ...]]:
    actions = legal_actions(dealt(name, 6).state, Seat(1))
    return [action.calls for action in actions if isinstance(action, Call)]


def test_calls_that_are_listed() -> None:
    calls = [
        action.calls for action in legal_actions(dealt("kemps", 6).state, Seat(1)) if isinstance(action, Call)
    ]
    assert calls == [(Partner(),), (Counter(0),), (Counter(2),)]
    many = [
        action for action in legal_actions(dealt("chaulcer", 6).state, Seat(1)) if isinstance(action, Call)
    ]
    assert len(many) == 2 + 4 + 2


@pytest.mark.parametrize("sort", [Swap, Call, Next])
def test_those_of_one_sort_are_those_of_all(sort: type[Action]) -> None:
    state = dealt("kemps").state
    listed = [action for action in legal_actions(state, Seat(1)) if isinstance(action, sort)]
    assert list(legal_of(state, Seat(1), {}, sort)) == listed


def test_nothing_is_listed_for_a_seat_that_is_not_there() -> None:
    assert not list(legal_actions(dealt("kemps").state, Seat(7)))
    assert not list(legal_actions(shuffled(load_rules("kemps"), 4, 0).state, Seat(-1)))
