"""Calls of a running deal: what waits for hands, how a called seat answers, and calls that are together."""

import pytest
from game_helpers import laid, where
from live_helpers import QUARTET, TRIO, faces, found, of_kind, ok, refused, results

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.actions import (
    Admit,
    Call,
    Counter,
    Deny,
    Discard,
    Double,
    Gesture,
    Halt,
    Next,
    Partner,
    Pass,
    Swap,
    Take,
)
from kemps_p2p.game.events import AnswerVoid, DealEnded, DealLost, FalseDenial, ProofsOwed, Shown
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.state import (
    Phase,
    State,
    advance,
    apply,
    apply_together,
    check,
    owed_answers,
    owed_faces,
    owed_proofs,
    refuse_opening,
    turn_up,
)
from kemps_p2p.game.table import Table
from kemps_p2p.ids import Seat, Team

# Calls that wait


def test_a_call_waits_for_the_hands_it_names_and_stops_everything_but_gestures() -> None:
    table = laid("kemps", QUARTET, "KC 2H 5S JD")
    state = ok(apply(table.state, Seat(2), Call((Partner(),))))
    hand = state.hands[0]
    assert owed_faces(state) == set(hand)
    refused(apply(state, Seat(1), Call((Counter(0),))), Illegal.CALL_PENDING)
    refused(apply(state, Seat(1), Pass(state.pool)), Illegal.CALL_PENDING)
    refused(
        apply(state, Seat(3), Swap(take=where(table, "2H"), give=where(table, "4C"))), Illegal.CALL_PENDING
    )
    state = ok(apply(state, Seat(1), Gesture("wink")))
    some = turn_up(state, faces(table, hand[:3]))
    assert not found(some)
    last = turn_up(some.state, faces(table, hand[3:]))
    assert found(last) == [(Verdict.RIGHT,)]
    assert last.state.scores == (0, 1)
    assert last.state.phase is Phase.DEAL_OVER
    assert last.state.shown == set(hand)


def test_a_hand_that_everybody_has_seen_is_judged_at_once() -> None:
    table = laid("kemps", ["2D 5H JC QS", *TRIO[1:]], "7S 7H 7D 7C")
    swap = Swap(take=where(table, "7S 7H 7D 7C"), give=table.state.hands[0])
    table.act(Seat(0), swap)
    called = apply(table.state, Seat(2), Call((Partner(),)))
    assert found(called) == [(Verdict.RIGHT,)]


def test_a_hand_not_opened_is_a_quartet_for_opponents_and_none_for_its_team() -> None:
    table = laid("kemps", TRIO, "7C 2H 5S JD")
    own = refuse_opening(ok(apply(table.state, Seat(2), Call((Partner(),)))), Seat(0))
    assert found(own) == [(Verdict.WRONG,)]
    counter = ok(apply(table.state, Seat(1), Call((Counter(0),))))
    half = ok(turn_up(counter, faces(table, counter.hands[2])))
    refused(refuse_opening(half, Seat(2)), Illegal.NOT_OWED)
    other = refuse_opening(half, Seat(0))
    assert found(other) == [(Verdict.RIGHT,)]
    assert other.state.scores == (1, 0)


# Answers: two cards


def test_a_denial_shows_two_cards_of_different_rank() -> None:
    table = laid("kems", TRIO, "7C 2H 5S JD")
    state = ok(apply(table.state, Seat(2), Call((Partner(),))))
    assert owed_answers(state) == {0}
    assert not owed_faces(state)
    alike, differ = where(table, "7S 7H"), where(table, "7S KC")
    own = table.hand(Seat(0))
    with pytest.raises(IllegalAction) as caught:
        check(state, Seat(0), Deny(alike), own)
    assert caught.value.reason is Illegal.FALSE_DENIAL
    refused(apply(state, Seat(0), Deny(differ[:1])), Illegal.UNEVEN)
    refused(apply(state, Seat(0), Deny(differ[:1] * 2)), Illegal.NAMED_TWICE)
    refused(apply(state, Seat(0), Deny(where(table, "7C KC"))), Illegal.NOT_IN_HAND)
    refused(apply(state, Seat(1), Deny(where(table, "2C 5D"))), Illegal.NOT_ASKED)
    lied = turn_up(ok(apply(state, Seat(0), Deny(alike))), faces(table, alike))
    assert of_kind(lied, AnswerVoid) == [AnswerVoid(Seat(0))]
    assert owed_answers(lied.state) == {0}
    honest = ok(apply(lied.state, Seat(0), Deny(differ)))
    assert owed_faces(honest) == set(where(table, "KC"))
    judged = turn_up(honest, faces(table, where(table, "KC")))
    assert found(judged) == [(Verdict.WRONG,)]
    assert of_kind(judged, Shown) == [Shown(Seat(0), differ)]


def test_a_quartet_cannot_be_denied_with_two_cards() -> None:
    table = laid("kems", QUARTET, "KC 2H 5S JD")
    state = ok(apply(table.state, Seat(2), Call((Partner(),))))
    with pytest.raises(IllegalAction):
        check(state, Seat(0), Deny(state.hands[0][:2]), table.hand(Seat(0)))
    given_up = refuse_opening(ok(apply(state, Seat(0), Admit())), Seat(0))
    assert found(given_up) == [(Verdict.WRONG,)]


