"""Logs changed in one place and signed anew by their authors, so that nothing is wrong but the lie.

A forger holds every key of a simulated match. It takes the tapes and the entries apart, lets a test change
them, and puts them together again: numbers, links, digests, heads and signatures follow.
"""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec
from audit_helpers import Played

from kemps_p2p.codec import Digest, Record, decode, encode, frame, tagged_hash
from kemps_p2p.errors import PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Drawn, Entry, Event, LogRecord, entry_of, named_items
from kemps_p2p.ledger.tape import (
    ITEM_LABEL,
    NO_DIGEST,
    Ack,
    Append,
    CoinReveal,
    Deed,
    Head,
    Item,
    Signed,
    Statement,
    TapeItem,
    item_digest,
)
from kemps_p2p.session.audit import Audit, audit
from kemps_p2p.session.logfile import ANNEX_LABEL, Annex, annex_message, read_object
from kemps_p2p.session.match import Match, begin
from kemps_p2p.session.messages import read_deed

replace = msgspec.structs.replace
E = TypeVar("E", bound=Event)


@dataclass(slots=True)
class Draft:
    """An item to be signed. `name` is the digest of the item that it was, by which others refer to it."""

    name: Digest
    seat: Seat
    lamport: int
    body: list[Statement]
    entry: Entry | None
    order: int
    """The honest stamp, which says what was made before what, whatever `lamport` lies."""
    placed: bool = True
    """Index and link of the entry follow from its place in the chain."""
    number: int | None = None
    """A lie about the number; None: the next one."""
    prev: Digest | None = None
    """A lie about the link; None: the item before."""
    match: Digest | None = None
    signer: Seat | None = None

    def copy(self) -> "Draft":
        return dataclasses.replace(self, body=list(self.body))


