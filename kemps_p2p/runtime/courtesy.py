"""How long a program that deals waits for people who still talk between deals. Knows no cards."""

from collections.abc import Sequence

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.actions import Action, Next
from kemps_p2p.session.messages import Want

HUDDLE_MS_MAX = 120_000
"""So long whoever is ready waits for whoever is not; with nobody ready, nobody minds."""


class Courtesy:
    """One player's patience, by the clock of its table. A person decides without it."""

    def __init__(self, *, is_person: bool) -> None:
        self._is_person = is_person
        self._waited_from_ms: int | None = None

    def check(self, action: Action, wants: Sequence[Want], now_ms: int) -> None:
        """Raise `IllegalAction` for a deal that starts while somebody is not ready for it."""
        if self._is_person or not isinstance(action, Next):
            return
        if Want.HUDDLE not in wants or Want.PLAY_ON not in wants:
            self._waited_from_ms = None
        elif self._waited_from_ms is None:
            self._waited_from_ms = now_ms
        is_long = self._waited_from_ms is not None and now_ms - self._waited_from_ms >= HUDDLE_MS_MAX
        if Want.HUDDLE in wants and not is_long:
            raise IllegalAction(Illegal.NOT_READY)
