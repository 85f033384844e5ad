"""One TCP connection between a joiner and a host: frames in and out, in the clear and then sealed.

Knows nothing of what is said. Invariants:

1. No frame is longer than its limit, and none is read before its length was checked.
2. Nothing is read or sent in the clear once the channel is sealed.
3. Writing never blocks: who does not read is cut off.

Section "Joining" of protocol.md.
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator

from kemps_p2p.codec import encode
from kemps_p2p.errors import HasLeft, NotSeated, Unreachable, Unwelcome
from kemps_p2p.runtime.addresses import Place
from kemps_p2p.runtime.guests import Here, Leave, SealedWords, read_sealed
from kemps_p2p.runtime.handshake import (
    CLEAR_BYTES_MAX,
    HEADER_BYTES,
    SEALED_BYTES_MAX,
    ClearWords,
    Refusal,
    Sealed,
    header,
    length_of,
    read_clear,
    unwelcome_of,
)

BACKLOG_BYTES_MAX = 4 * SEALED_BYTES_MAX
CONNECT_S = 5.0
HERE_S = 2.0
_PARTING_S = 1.0


class Wire:
    """One end of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        # Asked at once: a socket that is closed has no address any more.
        self._other, self._own = (writer.get_extra_info(name) for name in ("peername", "sockname"))
        self._sealed: Sealed | None = None

    @property
    def other_host(self) -> str:
        """The address of the other side, as this machine sees it."""
        return str(self._other[0]) if self._other else ""

    @property
    def own_host(self) -> str:
        """The own address, as the other side reaches it."""
        return str(self._own[0]) if self._own else ""

    def seal(self, *, sends: bytes, receives: bytes) -> None:
        """From now on everything is encrypted with these keys."""
        self._sealed = Sealed(sends=sends, receives=receives)

    def say_clear(self, words: ClearWords) -> None:
        """Send before there are keys."""
        assert self._sealed is None, "in the clear after it was sealed"
        self._write(encode(words))

    def say(self, words: SealedWords) -> None:
        """Send, sealed."""
        assert self._sealed is not None, "sealed words before there were keys"
        self._write(self._sealed.seal(words))

    async def hear_clear(self) -> ClearWords:
        """Wait for words in the clear. Raises `NotSeated`, also for a refusal, and `Unreachable`."""
        words = read_clear(await self._read(CLEAR_BYTES_MAX))
        if isinstance(words, Refusal):
            raise unwelcome_of(words)
        return words

    async def hear(self) -> SealedWords:
        """Wait for sealed words. Raises `NotSeated`, also if the other side leaves, and `Unreachable`."""
        assert self._sealed is not None, "sealed words before there were keys"
        words = read_sealed(self._sealed.open(await self._read(SEALED_BYTES_MAX)))
        if isinstance(words, Leave):
            if not words.reason:
                raise HasLeft("the other side has left")
            raise unwelcome_of(Refusal(reason=words.reason, detail=words.detail))
        return words

    async def refuse(self, why: NotSeated) -> None:
        """Say why this ends here, as far as the other side still listens, and hang up."""
        if self._sealed is None:
            self.say_clear(Refusal(reason=why.reason.value, detail=why.detail))
        else:
            self.say(Leave(reason=why.reason.value, detail=why.detail))
        await self.close()

    async def leave(self) -> None:
        """Go without a reason."""
        if self._sealed is not None:
            self.say(Leave(reason="", detail=""))
        await self.close()

    async def close(self) -> None:
        """Hang up, after what was said has gone out."""
        try:
            async with asyncio.timeout(_PARTING_S):
                # Hanging up on bytes that were not read would take back our last words: the system resets
                # the connection then. So the other side is let finish.
                if self._writer.can_write_eof():
                    self._writer.write_eof()
                while await self._reader.read(4096):
                    pass
        except (OSError, TimeoutError):
            # Gone already, or too slow to say good-bye to.
            pass
        finally:
            self._writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(_PARTING_S):
                await self._writer.wait_closed()

    async def drained(self) -> None:
        """Wait until the other side has read most of what was said. Raises `Unreachable` if it is gone."""
        try:
            await self._writer.drain()
        except OSError as error:
            raise Unreachable(f"the connection broke: {system_word(error)}") from None

    def abort(self) -> None:
        """Cut the connection off at once; whoever waits to hear something here gets `Unreachable`."""
        self._writer.transport.abort()

    def _write(self, data: bytes) -> None:
        if self._writer.transport.is_closing():
            # Whoever listens here learns of it by reading.
            return
        if self._writer.transport.get_write_buffer_size() > BACKLOG_BYTES_MAX:
            self._writer.transport.abort()
            return
        self._writer.write(header(len(data)) + data)

    async def _read(self, bytes_max: int) -> bytes:
        try:
            head = await self._reader.readexactly(HEADER_BYTES)
            return await self._reader.readexactly(length_of(head, bytes_max))
        except asyncio.IncompleteReadError as short:
            if short.partial and not short.partial.startswith(header(0)[: len(short.partial)]):
                raise NotSeated(Unwelcome.NOT_KEMPS) from None
            raise Unreachable("the other side has hung up") from None
        except OSError as error:
            raise Unreachable(f"the connection broke: {system_word(error)}") from None


async def connect(place: Place, limit_s: float = CONNECT_S) -> Wire:
    """Open a connection. Raises `Unreachable`, with the system's own word for why."""
    try:
        async with asyncio.timeout(limit_s):
            return Wire(*await asyncio.open_connection(place.host, place.port))
    except TimeoutError:
        raise Unreachable(f"{place} does not answer") from None
    except OSError as error:
        raise Unreachable(f"{place} cannot be reached: {system_word(error)}") from error


def system_word(error: OSError) -> str:
    """What the system calls an error; asyncio puts sentences of its own there."""
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error.strerror or error)


@contextlib.asynccontextmanager
async def signs_of_life(wire: Wire) -> AsyncIterator[None]:
    """While this holds, the other side hears every two seconds that we are there."""

    async def speak() -> None:
        while True:
            await asyncio.sleep(HERE_S)
            wire.say(Here())

    speaking = asyncio.create_task(speak())
    try:
        yield
    finally:
        speaking.cancel()
