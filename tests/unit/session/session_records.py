"""What a table of tests has logged and shown, and entries folded again with a lie in them."""

from typing import TypeVar

import pytest
from msgspec import structs
from session_helpers import Table, identity

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.events import Event
from kemps_p2p.game.rules import RuleSet, load_rules, override
from kemps_p2p.ledger.entry import Entry, LogRecord, entry_of, named_items
from kemps_p2p.ledger.tape import Append, open_item, tape_writer
from kemps_p2p.session import effects as fx
from kemps_p2p.session.fold import OpenRecord, Proofs, open_record
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.match import Match, begin
from kemps_p2p.session.replay import step

Sort = TypeVar("Sort")


def rules_of(name: str, **changes: object) -> RuleSet:
    return override(load_rules(name), {"look_ms": 0, **changes})


def records(table: Table) -> list[LogRecord]:
    """The final entries at seat 0."""
    objects = [read_object(effect.data) for effect in table.appended[0] if effect.file is fx.File.LOG]
    return [found for found in objects if isinstance(found, LogRecord)]


def entries(table: Table) -> list[Entry]:
    founding = table.play().founding
    found = [entry_of(open_item(record.entry, founding.match, founding.signers)) for record in records(table)]
    return [entry for entry in found if entry is not None]


def ordered(table: Table, sort: type[Sort]) -> list[Sort]:
    return [event for entry in entries(table) for event in entry.events if isinstance(event, sort)]


def happened(table: Table) -> list[Event]:
    return [event for sight in table.sights[0] if isinstance(sight, fx.Happened) for event in sight.events]


def known(table: Table, seat: int) -> list[str]:
    return [sight.result.name for sight in table.sights[seat] if isinstance(sight, fx.Known)]


def refold(table: Table, index: int) -> tuple[Match, OpenRecord]:
    """The match before an entry, and that entry."""
    founding, proofs = table.play().founding, Proofs(is_eager=True)
    match = begin(founding)
    for record in records(table):
        opened_record = open_record(record, founding.match, founding.signers)
        if opened_record.entry.index == index:
            return match, opened_record
        match, _ = step(match, opened_record, proofs)
    raise AssertionError("no such entry")


def forged(match: Match, record: OpenRecord, **changes: object) -> OpenRecord:
    """The entry with other contents, signed by the seat on duty."""
    entry = structs.replace(record.entry, **changes)
    pen = tape_writer(match.founding.match, match.on_duty, identity(match.on_duty))
    pen.number, pen.prev, pen.lamport = 900, record.item.digest, record.item.item.lamport
    item = pen.write((Append(entry=encode(entry)),))
    return OpenRecord(item, entry, {name: record.items[name] for name in named_items(entry)})


def refused(match: Match, record: OpenRecord, code: Fault) -> None:
    with pytest.raises(PeerFault) as fault:
        step(match, record, Proofs(is_eager=True))
    assert (fault.value.code, fault.value.culprit) == (code, match.on_duty)
