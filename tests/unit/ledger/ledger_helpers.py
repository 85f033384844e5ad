"""Seats that write tapes: fixed keys, every item signed for real."""

from collections.abc import Sequence

import pytest

from kemps_p2p.codec import Digest, encode, tagged_hash
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import (
    ITEM_LABEL,
    NO_DIGEST,
    Claim,
    Head,
    Item,
    Receipt,
    Signed,
    Signer,
    Statement,
    TapeItem,
    TapeWriter,
    item_digest,
    tape_writer,
)

MATCH = tagged_hash("test/match")
HEAD = Head(index=0, digest=MATCH)
IDENTITIES = tuple(Identity.derived(b"ledger tests", str(seat)) for seat in range(10))
KEYS = tuple(identity.public for identity in IDENTITIES)
SIGNERS = tuple((Signer(0, key),) for key in KEYS)


def writer(seat: int) -> TapeWriter:
    return tape_writer(MATCH, Seat(seat), IDENTITIES[seat])


def claim(action: bytes = b"wish", rivals: Sequence[Digest] = (), head: Head = HEAD) -> Claim:
    return Claim(head=head, action=action, rivals=tuple(rivals))


def receipt(name: Digest, rivals: Sequence[Digest] = ()) -> Receipt:
    return Receipt(claim=name, rivals=tuple(rivals))


def item(
    *,
    seat: int = 0,
    number: int = 0,
    prev: Digest = NO_DIGEST,
    lamport: int = 1,
    body: tuple[Statement, ...] = (claim(),),
    match: Digest = MATCH,
    incarnation: int = 0,
) -> TapeItem:
    """An item with any fields, signed by its seat, as if it had been opened."""
    made = Item(
        match=match,
        seat=seat,
        incarnation=incarnation,
        number=number,
        prev=prev,
        lamport=lamport,
        body=body,
    )
    raw = encode(made)
    signed = Signed(raw=raw, signature=IDENTITIES[seat].sign(ITEM_LABEL, raw))
    return TapeItem(signed, made, item_digest(signed))


def tape(seat: int, count: int) -> list[TapeItem]:
    """An honest tape of claims."""
    pen = writer(seat)
    return [pen.write((claim(bytes([number])),)) for number in range(count)]


def branch(before: TapeItem, what: bytes) -> TapeItem:
    """An item that follows `before`, told apart by `what`."""
    return item(
        seat=before.seat,
        number=before.item.number + 1,
        prev=before.digest,
        lamport=before.item.lamport + 1,
        body=(claim(what),),
    )


def code_of(fault: "pytest.ExceptionInfo[PeerFault]") -> tuple[Fault, int | None]:
    return fault.value.code, fault.value.culprit
