"""ZeroMQ full mesh: moves opaque bytes between peers that are known by their CURVE public keys.

Each peer binds one ROUTER (CURVE server) to receive, and has one DEALER to each other peer to send. Knows no
match, no seat, and nothing of what the bytes say. Invariants:

1. Only admitted keys get in, and only what an admitted key sent arrives. The sender of an arrival is the key
   that the CURVE handshake proved, whatever the message says.
2. Messages of one peer arrive in the order in which they were sent. A lost connection may lose some of them.
3. `send` never blocks, and what is held back for a slow or dead peer is bounded in messages and bytes. So is
   what arrived from one and was not asked for; what goes beyond is dropped.
4. An arrival is stamped as it is read, before anything is done with it.

Known limit: ZeroMQ 4.3 bounds the parts of a message in size and not in number, so an admitted peer that
sends one message of endless parts fills our memory. Strangers cannot: they never get past the handshake.

Section "Transport" of protocol.md.
"""

import asyncio
import selectors
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import msgspec
import zmq
from zmq.utils import z85

from kemps_p2p.errors import PortTaken, RuntimeFault, Unreachable
from kemps_p2p.runtime.links import (
    ARRIVED_BYTES,
    ARRIVED_MESSAGES,
    HANDSHAKE_MS,
    Link,
    LinkChange,
    LinkLimits,
    LinkState,
    Monitor,
    now_ms,
    wall_ms,
)
from kemps_p2p.runtime.zap import CurveKeys, Door, PublicKey, user_id

__all__ = [
    "Arrival",
    "CurveKeys",
    "Door",
    "LinkChange",
    "LinkState",
    "Mesh",
    "PublicKey",
    "TurnedAway",
    "new_event_loop",
    "now_ms",
    "wall_ms",
]

READ_AT_ONCE_MAX = 4096
CURVE_BYTES = 33
"""What CURVE adds to a message: command name 8, nonce 8, flags 1, authenticator 16."""


class Arrival(msgspec.Struct, frozen=True, gc=False):
    """One message: who sent it, what, and when it was read (monotonic clock)."""

    peer: PublicKey
    data: bytes
    at_ms: int


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """How often something was kept out, by kind, at least; a client that hangs up first is not seen.

    The counts blame nobody: any stranger can raise them.
    """

    strangers: int
    """Valid CURVE handshakes with a key that is not admitted."""
    wrong_server_key: int
    """Hellos made for another server key, or none at all."""
    not_curve: int
    """Clients with another mechanism, plaintext first of all."""
    malformed: int
    """Messages of admitted peers that were not one part, dropped."""
    unheard: int
    """Messages of peers that were admitted once and are no longer, dropped."""
    beyond: int
    """Messages of peers that sent more than is kept of one, dropped."""


def new_event_loop() -> asyncio.AbstractEventLoop:
    """An event loop that can watch ZeroMQ's descriptors, on Windows too, where the default one cannot."""
    return asyncio.SelectorEventLoop(selectors.DefaultSelector())


def _is_readable(socket: "zmq.Socket[bytes]") -> bool:
    events = socket.getsockopt(zmq.EVENTS)
    return isinstance(events, int) and bool(events & zmq.POLLIN)


