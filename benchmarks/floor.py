"""What a settled claim costs before any rule is asked: the messages of a table of four and nothing else.

Four processes send each other, over the project's own transport, what a table of four sends for one claim:
claim, receipts, entry, acks, as many and as long. Nothing is decided or folded. Then the same with every item
signed and verified, and then with every item written to a file before anything is sent. What the whole
program takes beyond that is its own work.

    python benchmarks/floor.py [CLAIMS]
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from kemps_p2p.codec import decode, encode
from kemps_p2p.lab.bench_play import _echo_ms
from kemps_p2p.lab.figures import spread
from kemps_p2p.ledger.identity import Identity, verify
from kemps_p2p.runtime.node import favour_play
from kemps_p2p.runtime.store import AppendFile
from kemps_p2p.runtime.transport import Arrival, Mesh, PublicKey, new_event_loop

SEATS = 4
ACTOR, ON_DUTY = 1, 3
QUORUM, NEED = 3, 2
BYTES = {"claim": 160, "receipt": 130, "entry": 260, "ack": 130}
"""How long the items of `kemps lab bench play` are, without their signatures."""
LEVELS = ("messages", "and signatures", "and files")
Said = tuple[int, str, int, bytes]
"""Who says what of which claim, and as many bytes more as a real item has."""


class Seat:
    """One process: it answers by rote."""

    def __init__(self, seat: int, level: int, claims: int, path: Path) -> None:
        self.seat, self.level, self.claims = seat, level, claims
        self.keys = [Identity.derived(b"floor", str(each)) for each in range(SEATS)]
        self.file = AppendFile.open(path)
        self.mesh = Mesh(message_bytes_max=1 << 20)
        self.others: list[PublicKey] = []
        self.count: Counter[tuple[str, int]] = Counter()
        self.asked_at = 0.0
        self.known_ms: list[float] = []
        self.final_ms: list[float] = []
        self.done = asyncio.Event()
        self.cpu_s = 0.0

    def say(self, what: str, number: int) -> None:
        """Put it on the way to all others, and count it."""
        raw = encode((self.seat, what, number, bytes(BYTES[what])))
        signature = self.keys[self.seat].sign("floor", raw) if self.level > 0 else bytes(64)
        if self.level > 1:
            self.file.append(encode((raw, signature)))
        for other in self.others:
            self.mesh.send(other, encode((raw, signature)))
        self.take(what, number, self.seat)

    def hear(self, arrivals: list[Arrival]) -> None:
        """Take in what has come."""
        for arrival in arrivals:
            raw, signature = decode(arrival.data, tuple[bytes, bytes])
            seat, what, number, _ = decode(raw, Said)
            if self.level > 0:
                verify(self.keys[seat].public, "floor", raw, signature)
            if self.level > 1:
                self.file.append(arrival.data)
            self.take(what, number, seat)

    def take(self, what: str, number: int, seat: int) -> None:
        """Count it, and answer."""
        self.count[what, number] += 1
        # The entry is its author's ack.
        acks = self.count["entry", number] + self.count["ack", number]
        if what == "claim" and seat != self.seat:
            self.say("receipt", number)
        elif what == "receipt" and self.count[what, number] == NEED:
            if self.seat == ACTOR:
                self.known_ms.append((time.perf_counter() - self.asked_at) * 1000)
            if self.seat == ON_DUTY:
                self.say("entry", number)
        elif what == "entry" and seat != self.seat:
            self.say("ack", number)
        if what in ("entry", "ack") and acks == QUORUM:
            self.settle(number)

    def settle(self, number: int) -> None:
        """It is final here."""
        if self.level > 1:
            self.file.append(encode(bytes(sum(BYTES.values()))))
        if self.seat == ACTOR:
            self.final_ms.append((time.perf_counter() - self.asked_at) * 1000)
        if number + 1 == self.claims:
            self.done.set()
        elif self.seat == ACTOR:
            self.ask(number + 1)

    def ask(self, number: int) -> None:
        """Claim something."""
        self.asked_at = time.perf_counter()
        self.say("claim", number)

    async def play(self) -> None:
        """Find the others, then settle one claim after the other."""
        await self.mesh.open()
        print(json.dumps([self.mesh.public_key.hex(), self.mesh.address]), flush=True)
        table = [
            (PublicKey(bytes.fromhex(key)), address) for key, address in json.loads(sys.stdin.readline())
        ]
        del table[self.seat]
        self.others = [key for key, _ in table]
        self.mesh.admit(dict(table))
        self.mesh.deliver(self.hear)
        await asyncio.sleep(1.0)
        favour_play()
        began_s = time.process_time()
        if self.seat == ACTOR:
            self.ask(0)
        await self.done.wait()
        self.cpu_s = time.process_time() - began_s
        await asyncio.sleep(0.3)
        await self.mesh.close()
        self.file.close()


def node(seat: int, level: int, claims: int, path: str) -> None:
    """One process of a match."""
    me = Seat(seat, level, claims, Path(path))
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(me.play())
    print(json.dumps([me.known_ms, me.final_ms, me.cpu_s]))


def match(level: int, claims: int) -> None:
    """Four processes settle that many claims, one after the other."""
    with tempfile.TemporaryDirectory() as scratch:
        orders = [[str(seat), str(level), str(claims), f"{scratch}/{seat}"] for seat in range(SEATS)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        nodes = [subprocess.Popen([sys.executable, __file__, *order], **pipes) for order in orders]
        table = json.dumps([json.loads(node.stdout.readline()) for node in nodes])
        for node in nodes:
            node.stdin.write(table + "\n")
            node.stdin.flush()
        said = [json.loads(node.communicate()[0]) for node in nodes]
    known, final = spread(said[ACTOR][0]), spread(said[ACTOR][1])
    cpu_ms = sum(each[2] for each in said) * 1000 / claims
    print(f"{LEVELS[level]:16} known {known}  final {final}  processor {cpu_ms:.2f} ms a claim")


def main() -> None:
    """Every level in turn, or one process of one."""
    if len(sys.argv) > 2:
        node(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
        return
    claims = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    print("bare round trip", spread(_echo_ms(2000)))
    for level in range(len(LEVELS)):
        match(level, claims)


if __name__ == "__main__":
    main()
