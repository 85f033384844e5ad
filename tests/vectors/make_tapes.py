"""Vectors of what several items say together: tapes, evidence, coins and draws."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import structs

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Fault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import CHAIN_LENGTH, coin_chain
from kemps_p2p.ledger.entry import Entry, Note
from kemps_p2p.ledger.evidence import Equivocation
from kemps_p2p.ledger.tape import (
    NO_DIGEST,
    STAMP_LEAD_MAX,
    Ack,
    Append,
    Head,
    Item,
    Receipt,
    Statement,
    TapeItem,
    item_digest,
)
from protocol_table import match_secret, table
from vectors.form import ELSEWHERE, Vector, as_text
from vectors.make_codec import framed
from vectors.make_ledger import signed_by

WORD = Receipt(claim=ELSEWHERE, rivals=())
OTHER = Receipt(claim=Digest(b"\x02" * 32), rivals=())


def files(setting: dict[str, Any]) -> dict[str, str]:
    """The files by name."""
    return {
        "ledger/tapes.json": as_text({**setting, "vectors": list(tapes())}),
        "ledger/evidence.json": as_text({**setting, "vectors": list(evidence())}),
        "ledger/coins.json": as_text({"coins": list(coins()), "draws": list(draws())}),
    }


def item(
    number: int,
    after: TapeItem | Digest | None = None,
    *,
    seat: int = 0,
    lamport: int | None = None,
    body: tuple[Statement, ...] = (WORD,),
    match: Digest | None = None,
) -> TapeItem:
    """An item at any place of a tape, signed by its seat."""
    made = Item(
        match=table().founding.match if match is None else match,
        seat=seat,
        incarnation=0,
        number=number,
        prev=NO_DIGEST if after is None else after.digest if isinstance(after, TapeItem) else after,
        lamport=number + 1 if lamport is None else lamport,
        body=body,
    )
    signed = signed_by(Seat(seat), made)
    return TapeItem(signed, made, item_digest(signed))


# Tapes


def tapes() -> Iterator[Vector]:
    """Items in the order in which they arrive, the faults they show, and how long each tape is then."""

    def arrive(name: str, lengths: str, *items: tuple[TapeItem, Fault | None]) -> Vector:
        return {
            "name": name,
            "items": [encode(made.signed).hex() for made, _ in items],
            "faults": [
                None if fault is None else {"fault": fault.value, "culprit": made.seat}
                for made, fault in items
            ],
            "lengths": [int(length) for length in lengths.split()],
        }

    a = item(0)
    b = item(1, a)
    c = item(2, b)
    foreign = item(0, seat=1)
    branch = item(1, a, body=(OTHER,))
    beyond = item(2, branch)
    yield arrive("in order", "3 0 0 0", (a, None), (b, None), (c, None))
    yield arrive("backwards", "3 0 0 0", (c, None), (b, None), (a, None))
    yield arrive("with a gap", "1 0 0 0", (a, None), (c, None))
    yield arrive("twice", "2 0 0 0", (a, None), (b, None), (a, None), (b, None))
    yield arrive("of two seats", "1 1 0 0", (a, None), (foreign, None))
    yield arrive("a stamp that leaps a little", "2 0 0 0", (a, None), (item(1, a, lamport=1000), None))
    before = item(1, a, lamport=5)
    for name, lamport in (("the same", 5), ("a lower one", 4)):
        low = item(2, before, lamport=lamport)
        yield arrive(
            f"a stamp that does not grow: {name}",
            "2 0 0 0",
            (a, None),
            (before, None),
            (low, Fault.BAD_STAMP),
        )
    limit = 1 + STAMP_LEAD_MAX
    yield arrive("a first stamp as high as may be", "1 0 0 0", (item(0, lamport=limit), None))
    yield arrive("a first stamp above that waits", "0 0 0 0", (item(0, lamport=limit + 1), None))
    yield arrive(
        "and counts once another item is held", "1 1 0 0", (item(0, lamport=limit + 1), None), (foreign, None)
    )
    skips = item(2, a)
    yield arrive("a number is left out", "2 0 0 0", (a, None), (b, None), (skips, Fault.BAD_LINK))
    abroad = item(1, foreign)
    yield arrive(
        "a link to another seat's item", "1 1 0 0", (a, None), (foreign, None), (abroad, Fault.BAD_LINK)
    )
    yield arrive("two items at one number", "2 0 0 0", (a, None), (b, None), (branch, Fault.EQUIVOCATION))
    twin = item(0, body=(OTHER,))
    yield arrive("two first items", "1 0 0 0", (a, None), (twin, Fault.EQUIVOCATION))
    yield arrive(
        "a link past the item that is held", "2 0 0 0", (a, None), (b, None), (beyond, Fault.EQUIVOCATION)
    )
    yield arrive(
        "a branch that goes on is one fault",
        "3 0 0 0",
        *((made, None) for made in (a, b, c)),
        (branch, Fault.EQUIVOCATION),
        (beyond, None),
    )


# Evidence


def evidence() -> Iterator[Vector]:
    """Two signed items that prove a seat to have said two things, or do not."""

    def pair(name: str, first: TapeItem, second: TapeItem, fault: Fault | None = None) -> Vector:
        proof = Equivocation(first=first.signed, second=second.signed)
        return {
            "name": name,
            "bytes": encode(proof).hex(),
            "fault": None if fault is None else fault.value,
            "culprit": first.seat if fault is None else None,
        }

    def entry(index: int, wall_ms: int = 0, **more: int) -> Append:
        fields = {"epoch": 0, "term": 0, "elapsed_ms": 0, **more}
        made = Entry(index=index, prev=ELSEWHERE, wall_ms=wall_ms, events=(Note(payload=b""),), **fields)
        return Append(entry=encode(made))

    def ack(index: int, digest: Digest, term: int = 0, epoch: int = 0) -> Ack:
        return Ack(epoch=epoch, term=term, head=Head(index=index, digest=digest))

    a = item(0)
    b = item(1, a)
    other = Digest(b"\x02" * 32)
    far = item(7, Digest(b"\x03" * 32), body=(entry(4),))
    acked = item(7, Digest(b"\x03" * 32), body=(ack(4, ELSEWHERE),))
    yield pair("two first items", a, item(0, body=(OTHER,)))
    yield pair("two items at one place", b, item(1, a, body=(OTHER,)))
    yield pair("a link to another item", a, item(1, other))
    yield pair("a link to another item, told backwards", item(1, other), a)
    yield pair("one item under another stamp", b, item(1, a, lamport=9))
    yield pair("two entries at one index", far, item(9, other, body=(entry(4, wall_ms=1),)))
    yield pair("acks of two entries at one index", acked, item(9, other, body=(WORD, ack(4, other))))
    proven_nothing = Fault.BAD_EVIDENCE
    yield pair("one item twice", b, b, proven_nothing)
    yield pair("neighbours", a, b, proven_nothing)
    yield pair("items of two seats", a, item(0, seat=1, body=(OTHER,)), proven_nothing)
    yield pair("two branches, further on", item(2, b), item(2, other), proven_nothing)
    for name, said in (
        ("index", entry(5, wall_ms=1)),
        ("term", entry(4, wall_ms=1, term=1)),
        ("epoch", entry(4, wall_ms=1, epoch=1)),
    ):
        yield pair(f"two entries of another {name}", far, item(9, other, body=(said,)), proven_nothing)
    for name, word in (
        ("index", ack(5, other)),
        ("term", ack(4, other, term=1)),
        ("epoch", ack(4, other, epoch=1)),
    ):
        yield pair(f"acks of another {name}", acked, item(9, other, body=(word,)), proven_nothing)
    yield pair(
        "the same entry, acked again", acked, item(9, other, body=(ack(4, ELSEWHERE),)), proven_nothing
    )
    abroad = item(0, body=(OTHER,), match=ELSEWHERE)
    yield pair("an item of another match", a, abroad, Fault.WRONG_MATCH)
    forged = item(0, body=(OTHER,))
    forged = TapeItem(structs.replace(forged.signed, signature=bytes(64)), forged.item, forged.digest)
    yield pair("an item that is not signed", a, forged, Fault.BAD_SIGNATURE)


# Coins


def sha(label: str, *parts: bytes) -> bytes:
    """A tagged hash, from SHA-256 alone."""
    return hashlib.sha256(framed(label, parts)).digest()


def coins() -> Iterator[Vector]:
    """Coins after the last one of a chain."""
    chain = coin_chain(match_secret(Seat(0)))
    for name, last, coin, fits in (
        ("the first of a chain", chain[0], chain[1], True),
        ("one further on", chain[7], chain[8], True),
        ("the last of a chain", chain[CHAIN_LENGTH - 1], chain[CHAIN_LENGTH], True),
        ("the last one again", chain[1], chain[1], False),
        ("one before", chain[2], chain[1], False),
        ("one left out", chain[0], chain[2], False),
        ("of another seat", chain[0], coin_chain(match_secret(Seat(1)))[1], False),
        ("31 bytes", chain[0], chain[1][:31], False),
        ("33 bytes", chain[0], chain[1] + b"\x00", False),
        ("nothing", chain[0], b"", False),
    ):
        assert (sha("kemps/v1/coin", coin) == last) is fits
        yield {
            "name": name,
            "last": last.hex(),
            "coin": coin.hex(),
            "seat": 0,
            "fault": None if fits else Fault.BAD_COIN.value,
        }


def draws() -> Iterator[Vector]:
    """Contests with their coins, and the order that follows.

    Claims are named by their places among the claims, ascending by digest; `free` orders say what is left to
    the coins, as priorities tell, and the rest is said by hand.
    """
    seats = [coin_chain(match_secret(Seat(seat)))[1] for seat in range(3)]

    def drawn(
        name: str, count: int, coins: Sequence[bytes], *, causal: str = "", precedes: str = ""
    ) -> Vector:
        claims = sorted(hashlib.sha256(f"{name} {number}".encode()).digest() for number in range(count))
        digest = sha("kemps/v1/set", *claims)
        ranks = [sha("kemps/v1/draw", digest, *coins, claim) for claim in claims]
        early, first = pairs(causal), pairs(precedes)
        return {
            "name": name,
            "claims": [claim.hex() for claim in claims],
            "coins": [coin.hex() for coin in coins],
            "causal": [list(pair) for pair in early],
            "precedes": [list(pair) for pair in first],
            "set": digest.hex(),
            "priorities": [rank.hex() for rank in ranks],
            "order": order(ranks, early, first),
        }

    yield drawn("two of two seats", 2, seats[:2])
    yield drawn("two, with another coin", 2, [seats[0], seats[2]])
    yield drawn("three of three seats", 3, seats)
    yield drawn("three of two seats", 3, seats[:2])
    yield drawn("one of two was seen by the other", 2, seats[:2], causal="10")
    yield drawn("one of three was seen by another", 3, seats, causal="20")
    yield drawn("a chain of causes", 3, seats, causal="21 10")
    yield drawn("an exchange before a call of its team", 2, seats[:2], precedes="10")
    yield drawn("counters first", 3, seats, precedes="20 21")
    yield drawn("causality before what the rules put first", 2, seats[:2], causal="10", precedes="01")
    yield drawn("a cycle of what the rules put first", 3, seats, precedes="01 12 20")
    yield drawn("six", 6, seats, causal="51 40", precedes="32")


def pairs(text: str) -> list[tuple[int, int]]:
    """Pairs of one digit each, "10" for (1, 0)."""
    return [(int(pair[0]), int(pair[1])) for pair in text.split()]


def order(ranks: list[bytes], causal: list[tuple[int, int]], precedes: list[tuple[int, int]]) -> list[int]:
    """Rule 3 of a draw, read literally."""
    left, done = list(range(len(ranks))), list[int]()
    while left:
        free = [claim for claim in left if not any((other, claim) in causal for other in left)]
        preferred = [claim for claim in free if not any((other, claim) in precedes for other in free)]
        chosen = min(preferred or free, key=lambda claim: ranks[claim])
        left.remove(chosen)
        done.append(chosen)
    return done
