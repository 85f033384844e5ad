"""A seat that has read its journal again: when it may speak.

Knows tapes and entries, no clock. Invariant:

1. Nothing is written until a quorum of other seats holds no more of the own tape than this peer does: what was
   said before and lost here comes back from them, so that no number is used twice.

Section "Journal and log" of protocol.md.
"""

from collections.abc import Iterable

from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import quorum
from kemps_p2p.ledger.tape import Claim, Head, TapeItem
from kemps_p2p.session.match import Match


class Recovery:
    """One seat on its way back."""

    def __init__(self, seat: Seat, seats: int) -> None:
        self._seat = seat
        self._seats = seats
        self._agree: set[Seat] = set()

    def hear(self, sender: Seat, length: int, own_length: int) -> None:
        """Another peer says how much of the own tape it holds."""
        if sender < self._seats and sender != self._seat:
            if length <= own_length:
                self._agree.add(sender)
            else:
                self._agree.discard(sender)

    @property
    def is_tape_whole(self) -> bool:
        """True once enough others hold no more of the own tape."""
        return len(self._agree) >= quorum(self._seats)


def is_caught_up(tip: Match, final: Match, stand: tuple[int, Head] | None, own: Iterable[TapeItem]) -> bool:
    """True if the chain is here again as far as the own tape rests on it.

    `stand`: the last entry that the own seat stands for, with its term; None for an observer.
    """
    if stand is not None:
        term, head = stand
        if term >= tip.head_term and head.index > tip.head.index:
            return False
    cited = (said.head.index for item in own for said in item.item.body if isinstance(said, Claim))
    return max(cited, default=0) <= final.head.index
