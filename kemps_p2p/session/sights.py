"""What an entry that has become final shows to whoever watches. Section "Effects" of protocol.md."""

from collections.abc import Iterator

from kemps_p2p.ledger.entry import Struck
from kemps_p2p.session.chain import Accepted
from kemps_p2p.session.effects import (
    Happened,
    MatchClosed,
    ObserverStruck,
    SeatBack,
    SeatStruck,
    Sight,
)
from kemps_p2p.session.match import Match


def sights_of(accepted: Accepted, before: Match) -> Iterator[Sight]:
    """What an entry that has become final shows; `before`: the match as it was."""
    match, observer = accepted.match, before.observer
    yield from (SeatBack(seat) for seat in before.absent if seat not in match.absent)
    yield from (SeatStruck(seat) for seat in match.absent if seat not in before.absent)
    if accepted.events:
        yield Happened(match.head.index, accepted.events, match.game)
    if observer is not None and match.observer is None:
        # Only a strike for silence is written down as such; else its fault was blamed.
        events = accepted.record.entry.events
        is_silent = any(isinstance(event, Struck) and event.seat == observer for event in events)
        yield ObserverStruck(is_proven=not is_silent)
    if match.is_closed and not before.is_closed:
        yield MatchClosed(match.head.digest)
