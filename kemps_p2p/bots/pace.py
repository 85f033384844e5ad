"""How quickly and how attentively a bot plays: delays in milliseconds, chances between 0 and 1.

Knows nothing of cards. Invariant:

1. A pace changes when a bot acts and what it overlooks, never what it may know.
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


class Span(msgspec.Struct, frozen=True):
    """A delay between two bounds, both included."""

    low_ms: int
    high_ms: int

    def draw(self, rng: Random) -> int:
        """A delay in milliseconds. A span without width draws nothing."""
        return self.low_ms if self.low_ms == self.high_ms else rng.randint(self.low_ms, self.high_ms)


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """The delays and chances of one pace."""

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

    overlooks_card: float
    """The chance not to see a card, as long as the pool it lies in is not swept."""
    notices_signal: float
    """The chance to see one signal of the partner."""
    misreads: float
    """The chance to take another gesture of the partner for the signal."""
    makes_decoy: float
    """The chance of a decoy, for each new pool."""
    repeats_decoy: float
    """The chance that a decoy made is made once more."""
    swaps_idly: float
    """The chance of a swap that only confuses, for each new pool."""
    suspects_four: float
    """The chance to act on four cards of one rank that an opponent took in public."""
    suspects_three: float
    suspects_two: float
    suspects_gestures: tuple[float, ...]
    """The chance to act on an opponent's gesture, by how often it was made before; the last for more."""


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
    overlooks_card=0.15,
    notices_signal=0.75,
    misreads=0.04,
    makes_decoy=0.06,
    repeats_decoy=0.5,
    swaps_idly=0.04,
    suspects_four=0.6,
    suspects_three=0.15,
    suspects_two=0.025,
    suspects_gestures=(0.01, 0.05, 0.1, 0.2),
)

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
        overlooks_card=0.1,
        notices_signal=0.9,
        misreads=0.04,
        makes_decoy=0.06,
        repeats_decoy=0.5,
        swaps_idly=0.0,
        suspects_four=0.6,
        suspects_three=0.15,
        suspects_two=0.025,
        suspects_gestures=(0.01, 0.05, 0.1, 0.2),
    ),
}


def manners_of(pace: Pace) -> Manners:
    """The delays and chances of a pace."""
    return _MANNERS[pace]
