"""What hosts and joiners share while a table fills: who one is, whom one knows, how seats are drawn.

Knows no connection. Invariants:

1. A known name is believed only with its own key, unless the person says otherwise.
2. A lot is shown once, after everybody has committed to one.

Section "Joining" of protocol.md.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from kemps_p2p.codec import Digest
from kemps_p2p.errors import NotSeated, PeerFault, RuntimeFault, Unreachable, Unwelcome
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.addresses import PEER_PORTS, Place, everywhere, is_loopback
from kemps_p2p.runtime.guests import (
    PERSON,
    Guest,
    SignedGuest,
    lot_commitment,
    read_guest,
    seat_guests,
    sign_guest,
)
from kemps_p2p.runtime.known import KnownPlayers, Standing
from kemps_p2p.runtime.meeting import Contact, Table
from kemps_p2p.runtime.transport import Mesh
from kemps_p2p.runtime.zap import CurveKeys
from kemps_p2p.session.journal import Journal
from kemps_p2p.session.messages import MESSAGE_BYTES_MAX, PROTOCOL_VERSION

SILENCE_S = 8.0
STEP_S = 10.0
"""Between two words of a host or a joiner while nobody has to be asked."""

Entropy = Callable[[int], bytes]
Trusts = Callable[[str, bytes, bytes], Awaitable[bool]]
"""Asks the person: this name was known with that key and comes with this one now; is that right?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer:
    """Who this peer is and what it would like.

    `wish`: a seat, or -1. `partner`: a name, or empty. `bind` and `port`: where it listens at the table; None
    for where it is reached, and for any port that is free.
    """

    identity: Identity
    name: str
    wish: int
    partner: str
    player: int
    known: KnownPlayers
    trusts: Trusts
    bind: str | None = None
    port: int | None = None

    def guest(self, mesh: Mesh, host: str, players: int) -> SignedGuest:
        """What it says of itself to those who reach it at `host`."""
        port = int(mesh.address.rpartition(":")[2])
        contact = Contact(
            version=PROTOCOL_VERSION,
            identity=self.identity.public,
            curve=mesh.public_key,
            address=Place(host, port).endpoint,
            players=players,
            wish=self.wish,
        )
        guest = Guest(contact=contact, name=self.name, partner=self.partner, player=self.player)
        return sign_guest(self.identity, guest)


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The code is right, and this is played here."""

    table: str
    players: int
    rules: RuleSet


@dataclass(frozen=True, slots=True)
class Came:
    """Somebody sits at the table now; `here` of `players` do."""

    guest: Guest
    here: int
    players: int


@dataclass(frozen=True, slots=True)
class Went:
    """Somebody has left before the match; `here` of `players` are left."""

    name: str
    here: int
    players: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """So many players are still to come."""

    players: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """All are here: seats are drawn."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """A table that is complete. `mesh` is open and lets nobody in yet; `people`: all, the host first.

    `again`: the match is on, and this peer sits in it: it has come back without its files.
    """

    table: Table
    names: tuple[str, ...]
    rules: RuleSet
    mesh: Mesh
    people: tuple[Guest, ...]
    again: Journal | None = None

    def remember(self, me: Newcomer) -> None:
        """Keep the people of this table among the known players; bots have new keys as they please."""
        for guest in self.people:
            if guest.player == PERSON and guest.contact.identity != me.identity.public:
                me.known.remember(guest.name, guest.contact.identity)


class Draw:
    """One try to draw seats: the own lot, and what all have committed to. `mine`: our place there."""

    def __init__(self, number: int, people: Sequence[Guest], mine: int, lot: bytes) -> None:
        self.round, self.people, self.lot = number, tuple(people), lot
        self.commitment = lot_commitment(lot)
        self._mine = mine
        self._commitments: tuple[Digest, ...] = ()

    @property
    def is_committed(self) -> bool:
        """True once all commitments are here, and so the own lot may be shown."""
        return bool(self._commitments)

    def commit(self, commitments: tuple[Digest, ...]) -> None:
        """Take in everybody's commitments. Raises `NotSeated` if ours is not in its place."""
        if len(commitments) != len(self.people) or commitments[self._mine] != self.commitment:
            raise NotSeated(Unwelcome.BAD_WORDS, "a lot that is not ours")
        self._commitments = commitments

    def seat(self, lots: tuple[bytes, ...]) -> tuple[Table, tuple[str, ...]]:
        """Who sits where, and names by seat. Raises `NotSeated` for a lot that was not committed to."""
        try:
            return seat_guests(self.people, self._commitments, lots)
        except PeerFault as fault:
            raise NotSeated(Unwelcome.BAD_WORDS, fault.code.value) from None


def read_other(signed: SignedGuest) -> Guest:
    """A guest as the other side of a join presents it. Raises `NotSeated`."""
    try:
        return read_guest(signed)
    except PeerFault as fault:
        raise NotSeated(Unwelcome.BAD_WORDS, fault.code.value) from None


async def check_known(me: Newcomer, guest: Guest) -> None:
    """Raise `NotSeated` for a name whose key was another one, unless the person accepts it."""
    key = guest.contact.identity
    was = me.known.key_of(guest.name)
    if was is None or me.known.standing(guest.name, key) is not Standing.OTHER_KEY:
        return
    if not await me.trusts(guest.name, was, key):
        raise NotSeated(Unwelcome.KNOWN_NAME_NEW_KEY, guest.name)
    me.known.remember(guest.name, key)


async def open_mesh(me: Newcomer, host: str, keys: CurveKeys | None = None) -> Mesh:
    """Listen for the table where others reach us: at a port that is told, or one of `PEER_PORTS`, or any.

    `keys`: those by which the others know us; else fresh ones. Raises `Unreachable` if a port that is told is
    taken.
    """
    bind = me.bind
    if bind is None:
        # Whoever reaches the host by loopback is on its machine, and others may come from elsewhere.
        bind = everywhere(host) if is_loopback(host) else host
    ports = (me.port,) if me.port is not None else (*PEER_PORTS, 0)
    for port in ports:
        mesh = Mesh(message_bytes_max=MESSAGE_BYTES_MAX, bind=Place(bind, port).endpoint, keys=keys)
        try:
            await mesh.open()
        except Unreachable:
            if port == ports[-1]:
                raise
        else:
            return mesh
    raise RuntimeFault("there is no port to listen on")
