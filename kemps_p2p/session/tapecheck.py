"""The tapes as a log shows them: with gaps, since a log carries only what its entries name.

What the fold does not see is checked across the whole log: that no seat signed two items at one number, that
links of neighbours hold, that stamps grow along a tape and beyond what an item rests on, and that nobody
acked two entries at one place. Knows no rules and no deck.

Section "Log" of protocol.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Entry, entry_of
from kemps_p2p.ledger.tape import STAMP_LEAD_MAX, Ack, CoinReveal, Head, TapeItem
from kemps_p2p.session.findings import Finding, Flaw

Place = tuple[Seat, int, int, int]
"""Seat, epoch, term and index: where a seat may stand for one digest only."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An item, and the entry whose record shows it first."""

    item: TapeItem
    index: int


@dataclass(slots=True)
class TapeCheck:
    """Every item that one log shows, or several logs of one match."""

    seen: dict[Digest, Seen] = field(default_factory=dict)
    punished: dict[Seat, tuple[int, int]] = field(default_factory=dict)
    """By seat: the number from which its tape is known to be forked, and the entry that blames it."""

    def copy(self) -> "TapeCheck":
        """An independent copy."""
        return TapeCheck(dict(self.seen), dict(self.punished))

    def add(self, item: TapeItem, index: int) -> None:
        """Take in an item of the record at `index`."""
        self.seen.setdefault(item.digest, Seen(item, index))

    def merge(self, other: "TapeCheck") -> None:
        """Take in all that another log shows."""
        for digest, seen in other.seen.items():
            self.seen.setdefault(digest, seen)
        for seat, (number, index) in other.punished.items():
            self._punish(seat, number, index)

    def blame(self, names: tuple[Digest, ...], index: int) -> None:
        """Two items that the entry at `index` blames: it has dealt with them, so they are no flaw of the log.

        A tape that is forked is one from there on, and whatever follows follows from that.
        """
        items = [self.seen[name].item for name in names]
        self._punish(items[0].seat, min(item.item.number for item in items), index)

    def _punish(self, seat: Seat, number: int, index: int) -> None:
        known = self.punished.get(seat, (number, index))
        self.punished[seat] = min(known, (number, index))

    def _is_punished(self, *items: TapeItem) -> bool:
        fork = self.punished.get(items[0].seat)
        return fork is not None and max(item.item.number for item in items) >= fork[0]

    def findings(self, entries: Sequence[TapeItem | None]) -> Iterator[Finding]:
        """Everything that is wrong. `entries`: those of the log that could be read, from index 1."""
        yield from self.clashes()
        yield from self._neighbours()
        yield from self._leaps()
        yield from self._early_words(entries)

    def clashes(self) -> Iterator[Finding]:
        """What no honest key signs together, as far as no entry has blamed it."""
        numbers: dict[tuple[Seat, int, int], Seen] = {}
        stands: dict[Place, tuple[Digest, Seen]] = {}
        for seen in self.seen.values():
            item = seen.item
            first = numbers.setdefault((item.seat, item.item.incarnation, item.item.number), seen)
            if first is not seen:
                yield from self._clash(first, seen, f"two items at number {item.item.number} of one tape")
            for place, digest in _stands(item):
                stood = stands.setdefault(place, (digest, seen))
                if stood[0] != digest and first is seen:
                    yield from self._clash(stood[1], seen, f"one seat stands for two entries {place[3]}")

    def _clash(self, first: Seen, second: Seen, text: str) -> Iterator[Finding]:
        if not self._is_punished(first.item, second.item):
            yield Finding(max(first.index, second.index), Fault.EQUIVOCATION, second.item.seat, text)

    def _neighbours(self) -> Iterator[Finding]:
        """Links and stamps along each tape, as far as neighbours are in the log."""
        tapes: dict[Seat, dict[int, list[Seen]]] = {}
        for seen in self.seen.values():
            tapes.setdefault(seen.item.seat, {}).setdefault(seen.item.item.number, []).append(seen)
        for seat, tape in tapes.items():
            for (low, lower), (high, higher) in pairwise(sorted(tape.items())):
                digests = {seen.item.digest for seen in lower}
                first = min(seen.item.item.lamport for seen in lower)
                for seen in higher:
                    if self._is_punished(seen.item):
                        continue
                    if high == low + 1 and seen.item.item.prev not in digests:
                        text = f"item {high} of a tape does not link to item {low}"
                        yield Finding(seen.index, Fault.BAD_LINK, seat, text)
                    if seen.item.item.lamport <= first:
                        text = f"the stamp of item {high} of a tape does not grow from item {low}"
                        yield Finding(seen.index, Fault.BAD_STAMP, seat, text)

    def _leaps(self) -> Iterator[Finding]:
        """Stamps beyond what all tapes together can have come to: nobody would have held such an item."""
        counts: dict[Seat, int] = {}
        for seen in self.seen.values():
            counts[seen.item.seat] = max(counts.get(seen.item.seat, 0), seen.item.item.number + 1)
        most = sum(counts.values()) + 1 + STAMP_LEAD_MAX
        for seen in self.seen.values():
            if seen.item.item.lamport > most:
                text = f"the stamp of item {seen.item.item.number} of a tape leaps"
                yield Finding(seen.index, Fault.BAD_STAMP, seen.item.seat, text)

    def _early_words(self, entries: Sequence[TapeItem | None]) -> Iterator[Finding]:
        """Items that are stamped before the entry which they ack, or reveal a coin for."""
        for seen in self.seen.values():
            for index, digest in _rests_on(seen.item):
                entry = entries[index - 1] if 0 < index <= len(entries) else None
                if entry is None or digest not in (None, entry.digest):
                    continue
                if seen.item.item.lamport <= entry.item.lamport:
                    text = f"an item is stamped before entry {index}, which it rests on"
                    yield Finding(seen.index, Fault.BAD_STAMP, seen.item.seat, text)

    def remarks(self, digests: Sequence[Digest]) -> Iterator[Finding]:
        """Faults that were punished, and words for other entries than those of the log.

        `digests`: of the entries, by index, from genesis.
        """
        for culprit, (number, index) in self.punished.items():
            yield Finding(index, Flaw.PUNISHED, culprit, f"from item {number} of its tape on")
        for seen in self.seen.values():
            for (seat, _, _, index), digest in _stands(seen.item):
                is_other = 0 <= index < len(digests) and digests[index] != digest
                if is_other and not self._is_punished(seen.item):
                    text = f"seat {seat} stands for another entry {index}"
                    yield Finding(seen.index, Flaw.OTHER_ACK, None, text)


def _stands(item: TapeItem) -> Iterator[tuple[Place, Digest]]:
    """What an item stands for: the entries that it acks or is."""
    for statement in item.item.body:
        if isinstance(statement, Ack):
            head = statement.head
            yield (item.seat, statement.epoch, statement.term, head.index), head.digest
    entry = readable_entry(item)
    if entry is not None:
        yield (item.seat, entry.epoch, entry.term, entry.index), item.digest


def readable_entry(item: TapeItem) -> Entry | None:
    """The entry of an item; None if it has none, or none that can be read, which is found elsewhere."""
    try:
        return entry_of(item)
    except PeerFault:
        return None


def _rests_on(item: TapeItem) -> Iterator[tuple[int, Digest | None]]:
    """The entries that an item has seen, by index, with their digest where it names one."""
    for statement in item.item.body:
        match statement:
            case Ack(head=Head(index=index, digest=digest)):
                yield index, digest
            case CoinReveal(index=index):
                yield index, None
            case _:
                continue
