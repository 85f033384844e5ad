"""Vectors of codec, ledger and session: `python tests/protocol_vectors.py` writes them anew.

Each vector is one encoded thing with at most one fault: `fault` is null, or the code of the one thing that is
wrong, `culprit` the seat that is to blame, or null. They continue the examples of protocol.md: the same four
seats, the same genesis, the same wink. All bytes are hexadecimal.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
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
    ITEM_LABEL,
    NO_DIGEST,
    Ack,
    Append,
    Claim,
    CoinReveal,
    Deed,
    Head,
    Item,
    Receipt,
    Signed,
    TapeItem,
    item_digest,
)
from kemps_p2p.session.messages import Checkpoint, Closed, PlayStarted, SeedDeed, Status, Whisper
from protocol_table import identity, seed_of, table, wink

FOLDER = Path(__file__).parent / "vectors"
ORDER = 2**252 + 27742317777372353535851937790883648493
FIELD = 2**255 - 19
ELSEWHERE = Digest(b"\x01" * 32)
Vector = dict[str, Any]


def vector(kind: str, name: str, data: bytes, fault: Fault | None = None, **more: Any) -> Vector:
    """One vector; `more` says what else a checker has to know."""
    return {
        "kind": kind,
        "name": name,
        "bytes": data.hex(),
        "fault": None if fault is None else fault.value,
        **more,
    }


# Codec


def codec_vectors() -> Iterator[Vector]:
    """Encodings of one message, one statement and one action, and what is no encoding of any."""
    status = encode(Status(lengths=(1, 0), sums=(ELSEWHERE, NO_DIGEST), final=0))
    yield vector("message", "a status", status)
    yield vector("message", "a whisper", encode(Whisper(text="Hi")))
    yield vector("statement", "a receipt", encode(Receipt(claim=ELSEWHERE, rivals=())))
    yield vector("action", "a call", encode(act.Call(calls=(act.Counter(target=1),))))
    yield vector("action", "a denial that shows nothing", encode(act.Deny()))
    for name, data in (
        ("nothing", b""),
        ("a byte that begins no value", b"\xc1"),
        ("cut short", status[:-1]),
        ("something behind it", status + b"\x00"),
        ("nil", b"\xc0"),
        ("a map", b"\x81\x00\x00"),
        ("an unknown tag", msgpack.encode([9, "Hi"])),
        ("a tag of text", msgpack.encode(["4", "Hi"])),
        ("no tag", b"\x90"),
        ("a field too few", msgpack.encode([4])),
        ("a field too many", msgpack.encode([4, "Hi", "Hi"])),
        ("bytes for text", msgpack.encode([4, b"Hi"])),
        ("a number for text", msgpack.encode([4, 1])),
        ("text that is not UTF-8", b"\x92\x04\xa2\xff\xfe"),
        ("a float for a number", msgpack.encode([3, [], [], 0.0])),
        ("a truth value for a number", msgpack.encode([3, [], [], False])),
        ("a number beyond 64 bits", b"\x94\x03\x90\x90\xc7\x09\x00" + bytes(9)),
        ("nested too deep", b"\x91" * 10_000 + b"\x90"),
    ):
        yield vector("message", name, data, Fault.MALFORMED)
    for name, data in (
        ("a tag in two bytes", b"\x92\xcc\x04\xa2Hi"),
        ("an array head of three bytes", b"\xdc\x00\x02\x04\xa2Hi"),
        ("a text head of two bytes", b"\x92\x04\xd9\x02Hi"),
        ("a number in nine bytes", b"\x94\x03\x90\x90\xcf" + bytes(8)),
        ("a signed number that needs no sign", b"\x94\x03\x90\x90\xd0\x00"),
    ):
        yield vector("message", name, data, Fault.NOT_CANONICAL)
    long_head = b"\x93\x02\xc5\x00\x20" + ELSEWHERE + b"\x90"
    yield vector("statement", "a digest head of three bytes", long_head, Fault.NOT_CANONICAL)
    yield vector("action", "a default that is left out", msgpack.encode([14]), Fault.NOT_CANONICAL)
    for name, data in (
        ("no such action", msgpack.encode([15])),
        ("too many cards", msgpack.encode([2, list(range(17))])),
        ("too many calls", msgpack.encode([7, [[0]] * 25])),
        ("no such call", msgpack.encode([7, [[4]]])),
        ("a target below 0", msgpack.encode([7, [[2, -1]]])),
        ("a gesture without a name", msgpack.encode([5, ""])),
        ("a gesture with a long name", msgpack.encode([5, "x" * 41])),
        ("a long speech", msgpack.encode([6, "x" * 201])),
    ):
        yield vector("action", name, data, Fault.MALFORMED)


# Ledger


def signed_by(seat: Seat, item: Item, label: str = ITEM_LABEL) -> Signed:
    """An item, signed whatever it says."""
    raw = encode(item)
    return Signed(raw=raw, signature=identity(seat).sign(label, raw))


def key_vectors() -> Iterator[Vector]:
    """Public keys."""
    yield vector("key", "seat 0", identity(Seat(0)).public)
    order_8 = int("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16)
    for name, y in (
        ("y = 0", 0),
        ("y = 1", 1),
        ("y = -1", FIELD - 1),
        ("order 8", order_8),
        ("order 8, y < 0", FIELD - order_8),
    ):
        yield vector("key", f"of small order, {name}", y.to_bytes(32, "little"), Fault.BAD_KEY)
        with_sign = (y | 1 << 255).to_bytes(32, "little")
        yield vector("key", f"of small order, {name}, sign set", with_sign, Fault.BAD_KEY)
    for name, y in (("p", FIELD), ("p + 1", FIELD + 1), ("2^255 - 1", 2**255 - 1)):
        yield vector("key", f"not canonical, {name}", y.to_bytes(32, "little"), Fault.BAD_KEY)
    yield vector("key", "one byte short", bytes(31), Fault.BAD_KEY)
    yield vector("key", "one byte long", bytes(33), Fault.BAD_KEY)


def ledger_vectors() -> Iterator[Vector]:
    """Keys, and signed items: their form and their signatures."""
    yield from key_vectors()
    claim = wink().claim
    seat, good = claim.seat, claim.item
    ack = wink().ack
    yield vector("item", "a claim", encode(claim.signed), culprit=None)
    yield vector("item", "an ack", encode(ack.signed), culprit=None)

    def changed(name: str, fault: Fault, *, base: Item = good, blames: bool = True, **fields: Any) -> Vector:
        signed = signed_by(seat, structs.replace(base, **fields))
        return vector("item", name, encode(signed), fault, culprit=seat if blames else None)

    receipt = Receipt(claim=ELSEWHERE, rivals=())
    yield changed("of another match", Fault.WRONG_MATCH, blames=False, match=ELSEWHERE)
    yield changed("of a seat that is not there", Fault.WRONG_SEAT, blames=False, seat=4)
    yield changed("of a seat below 0", Fault.WRONG_SEAT, blames=False, seat=-1)
    yield changed("of another seat", Fault.BAD_SIGNATURE, blames=False, seat=(seat + 1) % 4)
    yield changed("of another incarnation", Fault.BAD_LINK, incarnation=1)
    yield changed("a number below 0", Fault.BAD_LINK, number=-1)
    yield changed("the first item with a predecessor", Fault.BAD_LINK, prev=ELSEWHERE)
    yield changed("a later item without a predecessor", Fault.BAD_LINK, base=ack.item, prev=NO_DIGEST)
    yield changed("a link of 31 bytes", Fault.BAD_LINK, base=ack.item, prev=ELSEWHERE[:31])
    yield changed("a stamp of 0", Fault.BAD_STAMP, lamport=0)
    yield changed("a stamp that is its number", Fault.BAD_STAMP, base=ack.item, lamport=1)
    yield changed("a stamp of 2^62", Fault.BAD_STAMP, lamport=2**62)
    yield changed("an empty body", Fault.MALFORMED, body=())
    yield changed("two claims", Fault.MALFORMED, body=good.body * 2)
    yield changed("an entry and more", Fault.MALFORMED, body=(Append(entry=b""), receipt))
    head = Head(index=-1, digest=ELSEWHERE)
    yield changed("a head below 0", Fault.MALFORMED, body=(Ack(epoch=0, term=0, head=head),))
    yield changed("a term below 0", Fault.MALFORMED, body=(structs.replace(ack.item.body[0], term=-1),))
    yield changed("a coin for an entry below 0", Fault.MALFORMED, body=(CoinReveal(index=-1, coin=b""),))
    yield changed("a receipt of 31 bytes", Fault.MALFORMED, body=(structs.replace(receipt, claim=bytes(31)),))
    yield from signature_vectors(claim.signed, seat)


def signature_vectors(good: Signed, seat: Seat) -> Iterator[Vector]:
    """One item under signatures that do not hold."""
    r, s = good.signature[:32], int.from_bytes(good.signature[32:], "little")
    neutral = (1).to_bytes(32, "little")
    for name, signature in (
        ("s + order", r + (s + ORDER).to_bytes(32, "little")),
        ("another s", r + (s ^ 1).to_bytes(32, "little")),
        ("another R", bytes([r[0] ^ 1]) + r[1:] + good.signature[32:]),
        ("R is the identity", neutral + bytes(32)),
        ("one byte short", good.signature[:63]),
        ("empty", b""),
        ("under another label", identity(seat).sign("kemps/v1/genesis", good.raw)),
    ):
        changed = structs.replace(good, signature=signature)
        yield vector("item", f"signature: {name}", encode(changed), Fault.BAD_SIGNATURE, culprit=None)


# Session


def session_vectors() -> Iterator[Vector]:
    """Genesis bodies, and first records of the match."""
    yield from genesis_vectors()
    yield from record_vectors()


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


FILES: Mapping[str, Callable[[], Iterator[Vector]]] = {
    "codec": codec_vectors,
    "ledger": ledger_vectors,
    "session": session_vectors,
}


def setting() -> dict[str, Any]:
    """What a checker has to know beside the vectors: identity keys by seat and the encoded genesis."""
    return {
        "keys": [identity(Seat(seat)).public.hex() for seat in range(4)],
        "genesis": table().signed.raw.hex(),
    }


def files() -> dict[Path, str]:
    """The text of each file."""
    return {
        FOLDER / name / "vectors.json": json.dumps({**setting(), "vectors": list(make())}, indent=1) + "\n"
        for name, make in FILES.items()
    }


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
