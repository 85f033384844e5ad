"""Matches under faults: peers that crash and come back, with files or without, lines that break, cheats.

A seed is one match. First safety, whatever happens, as the referee has it; then everything heals, and the
match has to end. Same seed, same bytes.
"""

import hashlib
import random
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kemps_p2p.game.actions import Action, Call, Gesture, Swap
from kemps_p2p.game.events import DealEnd, DealEnded
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import RuleSet, override
from kemps_p2p.game.views import SeatView, options_of
from kemps_p2p.ids import Seat
from kemps_p2p.lab import storms
from kemps_p2p.lab.cheats import cast
from kemps_p2p.lab.crooks import KINDS, RACES, Crook, Ending, crook_of
from kemps_p2p.lab.referee import (
    Referee,
    Violation,
    check_losses,
    check_whole_match,
    demand,
    describe,
    entries_of,
    records_of,
)
from kemps_p2p.lab.storms import Kind, Storm
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.session import effects as fx
from kemps_p2p.session.fold import open_record
from kemps_p2p.session.match import Match
from kemps_p2p.session.session import Session
from kemps_p2p.session.takeover import take_over_in

DEALS = 2
HURRY_US = 50_000
"""How long after the start of a deal somebody calls at most, whatever there is to call."""

RACING_US = 100_000
"""The same, where a cheat lives on races."""

PATIENT = 0.05
"""In what share of the deals nobody is in a hurry."""

WINK_US = 2_000
"""How often it is looked whether there is a call, or the deal is over, to wink then."""

LETS_GO_MS = 2000
"""How long a cheat keeps something back though all has healed."""

ENDS_WITHIN_MS = 180_000
"""How long a match may last once all has healed. Terms that were joined in vain double its patience."""


@dataclass(slots=True)
class Outcome:
    """What came of one seed. `violations`: what must never happen, and has; `blamed`: who is so unjustly."""

    seed: int
    is_finished: bool = False
    violations: list[str] = field(default_factory=list)
    blamed: list[str] = field(default_factory=list)
    struck: list[tuple[int, str, storms.Phase, tuple[Seat, ...]]] = field(default_factory=list)
    strikes: int = 0
    cheat: Ending = Ending.UNSTRUCK
    undetected: str = ""
    handovers: int = 0
    rejoins: int = 0
    incarnations: int = 0
    voided_deals: int = 0
    trace: str = ""
    fingerprint: str = ""

    @property
    def wrong(self) -> list[str]:
        """All that should not be."""
        stuck = (
            []
            if self.is_finished or self.violations
            else ["stuck: all has healed, and the match does not end"]
        )
        return [*self.violations, *self.blamed, *stuck, *([self.undetected] if self.undetected else [])]


def short(rules: RuleSet, look_ms: int = 0) -> RuleSet:
    """Two deals of these rules, with so much time to look."""
    return override(rules, {"look_ms": look_ms, "deal_limit": DEALS})


