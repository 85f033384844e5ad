"""The log as a file holds it: header, genesis, final entries, annex. Pure: bytes in, records out.

Section "Log" of protocol.md.
"""

from typing import TypeAlias

from kemps_p2p.codec import Record, decode, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ledger.entry import LogRecord
from kemps_p2p.ledger.tape import Signed
from kemps_p2p.session.genesis import Founding, SignedGenesis
from kemps_p2p.session.messages import PROTOCOL_VERSION

LOG_MAGIC = "kemps-log"
ANNEX_LABEL = "kemps/v1/annex"


class Header(Record, frozen=True, tag=0):
    """First object: what the file is. It repeats the genesis and says nothing of its own."""

    magic: str
    version: int
    match: bytes
    seats: int
    group: str


class Annex(Record, frozen=True, tag=3):
    """Last object: what one seat adds to the chain, signed by it.

    `certificate`: items with acks of the last entry. `names`: name and salt by seat.
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


def annex_message(
    match: bytes,
    head: bytes,
    seat: int,
    certificate: tuple[Signed, ...],
    names: tuple[tuple[str, bytes], ...],
) -> bytes:
    """What the signature of an annex covers."""
    return encode((match, head, seat, certificate, names))


def read_object(data: bytes) -> LogObject:
    """Decode one object of a log. Raises `PeerFault` without a culprit."""
    return decode(data, LogObject)  # type: ignore[arg-type]  # a union is no type object


def check_header(header: LogObject) -> Header:
    """Refuse what is not the header of a log of this version."""
    if not isinstance(header, Header) or header.magic != LOG_MAGIC:
        raise PeerFault(Fault.MALFORMED, "this is not a log of a Kemps match")
    if header.version > PROTOCOL_VERSION:
        raise PeerFault(Fault.NEWER_VERSION, f"the log has version {header.version}, newer than this program")
    return header
