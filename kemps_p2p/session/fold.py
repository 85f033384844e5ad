"""What one step of the fold works with: opened records, remembered proofs, and the match so far.

Section "Fold" of protocol.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault, Missing, PeerFault
from kemps_p2p.game.events import Event as GameEvent
from kemps_p2p.game.state import Applied
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Entry, LogRecord, entry_of
from kemps_p2p.ledger.tape import Signers, TapeItem, open_item
from kemps_p2p.session.match import Match

ProofId = tuple[Digest, int]
"""An item and the slot of the deed in its body."""


class NotVerified(Missing):
    """A proof has to be verified before the fold can go on; `check` is the pure function that does it."""

    def __init__(self, proof: ProofId, check: Callable[[], object]) -> None:
        super().__init__("a proof is not verified yet")
        self.proof = proof
        self.check = check


@dataclass(slots=True)
class Proofs:
    """Which proofs hold. `is_eager`: verify on the spot what is not known; else raise `NotVerified`."""

    is_eager: bool
    good: set[ProofId] = field(default_factory=set)
    bad: dict[ProofId, PeerFault] = field(default_factory=dict)

    def require(self, proof: ProofId, check: Callable[[], object]) -> None:
        """Return if the proof holds. Raises the `PeerFault` if it does not, or `NotVerified`."""
        if proof in self.good:
            return
        if proof not in self.bad:
            if not self.is_eager:
                raise NotVerified(proof, check)
            self.run(proof, check)
        if proof in self.bad:
            fault = self.bad[proof]
            raise PeerFault(fault.code, fault.text, culprit=fault.culprit)

    def run(self, proof: ProofId, check: Callable[[], object]) -> None:
        """Verify now and remember how it ended."""
        try:
            check()
        except PeerFault as fault:
            self.bad[proof] = fault
        else:
            self.good.add(proof)


@dataclass(frozen=True, slots=True)
class OpenRecord:
    """A record with its items opened: signatures verified, digests known, in order of naming."""

    item: TapeItem
    entry: Entry
    items: Mapping[Digest, TapeItem]


def open_record(record: LogRecord, match: Digest, signers: Signers) -> OpenRecord:
    """Verify every signature of a record. Raises `PeerFault`."""
    item = open_item(record.entry, match, signers)
    entry = entry_of(item)
    if entry is None:
        raise PeerFault(Fault.BAD_ENTRY, "a record without an entry", culprit=item.seat)
    opened = [open_item(signed, match, signers) for signed in record.items]
    return OpenRecord(item, entry, by_name(opened))


def by_name(opened: Sequence[TapeItem]) -> Mapping[Digest, TapeItem]:
    """The items of a record by digest. Raises `PeerFault`, without a culprit, if one is there twice.

    Else two files could differ and yet hold the same chain.
    """
    named = {item.digest: item for item in opened}
    if len(named) != len(opened):
        raise PeerFault(Fault.BAD_EVIDENCE, "a record carries an item twice")
    return named


def closed_record(record: OpenRecord) -> LogRecord:
    """The record as it is stored."""
    return LogRecord(entry=record.item.signed, items=tuple(item.signed for item in record.items.values()))


@dataclass(slots=True)
class Fold:
    """One step under way: the match so far, whose entry it is, and what has happened by the rules.

    `strikes`: from the next entry on the observer is not asked any more.
    """

    match: Match
    author: Seat
    items: Mapping[Digest, TapeItem]
    proofs: Proofs
    events: list[GameEvent] = field(default_factory=list)
    has_started_deal: bool = False
    strikes: bool = False

    @property
    def index(self) -> int:
        """The index of the entry under way."""
        return self.match.head.index + 1

    def take(self, applied: Applied) -> None:
        """Go on from what the rules made of an input."""
        self.match = replace(self.match, game=applied.state)
        self.events.extend(applied.events)

    def fault(self, code: Fault, text: str) -> PeerFault:
        """A fault of the entry's author."""
        return PeerFault(code, text, culprit=self.author)
