"""The end of a deal and of a match. Knows nothing of cards.

Invariant:

1. A deal ends here and nowhere else, and only here are the winners of a match named.
"""

from typing import assert_never

from kemps_p2p.game.events import DealEnd, DealEnded, Event, MatchEnded, PlayoffAhead
from kemps_p2p.game.record import Phase, Recycle, State, replace
from kemps_p2p.game.scoring import GoesOn, Playoff, Won, outcome


def _stopped(state: State, phase: Phase) -> State:
    """The end of a deal: nothing waits any more. Cards lie as the deal left them."""
    return replace(
        state,
        phase=phase,
        passes=frozenset(),
        mulligans=(),
        recycle=Recycle.NOTHING,
        pending=None,
        group=None,
        ending=False,
        proving=None,
    )


def end_deal(state: State, end: DealEnd, events: list[Event]) -> State:
    """The deal is over and counts; what follows it is decided here."""
    deals = state.deals + 1
    events.append(DealEnded(end, state.scores))
    result = outcome(state.rules, state.players, state.scores, deals, playoff=state.playoff)
    state = replace(_stopped(state, Phase.DEAL_OVER), deals=deals)
    match result:
        case GoesOn():
            return state
        case Playoff():
            events.append(PlayoffAhead())
            return replace(state, playoff=True)
        case Won():
            events.append(MatchEnded(result.winners, state.scores))
            return replace(state, phase=Phase.MATCH_OVER, playoff=False, winners=result.winners)
        case _:
            assert_never(result)


def void(state: State, events: list[Event]) -> State:
    """The deal is over and does not count. What was scored in it stands."""
    events.append(DealEnded(DealEnd.VOID, state.scores))
    return _stopped(state, Phase.DEAL_OVER)
