"""Matches of real processes that are killed and stopped at random moments, and come back to their seats.

The seed decides who is struck, how and after what pause; how far the processes are by then is theirs, so a
seed does not repeat a run exactly.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from kemps_p2p.game.rules import RuleSet, canonical_text
from kemps_p2p.ids import Seat
from kemps_p2p.lab.figures import Spread, spread
from kemps_p2p.lab.survival import Blow, Left, check
from kemps_p2p.runtime.launch import LaunchPlan, Report, end_nodes, node_command
from kemps_p2p.runtime.wayback import log_name

AWAY_S = 10.0
"""A killed peer comes back within this long."""
TAKEOVER_S = 3.0
"""How soon another seat orders after the one on duty has died, in 95 of 100 cases."""
_STOPS = 0.2
_STOPPED_S = 8.0
_LOBBY_KILLS = 0.5
_ON_DUTY = 0.3
_ON_TOP = 0.25
_PAUSE_S = 5.0
_LOOK_AGAIN_S = 0.01
_STUCK_S = 150.0
_GIVE_UP_S = 120


@dataclass(frozen=True, slots=True)
class ChaosPlan:
    """How many kills at a table of so many. `logs`: where logs go, and what a failed match left."""

    players: int
    rules: RuleSet
    kills: int
    seed: int
    logs: Path


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong in a match of a run."""

    seed: int
    match: int
    what: str


@dataclass(slots=True)
class Chaos:
    """What became of it all. `takeover_s`: None if no seat on duty died while all others were there."""

    players: int
    seed: int
    kills: int = 0
    stops: int = 0
    lobby_kills: int = 0
    matches: int = 0
    finished: int = 0
    clean: int = 0
    mismatched: int = 0
    takeovers: int = 0
    takeover_s: Spread | None = None
    failures: list[Failure] = field(default_factory=list)


def run_chaos(plan: ChaosPlan, tell: Callable[[str], None]) -> Chaos:
    """Play matches until there were enough kills; `tell` gets a line a match."""
    found = Chaos(plan.players, plan.seed)
    takeovers_s: list[float] = []
    while found.kills < plan.kills and found.kills + found.matches < 3 * plan.kills + 3:
        number = found.matches
        with tempfile.TemporaryDirectory(prefix="kemps-chaos-") as scratch:
            began = time.monotonic()
            table = _Table(plan, Path(scratch), number, plan.kills - found.kills)
            asyncio.run(table.play())
            left = _left(table)
            what = [*table.failures, *left.findings]
            if what:
                shutil.copytree(scratch, plan.logs / f"failed-{plan.seed}-{number}", dirs_exist_ok=True)
            seconds = time.monotonic() - began
        kills = [blow for blow in table.blows if blow.kept is not None]
        found.matches += 1
        found.kills += len(kills)
        found.stops += len(table.blows) - len(kills)
        found.lobby_kills += table.lobby_kills
        found.finished += not table.failures
        found.clean += left.is_clean
        found.mismatched += left.mismatched
        takeovers_s += left.takeovers_s
        found.failures += [Failure(plan.seed, number, text) for text in what]
        ended = "; ".join(what) or "clean"
        tell(
            f"match {number}: {len(kills)} kills in {seconds:.0f} s ({found.kills} of {plan.kills}): {ended}"
        )
    found.takeovers = len(takeovers_s)
    if len(takeovers_s) > 1:
        found.takeover_s = spread(takeovers_s)
    return found


def _left(table: "_Table") -> Left:
    if len(table.logs) < len(table.peers):
        missing = [peer.seat for peer in table.peers if peer.seat not in table.logs]
        return Left(findings=[f"no log of seats {missing}"])
    return check(table.logs, table.blows)


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(slots=True)
class _Peer:
    """One seat: the process that plays it now, and what is being done to it."""

    seat: int
    process: asyncio.subprocess.Process | None = None
    is_back: bool = False
    is_done: bool = False
    blow: Blow | None = None

    @property
    def is_there(self) -> bool:
        return self.process is not None and self.process.returncode is None and self.blow is None


