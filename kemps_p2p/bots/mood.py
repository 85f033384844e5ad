"""What a bot is tempted to beyond collecting: to feed, to deny, to steal, to confuse, to bluff.

Drawn once for a deal or a pool, so that asking again draws nothing. Knows no cards and no time.
"""

from random import Random

import msgspec

from kemps_p2p.bots.level import Skill
from kemps_p2p.game.gestures import GESTURES

IDLE_POOLS_MAX = 3
"""So many pools are let pass in a row with patience."""
RESTLESS_SWAPS = 0.5
"""The chance of a swap for its own sake after them. Without it, hands that keep from each other what they
lack would wait for ever."""


def is_restless(idle_pools: int) -> bool:
    """Whether so many pools without an exchange are too many."""
    return idle_pools >= IDLE_POOLS_MAX


class DealMood(msgspec.Struct, frozen=True, kw_only=True):
    """For one deal."""

    denies: bool
    """Keeps from opponents what they collect."""
    bluffs: bool
    """Gives the one public signal, where the partner can tell it is false."""
    changes_hand: bool
    """Changes a hand with enough alike, although it could still become a quartet."""

    @classmethod
    def draw(cls, rng: Random, skill: Skill) -> "DealMood":
        """Draw one."""
        return cls(
            denies=rng.random() < skill.denies,
            bluffs=rng.random() < skill.bluffs,
            changes_hand=rng.random() < skill.mulligans,
        )


class PoolMood(msgspec.Struct, frozen=True, kw_only=True):
    """For one pool."""

    decoys: tuple[str, ...]
    """Gestures that mean nothing, in order."""
    idle_roll: float | None
    """Chooses the card of a swap that only confuses; None for no such swap."""
    feeds: bool
    steals: bool

    @classmethod
    def draw(cls, rng: Random, skill: Skill, signal: str, idle_pools: int) -> "PoolMood":
        """Draw one; a decoy is not the signal, and whoever let some pools pass grows restless."""
        swaps_idly = RESTLESS_SWAPS if is_restless(idle_pools) else skill.swaps_idly
        decoys: tuple[str, ...] = ()
        if rng.random() < skill.makes_decoy:
            name = rng.choice([each.name for each in GESTURES if each.name != signal])
            decoys = (name,) * rng.randint(1, skill.decoys_max)
        return cls(
            decoys=decoys,
            idle_roll=rng.random() if rng.random() < swaps_idly else None,
            feeds=rng.random() < skill.feeds,
            steals=rng.random() < skill.steals,
        )
