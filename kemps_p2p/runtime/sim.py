"""A table in one process: the real machines on a virtual clock and a faulty network, driven by a seed.

Everything random comes from the seed, so a run is its seed: same seed, same bytes. Nothing here waits.
"""

import heapq
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from typing import TypeAlias

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.bots.player import Player
from kemps_p2p.codec import derive
from kemps_p2p.errors import IllegalAction
from kemps_p2p.game.actions import Action
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.jobs import Jobs
from kemps_p2p.runtime.simnet import PERFECT, Net
from kemps_p2p.runtime.simpeer import SimPeer
from kemps_p2p.session import effects as fx
from kemps_p2p.session.journal import read_journal, setup_from
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.messages import Want
from kemps_p2p.session.session import Session

WALL_MS = 1_767_225_600_000
"""The wall clock at virtual time 0."""

MOVES_AT_ONCE_MAX = 4


class Stop(Enum):
    """Why a run ended."""

    DONE = auto()
    TIME = auto()


@dataclass(frozen=True, slots=True)
class _Arrive:
    """What a peer takes in at once: messages, each with its sender."""

    messages: list[tuple[Seat, bytes]]


@dataclass(frozen=True, slots=True)
class _Computed:
    job_id: int
    outcome: object
    life: int


class _Due(Enum):
    WAKE = auto()
    RETURN = auto()


Choose: TypeAlias = Callable[[SeatView], Action | None]
"""What a seat does at a planned moment, by what it sees then; None: nothing."""


@dataclass(frozen=True, slots=True)
class _Planned:
    choose: Choose


@dataclass(frozen=True, slots=True)
class _Crash:
    away_us: int
    lost: int


class Death(Exception):
    """Raised by a `Watch`: the peer dies before it carries out the effect that it was about to.

    `away_us`: when it is back. `torn`: of an append it still writes the first half. `says_goodbye`: it ends
    because of its disk, and tells the others that it is gone.
    """

    def __init__(self, away_us: int, *, torn: bool = False, says_goodbye: bool = False) -> None:
        super().__init__("a simulated peer dies")
        self.away_us = away_us
        self.torn = torn
        self.says_goodbye = says_goodbye


class _Dead(Exception):
    """A peer has died while it carried out effects: whatever it was about to do is not done."""


_What: TypeAlias = _Arrive | _Computed | _Due | _Planned | _Crash
Tamper: TypeAlias = Callable[[Seat, Seat, bytes], bytes | None]
"""(sender, receiver, message) -> what arrives instead, None for nothing: where a cheating network sits."""

Machine: TypeAlias = Callable[[Setup], Session]
"""Builds a seat's machine: where a cheating seat sits. `setup.seat` says which one is asked for."""

Watch: TypeAlias = Callable[[Seat, fx.Effect, int], None]
"""(seat, effect, now_ms), told of every effect before it is carried out. May raise `Death`."""


