"""A replay on the terminal: keys, clicks and time in, sheets out.

Invariant:

1. However it ends, the terminal is as it was before.
"""

import os
from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from kemps_p2p.tui.app import Stage, screen_ms
from kemps_p2p.tui.paint import Sheet
from kemps_p2p.tui.palette import palette
from kemps_p2p.tui.reel import Reel
from kemps_p2p.tui.reel_page import draw_reel
from kemps_p2p.tui.table_page import COLUMNS_MIN, ROWS_MIN, draw_too_small

TICK_S = 0.05


class ReelApp(App[None]):
    """One replay, from its first key to its last."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    CSS = """
    Screen { overflow: hidden; background: #0d3b2a; }
    Stage { width: 100%; height: 100%; }
    ReelApp.-colourless Screen, ReelApp.-colourless Stage { background: ansi_default; color: ansi_default; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", priority=True, show=False),
        Binding("ctrl+q", "leave", priority=True, show=False),
        Binding("tab", "press('tab')", priority=True, show=False),
        Binding("shift+tab", "press('shift+tab')", priority=True, show=False),
    ]

    def __init__(
        self, reel: Reel, verdict: str, *, is_sound: bool, is_ascii: bool, colours: int, has_colour: bool
    ) -> None:
        super().__init__(ansi_color=not has_colour)
        self.set_class(not has_colour, "-colourless")
        self.reel = reel
        self._verdict = verdict
        self._is_sound = is_sound
        self._is_ascii = is_ascii
        self.stage = Stage(palette(colours, has_colour=has_colour))

    def compose(self) -> ComposeResult:
        """The stage."""
        yield self.stage

    def on_mount(self) -> None:
        """Begin to beat."""
        self.set_interval(TICK_S, self._tick)
        self.paint()

    def _tick(self) -> None:
        if self.reel.tick(screen_ms()):
            self.paint()

    def paint(self) -> None:
        """Draw things as they are now."""
        width, height = self.size
        if width and height and self.stage.is_attached:
            self.stage.show(self.draw(width, height))

    def draw(self, width: int, height: int) -> Sheet:
        """The sheet for a terminal of this size."""
        sheet = Sheet(width, height, is_ascii=self._is_ascii)
        if width < COLUMNS_MIN or height < ROWS_MIN:
            draw_too_small(sheet, "A replay")
        else:
            draw_reel(sheet, self.reel, self._verdict, is_sound=self._is_sound)
        return sheet

    def on_resize(self, _event: events.Resize) -> None:
        """Draw for the new size, once it is that of the application."""
        self.call_after_refresh(self.paint)

    def on_key(self, event: events.Key) -> None:
        """A key."""
        event.stop()
        key = event.character if event.character is not None and event.character.isprintable() else event.key
        self.action_press("space" if key == " " else key)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A click is the press of the key of the place."""
        sheet = self.stage.sheet
        key = None if sheet is None or event.button != 1 else sheet.key_at(event.screen_x, event.screen_y)
        if key is not None:
            self.action_press(key)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel steps on."""
        event.stop()
        self.action_press("right")

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel steps back."""
        event.stop()
        self.action_press("left")

    def action_press(self, key: str) -> None:
        """Do what a key says."""
        if self.reel.press(key, screen_ms()):
            self.paint()
        else:
            self.exit()

    def action_leave(self) -> None:
        """Leave."""
        self.exit()


def show(reel: Reel, verdict: str, *, is_sound: bool, is_ascii: bool, colours: int) -> None:
    """Show a replay until the person leaves."""
    has_colour = "NO_COLOR" not in os.environ
    ReelApp(reel, verdict, is_sound=is_sound, is_ascii=is_ascii, colours=colours, has_colour=has_colour).run()