class _Run:
    """One match under the faults of its seed."""

    def __init__(self, seed: int, players: int, rules: RuleSet, group: str) -> None:
        self.outcome = Outcome(seed)
        self._storm, self._referee, self._crook = Storm(seed), Referee(), crook_of(seed, players)
        self.sim = Sim(
            rules=short(rules, self._crook.look_ms if self._crook else 0),
            players=players,
            seed=seed,
            group=group,
            net=self._storm.net,
            tamper=self._tamper,
            machine=Session if self._crook is None else cast(self._crook.casting),
            watch=self._watch,
            reads_us=self._storm.reads_us,
        )
        self._referee.sim = self.sim
        self._random = random.Random(f"kemps faults {seed}")
        self._deal = -2
        self._voids: set[int] = set()
        self._struck_at_ms = self._said_again = 0

    def _tamper(self, sender: Seat, receiver: Seat, data: bytes) -> bytes | None:
        crook = self._crook
        if crook is None or crook.network is None:
            return self._storm.tamper(sender, receiver, data)
        changed = crook.network(sender, receiver, data)
        return None if changed is None else self._storm.tamper(sender, receiver, changed)

    def _watch(self, seat: Seat, effect: fx.Effect, now_ms: int) -> None:
        self._storm.watch(seat, effect, now_ms)
        self._referee(seat, effect, now_ms)
        if isinstance(effect, fx.Show) and isinstance(effect.sight, fx.Happened):
            happened = effect.sight
            if any(isinstance(event, DealEnded) and event.end is DealEnd.VOID for event in happened.events):
                self._voids.add(happened.index)

    def play(self) -> None:
        """Play the match. Raises `Violation`."""
        self.outcome.is_finished = self._ends()
        if self.outcome.is_finished:
            match = check_whole_match(self.sim, liars=self._referee.liars)
            check_losses(self.sim, match, self._storm.befallen | self._referee.liars)
            self._count(match)

    def _ends(self) -> bool:
        """True if the match ends; false if it does not within `ENDS_WITHIN_MS` of calm."""
        sim, storm = self.sim, self._storm
        sim.start()
        storm.begin(sim)
        lives = [0] * len(sim.peers)
        calm_since_ms = 0
        has_ended = False
        while not has_ended:
            seat = sim.step()
            # The last one to be done is where something has happened last.
            has_ended = sim.peers[seat].session.is_done and all(
                peer.session.is_done and not peer.is_down for peer in sim.peers
            )
            if sim.peers[seat].life != lives[seat]:
                lives[seat] = sim.peers[seat].life
                self._check_return(seat)
            self._check_recovered(seat)
            storm.step(seat)
            self._watch_crook(seat)
            self._hurry(seat)
            if not storm.is_calm:
                calm_since_ms = sim.now_ms
            calm_ms = sim.now_ms - calm_since_ms
            if self._crook is not None and calm_ms > LETS_GO_MS:
                self._let_go(self._crook)
            if calm_ms > ENDS_WITHIN_MS:
                return False
        return True

    def _hurry(self, seat: Seat) -> None:
        """In most deals somebody calls before its time: bots play on for long, and a call is a call."""
        session, crook = self.sim.peers[seat].session, self._crook
        if not session.has_begun or session.play.final.game.deal <= self._deal:
            return
        self._deal = session.play.final.game.deal
        claimant = crook.seat(session.play.founding) if crook is not None and crook.is_claimant else None
        races = RACES if crook is None else crook.races
        winks_in = None if crook is None else crook.winks_in
        if winks_in is not None:
            for other in range(len(self.sim.peers)):
                self._plan_wink(Seat(other), self._deal, winks_in)
        if self._deal < 0:
            return
        lasts_us = HURRY_US if races == RACES else RACING_US
        for _ in range(races):
            self._plan_race(self._deal, int(self._random.uniform(0, lasts_us / 2)), claimant)
        if self._random.random() < PATIENT:
            return
        callers = list(map(Seat, range(len(self.sim.peers))))
        self._random.shuffle(callers)
        after_us = int(self._random.uniform(5_000, HURRY_US)) if races == RACES else RACING_US
        # Whose turn it is may be away.
        for place, caller in enumerate(callers):
            self._plan_call(caller, self._deal, after_us + place * HURRY_US)

    def _plan_call(self, seat: Seat, deal: int, after_us: int) -> None:
        def choose(view: SeatView) -> Action | None:
            if view.deal != deal or view.phase not in {Phase.DEALT, Phase.OPEN}:
                return None
            calls = list(options_of(view, Call))
            if calls:
                return self._random.choice(calls)
            self._plan_call(seat, deal, after_us)
            return None

        self.sim.plan(after_us, seat, choose)

    def _plan_wink(self, seat: Seat, deal: int, when: storms.Phase) -> None:
        """Somebody winks as soon as a phase begins in a deal, or before the first."""

        def choose(view: SeatView) -> Action | None:
            phase = _phase_in(view)
            if view.deal == deal and phase is when:
                return Gesture("wink")
            if view.deal == deal and phase is not storms.Phase.END:
                self._plan_wink(seat, deal, when)
            return None

        self.sim.plan(WINK_US, seat, choose)

    def _plan_race(self, deal: int, after_us: int, claimant: Seat | None) -> None:
        """Two seats want the same card: the cheat, if it lives on that, and another, or any two."""
        seats = list(map(Seat, range(len(self.sim.peers))))
        self._random.shuffle(seats)
        first, second = sorted(seats, key=lambda seat: seat != claimant)[:2]
        # Up to so much later that the second has heard of the first.
        gap_us = int(self._random.uniform(0, 1500 * self._storm.net.delay_ms[1]))

        def grab(view: SeatView) -> Action | None:
            return min(options_of(view, Swap), key=lambda swap: (swap.take, swap.give), default=None)

        def choose(view: SeatView) -> Action | None:
            if view.deal != deal or view.phase not in {Phase.DEALT, Phase.OPEN}:
                return None
            action = grab(view)
            if action is None:
                self._plan_race(deal, after_us, claimant)
            else:
                self.sim.plan(gap_us, second, grab)
            return action

        self.sim.plan(after_us, first, choose)

    def _check_return(self, seat: Seat) -> None:
        """A peer is back: nothing that it has logged is lost, and it stands where everybody stood."""
        peer = self.sim.peers[seat]
        is_robbed = seat in self._storm.robbed
        if is_robbed:
            self._referee.robbed(seat)
        if not peer.session.has_begun:
            # Without its journal it cannot know.
            demand(is_robbed or not peer.log, f"seat {seat} is back in the lobby of a match that has begun")
            return
        self._referee.check_state(seat)
        if not is_robbed:
            index, logged = peer.session.play.final.head.index, len(records_of(peer.log))
            demand(index >= logged, f"seat {seat} is back at entry {index}, and has logged {logged}")

    def _check_recovered(self, seat: Seat) -> None:
        """Whoever speaks again has got from the others what is lost of its journal."""
        peer, life = self.sim.peers[seat], self._storm.robbed.get(seat)
        if life is None or peer.life == life or not peer.session.has_begun:
            return
        if not peer.session.play.is_recovering:
            del self._storm.robbed[seat]

    def _watch_crook(self, seat: Seat) -> None:
        """Note where it strikes; once the match has begun it answers for itself, and does not die."""
        crook, session = self._crook, self.sim.peers[seat].session
        if crook is None:
            return
        crook.occasion.table = self._storm.phase
        if not session.has_begun or crook.seat(session.play.founding) != seat:
            return
        self._referee.liars = self._storm.spared = frozenset({seat})
        strikes = crook.strikes(session.play)
        if strikes > self.outcome.strikes:
            self.outcome.strikes, self._struck_at_ms = strikes, self.sim.now_ms
            self.outcome.struck.append((self.sim.now_ms, crook.kind, self._storm.phase, (seat,)))

    def _let_go(self, crook: Crook) -> None:
        """All has healed: it keeps nothing back, and what it has lost with a lie it says again."""
        crook.occasion.has_let_go = True
        strikes = self.outcome.strikes
        if strikes > self._said_again and self.sim.now_ms - self._struck_at_ms > LETS_GO_MS:
            self._said_again = strikes
            crook.say_again(self.sim)

    def _count(self, match: Match) -> None:
        founding, signers = match.founding, match.signers
        log = self.sim.peers[0].log
        records = [open_record(record, founding.match, signers) for record in records_of(log)]
        self.outcome.incarnations = sum(len(known) - 1 for known in signers)
        self.outcome.handovers = sum(take_over_in(record.entry) is not None for record in records)
        if self._crook is not None:
            self.outcome.cheat = self._crook.ending(self.sim, records)

    def judge(self) -> None:
        """Say who has been accused, and leave a trace."""
        outcome = self.outcome
        liars = self._referee.liars
        for seat, peer in enumerate(self.sim.peers):
            for fault in () if seat in liars else peer.faults:
                said = f"seat {seat} finds {fault.code.value} of {fault.culprit}: {fault.text}"
                if fault.culprit not in liars:
                    (outcome.violations if fault.culprit is None else outcome.blamed).append(said)
        if outcome.cheat is Ending.UNDETECTED and self._crook is not None:
            outcome.undetected = f"seat {min(liars)} has its way: {self._crook.kind}"
        outcome.struck += self._storm.struck
        outcome.voided_deals = len(self._voids)
        outcome.rejoins = sum(peer.life for peer in self.sim.peers)
        outcome.trace = _trace(self.sim, outcome)
        files = (b"".join((*peer.journal, *peer.log)) for peer in self.sim.peers)
        outcome.fingerprint = hashlib.sha256(b"".join(files)).hexdigest()


