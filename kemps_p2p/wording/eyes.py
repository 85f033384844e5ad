"""Whose eyes a match is told with, and what to call them."""

from enum import Enum

from kemps_p2p.ids import Seat
from kemps_p2p.wording.people import People


class Wide(Enum):
    """Eyes that are not those of one seat."""

    TABLE = "table"
    """What everybody saw, without anybody's hand."""
    ALL = "all"
    """Every hand that the log shows."""


Whose = Seat | Wide


def eyes_text(whose: Whose, people: People) -> str:
    """What they see, in words."""
    match whose:
        case Wide.ALL:
            return "all hands"
        case Wide.TABLE:
            return "what all saw"
        case _:
            return f"what {people.seat(whose)} saw"


def everybody(people: People) -> tuple[Whose, ...]:
    """All eyes at a table: those that see all, the table's, each seat's."""
    return (Wide.ALL, Wide.TABLE, *map(Seat, range(people.seats)))
