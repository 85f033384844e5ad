"""What is legal: the one table of phases and actions, and the one function that everybody asks.

Invariants:

1. `check`, `legal_actions` and `state.apply` use one definition of legal, `against`.
2. It gives an answer for every seat, action and state, whatever positions are named.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import assert_never

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game import calls, exchange, flow
from kemps_p2p.game.actions import (
    GESTURE_CHARS_MAX,
    SPEECH_CHARS_MAX,
    Action,
    Admit,
    Call,
    CallItem,
    Counter,
    Deny,
    Discard,
    Double,
    DoubleCounter,
    Gesture,
    Go,
    Halt,
    Kind,
    Mulligan,
    Next,
    Partner,
    Pass,
    Resume,
    Say,
    Signal,
    Sort,
    Swap,
    Take,
    kind,
)
from kemps_p2p.game.cards import Card
from kemps_p2p.game.gestures import FIDGETS, GESTURES
from kemps_p2p.game.record import BETWEEN_DEALS, Phase, State, is_running
from kemps_p2p.game.rules import Exchange, Mode, Reveal, Signals
from kemps_p2p.ids import Position, Seat

_Gate = Mapping[Phase, Illegal]
"""The phases in which an action is forbidden, whatever else holds, and why."""

_PLAY: _Gate = {
    Phase.SEATED: Illegal.DEAL_OVER,
    Phase.DEALT: Illegal.NOT_OPEN,
    Phase.HALTED: Illegal.HALTED,
    Phase.PROVING: Illegal.DEAL_OVER,
    Phase.DEAL_OVER: Illegal.DEAL_OVER,
    Phase.MATCH_OVER: Illegal.DEAL_OVER,
}
_BEFORE_PLAY: _Gate = {
    Phase.SEATED: Illegal.DEAL_OVER,
    Phase.OPEN: Illegal.ALREADY_OPEN,
    Phase.HALTED: Illegal.ALREADY_OPEN,
    Phase.PROVING: Illegal.DEAL_OVER,
    Phase.DEAL_OVER: Illegal.DEAL_OVER,
    Phase.MATCH_OVER: Illegal.DEAL_OVER,
}
_IN_DEAL: _Gate = {
    Phase.SEATED: Illegal.DEAL_OVER,
    Phase.PROVING: Illegal.DEAL_OVER,
    Phase.DEAL_OVER: Illegal.DEAL_OVER,
    Phase.MATCH_OVER: Illegal.DEAL_OVER,
}
_BETWEEN: _Gate = {phase: Illegal.DEAL_RUNS for phase in Phase if phase not in BETWEEN_DEALS}
_IN_HALT: _Gate = {phase: Illegal.NOT_HALTED for phase in Phase if phase is not Phase.HALTED}
_ALWAYS: _Gate = {}

_GATES: Mapping[type[Action], _Gate] = {
    Swap: _PLAY,
    Discard: _PLAY,
    Take: _PLAY,
    Pass: _PLAY,
    Halt: _PLAY,
    Call: _PLAY,
    Admit: _PLAY,
    Deny: _PLAY,
    Mulligan: _BEFORE_PLAY,
    Go: _BEFORE_PLAY,
    Signal: _IN_DEAL,
    Resume: _IN_HALT,
    Next: _BETWEEN,
    Gesture: _ALWAYS,
    Say: _ALWAYS,
}
_OUT_OF_TURN: frozenset[type[Action]] = frozenset(
    {Admit, Deny, Mulligan, Go, Halt, Resume, Next, Gesture, Say}
)
"""What a seat may do although it is another's turn."""
_DURING_CALL: frozenset[type[Action]] = frozenset({Admit, Deny, Gesture, Say, Signal})
"""What a seat may do while a declaration waits to be judged."""
_BEHIND_END: frozenset[type[Action]] = _DURING_CALL - {Signal} | {Call}
"""What may still be done in a set in which a declaration has ended the deal: other declarations score."""

NOTHING_KNOWN: Mapping[Position, Card] = {}


def against(state: State, seat: Seat, action: Action, own: Mapping[Position, Card]) -> Illegal | None:
    """Why the rules forbid an action; None if they do not."""
    if not 0 <= seat < state.players:
        return Illegal.NO_SUCH_SEAT
    sort = type(action)
    reason = _GATES[sort].get(state.phase)
    if reason is not None:
        return reason
    if state.pending is not None and sort not in _DURING_CALL:
        return Illegal.CALL_PENDING
    if sort not in _BEHIND_END and calls.is_stopped(state):
        return Illegal.DEAL_OVER
    if state.turn is not None and state.turn != seat and sort not in _OUT_OF_TURN:
        return Illegal.NOT_YOUR_TURN
    return _against_here(state, seat, action, own)


def waits_for_call(state: State, action: Action) -> bool:
    """True if a declaration has to be judged before it is the action's turn: it may end play."""
    return state.pending is not None and kind(action) is not Kind.FREE


