"""Whose duty ordering is, and how the duty passes on when its seat fails.

Knows tapes and entries, no clock: when to suspect a seat is somebody else's matter. What a seat has said
about terms stands on its tape, in order, so that nobody has to be believed. Invariants:

1. An ack or entry of a term that its seat had left before on its tape counts for nothing.
2. A hand-over counts only if it names the last entry that its seat's tape stands for.
3. Any two quorums share a seat: what was acked by one in a term is in a hand-over of every later one.

Section "Terms" of protocol.md.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Entry, quorum
from kemps_p2p.ledger.evidence import equivocation
from kemps_p2p.ledger.tape import Ack, Append, HandOver, Head, Join, Suspect, TapeItem


def on_duty(seats: int, first_dealer: Seat, term: int) -> Seat:
    """The sequencer of a term: seat (first dealer + term) mod n."""
    return Seat((first_dealer + term) % seats)


def doubts_needed(seats: int) -> int:
    """How many seats must doubt a sequencer before one joins another term.

    No quorum is possible without one of them, and fewer cannot spin the terms.
    """
    return seats - quorum(seats) + 1


def hand_over_in(item: TapeItem, term: int) -> HandOver | None:
    """The hand-over into a term that an item contains."""
    for statement in item.item.body:
        if isinstance(statement, HandOver) and statement.term == term:
            return statement
    return None


def chosen(votes: Collection[HandOver]) -> HandOver:
    """The hand-over whose head a term goes on from: the second by last normal term, then by length.

    Of the ackers of a final entry at least two are among any quorum, so the second has it as well; and what
    one seat alone stands for, its author maybe, binds nobody. Two heads at one place are a sequencer's
    equivocation: then the one that more seats stand for.
    """
    place = sorted(((vote.normal, vote.head.index) for vote in votes), reverse=True)[1]
    there = [vote for vote in votes if (vote.normal, vote.head.index) == place]
    counts = Counter(vote.head.digest for vote in there)
    return min(there, key=lambda vote: (-counts[vote.head.digest], vote.head.digest))


@dataclass(slots=True)
class _Seat:
    """What a tape says of terms. `item`s: where it says so, None for what everybody stands for at genesis."""

    stand: tuple[int, Head]
    stand_item: TapeItem | None = None
    joined: int = 0
    joined_item: TapeItem | None = None
    suspected: int = -1


@dataclass(slots=True)
class Followed:
    """What an item says that counts: acks, whether its entry does, and what is wrong with it."""

    acks: list[Ack] = field(default_factory=list)
    may_append: bool = True
    faults: list[PeerFault] = field(default_factory=list)


class TermBook:
    """What each tape says of terms, in the order in which items follow their tapes."""

    def __init__(self, seats: int, genesis: Head) -> None:
        self._genesis = genesis
        self._seats = [_Seat((0, genesis)) for _ in range(seats)]
        self._joins: dict[int, set[int]] = {}
        self._hand_overs: dict[int, dict[Seat, TapeItem]] = {}
        self._wanted = 0

    def follow(self, item: TapeItem, entry: Entry | None) -> Followed:
        """Take in an item that follows its tape; `entry`: what it appends, if that can be read."""
        found = Followed()
        if item.seat >= len(self._seats):
            # An observer has no part in it.
            return found
        seat = self._seats[item.seat]
        before = seat.joined, seat.suspected
        for statement in item.item.body:
            match statement:
                case Ack(term=term):
                    if self._stands(seat, item, term, found):
                        seat.stand, seat.stand_item = (term, statement.head), item
                        found.acks.append(statement)
                case Append():
                    found.may_append = entry is not None and self._stands(seat, item, entry.term, found)
                    if entry is not None and found.may_append:
                        head = Head(index=entry.index, digest=item.digest)
                        seat.stand, seat.stand_item = (entry.term, head), item
                case Suspect(term=term):
                    seat.suspected = max(seat.suspected, term)
                case Join(term=term):
                    if term > seat.joined:
                        seat.joined, seat.joined_item = term, item
                        self._joins.setdefault(term, set()).add(item.seat)
                case HandOver():
                    self._hand_over(seat, item, statement, found)
                case _:
                    pass
        if before != (seat.joined, seat.suspected):
            levels = sorted((max(each.joined, each.suspected + 1) for each in self._seats), reverse=True)
            self._wanted = levels[doubts_needed(len(levels)) - 1]
        return found

    @staticmethod
    def _stands(seat: _Seat, item: TapeItem, term: int, found: Followed) -> bool:
        """True unless the seat has left this term; whoever acks again has no more doubts."""
        if term < seat.joined:
            assert seat.joined_item is not None, "joined by an item"
            found.faults.append(
                equivocation(seat.joined_item, item)
                or PeerFault(Fault.WRONG_TERM, "an ack of a term that its seat has left", culprit=item.seat)
            )
            return False
        if term >= seat.suspected:
            seat.suspected = -1
        return True

    def _hand_over(self, seat: _Seat, item: TapeItem, said: HandOver, found: Followed) -> None:
        if said.normal < said.term == seat.joined and (said.normal, said.head) == seat.stand:
            self._hand_overs.setdefault(said.term, {}).setdefault(item.seat, item)
            return
        proof = None if seat.stand_item is None else equivocation(seat.stand_item, item)
        text = "a hand-over of another entry than the seat stands for, or into a term that it has not joined"
        found.faults.append(proof or PeerFault(Fault.BAD_TAKE_OVER, text, culprit=item.seat))

    def close(self, seat: Seat, items: Iterable[TapeItem], entry: Callable[[TapeItem], Entry | None]) -> None:
        """Of a tape only these items count, those before its end; `entry`: what one appends, if readable."""
        self._seats[seat] = _Seat((0, self._genesis))
        for joins in self._joins.values():
            joins.discard(seat)
        for handed in self._hand_overs.values():
            handed.pop(seat, None)
        for item in items:
            self.follow(item, entry(item))

    def joined(self, seat: int) -> int:
        """The term that a seat has joined last; 0 if none, as for an observer."""
        return self._seats[seat].joined if seat < len(self._seats) else 0

    def stand(self, seat: int) -> tuple[int, Head]:
        """The last entry that a seat stands for, with its term."""
        return self._seats[seat].stand

    def has_doubts(self, seat: int, term: int) -> bool:
        """True while a seat's suspicion of the sequencer of this term, or a later one, stands."""
        return self._seats[seat].suspected >= term

    def wanted(self) -> int:
        """The latest term that enough seats have joined, or would: whose sequencers before it they doubt."""
        return self._wanted

    def is_joined(self, term: int) -> bool:
        """True once a quorum has joined a term."""
        return len(self._joins.get(term, ())) >= quorum(len(self._seats))

    def hand_overs(self, term: int) -> dict[Seat, TapeItem]:
        """The hand-overs into a term, by seat."""
        return self._hand_overs.get(term, {})
