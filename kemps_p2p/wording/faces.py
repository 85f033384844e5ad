"""Faces of the seats as small drawings, and how each gesture moves one: data for screens.

A face is three rows of seven columns, of narrow characters. Knows no seats and no time: a screen
asks what a face looks like so many milliseconds into a gesture. Invariants:

1. A gesture lasts as long as the catalogue says, and every one of the catalogue has a movement of its own.
2. What a face does by itself looks no different in kind from what a player makes it do.
3. The ASCII face has the same frames, and none but ASCII characters.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kemps_p2p.game.gestures import length_ms

COLUMNS = 7
ROWS = 3

_UNICODE = str.maketrans({"o": "•", "-": "─", "^": "ˆ", "u": "‿", "n": "⁀"})
"""From the ASCII drawing to the finer one, character by character."""


@dataclass(frozen=True, slots=True)
class Face:
    """What a face looks like: brows, eyes, mouth; each row has seven columns, drawn in ASCII."""

    brows: str
    eyes: str
    mouth: str

    def rows(self, *, is_ascii: bool) -> tuple[str, str, str]:
        """The three rows, from above."""
        rows = self.brows, self.eyes, self.mouth
        return rows if is_ascii else (_fine(rows[0]), _fine(rows[1]), _fine(rows[2]))


def _fine(row: str) -> str:
    return row.translate(_UNICODE)


REST = Face("  _ _  ", "( o o )", "   -   ")
"""A face that does nothing."""

_MOVEMENTS: Mapping[str, tuple[Face, ...]] = {
    "wink": (Face("  _ _  ", "( o - )", "   u   "),),
    "raised eyebrow": (Face("  _ ^  ", "( o o )", "   -   "),),
    "ear tug": (
        Face("  _ _  ", "( o o )", "   -  |"),
        Face("  _ _  ", "( o o @", "   -  |"),
        Face("  _ _  ", "( o o )", "   -  @"),
    ),
    "nose scratch": (
        Face("  _ _  ", "( o,o )", "   -|  "),
        Face("  _ _  ", "( o;o )", "   -|  "),
        Face("  _ _  ", "( o,o )", "   -|  "),
    ),
    "table tap": (Face("  _ _  ", "( o o )", "   -  ."), Face("  _ _  ", "( o o )", "   -  !")),
    "cough": (Face("  _ _  ", "( > < )", "   O=  "), Face("  _ _  ", "( > < )", "   o=  ")),
    "yawn": (
        Face("  _ _  ", "( - - )", "   o   "),
        Face("  ^ ^  ", "( - - )", "   O   "),
        Face("  _ _  ", "( - - )", "   o   "),
    ),
    "sigh": (Face("  ^ ^  ", "( - - )", "   n   "), Face("  _ _  ", "( - - )", "   n ~ ")),
    "chin rub": (
        Face("  _ _  ", "( o o )", "  _-   "),
        Face("  _ _  ", "( o o )", "   -_  "),
        Face("  _ _  ", "( o o )", "  _-   "),
    ),
    "cheek puff": (Face("  _ _  ", "( o o )", " ( - ) "),),
    "smile": (Face("  _ _  ", "( o o )", "  \\u/  "),),
    "glance aside": (Face("  _ _  ", "(  o o)", "   -   "),),
    "blink": (Face("  _ _  ", "( - - )", "   -   "),),
    "shoulder roll": (Face("  _ _  ", "( o o )", "_  -   "), Face("  _ _  ", "( o o )", "   -  _")),
    "head tilt": (Face(" _ _   ", "(o o ) ", "   -   "),),
    "lip bite": (Face("  _ _  ", "( o o )", "   w   "),),
    "hair touch": (Face(" \\_ _  ", "( o o )", "   -   "), Face(" |_ _  ", "( o o )", "   -   ")),
}
_UNKNOWN = (Face("  _ _  ", "( o o )", "   ?   "),)
"""For a gesture that only the other's program knows: its name is shown beside it."""


def movement(name: str) -> tuple[Face, ...]:
    """What a gesture looks like: its frames, each shown for the same share of its length."""
    return _MOVEMENTS.get(name, _UNKNOWN)


def face_at(name: str, elapsed_ms: int) -> Face:
    """What a face looks like so long after a gesture began; at rest before and after it."""
    length = length_ms(name)
    if not 0 <= elapsed_ms < length:
        return REST
    frames = movement(name)
    return frames[elapsed_ms * len(frames) // length]


def glimpse(name: str, *, is_ascii: bool) -> str:
    """What a gesture looks like in one line: the eyes, and what else moves, where it moves most."""
    rest = REST.rows(is_ascii=is_ascii)

    def moved(face: Face) -> int:
        rows = zip(face.rows(is_ascii=is_ascii), rest, strict=True)
        return sum(left != right for row, still in rows for left, right in zip(row, still, strict=True))

    face = max(movement(name), key=moved)
    rows = zip(face.rows(is_ascii=is_ascii), rest, strict=True)
    kept = [row.strip() for place, (row, still) in enumerate(rows) if place == 1 or row != still]
    return " ".join(kept)
