"""What befalls a simulated table: peers that die, stop, lose files or each other, failing disks, bad lines.

A storm is a seed. It is drawn before the match, and blows where the match is, not by the clock, since a match
of bots is over within a second. Knows who is at the table and how far the match is, and changes no message:
as with TCP, what is sent over a broken line is lost until it is up again, and what arrives is whole.
"""

import random
from collections import Counter
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from kemps_p2p.game import record
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.sim import Death, Sim
from kemps_p2p.runtime.simnet import Net
from kemps_p2p.runtime.simpeer import FORGETS, NO_JOURNAL
from kemps_p2p.session import effects as fx
from kemps_p2p.session.match import Match
from kemps_p2p.session.silence import ALONE_MS


class Phase(StrEnum):
    """Where a table is when something befalls it."""

    LOBBY = "lobby"
    SHUFFLE = "shuffle"
    """Of the first deal: those to come are shuffled while the cards lie."""
    PLAY = "play"
    CALL = "call"
    """From a final call until it is scored."""
    BETWEEN = "between"
    END = "end"
    """The match is over; seeds are opened, and the log is closed."""


class Kind(StrEnum):
    """What may befall a table."""

    CRASH = "crash"
    """A process dies between two things that it does, and comes back with its files."""
    TORN = "torn"
    """A process dies in the middle of a write."""
    POWER = "power"
    """A computer loses its power, and with it what its disk had not synced of the journal."""
    BLACKOUT = "blackout"
    """All processes die."""
    AWAY = "away"
    """A process dies, and stays away for so long that the others vote its seat absent."""
    DISK = "disk"
    """A write fails: the process says good-bye, and comes back when there is room again."""
    STOP = "stop"
    """A process is stopped, or its computer sleeps; then it goes on, with all that has come meanwhile."""
    CUT = "cut"
    """A peer and all others lose each other."""
    SPLIT = "split"
    """The table falls into two parts."""
    LINK = "link"
    """Two peers lose each other."""
    LOSS = "loss"
    """The lines of a peer come and go: some of its messages are lost, both ways."""
    SLOW = "slow"
    """The lines of a peer are slow, and more so now and then."""
    JOURNAL = "journal"
    """A process dies, and its journal is deleted; secret and log are left."""
    FILES = "files"
    """A process dies, and all its files are deleted: it asks for its seat as a new incarnation."""


LOSSES = (Kind.JOURNAL, Kind.FILES)
DEADLY = frozenset({Kind.CRASH, Kind.TORN, Kind.POWER, Kind.BLACKOUT, Kind.AWAY, Kind.DISK, *LOSSES})
_WEIGHTS = dict.fromkeys(Kind, 4) | {Kind.AWAY: 1} | dict.fromkeys(LOSSES, 0)
"""How often what is drawn: long stays cost long runs. Losses are drawn by themselves."""

LOSSES_IN = 0.1
"""In what share of the seeds somebody is to lose files."""


def phases_of(kind: Kind) -> tuple[Phase, ...]:
    """Where a kind can strike: who loses all its files in the lobby has no seat yet to ask for."""
    return tuple(phase for phase in Phase if kind is not Kind.FILES or phase is not Phase.LOBBY)


_SOON_MS = {
    Phase.LOBBY: 6.0,
    Phase.SHUFFLE: 30.0,
    Phase.PLAY: 75.0,
    Phase.CALL: 6.0,
    Phase.BETWEEN: 8.0,
    Phase.END: 6.0,
}
"""How long after a phase begins something befalls the table at most."""

_EFFECTS_MAX = 6
"""A process dies before one of so many of its next effects."""

_LOST_ITEMS_MAX = 12
"""What a power cut takes of a journal."""

_BOOT_MS = 5000.0
"""How long it takes at least until a computer is back after a power cut, or a player without its files."""


PHASES = {
    record.Phase.SEATED: Phase.SHUFFLE,
    record.Phase.DEALT: Phase.PLAY,
    record.Phase.OPEN: Phase.PLAY,
    record.Phase.HALTED: Phase.PLAY,
    record.Phase.PROVING: Phase.CALL,
    record.Phase.DEAL_OVER: Phase.BETWEEN,
    record.Phase.MATCH_OVER: Phase.END,
}
"""By the phase of the game."""


