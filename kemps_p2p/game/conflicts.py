"""Which actions of two seats may not commute, and which goes first where nothing else decides.

A function of the two actions alone, blind to the state: it errs towards conflict. One thing is left out
on purpose: an exchange does not conflict with a call that does not name its hand, although the call may
end the deal before it: forestalled, the exchange changes no score. The same goes for a signal.
"""

from collections.abc import Sequence

from kemps_p2p.game.actions import (
    Action,
    Admit,
    Call,
    Deny,
    Discard,
    Gesture,
    Kind,
    Next,
    Say,
    Signal,
    Swap,
    Take,
    kind,
)
from kemps_p2p.game.rules import Mode, RuleSet, SimultaneousCalls
from kemps_p2p.game.scoring import is_at_table, is_counter, named_seats
from kemps_p2p.game.seating import team_of
from kemps_p2p.ids import Position, Seat

Act = tuple[Seat, Action]

_CHATTER = (Gesture, Say)
_ANSWERS = (Admit, Deny)


def conflicts(rules: RuleSet, players: int, a: Act, b: Act) -> bool:
    """True iff the order of the two may matter."""
    return _conflict(rules, players, a, b) or _conflict(rules, players, b, a)


def _conflict(rules: RuleSet, players: int, a: Act, b: Act) -> bool:
    """One half of `conflicts`: the reasons that `a` has to go before or after `b`."""
    (seat, action), (other, against) = a, b
    if isinstance(action, _CHATTER) or isinstance(against, _CHATTER):
        return isinstance(action, Say) and isinstance(against, Next) and not rules.speech
    if isinstance(action, _ANSWERS) or isinstance(against, _ANSWERS):
        return seat == other and isinstance(action, _ANSWERS) and isinstance(against, _ANSWERS)
    if rules.mode is Mode.TURNS:
        return True
    if isinstance(action, Signal):
        return _signal_conflict(seat, other, against)
    match kind(action), kind(against):
        case Kind.FREE, _:
            return not isinstance(against, Signal)
        case Kind.CALL, Kind.CALL | Kind.PASS:
            return True
        case Kind.CALL, Kind.EXCHANGE:
            return other in called_seats(rules, players, a)
        case Kind.PASS, Kind.EXCHANGE:
            return True
        case Kind.PASS, Kind.PASS:
            return seat == other
        case Kind.EXCHANGE, Kind.EXCHANGE:
            return seat == other or not touched(action).isdisjoint(touched(against))
        case _:
            return False


def _signal_conflict(seat: Seat, other: Seat, against: Action) -> bool:
    """A signal is refused once the deal is over, or if it is the seat's second."""
    if isinstance(against, Signal):
        return seat == other
    return kind(against) is Kind.PASS or isinstance(against, Next)


def touched(action: Action) -> frozenset[Position]:
    """The cards that an exchange takes or puts down; none for any other action."""
    match action:
        case Swap():
            return frozenset((*action.take, *action.give))
        case Discard():
            return frozenset(action.give)
        case Take():
            return frozenset(action.take)
        case _:
            return frozenset()


def called_seats(rules: RuleSet, players: int, act: Act) -> frozenset[Seat]:
    """The seats whose hands a declaration names; targets that are not at the table name none."""
    seat, action = act
    if not isinstance(action, Call):
        return frozenset()
    return frozenset(
        named
        for item in action.calls
        if is_at_table(rules, players, item)
        for named in named_seats(rules, players, seat, item)
    )


def precedes_when_together(rules: RuleSet, players: int, a: Act, b: Act) -> bool:
    """True if `a` must go before `b` inside a set of actions that are settled as simultaneous."""
    (seat, action), (other, against) = a, b
    if not isinstance(against, Call):
        return False
    if kind(action) is Kind.EXCHANGE:
        return team_of(seat, players) == team_of(other, players)
    return (
        rules.simultaneous_calls is SimultaneousCalls.COUNTER_FIRST
        and isinstance(action, Call)
        and _has_counter(action)
        and not _has_counter(against)
    )


def _has_counter(action: Call) -> bool:
    return any(is_counter(item) for item in action.calls)


def order_of_calls(rules: RuleSet, acts: Sequence[Act]) -> tuple[int, ...]:
    """The indices of `acts` as they are settled when nothing but their calls may change places."""
    order = list(range(len(acts)))
    if rules.simultaneous_calls is not SimultaneousCalls.COUNTER_FIRST:
        return tuple(order)
    places = [index for index in order if isinstance(acts[index][1], Call)]
    ranked = sorted(places, key=lambda index: not _is_counter_call(acts[index][1]))
    for place, index in zip(places, ranked, strict=True):
        order[place] = index
    return tuple(order)


def _is_counter_call(action: Action) -> bool:
    return isinstance(action, Call) and _has_counter(action)
