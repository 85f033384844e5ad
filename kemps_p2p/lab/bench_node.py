"""One peer process of the bench of play: swaps as fast as the table lets it, then plays on as a bot.

Prints its measurements as one JSON object. Started by `bench_play`, never by hand.
"""

import json
import sys
from pathlib import Path
from random import Random
from time import perf_counter

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.bots.player import Player
from kemps_p2p.errors import KempsError
from kemps_p2p.game.actions import Action, Next, Swap
from kemps_p2p.game.events import DealEnded, Dealt, Event, Missed, Swapped
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import read_rules
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.node import NodeConfig, run_node
from kemps_p2p.session import effects as fx
from kemps_p2p.session.session import Session

DEAL_S = 1.0
"""A deal lasts at least this long, as with the quickest people: meanwhile the next one is shuffled."""


class Swapper(Player):
    """Makes `swaps` exchanges of its own in the first deal, one after the other, and times each.

    It plays on as a bot once the whole table has made `table_swaps`, and deals at once where it is to deal:
    `next_deal_ms` is from the end of a deal to the next one, `next_hand_ms` until its own hand is seen.
    """

    def __init__(self, seat: Seat, bot: Bot, rng: Random, *, swaps: int, table_swaps: int) -> None:
        self._seat = seat
        self._bot = bot
        self._rng = rng
        self._left = swaps
        self._table_left = table_swaps
        self._asked_at: float | None = None
        self.known_ms: list[float] = []
        self.final_ms: list[float] = []
        self.next_deal_ms: list[float] = []
        self.next_hand_ms: list[float] = []
        self._dealt_at = 0.0
        self._deal_ended_at: float | None = None
        self._hand_due = False
        self.began_at: float | None = None
        self.ended_at = 0.0

    @property
    def wake_at_ms(self) -> int | None:
        """The bot's own; while it swaps it is woken by what happens."""
        return None if self._table_left > 0 else self._bot.wake_at_ms

    def greet(self) -> str | None:
        """As the bot does."""
        return self._bot.greet()

    def whispered(self, text: str) -> str | None:
        """As the bot does."""
        return self._bot.whispered(text)

    def gestured(self, seat: Seat, name: str, now_ms: int) -> None:
        """As the bot does."""
        self._bot.gestured(seat, name, now_ms)

    def happened(self, events: tuple[Event, ...], now_ms: int) -> None:
        """Close the measurement of the own exchange once its outcome is final."""
        self._bot.happened(events, now_ms)
        now = perf_counter()
        for event in events:
            match event:
                case DealEnded():
                    self._deal_ended_at = now
                case Dealt():
                    self._dealt_at = now
                    if self._deal_ended_at is not None:
                        self.next_deal_ms.append((now - self._deal_ended_at) * 1000)
                        self._hand_due = True
                case Swapped(seat=seat) | Missed(seat=seat):
                    self._table_left -= 1
                    if seat == self._seat and self._asked_at is not None:
                        self.ended_at = now
                        self.final_ms.append((now - self._asked_at) * 1000)
                        self._asked_at = None
                        self._left -= 1
                case _:
                    pass

    def known(self) -> None:
        """An entry has settled the own exchange."""
        if self._asked_at is not None:
            self.known_ms.append((perf_counter() - self._asked_at) * 1000)

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        """Swap, as long as there are swaps to make and play is open; then what the bot does."""
        if self._hand_due and view.hand and all(card.card is not None for card in view.hand):
            assert self._deal_ended_at is not None, "a hand is due after a deal"
            self.next_hand_ms.append((perf_counter() - self._deal_ended_at) * 1000)
            self._hand_due = False
        if view.phase is Phase.DEAL_OVER and view.next_dealer == self._seat:
            return Next()
        if self._table_left <= 0 or view.phase is not Phase.OPEN:
            return self._bot.decide(view, now_ms) if perf_counter() - self._dealt_at > DEAL_S else None
        if self._left == 0:
            return None
        lying = [card.position for card in view.pool if card.card is not None]
        if self._asked_at is not None or not lying or not view.hand:
            return None
        self._asked_at = perf_counter()
        if self.began_at is None:
            self.began_at = self._asked_at
        give = self._rng.choice(view.hand).position
        return Swap(take=(self._rng.choice(lying),), give=(give,))

    def refused(self, action: Action, now_ms: int) -> None:
        """Try again on the next news."""
        if isinstance(action, Swap):
            self._asked_at = None
        self._bot.refused(action, now_ms)


def main() -> None:
    """Play one seat by the JSON order in the first argument."""
    order = json.loads(sys.argv[1])
    scratch = Path(order["scratch"])
    swappers: list[Swapper] = []

    def seated(seat: Seat, rng: Random) -> Player:
        bot = Bot(seat, order["players"], rng, Pace.FAST)
        swaps = order["swaps"] if seat in order["actors"] else 0
        total = order["swaps"] * len(order["actors"])
        swappers.append(Swapper(seat, bot, rng, swaps=swaps, table_swaps=total))
        return swappers[0]

    def watch(_session: Session, sight: fx.Sight) -> None:
        if isinstance(sight, fx.Known) and isinstance(sight.action, Swap):
            swappers[0].known()

    config = NodeConfig(
        name=f"Bench {order['seat']}", place=scratch / "meeting", players=order["players"],
        wish=order["seat"], rules=read_rules(order["rules"]), bind="tcp://127.0.0.1:0",
        home=scratch / f"home-{order['seat']}", logs=Path(order["logs"]), meet_s=60, give_up_s=60,
    )  # fmt: skip
    outcome = run_node(config, seated, watch)
    if not outcome.is_closed:
        raise KempsError("the match of the bench came to a standstill")
    swapper = swappers[0]
    sys.stdout.write(json.dumps({
        "seat": order["seat"], "log": str(outcome.log), "known_ms": swapper.known_ms,
        "final_ms": swapper.final_ms, "began_at": swapper.began_at, "ended_at": swapper.ended_at,
        "next_deal_ms": swapper.next_deal_ms, "next_hand_ms": swapper.next_hand_ms,
    }))  # This is the process's only output, read by the bench.  # fmt: skip


if __name__ == "__main__":
    main()
