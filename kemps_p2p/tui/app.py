"""The program on the terminal: keys and clicks in, sheets out. The one module that knows Textual's loop.

Invariants:

1. A repaint draws what the sitting says now; only rows that have changed are written out.
2. However it ends, the terminal is as it was before, and the screen's own tasks are ended.
"""

import asyncio
import os
import signal
import time
from collections.abc import Mapping
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from kemps_p2p.game.actions import SPEECH_CHARS_MAX
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.tui.desk import Desk, Page, Request
from kemps_p2p.tui.glance import Switches
from kemps_p2p.tui.lessons import ON_SCREEN
from kemps_p2p.tui.overlays import draw_overlay
from kemps_p2p.tui.pages import Lobby, draw_end, draw_huddle, draw_lobby, draw_showdown
from kemps_p2p.tui.paint import Ink, Run, Sheet
from kemps_p2p.tui.palette import palette
from kemps_p2p.tui.table_page import COLUMNS_MIN, ROWS_MIN, draw_table, draw_too_small, table_columns
from kemps_p2p.wording.look import Look
from kemps_p2p.wording.people import People
from kemps_p2p.wording.tutorial import Tutorial

TICK_S = 0.1
BEAT_MS = 500


def screen_ms() -> int:
    """The screen's own clock, in milliseconds."""
    return time.monotonic_ns() // 1_000_000


class Stage(Widget):
    """The widget that shows a sheet."""

    ALLOW_SELECT = False
    can_focus = False

    def __init__(self, inks: Mapping[Ink, Style]) -> None:
        super().__init__()
        self._inks = inks
        self._rows: tuple[tuple[Run, ...], ...] = ()
        self.sheet: Sheet | None = None

    def show(self, sheet: Sheet) -> None:
        """Show a sheet: the rows that have changed are drawn anew."""
        rows = tuple(sheet.row(y) for y in range(sheet.height))
        before, self._rows, self.sheet = self._rows, rows, sheet
        if len(before) != len(rows) or self.size.width != sheet.width:
            self.refresh()
            return
        changed = [y for y, row in enumerate(rows) if row != before[y]]
        if changed:
            self.refresh(*(Region(0, y, sheet.width, 1) for y in changed))

    def render_line(self, y: int) -> Strip:
        """One row."""
        if y >= len(self._rows):
            return Strip([Segment(" " * self.size.width, self._inks[Ink.FELT])])
        return Strip([Segment(text, self._inks[ink]) for text, ink in self._rows[y]])


