"""Who sat in for players, as far as a log can show it: by which entries, and with a key of no player."""

from collections.abc import Iterator
from typing import NamedTuple

from kemps_p2p.ids import Seat
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.standin import is_held
from kemps_p2p.wording.absence import sat_in_text
from kemps_p2p.wording.people import People


class Held(NamedTuple):
    """A seat that was held from one entry on until another; None: to the end."""

    seat: Seat
    since: int
    until: int | None


def held_in(audit: Audit) -> Iterator[Held]:
    """The times at which seats were held by other keys than those of their players, as they began."""
    begun: dict[Seat, int] = {}
    ended: list[Held] = []
    for step in audit.steps:
        for seat in map(Seat, range(step.match.seats)):
            if is_held(step.match, seat):
                begun.setdefault(seat, step.match.head.index)
            elif seat in begun:
                ended.append(Held(seat, begun.pop(seat), step.match.head.index))
    yield from sorted([*ended, *(Held(seat, since, None) for seat, since in begun.items())], key=_beginning)


def _beginning(held: Held) -> tuple[int, Seat]:
    return held.since, held.seat


def held_lines(audit: Audit, people: People) -> Iterator[str]:
    """The same in words."""
    return (sat_in_text(held.seat, held.since, held.until, people) for held in held_in(audit))


def held_json(audit: Audit) -> list[dict[str, object]]:
    """The same as data: seat, and the entries from which and until which; `until` None: to the end."""
    return [held._asdict() for held in held_in(audit)]
