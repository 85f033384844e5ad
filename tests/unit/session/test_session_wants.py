"""What a table wants beside the game, whom it waits for, and what a seat is told of a race it was in."""

import itertools
from dataclasses import replace

from session_helpers import RULES, WALL_MS, Table, formed, opened, setup

from kemps_p2p.game.actions import Call, Counter, Next, Pass, Swap
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.ids import Seat
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import Want, Wish, pack, read_message
from kemps_p2p.session.presence import AWAY_MS, Away, agreed
from kemps_p2p.session.session import STATUS_MS, Session
from kemps_p2p.session.waiting import Waiting, What, waiting

W = Want


def test_a_table_does_what_all_want() -> None:
    for wants in itertools.product(Want, repeat=4):
        strong = [want for want in wants if want not in (W.AS_OTHERS, W.GONE)]
        is_one = bool(strong) and strong.count(strong[0]) == len(strong)
        assert agreed(wants) is (strong[0] if is_one else W.PLAY_ON)


def test_to_end_the_match_whoever_is_away_is_not_asked() -> None:
    wants = (W.ABANDON, W.PLAY_ON, W.AS_OTHERS, W.ABANDON)
    assert agreed(wants) is W.PLAY_ON
    assert agreed(wants, {Seat(1)}) is W.ABANDON
    assert agreed(wants, {Seat(2)}) is W.PLAY_ON
    assert agreed((W.ABANDON, W.GONE, W.GONE, W.AS_OTHERS)) is W.ABANDON
    # A break is for those who are there as much as for those who are silent.
    assert agreed((W.PAUSE, W.PLAY_ON, W.PAUSE, W.PAUSE), {Seat(1)}) is W.PLAY_ON


def test_who_is_silent_is_away_after_a_while_until_it_is_heard_again() -> None:
    table = formed()
    table.wait(2 * AWAY_MS)
    assert [session.away(table.now_ms) for session in table.sessions] == [()] * 4
    table.drops = lambda sender, receiver, data: sender == 1 and receiver == 0
    since_ms = table.now_ms
    table.wait(AWAY_MS - STATUS_MS)
    assert table.sessions[0].away(table.now_ms) == ()
    table.wait(2 * STATUS_MS)
    (away,) = table.sessions[0].away(table.now_ms)
    assert (away.seat, away.has_left) == (1, False)
    assert 0 <= away.for_ms - (table.now_ms - since_ms) <= STATUS_MS
    assert table.sessions[2].away(table.now_ms) == ()
    table.drops = lambda sender, receiver, data: False
    table.wait(STATUS_MS)
    assert table.sessions[0].away(table.now_ms) == ()


def test_who_says_that_it_leaves_is_away_at_once_and_back_when_it_speaks() -> None:
    table = formed()
    table.carry_out(1, table.sessions[1].want(W.GONE))
    table.settle()
    assert table.sessions[0].away(table.now_ms) == (Away(Seat(1), 0, has_left=True),)
    assert wanted(table, 0) == [(1, W.GONE)]
    assert table.sessions[1].away(table.now_ms) == ()
    table.carry_out(0, table.sessions[0].want(W.ABANDON))
    table.carry_out(2, table.sessions[2].want(W.ABANDON))
    table.carry_out(3, table.sessions[3].want(W.AS_OTHERS))
    table.settle()
    assert [table.sessions[seat].agreed(table.now_ms) for seat in (0, 2, 3)] == [W.ABANDON] * 3
    table.sessions[1]._has_wished = False
    table.wait(STATUS_MS)
    assert table.sessions[0].away(table.now_ms) == ()
    assert wanted(table, 0)[-1] == (1, W.PLAY_ON)


def wanted(table: Table, seat: int) -> list[tuple[int, Want]]:
    return [(sight.seat, sight.want) for sight in table.sights[seat] if isinstance(sight, fx.Wanted)]


def test_all_seats_know_what_each_wants_and_are_told_once() -> None:
    table = formed()
    for seat, want in ((1, W.PAUSE), (1, W.PAUSE), (0, W.AS_OTHERS)):
        table.carry_out(seat, table.sessions[seat].want(want))
    table.settle()
    for seat, session in enumerate(table.sessions):
        assert session.wants == (W.AS_OTHERS, W.PAUSE, W.PLAY_ON, W.PLAY_ON)
        assert session.agreed(table.now_ms) is W.PLAY_ON
        assert sorted(wanted(table, seat)) == [(0, W.AS_OTHERS), (1, W.PAUSE)]


def test_a_wish_that_got_lost_is_said_again_even_if_it_was_to_play_on() -> None:
    table = formed()
    table.carry_out(1, table.sessions[1].want(W.PAUSE))
    table.settle()
    table.drops = lambda sender, receiver, data: read_message(data) == Wish(want=W.PLAY_ON)
    table.carry_out(1, table.sessions[1].want(W.PLAY_ON))
    table.settle()
    assert table.sessions[2].wants == (W.PLAY_ON, W.PAUSE, W.PLAY_ON, W.PLAY_ON)
    table.drops = lambda sender, receiver, data: False
    table.wait(STATUS_MS)
    assert table.sessions[2].wants == (W.PLAY_ON,) * 4


