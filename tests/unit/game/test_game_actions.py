"""Actions as bytes and as kinds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kemps_p2p import codec
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import (
    Action,
    Admit,
    Call,
    Counter,
    Deny,
    Discard,
    Double,
    DoubleCounter,
    Gesture,
    Go,
    Halt,
    Kind,
    Mulligan,
    Next,
    Partner,
    Pass,
    Resume,
    Say,
    Signal,
    Swap,
    Take,
    call_kind,
    kind,
)
from kemps_p2p.ids import Position

P = Position(3)
CALLS = (Partner(), Double(), Counter(1), DoubleCounter(1))
ALL: tuple[tuple[Action, Kind], ...] = (
    (Swap(take=(P,), give=(P,)), Kind.EXCHANGE),
    (Discard((P,)), Kind.EXCHANGE),
    (Take((P,)), Kind.EXCHANGE),
    (Pass((P,)), Kind.PASS),
    (Signal(), Kind.FREE),
    (Gesture("wink"), Kind.FREE),
    (Say("so"), Kind.FREE),
    (Call(CALLS), Kind.CALL),
    (Mulligan(), Kind.FREE),
    (Go(), Kind.FREE),
    (Halt(), Kind.PASS),
    (Resume(), Kind.FREE),
    (Next(), Kind.FREE),
    (Admit(), Kind.FREE),
    (Deny(), Kind.FREE),
)


@pytest.mark.parametrize(("tag", "action", "expected"), [(tag, *pair) for tag, pair in enumerate(ALL)])
def test_tag_and_kind(tag: int, action: Action, expected: Kind) -> None:
    data = codec.encode(action)
    assert data[1] == tag
    assert codec.decode(data, Action) == action  # type: ignore[arg-type]
    assert kind(action) is expected


positions = st.lists(st.integers(0, 65535).map(Position), max_size=16).map(tuple)


@given(positions, positions)
def test_swaps_round_trip(take: tuple[Position, ...], give: tuple[Position, ...]) -> None:
    swap = Swap(take=take, give=give)
    assert codec.decode(codec.encode(swap), Action) == swap  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "action",
    [
        Swap(take=(P,) * 17, give=()),
        Discard((P,) * 17),
        Deny((P,) * 17),
        Pass((P,) * 129),
        Gesture("w" * 41),
        Gesture(""),
        Say("w" * 201),
        Say(""),
        Call((Partner(),) * 25),
        Call((Counter(-1),)),
        Call((DoubleCounter(65536),)),
    ],
)
def test_what_is_too_long_is_no_action(action: Action) -> None:
    with pytest.raises(PeerFault):
        codec.decode(codec.encode(action), Action)  # type: ignore[arg-type]


def test_kinds_of_call() -> None:
    assert [call_kind(item) for item in CALLS] == ["partner", "double", "counter", "double-counter"]
