"""What a seat has not opened in time: the table goes on without it, to that seat's cost.

A called hand, a proof of a denial, the hand of a mulligan, and the seeds once the match is over. Knows no
clock: since when something is owed follows from the elapsed time of entries. Section "Time" of protocol.md.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from kemps_p2p.errors import Fault
from kemps_p2p.game.calls import owed_seats
from kemps_p2p.game.record import Recycle
from kemps_p2p.game.state import owed_proofs, refuse_opening
from kemps_p2p.ids import Seat
from kemps_p2p.session.fold import Fold
from kemps_p2p.session.match import MISSING_SEED, Match, is_over

OVERDUE_MS = 20_000
"""How long a seat has for what it must open. A peer that crashed has that time to come back."""


def owing(match: Match) -> frozenset[Seat]:
    """The seats that others wait for: openings in a deal, seeds when the match is over."""
    if is_over(match):
        return frozenset(Seat(seat) for seat in range(match.seats) if list(missing_seeds(match, Seat(seat))))
    game = match.game
    drawing = game.mulligans if game.recycle is Recycle.NOTHING else ()
    return frozenset((*owed_seats(game), *(hand.seat for hand in owed_proofs(game)), *drawing))


def missing_seeds(match: Match, seat: Seat) -> Iterator[int]:
    """The deals whose seed a seat still owes."""
    for deal in range(match.game.deal + 1):
        if deal not in match.spoilt and seat not in match.seeds.get(deal, {}):
            yield deal


def note_owing(work: Fold) -> None:
    """Remember since when each seat is waited for."""
    match = work.match
    now = owing(match)
    if now != match.owing.keys():
        work.match = replace(
            match, owing={seat: match.owing.get(seat, match.elapsed_ms) for seat in sorted(now)}
        )


def is_overdue(match: Match, seat: int) -> bool:
    """True if a seat has been waited for long enough, by the elapsed time."""
    since_ms = match.owing.get(Seat(seat))
    return since_ms is not None and match.elapsed_ms - since_ms >= OVERDUE_MS


def give_up(work: Fold, seat: int) -> None:
    """Go on without what a seat has not opened in time."""
    match = work.match
    if Seat(seat) not in match.owing:
        raise work.fault(Fault.BAD_ENTRY, "a seat that nobody waits for")
    if not is_overdue(match, seat):
        raise work.fault(Fault.BAD_TIME, "a seat still has time to open what it owes")
    if not is_over(match):
        work.take(refuse_opening(match.game, Seat(seat)))
        return
    seeds = dict(match.seeds)
    for deal in missing_seeds(match, Seat(seat)):
        seeds[deal] = {**seeds.get(deal, {}), Seat(seat): MISSING_SEED}
    work.match = replace(match, seeds=seeds)
