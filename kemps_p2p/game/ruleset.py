"""The typed record of a rule set: every key, its values and its units. Loading one is `rules`.

Knows no state of a match.
"""

from enum import StrEnum
from typing import Annotated

import msgspec

from kemps_p2p.game.actions import CallKind
from kemps_p2p.game.cards import QUARTET_CARDS


class Mode(StrEnum):
    """Who may act when."""

    SIMULTANEOUS = "simultaneous"
    TURNS = "turns"


class Exchange(StrEnum):
    """How cards change places."""

    SWAP = "swap"
    DISCARD_FIRST = "discard-first"


class Start(StrEnum):
    """What opens play."""

    LAST_CARD = "last-card"
    GO = "go"


class Sweep(StrEnum):
    """What clears the pool."""

    PASS = "pass"
    IDLE = "idle"


class StockOut(StrEnum):
    """What happens when the stock is short."""

    VOID = "void"
    RECYCLE = "recycle"


class CounterTarget(StrEnum):
    """What a counter names."""

    PLAYER = "player"
    TEAM = "team"


class Reveal(StrEnum):
    """What a call shows."""

    HAND = "hand"
    TWO_CARDS = "two-cards"
    CLAIM = "claim"


class WrongCall(StrEnum):
    """Whether a wrong call ends the deal."""

    ENDS_DEAL = "ends-deal"
    CONTINUE = "continue"
    COUNTER_CONTINUES = "counter-continues"


class Scoring(StrEnum):
    """Whether one collects letters, and loses, or points, and wins."""

    LETTERS = "letters"
    POINTS = "points"


class Tie(StrEnum):
    """What a shared lead at the end of a match leads to."""

    PLAYOFF = "playoff"
    NONE = "none"


class Rotation(StrEnum):
    """Who deals the next deal."""

    CLOCKWISE = "clockwise"
    FIXED = "fixed"


class FirstDealer(StrEnum):
    """Who deals the first deal of a match."""

    DRAWN = "drawn"
    SEAT_0 = "seat-0"
    ROTATES = "rotates"


class SimultaneousCalls(StrEnum):
    """What becomes of two calls that are settled as simultaneous."""

    FIRST = "first"
    BOTH = "both"
    COUNTER_FIRST = "counter-first"


class PollTie(StrEnum):
    """Who orders the claims that the table's poll finds together."""

    LOTTERY = "lottery"
    DEALER = "dealer"


class Signals(StrEnum):
    """Free gestures, or one public signal a hand."""

    GESTURES = "gestures"
    ONCE = "once"


Value = Annotated[int, msgspec.Meta(ge=-1000, le=1000)]
Word = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]


class Points(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", omit_defaults=True, forbid_unknown_fields=True
):
    """Points for each sort of call that may be made."""

    partner: Value | None = None
    counter: Value | None = None
    double: Value | None = None
    double_counter: Value | None = None

    def of(self, kind: CallKind) -> int | None:
        """The points of one sort, None if it has none."""
        return {
            CallKind.PARTNER: self.partner,
            CallKind.COUNTER: self.counter,
            CallKind.DOUBLE: self.double,
            CallKind.DOUBLE_COUNTER: self.double_counter,
        }[kind]


class Words(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", omit_defaults=True, forbid_unknown_fields=True
):
    """What each sort of call is named on screen."""

    partner: Word | None = None
    counter: Word | None = None
    double: Word | None = None
    double_counter: Word | None = None

    def of(self, kind: CallKind) -> str | None:
        """The name of one sort, None if it has none."""
        return {
            CallKind.PARTNER: self.partner,
            CallKind.COUNTER: self.counter,
            CallKind.DOUBLE: self.double,
            CallKind.DOUBLE_COUNTER: self.double_counter,
        }[kind]


COUNT_MAX = 1_000_000
Count = Annotated[int, msgspec.Meta(ge=0, le=COUNT_MAX)]
Seconds = Annotated[int, msgspec.Meta(ge=0, le=86_400)] | Annotated[float, msgspec.Meta(ge=0, le=86_400)]


class RuleSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every key of a rule set. Units are in the names; what a key means is in the rule pages."""

    players: Annotated[tuple[Annotated[int, msgspec.Meta(ge=4, le=16)], ...], msgspec.Meta(min_length=1)]
    two_decks_above: Annotated[int, msgspec.Meta(ge=0, le=16)]
    pool_size: Annotated[int, msgspec.Meta(ge=1, le=48)]
    mode: Mode
    exchange: Exchange
    exchange_limit: Annotated[int, msgspec.Meta(ge=1, le=QUARTET_CARDS)]
    start: Start
    mulligan: Annotated[int, msgspec.Meta(ge=0, le=QUARTET_CARDS)]
    sweep: Sweep
    idle_seconds: Seconds
    stock_out: StockOut
    calls: Annotated[tuple[CallKind, ...], msgspec.Meta(min_length=1)]
    combine_calls: bool
    counter_target: CounterTarget
    reveal: Reveal
    wrong_call: WrongCall
    bar_after_wrong_counter: bool
    scoring: Scoring
    word: Annotated[str, msgspec.Meta(max_length=16)]
    points_right: Points
    points_wrong_caller: Value
    points_wrong_other: Value
    goal: Count
    deal_limit: Count | tuple[tuple[int, Count], ...]
    tie: Tie
    rotation: Rotation
    first_dealer: FirstDealer
    simultaneous_calls: SimultaneousCalls
    poll_tie: PollTie
    look_ms: Annotated[int, msgspec.Meta(ge=0, le=600_000)]
    auto_pass_s: Seconds
    signals: Signals
    speech: bool
    words: Words

    def packs(self, players: int) -> int:
        """How many packs so many players use."""
        return 2 if self.two_decks_above and players > self.two_decks_above else 1

    @property
    def idle_ms(self) -> int:
        """The shortest idle time before a halt."""
        return round(self.idle_seconds * 1000)

    @property
    def auto_pass_ms(self) -> int:
        """How long a seat may do nothing before it is passed for; 0 if nobody ever is."""
        return round(self.auto_pass_s * 1000)

    def deals(self, players: int) -> int:
        """How many deals a match of so many players has at most, 0 for no limit.

        A table by player count sets no limit for a count that it leaves out.
        """
        if isinstance(self.deal_limit, int):
            return self.deal_limit
        return dict(self.deal_limit).get(players, 0)


KEYS = tuple(sorted(RuleSet.__struct_fields__))
