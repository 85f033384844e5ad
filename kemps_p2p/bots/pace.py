"""How quickly a bot plays: delays in milliseconds.

Knows nothing of cards. Invariant:

1. A pace changes when a bot acts, never what it may know.
"""

from enum import Enum
from random import Random

import msgspec


class Pace(Enum):
    """How fast a bot is."""

    RELAXED = "relaxed"
    """As people are who chat while they play."""
    NORMAL = "normal"
    """As practised people are."""
    FAST = "fast"
    """At once, for simulations and for tables without people."""
    SLOW = "slow"
    """For people who read every line, or have it read aloud."""


class Span(msgspec.Struct, frozen=True):
    """A delay between two bounds, both included."""

    low_ms: int
    high_ms: int

    def draw(self, rng: Random) -> int:
        """A delay in milliseconds. A span without width draws nothing."""
        return self.low_ms if self.low_ms == self.high_ms else rng.randint(self.low_ms, self.high_ms)

    def times(self, factor: float) -> "Span":
        """The same delay, longer or shorter."""
        return Span(round(self.low_ms * factor), round(self.high_ms * factor))


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """The delays of one pace."""

    look: Span
    """From a new pool lying face up until it is taken in."""
    react: Span
    """From seeing a wanted card until the hand moves."""
    decline: Span
    """From finding nothing wanted until passing."""
    linger: Span
    """The same with a quartet in hand: the partner needs time to see the signal."""
    notice: Span
    """From a gesture until it is noticed, if it is."""
    speak: Span
    """From noticing until calling."""
    first_signal: Span
    next_signal: Span
    decoy: Span
    """From a new pool until a gesture that means nothing."""
    deal: Span
    """From the end of a deal until the dealer starts the next."""
    table_duty: Span
    """From when a dealer may say "go", halt or resume until doing so."""
    answer: Span


_AT_ONCE = Span(0, 0)

_RELAXED = Manners(
    look=Span(400, 1500),
    react=Span(350, 900),
    decline=Span(1500, 4000),
    linger=Span(5000, 8000),
    notice=Span(300, 1200),
    speak=Span(400, 1200),
    first_signal=Span(400, 1200),
    next_signal=Span(1000, 3000),
    decoy=Span(500, 3000),
    deal=Span(3000, 6000),
    table_duty=Span(800, 2000),
    answer=Span(600, 1500),
)

_SLOWNESS = 4
_SLOW = msgspec.structs.replace(
    _RELAXED,
    **{
        name: getattr(_RELAXED, name).times(_SLOWNESS)
        for name in ("look", "react", "decline", "linger", "notice", "speak", "first_signal", "next_signal")
    },
)
"""What the table waits for takes as long as it does for people who chat."""

_NORMAL = msgspec.structs.replace(
    _RELAXED,
    look=Span(120, 350),
    react=Span(180, 350),
    decline=Span(250, 600),
    linger=Span(1200, 1800),
    notice=Span(200, 400),
    speak=Span(200, 400),
    first_signal=Span(200, 400),
    next_signal=Span(500, 1000),
    decoy=Span(300, 1500),
    deal=Span(500, 1000),
    table_duty=Span(400, 900),
    answer=Span(300, 800),
)

_MANNERS = {
    Pace.SLOW: _SLOW,
    Pace.RELAXED: _RELAXED,
    Pace.NORMAL: _NORMAL,
    Pace.FAST: Manners(
        look=_AT_ONCE,
        react=_AT_ONCE,
        decline=Span(25, 25),
        linger=Span(600, 600),
        notice=_AT_ONCE,
        speak=_AT_ONCE,
        first_signal=_AT_ONCE,
        next_signal=Span(200, 200),
        decoy=_AT_ONCE,
        deal=_AT_ONCE,
        table_duty=_AT_ONCE,
        answer=_AT_ONCE,
    ),
}


def manners_of(pace: Pace, tempo: float) -> Manners:
    """The delays of a pace, for somebody who is quicker or slower than most: `tempo` multiplies the own ones.

    What the table waits for, a deal or an answer, takes everybody as long.
    """
    manners = _MANNERS[pace]
    own = ("look", "react", "notice", "speak", "first_signal")
    spans = {name: getattr(manners, name).times(tempo) for name in own}
    return msgspec.structs.replace(manners, **spans)
