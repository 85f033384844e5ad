"""What an observer's peer has in the place of a player: nobody, who is asked for nothing."""

from kemps_p2p.bots.player import Player
from kemps_p2p.game.actions import Action
from kemps_p2p.game.views import SeatView


class Onlooker(Player):
    """It only looks on. No runner asks it for an action, since it has no seat to act for."""

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        """Nothing."""
        del view, now_ms
        return None
