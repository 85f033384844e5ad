"""Short recorded matches in one process, with real cryptography unless told otherwise."""

from functools import cache

from secrecy_check import Checked, checked
from secrecy_record import Trace, recorded

from kemps_p2p.deck.group import RISTRETTO, STUB, Group
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.session.play import Play

OPENING_MS = 105
"""By then, with the quickest of bots, hands lie, play has begun, and the coming deal is shuffled."""


def _table(seed: int, word: str, group: Group, trace: Trace, leaky: dict[int, type[Play]]) -> Sim:
    rules = override(load_rules("kemps"), {"look_ms": 0, "word": word})
    return Sim(rules=rules, players=4, seed=seed, group=group.name, machine=recorded(trace, leaky))


def finished_match(seed: int) -> tuple[Sim, Trace]:
    """A match of four seats from the lobby to the close."""
    trace = Trace()
    sim = _table(seed, "K", RISTRETTO, trace, {})
    assert sim.run() is Stop.DONE
    return sim, trace


@cache
def snooped_match() -> tuple[Sim, Checked]:
    """One finished match, snooped on from every side."""
    sim, trace = finished_match(seed=1)
    return sim, checked(trace)


def opening_of_match(seed: int, leaky: dict[int, type[Play]]) -> Trace:
    """The same, until the coming deal is shuffled."""
    trace = Trace()
    assert _table(seed, "K", RISTRETTO, trace, leaky).run(OPENING_MS) is Stop.TIME
    return trace


def two_open_deals(seed: int, leaky: dict[int, type[Play]]) -> Trace:
    """Two deals or three, of a group that hides nothing, as far as a seat that leaks lets the match go."""
    trace = Trace()
    _table(seed, "KE", STUB, trace, leaky).run(2000)
    return trace
