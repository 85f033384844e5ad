"""A seat that floods another with junk, by its own good link and from outside. Started by the test.

`beside`: it plays as well. `instead`: it says nothing of its own once the match has begun, so that its tape
is its junk. Prints how many messages it has sent as one JSON object, when that is enough or the match over.
"""

import asyncio
import json
import os
import socket
import sys
import traceback
from pathlib import Path
from random import Random

from junk import Junk, SignedJunk

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.rules import read_rules
from kemps_p2p.ledger.tape import open_item
from kemps_p2p.runtime import node
from kemps_p2p.runtime.node import NodeConfig, run_node
from kemps_p2p.runtime.profile import own_identity
from kemps_p2p.runtime.transport import Arrival, Mesh, PublicKey
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import MESSAGE_BYTES_MAX, Batch, Message, read_message
from kemps_p2p.session.session import Session

ORDER = json.loads(sys.argv[1])
SCRATCH, HOME = Path(ORDER["scratch"]), Path(ORDER["scratch"]) / "home-3"
BURST = 40
KNOCKS_AT_ONCE = 20


class Flood:
    """What is sent, to whom, and how much of it by now."""

    def __init__(self) -> None:
        self.random = Random(ORDER["seed"])
        self.junk = Junk(self.random)
        self.signed: SignedJunk | None = None
        self.mesh: Mesh | None = None
        self.session: Session | None = None
        self.is_pouring = False
        self.sent = {"stranger": 0, "unsigned": 0, "signed": 0, "following": 0}

    @property
    def is_enough(self) -> bool:
        return sum(self.sent.values()) >= int(ORDER["messages"])

    def begin(self, session: Session) -> None:
        founding = session.play.founding
        self.session = session
        self.signed = SignedJunk(self.random, own_identity(HOME), founding.match, 3)
        self.signed.seen = self.junk.seen

    def meet(self, message: Message) -> None:
        """Learn names from what others say."""
        if isinstance(message, Batch) and self.signed is not None and self.session is not None:
            founding = self.session.play.founding
            for each in message.items:
                try:
                    self.signed.meet(open_item(each, founding.match, founding.signers))
                except PeerFault:
                    continue

    def one(self) -> tuple[str, bytes]:
        if self.signed is None or self.random.random() < 1 / 3:
            return "unsigned", self.junk.unsigned()
        # At its own place on its tape nothing fits that is not its own; that is shown now and then.
        if ORDER["mode"] == "instead" and self.random.random() < 0.5:
            return "following", self.signed.following()
        return "signed", self.signed.signed()

    async def pour(self, mesh: Mesh, victim: PublicKey) -> None:
        while not self.is_enough:
            for _ in range(BURST):
                sort, data = self.one()
                self.is_pouring = True
                is_sent = len(data) <= MESSAGE_BYTES_MAX and mesh.send(victim, data)
                self.is_pouring = False
                self.sent[sort] += is_sent
                if not is_sent:
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0)
        sys.stdout.write(json.dumps(self.sent) + "\n")
        sys.stdout.flush()

    def knock(self, address: str) -> None:
        """From outside, without a key: noise, and the greeting of a client that is none."""
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
        for _ in range(KNOCKS_AT_ONCE):
            try:
                with socket.create_connection((host, int(port)), timeout=1) as line:
                    noise = self.random.randbytes(self.random.randrange(1, 200))
                    line.sendall(self.random.choice((noise, greeting + noise, greeting[: len(noise)])))
            except OSError:
                continue
            self.sent["stranger"] += 1

    async def knocks(self, address: str) -> None:
        while not self.is_enough:
            if self.sent["stranger"] * 4 <= sum(self.sent.values()):
                await asyncio.to_thread(self.knock, address)
            await asyncio.sleep(0.001)


FLOOD = Flood()


def check(done: "asyncio.Task[None]") -> None:
    """A flood that breaks off is a bug of this test."""
    if not done.cancelled() and (error := done.exception()) is not None:
        traceback.print_exception(error)
        os._exit(1)


class Flooding(Mesh):
    """A mesh beside which the flood goes out as soon as there is somebody to send it to."""

    def admit(self, peers: "dict[PublicKey, str | None]") -> None:  # type: ignore[override]
        super().admit(peers)
        if FLOOD.mesh is None:
            FLOOD.mesh = self
            victim = next(iter(peers))
            address = peers[victim]
            assert address is not None
            loop = asyncio.get_running_loop()
            self.flooding = [
                loop.create_task(FLOOD.pour(self, victim)),
                loop.create_task(FLOOD.knocks(address)),
            ]
            for task in self.flooding:
                task.add_done_callback(check)

    def send(self, peer: PublicKey, data: bytes) -> bool:
        is_own = FLOOD.signed is not None and not FLOOD.is_pouring
        if is_own and ORDER["mode"] == "instead" and isinstance(read_message(data), Batch):
            return True
        return super().send(peer, data)

    def deliver(self, handler) -> None:  # type: ignore[no-untyped-def]
        def listen(arrivals: list[Arrival]) -> None:
            for arrival in arrivals:
                FLOOD.junk.seen.append(arrival.data)
                FLOOD.meet(read_message(arrival.data))
            handler(arrivals)

        super().deliver(None if handler is None else listen)


def main() -> None:
    rules = read_rules(ORDER["rules"])
    vars(node)["Mesh"] = Flooding

    def watch(session: Session, sight: fx.Sight) -> None:
        if isinstance(sight, fx.TableFormed):
            FLOOD.begin(session)

    config = NodeConfig(
        name="Junk", place=SCRATCH / "meeting", players=4, wish=3, rules=rules, bind="tcp://127.0.0.1:0",
        home=HOME, logs=SCRATCH / "logs", meet_s=60, give_up_s=7200,
    )  # fmt: skip
    run_node(config, lambda seat, rng: Bot(seat, 4, rng, Pace.FAST), watch)
    sys.stdout.write(json.dumps(FLOOD.sent) + "\n")


if __name__ == "__main__":
    main()
