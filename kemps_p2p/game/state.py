"""The match as a machine: every input and what it does. What is allowed when is the table in `legal`.

An input is an action of a seat (`apply`, `apply_together`) or something the table itself brings: faces
(`turn_up`), the start of play, shuffled-back cards, time, a fault. What the table owes next is derived
from the state: `owed_faces`, `owed_answers`, `owed_proofs`, `owed_recycle`, `may_start_play`. Knows no
peers, keys, bytes or clocks. Invariants:

1. `check`, `legal_actions` and `apply` use one definition of legal, `legal.against`.
2. No action raises in `apply`, whatever seat and positions it names. What is refused or missed leaves
   the state as it was.
3. The state after an input does not depend on faces that are not public.
4. After every input, whatever can go on without a further input has gone on.
"""

from collections.abc import Mapping, Sequence
from typing import assert_never

from kemps_p2p.errors import Illegal
from kemps_p2p.game import calls, denials, ending, exchange, flow
from kemps_p2p.game.actions import (
    Action,
    Admit,
    Call,
    Deny,
    Discard,
    Gesture,
    Go,
    Halt,
    Mulligan,
    Next,
    Pass,
    Resume,
    Say,
    Signal,
    Swap,
    Take,
)
from kemps_p2p.game.calls import owed_answers
from kemps_p2p.game.cards import Card
from kemps_p2p.game.denials import owed_proofs
from kemps_p2p.game.events import (
    DealEnd,
    DealLost,
    Event,
    Gestured,
    Missed,
    Said,
    Scored,
    Settled,
    Signalled,
    TurnedUp,
)
from kemps_p2p.game.flow import dealer_of_first_deal, may_start_play, next_dealer
from kemps_p2p.game.legal import NOTHING_KNOWN, against, check, legal_actions, legal_of, waits_for_call
from kemps_p2p.game.record import (
    BETWEEN_DEALS,
    Applied,
    CalledHand,
    Phase,
    Recycle,
    Result,
    State,
    Together,
    Waiting,
    all_seats,
    face_down,
    is_running,
    new_match,
    replace,
)
from kemps_p2p.game.rules import SimultaneousCalls, deal_cards
from kemps_p2p.game.scoring import add, loss
from kemps_p2p.ids import Position, Seat, Team


def _do(state: State, seat: Seat, action: Action, events: list[Event]) -> State:
    """Carry out a legal action."""
    match action:
        case Swap():
            return exchange.swap(state, seat, action, events)
        case Discard():
            return exchange.discard(state, seat, action, events)
        case Take():
            return exchange.take_up(state, seat, action, events)
        case Pass():
            return flow.pass_pool(state, seat, events)
        case Call():
            return calls.declare(state, seat, action, events)
        case Gesture():
            events.append(Gestured(seat, action.name))
            return state
        case Say():
            events.append(Said(seat, action.text))
            return state
        case Signal():
            events.append(Signalled(seat))
            return replace(state, signalled=state.signalled | {seat})
        case Admit() | Deny():
            return calls.answer(state, seat, action, events)
        case Mulligan():
            return flow.ask_mulligan(state, seat, events)
        case Go():
            return flow.open_play(state, events)
        case Halt():
            return flow.halt(state, events)
        case Resume():
            return flow.sweep(state, events)
        case Next():
            return flow.begin(state, seat, events)
        case _:
            assert_never(action)


def apply(state: State, seat: Seat, action: Action) -> Applied:
    """What an action of a seat does, as the table sees it."""
    reason = against(state, seat, action, NOTHING_KNOWN)
    if reason is None:
        events: list[Event] = []
        after = _go_on(_do(state, seat, action, events), events)
        return Applied(after, Result.OK, None, tuple(events))
    if reason is Illegal.NOT_IN_POOL:
        return Applied(state, Result.MISSED, reason, (Missed(seat, action),))
    return Applied(state, Result.REFUSED, reason, ())


