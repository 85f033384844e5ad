"""A meeting place on one machine: a directory in which peers leave signed contacts and find the others'.

It only introduces: who may sit down where follows from the contacts, the same for all. Nothing secret is in
a contact. Section "Meeting" of protocol.md.
"""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kemps_p2p.codec import Digest, Record, decode, encode, tagged_hash
from kemps_p2p.errors import Fault, PeerFault, RuntimeFault, Unreachable
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity, check_key, verify
from kemps_p2p.runtime.transport import PublicKey, now_ms
from kemps_p2p.session.messages import PROTOCOL_VERSION

CONTACT_LABEL = "kemps/v1/contact"
CONTACT_BYTES_MAX = 4096
_SUFFIX = ".contact"
_LOOK_AGAIN_S = 0.03


class Contact(Record, frozen=True):
    """How to reach a peer: its identity, the CURVE key of this process, its address, the seat it wishes."""

    version: int
    identity: bytes
    curve: bytes
    address: str
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


def leave_contact(place: Path, identity: Identity, contact: Contact) -> None:
    """Put the own contact into the meeting place, whole or not at all."""
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


async def meet(place: Path, players: int, limit_s: float) -> Table:
    """Wait until `players` contacts lie in the meeting place, and seat them.

    Raises `Unreachable` after `limit_s`, `PeerFault` for a contact that is none.
    """
    until_ms = now_ms() + int(limit_s * 1000)
    while True:
        files = sorted(place.glob(f"*{_SUFFIX}"))
        if len(files) > players:
            raise PeerFault(Fault.WRONG_SEAT, f"{len(files)} peers meet at a table for {players}")
        if len(files) == players:
            return _seat([read_contact(file.read_bytes()) for file in files])
        if now_ms() >= until_ms:
            raise Unreachable(f"only {len(files)} of {players} peers came to the meeting place {place}")
        await asyncio.sleep(_LOOK_AGAIN_S)


def _seat(contacts: list[Contact]) -> Table:
    """Seats go by wish; equal wishes by identity key."""
    seated = sorted(contacts, key=lambda contact: (contact.wish, contact.identity))
    curves = tuple(PublicKey(contact.curve) for contact in seated)
    if len({contact.identity for contact in seated}) < len(seated) or len(set(curves)) < len(seated):
        raise PeerFault(Fault.BAD_KEY, "two peers share a key")
    addresses = {PublicKey(contact.curve): contact.address for contact in seated}
    return Table(tuple(contact.identity for contact in seated), curves, addresses)


def seat_of(table: Table, identity: Identity) -> Seat:
    """The own seat. Raises `Unreachable` if the own contact is not at the table."""
    if identity.public not in table.roster:
        raise Unreachable("the own contact is not at the meeting place any more")
    return Seat(table.roster.index(identity.public))