class TableApp(App[Request]):
    """One person's terminal, match after match."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    CSS = """
    Screen { layers: stage entry; overflow: hidden; background: #0d3b2a; }
    Stage { layer: stage; width: 100%; height: 100%; }
    Input { layer: entry; dock: bottom; height: 3; display: none; }
    TableApp.-colourless Screen, TableApp.-colourless Stage { background: ansi_default; color: ansi_default; }
    TableApp.-colourless Input { background: ansi_default; color: ansi_default; border: ascii ansi_default; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", priority=True, show=False),
        Binding("ctrl+q", "leave", priority=True, show=False),
    ]

    def __init__(self, sitting: Sitting, look: Look, *, has_colour: bool) -> None:
        super().__init__(ansi_color=not has_colour)
        self.set_class(not has_colour, "-colourless")
        self._look = look
        self._stage = Stage(palette(look.colours, has_colour=has_colour))
        self._entry = Input(max_length=SPEECH_CHARS_MAX, select_on_focus=False, disabled=True)
        self._entry_for: Request | None = None
        tutorial = Tutorial(ON_SCREEN) if look.has_tutorial else None
        self._desk = Desk(sitting, is_ascii=look.is_ascii, switches=Switches(), tutorial=tutorial)
        self._rings = 0
        self._listener: asyncio.Task[None] | None = None
        self.failure: Exception | None = None
        self.is_interrupted = False

    @property
    def desk(self) -> Desk:
        """The desk of the match that is shown."""
        return self._desk

    @property
    def stage(self) -> Stage:
        """The widget that shows it."""
        return self._stage

    def compose(self) -> ComposeResult:
        """The stage, and the line for words above it."""
        yield self._stage
        yield self._entry

    def on_mount(self) -> None:
        """Begin to listen and to beat."""
        self._listen()
        self.set_interval(TICK_S, self._tick)
        self.paint()

    async def on_unmount(self) -> None:
        """Stop listening."""
        await self._stop_listening()

    # The sitting

    def _listen(self) -> None:
        self._listener = asyncio.get_running_loop().create_task(self._hear_all(self._desk))

    async def _stop_listening(self) -> None:
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)

    async def _hear_all(self, desk: Desk) -> None:
        try:
            async for sight in desk.sitting.sights():
                desk.hear(sight, screen_ms())
                self._ring(desk)
                self.paint()
            outcome = await desk.sitting.ended()
        except Exception as failure:  # `run` raises it, once the terminal is as it was.
            self.failure = failure
            self.exit(Request.LEAVE)
            return
        if outcome.is_closed:
            self.paint()
        else:
            self.exit(Request.LEAVE)

    def _ring(self, desk: Desk) -> None:
        if desk.news.recent.rings != self._rings:
            self._rings = desk.news.recent.rings
            if desk.switches.has_bell:
                self.bell()

    def _rematch(self) -> None:
        before = self._desk.sitting
        people: People = before.people
        self._desk = Desk(
            before.rematch(), is_ascii=self._look.is_ascii, switches=self._desk.switches, before=people
        )
        self._rings = 0
        self._listen()

    # Painting

    def _tick(self) -> None:
        """What changes by itself: faces, what was shown for a moment, the time that is left."""
        self._desk.follow(screen_ms())
        self.paint()

    def paint(self) -> None:
        """Draw things as they are now."""
        width, height = self.size
        if width and height and self._stage.is_attached:
            self._stage.show(self.draw(width, height))

    def draw(self, width: int, height: int) -> Sheet:
        """The sheet for a terminal of this size, as things are now."""
        sheet = Sheet(width, height, is_ascii=self._look.is_ascii)
        desk = self._desk
        now_ms = screen_ms()
        if width < COLUMNS_MIN or height < ROWS_MIN:
            draw_too_small(sheet, "The table")
            return sheet
        page = desk.page()
        if page is Page.LOBBY:
            sitting = desk.sitting
            draw_lobby(
                sheet,
                Lobby(
                    seat=sitting.seat,
                    players=sitting.players,
                    people=desk.people,
                    waits=sitting.waiting_for(),
                    gone=sitting.gone(),
                    beat=now_ms // BEAT_MS,
                ),
            )
            return sheet
        glance = desk.glance(now_ms)
        drawers = {
            Page.HUDDLE: draw_huddle,
            Page.TABLE: draw_table,
            Page.SHOWDOWN: draw_showdown,
            Page.END: draw_end,
        }
        drawers[page](sheet, glance)
        if desk.overlay is not None:
            draw_overlay(sheet, glance, desk.overlay, desk.scroll)
        return sheet

    # Keys and mouse

    def on_resize(self, _event: events.Resize) -> None:
        """Draw for the new size."""
        self.paint()

    def on_key(self, event: events.Key) -> None:
        """A key, unless words are being written."""
        if self._entry_for is not None:
            if event.key == "escape":
                event.stop()
                self._close_entry()
            return
        event.stop()
        key = event.character if event.character is not None and event.character.isprintable() else event.key
        self._press("space" if key == " " else key)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A click is the press of the key of the place."""
        sheet = self._stage.sheet
        if self._entry_for is not None or sheet is None or event.button != 1:
            return
        key = sheet.key_at(event.screen_x, event.screen_y)
        if key is not None:
            self._press(key)

    def _press(self, key: str) -> None:
        self._desk.playing.columns = table_columns(self.size.width)
        request = self._desk.press(key, screen_ms())
        match request:
            case Request.TALK | Request.WHISPER:
                self._open_entry(request)
            case Request.REMATCH:
                self._rematch()
            case Request.LEAVE:
                self.exit(Request.LEAVE)
            case None:
                pass
        self.paint()

    def _open_entry(self, request: Request) -> None:
        partner = self._desk.people.seat(self._desk.sitting.partner)
        whom = f"whisper to {partner}" if request is Request.WHISPER else "say to all"
        self._entry_for = request
        self._entry.placeholder = f"{whom}; Enter sends, Esc does not"
        self._entry.value = ""
        self._entry.display = True
        self._entry.disabled = False
        self._entry.focus()

    def _close_entry(self) -> None:
        self._entry_for = None
        self._entry.display = False
        self._entry.disabled = True
        self.set_focus(None)
        self.paint()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Words are said."""
        text = event.value.strip()
        if text and self._entry_for is Request.WHISPER:
            self._desk.whisper(text, screen_ms())
        elif text:
            self._desk.say(text, screen_ms())
        self._close_entry()

    def action_interrupt(self) -> None:
        """Ctrl-C: what it is everywhere else, once the terminal is as it was."""
        self.is_interrupted = True
        self.exit(Request.LEAVE)

    def action_leave(self) -> None:
        """Ctrl-Q: leave the table."""
        self.exit(Request.LEAVE)


async def run(sitting: Sitting, *, look: Look) -> None:
    """Show a sitting, and those of its rematches, until the person leaves.

    Raises `RuntimeFault` if this machine failed. Ctrl-C interrupts the process, as it does without a screen.
    """
    has_colour = "NO_COLOR" not in os.environ
    app = TableApp(sitting, look, has_colour=has_colour)
    await app.run_async()
    if app.failure is not None:
        raise app.failure
    if app.is_interrupted and not (
        app.desk.sitting.outcome is not None and app.desk.sitting.outcome.is_closed
    ):
        signal.raise_signal(signal.SIGINT)
        # The loop ends this task as soon as it has seen the signal.
        await asyncio.sleep(3600)
