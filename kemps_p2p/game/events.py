"""What happened: the closed union that replays, screens and bots are fed with.

An event says only what the whole table may know. Faces are not repeated here: a `TurnedUp` or `Shown`
position has its face in the state's `faces`.
"""

from enum import StrEnum

import msgspec

from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Action, Admit, CallItem, Deny
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.ids import Position, Seat, Team


class DealEnd(StrEnum):
    """Why a deal is over."""

    CALL = "call"
    GOAL = "goal"
    """A wrong call brought a team to the goal, or completed a word."""
    EXHAUSTED = "exhausted"
    FAULT = "fault"
    VOID = "void"


class _Event(msgspec.Struct, frozen=True, gc=False):
    pass


class Dealt(_Event, frozen=True):
    """A deal has started; every hand and the pool lie."""

    deal: int
    dealer: Seat


class PoolDealt(_Event, frozen=True):
    """New cards lie in the middle, still to be turned up."""

    cards: tuple[Position, ...]


class TurnedUp(_Event, frozen=True):
    """Cards in the middle lie face up now."""

    cards: tuple[Position, ...]


class PoolShown(_Event, frozen=True):
    """The last card of the new pool is face up."""


class PlayStarted(_Event, frozen=True):
    """Cards may be touched."""


class Swapped(_Event, frozen=True):
    """An exchange in one step."""

    seat: Seat
    took: tuple[Position, ...]
    gave: tuple[Position, ...]


class Discarded(_Event, frozen=True):
    """The first half of an exchange."""

    seat: Seat
    gave: Position


class Took(_Event, frozen=True):
    """The second half of an exchange."""

    seat: Seat
    took: Position


class Missed(_Event, frozen=True):
    """A wanted card was gone."""

    seat: Seat
    action: Action


class Passed(_Event, frozen=True):
    """A seat wants none of the pool."""

    seat: Seat


class Swept(_Event, frozen=True):
    """The pool was cleared away."""

    cards: tuple[Position, ...]


class Recycled(_Event, frozen=True):
    """The swept cards lie beneath the stock again."""

    count: int


class Halted(_Event, frozen=True):
    """The dealer stopped an idle table."""


class MulliganAsked(_Event, frozen=True):
    """A seat shows its hand to change it."""

    seat: Seat


class Mulliganed(_Event, frozen=True):
    """A hand that had been shown was put away and drawn anew."""

    seat: Seat
    drew: tuple[Position, ...]


class MulliganFailed(_Event, frozen=True):
    """The hand shown had too few alike, or was not shown: it stays."""

    seat: Seat


class Called(_Event, frozen=True):
    """A declaration."""

    seat: Seat
    calls: tuple[CallItem, ...]


class Answered(_Event, frozen=True):
    """A called seat admits or denies a quartet."""

    seat: Seat
    answer: Admit | Deny


class AnswerVoid(_Event, frozen=True):
    """The two cards shown are of one rank: the seat owes another answer."""

    seat: Seat


class Unopened(_Event, frozen=True):
    """A seat did not open what it owed in time."""

    seat: Seat


class Shown(_Event, frozen=True):
    """Hand cards were shown by a call or for a mulligan."""

    seat: Seat
    cards: tuple[Position, ...]


class Verdicts(_Event, frozen=True):
    """What a declaration was found to be, call by call."""

    seat: Seat
    calls: tuple[CallItem, ...]
    verdicts: tuple[Verdict, ...]


class Scored(_Event, frozen=True):
    """Scores changed, by so much a team."""

    changes: tuple[int, ...]
    scores: tuple[int, ...]


class Barred(_Event, frozen=True):
    """A seat may not counter again in this deal."""

    seat: Seat


class ProofsOwed(_Event, frozen=True):
    """The cards have stopped; these seats must prove what they denied."""

    seats: tuple[Seat, ...]


class FalseDenial(_Event, frozen=True):
    """A denial was found false, or was not proven: the deal is scored as ended by that call."""

    seat: Seat
    caller: Seat


class DealLost(_Event, frozen=True):
    """A team lost the deal by its fault."""

    team: Team


class DealEnded(_Event, frozen=True):
    """The deal is over."""

    end: DealEnd
    scores: tuple[int, ...]


class PlayoffAhead(_Event, frozen=True):
    """The lead is shared: one more deal."""


class MatchEnded(_Event, frozen=True):
    """The match is over; whoever does not win has lost."""

    winners: tuple[Team, ...]
    scores: tuple[int, ...]


class TurnMoved(_Event, frozen=True):
    """It is another seat's turn."""

    seat: Seat


class Gestured(_Event, frozen=True):
    """A gesture."""

    seat: Seat
    name: str


class Said(_Event, frozen=True):
    """Words."""

    seat: Seat
    text: str


class Signalled(_Event, frozen=True):
    """The public signal of a hand."""

    seat: Seat


class Settled(_Event, frozen=True):
    """What became of an action of a together-set; `index` counts its members from 0.

    `result` is the value of a `Result`; the events up to the next `Settled` are what the action did.
    """

    index: int
    seat: Seat
    action: Action
    result: str
    reason: Illegal | None


Event = (
    Dealt
    | PoolDealt
    | TurnedUp
    | PoolShown
    | PlayStarted
    | Swapped
    | Discarded
    | Took
    | Missed
    | Passed
    | Swept
    | Recycled
    | Halted
    | MulliganAsked
    | Mulliganed
    | MulliganFailed
    | Called
    | Answered
    | AnswerVoid
    | Unopened
    | Shown
    | Verdicts
    | Scored
    | Barred
    | ProofsOwed
    | FalseDenial
    | DealLost
    | DealEnded
    | PlayoffAhead
    | MatchEnded
    | TurnMoved
    | Gestured
    | Said
    | Signalled
    | Settled
)
