"""A seat that has fallen silent: struck from the table by the others, and back again.

What it is to be struck, and what comes of it, for the fold. Knows no clock: how long a seat has been silent
is for those who vote to know. Invariants:

1. A seat is struck only by the words of a quorum of others, who all hold the same of its tape, and have
   said so of whoever sits there now.
2. What is called, drawn or demanded is judged first: nobody escapes it, and nobody loses it by a strike.
3. No deal starts while a seat is absent.

Section "Absent seats" of protocol.md.
"""

from msgspec.structs import replace

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault
from kemps_p2p.game.state import lose_deal, void_deal
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Readmitted, Struck, quorum
from kemps_p2p.ledger.tape import Back, Statement, TapeItem, Unheard
from kemps_p2p.session.duties import OweShares, OweTurn, duties, is_dealt
from kemps_p2p.session.fold import Fold
from kemps_p2p.session.match import Match, is_over


def common_words(fold: Fold, seat: int, names: tuple[Digest, ...]) -> set[Statement]:
    """What a quorum of seats says alike, each in one of the items of these names; not `seat` itself."""
    match = fold.match
    items = [fold.items[name] for name in names]
    seats = [item.seat for item in items]
    if seats != sorted(set(seats)) or len(seats) < quorum(match.seats) or max(seats) >= match.seats:
        raise fold.fault(Fault.BAD_EVIDENCE, "not the words of a quorum of seats, by seat")
    if seat in seats:
        raise fold.fault(Fault.BAD_EVIDENCE, "words about a seat with its own among them")
    return set[Statement].intersection(*(set(item.item.body) for item in items))


def check_unheard(fold: Fold, event: Struck) -> None:
    """Raise unless a quorum of other seats say the same of the tape of whom an event strikes."""
    said = common_words(fold, event.seat, event.words)
    if not any(isinstance(one, Unheard) and one.seat == event.seat for one in said):
        raise fold.fault(Fault.BAD_EVIDENCE, "the words of a strike do not say the same")
    # The tape of a new incarnation may end where the old one's did, and who agrees to it misses nobody there
    # before it sits: so what was said of the old one has a lower stamp.
    if not all(is_of_now(fold.match, event.seat, fold.items[name]) for name in event.words):
        raise fold.fault(Fault.BAD_EVIDENCE, "the words of a strike are of the incarnation before")


def is_of_now(match: Match, seat: int, word: TapeItem) -> bool:
    """True if a word on a silent tape is of whoever sits there now, and not of the incarnation before."""
    return word.item.lamport > match.given.get(Seat(seat), -1)


def is_at_table(match: Match, seat: int) -> bool:
    """True if there is a seat of this number that can be struck."""
    return 0 <= seat < match.seats and seat not in match.absent and not is_over(match)


def strike_seat(fold: Fold, event: Struck) -> None:
    """Fold the strike of a seat: the deal under way is void, or lost by its team."""
    match = fold.match
    if not is_at_table(match, event.seat):
        raise fold.fault(Fault.BAD_ENTRY, f"there is no seat {event.seat} that could be struck")
    if match.cut is not None or match.contests or match.owing:
        raise fold.fault(Fault.BAD_ORDER, "a seat is struck before what is asked or claimed is judged")
    check_unheard(fold, event)
    seat, team = Seat(event.seat), match.team_of(event.seat)
    if is_dealt(match):
        if team in match.voids or is_awaited(match, seat):
            fold.take(lose_deal(match.game, team))
        else:
            fold.take(void_deal(match.game))
            fold.match = replace(fold.match, voids=match.voids | {team})
    fold.match = replace(fold.match, absent={**match.absent, seat: fold.index})


def is_awaited(match: Match, seat: Seat) -> bool:
    """True if others wait for something of a seat without which its deal cannot go on."""
    deal = match.game.deal
    return any(isinstance(duty, OweShares | OweTurn) and duty.deal == deal for duty in duties(match, seat))


def readmitted(fold: Fold, event: Readmitted) -> None:
    """Fold the return of a struck seat, by its own word."""
    absent, item = fold.match.absent, fold.items[event.item]
    since = absent.get(Seat(event.seat))
    if since is None:
        raise fold.fault(Fault.BAD_ENTRY, f"seat {event.seat} is not absent")
    if item.seat != event.seat or Back(index=since) not in item.item.body:
        raise fold.fault(Fault.BAD_EVIDENCE, "a seat is readmitted that does not say that it is back")
    left = {seat: index for seat, index in absent.items() if seat != event.seat}
    fold.match = replace(fold.match, absent=left)
