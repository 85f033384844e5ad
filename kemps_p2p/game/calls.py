"""Calls: what forbids them, the answers and faces they wait for, what they show and how they are judged.

Invariants:

1. A declaration is judged once every hand it depends on is known, answered for, or given up as unopened.
2. Nothing is asked for that the verdict, or a proof that the rules demand, does not depend on.
3. Whether a hand is a quartet is read off public faces; an admission only makes them owed.
"""

from collections.abc import Iterator, Mapping
from itertools import chain

from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import (
    Admit,
    Call,
    CallItem,
    Deny,
    call_kind,
)
from kemps_p2p.game.cards import QUARTET_CARDS, Card, is_quartet, rank
from kemps_p2p.game.denials import end_play
from kemps_p2p.game.events import (
    Answered,
    AnswerVoid,
    Barred,
    Called,
    DealEnd,
    Event,
    Scored,
    Shown,
    Unopened,
)
from kemps_p2p.game.events import Verdicts as VerdictsGiven
from kemps_p2p.game.exchange import end_turn
from kemps_p2p.game.record import CalledHand, Judged, Pending, State, replace
from kemps_p2p.game.rules import Mode, Reveal
from kemps_p2p.game.scoring import (
    Verdict,
    accused,
    add,
    changes,
    is_at_table,
    is_counter,
    is_deal_over,
    is_decisive,
    named_seats,
    verdict,
    verdicts,
)
from kemps_p2p.game.seating import team_of
from kemps_p2p.ids import Position, Seat

PROOF_CARDS = 2


def against_call(state: State, seat: Seat, action: Call) -> Illegal | None:
    """Why the rules forbid a declaration; one forbidden call forbids the whole."""
    calls = action.calls
    if not calls:
        return Illegal.NO_CALL
    if len(calls) > 1 and not state.rules.combine_calls:
        return Illegal.COMBINED_CALLS
    for item in calls:
        reason = _against_item(state, seat, item)
        if reason is not None:
            return reason
    named = list(chain.from_iterable(named_seats(state.rules, state.players, seat, item) for item in calls))
    return Illegal.NAMED_TWICE if len(set(named)) < len(named) else None


def _against_item(state: State, seat: Seat, item: CallItem) -> Illegal | None:
    rules, players = state.rules, state.players
    if call_kind(item) not in rules.calls:
        return Illegal.NOT_IN_RULES
    if not is_counter(item):
        return None
    if seat in state.barred:
        return Illegal.BARRED
    if not is_at_table(rules, players, item):
        return Illegal.NO_SUCH_TARGET
    return Illegal.OWN_TEAM if accused(rules, players, item) == team_of(seat, players) else None


def declare(state: State, seat: Seat, action: Call, events: list[Event]) -> State:
    """The declaration stands; `settle` judges it once all is known."""
    named = chain.from_iterable(named_seats(state.rules, state.players, seat, item) for item in action.calls)
    hands = tuple(CalledHand(each, state.hands[each]) for each in named)
    events.append(Called(seat, action.calls))
    return replace(state, pending=Pending(seat=seat, calls=action.calls, hands=hands))


def owed_answers(state: State) -> frozenset[Seat]:
    """The called seats that must admit or deny; a hand of three is no quartet and needs no answer."""
    pending = state.pending
    if pending is None or state.rules.reveal is Reveal.HAND:
        return frozenset()
    return frozenset(
        hand.seat
        for hand in pending.hands
        if len(hand.cards) == QUARTET_CARDS
        and hand.seat not in pending.answers
        and hand.seat not in pending.unopened
    )


def against_answer(
    state: State, seat: Seat, action: Admit | Deny, known: Mapping[Position, Card]
) -> Illegal | None:
    """A lie is found only where `known` has the cards it is about."""
    if seat not in owed_answers(state):
        return Illegal.NOT_ASKED
    if isinstance(action, Admit):
        return None
    hand = state.hands[seat]
    if is_quartet(known[card] for card in hand if card in known):
        return Illegal.FALSE_DENIAL
    show = action.show
    if state.rules.reveal is Reveal.CLAIM:
        return Illegal.TOO_MANY_CARDS if show else None
    if len(show) != PROOF_CARDS:
        return Illegal.UNEVEN
    if len(set(show)) < PROOF_CARDS:
        return Illegal.NAMED_TWICE
    if any(card not in hand for card in show):
        return Illegal.NOT_IN_HAND
    ranks = {rank(known[card]) if card in known else ~card for card in show}
    return Illegal.FALSE_DENIAL if len(ranks) < PROOF_CARDS else None


def answer(state: State, seat: Seat, action: Admit | Deny, events: list[Event]) -> State:
    """Put an answer with the declaration it is about."""
    pending = state.pending
    if pending is None:
        return state
    events.append(Answered(seat, action))
    return replace(state, pending=replace(pending, answers={**pending.answers, seat: action}))


def give_up(state: State, seat: Seat, events: list[Event]) -> State:
    """A called seat did not answer or open in time."""
    pending = state.pending
    if pending is None:
        return state
    events.append(Unopened(seat))
    return replace(state, pending=replace(pending, unopened=pending.unopened | {seat}))


def owed_seats(state: State) -> frozenset[Seat]:
    """The called seats that a judgement waits for: answers, or cards to be shown."""
    pending = state.pending
    if pending is None:
        return frozenset()
    owed = owed_cards(state)
    return owed_answers(state) | {hand.seat for hand in pending.hands if owed.intersection(hand.cards)}


