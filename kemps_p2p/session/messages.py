"""Every wire message and its tag on one page, with the size limits; also what deeds and notes contain.

Section "Messages" of protocol.md.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import lru_cache
from typing import Annotated, TypeAlias

import msgspec

from kemps_p2p.codec import DIGEST_BYTES, Digest, Record, decode, encode
from kemps_p2p.deck.deal import DealKey, Seed, Shares, Turn
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import GESTURE_CHARS_MAX
from kemps_p2p.ledger.tape import Signed

PROTOCOL_VERSION = 1
MESSAGE_BYTES_MAX = 1 << 20
BATCH_BYTES = 192 * 1024
NAME_CHARACTERS_MAX = 24
WHISPER_CHARACTERS_MAX = 500
BOOK_SIGNALS_MAX = 16


SignalName = Annotated[str, msgspec.Meta(min_length=1, max_length=GESTURE_CHARS_MAX)]
Signals = Annotated[tuple[SignalName, ...], msgspec.Meta(max_length=BOOK_SIGNALS_MAX)]
"""Names of gestures, as a signal book holds them."""


# Deeds: what a seat owes and publishes on its tape. `attempt`: that of the deck, see `Match.attempt`.


class KeyDeed(Record, frozen=True, tag=1):
    """A seat's commitment and key for a deal."""

    deal: int
    attempt: int
    key: DealKey


class TurnDeed(Record, frozen=True, tag=2):
    """A seat's shuffle turn in one round of a deal.

    `on`: the item with the turn before it, zeros for the first. It says whose word the seat went by: if that
    item is the logged one and the list another, the seat lies; if it is not, the seat before said two things.
    """

    deal: int
    attempt: int
    round: int
    on: Digest
    turn: Turn


class ShareDeed(Record, frozen=True, tag=3):
    """A seat's shares of positions dealt in one round of a deal."""

    deal: int
    attempt: int
    round: int
    shares: Shares


class SeedDeed(Record, frozen=True, tag=4):
    """A seat's deal seed, opened when the match is over."""

    deal: int
    attempt: int
    seed: Seed


class BookDeed(Record, frozen=True, tag=5):
    """A seat's sealed signal book, in force from a deal on that has not started yet. Nobody owes one."""

    deal: int
    commitment: Annotated[Digest, msgspec.Meta(min_length=DIGEST_BYTES, max_length=DIGEST_BYTES)]


class BookOpenedDeed(Record, frozen=True, tag=6):
    """The opening of a book when the match is over: the gestures that meant a quartet, nothing else did."""

    deal: int
    salt: Annotated[bytes, msgspec.Meta(min_length=DIGEST_BYTES, max_length=DIGEST_BYTES)]
    signals: Signals


DeedBody: TypeAlias = KeyDeed | TurnDeed | ShareDeed | SeedDeed | BookDeed | BookOpenedDeed


# Notes: what the sequencer orders without a claim.


class PlayStarted(Record, frozen=True, tag=1):
    """The look is over; cards may be touched and calls made once this is final."""


class Checkpoint(Record, frozen=True, tag=2):
    """A deal starts: its number, who deals, and the scores it starts from. Last event of its entry."""

    deal: int
    dealer: int
    scores: tuple[int, ...]


class Closed(Record, frozen=True, tag=3):
    """All seeds are open and checked; nothing follows."""


class AutoPassed(Record, frozen=True, tag=4):
    """A seat that did nothing for so long as the rules allow is passed for."""

    seat: int


class Overdue(Record, frozen=True, tag=5):
    """A seat has not opened in time what it owes; the table goes on without it."""

    seat: int


NoteBody: TypeAlias = PlayStarted | Checkpoint | Closed | AutoPassed | Overdue


# The lobby: signed, and bound to the list of peers and the rule set by the digest of the table.


class Sit(Record, frozen=True, tag=1):
    """A seat's commitments. `rules` is the canonical text, so that a difference can be named."""

    rules: str
    coin: bytes
    nonce: Digest
    name: Digest


class Reveal(Record, frozen=True, tag=2):
    """The openings of nonce and name, sent when every seat has committed."""

    nonce: bytes
    nonce_salt: bytes
    name: str
    name_salt: bytes


class Seal(Record, frozen=True, tag=3):
    """The signature under the genesis, sent when every opening has been checked."""

    signature: bytes


