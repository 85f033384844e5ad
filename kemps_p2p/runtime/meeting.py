"""A meeting place on one machine: a directory in which peers leave signed contacts and find the others'.

It only introduces: who may sit down where follows from the contacts, the same for all. Nothing secret is in
a contact. Section "Meeting" of protocol.md.
"""

import asyncio
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from kemps_p2p.codec import Digest, Record, decode, encode, tagged_hash
from kemps_p2p.errors import Fault, PeerFault, Refused, RuntimeFault, Unreachable
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity, check_key, verify
from kemps_p2p.runtime.transport import PublicKey, now_ms
from kemps_p2p.session.messages import PROTOCOL_VERSION

CONTACT_LABEL = "kemps/v1/contact"
CONTACT_BYTES_MAX = 4096
_SUFFIX = ".contact"
_LOOK_AGAIN_S = 0.03


class Contact(Record, frozen=True):
    """How to reach a peer: its identity, the CURVE key of this process, its address; what table it comes to.

    `wish`: the seat it would like, -1 for any.
    """

    version: int
    identity: bytes
    curve: bytes
    address: str
    players: int
    wish: int


class SignedContact(Record, frozen=True):
    """A contact as it lies in the meeting place."""

    raw: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits where: identity keys by seat, and how to reach each."""

    roster: tuple[bytes, ...]
    curves: tuple[PublicKey, ...]
    addresses: Mapping[PublicKey, str]

    @property
    def digest(self) -> Digest:
        """Names this meeting: the CURVE keys are fresh for every process."""
        return tagged_hash("kemps/v1/meeting", *self.curves)


def read_contact(data: bytes) -> Contact:
    """Decode and verify a contact. Raises `PeerFault`."""
    if len(data) > CONTACT_BYTES_MAX:
        raise PeerFault(Fault.TOO_LARGE, "a contact is too large")
    signed = decode(data, SignedContact)
    contact = decode(signed.raw, Contact)
    if contact.version != PROTOCOL_VERSION:
        raise PeerFault(Fault.NEWER_VERSION, f"a peer speaks protocol version {contact.version}")
    check_key(contact.identity)
    verify(contact.identity, CONTACT_LABEL, signed.raw, signed.signature)
    if len(contact.curve) != 32:
        raise PeerFault(Fault.BAD_KEY, "a CURVE key has 32 bytes")
    return contact


@contextmanager
def contact_left(place: Path, identity: Identity, contact: Contact) -> Iterator[None]:
    """Keep the own contact in the meeting place for a while, whole or not at all.

    Raises `RuntimeFault` if it cannot be written, `Refused` if a peer with this identity is there already.
    """
    raw = encode(contact)
    signed = encode(SignedContact(raw=raw, signature=identity.sign(CONTACT_LABEL, raw)))
    path = place / (identity.public.hex() + _SUFFIX)
    draft = path.with_suffix(f".{os.getpid()}.draft")
    try:
        place.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(signed)
        draft.replace(path)
    except OSError as error:
        raise RuntimeFault(f"cannot write into the meeting place {place}: {error.strerror}") from None
    try:
        yield
    finally:
        # The meeting place is free for the next table; whoever has met knows the contact by now.
        path.unlink(missing_ok=True)


async def meet(place: Path, players: int, limit_s: float) -> Table:
    """Wait until `players` contacts lie in the meeting place, and seat them.

    Raises `Unreachable` after `limit_s`, `Refused` if the peers come to different tables or are too many,
    `PeerFault` for a contact that is none.
    """
    until_ms = now_ms() + int(limit_s * 1000)
    while True:
        files = sorted(place.glob(f"*{_SUFFIX}"))
        contacts = _read_all(files)
        other = next((contact.players for contact in contacts if contact.players != players), None)
        if other is not None:
            raise Refused(f"at {place} somebody waits for a table of {other}, not of {players}")
        if len(contacts) > players:
            left = "if some are left from an earlier match, use a new directory"
            raise Refused(f"{len(contacts)} peers came to {place} for a table of {players}; {left}")
        if len(contacts) == players:
            return _seat(contacts)
        if now_ms() >= until_ms:
            raise Unreachable(f"only {len(files)} of {players} peers came to the meeting place {place}")
        await asyncio.sleep(_LOOK_AGAIN_S)


def _read_all(files: list[Path]) -> list[Contact]:
    """The contacts that lie there; one that is taken away meanwhile is none."""
    contacts = []
    for file in files:
        with suppress(FileNotFoundError):
            contacts.append(read_contact(file.read_bytes()))
    return contacts


def _seat(contacts: list[Contact]) -> Table:
    """A seat goes to who wishes it, to the lowest identity key if several do; the rest fill up in order."""
    players = len(contacts)
    seats: dict[int, Contact] = {}
    others = []
    for contact in sorted(contacts, key=lambda contact: contact.identity):
        if 0 <= contact.wish < players and contact.wish not in seats:
            seats[contact.wish] = contact
        else:
            others.append(contact)
    free = (seat for seat in range(players) if seat not in seats)
    seats.update(dict(zip(free, others, strict=False)))
    seated = [seats[seat] for seat in range(players)]
    curves = tuple(PublicKey(contact.curve) for contact in seated)
    if len({contact.identity for contact in seated}) < players or len(set(curves)) < players:
        raise PeerFault(Fault.BAD_KEY, "two peers share a key")
    addresses = {PublicKey(contact.curve): contact.address for contact in seated}
    return Table(tuple(contact.identity for contact in seated), curves, addresses)


def seat_of(table: Table, identity: Identity) -> Seat:
    """The own seat. Raises `Unreachable` if the own contact is not at the table."""
    if identity.public not in table.roster:
        raise Unreachable("the own contact is not at the meeting place any more")
    return Seat(table.roster.index(identity.public))
