"""What a person can do now that others wait for, in words: one sentence, only where it matters."""

from collections.abc import Sequence

from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import Exchange, Reveal, Signals
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Seat
from kemps_p2p.session.waiting import Waiting, What
from kemps_p2p.wording.people import People
from kemps_p2p.wording.waiting import unready_text


def prompt_text(
    view: SeatView, waits: tuple[Waiting, ...], people: People, missing: Sequence[Seat] = ()
) -> str | None:
    """What the table waits for at this seat, and how to do it; None if it waits for nothing here.

    `missing`: who is not ready for a deal.
    """
    for wait in waits:
        if view.seat in wait.seats:
            text = _text(view, wait.what, wait.seats)
            if text is not None:
                is_early = wait.what is What.NEXT and missing
                return f"{text} ({unready_text(missing, people)})" if is_early else text
    return None


def _text(view: SeatView, what: What, seats: tuple[Seat, ...]) -> str | None:
    match what:
        case What.ANSWER if view.rules.reveal is Reveal.TWO_CARDS:
            return "You are called: `deny 1 2` chooses two cards of different rank to show; else any two are"
        case What.NEXT:
            return "You are the dealer: `next` starts the deal"
        case What.GO:
            return "You are the dealer: `go` opens play"
        case What.RESUME:
            return "You are the dealer: `resume` deals new cards"
        case What.TURN if view.phase is Phase.OPEN:
            return f"It is your turn: {_exchange(view)}, `pass`, or call"
        case What.PASSES if len(seats) == 1:
            return f"All others have passed: {_exchange(view)}, or `pass`"
        case _:
            return None


def instead_text(view: SeatView, people: People, *, is_ended: bool, is_ready: bool = True) -> str:
    """What can be done while no deal is on. `is_ended`: the log is complete, or never will be.

    `is_ready`: nobody waits for this person to be ready for the next deal.
    """
    if is_ended:
        return "The match is over: `rematch` plays again at this table, `quit` leaves"
    if view.phase is Phase.MATCH_OVER:
        return "The match is over, and its shuffles are being opened: wait a moment"
    sign = (
        "`signal wink` agrees on a sign with your partner, " if view.rules.signals is Signals.GESTURES else ""
    )
    talk = f"{sign}`w TEXT` whispers to them, `say TEXT` speaks to all"
    if view.next_dealer == view.seat:
        return f"You are the dealer: `next` starts the deal. Until then, {talk}"
    dealer = "the dealer" if view.next_dealer is None else people.seat(view.next_dealer)
    if not is_ready:
        return f"The next deal waits for you: `ready` lets {dealer} start it. Until then, {talk}"
    return f"The next deal begins when {dealer} starts it. Until then, {talk}"


def _exchange(view: SeatView) -> str:
    return "`take 2 give 3`" if view.rules.exchange is Exchange.SWAP else "`put 3`, then `take 2`"
