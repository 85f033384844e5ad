"""Gestures by name, and how long each can be seen. What one means is agreed in private, or nothing at all."""

import re
from enum import Enum

import msgspec


class Intent(Enum):
    """What a gesture is made for. Nobody else is to see which it is while the match runs."""

    MEANT = "meant"
    """Made on purpose by whoever plays, be it to tell the truth or to bluff."""
    DECOY = "decoy"
    """Made by the program of the seat so that a movement is no signal by being one."""


class GestureKind(msgspec.Struct, frozen=True):
    """A gesture of the catalogue; a table may see others, which screens show by their name."""

    name: str
    length_ms: int


GESTURES = (
    GestureKind("wink", 500),
    GestureKind("raised eyebrow", 700),
    GestureKind("ear tug", 1000),
    GestureKind("nose scratch", 1100),
    GestureKind("table tap", 600),
    GestureKind("cough", 800),
    GestureKind("yawn", 1600),
    GestureKind("sigh", 1200),
    GestureKind("chin rub", 1200),
    GestureKind("cheek puff", 1000),
    GestureKind("smile", 1300),
    GestureKind("glance aside", 700),
)
"""What a player can make on purpose."""

FIDGETS = (
    GestureKind("blink", 300),
    GestureKind("shoulder roll", 1100),
    GestureKind("head tilt", 900),
    GestureKind("lip bite", 900),
    GestureKind("hair touch", 1000),
)
"""What a face also does by itself, so that a movement is no signal by being one."""

DEFAULT_LENGTH_MS = 1000

_PATTERNS = {kind.name: re.compile(rf"\b{re.escape(kind.name)}\b") for kind in GESTURES}

_LENGTHS = {gesture.name: gesture.length_ms for gesture in (*GESTURES, *FIDGETS)}


def length_ms(name: str) -> int:
    """How long a gesture can be seen."""
    return _LENGTHS.get(name, DEFAULT_LENGTH_MS)


def named_in(text: str) -> tuple[str, ...]:
    """The gestures of the catalogue that a text names, in the order of the catalogue."""
    words = text.lower()
    return tuple(name for name, pattern in _PATTERNS.items() if pattern.search(words))
