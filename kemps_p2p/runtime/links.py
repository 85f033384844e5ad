"""One link to one peer: a DEALER, its queue, and a monitor that says in what state it is.

Knows nothing of the other links or of what is sent. Invariants:

1. `send` never blocks and keeps the order of what it took. Held back are at most `queue_messages_max`
   messages and `queue_bytes_max` bytes, and `PIPE_MESSAGES` more inside ZeroMQ.
2. After any failure the link tries again by itself: ZeroMQ does so where it can, else the socket is made
   anew.
3. A peer that sends anything back on the link is cut off: an honest one never does. At most
   `ANSWERS_KEPT` messages of it wait for that.

Section "Transport" of protocol.md.
"""

import asyncio
import errno
import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import zmq
from zmq.utils import z85
from zmq.utils.monitor import parse_monitor_message

from kemps_p2p.runtime.probe import speaks_curve
from kemps_p2p.runtime.zap import CurveKeys, PublicKey

PIPE_MESSAGES = 64
"""High-water mark of every ZeroMQ pipe: small, so that the bounds in bytes are ours."""

ARRIVED_MESSAGES = 4096
"""What is kept of one peer until it is taken: more than a peer says until it takes us for dead.

After a stop (a laptop that slept) all of it is there at once.
"""
ARRIVED_BYTES = 32 << 20

HEARTBEAT_MS = 500
HEARTBEAT_TIMEOUT_MS = 1500
HANDSHAKE_MS = 3000
RETRY_MS = 50
RETRY_MS_MAX = 500
ANSWERS_KEPT = 1024
_ANSWER_BYTES_MAX = 4096
_ADDRESS = re.compile(r"tcp://(\[[0-9A-Fa-f:.%a-z]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")
_CUT_OFF = frozenset({errno.EPIPE, errno.ECONNRESET, zmq.ECONNRESET})

Sockets = zmq.Context[zmq.Socket[bytes]]


class LinkState(Enum):
    """What is known about the way to a peer."""

    CONNECTING = "connecting"
    """Nothing heard yet."""
    UP = "up"
    """Both keys are proven, and the peer let us in."""
    DOWN = "down"
    """Nobody answers there, or the peer fell silent. Retries go on."""
    WRONG_SERVER_KEY = "wrong-server-key"
    """Somebody else listens at that address. Retries go on."""
    REFUSED = "refused"
    """The peer is there and does not admit our key. Retries go on: it may learn of us yet."""
    NOT_CURVE = "not-curve"
    """What listens there does not speak CURVE. Retries go on."""
    BAD_ADDRESS = "bad-address"
    """Not an address of the form tcp://HOST:PORT: nothing was tried."""


@dataclass(frozen=True, slots=True)
class LinkChange:
    """The state of one link as of `at_ms` on the monotonic clock."""

    peer: PublicKey
    state: LinkState
    at_ms: int


def is_address(address: str) -> bool:
    """Whether `address` has the form tcp://HOST:PORT; anything else is never handed to ZeroMQ.

    Addresses come from peers: ipc://, inproc:// or a source address would reach into this machine.
    """
    found = _ADDRESS.fullmatch(address)
    return found is not None and 0 < int(found[2]) < 65536


def wall_ms() -> int:
    """Milliseconds since 1970: this machine's unproven word."""
    return time.time_ns() // 1_000_000


def now_ms() -> int:
    """The monotonic clock in whole milliseconds, as all stamps of this package are."""
    return time.monotonic_ns() // 1_000_000


def beat(socket: "zmq.Socket[bytes]") -> None:
    """Set what lets a dead peer show within 2 s and a stalled handshake within 3 s, at both ends of a link.

    For the end that connects. Its beats say how long they count, so the other end needs none of its own: it
    must have none, since libzmq 4.3 ends the process where a timer of beats meets a connection that was lost
    while reading had stopped at the mark of what arrives.
    """
    socket.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_MS)
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT_MS)
    socket.setsockopt(zmq.HEARTBEAT_TTL, HEARTBEAT_TIMEOUT_MS)
    socket.setsockopt(zmq.HANDSHAKE_IVL, HANDSHAKE_MS)


