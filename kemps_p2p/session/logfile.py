"""The log as a file holds it: header, genesis, final entries, annex. Pure: bytes in, records out.

Section "Log" of protocol.md.
"""

from collections.abc import Iterable
from typing import TypeAlias

import msgspec
from msgspec import structs

from kemps_p2p.codec import Digest, Record, decode, encode, frame
from kemps_p2p.ledger.entry import LogRecord
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import Signed, item_digest
from kemps_p2p.session.genesis import Founding, SignedGenesis
from kemps_p2p.session.messages import PROTOCOL_VERSION

LOG_MAGIC = "kemps-log"
ANNEX_LABEL = "kemps/v1/annex"
ANNEX_LEAD = bytes([0x95, 3])
"""The first bytes of an annex: five fields, tag 3."""


class Header(Record, frozen=True, tag=0):
    """First object: what the file is. It repeats the genesis and says nothing of its own."""

    magic: str
    version: int
    match: bytes
    seats: int
    group: str


class Annex(Record, frozen=True, tag=3):
    """Last object: what one seat adds to the chain, signed by it.

    `certificate`: items with acks of the last entry. `names`: name and salt by seat, or nothing. The genesis
    binds them, so they need no signature, and whoever has a log can show it without names.
    """

    seat: int
    certificate: tuple[Signed, ...]
    names: tuple[tuple[str, bytes], ...]
    signature: bytes


LogObject: TypeAlias = Header | SignedGenesis | LogRecord | Annex


def header_of(founding: Founding) -> Header:
    """The header that a log of this match starts with."""
    return Header(
        magic=LOG_MAGIC,
        version=PROTOCOL_VERSION,
        match=founding.match,
        seats=founding.seats,
        group=founding.genesis.group,
    )


def annex_message(match: bytes, head: bytes, seat: int, certificate: tuple[Signed, ...]) -> bytes:
    """What the signature of an annex covers: all of it but the names."""
    return encode((match, head, seat, certificate))


def signed_annex(
    identity: Identity,
    match: bytes,
    head: bytes,
    seat: int,
    held: tuple[tuple[Signed, ...], tuple[tuple[str, bytes], ...]],
) -> Annex:
    """The annex of a seat's log; `held`: the certificate of the head, and the names with their salts."""
    certificate, names = held
    signature = identity.sign(ANNEX_LABEL, annex_message(match, head, seat, certificate))
    return Annex(seat=seat, certificate=certificate, names=names, signature=signature)


def without_names(log: bytes) -> bytes:
    """The same log without the names of its players; what it proves stays the same.

    Raises `PeerFault` if an object cannot be read. Bytes behind the last whole object are left as they are.
    """
    framed = frame(log)
    objects = [_nameless(data) if data.startswith(ANNEX_LEAD) else data for data in framed.objects]
    return b"".join((*objects, framed.rest))


def _nameless(data: bytes) -> bytes:
    annex = read_object(data)
    return encode(structs.replace(annex, names=())) if isinstance(annex, Annex) else data


def read_object(data: bytes) -> LogObject:
    """Decode one object of a log. Raises `PeerFault` without a culprit."""
    return decode(data, LogObject)  # type: ignore[arg-type]  # a union is no type object


def logged_entries(objects: Iterable[bytes]) -> tuple[Digest, ...]:
    """The items of the entries among the objects of a log, in order. Raises `PeerFault`."""
    records = map(read_object, objects)
    return tuple(item_digest(record.entry) for record in records if isinstance(record, LogRecord))


class _HeaderStart(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """How the header of every version begins."""

    magic: str
    version: int


def version_of(data: bytes) -> int | None:
    """The version of the log whose first object this is; None if it begins no log.

    Whatever else a later version puts into its header, it begins like this.
    """
    try:
        start = msgspec.msgpack.decode(data, type=_HeaderStart)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, OverflowError):
        return None
    return start.version if start.magic == LOG_MAGIC else None
