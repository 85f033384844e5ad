"""One peer process of the grabbing test: takes the lowest card of the pool, again and again.

Prints how many of its grabs it won and lost as one JSON object. Started by the test, never by hand.
"""

import json
import sys
from pathlib import Path
from random import Random

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.errors import KempsError
from kemps_p2p.game.actions import Action, Next, Swap
from kemps_p2p.game.events import Event, Missed, Swapped
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import read_rules
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.node import NodeConfig, run_node


class Grabber(Bot):
    """Two seats that do not order grab until the table has had `outcomes`; then all play on as bots."""

    def __init__(self, seat: Seat, players: int, rng: Random, outcomes: int) -> None:
        super().__init__(seat, players, rng, Pace.FAST)
        self.grabber = seat
        self.won = self.lost = 0
        self._left = outcomes
        self._has_asked = False

    def happened(self, events: tuple[Event, ...], now_ms: int) -> None:
        """Count outcomes: the own ones, and how many are still to come at the table."""
        super().happened(events, now_ms)
        for event in events:
            if isinstance(event, Swapped | Missed):
                self._left -= 1
                if event.seat == self.grabber:
                    self._has_asked = False
                    self.won += isinstance(event, Swapped)
                    self.lost += isinstance(event, Missed)

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        """The lowest card of the pool, for the lowest of the hand."""
        if view.phase is Phase.DEAL_OVER and view.next_dealer == self.grabber:
            return Next()
        if self._left <= 0 or view.phase is not Phase.OPEN:
            return super().decide(view, now_ms)
        # In the first deal the dealer is on duty.
        is_grabbing = (self.grabber - view.dealer) % view.players in {1, 2}
        if not is_grabbing or self._has_asked or not view.hand:
            return None
        lying = sorted(card.position for card in view.pool if card.card is not None)
        if not lying:
            return None
        self._has_asked = True
        return Swap(take=(lying[0],), give=(min(card.position for card in view.hand),))

    def refused(self, action: Action, now_ms: int) -> None:
        """Try again on the next news."""
        super().refused(action, now_ms)
        if isinstance(action, Swap):
            self._has_asked = False


def main() -> None:
    """Play one seat by the JSON order in the first argument."""
    order = json.loads(sys.argv[1])
    scratch = Path(order["scratch"])
    grabbers: list[Grabber] = []

    def seated(seat: Seat, rng: Random) -> Grabber:
        grabbers.append(Grabber(seat, 4, rng, order["outcomes"]))
        return grabbers[0]

    config = NodeConfig(
        name=f"Grab {order['seat']}", place=scratch / "meeting", players=4, wish=order["seat"],
        rules=read_rules(order["rules"]), bind="tcp://127.0.0.1:0", home=scratch / f"home-{order['seat']}",
        logs=scratch / "logs", meet_s=60, give_up_s=60,
    )  # fmt: skip
    outcome = run_node(config, seated, lambda _session, _sight: None)
    if not outcome.is_closed:
        raise KempsError("the match came to a standstill")
    told = {"seat": order["seat"], "log": str(outcome.log), "won": grabbers[0].won, "lost": grabbers[0].lost}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
