"""For whom a table waits, and for what: duties and turns to act, put together for screens.

Decides nothing: who must publish is `duties`, who may act is `game`. Section "Duties" of protocol.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from kemps_p2p.game.actions import Action, Go, Next, Resume
from kemps_p2p.game.legal import against
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import Sweep
from kemps_p2p.game.seating import seats
from kemps_p2p.ids import Seat
from kemps_p2p.session.duties import (
    Duty,
    OweAnswer,
    OweBook,
    OweCoin,
    OweKey,
    OweSeed,
    OweShares,
    OweTurn,
    duties,
)
from kemps_p2p.session.match import Match


class What(Enum):
    """What is waited for."""

    SEATING = "seating"
    ABSENT = "absent"
    SHUFFLE = "shuffle"
    CARDS = "cards"
    ANSWER = "answer"
    COIN = "coin"
    SEEDS = "seeds"
    NEXT = "next"
    GO = "go"
    RESUME = "resume"
    TURN = "turn"
    PASSES = "passes"


@dataclass(frozen=True, slots=True)
class Waiting:
    """Seats that the table waits for; `seats` is not empty."""

    what: What
    seats: tuple[Seat, ...]


_ACTS: tuple[tuple[What, Action], ...] = (
    (What.NEXT, Next()),
    (What.GO, Go()),
    (What.RESUME, Resume()),
)


def waiting(match: Match) -> tuple[Waiting, ...]:
    """All that the table waits for at this head, what holds up the most first.

    The coming deal's shuffle counts only between deals: while cards are in play nobody waits for it.
    """
    found: dict[What, list[Seat]] = {}
    between = match.game.phase in (Phase.SEATED, Phase.DEAL_OVER)
    for seat in seats(match.seats):
        owed = {_what(duty) for duty in duties(match, seat)}
        for what in What:
            if what in owed and (between or what is not What.SHUFFLE or _shuffles_now(match, seat)):
                found.setdefault(what, []).append(seat)
    if match.absent and between:
        found[What.ABSENT] = sorted(match.absent)
    for what, seat in _to_act(match):
        found.setdefault(what, []).append(seat)
    return tuple(Waiting(what, tuple(found[what])) for what in What if what in found)


def _what(duty: Duty) -> What:
    match duty:
        case OweKey() | OweTurn():
            return What.SHUFFLE
        case OweShares():
            return What.CARDS
        case OweSeed() | OweBook():
            return What.SEEDS
        case OweCoin():
            return What.COIN
        case OweAnswer():
            return What.ANSWER


def _shuffles_now(match: Match, seat: Seat) -> bool:
    """True if a seat owes a turn over cards of the running deal: swept ones, shuffled again."""
    return any(isinstance(duty, OweTurn) and duty.deal == match.game.deal for duty in duties(match, seat))


def _to_act(match: Match) -> Iterator[tuple[What, Seat]]:
    game = match.game
    for what, action in _ACTS:
        for seat in seats(match.seats) if what is not What.NEXT or not match.absent else ():
            if game.phase is not Phase.MATCH_OVER and against(game, seat, action, {}) is None:
                yield what, seat
    if game.phase is not Phase.OPEN or game.pending is not None:
        return
    if game.turn is not None:
        yield What.TURN, game.turn
    elif game.rules.sweep is Sweep.PASS and game.passes:
        yield from ((What.PASSES, seat) for seat in seats(match.seats) if seat not in game.passes)
