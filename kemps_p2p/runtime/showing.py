"""Showing a log to those who watch a match, while it grows: its bytes as they lie in the file, and no others.

Nothing else is sent to whoever watches without being the observer: no whisper is in a log, and no hidden
card before its time. Who does not read in time misses the rest and holds up nobody.
"""

import asyncio
from pathlib import Path

from kemps_p2p.errors import Unreachable
from kemps_p2p.runtime.guests import Piece
from kemps_p2p.runtime.wire import Wire

PIECE_BYTES = 64 * 1024
LOOK_AGAIN_S = 0.05
END_S = 3.0
"""How long the last bytes may take on their way, once the match is over."""


class LogShown:
    """One log, and all to whom it is shown."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._has_ended = False
        self._tasks: set[asyncio.Task[None]] = set()

    def to(self, wire: Wire) -> None:
        """Show it to the other side of a connection, from its beginning on."""
        task = asyncio.create_task(self._show(wire))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """The log grows no more: wait until all have seen it, but not for long."""
        self._has_ended = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=END_S)
        for task in tuple(self._tasks):
            task.cancel()

    async def _show(self, wire: Wire) -> None:
        shown = 0
        try:
            while True:
                # Asked before the file is read, so that nothing is missed that was written before the end.
                is_last_look = self._has_ended
                piece = self._read(shown)
                if piece:
                    wire.say(Piece(data=piece))
                    await wire.drained()
                    shown += len(piece)
                elif is_last_look:
                    return
                else:
                    await asyncio.sleep(LOOK_AGAIN_S)
        except Unreachable:
            # Whoever watched has gone; whoever serves the connection learns of it by reading.
            return

    def _read(self, start: int) -> bytes:
        try:
            with self._log.open("rb") as file:
                file.seek(start)
                return file.read(PIECE_BYTES)
        except FileNotFoundError:
            # The match has begun a moment ago.
            return b""