class _Table:
    """One match."""

    def __init__(self, plan: ChaosPlan, scratch: Path, number: int, kills_max: int) -> None:
        rules = scratch / "rules.toml"
        rules.write_text(canonical_text(plan.rules), encoding="utf-8")
        self._launch = LaunchPlan(plan.players, rules, "fast", plan.logs, scratch)
        self._random = Random(f"{plan.seed}/{number}")
        self._kills_left = kills_max
        self._match = ""
        self._on_duty: int | None = None
        self._moved_s = time.monotonic()
        self.peers = [_Peer(seat) for seat in range(plan.players)]
        self.blows: list[Blow] = []
        self.lobby_kills = 0
        self.logs: dict[int, Path] = {}
        self.failures: list[str] = []

    async def play(self) -> None:
        """Play to the end, or until nothing has moved for too long."""
        lives = [asyncio.create_task(self._live(peer)) for peer in self.peers]
        striking = asyncio.create_task(self._strike())
        try:
            while not all(life.done() for life in lives):
                await asyncio.wait(lives, timeout=1)
                if time.monotonic() - self._moved_s > _STUCK_S:
                    self.failures.append("stuck")
                    break
        finally:
            for task in (striking, *lives):
                task.cancel()
            await asyncio.gather(striking, *lives, return_exceptions=True)
            running = [peer.process for peer in self.peers if peer.process is not None]
            for process in running:
                if process.returncode is None:
                    process.send_signal(signal.SIGCONT)
            await end_nodes(running)

    # Lives

    async def _live(self, peer: _Peer) -> None:
        command = [*node_command(self._launch, peer.seat), "--give-up", str(_GIVE_UP_S)]
        while True:
            code, said = await self._run(peer, command)
            blow = peer.blow
            if blow is None or code != -signal.SIGKILL:
                self._ended(peer, code, said)
                return
            blow.kept = self._launch.scratch / f"kept-{len(self.blows)}-{peer.seat}"
            shutil.copytree(self._launch.home(peer.seat), blow.kept)
            await asyncio.sleep(blow.away_s)
            command = [
                sys.executable, "-m", "kemps_p2p", "rejoin", "--bot", "--pace", "fast", "--events",
                "--give-up", str(_GIVE_UP_S), "--home", str(self._launch.home(peer.seat)),
            ]  # fmt: skip

    async def _run(self, peer: _Peer, command: list[str]) -> tuple[int, str]:
        """One process to its end: its exit code and its last words."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # A killed process leaves what it had in the temporary directory.
            env={**os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": str(self._launch.scratch)},
        )
        assert process.stdout is not None, "started with a pipe"
        assert process.stderr is not None, "started with a pipe"
        blow, peer.blow = peer.blow, None
        peer.process, peer.is_back = process, False
        errors = asyncio.create_task(process.stderr.read())
        async for line in process.stdout:
            if line.endswith(b"\n"):
                self._hear(peer, json.loads(line))
            if blow is not None and peer.is_back:
                blow.back_ms, blow = _wall_ms(), None
        said = (await errors).decode(errors="replace").strip().splitlines()
        return await process.wait(), said[0] if said else "(silent)"

    def _hear(self, peer: _Peer, report: Report) -> None:
        self._moved_s = time.monotonic()
        match report["event"]:
            case "formed":
                self._match, peer.is_back = report["match"], True
            case "moved":
                self._on_duty = report["on_duty"]
            case "fault" if report["culprit"] is not None:
                self.failures.append(f"seat {peer.seat} blames seat {report['culprit']}: {report['text']}")
            case "log":
                self.logs[peer.seat] = Path(report["log"])
            case _:
                pass

    def _ended(self, peer: _Peer, code: int, said: str) -> None:
        peer.is_done = True
        if code == 0:
            return
        if peer.blow is None and "all its matches have ended" in said:
            # It was killed after its log was complete.
            name = log_name(self._match, Seat(peer.seat), len(self.peers))
            self.logs[peer.seat] = self._launch.logs / name
            return
        self.failures.append(f"seat {peer.seat} ended with code {code}: {said}")

    # Blows

    async def _strike(self) -> None:
        if self._random.random() < _LOBBY_KILLS:
            await self._strike_in_lobby(self._random.choice(self.peers))
        while self._kills_left:
            if self._random.random() >= _ON_TOP:
                await self._until(lambda: all(peer.is_there and peer.is_back for peer in self.peers))
            await asyncio.sleep(self._random.uniform(0, _PAUSE_S))
            victim = self._victim()
            if victim is None:
                continue
            if self._random.random() < _STOPS:
                await self._stop(victim)
            else:
                self._kill(victim)

    async def _strike_in_lobby(self, victim: _Peer) -> None:
        await self._until(lambda: self._has_met(victim))
        await asyncio.sleep(self._random.uniform(0, 0.1))
        if victim.is_there and not victim.is_back:
            self.lobby_kills += 1
            self._kill(victim)

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await asyncio.sleep(_LOOK_AGAIN_S)

    def _has_met(self, peer: _Peer) -> bool:
        """True while there is a match for it to come back to: before it has met the others there is none."""
        return any(self._launch.home(peer.seat).glob("matches/*/seat"))

    def _victim(self) -> _Peer | None:
        """Whoever is there, the seat on duty more often than others."""
        there = [peer for peer in self.peers if peer.is_there and self._has_met(peer)]
        on_duty = [peer for peer in there if peer.seat == self._on_duty]
        if on_duty and self._random.random() < _ON_DUTY:
            return on_duty[0]
        return self._random.choice(there) if there else None

    def _kill(self, peer: _Peer) -> None:
        assert peer.process is not None, "only who is there is killed"
        peer.blow = Blow(peer.seat, _wall_ms(), self._random.uniform(0, AWAY_S))
        self.blows.append(peer.blow)
        self._kills_left -= 1
        peer.process.kill()

    async def _stop(self, peer: _Peer) -> None:
        assert peer.process is not None, "only who is there is stopped"
        peer.blow = Blow(peer.seat, _wall_ms(), self._random.uniform(0, _STOPPED_S))
        self.blows.append(peer.blow)
        peer.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(peer.blow.away_s)
        peer.process.send_signal(signal.SIGCONT)
        peer.blow.back_ms, peer.blow = _wall_ms(), None
