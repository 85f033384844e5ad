"""One peer of the test of pulled plugs: a quartet is called from across the table, and somebody dies of it.

The four tell each other of a quartet by a file, as no players could. Started by the test, never by hand.
"""

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.errors import KempsError
from kemps_p2p.game.actions import Action, Call, Counter, Pass
from kemps_p2p.game.cards import is_quartet
from kemps_p2p.game.events import Called, Event, Verdicts
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import read_rules
from kemps_p2p.game.views import SeatView, options
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.node import NodeConfig, run_node
from kemps_p2p.session import effects as fx
from kemps_p2p.session.session import Session

LOOK_MS = 50
SURE_MS = 500


def die() -> None:
    """As if the plug was pulled: nothing more is sent, written or said."""
    os.kill(os.getpid(), signal.SIGKILL)


class Plotter(Bot):
    """A bot, but that the first quartet is kept, and called by who sits next to it. `dies`: right after."""

    def __init__(self, seat: Seat, rng: Random, told: Path, *, dies: bool) -> None:
        super().__init__(seat, 4, rng, Pace.FAST)
        self._seat, self._told, self._dies = seat, told, dies
        self._has_called = self._is_judged = False
        self._asked_at_ms = self._held_since_ms = 0

    @property
    def wake_at_ms(self) -> int | None:
        """Until the call is judged it looks at the file by itself: nothing at the table tells of that."""
        own = super().wake_at_ms
        look_at_ms = self._asked_at_ms + LOOK_MS
        return own if self._is_judged else look_at_ms if own is None else min(own, look_at_ms)

    def happened(self, events: tuple[Event, ...], now_ms: int) -> None:
        """Once the call is judged, play on as a bot."""
        super().happened(events, now_ms)
        self._is_judged |= any(isinstance(event, Verdicts) for event in events)

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        """What the bot would do, but for calls."""
        self._asked_at_ms = now_ms
        if self._is_judged:
            return super().decide(view, now_ms)
        if self._has_called:
            # Asked again, after the call has gone out.
            if self._dies:
                die()
            return None
        if view.phase is Phase.OPEN and len(view.hand) == 4:
            if self._told.exists() and (holder := self._told.read_text()):
                if (int(holder) + 1) % 4 == self._seat:
                    self._has_called = True
                    return Call(calls=(Counter(target=int(holder) % 2),))
                return None
            # Where everybody has seen all four come up, nothing is left to be opened.
            is_hidden = any(held.position not in view.state.faces for held in view.hand)
            if is_hidden and is_quartet(held.card for held in view.hand):
                # An exchange that is under way still could break it.
                self._held_since_ms = self._held_since_ms or now_ms
                if now_ms - self._held_since_ms >= SURE_MS:
                    with suppress(FileExistsError), self._told.open("x") as file:
                        file.write(str(self._seat))
                return None
            self._held_since_ms = 0
        action = super().decide(view, now_ms)
        # Whoever said nothing instead would keep the others waiting until it is passed for.
        passes = (other for other in options(view) if isinstance(other, Pass))
        return next(passes, None) if isinstance(action, Call) else action


def main() -> None:
    """Play one seat by the JSON order in the first argument."""
    order = json.loads(sys.argv[1])
    scratch, dies = Path(order["scratch"]), order["dies"]
    told = scratch / "quartet"

    def watch(session: Session, sight: fx.Sight) -> None:
        if not isinstance(sight, fx.Happened):
            return
        for event in sight.events:
            if isinstance(event, Called) and dies == "called" and told.read_text() == str(session.seat):
                # The call is final here, and the shares of the hand are not out.
                die()
            if isinstance(event, Verdicts):
                sys.stdout.write("judged\n")
                sys.stdout.flush()

    def seated(seat: Seat, rng: Random) -> Plotter:
        return Plotter(seat, rng, told, dies=dies == "caller")

    config = NodeConfig(
        name=f"Plug {order['seat']}", place=scratch / "meeting", players=4, wish=order["seat"],
        rules=read_rules(order["rules"]), bind="tcp://127.0.0.1:0", home=scratch / f"home-{order['seat']}",
        logs=scratch / "logs", meet_s=60, give_up_s=90,
    )  # fmt: skip
    if not run_node(config, seated, watch).is_closed:
        raise KempsError("the match came to a standstill")


if __name__ == "__main__":
    main()
