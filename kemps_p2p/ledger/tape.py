"""A seat's tape: signed, numbered, linked and stamped items.

Knows nothing of what a claim asks for or a deed fulfils: both are opaque bytes. Invariants:

1. An item's digest covers its bytes and its signature; `prev` and every reference name that digest.
2. Numbers of a tape have no gaps; stamps grow by number, and beyond every stamp that the item rests on.

Section "Tape" of protocol.md.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec import Struct

from kemps_p2p.codec import DIGEST_BYTES, Digest, Record, decode, encode, tagged_hash
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity, verify

ITEM_LABEL = "kemps/v1/item"
ITEM_BYTES_MAX = 256 * 1024
_PLACES_PER_ITEM = ITEM_BYTES_MAX
"""More than an item of the greatest length can name."""
STAMP_LEAD_MAX = 1024
"""How far a stamp may be beyond the count of all items held, before the item waits.

An honest stamp is at most one more than the items that its author held, so it never waits for long; and no
seat can use up the clock of the others, who never come to rest on an item that leads by more.
"""
NO_DIGEST = Digest(bytes(DIGEST_BYTES))


class Head(Record, frozen=True):
    """The last entry of a chain: its index and digest."""

    index: int
    digest: Digest


class Claim(Record, frozen=True, tag=1):
    """A wish made against a final head. `rivals`: undecided conflicting claims already on this tape."""

    head: Head
    action: bytes
    rivals: tuple[Digest, ...]


class Receipt(Record, frozen=True, tag=2):
    """The word of a witness: I hold this claim. `rivals` as in `Claim`."""

    claim: Digest
    rivals: tuple[Digest, ...]


class Ack(Record, frozen=True, tag=3):
    """The word of a seat: I hold and accept the entry at this index, and all before it."""

    epoch: int
    term: int
    head: Head


class CoinReveal(Record, frozen=True, tag=4):
    """The seat's next coin, owed to the contest that the entry at `index` names."""

    index: int
    coin: bytes


class Deed(Record, frozen=True, tag=5):
    """A duty fulfilled (key, turn, shares, seed): bytes that only `session` reads."""

    payload: bytes


class Append(Record, frozen=True, tag=6):
    """An entry of the sequencer. It stands alone in its item."""

    entry: bytes


class Suspect(Record, frozen=True, tag=7):
    """The sequencer of this term fails. Lapses with the seat's next ack of that term or a later one."""

    term: int


class Join(Record, frozen=True, tag=8):
    """From here on this seat acks nothing of an earlier term."""

    term: int


class HandOver(Record, frozen=True, tag=9):
    """What a seat brings into a term that it has joined: the last entry that it stands for, with its term."""

    term: int
    normal: int
    head: Head


class Unheard(Record, frozen=True, tag=10):
    """The word of a seat on a tape that nothing comes for any more, an observer's or another seat's.

    `length`, `last`: how many items that tape has here, and the digest of the last one.
    """

    seat: int
    length: int
    last: Digest


class Back(Record, frozen=True, tag=11):
    """The word of a seat that it is there: behind the entry at `index`, which may have struck it."""

    index: int


class Agreed(Record, frozen=True, tag=12):
    """The word of a seat that an absent one is given to a new incarnation: to the one of this sitting.

    `length`, `last`: where the tape of the old one ends here, which is closed there.
    """

    seat: int
    sitting: Digest
    length: int
    last: Digest


Statement: TypeAlias = (
    Claim | Receipt | Ack | CoinReveal | Deed | Append | Suspect | Join | HandOver | Unheard | Back | Agreed
)


class Item(Record, frozen=True):
    """What is signed: one or more statements of one seat at one place of its tape."""

    match: Digest
    seat: int
    incarnation: int
    number: int
    prev: Digest
    lamport: int
    body: tuple[Statement, ...]


class Signed(Record, frozen=True):
    """An item as it travels and is stored: its bytes and the seat's signature over them."""

    raw: bytes
    signature: bytes


