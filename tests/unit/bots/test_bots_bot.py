"""What a bot does outside the contest for cards: a dealer's duties, owed answers, what it waits for."""

from random import Random

import pytest
from bots_helpers import Eager, Middling, Numb, laid, swap, view_of

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.bots.playing import EXCHANGES_MAX
from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import (
    Action,
    Admit,
    Call,
    Counter,
    Deny,
    Discard,
    Gesture,
    Go,
    Halt,
    Kind,
    Next,
    Partner,
    Pass,
    Resume,
    Signal,
    Swap,
    Take,
    kind,
)
from kemps_p2p.game.events import Discarded, Missed, PlayStarted, PoolDealt, Settled, Signalled, Swapped, Took
from kemps_p2p.game.record import Phase, Result, new_match, replace
from kemps_p2p.game.rules import load_rules
from kemps_p2p.game.state import apply
from kemps_p2p.game.table import Table
from kemps_p2p.game.views import SeatView, seat_view
from kemps_p2p.ids import Position, Seat

DULL = "2C 3C 4C 5C;2D 3D 4D 5D;2H 3H 4H 5H;2S 3S 4S 5S"
PARTNER = Call(calls=(Partner(),))


def bot(seat: int = 0, pace: Pace = Pace.FAST) -> Bot:
    """A bot whose chances never come true, so that it does only what it must."""
    return Bot(Seat(seat), 4, Numb(1), pace)


def until(player: Bot, view: SeatView, wanted: type[Action], now_ms: int = 0) -> tuple[int, Action] | None:
    """The first action of a sort, and when; None if the bot falls silent before or waits for a minute."""
    for _ in range(100):
        action = player.decide(view, now_ms)
        if isinstance(action, wanted):
            return now_ms, action
        if player.wake_at_ms is None or player.wake_at_ms > 60_000:
            return None
        now_ms = max(now_ms, player.wake_at_ms)
    raise AssertionError("does not stop")


def ends(table: Table) -> Table:
    """A wrong call ends the deal."""
    assert table.act(Seat(1), PARTNER).result is Result.OK
    return table


def test_the_dealer_starts_the_match_and_nobody_else() -> None:
    state = new_match(load_rules("kemps"), 4, Seat(2))
    for seat in range(4):
        action = bot(seat).decide(seat_view(state, Seat(seat), {}), 0)
        assert action == (Next() if seat == 2 else None)


def test_the_next_deal_is_retried_until_the_deck_is_ready() -> None:
    player, view = bot(), view_of(ends(laid(DULL, "9C TC JC AC")), 0)
    tries: list[int] = []
    for _ in range(5):
        found = until(player, view, Next, tries[-1] if tries else 0)
        assert found is not None
        tries.append(found[0])
        player.refused(Next(), found[0])
    assert tries == [0, 50, 100, 150, 200]


def test_a_person_takes_a_while_to_deal() -> None:
    found = until(bot(pace=Pace.RELAXED), view_of(ends(laid(DULL, "9C TC JC AC")), 0), Next, 1000)
    assert found is not None
    assert 4000 <= found[0] <= 7000


def test_a_bot_starts_no_new_match() -> None:
    table = ends(laid(DULL, "9C TC JC AC", preset="cash"))
    for dealer in range(4):
        table.state = replace(table.state, phase=Phase.MATCH_OVER, dealer=Seat(dealer))
        player = bot(dealer)
        assert player.decide(view_of(table, dealer), 0) is None
        assert player.wake_at_ms is None


@pytest.mark.parametrize("preset", ["kems", "kemps/go"])
def test_the_dealer_says_go(preset: str) -> None:
    table = laid(DULL, "9C TC JC AC", preset=preset)
    assert table.state.phase is Phase.DEALT
    assert until(bot(), view_of(table, 0), Go) == (table.state.rules.look_ms, Go())
    assert until(bot(1), view_of(table, 1), Go) is None


