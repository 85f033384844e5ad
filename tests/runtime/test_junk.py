"""A running node is flooded with junk: it lives, its memory has a bound, and it blames no honest seat."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest
from junk import Junk, SignedJunk
from process_helpers import node

from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.session import Session

JUNK_NODE = Path(__file__).with_name("junk_node.py")
GROWTH_MB_MAX = 400
RULES = 'base = "kemps"\nlook_ms = 0\n'
LIMIT_S = 7200
LEAVE_S = 60
SHORT = override(load_rules("kemps"), {"look_ms": 0, "word": "KE"})


class Honest:
    """A node whose events are read as they come, and how large it has grown."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.told: list[dict[str, Any]] = []
        self.size_mb: list[float] = []
        self.error: str | None = None
        self._thread = Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.told.append(json.loads(line))

    def measure(self) -> None:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        kb = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")), None)
        if kb is not None:
            self.size_mb.append(int(kb) / 1024)

    def end(self) -> str:
        """End it, if it has not ended; what it said on its standard error."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        if self.error is None:
            self._thread.join(LEAVE_S)
            _, self.error = self.process.communicate(timeout=LEAVE_S)
        return self.error


def flooded(scratch: Path, mode: str, messages: int, seed: int) -> tuple[dict[str, int], list[float]]:
    """One match under a flood; what was sent, and the sizes of the node that it went to."""
    (scratch / "rules.toml").write_text(RULES)
    told = ("--events", "--rules", str(scratch / "rules.toml"), "--give-up", "7200")
    peers = [Honest(node(scratch, seat, *told)) for seat in range(3)]
    order = {"scratch": str(scratch), "seed": seed, "mode": mode, "messages": messages, "rules": RULES}
    command = [sys.executable, str(JUNK_NODE), json.dumps(order)]
    junk = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + LIMIT_S
        sent: list[str] = []
        reading = Thread(target=lambda: sent.append(junk.stdout.readline() if junk.stdout else ""))
        reading.start()
        while reading.is_alive() and time.monotonic() < until:
            reading.join(1)
            for peer in peers:
                assert peer.process.poll() in {None, 0}, peer.end()
                peer.measure()
        time.sleep(2)
    finally:
        junk.kill()
        _, said = junk.communicate()
        errors = [peer.end() for peer in peers]
    assert "".join(sent), said
    codes = [peer.process.returncode for peer in peers]
    # Ended by us, if the match was not over before.
    assert set(codes) <= {0, 130}, (codes, errors)
    blamed = {each["culprit"] for peer in peers for each in peer.told if each["event"] == "fault"}
    assert blamed <= {None, 3}
    counts: dict[str, int] = json.loads(sent[0])
    return counts, max((peer.size_mb for peer in peers), key=lambda sizes: sizes[-1] - sizes[0])


class Liar:
    """The line of a seat of which every other message is junk instead."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.junk = Junk(self.random)
        self.signed: SignedJunk | None = None
        self.setups: list[Setup] = []
        self.count = 0
        self.sim = Sim(
            rules=SHORT, players=4, seed=seed, group="stub-insecure", tamper=self.tamper, machine=self.machine
        )

    def machine(self, setup: Setup) -> Session:
        self.setups.append(setup)
        return Session(setup)

    def tamper(self, sender: Seat, receiver: Seat, data: bytes) -> bytes:
        if sender != 3 or self.random.random() < 0.5:
            self.junk.seen.append(data)
            return data
        self.count += 1
        first = self.sim.peers[0].session
        if self.signed is None and first.has_begun:
            self.signed = SignedJunk(self.random, self.setups[3].identity, first.play.founding.match, 3)
            self.signed.seen = self.junk.seen
        if self.signed is not None and self.random.random() < 0.5:
            return self.signed.signed()
        return self.junk.unsigned()


@pytest.mark.parametrize("seed", [1, 2])
def test_junk_from_a_seat_is_refused_and_blamed_on_nobody_else(seed: int) -> None:
    """In one process; many more such messages, between real ones, are a soak."""
    liar = Liar(seed)
    liar.sim.start()
    while liar.count < 300:
        liar.sim.step()
    for peer in liar.sim.peers[:3]:
        assert {fault.culprit for fault in peer.faults} <= {None, 3}
        assert peer.faults


@pytest.mark.soak
@pytest.mark.parametrize("mode", ["beside", "instead"])
def test_a_flood_of_junk_kills_nobody(tmp_path: Path, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`KEMPS_JUNK`: so many messages in all; a million takes long."""
    total = int(os.environ.get("KEMPS_JUNK", "20000"))
    sent, seed = 0, 0
    while sent < total:
        scratch = tmp_path / str(seed)
        scratch.mkdir()
        counts, sizes_mb = flooded(scratch, mode, total - sent, seed)
        sent += sum(counts.values())
        seed += 1
        with capsys.disabled():
            grown = max(sizes_mb) - sizes_mb[0]
            sys.stdout.write(f"\n{mode}: {counts}, {sizes_mb[0]:.0f} MB and {grown:.0f} MB more\n")
        assert max(sizes_mb) - sizes_mb[0] < GROWTH_MB_MAX
