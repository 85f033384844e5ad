"""The engine as a blind table drives it: faces, answers and proofs come one by one, or not at all."""

import pytest
from game_helpers import dealt, laid, shuffled, where
from live_helpers import QUARTET, TRIO, faces, of_kind, ok, refused, results

from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import (
    Call,
    Counter,
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
    Swap,
    Take,
)
from kemps_p2p.game.cards import Card, parse_cards
from kemps_p2p.game.events import MulliganFailed, PoolShown, Settled, TurnedUp
from kemps_p2p.game.rules import load_rules
from kemps_p2p.game.state import (
    Phase,
    advance,
    apply,
    apply_together,
    lose_deal,
    may_auto_pass,
    may_start_play,
    new_match,
    next_dealer,
    owed_faces,
    owed_recycle,
    recycled,
    refuse_opening,
    start_play,
    turn_up,
    void_deal,
)
from kemps_p2p.ids import Position, Seat, Team

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
