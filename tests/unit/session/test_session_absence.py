"""A seat of which nothing is heard any more, played by hand: voted absent, and back again."""

import pytest
from session_helpers import Table, by, formed, opened
from session_records import ordered
from session_scribe import Scribe

from kemps_p2p.errors import Fault, Illegal, IllegalAction
from kemps_p2p.game.actions import Call, Gesture, Next, Partner, Pass
from kemps_p2p.game.events import DealEnd, DealEnded, DealLost
from kemps_p2p.game.record import Phase
from kemps_p2p.game.state import next_dealer
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Struck
from kemps_p2p.ledger.tape import NO_DIGEST, Back, Unheard
from kemps_p2p.session import effects as fx
from kemps_p2p.session.absence import is_awaited
from kemps_p2p.session.match import OpenCut, is_ready
from kemps_p2p.session.ordering import entry_after
from kemps_p2p.session.overdue import OVERDUE_MS
from kemps_p2p.session.pacing import HEARD_MS
from kemps_p2p.session.silence import ABSENT_MS, ALONE_MS, STRIKE_MS
from kemps_p2p.session.waiting import What, waiting

GONE = Seat(1)
"""Not the dealer of the first deals."""
OTHERS = (0, 2, 3)
STEP_MS = 900
WINK = Gesture(name="wink")


def silenced(table: Table, *seats: int) -> Table:
    """From now on nothing comes from these seats, and nothing reaches them."""
    table.drops = lambda sender, receiver, data: bool({sender, receiver} & {*seats})
    return table


def heard(table: Table) -> Table:
    """All hear each other again."""
    table.drops = lambda sender, receiver, data: False
    return table.wait(3000)


def waited(table: Table, ms: int = ABSENT_MS + STEP_MS) -> Table:
    return table.wait(ms, STEP_MS)


def vote(table: Table, *voters: int, seat: Seat = GONE) -> Table:
    for voter in voters:
        table.carry_out(voter, table.sessions[voter].vote_absent(seat, table.now_ms))
    return table.settle().wait(500)


def ends(table: Table, seat: int = 0) -> list[DealEnd]:
    return [event.end for event in happened(table, seat) if isinstance(event, DealEnded)]


def happened(table: Table, seat: int = 0) -> list[object]:
    sights = (sight for sight in table.sights[seat] if isinstance(sight, fx.Happened))
    return [event for sight in sights for event in sight.events]


def dealt(table: Table) -> Table:
    """The next deal of a table at which all are there."""
    return table.submit(coming_dealer(table), Next()).settle().wait(600)


def coming_dealer(table: Table) -> Seat:
    game = table.play().final.game
    return next_dealer(game, game.dealer)


def test_a_seat_that_speaks_cannot_be_voted_absent() -> None:
    table = waited(opened())
    assert table.sessions[0].can_vote_absent(table.now_ms) == ()
    for seat in (GONE, Seat(0), Seat(7)):
        with pytest.raises(IllegalAction) as caught:
            table.sessions[0].vote_absent(seat, table.now_ms)
        reason = Illegal.NOT_SILENT if seat == GONE else Illegal.NO_SUCH_SEAT
        assert caught.value.reason is reason


def test_the_votes_of_all_others_make_the_deal_void_and_the_table_waits() -> None:
    table = waited(silenced(opened(), GONE))
    deals = table.play().final.game.deals
    assert table.sessions[2].can_vote_absent(table.now_ms) == (GONE,)
    vote(table, *OTHERS)
    for seat in OTHERS:
        final = table.play(seat).final
        assert final.absent.keys() == {GONE}
        assert final.game.phase is Phase.DEAL_OVER
        assert (final.game.deals, final.game.scores) == (deals, (0, 0))
        assert ends(table, seat) == [DealEnd.VOID]
        assert fx.SeatStruck(GONE) in table.sights[seat]
        votes = {sight.voter for sight in table.sights[seat] if isinstance(sight, fx.VotedAbsent)}
        assert votes == {*OTHERS}
        assert table.faults(seat) == []
    final = table.play().final
    assert [wait.seats for wait in waiting(final) if wait.what is What.ABSENT] == [(GONE,)]
    assert not any(wait.what is What.NEXT for wait in waiting(final))
    with pytest.raises(IllegalAction) as caught:
        table.submit(coming_dealer(table), Next())
    assert caught.value.reason is Illegal.NOT_READY


def test_a_vote_too_few_changes_nothing() -> None:
    table = vote(waited(silenced(opened(), GONE)), 0, 2)
    waited(table)
    assert table.play().final.absent == {}
    assert table.play().final.game.phase is Phase.OPEN
    assert table.sessions[0].can_vote_absent(table.now_ms) == ()
    assert table.sessions[3].can_vote_absent(table.now_ms) == (GONE,)


