"""Lies about whose duty ordering is, and about what a seat has not opened in time."""

from typing import Any

from kemps_p2p.errors import Fault
from kemps_p2p.ledger.entry import Carried
from kemps_p2p.ledger.tape import Head
from kemps_p2p.session.messages import Overdue
from kemps_p2p.session.overdue import OVERDUE_MS
from vectors.form import ELSEWHERE
from vectors.lie_stages import by_duty, called, given, keyed, playing, told_at
from vectors.log_scribe import Scribe
from vectors.make_logs import Finding


def taken_over(s: Scribe, *events: Any, **lies: Any) -> Finding:
    """The next seat takes over, with something wrong; it is to blame."""
    by, term = s.next_on_duty
    s.put(*events, by=by, **{"term": term, **lies})
    return s.index, Fault.BAD_TAKE_OVER, by


@told_at(keyed)
def take_over_without_a_quorum(s: Scribe) -> Finding:
    return taken_over(s, s.hand_over(1, 2))


@told_at(keyed)
def take_over_with_a_seat_twice(s: Scribe) -> Finding:
    return taken_over(s, s.hand_over(1, 2, 2))


@told_at(keyed)
def take_over_on_another_entry(s: Scribe) -> Finding:
    return taken_over(s, s.hand_over(1, 2, 3, head=Head(index=1, digest=ELSEWHERE)))


@told_at(keyed)
def take_over_by_hand_overs_that_are_behind(s: Scribe) -> Finding:
    return taken_over(s, s.hand_over(1, 2, 3, head=s.match.past[0].head))


@told_at(keyed)
def take_over_with_hand_overs_into_another_term(s: Scribe) -> Finding:
    return taken_over(s, s.hand_over(1, 2, 3, term=2))


@told_at(keyed)
def take_over_by_another_seat(s: Scribe) -> Finding:
    s.put(s.hand_over(1, 2, 3), by=s.on_duty, term=1)
    return by_duty(s, Fault.WRONG_TERM)


@told_at(keyed)
def take_over_of_the_own_term(s: Scribe) -> Finding:
    s.put(s.hand_over(1, 2, 3, term=0))
    return by_duty(s, Fault.WRONG_TERM)


@told_at(keyed)
def take_over_beside_something_else(s: Scribe) -> Finding:
    s.put(s.hand_over(1, 2, 3, term=0), Carried(item=given(s, 0).digest))
    return by_duty(s, Fault.BAD_TAKE_OVER)


@told_at(called)
def overdue_too_soon(s: Scribe) -> Finding:
    s.put(s.note(Overdue(seat=1)), elapsed_ms=s.match.elapsed_ms + OVERDUE_MS - 1)
    return by_duty(s, Fault.BAD_TIME)


@told_at(playing)
def overdue_of_a_seat_that_owes_nothing(s: Scribe) -> Finding:
    s.put(s.note(Overdue(seat=1)), elapsed_ms=s.match.elapsed_ms + OVERDUE_MS)
    return by_duty(s, Fault.BAD_ENTRY)