def _phase_in(view: SeatView) -> storms.Phase:
    """Where a match is, as a seat sees it."""
    return storms.Phase.CALL if view.call is not None else storms.PHASES[view.phase]


def run_seed(seed: int, players: int, rules: RuleSet, group: str) -> Outcome:
    """Play one short match by these rules. Never raises: what goes wrong is in the outcome."""
    run = _Run(seed, players, rules, group)
    try:
        run.play()
    except Violation as violation:
        run.outcome.violations.append(str(violation))
    except Exception:  # A machine that breaks is the worst that a seed can show, and the next one goes on.
        run.outcome.violations.append(traceback.format_exc())
    run.judge()
    return run.outcome


def _trace(sim: Sim, outcome: Outcome) -> str:
    """What befell the table, the chain as far as seat 0 has it, and where everybody stands."""
    lines = [
        f"  {at_ms:7} ms  {kind} in {phase}: seat {', '.join(map(str, seats))}"
        for at_ms, kind, phase, seats in sorted(outcome.struck)
    ]
    if sim.peers[0].session.has_begun:
        for entry in entries_of(sim):
            events = ", ".join(type(event).__name__ for event in entry.events)
            lines.append(f"  {entry.elapsed_ms:7} ms  entry {entry.index} of term {entry.term}: {events}")
    return "\n".join((*lines, describe(sim, outcome.seed)))


