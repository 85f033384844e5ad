"""The records of a log as data, object by object, with everything decoded that is bytes within bytes.

Checks nothing but the form. Bytes are hexadecimal, an enum is its number, a record is its fields with its
name in `record`; so a program without MessagePack can read a log. Section "Log" of protocol.md.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from kemps_p2p.codec import decode, frame
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Action
from kemps_p2p.ledger.entry import Entry, Event, LogRecord, Note
from kemps_p2p.ledger.tape import Append, Claim, Deed, Item, Signed, Statement, item_digest
from kemps_p2p.session.genesis import SignedGenesis, match_id, read_genesis
from kemps_p2p.session.logfile import Annex, Header, read_object
from kemps_p2p.session.messages import read_deed, read_note

Plain = dict[str, object]


def exported(log: bytes) -> Iterator[Plain]:
    """Each object of a log, with its place in the file; what cannot be read is there as bytes, `unread`."""
    framed = frame(log)
    offset = 0
    for place, data in enumerate((*framed.objects, *((framed.rest,) if framed.rest else ()))):
        told = _object(data) if place < len(framed.objects) else {"unread": data.hex()}
        yield {"object": place, "offset": offset, "bytes": len(data), **told}
        offset += len(data)


def _object(data: bytes) -> Plain:
    try:
        found = read_object(data)
        match found:
            case Header():
                return _record(found)
            case SignedGenesis(raw=raw):
                genesis = _record(read_genesis(raw))
                return {**_record(found), "match": match_id(raw).hex(), "raw": genesis}
            case LogRecord(entry=entry, items=items):
                return {**_record(found), "entry": _item(entry), "items": [_item(item) for item in items]}
            case Annex(certificate=certificate):
                return {**_record(found), "certificate": [_item(item) for item in certificate]}
    except PeerFault as fault:
        return {"unread": data.hex(), "fault": fault.code.value}


def _item(signed: Signed) -> Plain:
    item = decode(signed.raw, Item)
    body = [_statement(statement) for statement in item.body]
    digest, signature = item_digest(signed).hex(), signed.signature.hex()
    return {**_record(item), "body": body, "digest": digest, "signature": signature}


def _statement(statement: Statement) -> Plain:
    told = _record(statement)
    match statement:
        case Claim(action=action):
            told["action"] = _inner(lambda: decode(action, Action), action)  # type: ignore[arg-type]
        case Deed(payload=payload):
            told["payload"] = _inner(lambda: read_deed(payload), payload)
        case Append(entry=entry):
            told["entry"] = _entry(entry)
        case _:
            pass
    return told


def _entry(data: bytes) -> object:
    try:
        entry = decode(data, Entry)
    except PeerFault:
        return data.hex()
    return {**_record(entry), "events": [_event(event) for event in entry.events]}


def _event(event: Event) -> Plain:
    told = _record(event)
    if isinstance(event, Note):
        payload = event.payload
        told["payload"] = _inner(lambda: read_note(payload), payload)
    return told


def _inner(read: Callable[[], object], data: bytes) -> object:
    """What bytes within an item say; themselves if they cannot be read, which an audit finds."""
    try:
        return _plain(read())
    except PeerFault:
        return data.hex()


def _record(record: Struct) -> Plain:
    fields = {name: _plain(getattr(record, name)) for name in record.__struct_fields__}
    return {"record": type(record).__name__, **fields}


def _plain(value: object) -> object:
    match value:
        case Struct():
            return _record(value)
        case bytes():
            return value.hex()
        case tuple() | list():
            return [_plain(each) for each in value]
        case int() if not isinstance(value, bool):
            return int(value)
        case _:
            return value
