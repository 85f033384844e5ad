"""What is under way is waited for, what was refused is not tried again at once."""

from random import Random

import pytest

from kemps_p2p.bots.pace import Span
from kemps_p2p.bots.patience import PAUSE_MAX_MS, TIMEOUT_MAX_MS, Errand, Patience
from kemps_p2p.game.actions import Action, Call, Kind, Next, Partner, Pass, Swap
from kemps_p2p.ids import Position

SWAP = Swap(take=(Position(16),), give=(Position(0),))
OTHER_SWAP = Swap(take=(Position(17),), give=(Position(0),))
PASS = Pass(pool=(Position(16),))
KINDS: list[Action] = [SWAP, PASS, Call(calls=(Partner(),)), Next()]


def allowed(patience: Patience, action: Action, now_ms: int) -> bool:
    patience.wake_at_ms = None
    return patience.allows(action, now_ms)


@pytest.mark.parametrize("action", KINDS)
def test_one_of_a_kind_is_under_way(action: Action) -> None:
    patience = Patience(Random(1))
    patience.send(action, 500)
    assert [other for other in KINDS if not allowed(patience, other, 500)] == [action]
    assert not allowed(patience, action, 1499)
    assert patience.wake_at_ms == 1500
    assert allowed(patience, action, 1500)


def test_another_exchange_waits_too() -> None:
    patience = Patience(Random(1))
    patience.send(SWAP, 0)
    assert not allowed(patience, OTHER_SWAP, 999)
    patience.settled(Kind.EXCHANGE)
    assert allowed(patience, OTHER_SWAP, 1)


def test_timeouts_double_until_there_is_an_outcome() -> None:
    patience = Patience(Random(1))
    now_ms = 0
    waits = []
    for _ in range(7):
        patience.send(SWAP, now_ms)
        assert not allowed(patience, SWAP, now_ms)
        assert patience.wake_at_ms is not None
        waits.append(patience.wake_at_ms - now_ms)
        now_ms = patience.wake_at_ms
    assert waits == [1000, 2000, 4000, 8000, 16_000, TIMEOUT_MAX_MS, TIMEOUT_MAX_MS]
    patience.settled(Kind.EXCHANGE)
    patience.send(SWAP, now_ms)
    assert allowed(patience, SWAP, now_ms + 1000)


def test_pauses_double_while_the_same_is_refused() -> None:
    patience = Patience(Random(1))
    now_ms = 0
    pauses = []
    for _ in range(7):
        patience.send(SWAP, now_ms)
        patience.refused(SWAP, now_ms)
        assert not allowed(patience, SWAP, now_ms)
        assert patience.wake_at_ms is not None
        pauses.append(patience.wake_at_ms - now_ms)
        now_ms = patience.wake_at_ms
        assert allowed(patience, SWAP, now_ms)
    assert pauses == [50, 100, 200, 400, 800, PAUSE_MAX_MS, PAUSE_MAX_MS]


def test_another_action_may_follow_a_refusal_at_once() -> None:
    patience = Patience(Random(1))
    patience.send(SWAP, 0)
    patience.refused(SWAP, 0)
    assert not allowed(patience, SWAP, 49)
    assert allowed(patience, OTHER_SWAP, 0)


def test_the_next_deal_is_asked_for_again_and_again() -> None:
    patience = Patience(Random(1))
    for now_ms in range(0, 2000, 50):
        assert allowed(patience, Next(), now_ms)
        patience.send(Next(), now_ms)
        patience.refused(Next(), now_ms)
        assert not allowed(patience, Next(), now_ms + 49)


def test_a_new_phase_ends_all_waiting() -> None:
    patience = Patience(Random(1))
    for action in KINDS:
        patience.send(action, 0)
    patience.refused(PASS, 0)
    patience.settle_all()
    assert all(allowed(patience, action, 0) for action in KINDS)


def test_a_timer_keeps_its_time_while_its_key_stays() -> None:
    patience = Patience(Random(1))
    span = Span(100, 200)
    assert not patience.is_due(Errand.PASS, "pool", span, 1000)
    due_ms = patience.wake_at_ms
    assert due_ms is not None
    assert 1100 <= due_ms <= 1200
    assert not patience.is_due(Errand.PASS, "pool", span, due_ms - 1)
    assert patience.is_due(Errand.PASS, "pool", span, due_ms)
    assert not patience.is_due(Errand.PASS, "another pool", span, due_ms)


def test_a_span_without_width_draws_nothing() -> None:
    rng = Random(1)
    before = rng.getstate()
    assert Span(200, 200).draw(rng) == 200
    assert rng.getstate() == before
    assert {Span(1, 3).draw(rng) for _ in range(50)} == {1, 2, 3}


def test_the_earliest_time_wakes() -> None:
    patience = Patience(Random(1))
    for at_ms in (300, 100, 200):
        assert not patience.is_past(at_ms, 50)
    assert patience.wake_at_ms == 100
