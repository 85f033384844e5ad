"""What the machine asks the world to do, in order. Section "Effects" of protocol.md.

A runner carries effects out strictly in the order given: what is appended before it is sent stays so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from msgspec import Struct

from kemps_p2p.codec import Digest
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Action
from kemps_p2p.game.events import Event as GameEvent
from kemps_p2p.game.record import State
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Result
from kemps_p2p.session.messages import Want
from kemps_p2p.session.races import Race


class File(Enum):
    """Where an append goes: the journal (all that comes), the log (genesis, final entries, annex), or what
    lies beside the log: walk-overs.
    """

    JOURNAL = auto()
    LOG = auto()
    WALK_OVERS = auto()


class Durability(Enum):
    """SOON: with the next group of fsyncs. NOW: on the disk before the next effect is carried out."""

    SOON = auto()
    NOW = auto()


class Append(Struct, frozen=True, gc=False):
    """Add one encoded object to a file."""

    file: File
    data: bytes
    durability: Durability = Durability.SOON


class Send(Struct, frozen=True, gc=False):
    """Send one encoded message to a peer; `to` None means every other peer.

    A seat may have two for a while: its player, and who stands in. `is_private`: for whoever sits there.
    """

    data: bytes
    to: Seat | None = None
    is_private: bool = False


@dataclass(frozen=True, slots=True)
class Compute:
    """Run `work` (pure, slow) off the event loop; give what it returns, or the PeerFault it raises, back."""

    id: int
    work: Callable[[], object]


@dataclass(frozen=True, slots=True)
class TableFormed:
    """Genesis is signed by all: the match has an id and seats have names, and so has the observer, if any."""

    match: Digest
    names: tuple[str, ...]
    observer: str | None = None


@dataclass(frozen=True, slots=True)
class Happened:
    """The rules moved on at a final entry; `game` is their state after it."""

    index: int
    events: tuple[GameEvent, ...]
    game: State


@dataclass(frozen=True, slots=True)
class Known:
    """What becomes of an own claim: the table's poll has found it first, or an entry has settled it.

    It is not final yet, so nothing is revealed on it; should it come out otherwise, it is told again.
    """

    action: Action
    result: Result


@dataclass(frozen=True, slots=True)
class Raced:
    """An own claim was later than a rival's, or the two are together; by whose words. Not final yet."""

    race: Race


@dataclass(frozen=True, slots=True)
class GestureSeen:
    """A gesture arrived: it is shown at once, long before it is final."""

    seat: Seat
    name: str


@dataclass(frozen=True, slots=True)
class Whispered:
    """The partner says something in the private huddle."""

    text: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A seat, perhaps the own one, wants something else than it did of the table."""

    seat: Seat
    want: Want
    did: Want = Want.PLAY_ON


@dataclass(frozen=True, slots=True)
class ObserverStruck:
    """The observer is not asked any more: it has fallen silent, or its fault is proven."""

    is_proven: bool


@dataclass(frozen=True, slots=True)
class VotedAbsent:
    """A seat, perhaps the own one, says of another that it is absent."""

    voter: Seat
    seat: Seat


@dataclass(frozen=True, slots=True)
class SeatStruck:
    """A seat is absent by the votes of the others: no deal starts before it is back.

    `is_stand_in`: it is who has stood in there, and perhaps makes room for its player.
    """

    seat: Seat
    is_stand_in: bool = False


@dataclass(frozen=True, slots=True)
class SeatBack:
    """A seat that was absent is back at the table."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class StandInOffered:
    """A seat, perhaps the own one, offers to run a program for an absent seat until its player is back."""

    seat: Seat
    by: Seat


@dataclass(frozen=True, slots=True)
class StandInAgreed:
    """A seat, perhaps the own one, agrees to an offer."""

    voter: Seat
    seat: Seat
    by: Seat


@dataclass(frozen=True, slots=True)
class SeatHeld:
    """A program that `by` runs plays for a seat from the next deal on; None: it is not known here whose."""

    seat: Seat
    by: Seat | None


@dataclass(frozen=True, slots=True)
class PlayerAsks:
    """The player of a seat that is held is back, and gets it once no deal is on."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class FaultFound:
    """A peer did what no honest program does. `blamed` only if its signature proves it."""

    fault: PeerFault


@dataclass(frozen=True, slots=True)
class MatchClosed:
    """The log is complete."""

    head: Digest


AbsenceSight: TypeAlias = (
    VotedAbsent | SeatStruck | SeatBack | StandInOffered | StandInAgreed | SeatHeld | PlayerAsks
)
"""What becomes of a seat whose player is away."""

Sight: TypeAlias = (
    TableFormed
    | Happened
    | Known
    | Raced
    | GestureSeen
    | Whispered
    | Wanted
    | ObserverStruck
    | AbsenceSight
    | FaultFound
    | MatchClosed
)


@dataclass(frozen=True, slots=True)
class Show:
    """Something for a screen, a bot or a crash report."""

    sight: Sight


Effect: TypeAlias = Append | Send | Compute | Show
