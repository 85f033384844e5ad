"""The closed door: ZeroMQ asks here (ZAP, RFC 27) whether a CURVE client key may come in.

Owns the one ZeroMQ context of a process, so that several meshes in one process (a solo table, tests) share
it. Knows no seat and no message. Invariants:

1. Nobody is let in whose key was not named beforehand for that very domain: an unknown domain, another
   mechanism, another version or a malformed question are all answered by a refusal.
2. Nothing opens before `open`. With the door closed, sockets that set `ZAP_ENFORCE_DOMAIN` let nobody in.
3. The user id of an admitted client is its CURVE key, so that every message names its authenticated sender.

Section "Transport" of protocol.md.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NewType

import zmq
from zmq.utils import z85

from kemps_p2p.errors import RuntimeFault

PublicKey = NewType("PublicKey", bytes)
"""The 32 raw bytes of a CURVE public key: what names a peer here."""

KEY_BYTES = 32
_ENDPOINT = "inproc://zeromq.zap.01"
_VERSION = b"1.0"


@dataclass(frozen=True, slots=True)
class CurveKeys:
    """The CURVE key pair of one process, bound to an identity by a signed hello.

    Made anew for each table, so that a process that comes back to a match has those of an earlier one.
    """

    public: PublicKey
    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.public) != KEY_BYTES or len(self.secret) != KEY_BYTES:
            raise ValueError("a CURVE key is 32 bytes")

    @classmethod
    def derived(cls, secret: bytes) -> "CurveKeys":
        """The pair of a secret of 32 bytes."""
        return cls(PublicKey(z85.decode(zmq.curve_public(z85.encode(secret)))), secret)

    @classmethod
    def generate(cls) -> "CurveKeys":
        """Draw a fresh pair from the operating system."""
        public, secret = zmq.curve_keypair()
        return cls(PublicKey(z85.decode(public)), z85.decode(secret))


def user_id(peer: PublicKey) -> str:
    """The ZAP user id of an admitted key: its Z85 text."""
    return z85.encode(peer).decode("ascii")


class Door:
    """The ZAP handler of one context; lives on the event loop that opens it.

    One door serves all meshes of a process. A mesh that is given none makes and closes its own.
    """

    def __init__(self) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._socket: zmq.Socket[bytes] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._admitted: dict[bytes, frozenset[bytes]] = {}
        self._strangers: dict[bytes, int] = {}

    @property
    def context(self) -> "zmq.Context[zmq.Socket[bytes]]":
        """The context whose sockets this door guards; there is none while it is not open."""
        if self._context is None:
            raise RuntimeFault("the transport is not open")
        return self._context

    def open(self) -> None:
        """Make the context and start answering on the running event loop.

        Raises `RuntimeFault` where that loop cannot watch sockets (see `new_event_loop`).
        """
        if self._context is not None:
            raise RuntimeFault("the transport is open already")
        loop = asyncio.get_running_loop()
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        socket = context.socket(zmq.REP)
        socket.linger = 0
        try:
            socket.bind(_ENDPOINT)
            loop.add_reader(socket.FD, self._answer_all)
        except NotImplementedError:
            socket.close()
            context.term()
            raise RuntimeFault("this event loop cannot watch sockets: a selector loop is needed") from None
        self._context, self._socket, self._loop = context, socket, loop
        loop.call_soon(self._answer_all)

    def admit(self, domain: str, peers: Iterable[PublicKey]) -> None:
        """Let exactly these keys in at `domain` from now on; who is in already is not thrown out by this."""
        self._admitted[domain.encode("ascii")] = frozenset(bytes(peer) for peer in peers)

    def shut(self, domain: str) -> None:
        """Let nobody in at `domain` any more, and forget it."""
        self._admitted.pop(domain.encode("ascii"), None)
        self._strangers.pop(domain.encode("ascii"), None)

    def strangers(self, domain: str) -> int:
        """How many handshakes with valid keys that nobody named were refused at `domain`."""
        return self._strangers.get(domain.encode("ascii"), 0)

    def stop(self) -> None:
        """Stop answering. From here on nobody gets in anywhere; links that stand stay up."""
        if self._socket is None or self._loop is None:
            return
        self._loop.remove_reader(self._socket.FD)
        self._socket.close(linger=0)
        self._socket = None

    async def close(self) -> None:
        """Stop answering and end the context, after all sockets made on it were closed.

        Takes as long as their linger at most. The wait happens off the event loop.
        """
        self.stop()
        if self._context is None or self._loop is None:
            return
        context, self._context = self._context, None
        self._admitted.clear()
        await self._loop.run_in_executor(None, context.term)

    def _answer_all(self) -> None:
        # The descriptor of a ZeroMQ socket signals edges: whatever is not drained now may never signal again.
        while self._socket is not None:
            try:
                question = self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            self._socket.send_multipart(self._answer(question))

    def _answer(self, question: list[bytes]) -> list[bytes]:
        request = question[1] if len(question) > 1 else b""
        refusal = [_VERSION, request, b"400", b"not admitted", b"", b""]
        match question:
            case [version, _, domain, _address, _routing_id, b"CURVE", key] if version == _VERSION:
                if key in self._admitted.get(domain, frozenset()):
                    return [_VERSION, request, b"200", b"", z85.encode(key), b""]
                if domain in self._admitted:
                    self._strangers[domain] = self._strangers.get(domain, 0) + 1
                return refusal
            case _:
                return refusal