def apply_together(state: State, acts: Sequence[tuple[Seat, Action]]) -> Together:
    """Actions settled as simultaneous, in their settled order; each result is a `Settled` event.

    An action behind a call that waits for faces or answers waits with it, and is settled by the input
    that brings them. Where simultaneous calls both score, the deal ends only after the last of the set.
    """
    if state.pending is not None:
        return _apply_behind(state, acts)
    events: list[Event] = []
    waiting = tuple(Waiting(index, seat, action) for index, (seat, action) in enumerate(acts))
    state = _go_on(replace(state, waiting=waiting), events)
    came = {event.index: Result(event.result) for event in events if isinstance(event, Settled)}
    results = tuple(came.get(index) for index in range(len(acts)))
    return Together(state, Result.OK, None, tuple(events), results)


def _apply_behind(state: State, acts: Sequence[tuple[Seat, Action]]) -> Together:
    """A call waits already: what may be done meanwhile is done, all else is settled behind it."""
    events: list[Event] = []
    results: list[Result | None] = []
    for index, (seat, action) in enumerate(acts):
        if waits_for_call(state, action):
            place = results.count(None)
            state = replace(state, waiting=(*state.waiting, Waiting(place, seat, action)))
            results.append(None)
            continue
        applied = apply(state, seat, action)
        events += [Settled(index, seat, action, applied.result.value, applied.reason), *applied.events]
        results.append(applied.result)
        state = applied.state
    return Together(state, Result.OK, None, tuple(events), tuple(results))


def _grouped(state: State) -> State:
    scores_both = state.rules.simultaneous_calls is SimultaneousCalls.BOTH
    return replace(state, group=len(state.judged)) if scores_both else state


def open_set(state: State) -> State:
    """The actions from here to `close_set` are settled as simultaneous: for a driver that answers at once.

    Between them faces and answers may come in, so that each finds the table as the one before left it.
    """
    return replace(_grouped(state), gathering=True)


def close_set(state: State) -> Applied:
    """The last action of a set has been applied; where simultaneous calls both score, the deal may end."""
    return _applied(replace(state, gathering=False), [])


def _go_on(state: State, events: list[Event]) -> State:
    """Carry on whatever waits for no further input."""
    while True:
        if state.mulligans:
            state = flow.settle_mulligans(state, events)
        if state.pending is not None:
            state = calls.settle(state, events)
        if state.phase is Phase.PROVING:
            state = denials.settle(state, events)
        if state.pending is not None:
            return state
        begins_set = not state.waiting or state.waiting[0].index == 0
        if begins_set and not state.gathering:
            state = calls.close_group(state, events)
        if not state.waiting:
            return state
        first, *rest = state.waiting
        state = replace(_grouped(state) if begins_set else state, waiting=tuple(rest))
        reason = against(state, first.seat, first.action, NOTHING_KNOWN)
        result = Result.OK
        if reason is not None:
            result = Result.MISSED if reason is Illegal.NOT_IN_POOL else Result.REFUSED
        events.append(Settled(first.index, first.seat, first.action, result.value, reason))
        if result is Result.OK:
            state = _do(state, first.seat, first.action, events)
        elif result is Result.MISSED:
            events.append(Missed(first.seat, first.action))


def _applied(state: State, events: list[Event]) -> Applied:
    state = _go_on(state, events)
    return Applied(state, Result.OK, None, tuple(events))


def _refused(state: State, reason: Illegal) -> Applied:
    return Applied(state, Result.REFUSED, reason, ())


def owed_faces(state: State) -> frozenset[Position]:
    """The cards that must be turned up for everybody now, proofs of denials aside."""
    if state.phase in BETWEEN_DEALS or state.phase is Phase.PROVING:
        return frozenset()
    owed = face_down(state) | calls.owed_cards(state)
    if state.mulligans and state.recycle is Recycle.NOTHING:
        owed |= {card for seat in state.mulligans for card in state.hands[seat] if card not in state.faces}
    return owed


def turn_up(state: State, faces: Mapping[Position, Card]) -> Applied:
    """Faces become public, and whatever waited for them goes on.

    Refused as a whole if one of them is not owed, neither as a face nor for a proof.
    """
    owed = owed_faces(state) | denials.proof_cards(state)
    if not owed.issuperset(faces):
        return _refused(state, Illegal.NOT_OWED)
    events: list[Event] = []
    turned = tuple(card for card in state.pool if card in faces)
    state = replace(state, faces={**state.faces, **faces})
    if turned:
        events.append(TurnedUp(turned))
        flow.note_pool(state, events)
    return _applied(state, events)


