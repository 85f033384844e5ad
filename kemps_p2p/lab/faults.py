"""Matches under faults: peers that crash and come back, lines that break, disks that fail, seats that cheat.

A seed is one match. First safety, whatever happens, as the referee has it; then everything heals, and the
match has to end. Same seed, same bytes.
"""

import hashlib
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kemps_p2p.game.rules import RuleSet, override
from kemps_p2p.ids import Seat
from kemps_p2p.lab.referee import (
    Referee,
    Violation,
    check_whole_match,
    demand,
    describe,
    entries_of,
    records_of,
)
from kemps_p2p.lab.storms import Kind, Phase, Storm
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.session import effects as fx
from kemps_p2p.session.takeover import take_over_in

DEALS = 2
ENDS_WITHIN_MS = 180_000
"""How long a match may last once all has healed. Terms that were joined in vain double its patience."""


@dataclass(slots=True)
class Outcome:
    """What came of one seed. `violations`: what must never happen, and has; `blamed`: who is so unjustly."""

    seed: int
    is_finished: bool = False
    violations: list[str] = field(default_factory=list)
    blamed: list[str] = field(default_factory=list)
    struck: list[tuple[int, Kind, Phase, tuple[Seat, ...]]] = field(default_factory=list)
    handovers: int = 0
    rejoins: int = 0
    voided_deals: int = 0
    trace: str = ""
    fingerprint: str = ""

    @property
    def is_good(self) -> bool:
        """True if nothing is wrong with it."""
        return self.is_finished and not self.violations and not self.blamed


def short(rules: RuleSet) -> RuleSet:
    """Two deals of these rules, without the time to look."""
    return override(rules, {"look_ms": 0, "deal_limit": DEALS})


def run_seed(seed: int, players: int, rules: RuleSet, group: str) -> Outcome:
    """Play one match. Never raises: what goes wrong is in the outcome."""
    outcome = Outcome(seed)
    storm, referee = Storm(seed), Referee()

    def watch(seat: Seat, effect: fx.Effect, now_ms: int) -> None:
        storm.watch(seat, effect, now_ms)
        referee(seat, effect, now_ms)

    sim = Sim(
        rules=rules,
        players=players,
        seed=seed,
        group=group,
        net=storm.net,
        tamper=storm.tamper,
        watch=watch,
    )
    referee.sim = sim
    try:
        outcome.is_finished = _play(sim, storm, referee)
        if outcome.is_finished:
            check_whole_match(sim)
            _count(sim, outcome)
    except Violation as violation:
        outcome.violations.append(str(violation))
    except Exception:  # A machine that breaks is the worst that a seed can show, and the next one goes on.
        outcome.violations.append(traceback.format_exc())
    _judge(sim, outcome)
    outcome.struck = storm.struck
    outcome.rejoins = sum(peer.life for peer in sim.peers)
    outcome.trace = _trace(sim, outcome)
    files = (b"".join((*peer.journal, *peer.log)) for peer in sim.peers)
    outcome.fingerprint = hashlib.sha256(b"".join(files)).hexdigest()
    return outcome


def _play(sim: Sim, storm: Storm, referee: Referee) -> bool:
    """True if the match ends; false if it does not within `ENDS_WITHIN_MS` of calm."""
    sim.start()
    storm.begin(sim)
    lives = [0] * len(sim.peers)
    calm_since_ms = 0
    while not all(peer.session.is_done and not peer.is_down for peer in sim.peers):
        seat = sim.step()
        peer = sim.peers[seat]
        if peer.life != lives[seat]:
            lives[seat] = peer.life
            _check_return(sim, seat, referee, storm)
        storm.step(seat)
        if not storm.is_calm:
            calm_since_ms = sim.now_ms
        elif sim.now_ms - calm_since_ms > ENDS_WITHIN_MS:
            return False
    return True


def _check_return(sim: Sim, seat: Seat, referee: Referee, storm: Storm) -> None:
    """A peer is back: nothing that it has logged is lost, and it stands where everybody stood."""
    peer = sim.peers[seat]
    is_robbed = seat in storm.robbed
    storm.robbed.discard(seat)
    if not peer.session.has_begun:
        demand(not peer.log, f"seat {seat} is back in the lobby of a match that has begun")
        return
    referee.check_state(seat)
    if is_robbed:
        referee.robbed(seat)
        return
    logged = len(records_of(peer.log))
    index = peer.session.play.final.head.index
    demand(index >= logged, f"seat {seat} is back at entry {index}, and has logged {logged}")


def _judge(sim: Sim, outcome: Outcome) -> None:
    """Who has been accused, and by what."""
    for seat, peer in enumerate(sim.peers):
        for fault in peer.faults:
            said = f"seat {seat} finds {fault.code.value} of {fault.culprit}: {fault.text}"
            (outcome.violations if fault.culprit is None else outcome.blamed).append(said)


def _count(sim: Sim, outcome: Outcome) -> None:
    outcome.handovers = sum(take_over_in(entry) is not None for entry in entries_of(sim))


def _trace(sim: Sim, outcome: Outcome) -> str:
    """What befell the table, the chain as far as seat 0 has it, and where everybody stands."""
    lines = [
        f"  {at_ms:7} ms  {kind} in {phase}: seat {', '.join(map(str, seats))}"
        for at_ms, kind, phase, seats in outcome.struck
    ]
    if sim.peers[0].session.has_begun:
        for entry in entries_of(sim):
            events = ", ".join(type(event).__name__ for event in entry.events)
            lines.append(f"  {entry.elapsed_ms:7} ms  entry {entry.index} of term {entry.term}: {events}")
    return "\n".join((*lines, describe(sim, outcome.seed)))


@dataclass(slots=True)
class Figures:
    """What many seeds came to. `struck`: how often each kind befell a table in each phase."""

    seeds: int = 0
    violations: int = 0
    stuck: int = 0
    finished: int = 0
    honest_blamed: int = 0
    cheats_detected: int = 0
    cheats_undetected: int = 0
    handovers: int = 0
    rejoins: int = 0
    voided_deals: int = 0
    struck: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def is_good(self) -> bool:
        """True if no seed shows anything wrong."""
        return not (self.violations or self.stuck or self.honest_blamed or self.cheats_undetected)

    def add(self, outcome: Outcome) -> None:
        """Count one seed."""
        self.seeds += 1
        self.violations += bool(outcome.violations)
        self.finished += outcome.is_finished
        self.stuck += not outcome.is_finished and not outcome.violations
        self.honest_blamed += bool(outcome.blamed)
        self.handovers += outcome.handovers
        self.rejoins += outcome.rejoins
        self.voided_deals += outcome.voided_deals
        for _, kind, phase, _ in outcome.struck:
            self.struck[kind][phase] += 1


def run_faults(
    seeds: Iterable[int],
    players: int,
    rules: RuleSet,
    group: str,
    tell: Callable[[Outcome, Figures], None],
) -> Figures:
    """Play seed after seed; `tell` is told of each as it is over."""
    figures = Figures(struck={kind: dict.fromkeys(Phase, 0) for kind in Kind})
    for seed in seeds:
        outcome = run_seed(seed, players, short(rules), group)
        figures.add(outcome)
        tell(outcome, figures)
    return figures
