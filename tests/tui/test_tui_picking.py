from kemps_p2p.game.actions import Discard, Swap, Take
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Position
from kemps_p2p.tui.picking import Picks

A, B, C, D = map(Position, (1, 2, 3, 4))
P, Q, R = map(Position, (11, 12, 13))


def test_a_swap_is_complete_with_a_card_above_and_one_below() -> None:
    picks = Picks(load_rules("kemps"))
    picks.press_pool(P)
    assert picks.exchange(4) is None
    picks.press_hand(A)
    assert picks.exchange(4) == Swap(take=(P,), give=(A,))


def test_the_order_does_not_matter() -> None:
    picks = Picks(load_rules("kemps"))
    picks.press_hand(A)
    assert picks.exchange(4) is None
    picks.press_pool(P)
    assert picks.exchange(4) == Swap(take=(P,), give=(A,))


def test_several_cards_are_swapped_once_as_many_are_chosen_on_both_sides() -> None:
    picks = Picks(load_rules("kemps"))
    picks.press_pool(P)
    picks.press_pool(Q)
    picks.press_hand(A)
    assert picks.exchange(4) is None
    picks.press_hand(B)
    assert picks.exchange(4) == Swap(take=(P, Q), give=(A, B))


def test_where_one_card_is_the_limit_the_last_choice_counts() -> None:
    picks = Picks(load_rules("kent"))
    picks.press_pool(P)
    picks.press_pool(Q)
    assert picks.take == (Q,)
    picks.press_hand(A)
    assert picks.exchange(4) == Swap(take=(Q,), give=(A,))


def test_a_card_is_taken_back_by_pressing_it_again() -> None:
    picks = Picks(load_rules("kemps"))
    picks.press_pool(P)
    picks.press_pool(P)
    picks.press_hand(A)
    assert picks.exchange(4) is None


def test_a_card_that_has_gone_is_not_chosen_any_more() -> None:
    picks = Picks(load_rules("kemps"))
    picks.press_pool(P)
    picks.press_pool(Q)
    picks.press_hand(A)
    assert picks.follow((Q, R), (A, B, C, D)) == (P,)
    assert picks.take == (Q,)
    assert picks.follow((Q, R), (B, C, D)) == ()
    assert picks.give == ()


def test_put_down_first_then_pick_up() -> None:
    picks = Picks(load_rules("chaulcer"))
    picks.press_hand(A)
    put = picks.exchange(4)
    assert put == Discard(give=(A,))
    picks.made(put)
    assert picks.exchange(3) is None
    picks.press_pool(P)
    taken = picks.exchange(3)
    assert taken == Take(take=(P,))
    picks.made(taken)
    assert not picks.take


def test_a_card_chosen_before_putting_one_down_is_picked_up_after() -> None:
    picks = Picks(load_rules("chaulcer"))
    picks.press_pool(P)
    assert picks.exchange(4) is None
    picks.press_hand(A)
    put = picks.exchange(4)
    assert put == Discard(give=(A,))
    picks.made(put)
    assert picks.exchange(3) == Take(take=(P,))