@dataclass(slots=True)
class Forger:
    """A log in parts."""

    played: Played
    honest: Audit
    tapes: list[list[Draft]]
    chain: list[Draft]
    was: tuple[Digest, ...]
    """The names of all entries by their honest index, from genesis."""
    objects: tuple[bytes, ...]
    annex: Annex
    beside: dict[int, Callable[[tuple[Digest, ...]], tuple[Digest, ...]]] = field(default_factory=dict)
    """Lies about which items lie beside the entry at an index."""
    names: Callable[[tuple[tuple[str, bytes], ...]], tuple[tuple[str, bytes], ...]] = lambda names: names
    certificate: Callable[[list[Digest]], list[Digest]] = lambda certificate: certificate

    @classmethod
    def of(cls, played: Played) -> "Forger":
        log = played.logs[0]
        honest = audit(log, allow_stub=True)
        tapes: list[list[Draft]] = [[] for _ in played.logs]
        drafts: dict[Digest, Draft] = {}
        for item in sorted(_all_items(played), key=lambda item: item.item.number):
            stamp = item.item.lamport
            draft = Draft(item.digest, item.seat, stamp, list(item.item.body), entry_of(item), stamp)
            tapes[item.seat].append(draft)
            drafts[item.digest] = draft
        chain = [drafts[step.record.item.digest] for step in honest.steps]
        annex = read_object(frame(log).objects[-1])
        assert isinstance(annex, Annex)
        assert honest.founding is not None
        was = (honest.founding.match, *(draft.name for draft in chain))
        return cls(played, honest, tapes, chain, was, frame(log).objects, annex)

    def copy(self) -> "Forger":
        """Parts of its own; the honest audit is shared."""
        tapes = [[draft.copy() for draft in tape] for tape in self.tapes]
        drafts = {draft.name: draft for tape in tapes for draft in tape}
        chain = [drafts[draft.name] for draft in self.chain]
        return Forger(self.played, self.honest, tapes, chain, self.was, self.objects, self.annex)

    # Looking around

    @property
    def last(self) -> int:
        return len(self.chain)

    def entry(self, index: int) -> Entry:
        entry = self.chain[index - 1].entry
        assert entry is not None
        return entry

    def before(self, index: int) -> Match:
        """The match that the entry at an index meets."""
        assert self.honest.founding is not None
        return self.honest.steps[index - 2].match if index > 1 else begin(self.honest.founding)

    def draft(self, name: Digest) -> Draft:
        return next(draft for tape in self.tapes for draft in tape if draft.name == name)

    def author(self, index: int) -> Seat:
        return self.chain[index - 1].seat

    def events(self, kind: type[E]) -> Iterator[tuple[int, int, E]]:
        """Index, place and event of every event of a kind."""
        for index in range(1, self.last + 1):
            for place, event in enumerate(self.entry(index).events):
                if isinstance(event, kind):
                    yield index, place, event

    # Lying

    def change_entry(self, index: int, /, **lies: object) -> None:
        draft = self.chain[index - 1]
        assert draft.entry is not None
        draft.entry = replace(draft.entry, **lies)
        draft.placed = draft.placed and not {"index", "prev"} & lies.keys()

    def change_event(self, index: int, place: int, *events: Event) -> None:
        """Put other events, or none, in the place of one."""
        old = self.entry(index).events
        self.change_entry(index, events=(*old[:place], *events, *old[place + 1 :]))
        if not self.entry(index).events:
            self.drop_entry(index)

    def drop_entry(self, index: int) -> None:
        """As if it had never been made."""
        gone = self.chain.pop(index - 1)
        for tape in self.tapes:
            for draft in tape:
                draft.body = [word for word in draft.body if not _acks(word, gone.name)]
            tape[:] = [draft for draft in tape if draft is not gone and (draft.body or draft.entry)]

    def change_statement(self, name: Digest, old: Statement, new: Statement) -> None:
        body = self.draft(name).body
        body[body.index(old)] = new

    def change_deed(
        self, name: Digest, change: Callable[[Record], Record], kind: type[Record] = Record
    ) -> None:
        """Change the one deed of a kind in an item."""
        draft = self.draft(name)
        for place, word in enumerate(draft.body):
            if isinstance(word, Deed) and isinstance(read_deed(word.payload), kind):
                draft.body[place] = Deed(payload=encode(change(read_deed(word.payload))))
                return
        raise AssertionError("no deed there")

    def add_entry(self, seat: Seat, *events: Event) -> None:
        """One more entry at the end of the chain."""
        last = self.chain[-1]
        assert last.entry is not None
        stamp = max(draft.order for tape in self.tapes for draft in tape) + 1
        entry = replace(last.entry, events=events)
        draft = Draft(Digest(tagged_hash("test", encode(entry))), seat, stamp, [], entry, stamp)
        self.tapes[seat].append(draft)
        self.chain.append(draft)

    # Putting together

    def log(self) -> bytes:
        """The log, signed anew."""
        made = self._sign_all()
        records = []
        for index, draft in enumerate(self.chain, start=1):
            entry = draft.entry
            assert entry is not None
            names = named_items(entry)
            if index in self.beside:
                names = self.beside[index](names)
            items = tuple(made[name].signed for name in names)
            records.append(encode(LogRecord(entry=made[draft.name].signed, items=items)))
        return b"".join((*self.objects[:2], *records, self._annex(made)))

    def audit(self) -> Audit:
        return audit(self.log(), allow_stub=True)

    def _sign_all(self) -> dict[Digest, TapeItem]:
        """Every item in the order of causes, with all that it refers to as it is by now."""
        made: dict[Digest, TapeItem] = {}
        prevs: dict[int, Digest] = {}
        numbers = {draft.name: number for tape in self.tapes for number, draft in enumerate(tape)}
        drafts = [(draft.order, seat, draft) for seat, tape in enumerate(self.tapes) for draft in tape]
        for _, tape, draft in sorted(drafts, key=lambda known: known[:2]):
            item = Item(
                match=draft.match or self.was[0],
                seat=draft.seat,
                incarnation=0,
                number=numbers[draft.name] if draft.number is None else draft.number,
                prev=prevs.get(tape, NO_DIGEST) if draft.prev is None else draft.prev,
                lamport=draft.lamport,
                body=tuple(self._now(word, made) for word in self._body(draft)),
            )
            raw = encode(item)
            key = self.played.keys[draft.seat if draft.signer is None else draft.signer]
            signed = Signed(raw=raw, signature=key.sign(ITEM_LABEL, raw))
            made[draft.name] = TapeItem(signed, item, item_digest(signed))
            prevs[tape] = made[draft.name].digest
        return made

    def _body(self, draft: Draft) -> tuple[Statement, ...]:
        entry = draft.entry
        if entry is None:
            return tuple(draft.body)
        place = self._place(draft.name)
        if place is not None and draft.placed:
            entry = replace(entry, index=place, prev=self._names_now[place - 1])
        return (Append(entry=encode(entry)),)

    @property
    def _names_now(self) -> tuple[Digest, ...]:
        return (self.was[0], *(draft.name for draft in self.chain))

    def _place(self, name: Digest) -> int | None:
        """Where in the chain an entry lies by now."""
        now = self._names_now
        return now.index(name) if name in now else None

    def _index(self, index: int) -> int:
        """The index by now of what had this index."""
        place = self._place(self.was[index]) if 0 <= index < len(self.was) else None
        return index if place is None else place

    def _now(self, word: Statement, made: dict[Digest, TapeItem]) -> Statement:
        found = self._mapped(word, made)
        assert isinstance(found, type(word))
        return found

    def _mapped(self, value: object, made: dict[Digest, TapeItem]) -> object:
        match value:
            case bytes():
                name = Digest(value)
                return made[name].digest if name in made else value
            case tuple():
                return tuple(self._mapped(each, made) for each in value)
            case Append(entry=raw):
                return Append(entry=encode(self._mapped(decode(raw, Entry), made)))
            case Deed(payload=payload):
                try:
                    return Deed(payload=encode(self._mapped(read_deed(payload), made)))
                except PeerFault:
                    return value
            case Head(index=index, digest=digest):
                place = self._place(digest)
                head = Head(index=index if place is None else place, digest=digest)
                return replace(head, digest=self._mapped(digest, made))
            case CoinReveal() | Drawn():
                moved = replace(value, index=self._index(value.index))
                return self._fields(moved, made)
            case msgspec.Struct():
                return self._fields(value, made)
            case _:
                return value

    def _fields(self, value: msgspec.Struct, made: dict[Digest, TapeItem]) -> msgspec.Struct:
        fields = {name: self._mapped(getattr(value, name), made) for name in value.__struct_fields__}
        return type(value)(**fields)

    def _annex(self, made: dict[Digest, TapeItem]) -> bytes:
        annex = self.annex
        acks = self.certificate([item_digest(signed) for signed in annex.certificate])
        certificate = tuple(made[name].signed for name in acks)
        names = self.names(annex.names)
        message = annex_message(self.was[0], made[self.chain[-1].name].digest, annex.seat, certificate)
        signature = self.played.keys[annex.seat].sign(ANNEX_LABEL, message)
        return encode(Annex(seat=annex.seat, certificate=certificate, names=names, signature=signature))


def _all_items(played: Played) -> Iterator[TapeItem]:
    """Every item of every tape, as the first peer holds them."""
    yield from played.sim.peers[0].session.play.tapes.by_digest.values()


def _acks(word: Statement, name: Digest) -> bool:
    return isinstance(word, Ack) and word.head.digest == name
