"""A small model of the hand-over of the ordering duty, and of naive ways to do it that fork.

Knows no signatures, items or claims: nobody lies here, so nothing is checked twice; but seats stop and come
back, and what they say may be lost, doubled or late. Seats are counted from the first dealer: seat t mod n is
on duty in term t. A suspicion does not lapse here: that costs a needless hand-over at most. Somebody hears
every ack as it is said, and watches over these promises:

1. What a quorum has acked in one term is final, and nothing final contradicts it, ever.
2. No honest seat writes two entries at one (term, index), or acks two: it would look like a liar.
3. No hand-over passes over what one of those who hand over knows to be final.
4. Once all are up and hear each other, the table goes on, whatever came before, and leaves no seat behind.

The rule keeps all four; each naive variant breaks the first. Section "Terms" of protocol.md.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NewType, TypeAlias, assert_never

from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import quorum

Head = NewType("Head", int)
"""The number of an entry. It names the whole log that ends there, as a digest does."""

GENESIS = Head(0)


class Variant(Enum):
    """The rule, and each way to get it wrong."""

    RULE = "the rule"
    OWN_LOG = "the next seat takes over with its own log"
    HALF = "half of the seats are a quorum"
    FORGETS = "a restarted seat has forgotten all, and is normal at once"
    ACKS_OLD = "a seat acks the old term after it has joined a new one"
    LONGEST = "the longest log wins, whatever its last normal term"
    NORMAL_ON_JOIN = (
        "a term counts as normal from joining it: all who hand over tie, and the longest log wins"
    )
    CUTS_BACK = "a log is cut back to what is final before it is handed over"
    ADDS_UP = "acks of several terms add up"
    TAKES_TWICE = "a sequencer that has restarted takes over once more, by other hand-overs"
    MOVES_EARLY = "a checkpoint moves the term on before it is final"


class Status(Enum):
    """What a seat takes part in."""

    NORMAL = auto()
    JOINING = auto()
    RECOVERING = auto()


class Kind(Enum):
    """What an entry does to the term."""

    GENESIS = auto()
    PLAIN = auto()
    CHECKPOINT = auto()
    TAKE_OVER = auto()


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `term`: the one it was written in."""

    kind: Kind
    prev: Head
    index: int
    term: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A seat that is normal in this term holds this log, and shows with it what made it normal."""

    term: int
    head: Head


@dataclass(frozen=True, slots=True)
class Acked:
    """A seat has accepted this log in this term."""

    seat: Seat
    term: int
    head: Head


@dataclass(frozen=True, slots=True)
class Suspect:
    """The sequencer of this term is suspected."""

    seat: Seat
    term: int


@dataclass(frozen=True, slots=True)
class Join:
    """A seat has stopped acking below this term."""

    seat: Seat
    term: int


@dataclass(frozen=True, slots=True)
class HandOver:
    """What a seat brings into a term: its last normal term, its log, and what it knows to be final of it."""

    seat: Seat
    term: int
    normal: int
    head: Head
    final: Head


Message: TypeAlias = Shown | Acked | Suspect | Join | HandOver


class Fork(Exception):
    """Two logs are final, and neither is the beginning of the other."""


class Broken(Exception):
    """A promise other than the first is broken."""


class Log:
    """All entries that were ever written."""

    def __init__(self) -> None:
        self._entries = [Entry(Kind.GENESIS, GENESIS, 0, 0)]

    def __getitem__(self, head: Head) -> Entry:
        return self._entries[head]

    def write(self, entry: Entry) -> Head:
        self._entries.append(entry)
        return Head(len(self._entries) - 1)

    def is_in(self, part: Head, whole: Head) -> bool:
        """Whether one log is the beginning of the other, or all of it."""
        index = self._entries[part].index
        while self._entries[whole].index > index:
            whole = self._entries[whole].prev
        return whole == part


class Tally:
    """Acks as somebody has heard them; an ack of an entry is one of all before it."""

    def __init__(self, log: Log, needed: int, *, is_by_term: bool) -> None:
        self._log = log
        self._needed = needed
        self._is_by_term = is_by_term
        self._seats: dict[tuple[int, Head], set[Seat]] = defaultdict(set)

    def count(self, ack: Acked) -> Head | None:
        """The last entry that this ack makes final; None if it makes none."""
        term = ack.term if self._is_by_term else 0
        head, final = ack.head, None
        while head != GENESIS and ack.seat not in (seats := self._seats[term, head]):
            seats.add(ack.seat)
            if final is None and len(seats) >= self._needed:
                final = head
            head = self._log[head].prev
        return final


@dataclass(slots=True)
class Peer:
    """One seat. Everything but `is_up` is on disk before it is said."""

    tally: Tally
    suspects: list[int]
    """By seat, the last term it suspects; -1 if it suspects none."""
    is_up: bool = True
    status: Status = Status.NORMAL
    term: int = 0
    normal: int = 0
    head: Head = GENESIS
    final: Head = GENESIS
    certified: Head = GENESIS
    """The longest log that acks have made final, held or not."""
    handed_over: int = 0
    taken_over: int = 0
    joins: dict[int, set[Seat]] = field(default_factory=lambda: defaultdict(set))
    votes: dict[int, dict[Seat, HandOver]] = field(default_factory=lambda: defaultdict(dict))


class Table:
    """The seats of one run, and what each makes of what it hears."""

    def __init__(self, seats: int, variant: Variant, send: Callable[[Seat, Message], None]) -> None:
        self.variant = variant
        self.seats = [Seat(number) for number in range(seats)]
        self.quorum = seats // 2 if variant is Variant.HALF else quorum(seats)
        self.log = Log()
        self.peers = [self._newcomer() for _ in self.seats]
        self.final = GENESIS
        self.takeover_count = 0
        self.checkpoint_count = 0
        self._certain = seats - quorum(seats) + 1
        self._send = send
        self._watcher = self._tally()
        self._acked: dict[tuple[Seat, int, int], Head] = {}
        self._written: dict[tuple[int, int], Head] = {}

    def _tally(self) -> Tally:
        return Tally(self.log, self.quorum, is_by_term=self.variant is not Variant.ADDS_UP)

    def _newcomer(self) -> Peer:
        return Peer(self._tally(), [-1] * len(self.seats))

    def _refuse(self, what: str) -> None:
        """Naive seats go on as if it had not been said."""
        if self.variant is Variant.RULE:
            raise Broken(what)

    # What a seat does of itself

    def is_on_duty(self, seat: Seat) -> bool:
        peer = self.peers[seat]
        if not peer.is_up or peer.status is not Status.NORMAL or peer.term % len(self.seats) != seat:
            return False
        # Nothing follows a checkpoint before it is final.
        return self.log[peer.head].kind is not Kind.CHECKPOINT or peer.final == peer.head

    def append(self, seat: Seat, kind: Kind) -> None:
        if self.is_on_duty(seat):
            self._write(seat, kind, self.peers[seat].head)

    def show(self, seat: Seat) -> None:
        peer = self.peers[seat]
        if peer.is_up and peer.status is Status.NORMAL:
            self._send(seat, Shown(peer.term, peer.head))

    def suspect(self, seat: Seat) -> None:
        peer = self.peers[seat]
        if peer.is_up and not self.is_on_duty(seat):
            word = Suspect(seat, peer.term)
            self._send(seat, word)
            self.hear(seat, word)

    def crash(self, seat: Seat) -> None:
        self.peers[seat].is_up = False

    def restart(self, seat: Seat) -> None:
        if self.variant is Variant.FORGETS:
            self.peers[seat] = self._newcomer()
        else:
            self.peers[seat].is_up = True
            self.peers[seat].status = Status.RECOVERING

    # What a seat hears

    def hear(self, seat: Seat, message: Message) -> None:
        peer = self.peers[seat]
        match message:
            case Shown():
                self._follow(seat, message)
            case Acked():
                self._count(peer, message)
            case Suspect(seat=other, term=term):
                # Who suspects a term suspects all before it: else seats back from different terms never meet.
                peer.suspects[other] = max(term, peer.suspects[other])
                term = sorted(peer.suspects)[-self._certain]
                if term >= peer.term:
                    self._join(seat, term + 1)
            case Join(seat=other, term=term):
                peer.joins[term].add(other)
                if term == peer.term:
                    self._hand_over(seat)
            case HandOver(term=term):
                peer.votes[term][message.seat] = message
                if term == peer.term:
                    self._take_over(seat)
            case _:
                assert_never(message)

    def _join(self, seat: Seat, term: int) -> None:
        peer = self.peers[seat]
        peer.term = term
        peer.status = Status.JOINING
        if self.variant is Variant.NORMAL_ON_JOIN:
            peer.normal = term
        peer.joins[term].add(seat)
        self._send(seat, Join(seat, term))
        self._hand_over(seat)

    def _hand_over(self, seat: Seat) -> None:
        peer = self.peers[seat]
        joins = peer.joins[peer.term]
        if seat not in joins or len(joins) < self.quorum or peer.handed_over >= peer.term:
            return
        peer.handed_over = peer.term
        if self.variant is Variant.CUTS_BACK:
            peer.head = peer.final
        vote = HandOver(seat, peer.term, self._last_normal(peer), peer.head, peer.final)
        self._send(seat, vote)
        self.hear(seat, vote)

    def _last_normal(self, peer: Peer) -> int:
        """The term of the entry that the seat stands for; two variants say that which it thinks it is in."""
        if self.variant in (Variant.NORMAL_ON_JOIN, Variant.MOVES_EARLY):
            return peer.normal
        return self.log[peer.head].term

    def _take_over(self, seat: Seat) -> None:
        """The next sequencer goes on from the log beside which no quorum can have made anything final."""
        peer = self.peers[seat]
        votes = tuple(peer.votes[peer.term].values())
        is_next = peer.term % len(self.seats) == seat and peer.status is not Status.NORMAL
        if not is_next or peer.handed_over < peer.term or len(votes) < self.quorum:
            return
        if peer.taken_over == peer.term:
            if self.variant is not Variant.TAKES_TWICE:
                return
            # Others have come since.
            votes = votes[-self.quorum :]
        chosen = peer.head if self.variant is Variant.OWN_LOG else self._chosen(votes)
        if not all(self.log.is_in(vote.final, chosen) for vote in votes):
            self._refuse("a hand-over would drop what is final")
            return
        peer.taken_over = peer.term
        self.takeover_count += 1
        self._become_normal(peer, peer.term, chosen)
        self._write(seat, Kind.TAKE_OVER, chosen)

    def _chosen(self, votes: tuple[HandOver, ...]) -> Head:
        """The second by last normal term, then by length: two of any quorum have what is final."""
        if self.variant is Variant.LONGEST:
            return sorted(votes, key=lambda vote: self.log[vote.head].index)[-2].head
        return sorted(votes, key=lambda vote: (vote.normal, self.log[vote.head].index))[-2].head

    def _follow(self, seat: Seat, shown: Shown) -> None:
        peer = self.peers[seat]
        if shown.term < peer.term:
            is_naive = self.variant is Variant.ACKS_OLD and shown.term == peer.normal
            if is_naive and shown.head != peer.head and self.log.is_in(peer.head, shown.head):
                peer.head = shown.head
                self._ack(seat, shown.term)
            return
        if shown.term == peer.normal and peer.status is not Status.JOINING:
            # It was normal in this term before, and may not go back behind what it has acked in it.
            if not self.log.is_in(peer.head, shown.head):
                if not self.log.is_in(shown.head, peer.head):
                    self._refuse("two logs in one term")
                return
            if shown.head == peer.head and peer.status is Status.NORMAL:
                return
        if not self.log.is_in(peer.final, shown.head):
            self._refuse("a seat would drop what is final")
            return
        self._become_normal(peer, shown.term, shown.head)
        self._ack(seat, peer.normal)

    def _become_normal(self, peer: Peer, term: int, head: Head) -> None:
        peer.status = Status.NORMAL
        peer.term = peer.normal = term
        peer.head = head
        self._move_on(peer)

    # Writing and finality

    def _write(self, seat: Seat, kind: Kind, prev: Head) -> None:
        peer = self.peers[seat]
        entry = Entry(kind, prev, self.log[prev].index + 1, peer.term)
        peer.head = self.log.write(entry)
        if self._written.setdefault((entry.term, entry.index), peer.head) != peer.head:
            self._refuse("two entries at one place")
        self._send(seat, Shown(peer.term, peer.head))
        self.checkpoint_count += kind is Kind.CHECKPOINT
        self._move_on(peer)
        self._ack(seat, peer.normal)

    def _ack(self, seat: Seat, term: int) -> None:
        """Entries of older terms become final only through those of this one: they are not acked alone."""
        peer = self.peers[seat]
        entry = self.log[peer.head]
        is_early = self.variant is Variant.MOVES_EARLY and entry.kind is Kind.CHECKPOINT
        if entry.term + is_early != term:
            return
        if self._acked.setdefault((seat, term, entry.index), peer.head) != peer.head:
            self._refuse("two acks at one place")
        ack = Acked(seat, term, peer.head)
        final = self._watcher.count(ack)
        if final is not None:
            self._finalize(final)
        self._send(seat, ack)
        self._count(peer, ack)

    def _count(self, peer: Peer, ack: Acked) -> None:
        final = peer.tally.count(ack)
        if final is not None and self.log[final].index > self.log[peer.certified].index:
            peer.certified = final
            self._move_on(peer)

    def _move_on(self, peer: Peer) -> None:
        """What is acked by a quorum and held is final. A checkpoint that is final ends its term."""
        if self.log.is_in(peer.certified, peer.head):
            peer.final = peer.certified
        entry = self.log[peer.head]
        if entry.kind is not Kind.CHECKPOINT or entry.term != peer.term or peer.status is not Status.NORMAL:
            return
        if peer.final == peer.head or self.variant is Variant.MOVES_EARLY:
            peer.term = peer.normal = entry.term + 1

    def _finalize(self, head: Head) -> None:
        if self.log.is_in(self.final, head):
            self.final = head
        elif not self.log.is_in(head, self.final):
            raise Fork(f"entries {head} and {self.final} are both final")
