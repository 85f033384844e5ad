"""What a seat sees, and above all what it does not."""

import random

import pytest
from game_helpers import PRESETS, Script, begin_next, dealt, laid, play, scripts, shuffled, where
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kemps_p2p.game.actions import Call, Counter, Deny, Mulligan, Next, Partner, Swap
from kemps_p2p.game.cards import Card
from kemps_p2p.game.events import Answered
from kemps_p2p.game.rules import load_rules
from kemps_p2p.game.state import Phase, apply, new_match
from kemps_p2p.game.table import Layout, Table
from kemps_p2p.game.views import Held, Lying, options, public_view, seat_view
from kemps_p2p.ids import Position, Seat


def permuted(table: Table, seat: Seat, start: dict[Position, Card], draw: random.Random) -> Layout:
    """The same deal, but for the cards that `seat` has not seen: they lie in another order."""
    state = table.state
    seen = {*state.faces, *state.hands[seat]}
    hidden = [position for position in start if position not in seen]
    cards = [start[position] for position in hidden]
    draw.shuffle(cards)
    faces = [*{**start, **dict(zip(hidden, cards, strict=True))}.items()]
    order = [card for _, card in sorted(faces)]
    players, pool_end = state.players, 4 * state.players + state.rules.pool_size
    hands = tuple(tuple(order[4 * each : 4 * each + 4]) for each in range(players))
    return Layout(hands=hands, pool=tuple(order[4 * players : pool_end]), stock=tuple(order[pool_end:]))


@pytest.mark.parametrize("name", PRESETS)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), script=scripts, number=st.integers(0, 3))
def test_hidden_cards_change_no_view(name: str, seed: int, script: Script, number: int) -> None:
    """Replay a deal with what a seat has not seen lying otherwise: it sees the same, card for card."""
    rules, seat = load_rules(name), Seat(number)
    first = shuffled(rules, 4, seed)
    begin_next(first)
    start = dict(first.faces)
    acts = play(first, [step for step in script if step[1] != 14])
    assume(not any(isinstance(action, Next | Mulligan) and done.result == "ok" for _, action, done in acts))
    assume(first.state.next_position == len(start))
    layout = permuted(first, seat, start, random.Random(seed))
    second = Table.seated(rules, 4, Seat(0), lambda state: layout)
    begin_next(second)
    for doer, action, before in acts:
        second.wait(250)
        after = second.act(doer, action)
        said = [event for event in after.events if isinstance(event, Answered)]
        assume(said == [event for event in before.events if isinstance(event, Answered)])
    ours = seat_view(first.state, seat, first.hand(seat))
    theirs = seat_view(second.state, seat, second.hand(seat))
    assert ours == theirs
    assert list(options(ours)) == list(options(theirs))


def test_a_view_holds_no_face_of_another_hand() -> None:
    table = dealt("kemps")
    view = seat_view(table.state, Seat(1), table.faces)
    assert view.hand == tuple(Held(card, table.faces[card]) for card in table.state.hands[1])
    assert all(lying.card is None for hand in view.hands for lying in hand)
    assert set(view.state.faces) == set(table.state.pool)


def test_a_card_put_down_has_no_face_until_it_shows() -> None:
    table = laid("kemps", ["7S 7H 7D KC", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"], "7C 2H 5S JD")
    king, seven = where(table, "KC"), where(table, "7C")
    state = apply(table.state, Seat(0), Swap(take=seven, give=king)).state
    view = public_view(state)
    assert Lying(king[0], None) in view.pool
    assert Lying(seven[0], None) in view.hands[0]
    assert view.stock_count == 32


def test_a_called_hand_lies_open_once_the_deal_is_over_and_not_after_it() -> None:
    table = laid("kemps", ["7S 7H 7D 7C", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"], "KC 2H 5S JD")
    table.act(Seat(2), Call((Partner(),)))
    view = public_view(table.state)
    assert view.hands[0] == tuple(Lying(card, table.faces[card]) for card in table.state.hands[0])
    assert view.verdicts == ("right",)
    assert view.next_dealer == 0
    begin_next(table)
    assert all(lying.card is None for hand in public_view(table.state).hands for lying in hand)


def test_hands_are_hidden_again_when_a_wrong_call_lets_the_deal_go_on() -> None:
    table = laid("kems", ["7S 7H 7D KC", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"], "7C 2H 5S JD")
    assert table.act(Seat(1), Call((Counter(0),))).result == "ok"
    assert table.state.phase is Phase.OPEN
    assert all(lying.card is None for hand in public_view(table.state).hands for lying in hand)


def test_a_standing_call_says_who_must_answer() -> None:
    table = laid("kems", ["7S 7H 7D KC", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"], "7C 2H 5S JD")
    state = apply(table.state, Seat(2), Call((Partner(),))).state
    view = seat_view(state, Seat(0), table.hand(Seat(0)))
    assert view.call is not None
    assert view.call.seat == 2
    assert view.call.owes_answer == {0}
    denials = [action for action in options(view) if isinstance(action, Deny)]
    assert len(denials) == 3
    assert all(where(table, "KC")[0] in denial.show for denial in denials)


def test_before_the_first_deal_the_dealer_may_start_it() -> None:
    view = seat_view(new_match(load_rules("kent"), 4, Seat(3)), Seat(3), {})
    assert view.next_dealer == 3
    assert Next() in list(options(view))
    assert view.hand == ()
    other = seat_view(new_match(load_rules("kent"), 4, Seat(3)), Seat(0), {})
    assert Next() not in list(options(other))


def test_a_mulligan_is_offered_only_to_a_hand_that_deserves_it() -> None:
    table = shuffled(load_rules("kems"), 4, seed=5)
    begin_next(table)
    for seat in range(4):
        hand = table.hand(Seat(seat))
        ranks = [card % 13 for card in hand.values()]
        deserves = max(ranks.count(each) for each in ranks) >= 3
        view = seat_view(table.state, Seat(seat), hand)
        assert (Mulligan() in list(options(view))) is deserves
