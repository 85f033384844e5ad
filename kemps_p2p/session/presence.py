"""Who is away from a running table: who has said that it leaves, and of whom nothing has been heard for long.

It is what one peer has noticed, and in no log: silence is never proof of anything.
Section "Session" of protocol.md.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kemps_p2p.ids import Seat
from kemps_p2p.session.messages import Want

AWAY_MS = 5000
"""Whoever has not been heard of for so long is away; an honest peer says something five times a second."""


@dataclass(frozen=True, slots=True)
class Away:
    """A seat that is away, and for how long. `has_left`: it has said so."""

    seat: Seat
    for_ms: int
    has_left: bool


def agreed(wants: Sequence[Want], away: Collection[Seat] = ()) -> Want:
    """What a table does whose seats want this: what all of them want, or go along with; else it plays on.

    Who has left wants nothing any more. To end the match, the silent are not asked either: nobody is kept at
    a table that cannot go on, and nothing comes of it that each could not do alone.
    """
    strong = {want for want in wants if want not in _WEAK}
    here = {want for seat, want in enumerate(wants) if seat not in away and want not in _WEAK}
    if len(here) == 1 and here <= _ENDS:
        return here.pop()
    return strong.pop() if len(strong) == 1 else Want.PLAY_ON


def unready(wants: Sequence[Want], away: Sequence[Away] = ()) -> tuple[Seat, ...]:
    """The seats that are there, and whose players are not ready for the next deal."""
    missing = {each.seat for each in away}
    return tuple(Seat(seat) for seat, want in enumerate(wants) if want is Want.HUDDLE and seat not in missing)


_ENDS = {Want.ABANDON, Want.WALK_OVER}
_WEAK = (Want.AS_OTHERS, Want.GONE)