def _against_here(state: State, seat: Seat, action: Action, own: Mapping[Position, Card]) -> Illegal | None:
    """The reasons that are the action's own, in a phase that allows it."""
    match action:
        case Swap():
            return exchange.against_swap(state, seat, action)
        case Discard():
            return exchange.against_discard(state, seat, action)
        case Take():
            return exchange.against_take(state, seat, action)
        case Pass():
            return flow.against_pass(state, seat, action)
        case Call():
            return calls.against_call(state, seat, action)
        case Gesture():
            if state.rules.signals is not Signals.GESTURES:
                return Illegal.NOT_IN_RULES
            return _against_text(action.name, GESTURE_CHARS_MAX)
        case Say():
            is_silent = is_running(state) and not state.rules.speech
            return Illegal.NO_SPEECH if is_silent else _against_text(action.text, SPEECH_CHARS_MAX)
        case Signal():
            return _against_signal(state, seat)
        case Admit() | Deny():
            return calls.against_answer(state, seat, action, _known(state, own))
        case Mulligan():
            return flow.against_mulligan(state, seat, _known(state, own))
        case Go():
            return flow.against_go(state, seat)
        case Halt():
            return flow.against_halt(state, seat)
        case Resume():
            return flow.against_resume(state, seat)
        case Next():
            return flow.against_next(state, seat)
        case _:
            assert_never(action)


def _known(state: State, own: Mapping[Position, Card]) -> Mapping[Position, Card]:
    return {**state.faces, **own} if own else state.faces


def _against_text(text: str, chars_max: int) -> Illegal | None:
    if not text:
        return Illegal.NO_TEXT
    if len(text) > chars_max:
        return Illegal.TEXT_TOO_LONG
    return None if text.isprintable() else Illegal.NOT_PRINTABLE


def _against_signal(state: State, seat: Seat) -> Illegal | None:
    if state.rules.signals is not Signals.ONCE:
        return Illegal.NOT_IN_RULES
    if state.rules.mode is Mode.TURNS and state.phase is Phase.DEALT:
        return Illegal.NOT_OPEN
    return Illegal.ALREADY_SIGNALLED if seat in state.signalled else None


def check(state: State, seat: Seat, action: Action, own: Mapping[Position, Card] = NOTHING_KNOWN) -> None:
    """Raise `IllegalAction` if the action would not be `OK` now: the actor's program asks before it acts.

    `own` are faces that the actor knows, its hand; with them a pointless mulligan and a false denial
    are found here. `NOT_IN_POOL` means that the action would be missed.
    """
    reason = against(state, seat, action, own)
    if reason is not None:
        raise IllegalAction(reason)


def legal_actions(state: State, seat: Seat, own: Mapping[Position, Card] = NOTHING_KNOWN) -> Iterator[Action]:
    """What `check` allows a seat now.

    Swaps of several cards name them in the order of hand and pool; combined declarations and free text
    are not listed, gestures are those of the catalogue. All else that `check` allows is here.
    """
    return (action for action in _candidates(state, seat) if against(state, seat, action, own) is None)


def legal_of(state: State, seat: Seat, own: Mapping[Position, Card], sort: type[Sort]) -> Iterator[Sort]:
    """Those of the `legal_actions` that are of one sort: nothing else is asked about."""
    found = (action for action in _candidates(state, seat) if isinstance(action, sort))
    return (action for action in found if against(state, seat, action, own) is None)


def _candidates(state: State, seat: Seat) -> Iterator[Action]:
    if not 0 <= seat < state.players:
        return
    hand = state.hands[seat] if state.hands else ()
    if state.phase is Phase.OPEN:
        yield from _exchanges(state, hand)
        yield Pass(pool=state.pool)
        yield from (Call(calls=(item,)) for item in _items(state))
        yield Admit()
        shows = combinations(hand, 2) if state.rules.reveal is Reveal.TWO_CARDS else ((),)
        yield from (Deny(show=show) for show in shows)
    yield from (Mulligan(), Go(), Halt(), Resume(), Next(), Signal())
    yield from (Gesture(name=gesture.name) for gesture in (*GESTURES, *FIDGETS))


def _exchanges(state: State, hand: tuple[Position, ...]) -> Iterator[Action]:
    if state.rules.exchange is Exchange.DISCARD_FIRST:
        yield from (Discard(give=(card,)) for card in hand)
        yield from (Take(take=(card,)) for card in state.pool)
        return
    for count in range(1, state.rules.exchange_limit + 1):
        for take in combinations(state.pool, count):
            yield from (Swap(take=take, give=give) for give in combinations(hand, count))


def _items(state: State) -> Iterator[CallItem]:
    yield from (Partner(), Double())
    yield from (Counter(target=target) for target in range(state.players))
    yield from (DoubleCounter(team=team) for team in range(state.players // 2))
