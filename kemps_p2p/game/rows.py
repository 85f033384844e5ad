"""Cards side by side, each at its place: one that goes leaves its place to the one that comes.

For whoever points at cards by their place, on a screen or by a number. Knows no rules and no faces.
Invariant:

1. A card keeps its place for as long as it lies there, whatever else comes and goes.
"""

from collections.abc import Sequence

from kemps_p2p.ids import Position


class Row:
    """One row of cards."""

    def __init__(self) -> None:
        self._places: list[Position | None] = []

    @property
    def places(self) -> tuple[Position | None, ...]:
        """The cards by place, from 0; None where there is a gap."""
        return tuple(self._places)

    def follow(self, cards: Sequence[Position]) -> tuple[Position | None, ...]:
        """Let these cards lie here from now on; the places, as `places` gives them."""
        there = set(cards)
        self._places = [card if card in there else None for card in self._places]
        if not any(card is not None for card in self._places):
            self._places = []
        known = set(self._places)
        for card in cards:
            if card in known:
                continue
            if None in self._places:
                self._places[self._places.index(None)] = card
            else:
                self._places.append(card)
        while self._places and self._places[-1] is None:
            self._places.pop()
        return self.places
