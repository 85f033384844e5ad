"""Machines of a small network, each a network namespace, for tests that need root (marker netns).

All hang on one bridge. Each has a decoy as well: an interface that is up, has an address in a network that
all decoys share, and leads nowhere.
"""

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KEMPS = (sys.executable, "-m", "kemps_p2p")
LATER_KEMPS = (
    sys.executable,
    "-c",
    "from kemps_p2p.session import messages; messages.PROTOCOL_VERSION += 1; "
    "from kemps_p2p.cli.main import main; main()",
)
"""The command as a later version of the protocol will have it."""
LIMIT_S = 120
_numbers = itertools.count()


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass
class Running:
    """A command that runs on a machine, told with `--events`, and what it has told by now."""

    process: "subprocess.Popen[str]"
    told: list[dict[str, Any]] = field(default_factory=list)
    err: str = ""
    _threads: list[threading.Thread] = field(default_factory=list)
    _more: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        self._threads = [threading.Thread(target=self._read_out), threading.Thread(target=self._read_err)]
        for thread in self._threads:
            thread.start()

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._more:
                self.told.append(json.loads(line))
                self._more.notify_all()
        with self._more:
            self._more.notify_all()

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        self.err = self.process.stderr.read()

    def wait_for(self, holds: Callable[[list[dict[str, Any]]], bool]) -> None:
        """Wait until what was told by now is so."""
        until = time.monotonic() + LIMIT_S
        with self._more:
            while not holds(self.told):
                assert self._threads[0].is_alive(), (self.err, self.told[-3:])
                assert self._more.wait(max(until - time.monotonic(), 0)), self.told[-3:]

    def event(self, kind: str, /, **facts: object) -> dict[str, Any]:
        """Wait until the command has told this."""

        def fits(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
            # Facts may be lists, so these are no sets.
            return [each for each in told if all(each.get(key) == fact for key, fact in wanted.items())]

        wanted = {"event": kind, **facts}
        self.wait_for(lambda told: bool(fits(told)))
        return fits(self.told)[0]

    def ended(self) -> int:
        """Wait for its exit code."""
        code = self.process.wait(LIMIT_S)
        for thread in self._threads:
            thread.join(LIMIT_S)
        return code

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.ended()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@dataclass(frozen=True)
class Machine:
    """One machine: a namespace, a home, an address. `plug`: its end of the bridge, after that namespace."""

    namespace: str | None
    address: str
    home: Path
    running: list[Running]
    plug: tuple[str, str] = ("", "")

    def command(self, words: tuple[object, ...], program: Sequence[str] = KEMPS) -> list[str]:
        inside = [] if self.namespace is None else ["ip", "netns", "exec", self.namespace]
        return [*inside, *program, *map(str, words)]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "KEMPS_HOME": str(self.home), "PYTHONUNBUFFERED": "1"}

    def kemps(self, *words: object) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        return subprocess.run(
            self.command(words),
            capture_output=True, text=True, timeout=LIMIT_S, check=False, env=self.environment,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def start(self, *words: object, program: Sequence[str] = KEMPS) -> Running:
        """Start a command that tells events."""
        process = subprocess.Popen(
            self.command(words, program),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=self.environment,
        )  # fmt: skip
        running = Running(process)
        self.running.append(running)
        return running

    def ip(self, *words: str) -> None:
        assert self.namespace is not None
        ip("-n", self.namespace, *words)

    def move(self, address: str) -> None:
        """Give it another address in the network that all share; the old one is gone."""
        self.ip("address", "flush", "dev", "eth0", "scope", "global")
        self.ip("address", "add", f"{address}/24", "dev", "eth0")

    def _inside(self, *words: str) -> None:
        assert self.namespace is not None
        ip("netns", "exec", self.namespace, *words)

    @contextmanager
    def deaf_to_multicast(self) -> Iterator[None]:
        """A firewall that drops mDNS as it comes in; where there is no nft, a system that joins no group."""
        if shutil.which("nft") is None:
            limit = Path("/proc/sys/net/ipv4/igmp_max_memberships").read_text(encoding="ascii").strip()
            self._inside("sysctl", "-w", "net.ipv4.igmp_max_memberships=0")
            yield
            self._inside("sysctl", "-w", f"net.ipv4.igmp_max_memberships={limit}")
            return
        self._inside("nft", "add table inet kemps")
        self._inside("nft", "add chain inet kemps in { type filter hook input priority 0 ; }")
        self._inside("nft", "add rule inet kemps in udp dport 5353 drop")
        yield
        self._inside("nft", "delete table inet kemps")


@contextmanager
def machines(count: int) -> Iterator[list[Machine]]:
    """So many machines on one bridge, gone afterwards with all that runs on them."""
    prefix = f"kemps{os.getpid()}n{next(_numbers)}"
    hub, names = f"{prefix}hub", [f"{prefix}m{index}" for index in range(count)]
    with tempfile.TemporaryDirectory(prefix="kemps-net-") as scratch:
        made = [
            Machine(name, f"10.77.0.{index + 1}", Path(scratch) / name, [], (hub, f"eth{index}"))
            for index, name in enumerate(names)
        ]
        try:
            ip("netns", "add", hub)
            ip("-n", hub, "link", "add", "br0", "type", "bridge")
            ip("-n", hub, "link", "set", "br0", "up")
            for index, name in enumerate(names):
                _plug_in(hub, name, index)
            yield made
        finally:
            end_all(made)
            for name in (*names, hub):
                subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


@contextmanager
def cut_apart(half: Sequence[Machine]) -> Iterator[None]:
    """Hang these on a bridge of their own, and back on the common one afterwards."""
    hub = half[0].plug[0]
    ip("-n", hub, "link", "add", "br1", "type", "bridge")
    ip("-n", hub, "link", "set", "br1", "up")
    for machine in half:
        ip("-n", hub, "link", "set", machine.plug[1], "master", "br1")
    yield
    for machine in half:
        ip("-n", hub, "link", "set", machine.plug[1], "master", "br0")
    ip("-n", hub, "link", "delete", "br1")


def end_all(made: list[Machine]) -> None:
    """End what runs on these machines."""
    for machine in made:
        while machine.running:
            machine.running.pop().kill()


def _plug_in(hub: str, name: str, index: int) -> None:
    ip("netns", "add", name)
    ip("-n", name, "link", "set", "lo", "up")
    for kind, address in (("eth0", f"10.77.0.{index + 1}/24"), ("decoy0", f"10.99.0.{index + 1}/24")):
        plug = f"{kind[:3]}{index}"
        ip("-n", hub, "link", "add", plug, "type", "veth", "peer", "name", kind, "netns", name)
        ip("-n", hub, "link", "set", plug, "up")
        ip("-n", name, "address", "add", address, "dev", kind)
        ip("-n", name, "link", "set", kind, "up")
    # The decoy's other end stays off the bridge: it is up, and leads nowhere.
    ip("-n", hub, "link", "set", f"eth{index}", "master", "br0")


@contextmanager
def loopback(count: int) -> Iterator[list[Machine]]:
    """As many peers on this machine, each with a home of its own."""
    with tempfile.TemporaryDirectory(prefix="kemps-net-") as scratch:
        made = [Machine(None, "127.0.0.1", Path(scratch) / str(index), []) for index in range(count)]
        try:
            yield made
        finally:
            end_all(made)
