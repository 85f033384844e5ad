"""Whether one person is ready for the coming deal: the same for every screen.

Invariant:

1. Each time between deals begins as a huddle, once, and ends when the person is ready or the cards are dealt.
"""

from kemps_p2p.game.record import BETWEEN_DEALS, Phase
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.session.messages import Want


class Huddle:
    """One person's time between deals."""

    def __init__(self, sitting: Sitting) -> None:
        self._sitting = sitting
        self._deal: tuple[int, int] | None = None
        self.is_on = False

    def follow(self) -> None:
        """Keep up with the match. Only once it has begun."""
        view = self._sitting.view()
        if view.phase not in BETWEEN_DEALS or view.phase is Phase.MATCH_OVER:
            if self.is_on:
                self.end()
            return
        if self._deal != (view.matches, view.deal):
            self._deal = (view.matches, view.deal)
            self.is_on = True
            self._sitting.want(Want.HUDDLE)

    def end(self) -> None:
        """The person is ready."""
        self.is_on = False
        self.go_on()

    def go_on(self) -> None:
        """Want no break any more; what is wanted instead depends on whether the person is ready."""
        self._sitting.want(Want.HUDDLE if self.is_on else Want.PLAY_ON)
