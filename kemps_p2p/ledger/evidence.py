"""Evidence: bytes that prove to a stranger whose fault it is.

Only what signed items prove by themselves lives here; what needs the deck or the rules is proven by folding.
Section "Evidence" of protocol.md.
"""

from collections.abc import Iterator

from kemps_p2p.codec import Digest, Record, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import entry_of
from kemps_p2p.ledger.tape import Ack, HandOver, Head, Join, Signed, Signers, TapeItem, open_item


class Equivocation(Record, frozen=True, tag=1):
    """Two signed items that one honest key cannot make."""

    first: Signed
    second: Signed


def contradiction(first: TapeItem, second: TapeItem) -> str | None:
    """Why two different items of one seat cannot both come from an honest program; None if these do not say.

    Of two branches of a tape, only where they part is evidence: what follows follows from that.
    """
    if first.seat != second.seat or first.digest == second.digest:
        return None
    if first.item.number == second.item.number and first.item.prev == second.item.prev:
        return f"two items at number {first.item.number} of one tape"
    for before, after in ((first, second), (second, first)):
        if after.item.number == before.item.number + 1 and after.item.prev != before.digest:
            return f"item {after.item.number} of a tape links to another one than item {before.item.number}"
    one, other = entry_of(first), entry_of(second)
    if one and other and (one.epoch, one.term, one.index) == (other.epoch, other.term, other.index):
        return f"two entries at index {one.index} of one term"
    for ack in (s for s in first.item.body if isinstance(s, Ack)):
        for second_ack in (s for s in second.item.body if isinstance(s, Ack)):
            same_place = (ack.epoch, ack.term, ack.head.index) == (
                second_ack.epoch,
                second_ack.term,
                second_ack.head.index,
            )
            if same_place and ack.head.digest != second_ack.head.digest:
                return f"acks of two entries at index {ack.head.index}"
    return _breach(first, second) or _breach(second, first)


def _breach(before: TapeItem, after: TapeItem) -> str | None:
    """What a seat's later item takes back of what it has said about terms; None if nothing."""
    if after.item.number <= before.item.number:
        return None
    for statement in before.item.body:
        if isinstance(statement, Join) and any(term < statement.term for term, _ in stands(after)):
            return "an ack or entry of a term that its seat had left"
    for said in (s for s in after.item.body if isinstance(s, HandOver)):
        place = said.normal, said.head.index
        for term, head in stands(before):
            if (term, head.index) > place or ((term, head.index) == place and head != said.head):
                return f"a hand-over that leaves out entry {head.index}, which its seat stands for"
    return None


def stands(item: TapeItem) -> Iterator[tuple[int, Head]]:
    """The entries that an item acks or is, with their terms."""
    for statement in item.item.body:
        if isinstance(statement, Ack):
            yield statement.term, statement.head
    entry = entry_of(item)
    if entry is not None:
        yield entry.term, Head(index=entry.index, digest=item.digest)


def equivocation(first: TapeItem, second: TapeItem) -> PeerFault | None:
    """The fault that two items prove, with the evidence; None if they do not contradict each other."""
    why = contradiction(first, second)
    if why is None:
        return None
    evidence = encode(Equivocation(first=first.signed, second=second.signed))
    return PeerFault(Fault.EQUIVOCATION, why, culprit=first.seat, evidence=evidence)


def check_equivocation(evidence: Equivocation, match: Digest, signers: Signers) -> Seat:
    """The culprit that the evidence proves. Raises `PeerFault` BAD_EVIDENCE if it proves nothing."""
    first = open_item(evidence.first, match, signers)
    second = open_item(evidence.second, match, signers)
    if contradiction(first, second) is None:
        raise PeerFault(Fault.BAD_EVIDENCE, "the two items do not contradict each other")
    return first.seat
