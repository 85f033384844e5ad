"""The lines of a simulated table: how long messages take, and what becomes of them on the way."""

import random
from dataclasses import dataclass

from kemps_p2p.ids import Seat


@dataclass(frozen=True, slots=True)
class Net:
    """One-way delays, uniform between two bounds: messages overtake each other. Shares are 0 to 1."""

    delay_ms: tuple[float, float] = (0.5, 2.0)
    loss: float = 0.0
    duplication: float = 0.0

    def after_ms(self, rng: random.Random, sender: Seat, receiver: Seat) -> float:
        """How long a message takes from one seat to another. Experiments have better and worse lines."""
        del sender, receiver
        return rng.uniform(*self.delay_ms)


PERFECT = Net()
ROUGH = Net(delay_ms=(1.0, 40.0), loss=0.05, duplication=0.05)
