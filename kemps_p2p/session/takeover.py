"""The fold of a take-over: that a quorum has handed the ordering duty over, with this chain.

Section "Terms" of protocol.md.
"""

from msgspec.structs import replace

from kemps_p2p.errors import Fault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Entry, TakeOver, quorum
from kemps_p2p.ledger.term import chosen, hand_over_in, on_duty
from kemps_p2p.session.fold import Fold
from kemps_p2p.session.match import Match


def take_over_in(entry: Entry) -> TakeOver | None:
    """The take-over that an entry is; it orders nothing else then."""
    event = entry.events[0]
    return event if len(entry.events) == 1 and isinstance(event, TakeOver) else None


def may_begin(match: Match, entry: Entry) -> tuple[int, Seat]:
    """The term that the next entry has to be of, and the seat that is on duty in it.

    A take-over may begin any term after that of the last entry; whether it does is for the fold of its event.
    """
    if take_over_in(entry) is not None and entry.term > match.head_term:
        return entry.term, on_duty(match.seats, match.founding.first_dealer, entry.term)
    return match.term, match.on_duty


def taken_over(fold: Fold, event: TakeOver, entry: Entry) -> None:
    """Begin a term with the hand-overs of a quorum, on the head that they give."""
    match = fold.match
    if take_over_in(entry) is None:
        raise fold.fault(Fault.BAD_TAKE_OVER, "a take-over stands alone in its entry")
    items = [fold.items[name] for name in event.items]
    seats = [item.seat for item in items]
    votes = [vote for item in items if (vote := hand_over_in(item, entry.term)) is not None]
    if len(votes) < len(items) or seats != sorted(set(seats)) or len(seats) < quorum(match.seats):
        raise fold.fault(
            Fault.BAD_TAKE_OVER, "a take-over without the hand-overs of a quorum, one of each seat"
        )
    if entry.term <= match.head_term:
        raise fold.fault(Fault.WRONG_TERM, "a take-over of a term that has begun")
    best = chosen(votes)
    if best.head != match.head or best.normal != match.head_term:
        raise fold.fault(Fault.BAD_TAKE_OVER, "a take-over goes on from another entry than it was handed")
    duty = on_duty(match.seats, match.founding.first_dealer, entry.term)
    fold.match = replace(match, term=entry.term, on_duty=duty)
