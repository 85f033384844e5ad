"""Peers that move: links follow whoever gets another address in a running match, this peer included.

A carrier that is a mesh and its table. It looks at its interfaces and links every second, tells the others
when it listens elsewhere, passes on what others have told, and tries other addresses where a link is down.
Invariants:

1. A link that is up is left alone.
2. Wherever a word leads, only the peer with the CURVE key of the table is spoken to there.
3. What this peer knows of where others listen is on disk, for the time after a crash.

Section "Transport" of protocol.md.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from kemps_p2p.errors import PeerFault, Unreachable
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.addresses import (
    Interface,
    Place,
    everywhere,
    interfaces,
    is_loopback,
    read_place,
    shared_addresses,
)
from kemps_p2p.runtime.meeting import Table
from kemps_p2p.runtime.seeking import Seeker
from kemps_p2p.runtime.transport import Arrival, LinkState, Mesh, PublicKey, now_ms
from kemps_p2p.runtime.wayback import WayBack
from kemps_p2p.runtime.whereabouts import (
    PLACES_MAX,
    Whereabouts,
    in_order,
    read_whereabouts,
    sign_whereabouts,
)
from kemps_p2p.session.messages import Moved, pack, read_message

T = TypeVar("T")

LOOK_S = 1.0
TRY_MS = 2500
"""How long one address of a peer is tried before the next."""
SEEK_MS = 3000
"""How long a peer is missing before it is looked for by multicast."""

_MOVED_LEAD = pack(Moved(raw=b"", signature=b""))[:2]
"""The first bytes of every `Moved` and of no other message: the head of its array, and its tag."""


@dataclass(slots=True)
class _Way:
    """The way to one peer. `first`: its address at the table; `sought`: where multicast says that it is."""

    first: str
    address: str
    word: Whereabouts | None = None
    sought: tuple[str, ...] = ()
    next: int = 0
    tried_ms: int = 0
    """When `address` was first tried, or last up."""
    up_ms: int = 0
    """When it was last up."""

    def candidates(self, known: Iterable[Interface]) -> list[str]:
        """Where it may be, the likeliest first; nowhere, for one that came later and has not told."""
        told = () if self.word is None else self.word.addresses
        ordered = in_order([*told, *self.sought], self.first, known)
        return [each for each in dict.fromkeys([*ordered, self.first]) if each]


class Roaming:
    """The carrier of one peer at a table. `identity`: its own; `way_back`: what it keeps for a crash."""

    def __init__(
        self,
        mesh: Mesh,
        identity: Identity,
        table: Table,
        way_back: WayBack,
        look: Callable[[], tuple[Interface, ...]] = interfaces,
    ) -> None:
        self._mesh, self._identity, self._way_back, self._look_around = mesh, identity, way_back, look
        keys = table.roster if table.observer is None else (*table.roster, table.observer)
        # A rematch has no observer, though its peers may have met with one.
        self._identities = dict(zip(table.curves, keys, strict=False))
        others = [curve for curve in table.curves if curve != mesh.public_key]
        self._ways = {curve: _Way(table.addresses[curve], table.addresses[curve]) for curve in others}
        self._guests: set[PublicKey] = set()
        """Those who are let in beside the peers of the table."""
        self._said: dict[PublicKey, Moved] = {}
        self._number = 0
        self._news: set[PublicKey] = set()
        self._told: dict[PublicKey, int] = {}
        """The connection to each peer on which it has been told all that is known."""
        self._up: set[PublicKey] = set()
        bound = read_place(mesh.address.removeprefix("tcp://"))
        assert bound is not None, "a mesh that is open listens at an address of numbers"
        self._bound = bound
        self._listening = {bound.host}
        self._hosts = self._own_hosts(look())
        self._at_table = table.addresses[mesh.public_key]
        self._seeker = Seeker(mesh.public_key, Place(everywhere(bound.host), bound.port), self._sought)
        self._admit()

    # As a carrier

    @property
    def public_key(self) -> PublicKey:
        """By what the others know this peer."""
        return self._mesh.public_key

    def deliver(self, handler: Callable[[list[Arrival]], None] | None) -> None:
        """Hand arrivals to `handler`, apart from the words that are for this carrier."""
        if handler is None:
            self._mesh.deliver(None)
            return

        def handle(arrivals: list[Arrival]) -> None:
            left = self._without_words(arrivals)
            if left:
                handler(left)

        self._mesh.deliver(handle)

    def arrived(self) -> list[Arrival]:
        """What has arrived and was not handed over yet."""
        return self._without_words(self._mesh.arrived())

    def send(self, peer: PublicKey, data: bytes) -> bool:
        """Send to a peer; False if it cannot be taken."""
        return self._mesh.send(peer, data)

    def let_in(self, guests: Mapping[PublicKey, bytes]) -> None:
        """Let exactly these in beside those of the table; they tell where they listen."""
        for peer in self._guests - guests.keys():
            for known in (self._ways, self._identities, self._said, self._told):
                known.pop(peer, None)
        now = now_ms()
        for peer in guests.keys() - self._ways.keys() - {self.public_key}:
            self._ways[peer] = _Way("", "", tried_ms=now, up_ms=now)
            self._identities[peer] = guests[peer]
        self._guests = {peer for peer in guests if peer in self._ways}
        self._news &= self._said.keys()
        self._admit()

    # From start to end

    def come_back(self, moves: Iterable[Moved]) -> None:
        """After a crash: this peer may listen elsewhere by now. `moves`: what it knew of who has moved."""
        for moved in moves:
            self._take(moved)
        self._hosts = ()

    async def along(self, playing: Awaitable[T], *reaching: Coroutine[Any, Any, None]) -> T:
        """Follow the others while something is awaited. `reaching`: what may find that it cannot go on.

        Raises what these raise, and `RuntimeFault`.
        """
        now = now_ms()
        for way in self._ways.values():
            way.tried_ms = way.up_ms = now
        played = asyncio.ensure_future(playing)
        beside = [asyncio.create_task(each) for each in (self._watch(), *reaching)]
        try:
            while not played.done():
                for task in [task for task in beside if task.done()]:
                    task.result()
                    beside.remove(task)
                await asyncio.wait({played, *beside}, return_when=asyncio.FIRST_COMPLETED)
            return await played
        finally:
            for each in (played, *beside):
                each.cancel()
            await asyncio.gather(played, *beside, return_exceptions=True)
            await self._seeker.close()

    async def _watch(self) -> NoReturn:
        while True:
            self.look()
            await asyncio.sleep(LOOK_S)

    def look(self) -> None:
        """See who is up, whether this peer has moved, and try elsewhere where a link is down."""
        # Whoever listens on loopback alone goes nowhere.
        known = () if is_loopback(self._bound.host) else self._look_around()
        self._mind_own(known)
        now = now_ms()
        up = {peer for peer, state in self._mesh.links().items() if state is LinkState.UP}
        for peer in up:
            self._ways[peer].tried_ms = self._ways[peer].up_ms = now
        ups = self._mesh.up_counts()
        for peer in up:
            if ups[peer] != self._told.get(peer):
                for moved in self._said.values():
                    self._mesh.send(peer, pack(moved))
                self._told[peer] = ups[peer]
        self._up = up
        missing = [peer for peer in self._ways if peer not in up]
        for peer in missing:
            self._try_elsewhere(peer, known, now)
        if not is_loopback(self._bound.host):
            self._seeker.look_for([peer for peer in missing if now - self._ways[peer].up_ms >= SEEK_MS])
        if self._news:
            self._pass_on()

    def _pass_on(self) -> None:
        """Tell the others what is new, and keep it: once in a look, however often a peer speaks."""
        for peer in self._news:
            data = pack(self._said[peer])
            for other in self._up - {peer}:
                self._mesh.send(other, data)
        self._news.clear()
        self._way_back.moved(tuple(self._said.values()))

    # This peer

    def _own_hosts(self, known: tuple[Interface, ...]) -> tuple[str, ...]:
        """Where this machine can be reached at the port of this peer; none if it is on no network."""
        bound = self._bound.host
        if is_loopback(bound):
            return (bound,)
        all_of_kind = shared_addresses(everywhere(bound), known)
        real = tuple(host for host in all_of_kind if not is_loopback(host))
        return (bound,) if bound in real else real[:PLACES_MAX]

    def _mind_own(self, known: tuple[Interface, ...]) -> None:
        """Listen where this machine is now, and tell the others if that is elsewhere than before."""
        hosts = self._own_hosts(known)
        if not hosts or hosts == self._hosts:
            return
        is_first, self._hosts = not self._hosts, hosts
        if self._bound.host != everywhere(self._bound.host) and not all(map(self._listens, hosts)):
            # An address may have gone again, or the port is another's there: the next look tries anew.
            self._hosts = ()
            return
        addresses = tuple(Place(host, self._bound.port).endpoint for host in hosts)
        own = self._said.get(self.public_key)
        if is_first and own is None and self._at_table in addresses:
            return
        self._number += 1
        word = Whereabouts(curve=self.public_key, addresses=addresses, number=self._number)
        self._note(self.public_key, sign_whereabouts(self._identity, word))

    def _listens(self, host: str) -> bool:
        """Listen at an address of this machine; False if that cannot be."""
        if host not in self._listening:
            try:
                self._mesh.listen(Place(host, self._bound.port).endpoint)
            except Unreachable:
                return False
            self._listening.add(host)
        return True

    # The others

    def _without_words(self, arrivals: list[Arrival]) -> list[Arrival]:
        left = [arrival for arrival in arrivals if not arrival.data.startswith(_MOVED_LEAD)]
        if len(left) < len(arrivals):
            for arrival in arrivals:
                if arrival.data.startswith(_MOVED_LEAD):
                    self._hear(arrival.data)
        return left

    def _hear(self, data: bytes) -> None:
        try:
            moved = read_message(data)
        except PeerFault:
            # It leads nowhere, and no signature says whose it is.
            return
        if isinstance(moved, Moved):
            self._take(moved)

    def _take(self, moved: Moved) -> None:
        """Believe where a peer says that it listens, if that is news."""
        try:
            word = read_whereabouts(moved, self._identities)
        except PeerFault:
            # Passed on by anybody, it proves nothing about anybody.
            return
        peer = PublicKey(word.curve)
        if peer == self.public_key:
            # Said before a crash, or before a backup was played back: what comes next counts beyond it.
            if word.number > self._number:
                self._number = word.number
                self._hosts = ()
                self._said[peer] = moved
            return
        way = self._ways[peer]
        if way.word is not None and way.word.number >= word.number:
            return
        way.word, way.next, way.tried_ms = word, 0, min(way.tried_ms, now_ms() - TRY_MS)
        self._note(peer, moved)

    def _note(self, peer: PublicKey, moved: Moved) -> None:
        """Keep a word, to be passed on."""
        self._said[peer] = moved
        self._news.add(peer)

    def _sought(self, peer: PublicKey, addresses: tuple[str, ...]) -> None:
        """Multicast says that a peer which is missing listens there."""
        way = self._ways[peer]
        if addresses != way.sought:
            way.sought, way.next, way.tried_ms = addresses, 0, now_ms() - TRY_MS

    def _try_elsewhere(self, peer: PublicKey, known: tuple[Interface, ...], now: int) -> None:
        way = self._ways[peer]
        candidates = way.candidates(known)
        if candidates in ([], [way.address]) or now - way.tried_ms < TRY_MS:
            return
        address = candidates[way.next % len(candidates)]
        way.next += 1
        if address == way.address:
            address = candidates[way.next % len(candidates)]
            way.next += 1
        way.address, way.tried_ms = address, now
        self._admit()

    def _admit(self) -> None:
        self._mesh.admit({peer: way.address or None for peer, way in self._ways.items()})
