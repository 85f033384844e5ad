"""What a seat can read off the table: counts of ranks, and who could hold what.

Pure: a view in, counts out. Knows nothing of time or of gestures. Invariants:

1. A reading depends on public faces and the own hand alone.
2. A card counts in exactly one place: own hand, pool, another hand, gone, or unseen.
"""

from collections.abc import Container

import msgspec

from kemps_p2p.game.cards import QUARTET_CARDS, RANKS, rank
from kemps_p2p.game.rules import StockOut
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position, Seat

SUITS = 4
Counts = tuple[int, ...]
"""A number for each rank."""


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """Counts for each rank, as one seat sees them."""

    own: Counts
    pool: Counts
    """Face up in the middle."""
    seen: tuple[Counts, ...]
    """For each seat, cards of its hand that everybody saw it take. The own seat's count in `own` instead."""
    hidden: tuple[int, ...]
    """For each seat, how many cards of its hand nobody else has seen."""
    unseen: Counts
    """In the stock, in hands, lying face down or overlooked."""
    pool_faces: tuple[tuple[Position, int], ...]
    """The pool's face-up cards with their ranks."""
    hand_ranks: tuple[tuple[Position, int], ...]
    """The own cards with their ranks."""

    @property
    def is_quartet(self) -> bool:
        """True with four of one rank in hand."""
        return max(self.own) == QUARTET_CARDS

    def could_hold(self, seat: Seat, which: int) -> bool:
        """True if nothing public rules out that another seat has a quartet of this rank."""
        wanted = QUARTET_CARDS - self.seen[seat][which]
        return wanted <= self.hidden[seat] and wanted <= self.unseen[which]

    def could_hold_any(self, seat: Seat) -> bool:
        """True if nothing public rules out that another seat has a quartet."""
        return any(self.could_hold(seat, which) for which in range(len(RANKS)))


def read(
    view: SeatView, overlooked: Container[Position] = (), forgotten: Container[Position] = ()
) -> Reading:
    """Count what the seat of this view can see and still knows.

    A pool card that it overlooked is unseen, and so is a swept card or one in another hand that it forgot.
    """
    state = view.state
    faces = state.faces
    ranks = range(len(RANKS))
    left = [SUITS * view.rules.packs(view.players)] * len(RANKS)
    if view.rules.stock_out is StockOut.VOID:
        for card in state.swept:
            if card not in forgotten:
                left[rank(faces[card])] -= 1
    own = [0] * len(RANKS)
    hand_ranks = []
    for held in view.hand:
        which = rank(held.card)
        own[which] += 1
        left[which] -= 1
        hand_ranks.append((held.position, which))
    pool = [0] * len(RANKS)
    pool_faces = []
    for lying in view.pool:
        if lying.card is not None:
            if lying.position in overlooked:
                continue
            which = rank(lying.card)
            left[which] -= 1
            pool[which] += 1
            pool_faces.append((lying.position, which))
    seen = []
    hidden = []
    for seat, hand in enumerate(state.hands):
        counts = [0] * len(RANKS)
        unknown = 0
        for card in hand:
            if card not in faces or (seat != view.seat and card in forgotten):
                unknown += 1
            elif seat != view.seat:
                which = rank(faces[card])
                counts[which] += 1
                left[which] -= 1
        seen.append(tuple(counts))
        hidden.append(unknown)
    return Reading(
        own=tuple(own),
        pool=tuple(pool),
        seen=tuple(seen),
        hidden=tuple(hidden),
        unseen=tuple(left[which] for which in ranks),
        pool_faces=tuple(pool_faces),
        hand_ranks=tuple(hand_ranks),
    )