class TapeItem(Struct, frozen=True, gc=False):
    """A decoded item whose signature has verified, with the digest that names it."""

    signed: Signed
    item: Item
    digest: Digest

    @property
    def seat(self) -> Seat:
        """The author."""
        return Seat(self.item.seat)


def item_digest(signed: Signed) -> Digest:
    """The digest that names an item; it covers the signature."""
    return tagged_hash(ITEM_LABEL, signed.raw, signed.signature)


class Signer(Struct, frozen=True, gc=False):
    """One incarnation of a tape's author: the number of its first item, and the key that signs its items."""

    first: int
    key: bytes


Signers: TypeAlias = tuple[tuple[Signer, ...], ...]
"""By tape, all incarnations of its author so far. Each ends where the next one begins."""


def open_item(signed: Signed, match: Digest, signers: Signers, digest: Digest | None = None) -> TapeItem:
    """Decode and verify an item; `digest`: its own if that is known.

    Raises `PeerFault` without a culprit unless the author's signature has verified, since a stranger's
    bytes must not lead to blame; after that the author is the culprit of what it signed. Nobody is to blame
    either for an item behind the end of its incarnation: its author may not know yet that it has ended.
    """
    if len(signed.raw) > ITEM_BYTES_MAX:
        raise PeerFault(Fault.TOO_LARGE, "an item is larger than the protocol allows")
    item = decode(signed.raw, Item)
    if item.match != match:
        raise PeerFault(Fault.WRONG_MATCH, "an item of another match")
    if not 0 <= item.seat < len(signers):
        raise PeerFault(Fault.WRONG_SEAT, "an item of a seat that is not at the table")
    signer = signer_of(item, signers)
    if signer is None:
        raise PeerFault(Fault.OTHER_INCARNATION, "an item where its tape is another incarnation's")
    verify(signer.key, ITEM_LABEL, signed.raw, signed.signature)
    check_form(item)
    return TapeItem(signed, item, item_digest(signed) if digest is None else digest)


def signer_of(item: Item, signers: Signers) -> Signer | None:
    """Who signs at an item's place of a tape; None if its incarnation has no such place, or not yet."""
    known = signers[item.seat]
    if not 0 <= item.incarnation < len(known):
        return None
    has_ended = item.incarnation + 1 < len(known) and item.number >= known[item.incarnation + 1].first
    signer = known[item.incarnation]
    # A number below 0 is its author's fault, which its signature proves.
    is_before = item.incarnation > 0 and item.number < signer.first
    return None if has_ended or is_before else signer


def check_form(item: Item) -> None:
    """Raise `PeerFault` with the author as culprit for an item that no honest program signs."""
    seat = item.seat
    if item.number < 0 or len(item.prev) != DIGEST_BYTES:
        raise PeerFault(Fault.BAD_LINK, "number or link out of range", culprit=seat)
    if (item.number == 0) != (item.prev == NO_DIGEST):
        raise PeerFault(Fault.BAD_LINK, "only the first item has no predecessor", culprit=seat)
    if item.lamport <= item.number or item.lamport >= 1 << 62:
        raise PeerFault(Fault.BAD_STAMP, "a stamp below its number or out of range", culprit=seat)
    if not item.body:
        raise PeerFault(Fault.MALFORMED, "an item says nothing", culprit=seat)
    if len(item.body) > 1:
        if any(isinstance(statement, Append) for statement in item.body):
            raise PeerFault(Fault.MALFORMED, "an entry stands alone in its item", culprit=seat)
        if sum(isinstance(statement, Claim) for statement in item.body) > 1:
            raise PeerFault(Fault.MALFORMED, "an item makes more than one claim", culprit=seat)
    if not all(map(_is_in_range, item.body)):
        raise PeerFault(Fault.MALFORMED, "an index below 0, or a digest that is none", culprit=seat)


