"""Which cards a person has chosen, and the exchange that they make once there are enough.

Pure. Invariants:

1. An exchange is complete as soon as as many cards are chosen above as below; no press is needed for it.
2. A card that has gone is not chosen any more.
"""

from collections.abc import Collection

from kemps_p2p.game.actions import Discard, Swap, Take
from kemps_p2p.game.cards import QUARTET_CARDS
from kemps_p2p.game.rules import Exchange, RuleSet
from kemps_p2p.ids import Position


class Picks:
    """One person's choice among the cards of the middle and of the own hand."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self.take: tuple[Position, ...] = ()
        self.give: tuple[Position, ...] = ()

    def clear(self) -> None:
        """Choose nothing."""
        self.take = self.give = ()

    def press_pool(self, card: Position) -> None:
        """Choose a card of the middle, or take that back."""
        self.take = self._pressed(self.take, card)

    def press_hand(self, card: Position) -> None:
        """Choose a card of the own hand, or take that back."""
        self.give = self._pressed(self.give, card)

    def _pressed(self, chosen: tuple[Position, ...], card: Position) -> tuple[Position, ...]:
        if card in chosen:
            return tuple(each for each in chosen if each != card)
        # Of one card more than can be exchanged the last one counts.
        return (*chosen, card)[-self._rules.exchange_limit :]

    def follow(self, pool: Collection[Position], hand: Collection[Position]) -> tuple[Position, ...]:
        """Keep to the cards that are there; the chosen cards of the middle that have gone."""
        gone = tuple(card for card in self.take if card not in pool)
        self.take = tuple(card for card in self.take if card in pool)
        self.give = tuple(card for card in self.give if card in hand)
        return gone

    def exchange(self, hand_cards: int) -> Swap | Discard | Take | None:
        """What the chosen cards amount to, with so many cards in the hand; None if more are to be chosen."""
        if self._rules.exchange is Exchange.SWAP:
            is_complete = self.take and len(self.take) == len(self.give)
            return Swap(take=self.take, give=self.give) if is_complete else None
        if hand_cards < QUARTET_CARDS:
            return Take(take=self.take[-1:]) if self.take else None
        return Discard(give=self.give[-1:]) if self.give else None

    def made(self, action: Swap | Discard | Take) -> None:
        """The exchange is under way. Of two halves the second stays chosen."""
        if isinstance(action, Discard):
            self.give = ()
        else:
            self.clear()
