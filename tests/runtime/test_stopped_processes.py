"""Peers that stop for a while in real matches: the others go on, and who wakes catches up."""

import json
import signal
import subprocess
from pathlib import Path
from threading import Event, Thread
from time import sleep

import pytest
from process_helpers import kemps, node

from kemps_p2p.ledger.entry import Entry
from kemps_p2p.session.audit import audit
from kemps_p2p.session.takeover import take_over_in

STOPPED_S = 4.0


class Watched:
    """A node whose events are read as they come."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.entry = 0
        self.has_moved = Event()
        self.errors: list[str] = []
        self._threads = [Thread(target=self._read), Thread(target=self._listen)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.entry = json.loads(line).get("entry") or self.entry
            self.has_moved.set()
        self.has_moved.set()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.errors += self.process.stderr

    def wait_for(self, entry: int) -> None:
        while self.entry < entry and self.process.poll() is None:
            self.has_moved.wait(1)
            self.has_moved.clear()

    def end(self, limit_s: float) -> int:
        code = self.process.wait(timeout=limit_s)
        for thread, pipe in zip(self._threads, (self.process.stdout, self.process.stderr), strict=True):
            thread.join()
            assert pipe is not None
            pipe.close()
        return code


def entries(log: Path) -> list[Entry]:
    return [step.record.entry for step in audit(log.read_bytes()).steps]


def on_duty(logs: Path) -> int:
    """Who orders, as far as the log of a running match tells."""
    match = audit(min(logs.iterdir()).read_bytes()).match
    assert match is not None
    return int(match.on_duty)


@pytest.mark.soak
def test_whoever_orders_is_stopped_for_seconds_and_the_match_ends_everywhere(tmp_path: Path) -> None:
    """It is replaced meanwhile, and catches up by itself; all logs are one and audit clean."""
    nodes = [Watched(node(tmp_path, seat, "--events")) for seat in range(4)]
    try:
        for turn in range(4):
            nodes[0].wait_for(15 + 25 * turn)
            stopped = nodes[on_duty(tmp_path / "logs")]
            stopped.process.send_signal(signal.SIGSTOP)
            sleep(STOPPED_S)
            stopped.process.send_signal(signal.SIGCONT)
        codes = [each.end(120) for each in nodes]
    finally:
        for each in nodes:
            if each.process.poll() is None:
                each.process.kill()
    assert codes == [0, 0, 0, 0], [each.errors for each in nodes]
    logs = sorted((tmp_path / "logs").iterdir())
    audited = kemps("audit", "--json", *map(str, logs))
    assert audited.returncode == 0, audited.stdout
    assert len({log["head"] for log in json.loads(audited.stdout)["logs"]}) == 1
    assert any(take_over_in(entry) is not None for entry in entries(logs[0]))
