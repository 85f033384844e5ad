"""Logs of simulated matches, and what tests need to know of them."""

from dataclasses import dataclass

from kemps_p2p.codec import derive
from kemps_p2p.game.rules import RuleSet, load_rules, override
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Contest, Result, Settled
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.session.audit import Audit, audit

PLAYERS = 4
SEEDS = range(1, 40)


@dataclass(frozen=True, slots=True)
class Played:
    """A finished simulation: its logs by seat, and every key."""

    seed: int
    sim: Sim
    logs: tuple[bytes, ...]

    @property
    def root(self) -> bytes:
        return derive("kemps/v1/sim", self.seed.to_bytes(16, "big", signed=True))

    @property
    def keys(self) -> tuple[Identity, ...]:
        return tuple(Identity.derived(self.root, f"seat {seat}") for seat in range(len(self.logs)))

    def secret(self, seat: Seat) -> bytes:
        return derive("kemps/v1/sim-secret", self.root, bytes([seat]))[:32]


def short_rules(word: str) -> RuleSet:
    """The default rule book with a shorter word, and hardly a look."""
    return override(load_rules("kemps"), {"word": word, "look_ms": 200})


def play(seed: int, rules: RuleSet, group: str = "stub-insecure", players: int = PLAYERS) -> Played:
    sim = Sim(rules=rules, players=players, seed=seed, group=group)
    assert sim.run() is Stop.DONE
    return Played(seed, sim, tuple(peer.log_bytes for peer in sim.peers))


def is_eventful(one: Audit) -> bool:
    """True if a log has what the forged logs change: two deals, a draw, and a claim that was missed."""
    kinds: set[object] = set()
    for step in one.steps:
        for event in step.record.entry.events:
            if isinstance(event, Contest):
                kinds.add(Contest)
            if isinstance(event, Settled):
                kinds.add(event.result)
    return kinds >= {Contest, Result.OK, Result.MISSED} and one.deals > 1


def eventful(word: str) -> Played:
    """The first of some seeds whose match has it all."""
    for seed in SEEDS:
        played = play(seed, short_rules(word))
        if is_eventful(audit(played.logs[0], allow_stub=True)):
            return played
    raise AssertionError("no seed gives a match with a draw, a miss and two deals")
