"""A policy of your own for experiments: of two who want the same, the lower seat has it.

Run it: python examples/own_policy.py

To have it in `kemps lab fairness --policy low-seat`, install a package with this entry point:

    [project.entry-points."kemps_p2p.policies"]
    low-seat = "own_policy:low_seat"
"""

from random import Random

from kemps_p2p.ids import Seat
from kemps_p2p.lab.nets import net_named
from kemps_p2p.lab.policies import Table, Tapes, once_everywhere
from kemps_p2p.lab.track import Heat, Track
from kemps_p2p.ledger.poll import Contender, Decide, Order

RACES = 20


def low_seat(_table: Table) -> Decide:
    """The table is not asked; that a claim waits until every tape shows it gives nobody a better one."""

    def by_seat(a: Contender, b: Contender, _tapes: Tapes) -> tuple[Order, bool]:
        # Whether causality says so comes with it.
        return (Order.FIRST if a.seat < b.seat else Order.SECOND), False

    return once_everywhere(by_seat)


def main() -> None:
    rng = Random(1)
    track = Track(players=4, seed=1, net=net_named("lan"), policy=low_seat)
    lower = 0
    for _ in range(RACES):
        first, second = rng.sample(range(4), 2)
        (outcome,) = track.run(Heat(Seat(first), Seat(second)))
        lower += outcome.winners == (min(first, second),)
    print(f"the lower seat won {lower} of {RACES} dead heats")


if __name__ == "__main__":
    main()
