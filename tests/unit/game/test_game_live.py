"""The engine as a blind table drives it: faces, answers and proofs come one by one, or not at all."""

import pytest
from game_helpers import dealt, laid, shuffled, where

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.actions import (
    Admit,
    Call,
    Counter,
    Deny,
    Discard,
    Double,
    Gesture,
    Go,
    Halt,
    Mulligan,
    Next,
    Partner,
    Pass,
    Resume,
    Say,
    Swap,
    Take,
)
from kemps_p2p.game.cards import Card, parse_cards
from kemps_p2p.game.events import (
    AnswerVoid,
    DealEnded,
    DealLost,
    Event,
    FalseDenial,
    MulliganFailed,
    PoolShown,
    ProofsOwed,
    Settled,
    Shown,
    TurnedUp,
    Verdicts,
)
from kemps_p2p.game.rules import load_rules
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.state import (
    Applied,
    Phase,
    Result,
    State,
    advance,
    apply,
    apply_together,
    check,
    lose_deal,
    may_auto_pass,
    may_start_play,
    new_match,
    next_dealer,
    owed_answers,
    owed_faces,
    owed_proofs,
    owed_recycle,
    recycled,
    refuse_opening,
    start_play,
    turn_up,
    void_deal,
)
from kemps_p2p.game.table import Table
from kemps_p2p.ids import Position, Seat, Team

