"""Whose duty ordering is, in words."""

from kemps_p2p.ids import Seat
from kemps_p2p.wording.people import People


def taken_over_text(people: People, seat: Seat, other: Seat, count: int) -> str:
    """A seat orders from now on, in the place of another; so many handed the duty over to it."""
    given = f"{count} of {people.seats} players handed that over"
    if seat == other:
        return f"{people.seat(seat)} begins to order anew: {given}"
    return f"{people.seat(seat)} orders from now on, not {people.seat(other)}: {given}"
