"""A sheet of terminal cells to draw on, and the places on it that can be clicked.

Knows no cards and no terminal. Invariants:

1. Whatever is put where, every row stays exactly as wide as the sheet: what does not fit is cut.
2. A click is the press of a key: every place that can be clicked names the key that does the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from rich.cells import get_character_cell_size


class Ink(Enum):
    """What a cell is, for the palette to colour."""

    FELT = auto()
    TEXT = auto()
    DIM = auto()
    STRONG = auto()
    TITLE = auto()
    KEY = auto()
    LABEL = auto()
    ASKED = auto()
    """What the table waits for from this seat."""
    ARMED = auto()
    """A call that needs one more press."""
    ALARM = auto()
    GOOD = auto()
    PLATE = auto()
    WATCHED = auto()
    FACE = auto()
    CLUBS = auto()
    DIAMONDS = auto()
    HEARTS = auto()
    SPADES = auto()
    EDGE = auto()
    """The edge of a card."""
    CHOSEN = auto()
    FRESH = auto()
    """The edge of a card that has just come."""
    BACK = auto()
    FLASH = auto()


@dataclass(frozen=True, slots=True)
class Zone:
    """A place that can be clicked: columns `x` to `x + width`, rows `y` to `y + height`."""

    x: int
    y: int
    width: int
    height: int
    key: str

    def holds(self, x: int, y: int) -> bool:
        """True for a cell of it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class Area(NamedTuple):
    """Columns and rows of a sheet."""

    x: int
    y: int
    width: int
    height: int


Run = tuple[str, Ink]
"""Text of one ink."""


def cells(text: str) -> int:
    """How many columns a text takes."""
    return sum(map(get_character_cell_size, text))


def clipped(text: str, columns: int, tail: str = "…") -> str:
    """As much of a text as fits, with a mark if something is cut off."""
    if cells(text) <= columns:
        return text
    room = columns - cells(tail)
    if room < 0:
        return ""
    kept = ""
    for character in text:
        room -= get_character_cell_size(character)
        if room < 0:
            break
        kept += character
    return kept + tail


def wrapped(text: str, columns: int) -> Iterator[str]:
    """A text in lines of so many columns, broken at spaces where there are any."""
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if clipped(longer, columns) == longer:
            line = longer
            continue
        if line:
            yield line
        line = clipped(word, columns)
    yield line


class Sheet:
    """Cells of one size, blank at first."""

    def __init__(self, width: int, height: int, *, is_ascii: bool) -> None:
        self.width = width
        self.height = height
        self.is_ascii = is_ascii
        self.zones: list[Zone] = []
        self._characters = [[" "] * width for _ in range(height)]
        self._inks = [[Ink.FELT] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, ink: Ink = Ink.TEXT, key: str = "") -> int:
        """Write a text; the column behind it. With a key it can be clicked."""
        start = x
        if not 0 <= y < self.height:
            return x + cells(text)
        characters, inks = self._characters[y], self._inks[y]
        for character in self._fit(text):
            size = get_character_cell_size(character)
            if size == 0:
                continue
            if x >= 0 and x + size <= self.width:
                self._free(characters, x, x + size)
                characters[x], inks[x] = character, ink
                if size == 2:
                    characters[x + 1], inks[x + 1] = "", ink
            x += size
        if key:
            self.zone(start, y, x - start, 1, key)
        return x

    def _free(self, characters: list[str], start: int, end: int) -> None:
        """Of a wide character that is half overwritten, the other half becomes a blank."""
        if characters[start] == "":
            characters[start - 1] = " "
        if end < self.width and characters[end] == "":
            characters[end] = " "

    def _fit(self, text: str) -> str:
        return plain_ascii(text) if self.is_ascii else text

    def clip(self, x: int, y: int, columns: int, text: str, ink: Ink = Ink.TEXT) -> int:
        """Write as much of a text as fits into so many columns; the column behind it."""
        return self.put(x, y, clipped(text, columns, self.tail), ink)

    def centre(self, y: int, text: str, ink: Ink = Ink.TEXT, *, x: int = 0, columns: int = 0) -> None:
        """Write a text in the middle of some columns, the whole row by default."""
        columns = columns or self.width - x
        text = clipped(text, columns, self.tail)
        self.put(x + (columns - cells(text)) // 2, y, text, ink)

    @property
    def tail(self) -> str:
        """What a text that is cut ends with."""
        return "." if self.is_ascii else "…"

    def fill(self, x: int, y: int, width: int, height: int, ink: Ink) -> None:
        """Blank cells of an ink."""
        for row in range(max(y, 0), min(y + height, self.height)):
            for column in range(max(x, 0), min(x + width, self.width)):
                self._free(self._characters[row], column, column + 1)
                self._characters[row][column], self._inks[row][column] = " ", ink

    def box(self, x: int, y: int, width: int, height: int, ink: Ink, *, is_strong: bool = False) -> None:
        """A frame, of double lines if it is a strong one."""
        if self.is_ascii:
            corner, line, side = ("#", "=", "#") if is_strong else ("+", "-", "|")
            edges = corner * 4 + line + side
        else:
            edges = "╔╗╚╝═║" if is_strong else "╭╮╰╯─│"
        top, bottom = (
            edges[0] + edges[4] * (width - 2) + edges[1],
            edges[2] + edges[4] * (width - 2) + edges[3],
        )
        self.put(x, y, top, ink)
        for row in range(y + 1, y + height - 1):
            self.put(x, row, edges[5], ink)
            self.put(x + width - 1, row, edges[5], ink)
        self.put(x, y + height - 1, bottom, ink)

    def zone(self, x: int, y: int, width: int, height: int, key: str) -> None:
        """Let a place be clicked; the last one said counts where two meet."""
        self.zones.append(Zone(x, y, width, height, key))

    def key_at(self, x: int, y: int) -> str | None:
        """The key that a click here presses."""
        return next((zone.key for zone in reversed(self.zones) if zone.holds(x, y)), None)

    def close_zones(self) -> None:
        """Nothing that was drawn until now can be clicked any more."""
        self.zones.clear()

    def row(self, y: int) -> tuple[Run, ...]:
        """One row, as texts of one ink each."""
        return tuple(self._runs(y))

    def _runs(self, y: int) -> Iterator[Run]:
        characters, inks = self._characters[y], self._inks[y]
        start = 0
        for column in range(1, self.width + 1):
            if column == self.width or inks[column] is not inks[start]:
                yield "".join(characters[start:column]), inks[start]
                start = column

    def text(self) -> str:
        """All rows as plain text."""
        return "\n".join("".join(row).rstrip() for row in self._characters)


_ASCII = str.maketrans({
    "“": '"', "”": '"', "’": "'", "…": ".", "·": ".", "−": "-", "–": "-", "→": ">", "←": "<", "▮": "#",
    "▶": ">", "▷": "?", "♣": "C", "♦": "D", "♥": "H", "♠": "S", "×": "x", "✓": "v",
})  # fmt: skip


def plain_ascii(text: str) -> str:
    """A text with nothing but ASCII in it; what has no likeness becomes a question mark."""
    return "".join(
        character if character.isascii() else "?" * get_character_cell_size(character)
        for character in text.translate(_ASCII)
    )
