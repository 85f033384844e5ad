"""The heavy work of a simulated table, done on the spot.

All its peers are one process. So what they all verify alike is verified once, as a signature is, whoever
asks: the functions for that depend on nothing but what they are given.
"""

from collections.abc import Callable
from functools import partial

from kemps_p2p.deck.deal import check_turn
from kemps_p2p.errors import PeerFault
from kemps_p2p.session.deeds import check_opening

_ALIKE = frozenset({check_turn, check_opening})


class Jobs:
    """What jobs come to."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[object, ...], object] = {}

    def outcome(self, work: Callable[[], object]) -> object:
        """What a job returns, or the `PeerFault` that it raises."""
        if not isinstance(work, partial) or work.func not in _ALIKE:
            return _done(work)
        asked = work.func, *work.args
        if asked not in self._outcomes:
            self._outcomes[asked] = _done(work)
        return self._outcomes[asked]


def _done(work: Callable[[], object]) -> object:
    try:
        return work()
    except PeerFault as fault:
        return fault
