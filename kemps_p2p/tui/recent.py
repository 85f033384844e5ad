"""What has just happened, as a screen draws it: short-lived things, and the last lines of the story.

Plain records; who fills them is `news`.
"""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto

from kemps_p2p.ids import Position, Seat

LINES_MAX = 400


class Tone(Enum):
    """How loud a line is."""

    QUIET = auto()
    PLAIN = auto()
    LOUD = auto()


@dataclass(slots=True)
class Line:
    """One line of the story. Its text changes when a card that it speaks of is turned up."""

    text: str
    tone: Tone


@dataclass(slots=True)
class Until:
    """Something that is shown until then; `since_ms` is when it began. Its text changes as a line's does."""

    text: str
    since_ms: int
    until_ms: int

    def is_on(self, now_ms: int) -> bool:
        """True while it is shown."""
        return self.since_ms <= now_ms < self.until_ms


@dataclass(frozen=True, slots=True)
class Words:
    """Something that a seat whispered to its partner, or said to all."""

    seat: Seat
    text: str
    is_public: bool = False


@dataclass(slots=True)
class Recent:
    """All of it. Times are the screen's own."""

    story: deque[Line] = field(default_factory=lambda: deque(maxlen=LINES_MAX))
    ending: list[Line] = field(default_factory=list)
    """How the last deal ended, from the call that ended it."""
    moves: dict[Seat, Until] = field(default_factory=dict)
    fresh: dict[Position, Until] = field(default_factory=dict)
    """Cards that were just left in the middle, and by whom."""
    gestures: dict[Seat, Until] = field(default_factory=dict)
    speech: dict[Seat, Until] = field(default_factory=dict)
    talk: list[Words] = field(default_factory=list)
    """What was whispered, and what was said between deals."""
    lessons: list[str] = field(default_factory=list)
    """What was explained last, in a first deal that explains itself."""
    notice: Until | None = None
    flash: Until | None = None
    rings: int = 0
    """How often there was reason to ring the bell."""
