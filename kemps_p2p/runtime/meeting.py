"""A meeting place on one machine: a directory in which peers leave signed contacts and find the others'.

It only introduces: who may sit down where follows from the contacts, the same for all. Nothing secret is in
a contact. Section "Meeting" of protocol.md.
"""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from kemps_p2p.codec import Digest, Record, decode, encode, tagged_hash
from kemps_p2p.errors import Fault, PeerFault, Refused, RuntimeFault, Unreachable
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity, verify
from kemps_p2p.runtime.transport import PublicKey, now_ms
from kemps_p2p.session.messages import PROTOCOL_VERSION

CONTACT_LABEL = "kemps/v1/contact"
CONTACT_BYTES_MAX = 4096
WATCH = -2
"""The wish of whoever comes to watch and wants no seat."""
_SUFFIX = ".contact"
_LOOK_AGAIN_S = 0.03


class Contact(Record, frozen=True):
    """How to reach a peer: its identity, the CURVE key of this process, its address; what table it comes to.

    `wish`: the seat it would like, -1 for any, -2 for none: it comes to watch.
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
    """Who sits where: identity keys by seat, and how to reach each.

    `observer`: the identity key of the witness without a seat, if there is one; its CURVE key is the last.
    """

    roster: tuple[bytes, ...]
    curves: tuple[PublicKey, ...]
    addresses: Mapping[PublicKey, str]
    observer: bytes | None = None

    @property
    def digest(self) -> Digest:
        """Names this meeting."""
        return meeting_digest(self.curves)


def meeting_digest(curves: Sequence[PublicKey]) -> Digest:
    """Names a meeting by its CURVE keys, which are fresh for every process."""
    return tagged_hash("kemps/v1/meeting", *curves)


def read_contact(data: bytes) -> Contact:
    """Decode and verify a contact. Raises `PeerFault`."""
    if len(data) > CONTACT_BYTES_MAX:
        raise PeerFault(Fault.TOO_LARGE, "a contact is too large")
    signed = decode(data, SignedContact)
    contact = decode(signed.raw, Contact)
    check_contact(contact)
    verify(contact.identity, CONTACT_LABEL, signed.raw, signed.signature)
    return contact


def check_contact(contact: Contact) -> None:
    """Raise `PeerFault` for what no contact can be; who calls verifies signature and key."""
    if contact.version != PROTOCOL_VERSION:
        raise PeerFault(Fault.NEWER_VERSION, f"a peer speaks protocol version {contact.version}")
    if len(contact.curve) != 32:
        raise PeerFault(Fault.BAD_KEY, "a CURVE key has 32 bytes")


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


async def meet(place: Path, players: int, limit_s: float, observers: int = 0) -> Table:
    """Wait until `players` contacts lie in the meeting place, and those of `observers`, and seat them.

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
        watching = sum(contact.wish == WATCH for contact in contacts)
        if len(contacts) > players + observers or watching > observers:
            left = "if some are left from an earlier match, use a new directory"
            raise Refused(f"{len(contacts)} peers came to {place} for a table of {players}; {left}")
        if len(contacts) == players + observers:
            return seat_contacts(contacts)
        if now_ms() >= until_ms:
            expected = players + observers
            raise Unreachable(f"only {len(files)} of {expected} peers came to the meeting place {place}")
        await asyncio.sleep(_LOOK_AGAIN_S)


def _read_all(files: list[Path]) -> list[Contact]:
    """The contacts that lie there; one that is taken away meanwhile is none."""
    contacts = []
    for file in files:
        with suppress(FileNotFoundError):
            contacts.append(read_contact(file.read_bytes()))
    return contacts


def seat_contacts(
    contacts: Sequence[Contact], partners: Mapping[bytes, bytes] = MappingProxyType({}), luck: bytes = b""
) -> Table:
    """Seats go to who wishes them, then opposite ones to partners, the rest by identity key, or by lot.

    `partners`: whom an identity would like to sit opposite to. `luck`: where a draw decides, what was drawn.
    Whoever comes to watch gets no seat; there may be one such. Raises `PeerFault` if two peers share a key.
    """
    watching = [contact for contact in contacts if contact.wish == WATCH]
    if len(watching) > 1:
        raise PeerFault(Fault.MALFORMED, "a table has one observer at most")
    seating = [contact for contact in contacts if contact.wish != WATCH]
    players = len(seating)
    order = sorted(seating, key=lambda contact: _place(contact.identity, luck))
    seats: dict[int, Contact] = {}
    for contact in order:
        if 0 <= contact.wish < players and contact.wish not in seats:
            seats[contact.wish] = contact
    _seat_partners(order, partners, seats)
    others = [contact for contact in order if contact not in seats.values()]
    free = [seat for seat in range(players) if seat not in seats]
    seats.update(dict(zip(free, others, strict=True)))
    people = [*(seats[seat] for seat in range(players)), *watching]
    keys = tuple(contact.identity for contact in people)
    curves = tuple(PublicKey(contact.curve) for contact in people)
    if len(set(keys)) < len(people) or len(set(curves)) < len(people):
        raise PeerFault(Fault.BAD_KEY, "two peers share a key")
    addresses = {PublicKey(contact.curve): contact.address for contact in people}
    return Table(keys[:players], curves, addresses, keys[players] if watching else None)


def _place(identity: bytes, luck: bytes) -> bytes:
    return tagged_hash("kemps/v1/place", luck, identity) if luck else identity


def _seat_partners(
    order: Sequence[Contact], partners: Mapping[bytes, bytes], seats: dict[int, Contact]
) -> None:
    """Seat who wishes for a partner, where that is possible without moving anybody."""
    half = len(order) // 2
    for contact in order:
        wished = next((other for other in order if other.identity == partners.get(contact.identity)), None)
        if wished is None or wished == contact or contact in seats.values():
            continue
        pairs = [(seat, (seat + half) % (2 * half)) for seat in range(2 * half)]
        if wished in seats.values():
            fits = [pair for pair in pairs if pair[0] not in seats and seats.get(pair[1]) == wished]
        else:
            fits = [pair for pair in pairs if not seats.keys() & set(pair)]
        if fits:
            seat, other = fits[0]
            seats[seat], seats[other] = contact, wished


def seat_of(table: Table, identity: Identity) -> Seat:
    """The own seat; an observer's is the one after the last.

    Raises `Unreachable` if the own contact is not at the table.
    """
    if identity.public == table.observer:
        return Seat(len(table.roster))
    if identity.public not in table.roster:
        raise Unreachable("the own contact is not at the meeting place any more")
    return Seat(table.roster.index(identity.public))