class Sim:
    """`players` machines on one virtual clock, with honest bots where `players_at` seats nobody else.

    `observers`: 1 where one more peer is a witness without a seat, else 0. `reads_us`: how often a peer takes
    in what has come, since it does something else meanwhile; 0: each message as it comes.
    """

    def __init__(
        self,
        *,
        rules: RuleSet,
        players: int,
        seed: int,
        group: str,
        net: Net = PERFECT,
        pace: Pace = Pace.FAST,
        tamper: Tamper | None = None,
        machine: Machine = Session,
        players_at: Mapping[Seat, Player] | None = None,
        watch: Watch | None = None,
        observers: int = 0,
        reads_us: int = 0,
    ) -> None:
        self._random = random.Random(f"kemps sim {seed}")
        self._net, self._tamper, self._watch = net, tamper, watch
        self._now_us = self._count = 0
        self._queue: list[tuple[int, int, Seat, _What]] = []
        self.jobs = Jobs()
        self._reads_us = reads_us
        self._arriving: dict[tuple[int, Seat], list[tuple[Seat, bytes]]] = {}
        self._machine = machine
        root = derive("kemps/v1/sim", seed.to_bytes(16, "big", signed=True))
        peers = players + observers
        keys = [Identity.derived(root, f"seat {seat}") for seat in range(peers)]
        roster = tuple(key.public for key in keys[:players])
        self.peers: list[SimPeer] = []
        self._setups: list[Setup] = []
        self._new_bot = partial(_bot, seed, players, pace)
        for seat in map(Seat, range(peers)):
            setup = Setup(
                identity=keys[seat],
                seat=seat,
                roster=roster,
                meeting=root[:32],
                name=f"Bot {seat}",
                rules=rules,
                group=group,
                secret=derive("kemps/v1/sim-secret", root, bytes([seat]))[:32],
                observer=keys[players].public if observers else None,
            )
            bot = (players_at or {}).get(seat) or self._new_bot(seat, 0)
            self._setups.append(setup)
            self.peers.append(SimPeer(machine(setup), bot))

    @property
    def now_ms(self) -> int:
        """Virtual milliseconds since the start."""
        return self._now_us // 1000

    @property
    def now_us(self) -> int:
        """Virtual microseconds since the start: messages and plans are that exact."""
        return self._now_us

    def run(self, limit_ms: int = 3_600_000) -> Stop:
        """Play until every log is complete, or the virtual time is over."""
        self.start()
        while self._queue:
            if self._queue[0][0] > limit_ms * 1000:
                return Stop.TIME
            self.step()
            if all(peer.session.is_done and not peer.is_down for peer in self._waited_for()):
                return Stop.DONE
        return Stop.TIME

    def _waited_for(self) -> list[SimPeer]:
        """All who play, and an observer that is not struck."""
        first = self.peers[0].session
        is_struck = first.has_begun and first.play.final.observer is None
        return [peer for peer in self.peers if peer.session.is_seated or not is_struck]

    def start(self) -> None:
        """All sit down. `run` does so by itself; whoever goes on by `step` starts with this."""
        for seat, peer in enumerate(self.peers):
            self._carry_out(Seat(seat), peer.session.start(self.now_ms))
            self._schedule(Seat(seat), 0, _Due.WAKE)

    def step(self) -> Seat:
        """Let the next thing happen, and say at which seat. There always is one: a status is ahead."""
        at_us, _, seat, what = heapq.heappop(self._queue)
        self._arriving.pop((at_us, seat), None)
        self._now_us = at_us
        self._handle(seat, what)
        return seat

    def plan(self, after_us: int, seat: Seat, choose: Choose) -> None:
        """At a moment to come, to the microsecond, a seat does what `choose` makes of what it sees then."""
        self._schedule(seat, after_us, _Planned(choose))

    def crash(self, after_us: int, seat: Seat, away_us: int, lost: int = 0) -> None:
        """At a moment to come a peer crashes, and is back some time later.

        Nothing is left but its files; of the journal not even the last `lost` items, as after a power cut.
        In the lobby that is its secret, from which it says again what it has said.
        """
        self._schedule(seat, after_us, _Crash(away_us, lost))

    def stop(self, seat: Seat, for_us: int) -> None:
        """A process is stopped, or its computer sleeps: what comes meanwhile waits, and the clock goes on."""
        self.peers[seat].stopped_until_us = self._now_us + for_us

    def _crash(self, seat: Seat, peer: SimPeer, away_us: int, lost: int = 0) -> None:
        peer.is_down = True
        peer.stopped_until_us = 0
        others = (other for other in self.peers if other is not peer)
        if peer.lose(lost, others):
            fresh = derive("kemps/v1/sim-secret", self._setups[seat].secret)[:32]
            self._setups[seat] = replace(self._setups[seat], secret=fresh)
        self._schedule(seat, away_us, _Due.RETURN)

    def _die(self, seat: Seat, peer: SimPeer, effect: fx.Effect, death: Death) -> None:
        if death.torn and isinstance(effect, fx.Append):
            torn = effect.data[: len(effect.data) // 2]
            (peer.log if effect.file is fx.File.LOG else peer.journal).append(torn)
        if death.says_goodbye and peer.session.has_begun:
            for last in peer.session.want(Want.GONE):
                if isinstance(last, fx.Send):
                    self._send_out(seat, last)
        self._crash(seat, peer, death.away_us)

    def _restore(self, seat: Seat, peer: SimPeer) -> list[fx.Effect]:
        """A new machine and a new bot at the seat; all they have are the files."""
        before = self._setups[seat]
        peer.cut_torn()
        if not peer.has_heading:
            peer.session = self._machine(replace(before, has_sat=True))
            peer.session.go_on_with(peer.log)
        else:
            journal = read_journal(peer.journal)
            setup = setup_from(journal, before.identity, before.secret, before.seat)
            peer.session = Session.restored(setup, journal, peer.log, self.now_ms, WALL_MS + self.now_ms)
        peer.life += 1
        peer.is_down = False
        peer.woken_at_us = -1
        peer.bot = self._new_bot(seat, peer.life)
        return peer.session.start(self.now_ms)

    def _handle(self, seat: Seat, what: _What) -> None:
        peer = self.peers[seat]
        if peer.is_down and what is not _Due.RETURN:
            return
        if self._now_us < peer.stopped_until_us:
            self._schedule(seat, peer.stopped_until_us - self._now_us, what)
            return
        try:
            self._let_happen(seat, peer, what)
        except _Dead:
            return

    def _let_happen(self, seat: Seat, peer: SimPeer, what: _What) -> None:
        now_ms = self.now_ms
        match what:
            case _Arrive(messages):
                effects = self._receive(peer.session, messages)
            case _Computed(life=life) if life != peer.life:
                return
            case _Computed(job_id, outcome):
                effects = peer.session.computed(job_id, outcome, now_ms)
            case _Due.WAKE:
                if self._now_us < peer.woken_at_us:
                    return
                # Bots wake far more often than machines have something to do.
                is_due = now_ms >= peer.due_ms
                effects = peer.session.tick(now_ms) if is_due else []
                effects += peer.session.go_along(now_ms) if is_due and peer.bot.goes_along else []
            case _Planned() if not peer.session.has_begun:
                # Whoever is back without its journal waits in the lobby, and sees no table.
                return
            case _Planned(choose):
                if (action := choose(peer.session.view())) is not None:
                    self._submit(seat, peer, action)
                effects = []
            case _Crash(away_us, lost):
                self._crash(seat, peer, away_us, lost)
                return
            case _Due.RETURN:
                effects = self._restore(seat, peer)
        self._carry_out(seat, effects)
        self._let_play(seat, peer)
        self._sleep(seat, peer)

    def _receive(self, session: Session, messages: list[tuple[Seat, bytes]]) -> list[fx.Effect]:
        return session.receive_all(messages, self.now_ms, WALL_MS + self.now_ms)

    def _let_play(self, seat: Seat, peer: SimPeer) -> None:
        """Ask the bot for a move as long as it makes one: on news, and when it asked to be asked."""
        wake_ms = peer.bot.wake_at_ms
        is_due = peer.has_news or (wake_ms is not None and wake_ms <= self.now_ms)
        if not peer.session.has_begun or not peer.session.is_seated or not is_due:
            return
        if (book := peer.bot.book(peer.session.play.final.coming_deal)) is not None:
            self._carry_out(seat, peer.session.seal_book(book, self.now_ms))
        for _ in range(MOVES_AT_ONCE_MAX):
            peer.has_news = False
            if (action := peer.bot.decide(peer.session.view(), self.now_ms)) is None:
                return
            peer.has_news = True
            self._submit(seat, peer, action)

    def _submit(self, seat: Seat, peer: SimPeer, action: Action) -> None:
        try:
            effects = peer.session.submit(action, self.now_ms, peer.bot.intent(action))
        except IllegalAction:
            peer.bot.refused(action, self.now_ms)
        else:
            self._carry_out(seat, effects)

    def _sleep(self, seat: Seat, peer: SimPeer) -> None:
        """Wake the peer when its machine or its bot has something to do by itself."""
        wake_ms = peer.due_ms = peer.session.wake_at_ms
        if peer.bot.wake_at_ms is not None and peer.session.has_begun:
            wake_ms = min(wake_ms, peer.bot.wake_at_ms)
        wake_us = max(wake_ms * 1000, self._now_us + 1000)
        if peer.woken_at_us <= self._now_us or wake_us < peer.woken_at_us:
            peer.woken_at_us = wake_us
            self._schedule(seat, wake_us - self._now_us, _Due.WAKE)

    def _schedule(self, seat: Seat, after_us: int, what: _What) -> None:
        self._count += 1
        heapq.heappush(self._queue, (self._now_us + after_us, self._count, seat, what))

    def _carry_out(self, seat: Seat, effects: list[fx.Effect]) -> None:
        self._carry_out_all(seat, effects)
        while self.peers[seat].session.is_busy:
            self._carry_out_all(seat, self.peers[seat].session.tick(self.now_ms))

    def _carry_out_all(self, seat: Seat, effects: list[fx.Effect]) -> None:
        peer = self.peers[seat]
        for effect in effects:
            if self._watch is not None:
                try:
                    self._watch(seat, effect, self.now_ms)
                except Death as death:
                    self._die(seat, peer, effect, death)
                    raise _Dead from None
            match effect:
                case fx.Append(file=fx.File.LOG, data=data):
                    # Every final entry may have changed what the seat sees.
                    peer.has_news = True
                    peer.log.append(data)
                case fx.Append(data=data):
                    peer.journal.append(data)
                case fx.Send():
                    self._send_out(seat, effect)
                case fx.Compute(id=job_id, work=work):
                    self._schedule(seat, 1000, _Computed(job_id, self.jobs.outcome(work), peer.life))
                case fx.Show(sight=sight):
                    self._show(seat, peer, sight)

    def _send_out(self, seat: Seat, effect: fx.Send) -> None:
        for receiver in range(len(self.peers)) if effect.to is None else (effect.to,):
            if receiver != seat:
                self._send(seat, Seat(receiver), effect.data)

    def _send(self, sender: Seat, receiver: Seat, data: bytes) -> None:
        arriving = data if self._tamper is None else self._tamper(sender, receiver, data)
        if arriving is None:
            return
        copies = (self._random.random() >= self._net.loss) + (self._random.random() < self._net.duplication)
        for _ in range(copies):
            delay_ms = self._net.after_ms(self._random, sender, receiver)
            self._arrive(receiver, int(delay_ms * 1000), (sender, arriving))

    def _arrive(self, receiver: Seat, after_us: int, message: tuple[Seat, bytes]) -> None:
        """To be taken in when it comes, or with all else that has come when the peer reads next."""
        if self._reads_us:
            after_us += self._reads_us - (self._now_us + after_us) % self._reads_us
            come = self._arriving.get((self._now_us + after_us, receiver))
            if come is not None:
                come.append(message)
                return
            come = self._arriving[self._now_us + after_us, receiver] = [message]
            self._schedule(receiver, after_us, _Arrive(come))
        else:
            self._schedule(receiver, after_us, _Arrive([message]))

    def _show(self, seat: Seat, peer: SimPeer, sight: fx.Sight) -> None:
        match sight:
            case fx.TableFormed():
                peer.has_news = True
                self._whisper(seat, peer.bot.greet())
            case fx.Happened(events=events):
                peer.bot.happened(events, self.now_ms)
            case fx.GestureSeen(seat=gesturer, name=name):
                peer.has_news = True
                peer.bot.gestured(gesturer, name, self.now_ms)
            case fx.Whispered(text=text):
                peer.has_news = True
                self._whisper(seat, peer.bot.whispered(text))
            case fx.FaultFound(fault=fault):
                peer.faults.append(fault)
            case _:
                pass  # What else there is to see is for people.

    def _whisper(self, seat: Seat, text: str | None) -> None:
        if text is not None:
            # Not more than the whisper: what else is due comes after the effects under way.
            self._carry_out_all(seat, self.peers[seat].session.whisper(text))


def _bot(seed: int, players: int, pace: Pace, seat: Seat, life: int) -> Bot:
    """The bot of a seat; after a crash it starts with other chances, as a new program does."""
    chances = f"kemps bot {seed} {seat}" + (f" life {life}" if life else "")
    return Bot(seat, players, random.Random(chances), pace)