def test_the_partner_of_a_quartet_shows_nothing_when_the_counter_is_right() -> None:
    table = laid("kems", QUARTET, "KC 2H 5S JD")
    state = ok(apply(table.state, Seat(1), Call((Counter(0),))))
    state = ok(apply(state, Seat(2), Deny(where(table, "3C 6D"))))
    state = ok(apply(state, Seat(0), Admit()))
    assert owed_faces(state) == set(state.hands[0])
    judged = turn_up(state, faces(table, state.hands[0]))
    assert found(judged) == [(Verdict.RIGHT,)]
    assert judged.state.shown == set(state.hands[0])


def test_an_admission_without_a_quartet_is_no_quartet() -> None:
    table = laid("kems", TRIO, "7C 2H 5S JD")
    state = ok(apply(ok(apply(table.state, Seat(2), Call((Partner(),)))), Seat(0), Admit()))
    assert found(turn_up(state, faces(table, state.hands[0]))) == [(Verdict.WRONG,)]


def test_a_seat_that_does_not_answer_a_counter_has_a_quartet() -> None:
    table = laid("kems", TRIO, "7C 2H 5S JD")
    state = ok(apply(table.state, Seat(1), Call((Counter(0),))))
    state = ok(apply(state, Seat(2), Deny(where(table, "3C 6D"))))
    assert found(refuse_opening(state, Seat(0))) == [(Verdict.RIGHT,)]


# Answers: claims


def denied(table: Table) -> State:
    """Seat 1 counters seat 0, who says no; scores (0, -1), the deal goes on."""
    state = ok(apply(table.state, Seat(1), Call((Counter(0),))))
    assert owed_answers(state) == {0}
    judged = apply(state, Seat(0), Deny())
    assert found(judged) == [(Verdict.WRONG,)]
    assert judged.state.scores == (0, -1)
    assert judged.state.phase is Phase.OPEN
    assert not owed_faces(judged.state)
    return judged.state


def ended(table: Table, state: State) -> State:
    """Seat 2 rightly calls seat 0, or the partner; what was denied must now be proven."""
    state = ok(apply(state, Seat(3), Call((Counter(2),))))
    state = ok(apply(state, Seat(2), Admit()))
    return ok(turn_up(state, faces(table, state.hands[2])))


TWO_QUARTETS = ["7S 7H 7D 7C", "2C 5D JS QH", "9C 9D 9S 9H", "4C 8D TS KD"]
LATER_QUARTET = ["7S 7H 7D KC", "2C 5D JS QH", "9C 9D 9S 9H", "4C 8D TS KD"]


def test_a_true_denial_is_proven_before_the_deal_is_scored() -> None:
    table = laid("chaulcer", LATER_QUARTET, "7C 2H 5S JD")
    state = ended(table, denied(table))
    assert state.phase is Phase.PROVING
    assert [hand.seat for hand in owed_proofs(state)] == [0]
    refused(apply(state, Seat(2), Call((Partner(),))), Illegal.DEAL_OVER)
    refused(apply(state, Seat(1), Next()), Illegal.DEAL_RUNS)
    proven = turn_up(state, faces(table, state.hands[0]))
    assert proven.state.phase is Phase.DEAL_OVER
    assert proven.state.scores == (0, 0)
    assert not of_kind(proven, FalseDenial)
    assert not of_kind(proven, Shown)


def test_a_false_denial_ends_the_deal_at_that_call_and_loses_it() -> None:
    table = laid("chaulcer", TWO_QUARTETS, "KC 2H 5S JD")
    state = ended(table, denied(table))
    assert state.scores == (0, 0)
    proven = turn_up(state, faces(table, owed_proofs(state)[0].cards))
    assert of_kind(proven, FalseDenial) == [FalseDenial(Seat(0), Seat(1))]
    assert of_kind(proven, DealLost) == [DealLost(Team(0))]
    assert proven.state.scores == (0, 1 + 4)
    assert proven.state.deals == 1


def test_a_denial_that_is_not_proven_counts_as_false() -> None:
    table = laid("chaulcer", LATER_QUARTET, "7C 2H 5S JD")
    state = ended(table, denied(table))
    refused(refuse_opening(state, Seat(1)), Illegal.NOT_OWED)
    assert refuse_opening(state, Seat(0)).state.scores == (0, 5)


def test_the_hand_is_proven_as_it_was_called() -> None:
    """A quartet that was completed after the denial does not make it false."""
    table = laid("chaulcer", LATER_QUARTET, "7C 2H 5S JD")
    table.state = denied(table)
    table.act(Seat(0), Discard(where(table, "KC")))
    table.act(Seat(0), Take(where(table, "7C")))
    state = ended(table, table.state)
    as_called = owed_proofs(state)[0].cards
    assert where(table, "KC")[0] in as_called
    assert where(table, "7C")[0] not in as_called
    proven = turn_up(state, faces(table, as_called[:1]))
    assert not of_kind(proven, FalseDenial)
    assert proven.state.phase is Phase.DEAL_OVER


