"""What a log is, read off its records without checking anything: for lists and for people who look for one.

Only what an audit finds to hold is true; this is what the file says of itself.
"""

from dataclasses import dataclass

from kemps_p2p.codec import decode, frame
from kemps_p2p.deck.group import RISTRETTO
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Action, Say
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Entry, LogRecord, Note
from kemps_p2p.ledger.tape import Append, Claim, Item, Signed
from kemps_p2p.session.genesis import SignedGenesis, read_genesis
from kemps_p2p.session.logfile import Annex, Header, read_object
from kemps_p2p.session.messages import Checkpoint, read_note
from kemps_p2p.wording.cards import clock_text, day_text
from kemps_p2p.wording.people import People, counted
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.rule_books import book_text, nearest_book


@dataclass(frozen=True, slots=True)
class LogCard:
    """What a log says of itself. `kept_by`: whose annex is at its end; None if it has none."""

    header: Header
    rules: str
    rematch: int
    names: tuple[str, ...]
    kept_by: int | None
    entry_count: int
    deal_count: int
    speech_count: int
    began_ms: int | None
    elapsed_ms: int
    unread_count: int
    byte_count: int


def card_of(log: bytes) -> LogCard | None:
    """What a log says of itself; None if it does not begin with a header of this version and a genesis."""
    objects = frame(log).objects
    try:
        header, signed = (read_object(data) for data in objects[:2])
        if not isinstance(header, Header) or not isinstance(signed, SignedGenesis):
            return None
        genesis = read_genesis(signed.raw)
    except (PeerFault, ValueError):
        return None
    names: tuple[str, ...] = ()
    kept_by, unread, entries = None, 0, []
    speech = 0
    for data in objects[2:]:
        try:
            found = read_object(data)
            if isinstance(found, LogRecord):
                entries.append(_entry(found.entry))
                speech += sum(map(_is_speech, found.items))
            elif isinstance(found, Annex):
                kept_by, names = found.seat, tuple(name for name, _ in found.names)
        except PeerFault:
            unread += 1
    return LogCard(
        header=header,
        rules=genesis.rules,
        rematch=genesis.matches,
        names=names,
        kept_by=kept_by,
        entry_count=len(entries),
        deal_count=sum(map(_starts_deal, entries)),
        speech_count=speech,
        began_ms=entries[0].wall_ms if entries else None,
        elapsed_ms=entries[-1].elapsed_ms if entries else 0,
        unread_count=unread,
        byte_count=len(log),
    )


def _entry(signed: Signed) -> Entry:
    """The entry of an item. Raises `PeerFault` if it has none that can be read."""
    first = decode(signed.raw, Item).body[:1]
    return decode(first[0].entry if first and isinstance(first[0], Append) else b"", Entry)


def _starts_deal(entry: Entry) -> bool:
    return any(_is_checkpoint(event.payload) for event in entry.events if isinstance(event, Note))


def _is_checkpoint(payload: bytes) -> bool:
    try:
        return isinstance(read_note(payload), Checkpoint)
    except PeerFault:
        return False


def _is_speech(signed: Signed) -> bool:
    """True if an item claims to say something at the table, whatever became of that."""
    for statement in decode(signed.raw, Item).body:
        if isinstance(statement, Claim):
            try:
                return isinstance(decode(statement.action, Action), Say)  # type: ignore[arg-type]
            except PeerFault:
                return False
    return False


def card_lines(card: LogCard) -> list[str]:
    """What a log says of itself, for people."""
    seats = card.header.seats
    people = People(seats, card.names[:seats], next(iter(card.names[seats:]), None))
    began = "" if card.began_ms is None else f"{day_text(card.began_ms)} by one clock, "
    end = "not closed: it ends before its match does"
    if card.kept_by is not None:
        end = f"closed; as {people.seat(card.kept_by)} kept it"
    rematch = f", match {card.rematch + 1} of this table" if card.rematch else ""
    lines = [
        f"match {card.header.match.hex()}",
        f"{people.all(map(Seat, range(people.seats)))}; {book_text(card.rules)}{rematch}",
        f"{began}{clock_text(card.elapsed_ms)} long",
        f"{counted(card.entry_count, 'entry', 'entries')}, {counted(card.deal_count, 'deal')}, "
        f"{counted(card.byte_count, 'byte')}; {end}",
    ]
    if card.header.group != RISTRETTO.name:
        lines.append(f"a simulation: its cards are not hidden ({plain(card.header.group)})")
    if card.unread_count:
        lines.append(f"{counted(card.unread_count, 'object')} in it cannot be read")
    return lines


def card_json(card: LogCard) -> dict[str, object]:
    """The same for programs. `rules`: null for house rules."""
    book = nearest_book(card.rules)
    return {
        "match": card.header.match.hex(),
        "players": card.header.seats,
        "group": card.header.group,
        "names": list(card.names),
        "rules": None if book.distance else book.name,
        "matches_before": card.rematch,
        "kept_by": card.kept_by,
        "finished": card.kept_by is not None,
        "entries": card.entry_count,
        "deals": card.deal_count,
        "lines_said": card.speech_count,
        "began_ms": card.began_ms,
        "elapsed_ms": card.elapsed_ms,
        "unread": card.unread_count,
        "bytes": card.byte_count,
    }