def test_the_dealer_halts_an_idle_table() -> None:
    table = laid(DULL, "9C TC JC AC", preset="chaulcer")
    for seat, expected in ((0, (500 + 3200, Halt())), (1, None)):
        player = bot(seat)
        player.happened((PlayStarted(),), 500)
        table.state = replace(table.state, pool=())
        assert until(player, view_of(table, seat), Halt, 500) == expected


def test_a_halt_waits_while_cards_move() -> None:
    table = laid(DULL, "9C TC JC AC", preset="chaulcer")
    table.state = replace(table.state, pool=())
    player = bot()
    player.happened((PlayStarted(),), 500)
    player.happened((Discarded(Seat(1), Position(4)), Took(Seat(1), Position(4))), 2000)
    assert until(player, view_of(table, 0), Halt, 2000) == (2000 + 3200, Halt())


def test_the_dealer_ends_a_halt() -> None:
    table = laid(DULL, "9C TC JC AC", preset="chaulcer")
    table.wait(5000)
    assert table.act(Seat(0), Halt()).result is Result.OK
    assert bot().decide(view_of(table, 0), 0) == Resume()
    assert bot(1).decide(view_of(table, 1), 0) is None


@pytest.mark.parametrize(
    ("preset", "hand", "answer"),
    [
        ("kems", "8C 8D 8H 8S", Admit()),
        ("kems", "8C 8D 8H 9S", Deny(show=(Position(8), Position(11)))),
        ("chaulcer", "8C 8D 8H 8S", Admit()),
        ("chaulcer", "8C 8D 8H 9S", Deny()),
    ],
)
def test_a_called_hand_is_answered_for_truthfully(preset: str, hand: str, answer: Action) -> None:
    table = laid(f"2C 3C 4C 5C;2D 3D 4D 5D;{hand};2H 3H 4H 5H", "9C TC JC AC", preset=preset)
    if table.state.phase is Phase.DEALT:
        table.act(Seat(0), Go())
    asked = apply(table.state, Seat(0), PARTNER).state
    for seat in range(4):
        player, view = bot(seat), seat_view(asked, Seat(seat), table.hand(Seat(seat)))
        assert player.decide(view, 0) == (answer if seat == 2 else None)
        assert player.decide(view, 1) is None


def test_a_bot_waits_for_the_faces_of_its_own_cards() -> None:
    table = laid(DULL.replace("2C 3C 4C 5C", "8C 8D 8H 8S"), "9C TC JC AC")
    own = table.hand(Seat(0))
    own.popitem()
    player = bot()
    assert player.decide(seat_view(table.state, Seat(0), own), 0) is None
    assert isinstance(player.decide(view_of(table, 0), 0), Gesture)