RARE = 0.01
"""In what share of the seeds each kind is to strike at least."""


def phases_of(kind: str) -> tuple[storms.Phase, ...]:
    """The phases in which a kind can strike: a cheat where there is occasion to it."""
    return KINDS[kind].phases if kind in KINDS else storms.phases_of(Kind(kind))


def _nothing_yet() -> dict[str, dict[str, int | None]]:
    return {
        kind: {phase: 0 if phase in phases_of(kind) else None for phase in storms.Phase}
        for kind in (*Kind, *KINDS)
    }


@dataclass(slots=True)
class Figures:
    """What many seeds came to.

    `struck`: in how many of them each kind befell a table in each phase, None where it cannot; `struck_in`:
    in how many at all.
    """

    seeds: int = 0
    violations: int = 0
    stuck: int = 0
    finished: int = 0
    honest_blamed: int = 0
    cheats_detected: int = 0
    cheats_undetected: int = 0
    cheats_harmless: int = 0
    handovers: int = 0
    rejoins: int = 0
    incarnations: int = 0
    voided_deals: int = 0
    struck: dict[str, dict[str, int | None]] = field(default_factory=_nothing_yet)
    struck_in: dict[str, int] = field(default_factory=lambda: dict.fromkeys((*Kind, *KINDS), 0))

    @property
    def unstruck(self) -> dict[str, list[str]]:
        """Of each kind the phases in which it can strike and never did, and whether it is rare altogether."""
        found = {
            kind: [
                *([f"in {self.struck_in[kind]} of {self.seeds} seeds"] if self._is_rare(kind) else []),
                *(phase for phase, count in counts.items() if count == 0),
            ]
            for kind, counts in self.struck.items()
        }
        return {kind: where for kind, where in found.items() if where}

    def _is_rare(self, kind: str) -> bool:
        return self.struck_in[kind] < RARE * self.seeds

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
        self.cheats_detected += outcome.cheat is Ending.DETECTED
        self.cheats_undetected += outcome.cheat is Ending.UNDETECTED
        self.cheats_harmless += outcome.cheat is Ending.HARMLESS
        self.handovers += outcome.handovers
        self.rejoins += outcome.rejoins
        self.incarnations += outcome.incarnations
        self.voided_deals += outcome.voided_deals
        places = {(kind, phase) for _, kind, phase, _ in outcome.struck}
        for kind, phase in places:
            self.struck[kind][phase] = 1 + (self.struck[kind][phase] or 0)
        for kind in {kind for kind, _ in places}:
            self.struck_in[kind] += 1


def run_faults(
    seeds: Iterable[int],
    players: int,
    rules: RuleSet,
    group: str,
    tell: Callable[[Outcome, Figures], None],
) -> Figures:
    """Play seed after seed; `tell` is told of each as it is over."""
    figures = Figures()
    for seed in seeds:
        outcome = run_seed(seed, players, rules, group)
        figures.add(outcome)
        tell(outcome, figures)
    return figures
