"""Who comes to a table: what a guest says of itself, signed, and what both sides of a join say once sealed.

Pure. Knows no socket. Invariants:

1. Whatever is known of a guest is signed with its identity key: the host passes it on and can change nothing.
2. Where everybody sits follows from the guests and from lots that none of them chose: each is committed to
   before any is shown.

Section "Joining" of protocol.md.
"""

from collections.abc import Sequence
from typing import TypeAlias

from kemps_p2p.codec import Digest, Record, decode, encode, tagged_hash
from kemps_p2p.errors import Fault, NotSeated, PeerFault, Unwelcome
from kemps_p2p.ledger.identity import Identity, verify
from kemps_p2p.runtime.handshake import Keys
from kemps_p2p.runtime.meeting import WATCH, Contact, Table, check_contact, seat_contacts
from kemps_p2p.session.lobby import check_name
from kemps_p2p.session.messages import NAME_CHARACTERS_MAX

GUEST_LABEL = "kemps/v1/guest"
BOUND_LABEL = "kemps/v1/join/bound"
GUEST_BYTES_MAX = 4096
TABLE_CHARACTERS_MAX = 40
LOT_BYTES = 32
PERSON, BOT = 0, 1


class Guest(Record, frozen=True):
    """Who comes, and what it would like. `partner`: the name of whom it would sit opposite to, or empty.

    `player`: 0 if a person plays the seat, 1 if a bot does; its own word.
    """

    contact: Contact
    name: str
    partner: str
    player: int

    @property
    def is_watching(self) -> bool:
        """True if it wants no seat."""
        return self.contact.wish == WATCH


class SignedGuest(Record, frozen=True):
    """A guest as it is passed on."""

    raw: bytes
    signature: bytes


# What is said in a sealed channel.


class Rules(Record, frozen=True, tag=1):
    """The host says what is played here. `rules` is the canonical text."""

    table: str
    players: int
    rules: str


class Present(Record, frozen=True, tag=2):
    """Either side says who it is."""

    guest: SignedGuest


class Bound(Record, frozen=True, tag=3):
    """A signature with the identity key under this join and what both have said of themselves in it."""

    signature: bytes


class Guests(Record, frozen=True, tag=4):
    """Who sits here by now, the host first; said whenever somebody comes or goes."""

    guests: tuple[SignedGuest, ...]


class Here(Record, frozen=True, tag=5):
    """Either side is still there; said every two seconds, so that who fell silent shows."""


class Gather(Record, frozen=True, tag=6):
    """All seats are taken, by these; each is asked for its lot. `round` counts how often this was tried."""

    round: int
    guests: tuple[SignedGuest, ...]


class Lot(Record, frozen=True, tag=7):
    """The commitment to a lot; the host gathers them in the order of the guests."""

    round: int
    commitments: tuple[Digest, ...]


class Show(Record, frozen=True, tag=8):
    """The lot itself; the host gathers them in the same order, and with all of them the table begins."""

    round: int
    lots: tuple[bytes, ...]


class Piece(Record, frozen=True, tag=10):
    """The next bytes of the host's log, for whoever watches without being the observer."""

    data: bytes


class Leave(Record, frozen=True, tag=9):
    """Whoever says this goes: the value of an `Unwelcome`, or empty, and what it speaks of."""

    reason: str
    detail: str


class Again(Record, frozen=True, tag=11):
    """The host says to who sits at the table already, and has lost all its files, what it needs to come back.

    `genesis`, `remembered`: how a journal of the match begins. `curves`, `addresses`: of all peers, by tape.
    """

    genesis: bytes
    remembered: bytes
    curves: tuple[bytes, ...]
    addresses: tuple[str, ...]


SealedWords: TypeAlias = Rules | Present | Bound | Guests | Here | Gather | Lot | Show | Leave | Piece | Again


def read_sealed(data: bytes) -> SealedWords:
    """Decode what was sealed. Raises `NotSeated` BAD_WORDS."""
    try:
        return decode(data, SealedWords)  # type: ignore[arg-type]  # a union is no type object
    except PeerFault as fault:
        raise NotSeated(Unwelcome.BAD_WORDS, fault.code.value) from None


