"""What a seat may do at the table: a closed union of frozen records.

Knows no state: whether an action is legal is `state.check`. Actions are encoded by others, so every
record has an integer tag that never changes. Invariants:

1. An action names the positions its seat saw, so a late one cannot take another card.
2. Whatever can be decoded is bounded: cards, calls and text have a largest length.
"""

from enum import Enum, StrEnum
from typing import Annotated, TypeVar, assert_never

import msgspec

from kemps_p2p.codec import Record
from kemps_p2p.ids import Position

CARDS_MAX = 16
CALLS_MAX = 24
GESTURE_CHARS_MAX = 40
SPEECH_CHARS_MAX = 200
SEAL_BYTES_MAX = 32

SomeCards = Annotated[tuple[Position, ...], msgspec.Meta(max_length=CARDS_MAX)]
PoolCards = Annotated[tuple[Position, ...], msgspec.Meta(max_length=128)]
Target = Annotated[int, msgspec.Meta(ge=0, le=65535)]
"""A seat or a team, as the rule set's `counter_target` says; it need not be at the table."""


class CallKind(StrEnum):
    """The sorts of call, by their names in a rule set."""

    PARTNER = "partner"
    COUNTER = "counter"
    DOUBLE = "double"
    DOUBLE_COUNTER = "double-counter"


class Partner(Record, frozen=True, tag=0):
    """My partner has a quartet."""


class Double(Record, frozen=True, tag=1):
    """My partner and I have a quartet each."""


class Counter(Record, frozen=True, tag=2):
    """That player, or a member of that team, has a quartet."""

    target: Target


class DoubleCounter(Record, frozen=True, tag=3):
    """Both members of that team have a quartet."""

    team: Target


CallItem = Partner | Double | Counter | DoubleCounter


def call_kind(item: CallItem) -> CallKind:
    """The sort of a call."""
    match item:
        case Partner():
            return CallKind.PARTNER
        case Double():
            return CallKind.DOUBLE
        case Counter():
            return CallKind.COUNTER
        case DoubleCounter():
            return CallKind.DOUBLE_COUNTER
        case _:
            assert_never(item)


class Swap(Record, frozen=True, tag=0, kw_only=True):
    """Take face-up cards and put down as many hand cards, in one step."""

    take: SomeCards
    give: SomeCards


class Discard(Record, frozen=True, tag=1):
    """First half of a `discard-first` exchange: put one hand card down."""

    give: SomeCards


class Take(Record, frozen=True, tag=2):
    """Second half: pick one face-up card up."""

    take: SomeCards


class Pass(Record, frozen=True, tag=3):
    """I want none of these face-up cards."""

    pool: PoolCards


class Signal(Record, frozen=True, tag=4):
    """The one public "ready" of a hand."""


class Gesture(Record, frozen=True, tag=5):
    """Something that everybody who looks can see. `seal` is opaque: no rule looks at it."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=GESTURE_CHARS_MAX)]
    seal: Annotated[bytes, msgspec.Meta(max_length=SEAL_BYTES_MAX)] = b""


class Say(Record, frozen=True, tag=6):
    """Words that everybody hears."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=SPEECH_CHARS_MAX)]


class Call(Record, frozen=True, tag=7):
    """A declaration of one call or, where the rules allow it, several."""

    calls: Annotated[tuple[CallItem, ...], msgspec.Meta(max_length=CALLS_MAX)]


class Mulligan(Record, frozen=True, tag=8):
    """Show, discard and redraw the own hand before play."""


class Go(Record, frozen=True, tag=9):
    """The dealer opens play."""


class Halt(Record, frozen=True, tag=10):
    """The dealer halts an idle table."""


class Resume(Record, frozen=True, tag=11):
    """The dealer sweeps after a halt and deals a new pool."""


class Next(Record, frozen=True, tag=12):
    """The dealer of the coming deal starts it."""


class Admit(Record, frozen=True, tag=13):
    """My called hand is a quartet: I show it."""


class Deny(Record, frozen=True, tag=14):
    """My called hand is no quartet. Under `two-cards` it names two hand cards of different rank."""

    show: SomeCards = ()


Action = (
    Swap
    | Discard
    | Take
    | Pass
    | Signal
    | Gesture
    | Say
    | Call
    | Mulligan
    | Go
    | Halt
    | Resume
    | Next
    | Admit
    | Deny
)
Sort = TypeVar("Sort", bound=Action)
"""One kind of them."""


class Kind(Enum):
    """What the order of claims distinguishes: a seat has at most one undecided claim of a kind."""

    EXCHANGE = "exchange"
    PASS = "pass"
    CALL = "call"
    FREE = "free"


def kind(action: Action) -> Kind:
    """The kind of an action; whatever is no exchange, pass, halt or call is free."""
    match action:
        case Swap() | Discard() | Take():
            return Kind.EXCHANGE
        case Pass() | Halt():
            return Kind.PASS
        case Call():
            return Kind.CALL
        case Signal() | Gesture() | Say() | Mulligan() | Go() | Resume() | Next() | Admit() | Deny():
            return Kind.FREE
        case _:
            assert_never(action)