def test_a_vote_lapses_with_the_next_word_of_the_seat() -> None:
    table = vote(waited(silenced(opened(), GONE)), 0, 2)
    heard(table).submit(GONE, WINK).settle()
    waited(silenced(table, GONE))
    vote(table, 3)
    assert table.play().final.absent == {}
    vote(table, 0, 2)
    assert table.play().final.absent.keys() == {GONE}


def test_who_comes_back_says_so_and_the_match_goes_on() -> None:
    table = vote(waited(silenced(opened(), GONE)), *OTHERS)
    heard(table)
    for seat in range(4):
        assert table.play(seat).final.absent == {}
        assert fx.SeatBack(GONE) in table.sights[seat]
        assert table.faults(seat) == []
    dealt(table)
    assert table.play(GONE).final.game.phase is Phase.OPEN
    assert table.play(GONE).final.game.deal == 1


def test_only_the_seat_itself_says_that_it_is_back() -> None:
    table = vote(waited(silenced(opened(), GONE)), *OTHERS)
    since = table.play().final.absent[GONE]
    table.hear(0, 2, by(2, (Back(index=since),), table))
    table.settle().wait(500)
    assert table.play().final.absent == {GONE: since}


def test_a_word_that_it_is_back_is_of_one_absence() -> None:
    table = vote(waited(silenced(opened(), GONE)), *OTHERS)
    old = table.play().final.absent[GONE]
    dealt(heard(table))
    vote(waited(silenced(table, GONE)), *OTHERS)
    since = table.play().final.absent[GONE]
    assert since > old
    table.hear(0, GONE, by(GONE, (Back(index=old),), table))
    table.settle().wait(500)
    assert table.play().final.absent == {GONE: since}


def test_a_team_has_one_void_and_loses_the_next_deal() -> None:
    table = vote(waited(silenced(opened(), GONE)), *OTHERS)
    dealt(heard(table))
    partner = Seat(3)
    vote(waited(silenced(table, partner)), 0, 1, 2, seat=partner)
    assert ends(table) == [DealEnd.VOID, DealEnd.FAULT]
    assert [event.team for event in happened(table) if isinstance(event, DealLost)] == [1]


def test_a_seat_that_owes_shares_loses_the_deal_at_once() -> None:
    table = silenced(formed(), GONE)
    assert coming_dealer(table) != GONE
    table.submit(coming_dealer(table), Next()).settle().wait(500)
    assert table.play().final.game.phase is Phase.DEALT
    vote(waited(table), *OTHERS)
    assert ends(table) == [DealEnd.FAULT]
    assert table.play().final.voids == frozenset()


def test_between_deals_nothing_is_lost() -> None:
    table = vote(waited(silenced(formed(), GONE)), *OTHERS)
    final = table.play().final
    assert final.absent.keys() == {GONE}
    assert (final.game.deal, final.voids) == (-1, frozenset())
    assert not is_ready(final)
    heard(table)
    dealt(table)
    assert table.play().final.game.phase is Phase.OPEN


def test_a_call_is_judged_before_its_hand_can_be_voted_absent() -> None:
    """Who pulls the plug on a hand that is called gets no void for it."""
    table = silenced(opened(), 2)
    table.submit(0, Call(calls=(Partner(),))).settle()
    table.wait(ABSENT_MS + 200, STEP_MS)
    vote(table, 0, 1, 3, seat=Seat(2))
    assert table.play().final.absent == {}
    table.wait(OVERDUE_MS - ABSENT_MS + 1000, STEP_MS)
    assert ends(table) == [DealEnd.CALL]
    assert table.play().final.absent.keys() == {2}


def test_a_player_that_goes_along_votes_as_another_did_or_after_long() -> None:
    table = waited(silenced(opened(), GONE))
    assert table.sessions[2].go_along(table.now_ms) == []
    vote(table, 0)
    for seat in (2, 3):
        table.carry_out(seat, table.sessions[seat].go_along(table.now_ms))
    table.settle().wait(500)
    assert table.play().final.absent.keys() == {GONE}
    table = silenced(opened(), GONE).wait(ALONE_MS - 1000, STEP_MS)
    assert table.sessions[2].go_along(table.now_ms) == []
    table.wait(2000, STEP_MS)
    assert table.sessions[2].go_along(table.now_ms) != []


