"""What called hands have taught about the gestures of each team: which of them mean a quartet.

Knows no cards; kept from deal to deal, since teams often keep their signals. Invariant:

1. Only what the whole table saw is learned from: verdicts, and gestures that were noticed.
"""

from collections.abc import Iterable
from random import Random

from kemps_p2p.bots.level import Skill
from kemps_p2p.ids import Team

READY = "ready"
"""Stands for the one public signal that some rules have."""
DOUBT = 0.25
"""Counts as so many lessons of each sort before the first."""


class Book:
    """One seat's notes."""

    def __init__(self, rng: Random, skill: Skill) -> None:
        self._rng = rng
        self._skill = skill
        self._quartets: dict[tuple[Team, str], int] = {}
        self._bluffs: dict[tuple[Team, str], int] = {}

    def teach_quartet(self, team: Team, names: Iterable[str]) -> None:
        """A hand was a quartet, and these gestures were made with it."""
        self._note(self._quartets, team, names)

    def teach_bluff(self, team: Team, names: Iterable[str]) -> None:
        """A hand was none, and these gestures were made with it."""
        self._note(self._bluffs, team, names)

    def _note(self, notes: dict[tuple[Team, str], int], team: Team, names: Iterable[str]) -> None:
        for name in names:
            if self._rng.random() < self._skill.learns:
                notes[team, name] = notes.get((team, name), 0) + 1

    def odds(self, team: Team, name: str) -> float:
        """How much likelier a quartet is for this gesture; 1 for one that taught nothing."""
        key = team, name
        return (self._quartets.get(key, 0) + DOUBT) / (self._bluffs.get(key, 0) + DOUBT)