def phase_of(match: Match) -> Phase:
    """Where a match is, as one peer accepts it."""
    game = match.game
    return Phase.CALL if game.pending is not None else PHASES[game.phase]


@dataclass(frozen=True, slots=True)
class Blow:
    """One thing that befalls a table, so long after a phase begins for the `nth` time.

    `phase` None: so long after the blow before it. `luck`: for whom it strikes is drawn with it.
    """

    kind: Kind
    phase: Phase | None
    nth: int
    after_ms: float
    span_ms: float
    luck: int


@dataclass(frozen=True)
class StormNet(Net):
    """Lines that a storm makes slow for some seats: by up to so many ms."""

    slow: dict[Seat, float] = field(default_factory=dict)

    def after_ms(self, rng: random.Random, sender: Seat, receiver: Seat) -> float:
        """How long a message takes; a slow line mostly adds little to it, and now and then much."""
        more_ms = max(self.slow.get(sender, 0.0), self.slow.get(receiver, 0.0))
        return rng.uniform(*self.delay_ms) + (more_ms * rng.random() ** 4 if more_ms else 0.0)


def drawn(rng: random.Random) -> list[list[Blow]]:
    """What is to come: chains of blows, each of which waits for the one before it."""
    chains: list[list[Blow]] = []
    for _ in range(rng.choice((1, 1, 2, 2, 3, 4))):
        is_next = bool(chains) and rng.random() < 0.4
        phase = None if is_next else rng.choice(list(Phase))
        (kind,) = rng.choices(list(Kind), [_WEIGHTS[kind] for kind in Kind])
        blow = _blow(rng, kind, phase)
        if is_next:
            rng.choice(chains).append(blow)
        else:
            chains.append([blow])
    return chains


def _blow(rng: random.Random, kind: Kind, phase: Phase | None) -> Blow:
    soon_ms = 3000 * rng.random() if phase is None else _SOON_MS[phase]
    return Blow(
        kind=kind,
        phase=phase,
        nth=rng.choice((1, 1, 2)) if phase in {Phase.PLAY, Phase.CALL} else 1,
        after_ms=soon_ms * rng.random(),
        span_ms=rng.choice((100.0, 1000.0, 1000.0, 3000.0, 12_000.0)) * rng.random(),
        luck=rng.getrandbits(32),
    )


def losses(rng: random.Random) -> list[list[Blow]]:
    """In some seeds one chain more, which begins with a loss of files; now and then something follows it."""
    if rng.random() >= LOSSES_IN:
        return []
    kind = rng.choice(LOSSES)
    more = [_blow(rng, rng.choice(list(Kind)), None) for _ in range(rng.choice((0, 0, 1)))]
    return [[_blow(rng, kind, rng.choice(phases_of(kind))), *more]]


