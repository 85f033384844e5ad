"""Golden logs: `PYTHONPATH=.:tests/runtime python tests/golden/make_golden.py NAME...` plays their matches.

The log of one player is kept, with what an audit says of it today. A log that is there is never made again:
what lies in this folder, every later version has to read as it is.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from golden_form import FOLDER, INDEX, read_index, told_of
from process_helpers import KEMPS, kemps, node

from kemps_p2p import __version__
from kemps_p2p.codec import frame
from kemps_p2p.errors import Illegal
from kemps_p2p.game.events import Settled
from kemps_p2p.runtime.launch import NAMES, OBSERVER_NAME
from kemps_p2p.session.audit import audit

LIMIT_S = 150
ENTRY = 30
"""In the first deal, when play is on."""
STOPPED_S = 5


def seated(
    place: Path, rules: str, players: int = 4, *, observed: bool = False
) -> "list[subprocess.Popen[str]]":
    """The processes of a table, each with its own home, and the observer's at the end."""
    file = place / "rules.toml"
    file.write_text(rules, encoding="utf-8")
    table = [
        "--players",
        str(players),
        "--rules",
        str(file),
        "--events",
        *(["--observed"] if observed else []),
    ]
    peers = [node(place, seat, "--name", NAMES[seat], *table) for seat in range(players)]
    if observed:
        arguments = [
            "node", "--meet", str(place / "meeting"), "--watch", "--name", OBSERVER_NAME, *table,
            "--home", str(place / "home-observer"), "--out", str(place / "logs"),
        ]  # fmt: skip
        peers.append(
            subprocess.Popen([*KEMPS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
    return peers


def wait_for(peer: "subprocess.Popen[str]", what: str, entry: int = 0) -> None:
    """Until a peer tells of something, or that its log has come so far."""
    assert peer.stdout is not None
    told = (event for event in map(json.loads, peer.stdout) if event["event"] == what)
    if not any(event.get("entry", entry) >= entry for event in told):
        raise AssertionError(f"it ended before: {peer.communicate(timeout=LIMIT_S)[1]}")


def come_back(home: Path) -> "subprocess.Popen[str]":
    """Start the process of a player again that was killed."""
    again = ["rejoin", "--bot", "--pace", "fast", "--home", str(home)]
    return subprocess.Popen([*KEMPS, *again], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def log_of(place: Path) -> Path:
    """The log of seat 0; all logs of a match have the same chain."""
    return next((place / "logs").glob("*seat0.kemps"))


def finished(peers: "list[subprocess.Popen[str]]", place: Path) -> bytes:
    """The log, once all have ended well."""
    for peer in peers:
        _, said = peer.communicate(timeout=LIMIT_S)
        assert peer.returncode == 0, said
    return log_of(place).read_bytes()


def match(rules: str, players: int = 4, *, observed: bool = False) -> Callable[[Path], bytes]:
    """A match that nothing disturbs."""
    return lambda place: finished(seated(place, rules, players, observed=observed), place)


def handed_over(place: Path) -> bytes:
    """Whoever orders is stopped for a while, so that the next seat takes over."""
    peers = seated(place, SHORT)
    wait_for(peers[0], "moved", ENTRY)
    on_duty = audit(log_of(place).read_bytes()).match
    assert on_duty is not None
    stopped = peers[on_duty.on_duty]
    stopped.send_signal(signal.SIGSTOP)
    time.sleep(STOPPED_S)
    stopped.send_signal(signal.SIGCONT)
    return finished(peers, place)


def restarted(place: Path) -> bytes:
    """A player's process is killed in a deal, and comes back to its seat."""
    peers = seated(place, SHORT)
    wait_for(peers[2], "moved", ENTRY)
    os.kill(peers[2].pid, signal.SIGKILL)
    peers[2].communicate(timeout=LIMIT_S)
    peers[2] = come_back(place / "home-2")
    return finished(peers, place)


def absent(place: Path) -> bytes:
    """A player's process is killed in a deal, voted absent by the others, and comes back for the next one."""
    peers = seated(place, SHORT)
    wait_for(peers[3], "moved", ENTRY)
    os.kill(peers[3].pid, signal.SIGKILL)
    peers[3].communicate(timeout=LIMIT_S)
    wait_for(peers[0], "absent")
    peers[3] = come_back(place / "home-3")
    return finished(peers, place)


def broken_off(place: Path) -> bytes:
    """All processes are killed in the middle of a deal: what is on the disk then."""
    peers = seated(place, SHORT)
    wait_for(peers[0], "moved", ENTRY)
    for peer in peers:
        os.kill(peer.pid, signal.SIGKILL)
    for peer in peers:
        peer.communicate(timeout=LIMIT_S)
    return log_of(place).read_bytes()


def redacted(place: Path) -> bytes:
    """The log of the book `kent` without the names."""
    out = place / "redacted.kemps"
    done = kemps("log", "redact", str(FOLDER / "kent.kemps"), str(out))
    assert done.returncode == 0, done.stderr
    return out.read_bytes()


def late_call(place: Path) -> bytes:
    """The first deals of six players, one of whom calls when another has called already."""
    for number in count():
        table = place / str(number)
        table.mkdir()
        log = match('base = "kemps"\nlook_ms = 0\n', 6)(table)
        for step in audit(log).steps:
            for event in (event for part in step.parts for event in part.events):
                if isinstance(event, Settled) and event.reason is Illegal.DEAL_OVER:
                    # The header and the genesis come before the entries; a few more than are needed stay.
                    return b"".join(frame(log).objects[: 2 + step.record.entry.index + 4])
    raise AssertionError("counts for ever")


LOOK = "look_ms = 200\n"
SHORT = f'base = "kemps"\nword = "K"\n{LOOK}'
LONGER = f'base = "kemps"\nword = "KE"\n{LOOK}'
LOGS: Mapping[str, tuple[str, Callable[[Path], bytes]]] = {
    "kemps": ("the book kemps, to two letters", match(LONGER)),
    "kent": ("the book kent, to one letter", match(f'base = "kent"\nword = "K"\n{LOOK}')),
    "chaulcer": ("the book chaulcer, to one point", match(f'base = "chaulcer"\ngoal = 1\n{LOOK}')),
    "kems": ("the book kems, to two points", match(f'base = "kems"\ngoal = 2\n{LOOK}')),
    "cash": ("the book cash, to one point", match('base = "cash"\ngoal = 1\n')),
    "six": ("six players", match(SHORT, 6)),
    "observed": ("with an observer", match(SHORT, observed=True)),
    "handed-over": ("the ordering duty passed on to another seat", handed_over),
    "restarted": ("a player's process was killed and came back", restarted),
    "absent": ("a player was voted absent, and came back for the next deal", absent),
    "late-call": ("a call that came when another had been called, and no end", late_call),
    "broken-off": ("all processes were killed in a deal", broken_off),
    "redacted": ("the log of kent without the names", redacted),
}
"""What each log is, and how it is made."""


def make(name: str) -> None:
    """Play the match of a log, and write down what is said of it."""
    path = FOLDER / f"{name}.kemps"
    if path.exists():
        sys.exit(f"{path} is there already, and stays as it is")
    what, played = LOGS[name]
    with tempfile.TemporaryDirectory(prefix="golden-") as place:
        path.write_bytes(played(Path(place)))
    log = path.read_bytes()
    made = {
        "file": path.name,
        "what": what,
        "made_by": __version__,
        "sha256": hashlib.sha256(log).hexdigest(),
    }
    index = [*read_index(), made | told_of(log)]
    INDEX.write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for asked in sys.argv[1:] or [name for name in LOGS if not (FOLDER / f"{name}.kemps").exists()]:
        make(asked)