QUARTET = ["7S 7H 7D 7C", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"]
TRIO = ["7S 7H 7D KC", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"]


def ok(applied: Applied) -> State:
    assert applied.result is Result.OK, applied.reason
    return applied.state


def refused(applied: Applied, reason: Illegal) -> None:
    assert (applied.result, applied.reason) == (Result.REFUSED, reason)


def found(applied: Applied) -> list[tuple[Verdict, ...]]:
    return [event.verdicts for event in applied.events if isinstance(event, Verdicts)]


def of_kind(applied: Applied, kind: type[Event]) -> list[Event]:
    return [event for event in applied.events if isinstance(event, kind)]


def faces(table: Table, cards: object) -> dict[Position, Card]:
    return {card: table.faces[card] for card in cards}  # type: ignore[attr-defined]


# A new deal


def test_the_pool_shows_card_by_card_and_play_starts_by_an_input() -> None:
    state = ok(apply(new_match(load_rules("kemps"), 4, Seat(2)), Seat(2), Next()))
    assert state.hands[1] == (4, 5, 6, 7)
    assert state.pool == (16, 17, 18, 19)
    assert len(state.stock) == 32
    assert not state.faces
    assert owed_faces(state) == {16, 17, 18, 19}
    first = turn_up(state, {Position(16): Card(3), Position(17): Card(4), Position(18): Card(5)})
    assert not of_kind(first, PoolShown)
    assert owed_faces(first.state) == {19}
    refused(start_play(first.state), Illegal.NOT_OPEN)
    last = turn_up(first.state, {Position(19): Card(6)})
    assert of_kind(last, PoolShown)
    assert may_start_play(last.state)
    refused(apply(last.state, Seat(0), Pass(last.state.pool)), Illegal.NOT_OPEN)
    assert ok(start_play(last.state)).phase is Phase.OPEN


def test_only_the_first_dealer_starts_the_first_deal() -> None:
    seated = new_match(load_rules("kemps"), 4, Seat(2))
    refused(apply(seated, Seat(0), Next()), Illegal.NOT_DEALER)
    assert next_dealer(seated, Seat(0)) == 2


def test_faces_that_nobody_asked_for_are_refused_whole() -> None:
    state = ok(apply(new_match(load_rules("kemps"), 4, Seat(0)), Seat(0), Next()))
    refused(turn_up(state, {Position(16): Card(3), Position(0): Card(9)}), Illegal.NOT_OWED)


# Put-down cards


def test_a_card_put_down_is_untouchable_until_its_face_shows() -> None:
    table = laid("kemps", TRIO, "7C 2H 5S JD")
    king, seven = where(table, "KC"), where(table, "7C")
    state = ok(apply(table.state, Seat(0), Swap(take=seven, give=king)))
    assert owed_faces(state) == set(king)
    refused(apply(state, Seat(1), Swap(take=king, give=where(table, "2C"))), Illegal.FACE_DOWN)
    refused(apply(state, Seat(1), Pass(state.pool)), Illegal.FACE_DOWN)
    ok(apply(state, Seat(1), Swap(take=where(table, "2H"), give=where(table, "2C"))))
    shown = turn_up(state, faces(table, king))
    assert of_kind(shown, TurnedUp) == [TurnedUp(king)]
    ok(apply(shown.state, Seat(1), Swap(take=king, give=where(table, "2C"))))


def test_no_halt_while_a_card_lies_face_down() -> None:
    table = laid("chaulcer", TRIO, "7C 2H 5S JD")
    king, seven = where(table, "KC"), where(table, "7C")
    state = ok(apply(table.state, Seat(0), Discard(king)))
    refused(apply(state, Seat(0), Take(king)), Illegal.FACE_DOWN)
    state = advance(ok(apply(state, Seat(0), Take(seven))), 60_000)
    refused(apply(state, Seat(0), Halt()), Illegal.FACE_DOWN)
    assert ok(apply(ok(turn_up(state, faces(table, king))), Seat(0), Halt())).phase is Phase.HALTED


def test_a_card_that_was_public_before_lies_face_up_at_once() -> None:
    table = laid("kemps", TRIO, "7C 2H 5S JD")
    table.act(Seat(0), Swap(take=where(table, "2H"), give=where(table, "KC")))
    back = apply(table.state, Seat(0), Swap(take=where(table, "KC"), give=where(table, "2H")))
    assert of_kind(back, TurnedUp) == [TurnedUp(where(table, "2H"))]
    assert not owed_faces(back.state)


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


def results(applied: Applied) -> dict[int, str]:
    return {event.index: event.result for event in applied.events if isinstance(event, Settled)}


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


# Mulligans


def test_a_mulligan_waits_for_its_hand_and_play_for_the_mulligan() -> None:
    table = shuffled(load_rules("kems"), 4, seed=1)
    state = ok(apply(table.state, Seat(0), Next()))
    state = ok(turn_up(state, dict(zip(state.pool, parse_cards("7C 2H 5S JD"), strict=True))))
    state = ok(apply(state, Seat(0), Mulligan()))
    refused(apply(state, Seat(0), Mulligan()), Illegal.NO_MULLIGAN)
    refused(apply(state, Seat(0), Go()), Illegal.FACE_DOWN)
    state = ok(apply(state, Seat(1), Mulligan()))
    second = dict(zip(state.hands[1], parse_cards("9C 9D 9S 9H"), strict=True))
    state = ok(turn_up(state, second))
    assert state.hands[1] == (4, 5, 6, 7)
    first = turn_up(state, dict(zip(state.hands[0], parse_cards("7S 7H 7D KC"), strict=True)))
    assert first.state.hands[0] == (20, 21, 22, 23)
    assert first.state.hands[1] == (24, 25, 26, 27)
    assert first.state.swept == (0, 1, 2, 3, 4, 5, 6, 7)
    assert ok(apply(first.state, Seat(0), Go())).phase is Phase.OPEN


def test_a_mulligan_without_three_alike_or_not_shown_changes_nothing() -> None:
    table = shuffled(load_rules("kems"), 4, seed=1)
    state = ok(apply(table.state, Seat(0), Next()))
    state = ok(turn_up(state, dict(zip(state.pool, parse_cards("7C 2H 5S JD"), strict=True))))
    asked = ok(apply(state, Seat(0), Mulligan()))
    shown = turn_up(asked, dict(zip(asked.hands[0], parse_cards("7S 7H 8D KC"), strict=True)))
    assert of_kind(shown, MulliganFailed) == [MulliganFailed(Seat(0))]
    assert shown.state.hands == state.hands
    unopened = refuse_opening(asked, Seat(0))
    assert of_kind(unopened, MulliganFailed)
    assert ok(apply(unopened.state, Seat(0), Go())).phase is Phase.OPEN


def test_a_mulligan_with_a_short_stock_recycles_first() -> None:
    table = shuffled(load_rules("kems"), 6, seed=1)
    state = ok(apply(table.state, Seat(0), Next()))
    pool = dict(zip(state.pool, parse_cards("7C 2H 5S JD"), strict=True))
    trios = [
        "2C 2D 2S 3C",
        "4C 4D 4S 5C",
        "6C 6D 6S 8C",
        "9C 9D 9S TC",
        "QC QD QS KC",
        "AC AD AS JC",
        "3D 3S 3H TD",
    ]
    state = ok(turn_up(state, pool))
    for turn, trio in enumerate(trios):
        seat = Seat(turn % 6)
        state = ok(apply(state, seat, Mulligan()))
        state = ok(turn_up(state, dict(zip(state.hands[seat], parse_cards(trio), strict=True))))
    assert state.hands[0] == ()
    back = owed_recycle(state)
    assert back is not None
    assert len(back) == 28
    assert not owed_faces(state)
    refused(apply(state, Seat(0), Go()), Illegal.FACE_DOWN)
    refused(recycled(state, (Position(52),)), Illegal.NOT_OWED)
    state = ok(recycled(state, [Position(52 + index) for index in range(28)]))
    assert state.hands[0] == (52, 53, 54, 55)
    assert len(state.stock) == 24
    assert set(state.faces) == set(state.pool)


# Sweeps, time, faults


def test_a_sweep_waits_for_the_shuffle_of_the_swept() -> None:
    table = laid("cash", TRIO, "7C 2H 5S JD", stock="9H TC")
    state = table.state
    for seat in (1, 2, 3, 0):
        state = ok(apply(state, Seat(seat), Pass(state.pool)))
    assert state.phase is Phase.DEALT
    assert state.pool == ()
    assert not may_start_play(state)
    back = owed_recycle(state)
    assert back is not None
    assert len(back) == 34
    assert back == tuple(sorted(back))
    state = ok(recycled(state, [Position(52 + index) for index in range(34)]))
    assert state.pool == (*where(table, "9H TC"), 52, 53)
    assert owed_faces(state) == set(state.pool)
    assert state.next_position == 86


def test_time_does_not_go_backwards() -> None:
    state = dealt("chaulcer").state
    assert advance(advance(state, 500), 400).now_ms == 500


def test_a_seat_is_passed_for_after_a_while() -> None:
    state = dealt("kemps").state
    assert not may_auto_pass(advance(state, 19_999), Seat(1))
    late = advance(state, 20_000)
    assert may_auto_pass(late, Seat(1))
    assert not may_auto_pass(ok(apply(late, Seat(1), Pass(late.pool))), Seat(1))
    assert not may_auto_pass(late, Seat(4))
    assert not may_auto_pass(advance(dealt("chaulcer").state, 90_000), Seat(1))


def test_in_turns_the_wait_begins_with_the_turn() -> None:
    state = advance(dealt("cash").state, 19_000)
    state = advance(ok(apply(state, Seat(1), Pass(state.pool))), 20_000)
    assert not may_auto_pass(state, Seat(2))
    late = advance(state, 39_000)
    assert may_auto_pass(late, Seat(2))
    assert not may_auto_pass(late, Seat(3))


@pytest.mark.parametrize(
    ("name", "players", "scores"),
    [("kemps", 6, (0, 1, 0)), ("chaulcer", 6, (4, 0, 4)), ("kems", 4, (2, 0)), ("cash", 4, (1, 0))],
)
def test_a_deal_lost_by_fault(name: str, players: int, scores: tuple[int, ...]) -> None:
    table = dealt(name, players)
    lost = lose_deal(table.state, Team(1))
    assert lost.state.scores == scores
    assert lost.state.phase is Phase.DEAL_OVER
    assert lost.state.deals == 1


def test_a_deal_lost_before_it_starts_ends_as_it_starts() -> None:
    seated = new_match(load_rules("kent"), 4, Seat(3))
    lost = lose_deal(seated, Team(0))
    assert (lost.state.deal, lost.state.deals, lost.state.dealer) == (0, 1, 3)
    assert lost.state.scores == (1, 0)
    assert ok(apply(lost.state, Seat(0), Next())).deal == 1


def test_the_fifth_letter_by_fault_ends_the_match() -> None:
    state = new_match(load_rules("kemps"), 4, Seat(0))
    for _ in range(5):
        state = ok(lose_deal(state, Team(1)))
    assert (state.phase, state.winners) == (Phase.MATCH_OVER, (0,))
    refused(lose_deal(state, Team(1)), Illegal.DEAL_OVER)
    refused(void_deal(state), Illegal.DEAL_OVER)
    refused(lose_deal(state, Team(2)), Illegal.NO_SUCH_TARGET)


def test_a_void_deal_does_not_count() -> None:
    table = laid("chaulcer", QUARTET, "KC 2H 5S JD")
    state = ok(apply(table.state, Seat(2), Call((Partner(),))))
    void = void_deal(state)
    assert (void.state.phase, void.state.deals, void.state.scores) == (Phase.DEAL_OVER, 0, (0, 0))
    assert void.state.pending is None
    assert ok(apply(void.state, Seat(1), Next())).deal == 1


def test_a_fault_during_a_set_settles_the_rest() -> None:
    table = laid("kemps", TRIO, "7C 2H 5S JD")
    acts = ((Seat(2), Call((Partner(),))), (Seat(3), Gesture("wink")), (Seat(1), Pass(table.state.pool)))
    waiting = apply_together(table.state, acts).state
    assert results(lose_deal(waiting, Team(0))) == {1: "ok", 2: "refused"}


def test_halt_and_resume_deal_face_down_until_shown() -> None:
    table = laid("chaulcer", TRIO, "7C 2H 5S JD")
    state = ok(apply(advance(table.state, 3000), Seat(0), Halt()))
    refused(apply(state, Seat(0), Say("hush")), Illegal.NO_SPEECH)
    state = ok(apply(state, Seat(0), Resume()))
    assert (state.phase, len(owed_faces(state))) == (Phase.DEALT, 4)
    state = ok(start_play(ok(turn_up(state, faces(table, state.pool)))))
    assert state.idle_since_ms == 3000
    refused(apply(advance(state, 5999), Seat(0), Halt()), Illegal.NOT_IDLE)
    ok(apply(advance(state, 6000), Seat(0), Halt()))


@pytest.mark.parametrize("name", ["kemps", "chaulcer", "kems", "kent"])
def test_a_set_at_once_and_one_by_one_come_to_the_same(name: str) -> None:
    """A driver that answers between the actions of a set gets what a table gets that answers after it."""
    hands = ["7S 7H 7D 7C", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"]
    calls = ((Seat(3), Call((Partner(),))), (Seat(1), Call((Counter(0),))), (Seat(2), Call((Partner(),))))
    slow, quick = laid(name, hands, "KC 2H 5S JD"), laid(name, hands, "KC 2H 5S JD")
    slow.open_set()
    one_by_one = [slow.act(seat, call).result.value for seat, call in calls]
    slow.close_set()
    begun = apply_together(quick.state, calls)
    quick.state = begun.state
    later = quick.settle()
    settled = [event for event in (*begun.events, *later) if isinstance(event, Settled)]
    assert [event.result for event in settled] == one_by_one
    assert quick.state == slow.state


def test_a_set_may_run_into_the_next_deal() -> None:
    state = ok(void_deal(laid("kemps", TRIO, "7C 2H 5S JD").state))
    acts = ((Seat(1), Say("so")), (Seat(0), Next()), (Seat(1), Say("so")), (Seat(1), Gesture("wink")))
    done = apply_together(state, acts)
    assert results(done) == {0: "ok", 1: "ok", 2: "refused", 3: "ok"}
    assert done.state.deal == 1


def test_a_set_may_run_into_the_next_match() -> None:
    """What stands behind the start of a new match in a set is settled, and in it."""
    over = new_match(load_rules("kemps"), 4, Seat(0))
    for _ in range(5):
        over = ok(lose_deal(over, Team(1)))
    acts = ((Seat(2), Next()), (Seat(1), Say("so")), (Seat(1), Gesture("wink")))
    done = apply_together(over, acts)
    assert results(done) == {0: "ok", 1: "refused", 2: "ok"}
    assert (done.state.matches, done.state.dealer, done.state.waiting) == (1, 2, ())


def test_simultaneous_calls_behind_the_start_of_a_deal_both_score() -> None:
    table = laid("chaulcer", QUARTET, "KC 2H 5S JD")
    state = ok(void_deal(table.state))
    table.state = state
    table.open_set()
    assert table.act(Seat(1), Next()).result == "ok"
    for seat, call in ((2, Partner()), (3, Counter(0))):
        assert table.act(Seat(seat), Call((call,))).result == "ok"
    table.close_set()
    assert (table.state.phase, table.state.scores) == (Phase.DEAL_OVER, (1, 1))


def test_a_fraction_of_a_second_is_counted_in_milliseconds() -> None:
    """16.1 * 1000 is a little more than 16100 in binary."""
    table = laid("chaulcer", TRIO, "7C 2H 5S JD", idle_seconds=16.1)
    refused(apply(advance(table.state, 16_099), Seat(0), Halt()), Illegal.NOT_IDLE)
    ok(apply(advance(table.state, 16_100), Seat(0), Halt()))


def test_whoever_passed_before_a_call_is_passed_for_again() -> None:
    """In turns a call breaks the row of passes; else the table would stand still at the seat that passed."""
    table = dealt("cash", wrong_call="continue")
    for seat, action in ((1, Pass(table.state.pool)), (2, Call((Partner(),))), (3, Pass(table.state.pool))):
        assert table.act(Seat(seat), action).result == "ok"
    assert table.act(Seat(0), Pass(table.state.pool)).result == "ok"
    assert may_auto_pass(advance(table.state, 60_000), Seat(1))
