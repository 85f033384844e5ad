"""The bots of a table for one person. They deal at once: whoever has just sat down wants to see cards.

Later deals it starts in its own time, like any other bot.
"""

from random import Random

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.bots.level import Level
from kemps_p2p.game.actions import Action, Next
from kemps_p2p.game.record import Phase
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Seat

AGAIN_MS = 20
"""Until it tries again: the deck is shuffled as soon as it is, and everybody waits for this one action."""


class HouseBot(Bot):
    """A bot that starts the first deal of a match as soon as the deck is shuffled."""

    def __init__(self, seat: Seat, players: int, rng: Random, pace: Pace, level: Level) -> None:
        super().__init__(seat, players, rng, pace, level)
        self._deal_at_ms: int | None = None

    @property
    def wake_at_ms(self) -> int | None:
        """When to ask again even if nothing happens."""
        return super().wake_at_ms if self._deal_at_ms is None else self._deal_at_ms

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        """What to do now."""
        if view.phase is not Phase.SEATED or view.next_dealer != view.seat:
            self._deal_at_ms = None
            return super().decide(view, now_ms)
        if self._deal_at_ms is not None and now_ms < self._deal_at_ms:
            return None
        self._deal_at_ms = now_ms + AGAIN_MS
        return Next()
