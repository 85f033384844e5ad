"""How well a bot plays: what it notices, remembers, infers and dares. Chances are between 0 and 1.

Knows nothing of cards or delays. Invariants:

1. A level changes what a bot makes of what it may know, never what it may know.
"""

from enum import Enum

import msgspec


class Level(Enum):
    """How well a bot plays."""

    EASY = "easy"
    """Looks at its own cards most of the time, forgets, and calls on a feeling."""
    NORMAL = "normal"
    """Knows the game."""
    SHARP = "sharp"
    """Counts, remembers, learns the others' signals, and sows doubt."""


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """The chances of one level."""

    tempo: float
    """What a person's delays are multiplied with."""
    overlooks_card: float
    """The chance not to see a card, as long as the pool it lies in is not swept."""
    forgets_card: float
    """The chance not to know, later in the deal, who took a card or that it was swept."""
    notices_signal: float
    """The chance to see one gesture of the partner."""
    notices_others: float
    """The chance to see one gesture of an opponent, or what one has collected."""
    misreads: float
    """The chance to take another gesture of the partner for the signal."""
    learns: float
    """The chance to remember which gestures a called hand was signalled with."""
    steepness: float
    """How well doubt is told from likelihood: how fast the chance to call grows with a belief."""
    rash: float
    """The chance to call on whatever there is."""
    feeds: float
    """The chance, for each pool, to put down what the partner collects."""
    denies: float
    """The chance, for each deal, to keep from opponents what they collect."""
    steals: float
    """The chance, for each pool, to take a card only because an opponent collects its rank."""
    holds_back: float
    """The chance to let the partner's quartet wait while the own hand may double it."""
    signals: int
    """How many gestures a team agrees on, a deal each in turn."""
    makes_decoy: float
    """The chance of a decoy, for each new pool."""
    decoys_max: int
    """The most times that a decoy is made."""
    bluffs: float
    """The chance, for each pool, to give the one public signal where the partner can tell it is false."""
    swaps_idly: float
    """The chance of a swap that only confuses, for each new pool."""
    mulligans: float
    """The chance to change a hand with enough alike, although it could still become a quartet."""


_SKILLS = {
    Level.EASY: Skill(
        tempo=1.2,
        overlooks_card=0.16,
        forgets_card=0.35,
        notices_signal=0.62,
        notices_others=0.2,
        misreads=0.15,
        learns=0.0,
        steepness=1.6,
        rash=0.05,
        feeds=0.25,
        denies=0.0,
        steals=0.0,
        holds_back=0.0,
        signals=1,
        makes_decoy=0.06,
        decoys_max=1,
        bluffs=0.25,
        swaps_idly=0.06,
        mulligans=0.6,
    ),
    Level.NORMAL: Skill(
        tempo=1.0,
        overlooks_card=0.12,
        forgets_card=0.2,
        notices_signal=0.75,
        notices_others=0.28,
        misreads=0.08,
        learns=0.5,
        steepness=2.5,
        rash=0.01,
        feeds=0.8,
        denies=0.7,
        steals=0.1,
        holds_back=0.3,
        signals=1,
        makes_decoy=0.08,
        decoys_max=2,
        bluffs=0.35,
        swaps_idly=0.04,
        mulligans=0.3,
    ),
    Level.SHARP: Skill(
        tempo=0.9,
        overlooks_card=0.06,
        forgets_card=0.08,
        notices_signal=0.85,
        notices_others=0.42,
        misreads=0.03,
        learns=1.0,
        steepness=3.0,
        rash=0.004,
        feeds=1.0,
        denies=1.0,
        steals=0.3,
        holds_back=0.7,
        signals=3,
        makes_decoy=0.1,
        decoys_max=2,
        bluffs=0.5,
        swaps_idly=0.04,
        mulligans=0.0,
    ),
}


def skill_of(level: Level) -> Skill:
    """The chances of a level."""
    return _SKILLS[level]
