"""The tapes as one peer holds them, item by item, without gaps.

Knows nothing of what items say. Invariants:

1. An item is in its place only with its whole tape before it. Two items in one place are evidence; both are
   kept, so that everybody can follow the tape whichever of them it goes on from.
2. What is held of a tape, what contradicts it, and what waits for its predecessor or its stamp, is bounded:
   what goes beyond is as if it had not come.

Section "Tape" of protocol.md.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from msgspec import Struct

from kemps_p2p.codec import DIGEST_BYTES, Digest
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.evidence import equivocation
from kemps_p2p.ledger.tape import NO_DIGEST, STAMP_LEAD_MAX, Ack, Head, Signed, TapeItem

TAPE_BYTES_MAX = 32 << 20
"""No item beyond so many bytes of its tape counts. An honest seat says a thousandth of that in a deal."""
EARLY_ITEMS_MAX = 4096
EARLY_BYTES_MAX = 8 << 20
BESIDE_MAX = 256
"""Items kept of one tape that contradict another in their place; one is proof enough."""
FORK_DEPTH = 64
"""How far back a peer is shown our version of a tape that it has otherwise."""


class Added(Struct, frozen=True, gc=False):
    """What an item brought: the items that now follow without a gap, in order, and what was found wrong."""

    released: tuple[TapeItem, ...] = ()
    faults: tuple[PeerFault, ...] = ()


@dataclass(slots=True)
class _Tape:
    """`items`: at each number the first that was held; `beside`: the others. `sums[n]`: of the first n items.

    `early`: by the digest of the item they wait for.
    """

    items: list[TapeItem] = field(default_factory=list)
    held_at_ms: list[int] = field(default_factory=list)
    sums: list[int] = field(default_factory=lambda: [0])
    beside: list[TapeItem] = field(default_factory=list)
    early: dict[Digest, dict[Digest, TapeItem]] = field(default_factory=dict)
    early_count: int = 0
    early_bytes: int = 0
    held_bytes: int = 0

    def has_early_room(self, item: TapeItem) -> bool:
        """True if one more item can wait."""
        size = self.early_bytes + len(item.signed.raw)
        return self.early_count < EARLY_ITEMS_MAX and size <= EARLY_BYTES_MAX

    def wait(self, item: TapeItem) -> None:
        """One more waits."""
        self.early_count += 1
        self.early_bytes += len(item.signed.raw)

    def wait_no_more(self, items: Iterable[TapeItem]) -> None:
        """These go on."""
        for item in items:
            self.early_count -= 1
            self.early_bytes -= len(item.signed.raw)


class TapeBook:
    """Every tape, item by item, without gaps; items that came early wait for their predecessors."""

    def __init__(self, seats: int) -> None:
        self._tapes = [_Tape() for _ in range(seats)]
        self._leading: dict[Digest, TapeItem] = {}
        self._early: set[Digest] = set()
        self.by_digest: dict[Digest, TapeItem] = {}

    def lengths(self) -> tuple[int, ...]:
        """How many items of each tape are held without a gap."""
        return tuple(len(tape.items) for tape in self._tapes)

    def sums(self) -> tuple[Digest, ...]:
        """Of each tape the digests of all items held without a gap, added bit by bit: the same set, the same
        sum. Zeros for an empty tape.
        """
        return tuple(self._sum(tape, len(tape.items)) for tape in self._tapes)

    @staticmethod
    def _sum(tape: _Tape, length: int) -> Digest:
        total = tape.sums[length]
        for item in tape.beside:
            if item.item.number < length:
                total ^= int.from_bytes(item.digest, "big")
        return Digest(total.to_bytes(DIGEST_BYTES, "big"))

    def end(self, seat: Seat) -> tuple[int, Digest]:
        """How many items of a tape are held without a gap, and the digest of the last one; zeros for none."""
        items = self._tapes[seat].items
        return len(items), items[-1].digest if items else NO_DIGEST

    def of(self, seat: Seat) -> tuple[TapeItem, ...]:
        """The items of a tape that are held in their places."""
        return tuple(self._tapes[seat].items)

    def close(self, seat: Seat, length: int) -> tuple[TapeItem, ...]:
        """Drop what an incarnation that has ended says behind its end; returns what was held in its place."""
        tape = self._tapes[seat]
        dropped = tuple(tape.items[length:])
        del tape.items[length:], tape.held_at_ms[length:], tape.sums[length + 1 :]
        beside = [item for item in tape.beside if item.item.number >= length]
        tape.beside = [item for item in tape.beside if item.item.number < length]
        for item in (*dropped, *beside):
            del self.by_digest[item.digest]
            tape.held_bytes -= len(item.signed.raw)
        for waiting in tape.early.values():
            tape.wait_no_more(waiting.values())
            self._early.difference_update(waiting)
        tape.early.clear()
        for item in [item for item in self._leading.values() if item.seat == seat]:
            tape.wait_no_more([self._leading.pop(item.digest)])
        return dropped

    def held_at_ms(self, seat: Seat, number: int) -> int | None:
        """Since when an item of a tape is held in its place; None if it is not."""
        times = self._tapes[seat].held_at_ms
        return times[number] if number < len(times) else None

    def is_known(self, digest: Digest) -> bool:
        """True if this very item is already here, in its place or early."""
        return digest in self.by_digest or digest in self._early or digest in self._leading

    def add(self, item: TapeItem, now_ms: int) -> Added:
        """Take an item in. The author is the culprit of every fault; EQUIVOCATION comes with its evidence."""
        released: list[TapeItem] = []
        faults: list[PeerFault] = []
        if self.is_known(item.digest):
            return Added()
        todo = [item]
        while todo:
            following = todo.pop()
            tape = self._tapes[following.seat]
            if not self._has_predecessor(following):
                self._keep_early(tape, following, faults)
                continue
            if self._leads(following):
                if tape.has_early_room(following):
                    tape.wait(following)
                    self._leading[following.digest] = following
                continue
            fault = self._follow(tape, following, now_ms)
            if fault is not None:
                faults.append(fault)
            if following.digest in self.by_digest:
                released.append(following)
                if tape.early:
                    waiting = tape.early.pop(following.digest, {})
                    tape.wait_no_more(waiting.values())
                    self._early.difference_update(waiting)
                    todo.extend(waiting.values())
                if self._leading:
                    todo.extend(self._caught_up())
        return Added(tuple(released), tuple(faults))

    def _leads(self, item: TapeItem, by: int = 0) -> bool:
        return item.item.lamport + by > len(self.by_digest) + 1 + STAMP_LEAD_MAX

    def _caught_up(self) -> list[TapeItem]:
        """The items that waited for their stamps and need not any longer. One a branch waits at most."""
        found = [item for item in self._leading.values() if not self._leads(item)]
        for item in found:
            self._tapes[item.seat].wait_no_more([self._leading.pop(item.digest)])
        return found

    def _has_predecessor(self, item: TapeItem) -> bool:
        return item.item.number == 0 or item.item.prev in self.by_digest

    def _keep_early(self, tape: _Tape, item: TapeItem, faults: list[PeerFault]) -> None:
        """Keep an item until the one it links to comes; if another one is there, that is evidence."""
        if not tape.has_early_room(item):
            return
        tape.early.setdefault(item.item.prev, {})[item.digest] = item
        self._early.add(item.digest)
        tape.wait(item)
        number = item.item.number
        # Who shows it has to say something behind its stamp, which may not lead by more than others bear.
        if number <= len(tape.items) and not self._leads(item, by=1):
            fault = equivocation(tape.items[number - 1], item)
            if fault is not None:
                faults.append(fault)

    def _follow(self, tape: _Tape, item: TapeItem, now_ms: int) -> PeerFault | None:
        """Put an item whose predecessor is held in its place, unless it has none; say what is wrong."""
        number = item.item.number
        if number > 0:
            before = self.by_digest[item.item.prev]
            if before.seat != item.seat or before.item.number != number - 1:
                return PeerFault(Fault.BAD_LINK, "an item links to one of another place", culprit=item.seat)
            if item.item.lamport <= before.item.lamport:
                return PeerFault(Fault.BAD_STAMP, "a stamp does not grow along its tape", culprit=item.seat)
        size = tape.held_bytes + len(item.signed.raw)
        if size > TAPE_BYTES_MAX or (number < len(tape.items) and len(tape.beside) >= BESIDE_MAX):
            return None
        tape.held_bytes = size
        self.by_digest[item.digest] = item
        if number == len(tape.items):
            tape.items.append(item)
            tape.held_at_ms.append(now_ms)
            tape.sums.append(tape.sums[-1] ^ int.from_bytes(item.digest, "big"))
            return None
        tape.beside.append(item)
        return equivocation(tape.items[number], item)

    def certificate(self, head: Head) -> tuple[Signed, ...]:
        """The items that are held with an ack of this head."""
        return tuple(
            item.signed
            for item in self.by_digest.values()
            if any(isinstance(said, Ack) and said.head == head for said in item.item.body)
        )

    def since(
        self, lengths: tuple[int, ...], sums: tuple[Digest, ...], before_ms: int, limit_bytes: int
    ) -> Iterator[TapeItem]:
        """Items that a peer with tapes of these lengths and sums lacks, as far as they fit; at least one.

        Only what is held since before `before_ms`. A tape with another sum is forked: all of it is shown.
        One of each tape in turn: a tape may be useless to the other side before it has more of the rest.
        """
        count = 0
        tapes = zip(self._tapes, lengths, sums, strict=True)
        for items in itertools.zip_longest(*(self._lacking(*each, before_ms) for each in tapes)):
            for item in items:
                if item is None:
                    continue
                limit_bytes -= len(item.signed.raw)
                if limit_bytes < 0 and count > 0:
                    return
                count += 1
                yield item

    def _lacking(self, tape: _Tape, length: int, peer_sum: Digest, before_ms: int) -> Iterator[TapeItem]:
        start = length
        if length <= len(tape.items) and self._sum(tape, length) != peer_sum:
            start = max(0, length - FORK_DEPTH)
            yield from tape.beside
        for item, held_at_ms in zip(tape.items[start:], tape.held_at_ms[start:], strict=True):
            if held_at_ms > before_ms:
                return
            yield item