def _is_in_range(statement: Statement) -> bool:
    match statement:
        case Claim(head=head, rivals=rivals):
            return _is_place(head) and all(len(rival) == DIGEST_BYTES for rival in rivals)
        case Receipt(claim=claim, rivals=rivals):
            return all(len(digest) == DIGEST_BYTES for digest in (claim, *rivals))
        case Ack(epoch=epoch, term=term, head=head):
            return epoch >= 0 and term >= 0 and _is_place(head)
        case CoinReveal(index=index) | Back(index=index):
            return index >= 0
        case Agreed(sitting=sitting) if len(sitting) != DIGEST_BYTES:
            return False
        case Unheard(seat=seat, length=length, last=last) | Agreed(seat=seat, length=length, last=last):
            return seat >= 0 and length >= 0 and len(last) == DIGEST_BYTES
        case Suspect(term=term) | Join(term=term):
            return term >= 0
        case HandOver(term=term, normal=normal, head=head):
            return term >= 0 and normal >= 0 and _is_place(head)
        case Deed() | Append():
            return True


def _is_place(head: Head) -> bool:
    return head.index >= 0 and len(head.digest) == DIGEST_BYTES


def claim_of(item: Item) -> Claim | None:
    """The claim an item makes, if it makes one. The item's digest names the claim."""
    for statement in item.body:
        if isinstance(statement, Claim):
            return statement
    return None


def first_place(number: int) -> int:
    """The lowest place on its tape that an item with this number can show a claim at."""
    return number * _PLACES_PER_ITEM


def shown(item: TapeItem) -> Iterator[tuple[Digest, int]]:
    """The claims that an item shows to be on its tape, and their places there: lower is earlier.

    A mention names the undecided rivals before it, so those are on the tape as well. A place follows from the
    item alone, so that tapes read live and evidence read later say the same.
    """
    place = first_place(item.item.number)
    for statement in item.item.body:
        match statement:
            case Claim(rivals=rivals):
                names = (*rivals, item.digest)
            case Receipt(claim=claim, rivals=rivals):
                names = (*rivals, claim)
            case _:
                continue
        for name in names:
            yield name, place
            place += 1


class TapeWriter:
    """The own tape: number, link and stamp of the next item. The only place where items are signed."""

    def __init__(self, match: Digest, seat: Seat, sign: Callable[[str, bytes], bytes]) -> None:
        self._match = match
        self._seat = seat
        self._sign = sign
        self.incarnation = 0
        self.number = 0
        self.prev = NO_DIGEST
        self.lamport = 0

    def see(self, lamport: int) -> None:
        """Note a stamp seen on another tape."""
        self.lamport = max(self.lamport, lamport)

    def begin(self, incarnation: int, length: int, last: Digest) -> None:
        """Go on as another incarnation, behind what the one before it has said."""
        self.incarnation, self.number, self.prev = incarnation, length, last

    def go_on_behind(self, item: TapeItem) -> None:
        """An item of the own tape, written before this writer was made, is the last one if it is the next."""
        if (item.item.number, item.item.prev) == (self.number, self.prev):
            self.number, self.prev = item.item.number + 1, item.digest
            self.see(item.item.lamport)

    def write(self, body: tuple[Statement, ...]) -> TapeItem:
        """Sign the next item."""
        self.lamport += 1
        item = Item(
            match=self._match,
            seat=self._seat,
            incarnation=self.incarnation,
            number=self.number,
            prev=self.prev,
            lamport=self.lamport,
            body=body,
        )
        raw = encode(item)
        signed = Signed(raw=raw, signature=self._sign(ITEM_LABEL, raw))
        digest = item_digest(signed)
        self.number += 1
        self.prev = digest
        return TapeItem(signed, item, digest)


def tape_writer(match: Digest, seat: Seat, identity: Identity) -> TapeWriter:
    """A fresh tape that signs with `identity`."""
    return TapeWriter(match, seat, identity.sign)