class Monitor:
    """The events of one socket, read on the event loop.

    Closing has one safe order: turn the monitor off while its reader still exists, close the reader, then the
    socket. Otherwise ZeroMQ can block for ever writing an event to nobody, and with it every other socket of
    the context. For the same reason the reader is unbounded.
    """

    def __init__(
        self,
        context: Sockets,
        socket: "zmq.Socket[bytes]",
        events: int,
        loop: asyncio.AbstractEventLoop,
        handle: Callable[[int, int], None],
    ) -> None:
        endpoint = f"inproc://kemps.monitor.{id(self):x}.{time.monotonic_ns():x}"
        self._socket, self._loop, self._handle = socket, loop, handle
        socket.monitor(endpoint, events)
        self._reader: zmq.Socket[bytes] | None = context.socket(zmq.PAIR)
        self._reader.linger = 0
        self._reader.set_hwm(0)
        self._reader.connect(endpoint)
        loop.add_reader(self._reader.FD, self._drain)
        loop.call_soon(self._drain)

    def close(self) -> None:
        """Stop, in the safe order; the socket itself is the caller's to close next."""
        if self._reader is None:
            return
        self._loop.remove_reader(self._reader.FD)
        self._socket.monitor(None, 0)
        self._reader.close(linger=0)
        self._reader = None

    def _drain(self) -> None:
        # Handling an event may close this monitor, which ends the loop.
        while self._reader is not None:
            try:
                message = self._reader.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            event = parse_monitor_message(message)
            self._handle(int(event["event"]), int(event["value"]))


_WATCHED = (
    zmq.EVENT_CONNECT_RETRIED
    | zmq.EVENT_CLOSED
    | zmq.EVENT_DISCONNECTED
    | zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
    | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL
    | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
)


@dataclass(frozen=True, slots=True)
class LinkLimits:
    """How much a link may hold back for a peer that does not take it."""

    queue_messages_max: int
    queue_bytes_max: int