def test_public_cards_prove_a_denial_by_themselves() -> None:
    table = laid("chaulcer", LATER_QUARTET, "7C 2H 5S JD")
    table.state = denied(table)
    for card in ("KC", "7S"):
        table.act(Seat(0), Discard(where(table, card)))
        table.act(Seat(0), Take(where(table, "2H" if card == "KC" else "JD")))
    state = ended(table, table.state)
    assert state.phase is Phase.DEAL_OVER


def test_an_exhausted_deal_is_scored_after_its_proofs() -> None:
    table = laid("chaulcer", TRIO, "7C 2H 5S JD", stock="")
    state = advance(denied(table), 60_000)
    halted = apply(state, Seat(0), Halt())
    assert of_kind(halted, ProofsOwed) == [ProofsOwed((Seat(0),))]
    assert halted.state.phase is Phase.PROVING
    assert turn_up(halted.state, faces(table, state.hands[0])).state.phase is Phase.DEAL_OVER


def test_a_hand_of_three_needs_no_answer() -> None:
    table = laid("chaulcer", QUARTET, "KC 2H 5S JD")
    table.act(Seat(0), Discard(where(table, "7C")))
    assert found(apply(table.state, Seat(2), Call((Partner(),)))) == [(Verdict.WRONG,)]


def test_a_double_asks_the_caller_too() -> None:
    table = laid("chaulcer", QUARTET, "KC 2H 5S JD")
    state = ok(apply(table.state, Seat(2), Call((Double(),))))
    assert owed_answers(state) == {0, 2}


# Together


def test_what_comes_after_a_call_in_a_set_waits_for_its_verdict() -> None:
    table = laid("kems", TRIO, "7C 2H 5S JD")
    counter, partner = (Seat(3), Call((Counter(0),))), (Seat(2), Call((Partner(),)))
    begun = apply_together(table.state, (counter, partner))
    assert results(begun) == {0: "ok"}
    state = ok(apply(begun.state, Seat(0), Deny(where(table, "7S KC"))))
    state = ok(apply(state, Seat(2), Deny(where(table, "3C 6D"))))
    judged = turn_up(state, faces(table, where(table, "7S KC 3C 6D")))
    assert results(judged) == {1: "ok"}
    assert owed_answers(judged.state) == {0}
    assert judged.state.waiting == ()


def test_a_call_that_ends_the_deal_forestalls_the_rest_of_its_set() -> None:
    table = laid("kemps", TRIO, "7C 2H 5S JD")
    call, swap = (
        (Seat(2), Call((Partner(),))),
        (Seat(0), Swap(take=where(table, "7C"), give=where(table, "KC"))),
    )
    state = apply_together(table.state, (call, swap)).state
    judged = turn_up(state, faces(table, state.hands[0]))
    assert results(judged) == {1: "refused"}
    assert judged.state.hands[0] == state.hands[0]


def test_both_calls_score_and_only_then_the_deal_ends() -> None:
    table = laid("chaulcer", QUARTET, "KC 2H 5S JD")
    right, wrong = (Seat(2), Call((Partner(),))), (Seat(3), Call((Partner(),)))
    state = apply_together(table.state, (right, wrong)).state
    state = ok(apply(state, Seat(0), Admit()))
    first = turn_up(state, faces(table, state.hands[0]))
    assert not of_kind(first, DealEnded)
    assert results(first) == {1: "ok"}
    second = apply(first.state, Seat(1), Deny())
    assert second.state.phase is Phase.PROVING
    over = turn_up(second.state, faces(table, state.hands[1]))
    assert over.state.scores == (1, -1)
    assert over.state.phase is Phase.DEAL_OVER


def test_a_false_denial_rescores_the_whole_simultaneous_set() -> None:
    """Both calls of the set were right: the one denied falsely scores as if it had been admitted."""
    table = laid("chaulcer", ["7S 7H 7D 7C", "8S 8H 8D 8C", "3C 6D 9S AH", "4C 5D TS KD"], "KC 2H 5S JD")
    acts = ((Seat(2), Call((Partner(),))), (Seat(3), Call((Partner(),))))
    state = apply_together(table.state, acts).state
    state = ok(apply(state, Seat(0), Deny()))
    state = ok(apply(state, Seat(1), Admit()))
    state = ok(turn_up(state, faces(table, state.hands[1])))
    assert (state.phase, state.scores) == (Phase.PROVING, (-1, 1))
    over = turn_up(state, faces(table, state.hands[0]))
    assert over.state.scores == (1, 1 + 4)


def test_a_set_that_ends_the_deal_without_a_call_refuses_the_rest() -> None:
    table = laid("kemps", TRIO, "7C 2H 5S JD", stock="")
    passes = tuple((Seat(seat), Pass(table.state.pool)) for seat in (0, 1, 2, 3, 0))
    done = apply_together(table.state, passes)
    assert results(done) == {0: "ok", 1: "ok", 2: "ok", 3: "ok", 4: "refused"}
    assert done.state.deals == 1