def owed_cards(state: State) -> frozenset[Position]:
    """The hand cards that a call demands and nobody has seen yet."""
    if state.pending is None or owed_answers(state):
        return frozenset()
    return frozenset(
        card
        for hand in chain(_whole_hands(state, state.pending), _proofs(state, state.pending))
        for card in hand.cards
        if card not in state.faces
    )


def _whole_hands(state: State, pending: Pending) -> Iterator[CalledHand]:
    """The hands that are shown whole: all named ones, or those said to be quartets."""
    shows_all = state.rules.reveal is Reveal.HAND
    for hand in pending.hands:
        if hand.seat not in pending.unopened and (
            shows_all or isinstance(pending.answers.get(hand.seat), Admit)
        ):
            yield hand


def _quartets(state: State, pending: Pending) -> frozenset[Seat]:
    """Who counts as holding a quartet, as far as whole hands have been shown."""
    team = team_of(pending.seat, state.players)
    found = {
        hand.seat
        for hand in _whole_hands(state, pending)
        if is_quartet(state.faces[card] for card in hand.cards if card in state.faces)
    }
    found.update(seat for seat in pending.unopened if team_of(seat, state.players) != team)
    return frozenset(found)


def _proofs(state: State, pending: Pending) -> Iterator[CalledHand]:
    """The cards that denials show: those on which a call that is not right depends."""
    if state.rules.reveal is not Reveal.TWO_CARDS:
        return
    if any(card not in state.faces for hand in _whole_hands(state, pending) for card in hand.cards):
        return
    quartets = _quartets(state, pending)
    for item in pending.calls:
        if verdict(state.rules, state.players, pending.seat, item, quartets) is Verdict.RIGHT:
            continue
        for seat in named_seats(state.rules, state.players, pending.seat, item):
            said = pending.answers.get(seat)
            if isinstance(said, Deny) and seat not in pending.unopened:
                yield CalledHand(seat, said.show)


def settle(state: State, events: list[Event]) -> State:
    """Judge the declaration that stands, if all is known that it depends on."""
    pending = state.pending
    if pending is None or owed_answers(state) or owed_cards(state):
        return state
    proofs = tuple(_proofs(state, pending))
    for hand in proofs:
        if len({rank(state.faces[card]) for card in hand.cards}) < PROOF_CARDS:
            events.append(AnswerVoid(hand.seat))
            answers = {seat: said for seat, said in pending.answers.items() if seat != hand.seat}
            return replace(state, pending=replace(pending, answers=answers))
    shown = (*_whole_hands(state, pending), *proofs)
    events += [Shown(hand.seat, hand.cards) for hand in shown]
    state = replace(state, shown=state.shown.union(*(hand.cards for hand in shown)), pending=None)
    return _judge(state, pending, events)


def _judge(state: State, pending: Pending, events: list[Event]) -> State:
    rules, players, seat, calls = state.rules, state.players, pending.seat, pending.calls
    quartets = _quartets(state, pending)
    found = verdicts(rules, players, seat, calls, quartets)
    events.append(VerdictsGiven(seat, calls, found))
    denied = tuple(
        hand
        for hand in pending.hands
        if rules.reveal is Reveal.CLAIM and isinstance(pending.answers.get(hand.seat), Deny)
    )
    index = len(state.judged)
    group = index if state.group is None else state.group
    record = Judged(seat=seat, calls=calls, quartets=quartets, denied=denied, group=group)
    change = changes(rules, players, seat, calls, found)
    scores = add(state.scores, change)
    if any(change):
        events.append(Scored(change, scores))
    state = replace(state, scores=scores, judged=(*state.judged, record), verdicts=found)
    if rules.bar_after_wrong_counter and any(
        is_counter(item) and one is not Verdict.RIGHT for item, one in zip(calls, found, strict=True)
    ):
        events.append(Barred(seat))
        state = replace(state, barred=state.barred | {seat})
    state = replace(state, ending=state.ending or is_deal_over(rules, calls, found))
    if rules.mode is Mode.TURNS:
        # Passes sweep the pool in a row: a seat that calls does not pass, and the row begins anew. Else a
        # seat whose pass still stands could neither pass again nor be passed for.
        state = replace(state, passes=frozenset())
    state = end_turn(state, seat, events)
    return state if state.group is not None else conclude(state, events)


def close_group(state: State, events: list[Event]) -> State:
    """The last action of a together-set has been settled."""
    if state.group is None:
        return state
    if state.group == len(state.judged):
        return replace(state, group=None)
    return conclude(state, events)


def is_stopped(state: State) -> bool:
    """True if a declaration of the set under way ends the deal: only its other declarations still count."""
    has_called = state.group is not None and state.group < len(state.judged)
    return state.ending or (has_called and _is_won(state))


def _is_won(state: State) -> bool:
    """True if a goal or word has been reached; in a playoff only the end of the deal counts."""
    return is_decisive(state.rules, state.scores) and not state.playoff


def conclude(state: State, events: list[Event]) -> State:
    """Decide whether the declarations scored so far end the deal; else play goes on, hands hidden again."""
    is_ending = state.ending
    state = replace(state, group=None, ending=False)
    if is_ending:
        return end_play(state, DealEnd.CALL, events)
    if _is_won(state):
        return end_play(state, DealEnd.GOAL, events)
    return replace(state, shown=frozenset())