class Mesh:
    """One peer's end of the full mesh. Nothing opens before `open`.

    `message_bytes_max` is exact, both ways. `queue_*_max` bound what is held back for each peer. `door` is
    the door (and with it the ZeroMQ context) shared by several meshes of one process; its owner opens and
    closes it. Without one, the mesh has its own.
    """

    def __init__(
        self,
        *,
        message_bytes_max: int,
        bind: str = "tcp://127.0.0.1:0",
        keys: CurveKeys | None = None,
        queue_messages_max: int = 4096,
        queue_bytes_max: int = 16 * 1024 * 1024,
        batch_messages_max: int = 256,
        linger_ms: int = 300,
        door: Door | None = None,
    ) -> None:
        self._keys = CurveKeys.generate() if keys is None else keys
        self._bind = bind
        self._message_bytes_max = message_bytes_max
        self._limits = LinkLimits(queue_messages_max, queue_bytes_max)
        self._batch_messages_max = batch_messages_max
        self._linger_ms = linger_ms
        self._owns_door = door is None
        self._door = Door() if door is None else door
        self._domain = f"kemps-{user_id(self._keys.public)}"
        self._address = ""
        self._router: zmq.Socket[bytes] | None = None
        self._router_monitor: Monitor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._links: dict[PublicKey, Link] = {}
        self._by_user_id: dict[str, PublicKey] = {}
        self._inbox: deque[Arrival] = deque()
        self._waiting: Counter[PublicKey] = Counter()
        self._waiting_bytes: Counter[PublicKey] = Counter()
        self._waiter: asyncio.Future[None] | None = None
        self._handler: Callable[[list[Arrival]], None] | None = None
        self._changes: dict[PublicKey, LinkChange] = {}
        self._changed = asyncio.Event()
        self._is_closed = False
        self._wrong_server_key_count = 0
        self._not_curve_count = 0
        self._malformed_count = 0
        self._unheard_count = 0
        self._beyond_count = 0

    @property
    def public_key(self) -> PublicKey:
        """The CURVE key that names this peer to the others."""
        return self._keys.public

    @property
    def keys(self) -> CurveKeys:
        """The key pair of this peer: who holds it is this peer to the others."""
        return self._keys

    @property
    def address(self) -> str:
        """Where this peer listens, with the port that was really taken; empty until open."""
        return self._address

    @property
    def turned_away(self) -> TurnedAway:
        """What has been kept out so far."""
        return TurnedAway(
            strangers=self._door.strangers(self._domain),
            wrong_server_key=self._wrong_server_key_count,
            not_curve=self._not_curve_count,
            malformed=self._malformed_count,
            unheard=self._unheard_count,
            beyond=self._beyond_count,
        )

    async def open(self) -> None:
        """Start the door if it is ours, and listen. Nobody is admitted yet.

        Raises `RuntimeFault` if the address cannot be bound or the event loop cannot watch sockets.
        """
        if self._router is not None or self._is_closed:
            raise RuntimeFault("the mesh was opened before")
        loop = self._loop = asyncio.get_running_loop()
        if self._owns_door:
            self._door.open()
        router = self._door.context.socket(zmq.ROUTER)
        try:
            self._set_up(router)
            self._router_monitor = Monitor(
                self._door.context, router, zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL, loop, self._count_failure
            )
            router.bind(self._bind)
        except zmq.ZMQError as error:
            if self._router_monitor is not None:
                self._router_monitor.close()
            router.close(linger=0)
            if self._owns_door:
                await self._door.close()
            reason = zmq.strerror(error.errno or 0)
            kind = PortTaken if error.errno == zmq.EADDRINUSE else Unreachable
            raise kind(f"cannot listen on {self._bind}: {reason}") from None
        self._router = router
        self._address = router.getsockopt_string(zmq.LAST_ENDPOINT, "ascii")
        self._door.admit(self._domain, ())
        self._watch()

    def _set_up(self, router: "zmq.Socket[bytes]") -> None:
        router.setsockopt(zmq.HANDSHAKE_IVL, HANDSHAKE_MS)
        router.linger = 0
        # No mark: see `_drain`.
        router.rcvhwm = 0
        router.setsockopt(zmq.MAXMSGSIZE, self._message_bytes_max + CURVE_BYTES)
        # Nothing is sent on this socket; if ever something is, it must not vanish without a word.
        router.setsockopt(zmq.ROUTER_MANDATORY, 1)
        router.setsockopt(zmq.IPV6, 1 if "[" in self._bind else 0)
        router.curve_server = True
        router.curve_publickey = z85.encode(self._keys.public)
        router.curve_secretkey = z85.encode(self._keys.secret)
        router.zap_domain = self._domain.encode("ascii")
        # Without this, CURVE lets everybody in when no authenticator answers.
        router.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)

    def listen(self, address: str) -> None:
        """Listen at one more address, until closed. Raises `Unreachable`."""
        _, router = self._opened()
        try:
            router.bind(address)
        except zmq.ZMQError as error:
            raise Unreachable(f"cannot listen on {address}: {zmq.strerror(error.errno or 0)}") from None

    def admit(self, peers: Mapping[PublicKey, str | None]) -> None:
        """Let exactly these peers in, and connect to those whose address is known.

        Call it again with the whole table when a peer comes, goes or moves; links that do not change stay as
        they are. A peer left out is not heard from that moment on, though its connection stands until it
        ends it. None as an address: let it in, it has not said where it listens.
        """
        loop, _ = self._opened()
        if self.public_key in peers:
            raise ValueError("a peer does not admit itself")
        self._door.admit(self._domain, peers)
        self._by_user_id = {user_id(peer): peer for peer in peers}
        for peer in [peer for peer in self._links if peers.get(peer) is None]:
            self._links.pop(peer).close(linger_ms=0)
            self._changes.pop(peer, None)
        for peer, address in peers.items():
            if address is None:
                continue
            link = self._links.get(peer)
            if link is None:
                link = Link(
                    context=self._door.context,
                    loop=loop,
                    keys=self._keys,
                    peer=peer,
                    limits=self._limits,
                    changed=self._note,
                )
                self._links[peer] = link
            if link.address != address:
                link.connect(address)

    def send(self, peer: PublicKey, data: bytes) -> bool:
        """Send `data`, or hold it back until the link is up. Never blocks.

        False if nothing was taken: the queue to this peer is full, or there is no link to it.
        """
        if len(data) > self._message_bytes_max:
            raise ValueError(f"{len(data)} bytes are more than {self._message_bytes_max}")
        link = self._links.get(peer)
        return link is not None and link.send(data)

    async def receive(self) -> list[Arrival]:
        """Wait for at least one message, then return all that have arrived (`batch_messages_max` at most).

        One task at a time may wait. Raises `RuntimeFault` once the mesh is closed.
        """
        while not self._inbox:
            loop, _ = self._opened()
            self._waiter = loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._take()

    def arrived(self) -> list[Arrival]:
        """What has arrived until now, without waiting; look here before acting on the own player's click."""
        self._drain()
        return self._take()

    def deliver(self, handler: Callable[[list[Arrival]], None] | None) -> None:
        """Hand arrivals to `handler` straight from the loop's read callback, in place of `receive`.

        Saves a pass of the loop and a task switch on every hop. The handler gets batches in order. It must
        not raise, since nobody awaits it. None ends this.
        """
        loop, _ = self._opened()
        self._handler = handler
        loop.call_soon(self._on_readable)

    def links(self) -> Mapping[PublicKey, LinkState]:
        """The state of every link, as of now."""
        return MappingProxyType({peer: link.state for peer, link in self._links.items()})

    def up_counts(self) -> Mapping[PublicKey, int]:
        """How often each link has come up. One that was down for a moment in between has lost messages."""
        return {peer: link.up_count for peer, link in self._links.items()}

    async def link_changes(self) -> list[LinkChange]:
        """Wait for at least one link to change, then return the latest change of each that did.

        A link that went down and came up again between two calls is reported as up. Raises `RuntimeFault`
        once the mesh is closed.
        """
        while not self._changes:
            self._opened()
            self._changed.clear()
            await self._changed.wait()
        changes = list(self._changes.values())
        self._changes.clear()
        return changes

    async def close(self) -> None:
        """Close for good; messages already sent to peers that are there get `linger_ms` to leave.

        Whoever waits in `receive` or `link_changes` gets a `RuntimeFault`.
        """
        if self._is_closed:
            return
        self._is_closed = True
        router, self._router = self._router, None
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        self._changed.set()
        if router is None or self._loop is None:
            return
        self._loop.remove_reader(router.FD)
        linger_s = self._linger_ms / 1000
        await asyncio.gather(*(link.flush(linger_s) for link in self._links.values()))
        if self._router_monitor is not None:
            self._router_monitor.close()
        for link in self._links.values():
            link.close(self._linger_ms)
        self._links.clear()
        self._changes.clear()
        router.close(linger=0)
        self._door.shut(self._domain)
        if self._owns_door:
            await self._door.close()

    # Reading.

    def _opened(self) -> "tuple[asyncio.AbstractEventLoop, zmq.Socket[bytes]]":
        if self._loop is None or self._router is None:
            raise RuntimeFault("the mesh is closed" if self._is_closed else "the mesh is not open")
        return self._loop, self._router

    def _take(self) -> list[Arrival]:
        """The oldest that have arrived; the rest is handed over in the next pass of the loop."""
        batch = [self._inbox.popleft() for _ in range(min(len(self._inbox), self._batch_messages_max))]
        for arrival in batch:
            self._waiting[arrival.peer] -= 1
            self._waiting_bytes[arrival.peer] -= len(arrival.data)
        if self._inbox and self._loop is not None:
            self._loop.call_soon(self._on_readable)
        return batch

    def _watch(self) -> None:
        loop, router = self._opened()
        loop.add_reader(router.FD, self._on_readable)
        # The descriptor signals edges, and one may have come before this watch.
        loop.call_soon(self._on_readable)

    def _on_readable(self) -> None:
        self._drain()
        if self._inbox:
            if self._handler is not None:
                self._handler(self._take())
            elif self._waiter is not None and not self._waiter.done():
                self._waiter.set_result(None)

    def _drain(self) -> None:
        """Read all that has come, and keep what there is room for.

        Reading never stops: a connection that is lost while it does makes libzmq 4.3 end the process if the
        peer's beats wait among what was not read. So it is here that a flood meets its bounds.
        """
        router, inbox = self._router, self._inbox
        if router is None:
            return
        # Asking costs half of what a refused read does. Once this says no, the next message signals anew.
        for _ in range(READ_AT_ONCE_MAX):
            if not _is_readable(router):
                return
            router.recv(zmq.NOBLOCK)
            frame = router.recv(zmq.NOBLOCK, copy=False)
            at_ms = now_ms()
            if frame.more:
                self._drop_parts(router)
                continue
            # Who was removed after its handshake is connected still; it is not heard.
            peer = self._by_user_id.get(str(frame.get("User-Id")))
            if peer is None:
                self._unheard_count += 1
                continue
            size = self._waiting_bytes[peer] + len(frame)
            if self._waiting[peer] >= ARRIVED_MESSAGES or size > ARRIVED_BYTES:
                self._beyond_count += 1
                continue
            self._waiting[peer] += 1
            self._waiting_bytes[peer] = size
            inbox.append(Arrival(peer, frame.bytes, at_ms))
        if self._loop is not None:
            self._loop.call_soon(self._on_readable)

    def _drop_parts(self, router: "zmq.Socket[bytes]") -> None:
        self._malformed_count += 1
        while router.getsockopt(zmq.RCVMORE):
            router.recv(zmq.NOBLOCK)

    # Monitors.

    def _note(self, change: LinkChange) -> None:
        self._changes[change.peer] = change
        self._changed.set()

    def _count_failure(self, _event: int, value: int) -> None:
        if value == zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH:
            self._not_curve_count += 1
        elif value == zmq.PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC:
            self._wrong_server_key_count += 1
