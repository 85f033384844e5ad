"""Line mode as a screen: lines in, lines out, one sitting after the other.

Invariants:

1. Everything that is told is told in order, a line at a time, and written out at once.
2. The end of the input leaves the table; what was played is in the log.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import assert_never

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.actions import Gesture, Next
from kemps_p2p.game.record import is_running
from kemps_p2p.game.rules import Signals
from kemps_p2p.ids import Seat
from kemps_p2p.plain.board import NotUnderstood
from kemps_p2p.plain.commands import (
    Command,
    Do,
    Hold,
    Leave,
    LookAt,
    Ready,
    SealBook,
    Tell,
    VoteAbsent,
    Wait,
    WalkOver,
    Whispering,
    Wish,
    read_command,
)
from kemps_p2p.plain.lines import Lines
from kemps_p2p.plain.voice import Voice, sentence
from kemps_p2p.runtime.huddle import Huddle
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.wording.books import no_sign_text, sealed_text, unsealable_text
from kemps_p2p.wording.people import listed
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.refusals import refusal_text
from kemps_p2p.wording.tutorial import Tutorial

REFRESH_S = 0.1

_ASCII = str.maketrans({"“": '"', "”": '"', "’": "'", "…": "..."})
"""The characters of our own sentences that are none of ASCII; what players write stays as it is."""

Write = Callable[[str], None]


@dataclass(slots=True)
class LineMode:
    """A screen of lines. `write` takes one line and puts it out at once.

    `takes_time`: somebody types, for whom a bot that deals is to wait; scripts wait by themselves.
    """

    lines: Lines
    write: Write
    is_ascii: bool
    tutorial: Tutorial | None = None
    takes_time: bool = False

    def say(self, line: str) -> None:
        """Put one line out."""
        self.write(line.translate(_ASCII) if self.is_ascii else line)

    async def run(self, sitting: Sitting) -> None:
        """Show a sitting, and those of its rematches, until the person leaves or the input ends."""
        while True:
            evening = _Evening(self, sitting)
            if await evening.run() is Leave.QUIT:
                return
            sitting = sitting.rematch()


class _Evening:
    """One match in lines."""

    def __init__(self, mode: LineMode, sitting: Sitting) -> None:
        self._mode = mode
        self._sitting = sitting
        self._huddle = Huddle(sitting)
        self._has_warned = False
        self._voice = Voice(sitting, self._huddle, is_ascii=mode.is_ascii, tutorial=mode.tutorial)
        self._asked = asyncio.Event()

    async def run(self) -> Leave:
        teller = asyncio.ensure_future(self._tell())
        reader = asyncio.ensure_future(self._read())
        try:
            await asyncio.wait({teller, reader}, return_when=asyncio.FIRST_COMPLETED)
            if teller.done():
                teller.result()
                outcome = await self._sitting.ended()
                if not outcome.is_closed:
                    return Leave.QUIT
                while not reader.done():
                    self._write(self._voice.aftermath())
                    await asyncio.wait({reader}, timeout=REFRESH_S)
            left = await reader
            if left is Leave.QUIT and self._sitting.is_closing and await self._sitting.closed():
                await teller
            return left
        finally:
            for task in (teller, reader):
                task.cancel()
            await asyncio.wait({teller, reader})

    async def _tell(self) -> None:
        refresher = asyncio.ensure_future(self._refresh())
        try:
            async for sight in self._sitting.sights():
                self._write(self._voice.hear(sight))
        finally:
            refresher.cancel()
            await asyncio.wait({refresher})
        if not refresher.cancelled():
            refresher.result()
        # Whoever waits for something to do waits for nothing more.
        self._asked.set()

    async def _refresh(self) -> None:
        while True:
            await asyncio.sleep(REFRESH_S)
            self._write(self._voice.news())

    def _write(self, lines: Iterable[str]) -> None:
        if self._mode.takes_time and self._sitting.has_begun:
            self._huddle.follow()
        for line in lines:
            self._mode.say(line)
        if self._voice.is_asked:
            self._asked.set()
        else:
            self._asked.clear()

    async def _read(self) -> Leave:
        while True:
            line = await self._mode.lines.next()
            if line is None:
                return Leave.QUIT
            if not line.strip():
                continue
            left = await self._obey(line)
            if left is not None:
                return left

    async def _obey(self, line: str) -> Leave | None:
        write = self._mode.say
        if not self._sitting.has_begun:
            if line.strip().casefold() in ("quit", "q"):
                return Leave.QUIT
            write("The table is still sitting down; `quit` leaves.")
            return None
        try:
            return await self._carry_out(read_command(line, self._voice.board()))
        except NotUnderstood as error:
            write(sentence(str(error)))
        except IllegalAction as illegal:
            write(sentence(f"you cannot do that: {refusal_text(illegal.reason)}"))
            if illegal.reason is Illegal.DEAL_OVER:
                write(sentence(self._voice.instead()))
        return None

    def _warns_of_no_sign(self) -> bool:
        """True once in a match, if whoever types has not agreed on a sign with the partner."""
        sitting = self._sitting
        is_needed = self._huddle.is_on and sitting.rules.signals is Signals.GESTURES
        if self._has_warned or not is_needed or sitting.signal is not None:
            return False
        self._has_warned = True
        return True

    def _hold(self, seat: Seat, by: Seat | None) -> None:
        """Agree to what is offered for a seat; if nothing is, offer something. Raises `NotUnderstood`."""
        sitting = self._sitting
        offered = sorted({each.by for each in sitting.offers() if each.seat == seat})
        if by is None and len(offered) > 1:
            whose = listed([f"`by {sitting.owners.seat(each).casefold()}`" for each in offered])
            raise NotUnderstood(f"several offer a bot: say {whose} behind it")
        if by is None and not offered:
            sitting.offer_stand_in(seat)
        else:
            sitting.agree_to_stand_in(seat, offered[0] if by is None else by)

    async def _carry_out(self, command: Command) -> Leave | None:
        sitting, voice, write = self._sitting, self._voice, self._mode.say
        match command:
            case Do(action=Next()) | Ready() if self._warns_of_no_sign():
                write(
                    sentence(f"{no_sign_text(sitting.people.seat(sitting.partner))}: say it again to go on")
                )
            case Do(action=action):
                if isinstance(action, Next) and self._huddle.is_on:
                    self._huddle.end()
                sitting.act(action)
                if isinstance(action, Gesture):
                    write(f"You make a gesture: {action.name}.")
            case Ready() if is_running(sitting.view().state):
                write("The deal is on already: `ready` is for the time between deals.")
            case Ready():
                self._huddle.end()
            case Whispering(text=text):
                before = sitting.signal_agreed, sitting.proposed
                said = plain(sitting.whisper(text))
                write(sentence(f"you whisper to {sitting.people.seat(sitting.partner)}: {said}"))
                if (sitting.signal_agreed, sitting.proposed) != before:
                    write(sentence(voice.sign()))
            case SealBook():
                has_sealed = sitting.seal_book()
                signal = sitting.signal_agreed
                write(sentence(sealed_text(sitting.book or ()) if has_sealed else unsealable_text(signal)))
            case LookAt(seat=seat):
                voice.watched = voice.watched if seat is None else seat
                write(f"You watch {sitting.people.seat(voice.watched)}.")
            case Tell(page=page):
                for told in voice.page(page):
                    write(told)
            case Wish(want=want):
                sitting.want(want)
            case VoteAbsent(seat=seat):
                sitting.vote_absent(seat)
            case Hold(seat=seat, by=by):
                self._hold(seat, by)
            case WalkOver():
                sitting.walk_over()
            case Wait(seconds=seconds) if seconds is not None:
                await asyncio.sleep(seconds)
            case Wait():
                await self._asked.wait()
            case Leave.QUIT:
                return Leave.QUIT
            case Leave.REMATCH:
                if sitting.is_closing:
                    write("The log is being completed: a moment, please.")
                    await sitting.closed()
                if sitting.outcome is not None and sitting.outcome.is_closed:
                    return Leave.REMATCH
                write("The match is not over yet.")
            case _:
                assert_never(command)
        return None
