"""A hand that holds every key: it writes items and entries on top of a match, true ones or not."""

from dataclasses import dataclass, field

import pytest
from msgspec import structs
from session_helpers import Table, identity, next_entry, next_of

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Action
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Event, Note, Result, Settled, named_items
from kemps_p2p.ledger.tape import Append, Claim, Receipt, Statement, TapeItem, TapeWriter, tape_writer
from kemps_p2p.session.fold import OpenRecord, Proofs
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import NoteBody
from kemps_p2p.session.replay import step


@dataclass(slots=True)
class Scribe:
    """Goes on from a match with the tapes as a table has them; `match` follows what is stepped."""

    match: Match
    pens: tuple[TapeWriter, ...]
    items: dict[Digest, TapeItem] = field(default_factory=dict)

    @classmethod
    def at(cls, table: Table) -> "Scribe":
        return cls(table.play().final, tuple(next_of(seat, table) for seat in range(4)))

    def copy(self, **changes: object) -> "Scribe":
        """A hand of its own, at a match with some fields changed."""
        pens = []
        for seat, pen in enumerate(self.pens):
            other = tape_writer(self.match.founding.match, Seat(seat), identity(seat))
            other.number, other.prev, other.lamport = pen.number, pen.prev, pen.lamport
            pens.append(other)
        return Scribe(structs.replace(self.match, **changes), tuple(pens), dict(self.items))

    def say(self, seat: int, *body: Statement) -> TapeItem:
        pen = self.pens[seat]
        pen.see(max(other.lamport for other in self.pens))
        item = pen.write(body)
        self.items[item.digest] = item
        return item

    def claim(self, seat: int, action: Action) -> TapeItem:
        return self.say(seat, Claim(head=self.match.head, action=encode(action), rivals=()))

    def words(self, claims: tuple[TapeItem, ...], seats: tuple[int, ...]) -> tuple[Digest, ...]:
        """Receipts in this order by each of these seats."""
        said = tuple(Receipt(claim=item.digest, rivals=()) for item in claims)
        return tuple(self.say(seat, *said).digest for seat in seats)

    def settled(self, seat: int, action: Action, result: Result = Result.OK) -> Settled:
        """A claim that nobody contests, with the words of two witnesses."""
        claim = self.claim(seat, action)
        witnesses = tuple(other for other in range(4) if other != seat)[:2]
        return Settled(claim=claim.digest, result=result, evidence=self.words((claim,), witnesses))

    def record(self, *events: Event, **changes: object) -> OpenRecord:
        """The next entry, by the seat on duty."""
        match = self.match
        entry = next_entry(match, *events, **changes)
        item = self.say(match.on_duty, Append(entry=encode(entry)))
        return OpenRecord(item, entry, {name: self.items[name] for name in named_items(entry)})

    def order(self, *events: Event) -> Match:
        """Fold one more entry."""
        self.match, _ = step(self.match, self.record(*events), Proofs(is_eager=True))
        return self.match

    def refuses(self, code: Fault, *events: Event, culprit: int | None = None) -> None:
        """The fold refuses an entry with these events; by default it is its author's fault."""
        with pytest.raises(PeerFault) as fault:
            step(self.match, self.record(*events), Proofs(is_eager=True))
        blamed = self.match.on_duty if culprit is None else culprit
        assert (fault.value.code, fault.value.culprit) == (code, blamed), fault.value


def note(body: NoteBody) -> Note:
    return Note(payload=encode(body))
