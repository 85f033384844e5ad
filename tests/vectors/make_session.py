"""Vectors of the session: genesis bodies, and first records of a match, each with one thing wrong at most.

They continue the examples of protocol.md: the same four seats, the same genesis, the same wink.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec import msgpack, structs

from kemps_p2p.codec import Digest, encode
from kemps_p2p.deck.deal import Seed
from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import (
    EVENTS_MAX,
    Blamed,
    Carried,
    Contest,
    Drawn,
    Entry,
    LogRecord,
    Note,
    Result,
    Settled,
    entry_of,
)
from kemps_p2p.ledger.tape import (
    NO_DIGEST,
    Append,
    Claim,
    Deed,
    Head,
    Item,
    Receipt,
    TapeItem,
    item_digest,
)
from kemps_p2p.session.messages import Checkpoint, Closed, PlayStarted, SeedDeed
from protocol_table import seed_of, table, wink
from vectors.form import ELSEWHERE, Vector, as_text, vector
from vectors.make_ledger import signed_by


def files(setting: dict[str, Any]) -> dict[str, str]:
    """The files by name."""
    made = [*genesis_vectors(), *record_vectors()]
    return {"session/vectors.json": as_text({**setting, "vectors": made})}


def genesis_vectors() -> Iterator[Vector]:
    """Genesis bodies."""
    good = table().founding.genesis
    yield vector("genesis", "of the examples", encode(good))

    def changed(name: str, fault: Fault, /, **fields: Any) -> Vector:
        return vector("genesis", name, encode(structs.replace(good, **fields)), fault)

    def with_seat(name: str, fault: Fault, /, **fields: Any) -> Vector:
        seats = (structs.replace(good.seats[0], **fields), *good.seats[1:])
        return changed(name, fault, seats=seats)

    yield changed("another version", Fault.BAD_GENESIS, version=2)
    yield changed("no such group", Fault.BAD_GENESIS, group="ed25519")
    yield changed("no rules", Fault.BAD_GENESIS, rules="")
    yield changed("rules that are no TOML", Fault.BAD_GENESIS, rules="]")
    yield changed("two seats", Fault.BAD_GENESIS, seats=good.seats[:2])
    yield changed("no seats", Fault.BAD_GENESIS, seats=())
    yield changed("previous of 31 bytes", Fault.BAD_GENESIS, previous=bytes(31))
    for field in ("key", "name", "coin", "nonce", "nonce_salt"):
        yield with_seat(f"{field} of 31 bytes", Fault.BAD_GENESIS, **{field: bytes(31)})
    yield with_seat("a key of small order", Fault.BAD_KEY, key=(1).to_bytes(32, "little"))
    yield with_seat("two seats with one key", Fault.BAD_GENESIS, key=good.seats[1].key)
    yield vector("genesis", "a field too few", msgpack.encode([1, "ristretto255"]), Fault.MALFORMED)
    long = encode(good).replace(b"\xac" + b"ristretto255", b"\xd9\x0c" + b"ristretto255")
    yield vector("genesis", "not canonical", long, Fault.NOT_CANONICAL)


@dataclass(frozen=True)
class Pen:
    """Writes what the seats could sign after the lobby, true or not."""

    dealer: Seat

    def item(self, seat: Seat, *body: Any, number: int = 0, lamport: int) -> TapeItem:
        """An item at any place of a tape."""
        item = Item(
            match=table().founding.match,
            seat=seat,
            incarnation=0,
            number=number,
            prev=ELSEWHERE if number else NO_DIGEST,
            lamport=lamport,
            body=body,
        )
        signed = signed_by(seat, item)
        return TapeItem(signed, item, item_digest(signed))

    def record(
        self, entry: Entry, items: tuple[TapeItem, ...], *, by: Seat | None = None, lamport: int = 100
    ) -> bytes:
        """A record of an entry and what lies beside it."""
        author = self.dealer if by is None else by
        appended = self.item(author, Append(entry=encode(entry)), lamport=lamport)
        return encode(LogRecord(entry=appended.signed, items=tuple(item.signed for item in items)))


def first_entry() -> Entry:
    """The entry of the examples."""
    entry = entry_of(wink().entry)
    assert entry is not None
    return entry


def first_event() -> Settled:
    """Its one event."""
    event = first_entry().events[0]
    assert isinstance(event, Settled)
    return event


def record_vectors() -> Iterator[Vector]:
    """First records: the entry of the examples, with one thing wrong in each."""
    made, event = wink(), first_event()
    pen = Pen(made.entry.seat)
    left, items = made.claim.seat, (made.claim, *made.receipts)
    yield vector("record", "of the examples", encode(made.record), culprit=None)

    def changed(
        name: str,
        fault: Fault,
        *,
        carries: tuple[TapeItem, ...] = items,
        culprit: Seat | None = pen.dealer,
        by: Seat | None = None,
        lamport: int = 100,
        **fields: Any,
    ) -> Vector:
        entry = structs.replace(first_entry(), **fields)
        data = pen.record(entry, carries, by=by, lamport=lamport)
        return vector("record", name, data, fault, culprit=culprit)

    yield changed("by another seat", Fault.WRONG_TERM, by=left, culprit=left)
    yield changed("of another term", Fault.WRONG_TERM, term=1)
    yield changed("of another epoch", Fault.WRONG_TERM, epoch=1)
    yield changed("at another index", Fault.BAD_LINK, index=2)
    yield changed("on another entry", Fault.BAD_LINK, prev=ELSEWHERE)
    yield changed("an item is missing", Fault.BAD_EVIDENCE, carries=items[:2], culprit=None)
    yield changed("an item too many", Fault.BAD_EVIDENCE, carries=(*items, made.ack), culprit=None)
    yield changed("an item twice", Fault.BAD_EVIDENCE, carries=(*items, items[0]), culprit=None)
    yield changed("items in another order", Fault.BAD_EVIDENCE, carries=items[::-1], culprit=None)
    yield changed("stamped like an item", Fault.BAD_STAMP, lamport=items[-1].item.lamport)
    yield changed("time of 2^40", Fault.BAD_TIME, elapsed_ms=2**40)
    yield changed("time before genesis", Fault.BAD_TIME, elapsed_ms=-1)
    yield changed("a wall clock below 0", Fault.BAD_TIME, wall_ms=-1)
    yield changed("a wall clock of 2^53", Fault.BAD_TIME, wall_ms=2**53)
    yield changed("no events", Fault.BAD_ENTRY, events=(), carries=())
    notes = (Note(payload=b""),) * (EVENTS_MAX + 1)
    yield changed("too many events", Fault.BAD_ENTRY, events=notes, carries=())
    yield changed("a claim twice", Fault.BAD_ORDER, events=(event, event))
    unreadable = pen.item(pen.dealer, Append(entry=b"\x90"), lamport=100)
    data = encode(LogRecord(entry=unreadable.signed, items=()))
    yield vector("record", "an entry without fields", data, Fault.MALFORMED, culprit=pen.dealer)
    data = encode(LogRecord(entry=made.ack.signed, items=()))
    yield vector("record", "no entry", data, Fault.BAD_ENTRY, culprit=left)
    for name, fault, wrong, carried in event_faults(pen):
        yield changed(name, fault, events=(wrong,), carries=carried)
    for name, fault, claim, receipts, culprit in claim_faults(pen):
        wrong = Settled(
            claim=claim.digest, result=Result.OK, evidence=tuple(item.digest for item in receipts)
        )
        yield changed(name, fault, events=(wrong,), carries=(claim, *receipts), culprit=culprit)


def event_faults(pen: Pen) -> Iterator[tuple[str, Fault, Any, tuple[TapeItem, ...]]]:
    """Events that cannot be the first of a match, with the items that they name."""
    made, event = wink(), first_event()
    claim, receipts, ack = made.claim, made.receipts, made.ack
    yield (
        "another result",
        Fault.BAD_VERDICT,
        structs.replace(event, result=Result.MISSED),
        (claim, *receipts),
    )
    lonely = structs.replace(event, evidence=event.evidence[:1])
    yield "a receipt too few", Fault.BAD_ORDER, lonely, (claim, receipts[0])
    own = pen.item(claim.seat, Receipt(claim=claim.digest, rivals=()), number=1, lamport=9)
    bribed = structs.replace(event, evidence=(receipts[0].digest, own.digest))
    yield "the claimant as a witness", Fault.BAD_ORDER, bribed, (claim, receipts[0], own)
    no_claim = structs.replace(event, claim=receipts[0].digest, evidence=(receipts[1].digest,))
    yield "a receipt for a claim", Fault.BAD_EVIDENCE, no_claim, receipts
    alone = Contest(claims=(claim.digest,), evidence=event.evidence)
    yield "a contest of one", Fault.BAD_ORDER, alone, (claim, *receipts)
    draw = Drawn(index=1, coins=(), order=(), results=())
    yield "a draw without a contest", Fault.BAD_ORDER, draw, ()
    yield "an item without a deed", Fault.BAD_EVIDENCE, Carried(item=claim.digest), (claim,)
    seed = SeedDeed(deal=0, attempt=0, seed=Seed(seed=seed_of(pen.dealer)))
    early = pen.item(pen.dealer, Deed(payload=encode(seed)), lamport=9)
    yield "a seed too soon", Fault.NOT_OWED, Carried(item=early.digest), (early,)
    blame = Blamed(culprit=claim.seat, items=(claim.digest,))
    yield "blame for nothing", Fault.BAD_BLAME, blame, (claim,)
    yield "blame for another's item", Fault.BAD_BLAME, structs.replace(blame, culprit=pen.dealer), (claim,)
    pair = structs.replace(blame, items=(claim.digest, ack.digest))
    yield "blame for two good items", Fault.BAD_BLAME, pair, (claim, ack)
    yield "blame without items", Fault.BAD_BLAME, structs.replace(blame, items=()), ()
    for name, note, fault in (
        ("play starts before a deal", encode(PlayStarted()), Fault.BAD_ENTRY),
        (
            "no deal for a checkpoint",
            encode(Checkpoint(deal=0, dealer=0, scores=(0, 0))),
            Fault.BAD_CHECKPOINT,
        ),
        ("a close too soon", encode(Closed()), Fault.BAD_ENTRY),
        ("an unknown note", msgpack.encode([9]), Fault.MALFORMED),
    ):
        yield name, fault, Note(payload=note), ()


def claim_faults(pen: Pen) -> Iterator[tuple[str, Fault, TapeItem, tuple[TapeItem, ...], Seat]]:
    """Claims with something wrong in them, logged as ok by receipts; and who is to blame."""
    seat = wink().claim.seat
    witnesses = tuple(item.seat for item in wink().receipts)
    genesis = Head(index=0, digest=table().founding.match)
    gesture = encode(act.Gesture(name="wink"))

    def claimed(head: Head, action: bytes, *rivals: Digest) -> TapeItem:
        return pen.item(seat, Claim(head=head, action=action, rivals=rivals), lamport=5)

    def seen(claim: TapeItem, *rivals: Digest, lamport: int = 9) -> tuple[TapeItem, ...]:
        receipt = Receipt(claim=claim.digest, rivals=rivals)
        return tuple(pen.item(witness, receipt, lamport=lamport) for witness in witnesses)

    for name, claim in (
        ("another chain", claimed(Head(index=0, digest=ELSEWHERE), gesture)),
        ("an entry that is not there", claimed(Head(index=1, digest=ELSEWHERE), gesture)),
        ("no action", claimed(genesis, b"\x90")),
    ):
        yield f"a claim: {name}", Fault.BAD_CLAIM, claim, seen(claim), seat
    good = claimed(genesis, gesture)
    yield "receipts stamped like the claim", Fault.BAD_STAMP, good, seen(good, lamport=5), witnesses[0]
    yield "a rival of the receipts is left out", Fault.BAD_EVIDENCE, good, seen(good, ELSEWHERE), pen.dealer
    torn = claimed(genesis, gesture, ELSEWHERE)
    yield "a rival of the claim is left out", Fault.BAD_EVIDENCE, torn, seen(torn), pen.dealer
    for name, action in (
        ("a swap before the deal", act.Swap(take=(Position(16),), give=(Position(0),))),
        ("the next deal before it is shuffled", act.Next()),
        ("a gesture that cannot be printed", act.Gesture(name="\x1b[2J")),
    ):
        claim = claimed(genesis, encode(action))
        yield f"{name}, as ok", Fault.BAD_VERDICT, claim, seen(claim), pen.dealer
