"""The join port of a table: lets in who knows the code, until all seats are taken, and then draws the seats.

Knows nothing of screens: what happens is told. Invariants:

1. A seat is given only to who has proven to know the code and has signed this very connection.
2. A guess counts as soon as it is wrong, however many are made at once. A used up code lets nobody in.
3. Who hangs up, falls silent or does not read loses its seat before the draw, and holds up nobody.
4. The first who comes to watch is the observer; whoever else does sees the log as it grows, and nothing else.

Section "Joining" of protocol.md.
"""

import asyncio
import errno
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.errors import NotSeated, PortTaken, Unreachable, Unwelcome
from kemps_p2p.game.rules import RuleSet, canonical_text
from kemps_p2p.runtime.addresses import Place, everywhere
from kemps_p2p.runtime.again import is_of_table
from kemps_p2p.runtime.gathering import (
    SILENCE_S,
    STEP_S,
    Came,
    Draw,
    Drawing,
    Entropy,
    Gathered,
    Newcomer,
    Went,
    check_known,
    read_other,
)
from kemps_p2p.runtime.guesses import Guesses, neighbourhood
from kemps_p2p.runtime.guests import (
    BOT,
    LOT_BYTES,
    Again,
    Bound,
    Gather,
    Guest,
    Guests,
    Here,
    Lot,
    Present,
    Rules,
    Show,
    SignedGuest,
    bind,
    check_bound,
    check_seats_differ,
    lot_commitment,
)
from kemps_p2p.runtime.handshake import Ask, Confirm, HostSide, Keys, Knock, Notice
from kemps_p2p.runtime.showing import LogShown
from kemps_p2p.runtime.transport import Mesh, now_ms
from kemps_p2p.runtime.visits import Visit
from kemps_p2p.runtime.wire import HERE_S, Wire, signs_of_life, system_word
from kemps_p2p.wording.words import CODE_ENTROPY_BYTES, Code, code_of, fingerprint, table_number

CONNECTIONS_MAX = 64
WATCHING_MAX = 16
"""Who comes to watch, the observer included."""
ADDRESS_CONNECTIONS_MAX = 24


@dataclass(frozen=True, slots=True)
class Plan:
    """What a host invites to. `rules_name`: what it calls the rule set; `bots`: seats kept for them."""

    table: str
    players: int
    rules: RuleSet
    rules_name: str
    bots: int


@dataclass(frozen=True, slots=True)
class CodeDrawn:
    """A code to tell those who are invited; `is_new`: ten guesses have used up the one before."""

    code: Code
    is_new: bool


@dataclass(frozen=True, slots=True)
class SentAway:
    """Somebody at an address was not let in, and why. `guesses`: wrong ones at the present code."""

    host: str
    why: NotSeated
    guesses: int


HostNews: TypeAlias = Came | Went | Drawing | CodeDrawn | SentAway