class Link:
    """The way to one peer: opens at once, retries for ever, until closed."""

    def __init__(
        self,
        *,
        context: Sockets,
        loop: asyncio.AbstractEventLoop,
        keys: CurveKeys,
        peer: PublicKey,
        limits: LinkLimits,
        changed: Callable[[LinkChange], None],
    ) -> None:
        self.peer = peer
        self.state = LinkState.CONNECTING
        self.address: str | None = None
        self.up_count = 0
        """How often it has come up: what was sent before may be lost."""
        self._context, self._loop, self._keys, self._limits = context, loop, keys, limits
        self._changed = changed
        self._socket: zmq.Socket[bytes] | None = None
        self._monitor: Monitor | None = None
        self._held: deque[bytes] = deque()
        self._held_bytes = 0
        self._is_proven = False
        self._waits_for_room = False
        self._cut_off_count = 0
        self._retry_ms = RETRY_MS
        self._retry: asyncio.TimerHandle | None = None
        self._probing: asyncio.Task[None] | None = None
        self._emptied: asyncio.Future[None] | None = None

    def connect(self, address: str) -> None:
        """Go to `address`, leaving the present one; what is held back goes along."""
        self.address = address
        self._retry_ms = RETRY_MS
        self._cut_off_count = 0
        self._drop_socket(linger_ms=0)
        if not is_address(address):
            self._set(LinkState.BAD_ADDRESS)
            return
        self._set(LinkState.CONNECTING)
        self._make_socket(address)

    def send(self, data: bytes) -> bool:
        """Hand over or hold back `data`; False, and nothing taken, if the queue is full."""
        if self._is_proven and not self._held and self._socket is not None:
            try:
                self._socket.send(data, zmq.NOBLOCK)
            except zmq.Again:
                return self._hold(data)
            # Sending may have used up the signal that something has come.
            self._cut_off_if_answered(self._socket)
            return True
        return self._hold(data)

    async def flush(self, timeout_s: float) -> None:
        """Wait until nothing is held back, if the peer is there, for `timeout_s` at most."""
        if self.state is LinkState.UP and self._held:
            self._emptied = self._loop.create_future()
            await asyncio.wait({self._emptied}, timeout=timeout_s)

    def close(self, linger_ms: int) -> None:
        """Stop for good; what ZeroMQ has taken is still sent within `linger_ms`."""
        self._drop_socket(linger_ms)
        self._held.clear()
        self._held_bytes = 0

    # Queue.

    def _hold(self, data: bytes) -> bool:
        if len(self._held) >= self._limits.queue_messages_max:
            return False
        if self._held_bytes + len(data) > self._limits.queue_bytes_max:
            return False
        self._held.append(data)
        self._held_bytes += len(data)
        if self._is_proven and not self._waits_for_room:
            self._wait_for_room()
        return True

    def _wait_for_room(self) -> None:
        self._waits_for_room = True
        # Room may have come since the refusal; its signal would then be spent.
        self._loop.call_soon(self._flush)

    def _on_signal(self) -> None:
        """There is room, or something has come."""
        if self._socket is None:
            return
        if not self._cut_off_if_answered(self._socket) and self._waits_for_room:
            self._flush()

    def _cut_off_if_answered(self, socket: "zmq.Socket[bytes]") -> bool:
        events = socket.getsockopt(zmq.EVENTS)
        if not isinstance(events, int) or not events & zmq.POLLIN:
            return False
        self._drop_socket(linger_ms=0)
        self._set(LinkState.DOWN)
        self._retry_later()
        return True

    def _flush(self) -> None:
        if self._socket is None or not self._is_proven:
            return
        while self._held:
            try:
                self._socket.send(self._held[0], zmq.NOBLOCK)
            except zmq.Again:
                if not self._waits_for_room:
                    self._wait_for_room()
                return
            self._held_bytes -= len(self._held.popleft())
        self._waits_for_room = False
        if self._emptied is not None and not self._emptied.done():
            self._emptied.set_result(None)

    # Socket.

    def _make_socket(self, address: str) -> None:
        socket = self._context.socket(zmq.DEALER)
        beat(socket)
        socket.linger = 0
        socket.sndhwm = PIPE_MESSAGES
        # With a low mark a dishonest peer could stop our reading here and hang up, which libzmq 4.3 does not
        # survive if a beat is due (see `beat`); it is cut off before it comes to that.
        socket.rcvhwm = ANSWERS_KEPT
        socket.setsockopt(zmq.MAXMSGSIZE, _ANSWER_BYTES_MAX)
        socket.setsockopt(zmq.RECONNECT_IVL, RETRY_MS)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, RETRY_MS_MAX)
        socket.setsockopt(zmq.IPV6, 1 if "[" in address else 0)
        socket.curve_serverkey = z85.encode(self.peer)
        socket.curve_publickey = z85.encode(self._keys.public)
        socket.curve_secretkey = z85.encode(self._keys.secret)
        self._socket = socket
        self._monitor = Monitor(self._context, socket, _WATCHED, self._loop, self._handle)
        self._loop.add_reader(socket.FD, self._on_signal)
        try:
            socket.connect(address)
        except zmq.ZMQError:
            # The form was right, so what is wrong (a host name, a scope) is for ZeroMQ to know.
            self._drop_socket(linger_ms=0)
            self._set(LinkState.BAD_ADDRESS)

    def _drop_socket(self, linger_ms: int) -> None:
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if self._probing is not None:
            self._probing.cancel()
            self._probing = None
        if self._monitor is not None:
            self._monitor.close()
            self._monitor = None
        if self._socket is not None:
            self._loop.remove_reader(self._socket.FD)
            self._waits_for_room = False
            self._socket.close(linger=linger_ms)
            self._socket = None
        self._is_proven = False

    def _renew(self) -> None:
        self._drop_socket(linger_ms=0)
        if self.address is not None:
            self._make_socket(self.address)

    def _retry_later(self) -> None:
        if self._retry is None:
            self._retry = self._loop.call_later(self._retry_ms / 1000, self._renew)
            self._retry_ms = min(2 * self._retry_ms, RETRY_MS_MAX)

    # Events of the monitor.

    def _set(self, state: LinkState) -> None:
        if state is not self.state:
            self.state = state
            self._changed(LinkChange(self.peer, state, now_ms()))

    def _handle(self, event: int, value: int) -> None:
        if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
            self._retry_ms = RETRY_MS
            self._cut_off_count = 0
            self._is_proven = True
            self.up_count += 1
            self._set(LinkState.UP)
            self._flush()
        elif event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
            self._set(LinkState.REFUSED)
        elif event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL:
            is_other_mechanism = value == zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH
            self._set(LinkState.NOT_CURVE if is_other_mechanism else LinkState.WRONG_SERVER_KEY)
        elif event == zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL:
            self._handle_cut_off(value in _CUT_OFF)
        elif event == zmq.EVENT_DISCONNECTED:
            if self.state in {LinkState.UP, LinkState.CONNECTING}:
                self._set(LinkState.DOWN)
            # This ends every failure. ZeroMQ says CONNECT_RETRIED next if it goes on by itself; after a
            # refusal or another protocol it never does.
            self._retry_later()
        elif event == zmq.EVENT_CLOSED:
            self._cut_off_count = 0
            self._set(LinkState.DOWN)
        elif event == zmq.EVENT_CONNECT_RETRIED and self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def _handle_cut_off(self, is_cut_off: bool) -> None:
        # A server that cannot read our hello hangs up without a word. So does one that dies in the middle of
        # a handshake, but not twice in a row; and one without CURVE, if it reads our greeting before we its.
        self._cut_off_count = self._cut_off_count + 1 if is_cut_off else 0
        if self._cut_off_count < 2:
            if self.state is not LinkState.NOT_CURVE:
                self._set(LinkState.DOWN)
            return
        # ZeroMQ would knock twenty times a second for ever, since connecting as such succeeds.
        self._drop_socket(linger_ms=0)
        self._probing = self._loop.create_task(self._probe())

    async def _probe(self) -> None:
        found = _ADDRESS.fullmatch(self.address or "")
        is_curve = None if found is None else await speaks_curve(found[1].strip("[]"), int(found[2]))
        self._probing = None
        match is_curve:
            case True:
                self._set(LinkState.WRONG_SERVER_KEY)
            case False:
                self._set(LinkState.NOT_CURVE)
            case None:
                self._set(LinkState.DOWN)
        self._retry_later()