def sign_guest(identity: Identity, guest: Guest) -> SignedGuest:
    """A guest with its own signature."""
    raw = encode(guest)
    return SignedGuest(raw=raw, signature=identity.sign(GUEST_LABEL, raw))


def read_guest(signed: SignedGuest) -> Guest:
    """Decode and verify a guest. Raises `PeerFault`."""
    if len(signed.raw) > GUEST_BYTES_MAX:
        raise PeerFault(Fault.TOO_LARGE, "a guest is too large")
    guest = decode(signed.raw, Guest)
    check_contact(guest.contact)
    verify(guest.contact.identity, GUEST_LABEL, signed.raw, signed.signature)
    check_name(guest.name)
    if len(guest.partner) > NAME_CHARACTERS_MAX or guest.player not in (PERSON, BOT):
        raise PeerFault(Fault.MALFORMED, "a guest wishes what nobody can")
    return guest


def bind(identity: Identity, keys: Keys, joiner: SignedGuest, host: SignedGuest) -> Bound:
    """Sign this very join: version, identities, CURVE keys and addresses of both, which are in the guests."""
    return Bound(signature=identity.sign(BOUND_LABEL, _bound(keys, joiner, host)))


def check_bound(bound: Bound, who: Guest, keys: Keys, joiner: SignedGuest, host: SignedGuest) -> None:
    """Raise `NotSeated` CHANGED_ON_THE_WAY unless `who` has signed this very join."""
    try:
        verify(who.contact.identity, BOUND_LABEL, _bound(keys, joiner, host), bound.signature)
    except PeerFault:
        raise NotSeated(Unwelcome.CHANGED_ON_THE_WAY) from None


def _bound(keys: Keys, joiner: SignedGuest, host: SignedGuest) -> Digest:
    return tagged_hash(BOUND_LABEL, keys.session, encode(joiner), encode(host))


def folded(name: str) -> str:
    """What two names have in common if people would take one for the other by their letters' case alone."""
    return " ".join(name.casefold().split())


def check_seats_differ(guests: Sequence[Guest]) -> None:
    """Raise `NotSeated` if two guests share a name or a key."""
    names: set[str] = set()
    keys: set[bytes] = set()
    for guest in guests:
        own = {guest.contact.identity, guest.contact.curve}
        if own & keys:
            raise NotSeated(Unwelcome.SEATED_ALREADY, guest.name)
        if folded(guest.name) in names:
            raise NotSeated(Unwelcome.NAME_TAKEN, guest.name)
        keys |= own
        names.add(folded(guest.name))


def lot_commitment(lot: bytes) -> Digest:
    """Binds a guest to its lot. A lot is 32 random bytes, so it needs no salt."""
    return tagged_hash("kemps/v1/lot", lot)


def seat_guests(
    guests: Sequence[Guest], commitments: Sequence[Digest], lots: Sequence[bytes]
) -> tuple[Table, tuple[str, ...]]:
    """Seat all guests as they wish, and by lot where they do not; names by seat, then of an observer.

    Raises `PeerFault`.
    """
    if not len(guests) == len(commitments) == len(lots):
        raise PeerFault(Fault.MALFORMED, "each guest has one lot")
    for commitment, lot in zip(commitments, lots, strict=True):
        if len(lot) != LOT_BYTES or lot_commitment(lot) != commitment:
            raise PeerFault(Fault.BAD_COMMITMENT, "a lot does not fit its commitment")
    by_name = {folded(guest.name): guest.contact.identity for guest in guests}
    partners = {
        guest.contact.identity: by_name[folded(guest.partner)]
        for guest in guests
        if folded(guest.partner) in by_name
    }
    luck = tagged_hash("kemps/v1/luck", *sorted(lots))
    table = seat_contacts([guest.contact for guest in guests], partners, luck)
    names = {guest.contact.curve: guest.name for guest in guests}
    return table, tuple(names[curve] for curve in table.curves)