LobbyBody: TypeAlias = Sit | Reveal | Seal


class LobbyWords(Record, frozen=True, tag=1):
    """A lobby body, encoded and signed by the seat that says it."""

    seat: int
    table: Digest
    raw: bytes
    signature: bytes


class Batch(Record, frozen=True, tag=2):
    """Items, of whichever tapes."""

    items: tuple[Signed, ...]


class Status(Record, frozen=True, tag=3):
    """How much of each tape the sender holds, and its last final entry: whoever holds more sends it.

    `sums`: the digests of a tape's items, added bit by bit, so that a tape that was forked shows.
    """

    lengths: tuple[int, ...]
    sums: tuple[Digest, ...]
    final: int


class Whisper(Record, frozen=True, tag=4):
    """The private talk of partners. It never leaves the connection between the two."""

    text: str


class Want(IntEnum):
    """What a seat wants of the table beside the game. What all want, the table does."""

    PLAY_ON = 0
    AS_OTHERS = 1
    """Whatever the others want: so bots never keep people at a table, nor from a break."""
    PAUSE = 2
    ABANDON = 3
    GONE = 4
    """Nothing any more: it has left the table, and the match is not over."""
    WALK_OVER = 5
    """To end the match, since all of the other teams have fallen silent; it has signed that."""
    HUDDLE = 6
    """Between deals: it is not ready for the next one, and a program that deals waits for it."""


class Wish(Record, frozen=True, tag=5):
    """What the sender wants of the table, from now on until it says otherwise."""

    want: Want


class Moved(Record, frozen=True, tag=6):
    """Where a peer listens from now on, signed by it; anybody may pass it on. The transport reads it."""

    raw: bytes
    signature: bytes


class WalkOver(Record, frozen=True, tag=7):
    """A seat's signed word that all of the other teams have fallen silent. It is kept beside the log."""

    raw: bytes
    signature: bytes


class Plea(Record, frozen=True, tag=8):
    """A new incarnation asks for its seat: an encoded `Sitting`, signed. Anybody may pass it on."""

    raw: bytes
    signature: bytes


class Offer(Record, frozen=True, tag=9):
    """A seat offers a program for an absent one: an encoded `StandIn`. Anybody may pass it on.

    `signature`: of the seat; `own`: of the program.
    """

    raw: bytes
    signature: bytes
    own: bytes


class Openings(Record, frozen=True, tag=10):
    """Encoded deeds that open, once the match is over, what was made at a seat by who does not sit there now.

    Who does is to sign them. Anybody may pass it on.
    """

    deeds: tuple[bytes, ...]


Message: TypeAlias = LobbyWords | Batch | Status | Whisper | Wish | Moved | WalkOver | Plea | Offer | Openings


def read_message(data: bytes) -> Message:
    """Decode a wire message. Raises `PeerFault` TOO_LARGE, MALFORMED or NOT_CANONICAL, without a culprit."""
    if len(data) > MESSAGE_BYTES_MAX:
        raise PeerFault(Fault.TOO_LARGE, "a message is larger than the protocol allows")
    return decode(data, Message)  # type: ignore[arg-type]  # a union is no type object


@lru_cache(maxsize=128)
def read_deed(payload: bytes) -> DeedBody:
    """Decode the payload of a deed. Raises `PeerFault` without a culprit; the caller knows the author.

    A deed is read as it comes, where it is ordered, and where it is folded: turns are long.
    """
    return decode(payload, DeedBody)  # type: ignore[arg-type]


def read_note(payload: bytes) -> NoteBody:
    """Decode the payload of a note. Raises `PeerFault` without a culprit; the caller knows the author."""
    return decode(payload, NoteBody)  # type: ignore[arg-type]


def read_lobby(raw: bytes) -> LobbyBody:
    """Decode what a seat says in the lobby."""
    return decode(raw, LobbyBody)  # type: ignore[arg-type]


def batches(items: Iterable[Signed]) -> Iterator[tuple[Signed, ...]]:
    """Cut items into batches that are within the limit of a message, in order."""
    batch: list[Signed] = []
    size = 0
    for item in items:
        size += len(item.raw)
        if batch and size > BATCH_BYTES:
            yield tuple(batch)
            batch, size = [], len(item.raw)
        batch.append(item)
    if batch:
        yield tuple(batch)


def pack(message: Message) -> bytes:
    """Encode a wire message."""
    return encode(message)
