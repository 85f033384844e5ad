"""How fast real peers settle: processes of their own, sockets, signatures and files, on loopback.

Times are wall-clock of a busy machine, so they are told next to a bare CURVE round trip of the same run.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import zmq

from kemps_p2p.errors import RuntimeFault
from kemps_p2p.game.rules import canonical_text, load_rules, override
from kemps_p2p.lab.figures import Spread, spread

LONE_SWAPS = 600
BUSY_SWAPS = 300
ECHOES = 2000
LIMIT_S = 240


@dataclass(frozen=True, slots=True)
class PlayBench:
    """`known_ms`, `final_ms`: one actor, uncontested. `settled_per_s`: all seats swapping at once.

    `next_deal_ms`, `next_hand_ms`: from a deal's last score to the next deal, and until its hands are seen.
    """

    players: int
    actions: int
    settled_per_s: int
    known_ms: Spread
    final_ms: Spread
    next_deal_ms: Spread
    next_hand_ms: Spread
    round_trip_ms: Spread
    log: str


def bench_play(players: int, logs: Path, progress: Callable[[str], None]) -> PlayBench:
    """Two matches, one with a lone actor and one with all acting, between them the bare round trip."""
    progress("bare round trip")
    bare = _echo_ms(ECHOES)
    progress("one actor")
    lone = _match(players, [players // 2 - 1], LONE_SWAPS, logs)
    bare += _echo_ms(ECHOES)
    progress("all acting")
    busy = _match(players, list(range(players)), BUSY_SWAPS, logs)
    known = [value for node in lone for value in node["known_ms"]]
    final = [value for node in lone for value in node["final_ms"]]
    settled = sum(len(node["final_ms"]) for node in busy)
    seconds = max(node["ended_at"] for node in busy) - min(node["began_at"] for node in busy)
    return PlayBench(
        players=players,
        actions=len(final) + settled,
        settled_per_s=round(settled / seconds),
        known_ms=spread(known),
        final_ms=spread(final),
        next_deal_ms=spread([value for node in (*lone, *busy) for value in node["next_deal_ms"]]),
        next_hand_ms=spread([value for node in (*lone, *busy) for value in node["next_hand_ms"]]),
        round_trip_ms=spread(bare),
        log=busy[0]["log"],
    )


def _match(players: int, actors: Sequence[int], swaps: int, logs: Path) -> list[dict]:  # type: ignore[type-arg]
    rules = canonical_text(override(load_rules("kemps"), {"look_ms": 0}))
    with tempfile.TemporaryDirectory(prefix="kemps-bench-") as scratch:
        nodes = []
        for seat in range(players):
            order = {
                "scratch": scratch, "players": players, "seat": seat, "rules": rules,
                "actors": list(actors), "swaps": swaps, "logs": str(logs),
            }  # fmt: skip
            command = [sys.executable, "-m", "kemps_p2p.lab.bench_node", json.dumps(order)]
            nodes.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        try:
            return [_result(node) for node in nodes]
        finally:
            for node in nodes:
                if node.poll() is None:
                    node.kill()
                    node.wait()


def _result(node: "subprocess.Popen[str]") -> dict:  # type: ignore[type-arg]
    said, errors = node.communicate(timeout=LIMIT_S)
    if node.returncode != 0:
        raise RuntimeFault(f"a node of the bench failed: {errors.strip().splitlines()[-1:] or 'silent'}")
    return json.loads(said)  # type: ignore[no-any-return]


def _echo_ms(count: int) -> list[float]:
    """Round trips of a bare CURVE dealer and router in two processes, in milliseconds."""
    public, secret = zmq.curve_keypair()
    server = subprocess.Popen(
        [sys.executable, "-c", _ECHO, public.decode(), secret.decode()], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None, "started with a pipe"
        port = server.stdout.readline().strip()
        with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
            dealer.curve_serverkey = public
            dealer.curve_publickey, dealer.curve_secretkey = zmq.curve_keypair()
            dealer.connect(f"tcp://127.0.0.1:{port}")
            times = []
            for _ in range(count + 50):
                began = perf_counter()
                dealer.send(bytes(300))
                dealer.recv()
                times.append((perf_counter() - began) * 1000)
            dealer.send(b"")
            return times[50:]
    finally:
        server.wait(timeout=10)


_ECHO = """
import sys, zmq
context = zmq.Context()
router = context.socket(zmq.ROUTER)
router.curve_server = True
router.curve_publickey, router.curve_secretkey = (key.encode() for key in sys.argv[1:])
print(router.bind_to_random_port("tcp://127.0.0.1"), flush=True)
while True:
    who, data = router.recv_multipart()
    if not data:
        break
    router.send_multipart([who, data])
router.close(0)
context.term()
"""
