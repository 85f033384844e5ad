"""What to call seats and teams: by their names where those are known and cannot be confused."""

from collections.abc import Iterable
from dataclasses import dataclass

from kemps_p2p.game.seating import members
from kemps_p2p.ids import Seat, Team
from kemps_p2p.wording.plain import plain

NAME_CHARACTERS_MAX = 40


@dataclass(frozen=True, slots=True)
class People:
    """The seats of a table, with names by seat, or without any; and the name of its observer, if known."""

    seats: int
    names: tuple[str, ...] = ()
    observer: str | None = None

    def seat(self, seat: int) -> str:
        """What to call a seat: its name, with the number where the name alone could be another's.

        The number after the last seat is the observer's.
        """
        if 0 < self.seats == seat:
            return self._called_observer()
        if not 0 <= seat < len(self.names):
            return f"seat {seat}"
        name = plain(self.names[seat], NAME_CHARACTERS_MAX)
        folded = self.names[seat].casefold()
        alike = sum(other.casefold() == folded for other in self.names)
        return name if alike == 1 and not folded.startswith("seat") else f"{name} (seat {seat})"

    def numbered(self, seat: int) -> str:
        """Name and number of a seat."""
        if 0 < self.seats == seat:
            return self._called_observer()
        if not 0 <= seat < len(self.names):
            return f"seat {seat}"
        return f"{plain(self.names[seat], NAME_CHARACTERS_MAX)} (seat {seat})"

    def _called_observer(self) -> str:
        named = "" if self.observer is None else f" {plain(self.observer, NAME_CHARACTERS_MAX)}"
        return f"the observer{named}"

    def team(self, team: int) -> str:
        """The members of a team."""
        return self.all(members(Team(team), self.seats))

    def all(self, seats: Iterable[Seat]) -> str:
        """Several seats, as one says them."""
        return listed([self.seat(seat) for seat in seats])


def listed(words: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun: `1 entry`, `2 entries`."""
    return f"{count} {one if count == 1 else many or one + 's'}"
