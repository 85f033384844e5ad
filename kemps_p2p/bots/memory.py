"""What one seat knows of the cards that lay in the middle: not all were noticed, not all are remembered.

Knows no ranks and no time. Invariants:

1. What becomes of a card in this memory is drawn once, when the card first lies face up.
2. Nobody forgets what the partner took: that is what one looks at.
"""

from random import Random

import msgspec

from kemps_p2p.bots.level import Skill
from kemps_p2p.game.seating import partner_of
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position


class Gaps(msgspec.Struct, frozen=True):
    """Cards that a seat does not know of, although they lay face up."""

    overlooked: frozenset[Position]
    """In the middle."""
    forgotten: frozenset[Position]
    """Elsewhere."""


class Memory:
    """One seat's memory of a deal."""

    def __init__(self, rng: Random, skill: Skill) -> None:
        self._rng = rng
        self._skill = skill
        self.begin_deal()

    def begin_deal(self) -> None:
        """A new deal has other cards."""
        self._seen: set[Position] = set()
        self._overlooked: set[Position] = set()
        self._forgotten: set[Position] = set()

    def gaps(self, view: SeatView) -> Gaps:
        """Take in the cards in the middle; what is missing from the whole."""
        rng, skill = self._rng, self._skill
        for lying in view.pool:
            if lying.card is not None and lying.position not in self._seen:
                self._seen.add(lying.position)
                if rng.random() < skill.overlooks_card:
                    self._overlooked.add(lying.position)
                elif rng.random() < skill.forgets_card:
                    self._forgotten.add(lying.position)
        beside = view.state.hands[partner_of(view.seat, view.players)]
        forgotten = (self._overlooked | self._forgotten).difference(beside)
        return Gaps(frozenset(self._overlooked), frozenset(forgotten))
