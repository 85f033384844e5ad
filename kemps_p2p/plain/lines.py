"""Lines from standard input, for an event loop, without ever holding it up.

A thread reads, since neither terminals nor files nor pipes can be waited for in one way everywhere. It reads
below Python's buffers, whose lock it would otherwise hold as the program ends.
"""

import asyncio
import codecs
import contextlib
import threading
from collections.abc import Sequence
from typing import Protocol

READ_BYTES = 4096


class Raw(Protocol):
    """A stream of bytes that gives what there is."""

    def read(self, size: int, /) -> bytes | None:
        """Up to `size` bytes; none at the end."""


class Lines:
    """The lines of a stream, as they come; None is its end."""

    def __init__(self, stream: Raw, loop: asyncio.AbstractEventLoop) -> None:
        self._stream = stream
        self._loop = loop
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._is_over = False
        threading.Thread(target=self._read, name="lines", daemon=True).start()

    async def next(self) -> str | None:
        """The next line, without its end; None once there are no more."""
        if self._is_over:
            return None
        line = await self._queue.get()
        self._is_over = line is None
        return line

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        rest = ""
        # A stream that cannot be read any more has ended.
        with contextlib.suppress(OSError, ValueError):
            while data := self._stream.read(READ_BYTES):
                *lines, rest = (rest + decoder.decode(data)).split("\n")
                self._give(lines)
        self._give([rest] if rest else [])
        self._give([None])

    def _give(self, lines: Sequence[str | None]) -> None:
        # The loop may have ended meanwhile: then nobody reads any more.
        with contextlib.suppress(RuntimeError):
            for line in lines:
                self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
