"""A bot of your own at a simulated table: one seat plays like a magpie, the others are the honest bot.

Run it: python examples/own_bot.py
"""

from kemps_p2p.bots.player import Player
from kemps_p2p.game.actions import Action, Next, Pass, Swap
from kemps_p2p.game.cards import rank
from kemps_p2p.game.rules import load_rules
from kemps_p2p.game.views import SeatView, options
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.sim import Sim


class Magpie(Player):
    """Takes what goes with a card in hand, and never calls: its partner has to."""

    seen: object = None

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        if view.state is self.seen:
            return None  # The last wish is still on its way round the table.
        self.seen = view.state
        held = {card.position: rank(card.card) for card in view.hand}
        lying = {card.position: rank(card.card) for card in view.pool if card.card is not None}
        ranks = list(held.values())
        for action in options(view):
            if isinstance(action, Swap) and len(action.take) == 1:
                taken, given = lying[action.take[0]], held[action.give[0]]
                if taken != given and ranks.count(taken) >= ranks.count(given):
                    return action
        return next((action for action in options(view) if isinstance(action, Pass | Next)), None)


def main() -> None:
    sim = Sim(
        rules=load_rules("kemps"), players=4, seed=7, group="stub-insecure", players_at={Seat(0): Magpie()}
    )
    sim.run()
    game = sim.peers[0].session.play.final.game
    print(f"letters {game.scores} after {game.deals} deals; winners: {game.winners}")


if __name__ == "__main__":
    main()
