"""The small integers that every layer names: seats, teams, positions of a deal."""

from typing import NewType

Seat = NewType("Seat", int)
"""A place at the table, counted clockwise from 0."""

Team = NewType("Team", int)
"""Team t is seats t and t + players/2."""

Position = NewType("Position", int)
"""A card of one deal, wherever it lies, whether its face is known or not."""