class Storm:
    """What befalls one table. `spared`: seats whose processes do not die. `struck`: what has, and when.

    `reads_us`: how often each peer takes in what has come. At most one seat of a match loses all its files:
    of two of four that have, none could be let in again.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(f"kemps storm {seed}")
        self.spared: Set[int] = frozenset()
        self._chains = drawn(self._random) + losses(random.Random(f"kemps losses {seed}"))
        self.net = StormNet(delay_ms=self._random.choice(((0.5, 2.0), (0.5, 2.0), (1.0, 40.0))))
        self.reads_us = random.Random(f"kemps pace {seed}").choice((0, 500, 1000, 2000))
        self.struck: list[tuple[int, str, Phase, tuple[Seat, ...]]] = []
        self.phase = Phase.LOBBY
        self._sim: Sim | None = None
        self._entered: Counter[Phase] = Counter()
        self._index = -1
        self._armed: list[tuple[int, list[Blow]]] = []
        self._ends: list[tuple[int, Callable[[], None]]] = []
        self._next_us = 0
        self._broken: Counter[tuple[Seat, Seat]] = Counter()
        self._lossy: dict[Seat, float] = {}
        self._doomed: dict[Seat, tuple[int, Blow]] = {}
        self._forgetful: Seat | None = None
        self._felled: dict[Seat, int] = {}
        self.robbed: dict[Seat, int] = {}
        """Whose journal has lost something, and how often they had been restored before; whoever sees that
        they have it again takes them out.
        """

    def begin(self, sim: Sim) -> None:
        """The table that it blows over."""
        self._sim = sim
        self._enter(Phase.LOBBY)

    @property
    def sim(self) -> Sim:
        """The table."""
        assert self._sim is not None, "a storm without a table"
        return self._sim

    # What the table feels

    def tamper(self, sender: Seat, receiver: Seat, data: bytes) -> bytes | None:
        """What arrives of a message."""
        if self._broken and self._broken[sender, receiver]:
            return None
        if self._lossy:
            lost = max(self._lossy.get(sender, 0.0), self._lossy.get(receiver, 0.0))
            if self._random.random() < lost:
                return None
        return data

    def watch(self, seat: Seat, effect: fx.Effect, _now_ms: int) -> None:
        """Raise `Death` before the effect that a peer does not live to carry out."""
        doom = self._doomed.get(seat)
        if doom is None:
            return
        left, blow = doom
        is_write = isinstance(effect, fx.Append)
        if left > 0 or (blow.kind in {Kind.TORN, Kind.DISK} and not is_write):
            self._doomed[seat] = max(0, left - 1), blow
            return
        del self._doomed[seat]
        self._note(blow, (seat,))
        raise Death(
            int(blow.span_ms * 1000), torn=blow.kind is Kind.TORN, says_goodbye=blow.kind is Kind.DISK
        )

    def step(self, seat: Seat) -> None:
        """Something has happened at a seat: see how far the table is, and strike what is due."""
        session = self.sim.peers[seat].session
        if session.has_begun and session.play.tip.head.index > self._index:
            self._index = session.play.tip.head.index
            phase = phase_of(session.play.tip)
            if phase is not self.phase:
                self._enter(phase)
        if self.sim.now_us < self._next_us:
            return
        for at_us, end in [due for due in self._ends if due[0] <= self.sim.now_us]:
            self._ends.remove((at_us, end))
            end()
        for at_us, chain in [due for due in self._armed if due[0] <= self.sim.now_us]:
            self._armed.remove((at_us, chain))
            self._strike(chain.pop(0))
            if chain:
                self._arm(chain)
        self._look_ahead()

    @property
    def befallen(self) -> frozenset[Seat]:
        """Whom something has struck by now."""
        return frozenset(seat for _, _, _, seats in self.struck for seat in seats)

    @property
    def is_calm(self) -> bool:
        """True while everybody is up and hears everybody, and nothing is under way that changes it."""
        if self._ends or self._armed or self._doomed:
            return False
        sim = self.sim
        return all(not peer.is_down and peer.stopped_until_us <= sim.now_us for peer in sim.peers)

    # How it blows

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self._entered[phase] += 1
        for chain in self._chains:
            if chain and chain[0].phase is phase and chain[0].nth == self._entered[phase]:
                self._arm(chain)

    def _arm(self, chain: list[Blow]) -> None:
        self._armed.append((self.sim.now_us + int(chain[0].after_ms * 1000), chain))
        self._look_ahead()

    def _look_ahead(self) -> None:
        self._next_us = min((at_us for at_us, _ in (*self._armed, *self._ends)), default=1 << 62)

    def _note(self, blow: Blow, seats: tuple[Seat, ...]) -> None:
        self.struck.append((self.sim.now_ms, blow.kind, self.phase, seats))

    def _strike(self, blow: Blow) -> None:
        rng = random.Random(blow.luck)
        seats = self._seats(blow, rng)
        if not seats:
            return
        span_us = int(blow.span_ms * 1000)
        match blow.kind:
            case Kind.CRASH | Kind.TORN | Kind.DISK:
                # It is noted when it comes about.
                effects = 2 if self.phase is Phase.LOBBY else _EFFECTS_MAX
                self._doomed[seats[0]] = rng.randrange(effects), blow
                return
            case Kind.POWER:
                self.robbed[seats[0]] = self.sim.peers[seats[0]].life
                self._fell(seats[0], span_us + int(_BOOT_MS * 1000), rng.randint(1, _LOST_ITEMS_MAX))
            case Kind.JOURNAL:
                self.robbed[seats[0]] = self.sim.peers[seats[0]].life
                self._fell(seats[0], span_us + int(_BOOT_MS * 1000), NO_JOURNAL)
            case Kind.FILES:
                self.robbed.pop(seats[0], None)
                self._forgetful = seats[0]
                self._fell(seats[0], span_us + int(_BOOT_MS * 1000), FORGETS)
            case Kind.AWAY:
                self._fell(seats[0], span_us + int(ALONE_MS * 1000))
            case Kind.BLACKOUT:
                for seat in seats:
                    self._fell(seat, int(span_us * rng.random()))
            case Kind.STOP:
                self.sim.stop(seats[0], span_us)
            case Kind.CUT | Kind.SPLIT | Kind.LINK:
                self._break(seats, blow, span_us)
            case Kind.LOSS:
                self._worsen(self._lossy, seats[0], rng.uniform(0.05, 0.5), span_us)
            case Kind.SLOW:
                self._worsen(self.net.slow, seats[0], rng.choice((100.0, 500.0, 2000.0)), span_us)
        self._note(blow, seats)

    def _seats(self, blow: Blow, rng: random.Random) -> tuple[Seat, ...]:
        """For whom it strikes; the seat on duty more often than others. Nobody, if there is none left."""
        able = [Seat(seat) for seat, peer in enumerate(self.sim.peers) if not peer.is_down]
        if blow.kind in DEADLY:
            able = [seat for seat in able if seat not in self.spared and seat not in self._doomed]
            # Of two blows of one moment the second would find it still up, and be as nothing.
            able = [seat for seat in able if self._felled.get(seat) != self.sim.now_us]
        if blow.kind is Kind.FILES:
            able = [seat for seat in able if self._can_forget(seat)]
        if blow.kind is Kind.BLACKOUT:
            return tuple(able)
        everybody = range(len(self.sim.peers))
        if blow.kind is Kind.SPLIT:
            return tuple(map(Seat, sorted(rng.sample(everybody, rng.randint(1, len(everybody) // 2)))))
        begun = [peer.session.play.tip for peer in self.sim.peers if peer.session.has_begun]
        duty = max(begun, key=lambda tip: tip.head.index).on_duty if begun else None
        if duty in able and rng.random() < 0.4:
            able.remove(duty)
            able.insert(0, duty)
        else:
            rng.shuffle(able)
        return tuple(able[: 2 if blow.kind is Kind.LINK else 1])

    def _fell(self, seat: Seat, away_us: int, lost: int = 0) -> None:
        self._felled[seat] = self.sim.now_us
        self.sim.crash(0, seat, away_us, lost)

    def _can_forget(self, seat: Seat) -> bool:
        """True if no other seat has lost its files, and another one can tell how the match began."""
        others = (peer for other, peer in enumerate(self.sim.peers) if other != seat)
        return self._forgetful in {None, seat} and any(peer.session.has_begun for peer in others)

    def _break(self, seats: tuple[Seat, ...], blow: Blow, span_us: int) -> None:
        """Break the lines between some seats and the others, or between the two."""
        others = [Seat(seat) for seat in range(len(self.sim.peers)) if seat not in seats]
        pairs = [(one, other) for one in seats for other in others]
        if blow.kind is Kind.LINK:
            pairs = list(pairwise(seats))
        both = [*pairs, *((other, one) for one, other in pairs)]
        self._broken.update(both)

        def mend() -> None:
            self._broken.subtract(both)

        self._end_in(span_us, mend)

    def _worsen(self, lines: dict[Seat, float], seat: Seat, by: float, span_us: int) -> None:
        lines[seat] = by

        def mend() -> None:
            lines.pop(seat, None)

        self._end_in(span_us, mend)

    def _end_in(self, span_us: int, mend: Callable[[], None]) -> None:
        self._ends.append((self.sim.now_us + span_us, mend))
        self._look_ahead()
