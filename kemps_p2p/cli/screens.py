"""Which screen shows a sitting: the one place where screens are attached, for a table anywhere."""

import asyncio
import io
import sys

from kemps_p2p.cli.saying import say
from kemps_p2p.cli.terminals import is_terminal
from kemps_p2p.plain.lines import Lines, Raw
from kemps_p2p.plain.screen import LineMode
from kemps_p2p.runtime.sitting import Screen, Sitting
from kemps_p2p.wording.look import Look
from kemps_p2p.wording.tutorial import Tutorial


def screen_for(look: Look) -> Screen:
    """The screen for a person who wants to see the table like this.

    A screen of the terminal, where both streams are one and lines are not asked for.
    """
    if not look.is_plain and is_terminal():

        async def screens(sitting: Sitting) -> None:
            # Only here, since lines need none of it.
            from kemps_p2p.tui.app import run

            await run(sitting, look=look)
            *_, last = sitting.series()
            if last.is_closing:
                _write("The log is being completed: a moment, please (Ctrl-C goes at once).")
                await last.closed()

        return screens

    async def lines(sitting: Sitting) -> None:
        tutorial = Tutorial() if look.has_tutorial else None
        typed = Lines(_input(), asyncio.get_running_loop())
        mode = LineMode(typed, _write, look.is_ascii, tutorial, takes_time=is_terminal())
        await mode.run(sitting)

    return lines


def _input() -> Raw:
    """What is typed, below Python's buffers; nothing where there is no standard input."""
    buffer = getattr(sys.stdin, "buffer", None)
    return io.BytesIO() if buffer is None else getattr(buffer, "raw", buffer)


def _write(line: str) -> None:
    say(line)
    sys.stdout.flush()
