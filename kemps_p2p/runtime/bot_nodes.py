"""The bots of a host's table: each a peer process of its own that joins as any other, by address and code.

Where the host comes back after a crash, its bots do, each to its own seat.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.addresses import Place, everywhere
from kemps_p2p.runtime.launch import NAMES, end_nodes
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.words import Code

FAREWELL_S = 10.0

T = TypeVar("T")


class BotNodes:
    """`count` bots with homes of their own in `homes`, so that each keeps its identity.

    `stay`: they play rematches, for as long as somebody at the table may want one.
    """

    def __init__(self, count: int, homes: Path, pace: str, *, stay: bool) -> None:
        self._count, self._homes, self._pace, self._stay = count, homes, pace, stay
        self._nodes: list[asyncio.subprocess.Process] = []
        self._last_words: list[asyncio.Task[bytes]] = []

    @property
    def are_there(self) -> bool:
        """True if any was started."""
        return bool(self._nodes)

    async def start(self, place: Place, code: Code) -> None:
        """Start them, for the table at this place of this machine. Raises `RuntimeFault`."""
        is_everywhere = place.host in (everywhere("0.0.0.0"), everywhere("::"))
        host = "127.0.0.1" if is_everywhere else place.host
        for index in range(self._count):
            # The code comes by a pipe: any user of this machine can read a command line.
            words = ["join", str(Place(host, place.port)), "--code", "-", "--bind", place.host]
            await self._start(
                [*words, "--name", f"Bot {NAMES[index]}"], self._homes / str(index), f"{code}\n"
            )

    async def bring_back(self, match: str | None) -> None:
        """Start those again whose seats of this match are empty.

        `match`: its id in hexadecimal digits; None for one that had not begun.

        One that still runs holds its home, and one that was of another match has nothing to come back to:
        what is started there ends at once.
        """
        for seat in sorted(self._homes.glob("*/matches/*/seat")):
            await self._start(["rejoin", *([] if match is None else [match])], seat.parents[2], "")

    async def stand_in(self, home: Path, match: str) -> "asyncio.Task[str | None]":
        """Start one that has a seat of this match already; its task ends with it, and with its last words if
        it has failed. Raises `RuntimeFault`.
        """
        await self._start(["rejoin", match], home, "")
        return asyncio.create_task(self._failure(self._nodes[-1], self._last_words[-1]))

    @staticmethod
    async def _failure(node: asyncio.subprocess.Process, last_words: "asyncio.Task[bytes]") -> str | None:
        said = _first_line(await last_words)
        return said if await node.wait() != 0 else None

    async def _start(self, words: list[str], home: Path, said: str) -> None:
        try:
            node = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "kemps_p2p", *words, "--bot", "--pace", self._pace),
                *("--home", str(home), *(["--stay"] if self._stay else [])),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        except OSError as error:
            raise RuntimeFault(f"a bot cannot be started: {error.strerror}") from None
        assert node.stdin is not None, "started with a pipe"
        assert node.stderr is not None, "started with a pipe"
        node.stdin.write(said.encode())
        node.stdin.close()
        self._nodes.append(node)
        self._last_words.append(asyncio.create_task(node.stderr.read()))

    async def unless_one_fails(self, waiting: Coroutine[Any, Any, T]) -> T:
        """What is waited for. Raises `RuntimeFault` with the last words of a bot that ends before."""
        wanted = asyncio.create_task(waiting)
        ends = [asyncio.create_task(node.wait()) for node in self._nodes]
        try:
            await asyncio.wait({wanted, *ends}, return_when=asyncio.FIRST_COMPLETED)
            if not wanted.done():
                gone = next(index for index, end in enumerate(ends) if end.done())
                raise RuntimeFault(f"bot {gone + 1} ended: {_first_line(await self._last_words[gone])}")
            return await wanted
        finally:
            for task in (wanted, *ends):
                task.cancel()
            await asyncio.gather(wanted, *ends, return_exceptions=True)

    async def ended(self) -> None:
        """Let them finish their logs, for a while; those that stay have finished what was played."""
        if self._stay:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_S):
                await asyncio.gather(*(node.wait() for node in self._nodes))

    async def end(self) -> None:
        """End those that still run."""
        await end_nodes(self._nodes)
        await asyncio.gather(*self._last_words, return_exceptions=True)


def _first_line(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return plain(lines[0]) if lines else "it does not say why"
