"""A table of machines on a perfect network and a virtual clock, without bots: a test plays the seats."""

from collections import deque
from collections.abc import Callable

from msgspec import structs

from kemps_p2p.codec import decode, derive, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Action, Next
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import RuleSet, load_rules, override
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Entry, Event
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import Append, Item, Statement, TapeItem, TapeWriter, tape_writer
from kemps_p2p.session import effects as fx
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import Batch, pack, read_message
from kemps_p2p.session.ordering import entry_after
from kemps_p2p.session.play import Play
from kemps_p2p.session.session import Session

STUB = "stub-insecure"
WALL_MS = 1_700_000_000_000
RULES = override(load_rules("kemps"), {"look_ms": 0, "word": "KE"})


def identity(seat: int, root: bytes = b"session tests") -> Identity:
    return Identity.derived(root, str(seat))


def setup(
    seat: int, *, rules: RuleSet = RULES, players: int = 4, name: str | None = None, observers: int = 0
) -> Setup:
    return Setup(
        identity=identity(seat),
        seat=Seat(seat),
        roster=tuple(identity(other).public for other in range(players)),
        meeting=bytes(32),
        name=f"Seat {seat}" if name is None else name,
        rules=rules,
        group=STUB,
        secret=derive("test/secret", bytes([seat]))[:32],
        observer=identity(players).public if observers else None,
    )


class Table:
    """Machines whose messages arrive at once and in order, unless `drops` says otherwise."""

    def __init__(self, rules: RuleSet = RULES, players: int = 4, observers: int = 0) -> None:
        self.now_ms = 0
        peers = range(players + observers)
        self.sessions = [
            Session(setup(seat, rules=rules, players=players, observers=observers)) for seat in peers
        ]
        self.sights: list[list[fx.Sight]] = [[] for _ in peers]
        self.appended: list[list[fx.Append]] = [[] for _ in peers]
        self.drops: Callable[[int, int, bytes], bool] = lambda sender, receiver, data: False
        self._queue: deque[tuple[int, int, bytes]] = deque()
        self._jobs: deque[tuple[int, fx.Compute]] = deque()

    def play(self, seat: int = 0) -> Play:
        return self.sessions[seat].play

    def start(self) -> "Table":
        for seat, session in enumerate(self.sessions):
            self.carry_out(seat, session.start(self.now_ms))
        return self.settle()

    def carry_out(self, seat: int, effects: list[fx.Effect]) -> None:
        for effect in effects:
            match effect:
                case fx.Append():
                    self.appended[seat].append(effect)
                case fx.Send(data=data, to=to):
                    receivers = range(len(self.sessions)) if to is None else [to]
                    self._queue.extend((seat, int(other), data) for other in receivers if other != seat)
                case fx.Compute():
                    self._jobs.append((seat, effect))
                case fx.Show(sight=sight):
                    self.sights[seat].append(sight)
        if self.sessions[seat].is_busy:
            self.carry_out(seat, self.sessions[seat].tick(self.now_ms))

    def settle(self) -> "Table":
        """Deliver and compute until nothing is under way."""
        while self._queue or self._jobs:
            if self._queue:
                sender, receiver, data = self._queue.popleft()
                if not self.drops(sender, receiver, data):
                    self.hear(receiver, sender, data)
            else:
                seat, job = self._jobs.popleft()
                try:
                    outcome = job.work()
                except PeerFault as fault:
                    outcome = fault
                self.carry_out(seat, self.sessions[seat].computed(job.id, outcome, self.now_ms))
        return self

    def hear(self, receiver: int, sender: int, data: bytes) -> None:
        effects = self.sessions[receiver].receive(Seat(sender), data, self.now_ms, WALL_MS + self.now_ms)
        self.carry_out(receiver, effects)

    def wait(self, ms: int, step_ms: int = 50) -> "Table":
        """Let time pass for everybody."""
        end_ms = self.now_ms + ms
        while self.now_ms < end_ms:
            self.now_ms = min(self.now_ms + step_ms, end_ms)
            for seat, session in enumerate(self.sessions):
                self.carry_out(seat, session.tick(self.now_ms))
            self.settle()
        return self

    def submit(self, seat: int, action: Action) -> "Table":
        self.carry_out(seat, self.sessions[seat].submit(action, self.now_ms))
        return self

    def faults(self, seat: int) -> list[tuple[Fault, int | None]]:
        return [
            (sight.fault.code, sight.fault.culprit)
            for sight in self.sights[seat]
            if isinstance(sight, fx.FaultFound)
        ]


def appends(data: bytes) -> bool:
    """True if a message has an entry in it."""
    message = read_message(data)
    return isinstance(message, Batch) and any(
        isinstance(statement, Append)
        for signed in message.items
        for statement in decode(signed.raw, Item).body
    )


def cut_off(table: Table, *seats: int) -> None:
    table.drops = lambda sender, receiver, _data: (sender in seats) != (receiver in seats)


def heal(table: Table) -> None:
    table.drops = lambda _sender, _receiver, _data: False


def formed(rules: RuleSet = RULES, players: int = 4) -> Table:
    """A table whose genesis is signed and whose first deck is shuffled."""
    return Table(rules, players).start().wait(100)


def opened(rules: RuleSet = RULES, players: int = 4) -> Table:
    """A table with cards on it, in play."""
    table = formed(rules, players)
    dealer = table.play().final.game.dealer
    table.submit(dealer, Next()).settle().wait(int(rules.look_ms) + 500)
    assert table.play().final.game.phase is Phase.OPEN
    return table


def next_entry(tip: Match, *events: Event, **changes: object) -> Entry:
    """What the seat on duty may write on a tip; changes make it another."""
    entry = entry_after(tip, tip.term, events, tip.elapsed_ms, 0)
    return structs.replace(entry, **changes)


def next_of(seat: int, table: Table) -> TapeWriter:
    """A pen that goes on with a seat's tape."""
    play = table.play(seat)
    pen = tape_writer(play.founding.match, Seat(seat), identity(seat))
    pen.number, pen.prev, pen.lamport = play._writer.number, play._writer.prev, play._writer.lamport
    return pen


def by(seat: int, body: tuple[Statement, ...], table: Table) -> bytes:
    """A batch with the next item of a seat's tape, truly signed."""
    return pack(Batch(items=(next_of(seat, table).write(body).signed,)))


class Puppet:
    """A seat whose own machine nobody hears any more: the test speaks for it."""

    def __init__(self, table: Table, seat: int) -> None:
        self._table, self._seat = table, seat
        self._said: set[bytes] = set()
        self.pen = next_of(seat, table)
        table.drops = lambda sender, receiver, data: sender == seat and data not in self._said

    def say(self, *body: Statement) -> TapeItem:
        """The next item of the seat, on its way to everybody, behind all that is under way."""
        item = self.pen.write(body)
        data = pack(Batch(items=(item.signed,)))
        self._said.add(data)
        self._table._queue.extend((self._seat, other, data) for other in range(4) if other != self._seat)
        return item


def is_acked(table: Table, seat: int, *events: Event, later_ms: int = 0) -> bool:
    """True if a seat would ack an entry of the seat on duty with these events by now; nothing changes."""
    tip = table.play(seat).tip
    entry = entry_after(tip, tip.term, events, tip.elapsed_ms, WALL_MS)
    item = next_of(int(tip.on_duty), table).write((Append(entry=encode(entry)),))
    return table.play(seat)._chain._is_ready_for(item, entry, table.now_ms + later_ms)
