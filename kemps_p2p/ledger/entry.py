"""Entries: the ordered log, linked by digests, final by a quorum of acks.

Knows claims and deeds by digest only. Invariants:

1. An entry's digest is the digest of the item that carries it: one entry a place, or evidence of a fork.
2. Acks of one (epoch, term, index, digest) from `quorum` seats make that entry and all before it final;
   the entry itself is its author's ack.

Section "Entries" of protocol.md.
"""

from enum import IntEnum
from typing import TypeAlias

from kemps_p2p.codec import Digest, Record, decode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.tape import NO_DIGEST, Append, Head, Signed, TapeItem

EVENTS_MAX = 256


class Result(IntEnum):
    """What became of a claim when its turn came."""

    OK = 0
    MISSED = 1
    REFUSED = 2
    WAITING = 3
    """A call that stands has to be judged first; what comes of the claim follows from that."""


class Settled(Record, frozen=True, tag=1):
    """One claim, decided to be first among all that conflict with it. `evidence`: items of mentions."""

    claim: Digest
    result: Result
    evidence: tuple[Digest, ...]


class Contest(Record, frozen=True, tag=2):
    """A set of claims that the poll found together; its claimants now owe their next coins."""

    claims: tuple[Digest, ...]
    evidence: tuple[Digest, ...]


class Drawn(Record, frozen=True, tag=3):
    """The order that the coins gave the contest named at `index`.

    `coins`: the items, by seat; zeros where a seat has not revealed one in time.
    """

    index: int
    coins: tuple[Digest, ...]
    order: tuple[Digest, ...]
    results: tuple[Result, ...]


class Carried(Record, frozen=True, tag=4):
    """All deeds of one item take effect."""

    item: Digest


class Note(Record, frozen=True, tag=5):
    """Something that only `session` reads: start of play, checkpoint, the close."""

    payload: bytes


class Blamed(Record, frozen=True, tag=6):
    """A seat's proven fault: `items` are the signed items that prove it."""

    culprit: int
    items: tuple[Digest, ...]


class TapeEnd(Record, frozen=True):
    """Where a tape is closed: how many items of it count, and the digest of the last one."""

    length: int
    last: Digest


class CutOff(Record, frozen=True, tag=7):
    """A contest has waited too long: its claims are decided by the tapes as they are closed here."""

    claims: tuple[Digest, ...]
    tapes: tuple[TapeEnd, ...]


class Struck(Record, frozen=True, tag=8):
    """Who has fallen silent: an observer is not asked any more, a seat is absent from the table.

    `words`: items of a quorum of other seats that have waited for it in vain, by seat.
    """

    seat: int
    words: tuple[Digest, ...]


class Ruled(Record, frozen=True, tag=9):
    """A set of claims that the poll found together, in the order that an arbiter's tape gives it."""

    claims: tuple[Digest, ...]
    evidence: tuple[Digest, ...]
    order: tuple[Digest, ...]
    results: tuple[Result, ...]


class TakeOver(Record, frozen=True, tag=10):
    """A term begins otherwise than with a checkpoint. `items`: the hand-overs of a quorum, by seat."""

    items: tuple[Digest, ...]


class Readmitted(Record, frozen=True, tag=11):
    """A struck seat is back at the table. `item`: in which it says so."""

    seat: int
    item: Digest


class Seated(Record, frozen=True, tag=12):
    """An absent seat is given to a new incarnation: whose sitting is `raw`, with its own signature.

    `end`: where the tape of the old one is closed. `words`: items of a quorum of other seats, by seat, that
    agree to this sitting and this end.
    """

    raw: bytes
    signature: bytes
    end: TapeEnd
    words: tuple[Digest, ...]


Event: TypeAlias = (
    Settled
    | Contest
    | Drawn
    | Carried
    | Note
    | Blamed
    | CutOff
    | Struck
    | Ruled
    | TakeOver
    | Readmitted
    | Seated
)


class Entry(Record, frozen=True):
    """What the sequencer orders at one index. `elapsed_ms` since genesis, by the sequencer's clock."""

    index: int
    prev: Digest
    epoch: int
    term: int
    elapsed_ms: int
    wall_ms: int
    events: tuple[Event, ...]


class LogRecord(Record, frozen=True, tag=2):
    """An entry as it lies in the chain of a log: its item and every item it names, in order of naming."""

    entry: Signed
    items: tuple[Signed, ...]


def quorum(seats: int) -> int:
    """Acks that make an entry final: ⌈(n+2)/2⌉, so that two quorums share a seat that crashed in neither."""
    return (seats + 3) // 2


def entry_of(item: TapeItem) -> Entry | None:
    """The entry that an item appends, decoded; None if it appends none.

    Raises `PeerFault` with the author as culprit if the bytes are no entry.
    """
    statement = item.item.body[0]
    if not isinstance(statement, Append):
        return None
    try:
        entry = decode(statement.entry, Entry)
    except PeerFault as fault:
        raise PeerFault(fault.code, fault.text, culprit=item.seat) from None
    if not 0 < len(entry.events) <= EVENTS_MAX:
        raise PeerFault(Fault.BAD_ENTRY, "an entry orders nothing, or too much", culprit=item.seat)
    return entry


def named_items(entry: Entry) -> tuple[Digest, ...]:
    """The digests that an entry names, each once, in the order of their first naming."""
    names: dict[Digest, None] = {}
    for event in entry.events:
        match event:
            case Settled(claim=claim, evidence=evidence):
                names[claim] = None
                names.update(dict.fromkeys(evidence))
            case Contest(claims=claims, evidence=evidence) | Ruled(claims=claims, evidence=evidence):
                names.update(dict.fromkeys(claims))
                names.update(dict.fromkeys(evidence))
            case CutOff(claims=claims):
                names.update(dict.fromkeys(claims))
            case Drawn(coins=coins):
                names.update(dict.fromkeys(coin for coin in coins if coin != NO_DIGEST))
            case Carried(item=item) | Readmitted(item=item):
                names[item] = None
            case Blamed(items=items) | Struck(words=items) | TakeOver(items=items) | Seated(words=items):
                names.update(dict.fromkeys(items))
            case Note():
                pass
    return tuple(names)


def check_extends(entry: Entry, head: Head, author: Seat, *, epoch: int, term: int, on_duty: Seat) -> None:
    """Raise `PeerFault` with the author as culprit unless the entry is the next of this chain."""
    if author != on_duty or entry.term != term or entry.epoch != epoch:
        raise PeerFault(Fault.WRONG_TERM, "an entry of a seat that is not on duty", culprit=author)
    if entry.index != head.index + 1:
        raise PeerFault(Fault.BAD_LINK, f"entry {entry.index} follows entry {head.index}", culprit=author)
    if entry.prev != head.digest:
        raise PeerFault(Fault.BAD_LINK, f"entry {entry.index} links to another log", culprit=author)
