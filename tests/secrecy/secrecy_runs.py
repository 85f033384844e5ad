"""Short recorded matches in one process, with real cryptography unless told otherwise."""

from functools import cache

from secrecy_check import Checked, checked
from secrecy_record import Trace, recorded

from kemps_p2p.deck.group import RISTRETTO, Group
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.session.play import Play

LIMIT_MS = 3_600_000


def finished_match(
    seed: int,
    *,
    word: str = "K",
    group: Group = RISTRETTO,
    leaky: dict[int, type[Play]] | None = None,
) -> tuple[Sim, Trace]:
    """A match of four seats from the lobby to the close."""
    trace = Trace()
    rules = override(load_rules("kemps"), {"look_ms": 0, "word": word})
    machine = recorded(trace, leaky)
    sim = Sim(rules=rules, players=4, seed=seed, group=group.name, machine=machine)
    assert sim.run(LIMIT_MS) is Stop.DONE
    return sim, trace


@cache
def snooped_match() -> tuple[Sim, Checked]:
    """One finished match, snooped on from every side."""
    sim, trace = finished_match(seed=1)
    return sim, checked(trace)