def test_whoever_never_wanted_anything_does_not_speak_of_it() -> None:
    table = formed()
    sent: list[bytes] = []

    def noted(_sender: int, _receiver: int, data: bytes) -> bool:
        sent.append(data)
        return False

    table.drops = noted
    table.wait(2 * STATUS_MS)
    assert sent
    assert not [data for data in sent if isinstance(read_message(data), Wish)]


def test_a_wish_of_no_known_kind_is_refused() -> None:
    table = formed()
    table.hear(0, 1, pack(Wish(want=W.PAUSE)).replace(b"\x05\x02", b"\x05\x09"))
    assert [code.value for code, _ in table.faults(0)] == ["malformed"]
    assert table.sessions[0].wants == (W.PLAY_ON,) * 4


def test_who_sits_down_for_a_rematch_is_no_fault_where_the_match_is_closed() -> None:
    table = opened(override(RULES, {"word": "K"}))
    table.submit(0, Call(calls=(Counter(target=1),))).settle().wait(1000)
    assert table.sessions[0].is_done
    head = table.play().final.head.digest
    before = table.faults(0)
    for effect in Session(replace(setup(1), previous=head, matches=1)).start(0):
        assert isinstance(effect, fx.Send)
        table.hear(0, 1, effect.data)
    assert table.faults(0) == before
    assert table.play().final.head.digest == head


def test_who_sits_down_once_more_where_the_match_is_closed_is_shown_how_it_began() -> None:
    rules = override(RULES, {"word": "K"})
    table = opened(rules)
    table.submit(0, Call(calls=(Counter(target=1),))).settle().wait(1000)
    back = Session(replace(setup(1, rules=rules), has_sat=True))
    for effect in back.start(table.now_ms):
        assert isinstance(effect, fx.Send)
        for seat in (0, 2, 3):
            for answer in table.sessions[seat].receive(Seat(1), effect.data, table.now_ms, WALL_MS):
                assert isinstance(answer, fx.Send)
                back.receive(Seat(seat), answer.data, table.now_ms, WALL_MS)
    assert back.has_begun
    assert back.play.founding.match == table.play().founding.match
    assert back.play.is_recovering


# Whom the table waits for


def waits(table: Table) -> dict[What, tuple[int, ...]]:
    return {wait.what: wait.seats for wait in waiting(table.play().final)}


def test_at_first_all_shuffle_then_the_dealer_starts() -> None:
    table = formed()
    dealer = table.play().final.game.dealer
    assert waits(table) == {What.NEXT: (dealer,)}
    lame = Table()
    lame.drops = lambda sender, receiver, data: (
        sender == 2 and b"kemps" not in data and lame.sessions[0].has_begun
    )
    lame.start().wait(300)
    found = waits(lame)
    assert found[What.SHUFFLE] == (2,)
    assert waiting(lame.play().final)[0] == Waiting(What.SHUFFLE, (Seat(2),))


def test_in_play_nobody_is_waited_for_until_some_have_passed() -> None:
    table = opened()
    assert waits(table) == {}
    table.submit(1, Pass(pool=table.play().final.game.pool)).settle().wait(300)
    assert waits(table) == {What.PASSES: (0, 2, 3)}


def test_in_turns_the_seat_whose_turn_it_is_is_waited_for() -> None:
    table = opened(override(load_rules("cash"), {"look_ms": 0}))
    turn = table.play().final.game.turn
    assert turn is not None
    assert waits(table) == {What.TURN: (turn,)}


def test_a_called_seat_owes_its_answer() -> None:
    table = opened(override(RULES, {"reveal": "two-cards"}))
    table.submit(0, Call(calls=(Counter(target=1),))).settle()
    assert waits(table) == {What.ANSWER: (1, 3)}


def test_the_dealer_says_go() -> None:
    rules = override(load_rules("kemps/go"), {"look_ms": 0})
    table = formed(rules)
    dealer = table.play().final.game.dealer
    table.submit(dealer, Next()).settle().wait(500)
    assert table.play().final.game.phase is Phase.DEALT
    assert waits(table) == {What.GO: (dealer,)}


# Races


def test_whoever_was_later_is_told_who_was_first_and_by_whose_word() -> None:
    table = opened()
    game = table.play().final.game
    card = game.pool[0]
    for seat in (0, 1):
        table.submit(seat, Swap(take=(card,), give=(game.hands[seat][0],)))
    table.settle().wait(500)
    assert card in table.play().final.game.hands[0]
    told = [[sight.race for sight in sights if isinstance(sight, fx.Raced)] for sights in table.sights]
    (race,) = told[1]
    assert (race.first.seat, race.second.seat) == (0, 1)
    assert not race.is_together
    assert race.by_cause or race.words == (2, 0, 2)
    assert told[0] == told[2] == told[3] == []


def test_a_claim_alone_is_no_race() -> None:
    table = opened()
    game = table.play().final.game
    table.submit(0, Swap(take=(game.pool[0],), give=(game.hands[0][0],))).settle().wait(500)
    table.submit(1, Swap(take=(game.pool[1],), give=(game.hands[1][0],))).settle().wait(500)
    assert not [sight for sights in table.sights for sight in sights if isinstance(sight, fx.Raced)]
