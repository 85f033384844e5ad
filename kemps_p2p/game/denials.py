"""Denials that were only stated, and their proof once the cards have stopped.

Under `reveal = "claim"` a denied hand stays hidden while the deal goes on. At its end each denied hand, as
it was called, must be proven: two public faces of different rank are enough. Invariants:

1. A deal that play or a call has ended is scored only when no proof is owed.
2. After a false denial the deal is scored as ended by that call: what came later in it does not count.
"""

import msgspec

from kemps_p2p.game.cards import rank
from kemps_p2p.game.ending import end_deal
from kemps_p2p.game.events import (
    DealEnd,
    DealLost,
    Event,
    FalseDenial,
    ProofsOwed,
    Scored,
    Unopened,
)
from kemps_p2p.game.record import CalledHand, Judged, Phase, State, replace
from kemps_p2p.game.scoring import add, changes, loss, verdicts
from kemps_p2p.game.seating import team_of
from kemps_p2p.ids import Position, Seat


class _Denial(msgspec.Struct, frozen=True):
    judged: Judged
    hand: CalledHand


def _denials(state: State) -> tuple[_Denial, ...]:
    return tuple(_Denial(judged, hand) for judged in state.judged for hand in judged.denied)


def _is_proven(state: State, hand: CalledHand) -> bool:
    return len({rank(state.faces[card]) for card in hand.cards if card in state.faces}) > 1


def _is_open(state: State, hand: CalledHand) -> bool:
    return all(card in state.faces for card in hand.cards)


def owed_proofs(state: State) -> tuple[CalledHand, ...]:
    """The hands, as called, whose denial must be proven before the deal is scored."""
    if state.phase is not Phase.PROVING:
        return ()
    owed: list[CalledHand] = []
    for denial in _denials(state):
        hand = denial.hand
        if hand.seat in state.unproven or hand in owed:
            continue
        if not _is_proven(state, hand) and not _is_open(state, hand):
            owed.append(hand)
    return tuple(owed)


def proof_cards(state: State) -> frozenset[Position]:
    """The cards of all owed proofs that nobody has seen yet."""
    return frozenset(card for hand in owed_proofs(state) for card in hand.cards if card not in state.faces)


def end_play(state: State, end: DealEnd, events: list[Event]) -> State:
    """The cards stop. The deal ends at once, or when every denial in it has been proven."""
    proving = replace(state, phase=Phase.PROVING, passes=frozenset(), proving=end)
    owed = owed_proofs(proving)
    if owed:
        events.append(ProofsOwed(tuple(sorted({hand.seat for hand in owed}))))
    return settle(proving, events)


def settle(state: State, events: list[Event]) -> State:
    """Score and end the deal if nothing is owed any more."""
    if state.proving is None or owed_proofs(state):
        return state
    false = [denial for denial in _denials(state) if not _is_proven(state, denial.hand)]
    end = state.proving
    if false:
        state = _score_anew(state, false, events)
        end = DealEnd.CALL
    return end_deal(state, end, events)


def _score_anew(state: State, false: list[_Denial], events: list[Event]) -> State:
    """Score the deal as ended by the first falsely denied call, and lost by each denier's team besides."""
    first = false[0].judged
    scores = state.deal_scores
    for judged in state.judged:
        if judged.group > first.group:
            break
        liars = {denial.hand.seat for denial in false if denial.judged is judged}
        found = verdicts(state.rules, state.players, judged.seat, judged.calls, judged.quartets | liars)
        scores = add(scores, changes(state.rules, state.players, judged.seat, judged.calls, found))
    for denial in false:
        events.append(FalseDenial(denial.hand.seat, denial.judged.seat))
    for team in sorted({team_of(denial.hand.seat, state.players) for denial in false}):
        events.append(DealLost(team))
        scores = add(scores, loss(state.rules, state.players, team))
    events.append(Scored(add(scores, tuple(-score for score in state.scores)), scores))
    return replace(state, scores=scores)


def give_up(state: State, seat: Seat, events: list[Event]) -> State:
    """A seat did not prove its denials in time: they count as false."""
    events.append(Unopened(seat))
    return replace(state, unproven=state.unproven | {seat})
