"""Inks as styles of a terminal.

Colour never carries a meaning alone: letters, marks and frames say the same. Invariant:

1. Without colours no style has one: bold, reverse and underlined are all there is.
"""

from collections.abc import Mapping

from rich.style import Style

from kemps_p2p.tui.paint import Ink

FELT = "#0d3b2a"
BRIGHT_FELT = "#14523b"
CARD = "#f4f1e6"

_COLOURED: Mapping[Ink, Style] = {
    Ink.FELT: Style(color="#d8e4dc", bgcolor=FELT),
    Ink.TEXT: Style(color="#d8e4dc", bgcolor=FELT),
    Ink.DIM: Style(color="#8fb0a0", bgcolor=FELT),
    Ink.STRONG: Style(color="#ffffff", bgcolor=FELT, bold=True),
    Ink.TITLE: Style(color="#ffffff", bgcolor="#072419", bold=True),
    Ink.KEY: Style(color="#072419", bgcolor="#e8c547", bold=True),
    Ink.LABEL: Style(color="#ffffff", bgcolor=BRIGHT_FELT),
    Ink.ASKED: Style(color="#072419", bgcolor="#8fe388", bold=True),
    Ink.ARMED: Style(color="#ffffff", bgcolor="#c0392b", bold=True),
    Ink.ALARM: Style(color="#ffd166", bgcolor=FELT, bold=True),
    Ink.GOOD: Style(color="#8fe388", bgcolor=FELT, bold=True),
    Ink.PLATE: Style(color="#5f8a76", bgcolor=FELT),
    Ink.WATCHED: Style(color="#e8c547", bgcolor=FELT, bold=True),
    Ink.FACE: Style(color="#ffe0bd", bgcolor=FELT, bold=True),
    Ink.CLUBS: Style(color="#1d7a3a", bgcolor=CARD, bold=True),
    Ink.DIAMONDS: Style(color="#1b5fb4", bgcolor=CARD, bold=True),
    Ink.HEARTS: Style(color="#c1121f", bgcolor=CARD, bold=True),
    Ink.SPADES: Style(color="#111111", bgcolor=CARD, bold=True),
    Ink.EDGE: Style(color="#9a9a8c", bgcolor=CARD),
    Ink.CHOSEN: Style(color="#111111", bgcolor="#e8c547", bold=True),
    Ink.FRESH: Style(color="#c0392b", bgcolor=CARD, bold=True),
    Ink.BACK: Style(color="#b8c4f0", bgcolor="#2a3b7a"),
    Ink.FLASH: Style(color="#ffffff", bgcolor="#c0392b", bold=True),
}

_TWO = {
    Ink.CLUBS: Style(color="#111111", bgcolor=CARD, bold=True),
    Ink.DIAMONDS: Style(color="#c1121f", bgcolor=CARD, bold=True),
}

_COLOURLESS: Mapping[Ink, Style] = {
    Ink.DIM: Style(dim=True),
    Ink.STRONG: Style(bold=True),
    Ink.TITLE: Style(bold=True, reverse=True),
    Ink.KEY: Style(bold=True, underline=True),
    Ink.ASKED: Style(bold=True, reverse=True),
    Ink.ARMED: Style(bold=True, reverse=True),
    Ink.ALARM: Style(bold=True),
    Ink.GOOD: Style(bold=True),
    Ink.WATCHED: Style(bold=True),
    Ink.CLUBS: Style(bold=True),
    Ink.DIAMONDS: Style(bold=True),
    Ink.HEARTS: Style(bold=True),
    Ink.SPADES: Style(bold=True),
    Ink.CHOSEN: Style(bold=True, reverse=True),
    Ink.FRESH: Style(bold=True),
    Ink.FLASH: Style(bold=True, reverse=True),
}
_NOTHING = Style()


def palette(colours: int, *, has_colour: bool) -> Mapping[Ink, Style]:
    """A style for every ink; `colours`: how many tell the suits apart, 2 or 4."""
    if not has_colour:
        return {ink: _COLOURLESS.get(ink, _NOTHING) for ink in Ink}
    return {**_COLOURED, **_TWO} if colours == 2 else _COLOURED
