"""What an entry that has become final shows to whoever watches. Section "Effects" of protocol.md."""

from collections.abc import Callable, Iterator

from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Struck
from kemps_p2p.session.chain import Accepted
from kemps_p2p.session.effects import (
    Happened,
    MatchClosed,
    ObserverStruck,
    SeatBack,
    SeatHeld,
    SeatStruck,
    Sight,
)
from kemps_p2p.session.match import Match
from kemps_p2p.session.standin import is_held


def sights_of(
    accepted: Accepted, before: Match, owner: Callable[[bytes], Seat | None] = lambda key: None
) -> Iterator[Sight]:
    """What an entry that has become final shows; `before`: the match as it was.

    `owner`: who runs the program that stands in with this key, if that is known.
    """
    match, observer = accepted.match, before.observer
    for seat in before.absent.keys() - match.absent.keys():
        is_stand_in = is_held(match, seat)
        yield SeatHeld(seat, owner(match.signers[seat][-1].key)) if is_stand_in else SeatBack(seat)
    for seat in match.absent.keys() - before.absent.keys():
        yield SeatStruck(seat, is_stand_in=is_held(match, seat))
    if accepted.events:
        yield Happened(match.head.index, accepted.events, match.game)
    if observer is not None and match.observer is None:
        # Only a strike for silence is written down as such; else its fault was blamed.
        events = accepted.record.entry.events
        is_silent = any(isinstance(event, Struck) and event.seat == observer for event in events)
        yield ObserverStruck(is_proven=not is_silent)
    if match.is_closed and not before.is_closed:
        yield MatchClosed(match.head.digest)
