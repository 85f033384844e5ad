"""The bots that a person runs for absent players: drawn when they are offered, started once they sit.

Each is a peer process of its own, with an identity, a secret and CURVE keys of its own. Invariant:

1. Nothing of a bot is on disk, and no process runs, before the table has given it the seat.

Section "Stand-ins" of protocol.md.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from kemps_p2p.codec import encode
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.bot_nodes import BotNodes
from kemps_p2p.runtime.files import SecretFile
from kemps_p2p.runtime.meeting import Table
from kemps_p2p.runtime.profile import SECRET_BYTES, MatchFiles, new_match_files
from kemps_p2p.runtime.store import AppendFile, make_directory
from kemps_p2p.runtime.wayback import Came, WayBack, start_of
from kemps_p2p.runtime.zap import CurveKeys
from kemps_p2p.session.journal import read_journal, setup_from


@dataclass(frozen=True, slots=True)
class Program:
    """What one bot is to play with: the seed of its identity, its secret of the match, its CURVE keys."""

    identity: bytes
    secret: bytes
    curve: CurveKeys

    @property
    def signs(self) -> tuple[Identity, bytes]:
        """What its machine signs and plays with."""
        return Identity(self.identity), self.secret


@dataclass(slots=True)
class StandIns:
    """Those of one seat. `bots`: runs their processes; `way_back`: how the others know this table."""

    bots: BotNodes
    homes: Path
    table: Table
    way_back: WayBack
    _drawn: dict[bytes, Program] = field(default_factory=dict)
    _started: set[bytes] = field(default_factory=set)
    _starts: list[asyncio.Task[None]] = field(default_factory=list)
    _ends: list[asyncio.Task[str | None]] = field(default_factory=list)

    def draw(self) -> Program:
        """Draw what a bot that is offered now would play with."""
        seed, secret = secrets.token_bytes(SECRET_BYTES), secrets.token_bytes(SECRET_BYTES)
        program = Program(seed, secret, CurveKeys.generate())
        self._drawn[program.signs[0].public] = program
        return program

    def start(self, seat: Seat, key: bytes, failed: Callable[[Seat, str], None]) -> None:
        """Start the bot with this key, which this seat has offered, since the seat is its own now; once.

        `failed`: told why it does not start, or has ended other than in good order.
        """
        home = self.homes / f"stand-in-{key.hex()[:16]}"
        if key in self._started or home.exists():
            # An earlier run of this program has started it, and this one has brought it back.
            return
        self._started.add(key)
        if key in self._drawn:
            starting = self._start(home, seat, self._drawn[key], lambda text: failed(seat, text))
            self._starts.append(asyncio.get_running_loop().create_task(starting))
        else:
            failed(seat, "it was offered by an earlier run of this program, and has gone with it")

    async def _start(self, home: Path, seat: Seat, program: Program, failed: Callable[[str], None]) -> None:
        try:
            end = await self.bots.stand_in(home, self._write(home, seat, program))
        except RuntimeFault as fault:
            failed(str(fault))
            return

        def tell(ended: asyncio.Task[str | None]) -> None:
            said = None if ended.cancelled() else ended.result()
            if said is not None:
                failed(said)

        end.add_done_callback(tell)
        self._ends.append(end)

    def _write(self, home: Path, seat: Seat, program: Program) -> str:
        """What the bot comes to the table with, as one that comes back does; the match."""
        make_directory(home)
        SecretFile(home / "identity").write(program.identity)
        heading = read_journal(start_of(self.way_back.journal))
        files: MatchFiles = new_match_files(home, program.secret)
        identity, secret = program.signs
        setup = setup_from(heading, identity, secret, seat)
        own = program.curve.public
        curves = (*self.table.curves[:seat], own, *self.table.curves[seat + 1 :])
        # It tells where it listens once it does.
        table = Table(setup.roster, curves, {**self.table.addresses, own: ""}, self.table.observer)
        way_back = WayBack(program.curve, self.way_back.address)
        way_back.keep(files, setup, table, home / "logs", Came.STANDING_IN)
        if self.way_back.kept is not None:
            way_back.moved(self.way_back.kept[1].moved)
        journal = AppendFile.open(files.journal)
        try:
            journal.append(b"".join((encode(heading.signed), encode(heading.remembered))))
        finally:
            journal.close()
        return heading.founding.match.hex()

    async def started(self) -> None:
        """Wait until all that were to start have, or it has been told why one does not."""
        await asyncio.gather(*self._starts)