class Host:
    """A host's end of every join. `open` first; then `gathered` waits for a full table; `close` at last."""

    def __init__(
        self,
        plan: Plan,
        me: Newcomer,
        mesh: Mesh,
        tell: Callable[[HostNews], None],
        entropy: Entropy = secrets.token_bytes,
    ) -> None:
        self._plan, self._me, self._mesh, self._tell, self._entropy = plan, me, mesh, tell, entropy
        self.place = Place("", 0)
        self.is_announced = False
        self._number = table_number(entropy(CODE_ENTROPY_BYTES))
        self._code = self._drawn_code()
        self._guesses = Guesses()
        self._visits: list[Visit] = []
        self._changed = asyncio.Event()
        self._company: tuple[SignedGuest, ...] = ()
        self._log: LogShown | None = None
        self._again: Again | None = None
        self._is_drawing = False
        self._is_open = True
        self._rounds = 0
        self._servers: list[asyncio.Server] = []
        self._serving: set[asyncio.Task[None]] = set()
        self._wires: set[Wire] = set()
        self._ticking: asyncio.Task[None] | None = None

    @property
    def code(self) -> Code:
        """The code that lets in now."""
        return self._code

    @property
    def notice(self) -> Notice:
        """What anybody may know."""
        return Notice(
            table=self._plan.table,
            number=self._number,
            players=self._plan.players,
            taken=self._taken,
            rules=self._plan.rules_name,
            rules_digest=rules_digest(self._plan.rules),
            host=fingerprint(self._me.identity.public),
            is_open=int(self._is_open),
            is_announced=int(self.is_announced),
        )

    async def open(self, bind: str, port: int) -> None:
        """Listen. Raises `PortTaken`, and may be asked again then; or `Unreachable` for a foreign address."""
        self.place = Place(bind, port)
        # One socket takes one kind of address only.
        for host in (bind, everywhere("0.0.0.0")) if bind == everywhere("::") else (bind,):
            try:
                server = await asyncio.start_server(self._accept, host, self.place.port)
            except OSError as error:
                for listening in self._servers:
                    listening.close()
                self._servers.clear()
                kind = PortTaken if error.errno == errno.EADDRINUSE else Unreachable
                raise kind(f"cannot listen on {self.place}: {system_word(error)}") from None
            self._servers.append(server)
            self.place = Place(bind, int(server.sockets[0].getsockname()[1]))
        self._ticking = asyncio.create_task(self._tick())
        self._tell(CodeDrawn(self._code, is_new=False))

    async def gathered(self) -> Gathered:
        """Wait until all seats are taken by people and bots who are still there, and draw the seats."""
        while True:
            while self._taken < self._plan.players:
                self._changed.clear()
                await self._changed.wait()
            self._is_drawing = True
            try:
                gathered = await self._draw(self._at_table())
            except Unreachable:
                # Somebody went. The others wait on, with fresh lots when it is their turn again.
                self._is_drawing = False
                self._say_who_is_here()
                continue
            self._is_open = False
            return gathered

    def show(self, log: Path, again: Again | None) -> None:
        """The match has begun, and this is its log: whoever watches it sees it from now on.

        `again`: what is shown to who sits at the table and comes again without its files.
        """
        self._log, self._again = LogShown(log), again
        for visit in self._visits:
            self._show_to(visit)

    def _show_to(self, visit: Visit) -> None:
        if self._log is not None and visit.guest.is_watching and not visit.is_shown:
            visit.is_shown = True
            self._log.to(visit.wire)

    async def close(self) -> None:
        """Stop listening and send everybody away who still waits; who watches sees the log to its end."""
        if self._log is not None:
            await self._log.end()
        if self._ticking is not None:
            self._ticking.cancel()
        for server in self._servers:
            server.close()
        self._is_open = False
        visits = tuple(self._visits)
        # Those who serve them listen until now, and one at a time may.
        for task in tuple(self._serving):
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        await asyncio.gather(*(visit.wire.leave() for visit in visits))

    def _drawn_code(self) -> Code:
        return code_of(self._number, self._entropy(CODE_ENTROPY_BYTES))

    @property
    def _taken(self) -> int:
        """Seats that are taken: the host's own, and one for each visit that does not only watch."""
        return 1 + sum(not visit.guest.is_watching for visit in self._visits)

    def _at_table(self) -> tuple[Visit, ...]:
        """Who takes part besides the host: those who sit, and the first who came to watch."""
        seated = [visit for visit in self._visits if not visit.guest.is_watching]
        watching = [visit for visit in self._visits if visit.guest.is_watching]
        return (*seated, *watching[:1])

    # Connections

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = Wire(reader, writer)
        near = sum(neighbourhood(other.other_host) == neighbourhood(wire.other_host) for other in self._wires)
        if len(self._wires) >= CONNECTIONS_MAX or near >= ADDRESS_CONNECTIONS_MAX:
            wire.abort()
            return
        self._wires.add(wire)
        # A task of our own, since asyncio complains aloud when those that it makes are cancelled.
        task = asyncio.create_task(self._serve(wire))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        task.add_done_callback(lambda _: self._wires.discard(wire))

    async def _serve(self, wire: Wire) -> None:
        try:
            await self._receive(wire)
        except NotSeated as why:
            self._tell(SentAway(wire.other_host, why, self._guesses.wrong_count))
            await wire.refuse(why)
        except (Unreachable, TimeoutError):
            # Whoever hangs up or keeps us waiting has said all that there is to say.
            await wire.close()

    async def _receive(self, wire: Wire) -> None:
        async with asyncio.timeout(STEP_S):
            first = await wire.hear_clear()
            if isinstance(first, Ask):
                wire.say_clear(self.notice)
                await wire.close()
                return
            if not isinstance(first, Knock):
                raise NotSeated(Unwelcome.BAD_WORDS, "neither a question nor a knock")
            keys = await self._agreed(wire, first)
            wire.say(
                Rules(
                    table=self._plan.table,
                    players=self._plan.players,
                    rules=canonical_text(self._plan.rules),
                )
            )
            present = await wire.hear()
            if not isinstance(present, Present):
                raise NotSeated(Unwelcome.BAD_WORDS, "no introduction")
        visit = await self._introduced(wire, keys, present.guest)
        if visit is None:
            await wire.close()
            return
        try:
            while True:
                words = await wire.hear()
                visit.heard_at_ms = now_ms()
                if isinstance(words, Lot | Show):
                    visit.said.put_nowait(words)
                elif not isinstance(words, Here):
                    raise NotSeated(Unwelcome.BAD_WORDS, "words out of turn")
        finally:
            self._part(visit)

    async def _agreed(self, wire: Wire, knock: Knock) -> Keys:
        """Find out whether the other side knows the code. Raises `NotSeated`."""
        # A match that is under way can be watched.
        if not self._is_open and self._log is None:
            raise NotSeated(Unwelcome.TABLE_PLAYING)
        self._guesses.check(wire.other_host, now_ms())
        code = self._code
        side = HostSide(code, self._entropy)
        wire.say_clear(side.knocked(knock))
        confirm = await wire.hear_clear()
        if not isinstance(confirm, Confirm):
            raise NotSeated(Unwelcome.BAD_WORDS, "no proof of the code")
        # Asked again, since many may have knocked before the first of them was wrong.
        self._guesses.check(wire.other_host, now_ms())
        try:
            own, keys = side.confirmed(confirm)
        except NotSeated:
            if code == self._code and self._guesses.wrong(wire.other_host, now_ms()):
                self._code = self._drawn_code()
                self._tell(CodeDrawn(self._code, is_new=True))
            raise
        wire.say_clear(own)
        wire.seal(sends=keys.host, receives=keys.joiner)
        return keys

    async def _introduced(self, wire: Wire, keys: Keys, signed: SignedGuest) -> Visit | None:
        """Hear who comes, and give it a seat; None for who has one, and comes again. Raises `NotSeated`."""
        guest = read_other(signed)
        self._check_room(guest)
        async with signs_of_life(wire):
            await check_known(self._me, guest)
        async with asyncio.timeout(STEP_S):
            own = self._me.guest(self._mesh, wire.own_host, self._plan.players)
            wire.say(Present(guest=own))
            while isinstance(bound := await wire.hear(), Here):
                pass
            if not isinstance(bound, Bound):
                raise NotSeated(Unwelcome.BAD_WORDS, "no signature under this join")
            check_bound(bound, guest, keys, signed, own)
        # The last seat may have gone meanwhile.
        self._check_room(guest)
        wire.say(bind(self._me.identity, keys, signed, own))
        if (again := self._shown_again(guest)) is not None:
            wire.say(again)
            return None
        visit = Visit(wire, guest, signed, own)
        self._visits.append(visit)
        self._tell(Came(guest, self._taken, self._plan.players))
        self._say_who_is_here()
        self._show_to(visit)
        return visit

    def _check_room(self, guest: Guest) -> None:
        """Raise `NotSeated` unless there is a seat for this guest, or a place to watch from."""
        if guest.is_watching:
            if sum(visit.guest.is_watching for visit in self._visits) >= WATCHING_MAX:
                raise NotSeated(Unwelcome.TABLE_FULL)
            self._check_differs(guest)
            return
        if self._shown_again(guest) is not None:
            return
        if not self._is_open:
            raise NotSeated(Unwelcome.TABLE_PLAYING)
        kept = self._plan.bots - sum(visit.guest.player == BOT for visit in self._visits)
        free = self._plan.players - self._taken
        if free <= (0 if guest.player == BOT else max(kept, 0)):
            raise NotSeated(Unwelcome.TABLE_FULL)
        self._check_differs(guest)

    def _shown_again(self, guest: Guest) -> Again | None:
        """What is shown to a guest that sits in the running match already; None for all others."""
        is_back = self._again is not None and not guest.is_watching and is_of_table(guest, self._again)
        return self._again if is_back else None

    def _check_differs(self, guest: Guest) -> None:
        if guest.contact.players != self._plan.players:
            raise NotSeated(Unwelcome.BAD_WORDS, "a guest for another table")
        own = read_other(self._me.guest(self._mesh, self.place.host, self._plan.players))
        check_seats_differ([own, *(visit.guest for visit in self._visits), guest])

    def _part(self, visit: Visit) -> None:
        self._visits.remove(visit)
        visit.said.put_nowait(None)
        if self._is_open:
            self._tell(Went(visit.guest.name, self._taken, self._plan.players))
            if not self._is_drawing:
                self._say_who_is_here()

    def _say_who_is_here(self) -> None:
        company = [other.signed for other in self._at_table()] if self._is_open else self._company
        for visit in self._visits:
            visit.wire.say(Guests(guests=self._guests_for(visit, company)))
        self._changed.set()

    @staticmethod
    def _guests_for(visit: Visit, company: Sequence[SignedGuest]) -> tuple[SignedGuest, ...]:
        """Everybody, the host first, with the address at which this visit has reached us; and the visit."""
        others = [] if visit.signed in company else [visit.signed]
        return (visit.host, *company, *others)

    async def _tick(self) -> None:
        """Say that we are there, and cut off who has not been heard for too long."""
        while True:
            await asyncio.sleep(HERE_S)
            for visit in self._visits:
                visit.wire.say(Here())
                if now_ms() - visit.heard_at_ms > SILENCE_S * 1000:
                    visit.wire.abort()

    # Drawing the seats

    async def _draw(self, visits: tuple[Visit, ...]) -> Gathered:
        """Let all draw, each bound to its lot before any is shown. Raises `Unreachable` if somebody goes."""
        self._tell(Drawing())
        self._rounds += 1
        own = read_other(self._me.guest(self._mesh, self.place.host, self._plan.players))
        people = [own, *(visit.guest for visit in visits)]
        draw = Draw(self._rounds, people, 0, self._entropy(LOT_BYTES))
        self._company = tuple(visit.signed for visit in visits)
        for visit in visits:
            visit.wire.say(Gather(round=draw.round, guests=self._guests_for(visit, self._company)))
        commitments = [draw.commitment, *[await self._commitment(visit, draw.round) for visit in visits]]
        draw.commit(tuple(commitments))
        for visit in visits:
            visit.wire.say(Lot(round=draw.round, commitments=tuple(commitments)))
        shown = zip(visits, commitments[1:], strict=True)
        lots = (draw.lot, *[await self._lot(visit, draw.round, bound) for visit, bound in shown])
        for visit in visits:
            visit.wire.say(Show(round=draw.round, lots=lots))
        table, names = draw.seat(lots)
        return Gathered(table, names, self._plan.rules, self._mesh, tuple(people))

    async def _commitment(self, visit: Visit, number: int) -> Digest:
        match await visit.drawn(number):
            case Lot(commitments=(commitment,)):
                return commitment
            case _:
                raise visit.cut_off()

    async def _lot(self, visit: Visit, number: int, commitment: Digest) -> bytes:
        match await visit.drawn(number):
            case Show(lots=(lot,)) if len(lot) == LOT_BYTES and lot_commitment(lot) == commitment:
                return lot
            case _:
                raise visit.cut_off()


def rules_digest(rules: RuleSet) -> str:
    """Names a rule set in a notice: 16 hexadecimal digits."""
    return tagged_hash("kemps/v1/rules", canonical_text(rules).encode()).hex()[:16]