def start_play(state: State) -> Applied:
    """Play opens by itself, after the time to look."""
    if not may_start_play(state):
        return _refused(state, Illegal.NOT_OPEN)
    events: list[Event] = []
    return _applied(flow.open_play(state, events), events)


def owed_recycle(state: State) -> tuple[Card, ...] | None:
    """The swept cards to be shuffled and laid beneath the stock, in pack order; None if none are."""
    if state.recycle is Recycle.NOTHING:
        return None
    return tuple(sorted(state.faces[card] for card in state.swept))


def recycled(state: State, cards: Sequence[Position]) -> Applied:
    """The swept cards are shuffled: as many fresh positions, contiguous from `next_position`."""
    fresh = range(next_position(state), next_position(state) + len(state.swept))
    if state.recycle is Recycle.NOTHING or tuple(cards) != tuple(fresh):
        return _refused(state, Illegal.NOT_OWED)
    events: list[Event] = []
    return _applied(flow.recycle(state, tuple(cards), events), events)


def next_position(state: State) -> Position:
    """The lowest position that this deal has never used."""
    return state.next_position


def advance(state: State, now_ms: int) -> State:
    """Time has passed; an earlier time than the state's changes nothing."""
    return replace(state, now_ms=now_ms) if now_ms > state.now_ms else state


def may_auto_pass(state: State, seat: Seat) -> bool:
    """True if a seat that does nothing may be passed for: the pool, or its turn, has waited long enough."""
    if not state.rules.auto_pass_ms or state.phase is not Phase.OPEN:
        return False
    waited_ms = state.now_ms - max(state.idle_since_ms, state.turn_since_ms)
    if waited_ms < state.rules.auto_pass_ms:
        return False
    return against(state, seat, Pass(pool=state.pool), NOTHING_KNOWN) is None


def lose_deal(state: State, team: Team) -> Applied:
    """A team loses the deal by its fault. A deal that has not started ends as it starts."""
    if state.phase is Phase.MATCH_OVER or not 0 <= team < state.players // 2:
        return _refused(
            state, Illegal.DEAL_OVER if 0 <= team < state.players // 2 else Illegal.NO_SUCH_TARGET
        )
    events: list[Event] = []
    if not is_running(state):
        state = flow.begin(state, next_dealer(state, state.dealer), events)
    change = loss(state.rules, state.players, team)
    scores = add(state.scores, change)
    events += [DealLost(team), Scored(change, scores)]
    state = ending.end_deal(replace(state, scores=scores), DealEnd.FAULT, events)
    return _applied(state, events)


def void_deal(state: State) -> Applied:
    """The deal ends and does not count. A deal that has not started ends as it starts."""
    if state.phase is Phase.MATCH_OVER:
        return _refused(state, Illegal.DEAL_OVER)
    events: list[Event] = []
    if not is_running(state):
        state = flow.begin(state, next_dealer(state, state.dealer), events)
    return _applied(ending.void(state, events), events)


def refuse_opening(state: State, seat: Seat) -> Applied:
    """A seat did not answer, show or prove in time.

    A called hand then counts as a quartet for the opponents' calls and as none for its own team's; a
    denial counts as false; a mulligan does not happen.
    """
    events: list[Event] = []
    if seat in calls.owed_seats(state):
        return _applied(calls.give_up(state, seat, events), events)
    if any(hand.seat == seat for hand in owed_proofs(state)):
        return _applied(denials.give_up(state, seat, events), events)
    if seat in state.mulligans and state.recycle is Recycle.NOTHING:
        return _applied(flow.drop_mulligan(state, seat, events), events)
    return _refused(state, Illegal.NOT_OWED)


__all__ = [
    "Applied",
    "CalledHand",
    "Phase",
    "Result",
    "State",
    "Together",
    "advance",
    "all_seats",
    "apply",
    "apply_together",
    "check",
    "close_set",
    "deal_cards",
    "dealer_of_first_deal",
    "face_down",
    "is_running",
    "legal_actions",
    "legal_of",
    "lose_deal",
    "may_auto_pass",
    "may_start_play",
    "new_match",
    "next_dealer",
    "next_position",
    "open_set",
    "owed_answers",
    "owed_faces",
    "owed_proofs",
    "owed_recycle",
    "recycled",
    "refuse_opening",
    "start_play",
    "turn_up",
    "void_deal",
    "waits_for_call",
]
