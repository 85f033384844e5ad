"""The chain of a log, checked record by record: all findings, not just the first.

The rules are folded by `replay` until something is wrong. From there on the rules cannot go on, but every
signature, place and link still is checked. Invariants:

1. Nothing is raised, whatever the bytes.
2. A seat is blamed only for what it signed: for what a file leaves out, repeats or mixes, nobody is.

Section "Log" of protocol.md.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ledger.entry import Blamed, Entry, LogRecord, entry_of, named_items
from kemps_p2p.ledger.tape import Signed, TapeItem, open_item
from kemps_p2p.session.findings import Finding, Flaw, found
from kemps_p2p.session.fold import OpenRecord, Proofs, by_name
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.match import Match, begin
from kemps_p2p.session.replay import Part, step_by_event
from kemps_p2p.session.tapecheck import TapeCheck

FINDINGS_MAX = 1000
Progress = Callable[[int, int], None]
"""(records done, records in all)"""


@dataclass(frozen=True, slots=True)
class Step:
    """A folded entry: the match after it, and what each of its events did."""

    record: OpenRecord
    match: Match
    parts: tuple[Part, ...]
    strikes: bool = False
    """True if it strikes the observer."""


@dataclass(slots=True)
class ChainCheck:
    """What has been read of a chain so far."""

    founding: Founding
    match: Match
    findings: list[Finding] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    entries: list[TapeItem | None] = field(default_factory=list)
    """By index, from 1; None where an entry is missing or cannot be read."""
    tapes: TapeCheck = field(default_factory=TapeCheck)
    is_broken: bool = False
    proofs: Proofs = field(default_factory=lambda: Proofs(is_eager=True))

    @property
    def next_index(self) -> int:
        """The index that the next entry should have."""
        return len(self.entries) + 1

    @property
    def digests(self) -> tuple[Digest, ...]:
        """The digests of genesis and of the entries that hold, by index."""
        return (self.founding.match, *(step.record.item.digest for step in self.steps))

    def note(self, finding: Finding) -> None:
        """Keep a finding; the fold cannot go on after it."""
        self.findings.append(finding)
        self.is_broken = True

    def read(self, data: bytes) -> None:
        """Check one object where a record should lie."""
        index = self.next_index
        try:
            record = read_object(data)
        except PeerFault as fault:
            self._skip(found(index, fault))
            return
        if not isinstance(record, LogRecord):
            self._skip(Finding(index, Fault.MALFORMED, None, "not a record"))
            return
        item = self._open(record.entry, index)
        items = [opened for signed in record.items if (opened := self._open(signed, index)) is not None]
        entry = None if item is None else self._entry(item, index)
        if item is None or entry is None:
            self.entries.append(None)
            return
        if not self._is_in_place(entry, item):
            return
        if len(items) < len(record.items):
            return
        try:
            self._fold(OpenRecord(item, entry, by_name(items)))
        except PeerFault as fault:
            self.note(found(entry.index, fault))

    def _skip(self, finding: Finding) -> None:
        """An object that cannot be read takes the place of an entry."""
        self.note(finding)
        self.entries.append(None)

    def _open(self, signed: Signed, index: int) -> TapeItem | None:
        try:
            item = open_item(signed, self.founding.match, self.match.signers)
        except PeerFault as fault:
            self.note(found(index, fault))
            return None
        self.tapes.add(item, index)
        return item

    def _entry(self, item: TapeItem, index: int) -> Entry | None:
        try:
            entry = entry_of(item)
        except PeerFault as fault:
            self.note(found(index, fault))
            return None
        if entry is None:
            self.note(Finding(index, Fault.BAD_ENTRY, None, "a record without an entry"))
        return entry

    def _is_in_place(self, entry: Entry, item: TapeItem) -> bool:
        """Check place and link, and remember the entry; false if it is one that was there before."""
        index = self.next_index
        if entry.index < index:
            text = f"entry {entry.index} lies where entry {index} should"
            self.note(Finding(max(entry.index, 0), Flaw.OUT_OF_PLACE, None, text))
            return False
        if entry.index > index:
            text = f"entry {entry.index} lies where entry {index} should"
            self.note(Finding(index, Flaw.MISSING_ENTRY, None, text))
            # What is missing is not made up for by numbers that nobody could write down.
            if entry.index - index > FINDINGS_MAX:
                return False
            self.entries += [None] * (entry.index - index)
        previous = self.entries[-1] if self.entries else None
        self.entries.append(item)
        linked = self.founding.match if entry.index == 1 else previous and previous.digest
        if linked is not None and entry.prev != linked:
            # A seat links to its own last entry whatever others do. Of two seats, either may have signed two.
            is_own = previous is not None and previous.seat == item.seat
            culprit = item.seat if is_own or entry.index == 1 else None
            text = f"entry {entry.index} links to another entry than the one before it"
            self.note(Finding(entry.index, Fault.BAD_LINK, culprit, text))
        return True

    def _fold(self, record: OpenRecord) -> None:
        """Fold a record, or check what can be checked of it without the rules."""
        if tuple(record.items) != named_items(record.entry):
            raise PeerFault(Fault.BAD_EVIDENCE, "the record does not carry what its entry names")
        if self.is_broken:
            rests_on = [named.item.lamport for named in record.items.values()]
            if rests_on and record.item.item.lamport <= max(rests_on):
                text = "an entry is stamped before what it rests on"
                raise PeerFault(Fault.BAD_STAMP, text, culprit=record.item.seat)
            return
        before = self.match
        self.match, parts = step_by_event(before, record, self.proofs)
        self.steps.append(Step(record, self.match, parts, self.match.observer != before.observer))
        for event in record.entry.events:
            if isinstance(event, Blamed) and len(event.items) == 2:
                self.tapes.blame(event.items, record.entry.index)


def check_chain(
    founding: Founding,
    objects: Sequence[bytes],
    before: Iterable[Finding],
    progress: Progress | None,
    proofs: Proofs,
) -> ChainCheck:
    """Check all records of a chain. `before`: what is wrong with header and genesis already."""
    chain = ChainCheck(founding, begin(founding), list(before), proofs=proofs)
    for count, data in enumerate(objects):
        if progress is not None:
            progress(count, len(objects))
        chain.read(data)
        if len(chain.findings) > FINDINGS_MAX:
            chain.note(Finding(chain.next_index, Flaw.TOO_MANY, None, "the rest of the log is not read"))
            break
    if progress is not None:
        progress(len(objects), len(objects))
    return chain