def test_nothing_is_swept_while_a_seat_is_silent() -> None:
    """Else whoever crashed would owe the cards of the next pool."""
    table = opened()
    for seat in (0, GONE, 2):
        table.submit(seat, Pass(pool=table.play(seat).final.game.pool)).settle()
    table.wait(300)
    silenced(table, GONE).wait(HEARD_MS + 500)
    table.submit(3, Pass(pool=table.play(3).final.game.pool)).settle().wait(1000)
    game = table.play().final.game
    assert game.passes == {0, GONE, 2}
    assert not game.swept
    table.submit(2, WINK).wait(300)
    head = table.play().final.head
    assert head == table.play().tip.head
    assert not table.play()._book.undecided.keys() - {held.id for held in table.play(3)._holding.own()}
    heard(table)
    assert len(table.play().final.game.swept) == 4
    assert not is_awaited(table.play().final, GONE)


def test_a_pass_that_waits_for_a_silent_seat_keeps_no_strike_from_it() -> None:
    table = opened()
    for seat in (0, GONE, 2):
        table.submit(seat, Pass(pool=table.play(seat).final.game.pool)).settle()
    silenced(table, GONE).wait(HEARD_MS + 500)
    table.submit(3, Pass(pool=table.play(3).final.game.pool)).settle()
    vote(waited(table), *OTHERS)
    assert ends(table) == [DealEnd.VOID]


def test_a_seat_that_is_cut_off_itself_votes_nobody_absent() -> None:
    table = waited(silenced(opened(), GONE, 2))
    assert [session.can_vote_absent(table.now_ms) for session in table.sessions] == [()] * 4
    assert table.sessions[0].go_along(table.now_ms + ALONE_MS) == []


def test_a_seat_that_is_heard_by_way_of_others_is_there() -> None:
    table = opened()
    table.drops = lambda sender, receiver, data: {sender, receiver} == {0, GONE}
    for _ in range(4):
        table.submit(GONE, WINK).wait(ABSENT_MS // 3, STEP_MS)
    assert table.play(0).pacing.silent_ms(GONE, table.now_ms) >= ABSENT_MS
    assert table.sessions[0].can_vote_absent(table.now_ms) == ()


def test_a_seat_that_is_there_answers_a_vote_against_it() -> None:
    """At a table where nobody does anything no tape grows; whoever is missed is there all the same."""
    table = waited(opened())
    play = table.play(GONE)
    length, last = play.tapes.end(GONE)
    vote_against = by(0, (Unheard(seat=GONE, length=length, last=last),), table)
    for seat in (GONE, 2, 3):
        table.hear(seat, 0, vote_against)
    table.settle()
    answer = play.tapes.of(GONE)[length]
    assert answer.item.body == (Back(index=play.final.head.index),)
    assert not table.play(2)._silence.voters(table.play(2).tip, GONE)
    table.hear(GONE, 0, vote_against)
    table.settle().wait(1000)
    assert len(play.tapes.of(GONE)) == length + 1, "one answer is enough"


def test_a_strike_of_who_is_back_for_long_or_before_a_call_is_judged_is_not_acked() -> None:
    """Whoever orders holds the words of a quorum, and may not keep them for later."""
    table = vote(waited(silenced(opened(), GONE)), *OTHERS)
    (struck,) = ordered(table, Struck)
    play = heard(table).play(OTHERS[0])
    entry = entry_after(play.tip, play.tip.term, (struck,), play.tip.elapsed_ms, 0)
    assert play._chain._agrees(entry, table.now_ms)
    assert not play._chain._agrees(entry, table.now_ms + STRIKE_MS)
    dealt(table)
    silenced(table, OTHERS[0])
    now_ms = table.now_ms - STRIKE_MS
    assert play._chain._agrees(entry, now_ms)
    table.submit(OTHERS[0], Call(calls=(Partner(),)))
    assert not play._chain._agrees(entry, now_ms)


def test_nobody_is_struck_while_tapes_are_closed_for_a_contest() -> None:
    scribe = Scribe.at(opened())
    cut = OpenCut(index=scribe.match.head.index, claims={}, ends=())
    scribe.copy(cut=cut).refuses(Fault.BAD_ORDER, Struck(seat=GONE, words=()))


def test_a_word_on_a_seat_that_cannot_be_voted_absent_is_told_to_nobody() -> None:
    """Of no seat, of itself, and of another once: whoever speaks may say anything."""
    table = opened()
    for target, told in ((-1, 0), (4, 0), (99, 0), (2, 0), (GONE, 1), (GONE, 1)):
        said = by(2, (Unheard(seat=target, length=target, last=NO_DIGEST),), table)
        table.hear(0, 2, said)
        table.hear(2, 2, said)
        votes = [sight for sight in table.sights[0] if isinstance(sight, fx.VotedAbsent)]
        assert votes == [fx.VotedAbsent(Seat(2), GONE)] * told
