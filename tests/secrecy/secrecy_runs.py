"""Short recorded matches in one process, with real cryptography unless told otherwise."""

from functools import cache

from secrecy_check import Checked, checked
from secrecy_record import Trace, recorded

from kemps_p2p.deck.group import RISTRETTO, Group
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.session.play import Play

LIMIT_MS = 3_600_000
OPENING_MS = 400


def _table(seed: int, word: str, group: Group, trace: Trace, leaky: dict[int, type[Play]] | None) -> Sim:
    rules = override(load_rules("kemps"), {"look_ms": 0, "word": word})
    return Sim(rules=rules, players=4, seed=seed, group=group.name, machine=recorded(trace, leaky))


def finished_match(
    seed: int,
    *,
    word: str = "K",
    group: Group = RISTRETTO,
    leaky: dict[int, type[Play]] | None = None,
) -> tuple[Sim, Trace]:
    """A match of four seats from the lobby to the close."""
    trace = Trace()
    sim = _table(seed, word, group, trace, leaky)
    assert sim.run(LIMIT_MS) is Stop.DONE
    return sim, trace


@cache
def snooped_match() -> tuple[Sim, Checked]:
    """One finished match, snooped on from every side."""
    sim, trace = finished_match(seed=1)
    return sim, checked(trace)


def opening_of_match(seed: int, leaky: dict[int, type[Play]]) -> Trace:
    """The same, until the hands lie and the coming deal is shuffled."""
    trace = Trace()
    sim = _table(seed, "K", RISTRETTO, trace, leaky)
    assert sim.run(OPENING_MS) is Stop.TIME
    return trace