def test_no_pass_before_a_put_down_card_is_shown() -> None:
    table = laid("8C 8D 8H QC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "9C TC JC KC")
    player = bot()
    passed = until(player, view_of(table, 0), Pass)
    assert passed is not None
    player = bot()
    put_down = Swap(take=(table.state.pool[3],), give=(table.state.hands[1][0],))
    dark = apply(table.state, Seat(1), put_down).state
    view = seat_view(dark, Seat(0), table.hand(Seat(0)))
    assert until(player, view, Pass) is None
    swap(table, 1, "KC", "QD")
    assert until(player, view_of(table, 0), Pass) is not None


def test_a_face_up_card_is_taken_though_another_lies_face_down() -> None:
    table = laid("8C 8D 8H QC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "8S TC JC KC")
    put_down = Swap(take=(table.state.pool[3],), give=(table.state.hands[1][0],))
    dark = apply(table.state, Seat(1), put_down).state
    action = bot().decide(seat_view(dark, Seat(0), table.hand(Seat(0))), 0)
    assert action == Swap(take=(table.state.pool[0],), give=(table.state.hands[0][3],))


def test_a_changed_pool_is_passed_anew() -> None:
    table = laid("8C 8D 8H QC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "9C TC JC KC")
    player = bot()
    first = until(player, view_of(table, 0), Pass)
    assert first is not None
    assert until(player, view_of(table, 0), Pass, first[0] + 1) != first
    player = bot()
    assert until(player, view_of(table, 0), Pass) == first
    player.happened(swap(table, 1, "KC", "QD").events, 100)
    again = until(player, view_of(table, 0), Pass, 100)
    assert again is not None
    assert again[0] < 1000
    assert again[1] == Pass(pool=table.state.pool)


def test_the_outcome_of_a_claim_is_waited_for() -> None:
    table = laid("8C 8D QC KC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "8S TC JC KC")
    player = bot()
    wish = player.decide(view_of(table, 0), 0)
    assert wish == Swap(take=(table.state.pool[0],), give=(table.state.hands[0][2],))
    swap(table, 1, "8S", "QD")
    swap(table, 1, "QD", "KD")
    assert [each for each in proposals(player, table, 100) if kind(each) is Kind.EXCHANGE] == []
    player.happened((Missed(Seat(0), wish),), 100)
    swap(table, 1, "KD", "8S")
    again = [each for each in proposals(player, table, 100) if kind(each) is Kind.EXCHANGE]
    assert again == [Swap(take=wish.take, give=wish.give)]


def proposals(player: Bot, table: Table, now_ms: int) -> list[Action]:
    """All that is proposed at one instant."""
    found = []
    while (action := player.decide(view_of(table, 0), now_ms)) is not None:
        found.append(action)
        assert len(found) < 10
    return found


def test_what_a_together_set_refused_is_not_tried_at_once() -> None:
    table = laid("8C 8D 8H KC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "8S TC JC QC")
    player, view = bot(), view_of(table, 0)
    wish = player.decide(view, 0)
    assert isinstance(wish, Swap)
    player.happened((Settled(0, Seat(1), wish, Result.REFUSED.value, Illegal.HALTED),), 10)
    assert until(player, view, Swap, 10) == (1000, wish)
    player = bot()
    assert player.decide(view, 0) == wish
    player.happened((Settled(0, Seat(0), wish, Result.REFUSED.value, Illegal.HALTED),), 10)
    assert until(player, view, Swap, 10) == (60, wish)
    player = bot()
    assert player.decide(view, 0) == wish
    settled = Settled(0, Seat(0), wish, Result.MISSED.value, Illegal.NOT_IN_POOL)
    player.happened((Missed(Seat(0), wish), settled), 10)
    assert until(player, view, Swap, 10) == (10, wish)


def test_a_half_exchange_is_finished() -> None:
    table = laid("8C 8D 8H KC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "8S TC JC QC", preset="chaulcer")
    player = bot()
    down = player.decide(view_of(table, 0), 0)
    assert down == Discard(give=(table.state.hands[0][3],))
    player.happened(table.act(Seat(0), down).events, 10)
    up = player.decide(view_of(table, 0), 10)
    assert up == Take(take=(Position(16),))
    player.happened(table.act(Seat(0), up).events, 20)
    assert player.decide(view_of(table, 0), 20) == Gesture(name=player_signal(player))


def player_signal(player: Bot) -> str:
    words = player.greet()
    assert words is not None
    return words.removeprefix("signal: ")


def test_a_half_exchange_whose_card_was_taken_is_finished_too() -> None:
    table = laid("8C 8D 8H KC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "8S TC JC QC", preset="chaulcer")
    player = bot()
    player.happened(table.act(Seat(0), Discard(give=(table.state.hands[0][3],))).events, 10)
    table.act(Seat(3), Discard(give=(table.state.hands[3][0],)))
    table.act(Seat(3), Take(take=(Position(16),)))
    action = player.decide(view_of(table, 0), 20)
    assert isinstance(action, Take)
    assert table.act(Seat(0), action).result is Result.OK


def test_turns_are_waited_for() -> None:
    table = laid("8C 8D 8H KC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "8S TC JC QC", preset="cash")
    assert table.state.turn == Seat(1)
    assert proposals(bot(), table, 0) == []
    table.state = replace(table.state, turn=Seat(0))
    assert isinstance(bot().decide(view_of(table, 0), 0), Swap)


def test_the_one_public_signal_is_given_once() -> None:
    table = laid("8C 8D 8H 8S;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "KC TC JC QC", preset="cash")
    table.state = replace(table.state, turn=Seat(0))
    player = bot()
    assert player.decide(view_of(table, 0), 0) == Signal()
    player.happened(table.act(Seat(0), Signal()).events, 10)
    assert until(player, view_of(table, 0), Signal, 10) is None
    partner = bot(2)
    partner.happened((Signalled(Seat(0)),), 10)
    table.state = replace(table.state, turn=Seat(2))
    assert partner.decide(view_of(table, 2), 10) == PARTNER


def test_after_a_wrong_call_that_ends_nothing_the_same_hands_are_not_called_again() -> None:
    table = laid(DULL, "9C TC JC AC", preset="chaulcer")
    player = Bot(Seat(0), 4, Eager(1), Pace.FAST)
    player.whispered("agreed: wink")
    player.gestured(Seat(2), "wink", 0)
    view = view_of(table, 0)
    assert player.decide(view, 0) == PARTNER
    outcome = table.act(Seat(0), PARTNER)
    assert table.state.phase is Phase.OPEN
    player.happened(outcome.events, 10)
    player.gestured(Seat(2), "wink", 20)
    assert until(player, view_of(table, 0), Call, 20) is None
    player.happened(table.act(Seat(2), Discard(give=(table.state.hands[2][0],))).events, 30)
    player.happened(table.act(Seat(2), Take(take=(Position(16),))).events, 30)
    player.gestured(Seat(2), "wink", 40)
    assert until(player, view_of(table, 0), Call, 40) == (40, PARTNER)


def test_a_barred_bot_passes_instead_of_countering() -> None:
    table = laid("2C 3C 4C 5C;6C 6D 6H QC;2D 3D 4D 5D;2H 3H 4H 5H", "8C 8D 8H 8S")
    swap(table, 1, "8C 8D 8H 8S", "6C 6D 6H QC")
    table.state = replace(table.state, pool=())
    eager = Bot(Seat(0), 4, Eager(1), Pace.FAST)
    assert until(eager, view_of(table, 0), Call) == (0, Call(calls=(Counter(target=1),)))
    table.state = replace(table.state, barred=frozenset({Seat(0)}))
    eager = Bot(Seat(0), 4, Eager(1), Pace.FAST)
    assert until(eager, view_of(table, 0), Call) is None
    assert until(Bot(Seat(0), 4, Eager(1), Pace.FAST), view_of(table, 0), Pass) is not None


def test_exchanges_between_two_sweeps_are_bounded() -> None:
    table = laid("8C 8D 8H KC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "8S TC JC QC")
    for swaps in (EXCHANGES_MAX - 1, EXCHANGES_MAX):
        player = bot()
        player.happened((Swapped(Seat(0), (Position(30),), (Position(31),)),) * swaps, 0)
        expected = Swap if swaps < EXCHANGES_MAX else Pass
        assert [type(each) for each in proposals_until_quiet(player, table)] == [expected]
        player.happened((PoolDealt(table.state.pool),), 500)
        assert [type(each) for each in proposals_until_quiet(player, table, 500)] == [Swap] * (
            expected is Pass
        )


def test_the_halves_of_an_exchange_count_as_one() -> None:
    table = laid("8C 8D 8H KC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "8S TC JC QC", preset="chaulcer")
    player = bot()
    halves = (Discarded(Seat(0), Position(30)), Took(Seat(0), Position(30)))
    player.happened(halves * (EXCHANGES_MAX - 1), 0)
    assert isinstance(player.decide(view_of(table, 0), 0), Discard)


def proposals_until_quiet(player: Bot, table: Table, now_ms: int = 0) -> list[Action]:
    """All that is proposed within a tenth of a second."""
    found = []
    start_ms = now_ms
    while True:
        action = player.decide(view_of(table, 0), now_ms)
        if action is not None:
            found.append(action)
        if player.wake_at_ms is None or player.wake_at_ms > start_ms + 100:
            return found
        now_ms = player.wake_at_ms


def test_a_card_that_the_partner_collects_is_put_down() -> None:
    table = laid("8C 8D 9C TC;6C 6D 7C 7D;9D 9H QC KC;2C 3C 4C 5C", "9S JC JD AC")
    swap(table, 2, "9S", "QC")
    wish = Bot(Seat(0), 4, Middling(1), Pace.FAST).decide(view_of(table, 0), 0)
    assert isinstance(wish, Swap)
    assert wish.give == (table.state.hands[0][2],)
    assert until(bot(), view_of(table, 0), Swap) is None


def test_nobody_passes_who_is_about_to_call() -> None:
    table = laid(DULL, "9C TC JC AC")
    table.state = replace(table.state, pool=())
    player = Bot(Seat(0), 4, Eager(1), Pace.RELAXED)
    player.whispered("agreed: wink")
    quiet = until(player, view_of(table, 0), Pass)
    assert quiet is not None
    player = Bot(Seat(0), 4, Eager(1), Pace.RELAXED)
    player.whispered("agreed: wink")
    assert player.decide(view_of(table, 0), 0) is None
    player.gestured(Seat(2), "wink", quiet[0] - 1)
    assert until(player, view_of(table, 0), Pass, quiet[0] - 1) is None


@pytest.mark.parametrize(
    ("pace", "shortest_ms"), [(Pace.SLOW, 20_000), (Pace.RELAXED, 5000), (Pace.FAST, 600)]
)
def test_a_quartet_is_signalled_before_it_passes(pace: Pace, shortest_ms: int) -> None:
    table = laid(DULL.replace("2C 3C 4C 5C", "8C 8D 8H 8S"), "9C TC JC AC")
    found = until(Bot(Seat(0), 4, Eager(1), pace), view_of(table, 0), Pass)
    assert found is not None
    assert found[0] >= shortest_ms


def test_people_look_before_they_reach_out() -> None:
    table = laid("8C 8D 8H KC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "8S TC JC QC")
    assert until(bot(pace=Pace.RELAXED), view_of(table, 0), Swap) == (
        1500 + 900,
        Swap(take=(table.state.pool[0],), give=(table.state.hands[0][3],)),
    )


def test_an_overlooked_card_is_left_to_lie() -> None:
    table = laid("8C 8D 8H KC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "8S TC JC QC")
    assert until(Bot(Seat(0), 4, Eager(1), Pace.FAST), view_of(table, 0), Swap) is None


def test_a_decoy_is_made_twice_at_most_and_is_not_the_signal() -> None:
    table = laid(DULL, "9C TC JC AC")
    table.state = replace(table.state, pool=())
    counts: set[int] = set()
    for seed in range(120):
        player = Bot(Seat(0), 4, Random(seed), Pace.FAST)
        made: list[Action] = []
        for now_ms in range(0, 1000, 200):
            made += [
                each for each in proposals_until_quiet(player, table, now_ms) if isinstance(each, Gesture)
            ]
        counts.add(len(made))
        if made:
            assert len(set(made)) == 1
            assert made[0] != Gesture(name=player_signal(player))
    assert counts == {0, 1, 2}


def test_a_swap_that_only_confuses_is_rare_and_made_once_a_pool() -> None:
    found = []
    for seed in range(200):
        table = laid("8C 8D QH KC;QD KD KH KS;2H 3H 4H 5H;2S 3S 4S 5S", "9C TC JC AC")
        player = Bot(Seat(0), 4, Random(seed), Pace.RELAXED)
        idle = until(player, view_of(table, 0), Swap)
        if idle is None:
            continue
        found.append(idle)
        swapped = table.act(Seat(0), idle[1])
        assert swapped.result is Result.OK
        player.happened(swapped.events, idle[0])
        assert until(player, view_of(table, 0), Swap, idle[0]) is None
    assert 2 <= len(found) <= 20
