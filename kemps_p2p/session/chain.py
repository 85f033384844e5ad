"""The entries as one peer holds them: which it accepts, and which are final.

Knows no sockets and no deck; it folds and counts. Invariants:

1. An entry is accepted only at its place, with every item it names, if the own tapes decide the same order.
2. An entry is final once a quorum has acked it, or a later one of the same term or another, in one term;
   final entries are never folded again, and never left out by a take-over.
3. What is not final gives way to the chain that a take-over goes on from.

Section "Entries" of protocol.md.
"""

from collections import deque
from collections.abc import Mapping, Set
from dataclasses import dataclass

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.events import Event as GameEvent
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.claimbook import ClaimBook
from kemps_p2p.ledger.entry import (
    Carried,
    Contest,
    CutOff,
    Drawn,
    Entry,
    Ruled,
    Seated,
    Settled,
    Struck,
    named_items,
    quorum,
)
from kemps_p2p.ledger.evidence import equivocation
from kemps_p2p.ledger.tape import Ack, Head, TapeItem
from kemps_p2p.ledger.term import on_duty
from kemps_p2p.session.deeds import is_due, offered
from kemps_p2p.session.fold import OpenRecord, Proofs
from kemps_p2p.session.holding import has_calls
from kemps_p2p.session.match import Match, first_citable
from kemps_p2p.session.pacing import cut_in, held_back, ordered_in, passes_over
from kemps_p2p.session.replay import step
from kemps_p2p.session.takeover import take_over_in
from kemps_p2p.session.tapecheck import readable_entry
from kemps_p2p.session.waits import Waits


@dataclass(frozen=True, slots=True)
class Accepted:
    """A folded entry with the match after it and what happened by the rules."""

    record: OpenRecord
    match: Match
    events: tuple[GameEvent, ...]


class Chain:
    """Entries, acks and finality. `items` holds every item by digest."""

    def __init__(
        self,
        start: Match,
        seat: Seat,
        book: ClaimBook,
        proofs: Proofs,
        *,
        items: Mapping[Digest, TapeItem],
        waits: Waits,
    ) -> None:
        self._seat = seat
        self._pacing = waits.pacing
        self._patience = waits.patience
        self._silence = waits.silence
        self._seating = waits.seating
        self._first_dealer = start.founding.first_dealer
        self.tip = start
        self.final = start
        self._book = book
        self._proofs = proofs
        self._items = items
        self._entries: dict[tuple[int, int], tuple[TapeItem, Entry]] = {}
        """By index and term, above the final one."""
        self._latest_term = 0
        """Of all entries so far."""
        self._refused: set[Digest] = set()
        self._path: deque[tuple[TapeItem, Entry]] = deque()
        self._unfinal: deque[Accepted] = deque()
        self._stands: deque[Ack] = deque([_stand(start)])
        """What an ack has to be to count, by index from the final one."""
        self._acks: dict[int, list[tuple[Seat, Ack]]] = {}
        self._acked: dict[int, dict[Seat, int]] = {}
        """By term, how far each seat has acked in it."""
        self._reached_index = 0
        """How far a quorum has acked in one of them."""
        self.logged_index = 0
        """How far an earlier run has logged: that was final."""

    def add_entry(self, item: TapeItem, entry: Entry) -> None:
        """Take an entry in; its turn comes when its author is on duty at its index.

        Raises `PeerFault`: WRONG_TERM for a seat that is not on duty in that term; EQUIVOCATION, with its
        evidence, for a second entry of one author at an index.
        """
        if on_duty(self.tip.seats, self._first_dealer, entry.term) != item.seat:
            text = "an entry of a seat that is not on duty"
            raise PeerFault(Fault.WRONG_TERM, text, culprit=item.seat)
        if entry.index <= self.final.head.index:
            return
        self._latest_term = max(self._latest_term, entry.term)
        other = self._entries.setdefault((entry.index, entry.term), (item, entry))
        if other[0] is not item and (fault := equivocation(other[0], item)) is not None:
            raise fault

    def add_ack(self, seat: Seat, ack: Ack) -> None:
        """Count an ack as far as its entry is known here; keep it, since chains may give way."""
        index = ack.head.index
        if index > self.final.head.index:
            self._acks.setdefault(index, []).append((seat, ack))
            self._count(seat, ack)

    def _count(self, seat: Seat, ack: Ack) -> None:
        place = ack.head.index - self.final.head.index
        if 0 < place < len(self._stands) and self._stands[place] == ack:
            acked = self._acked.setdefault(ack.term, {})
            acked[seat] = max(acked.get(seat, 0), ack.head.index)
            need = quorum(self.tip.seats)
            if len(acked) >= need:
                # Acks of one term add up, those of several do not.
                reached = sorted(acked.values(), reverse=True)[need - 1]
                self._reached_index = max(self._reached_index, reached)

    def close(self, seat: Seat) -> None:
        """What an incarnation that has ended acks behind its end counts for nothing."""
        for at, acks in self._acks.items():
            self._acks[at] = [said for said in acks if said[0] != seat]
        self._count_again()

    # Terms

    def turn(self, joined: int) -> list[Accepted]:
        """Go over to the chain of the latest term that begins at or after the one that this seat has joined.

        As far as it is here: what a new incarnation orders comes only once the entry that let it in is final.
        Returns what gives way for it, oldest first. Raises `PeerFault` for one that leaves out what is final.
        """
        for begins in self._beginnings(joined):
            dropped = [] if self._leads_to(begins[0]) else self._go(begins)
            if self._leads_to(begins[0]):
                return dropped
        return []

    def _leads_to(self, item: TapeItem) -> bool:
        return bool(self._path) and self._path[-1][0] is item

    def aim(self, head: Head) -> list[Accepted]:
        """Go over to the chain that ends at a head, as far as it is here; returns what gives way."""
        if self.tip.head == head or (self._path and self._path[-1][0].digest == head.digest):
            return []
        if head.digest in self._own_heads():
            return self._fall_back(head.digest)
        item = self._items.get(head.digest)
        entry = None if item is None else readable_entry(item)
        return [] if item is None or entry is None else self._go((item, entry))

    def is_at_end(self, joined: int) -> bool:
        """True if no entry has come that could be the next, nor one that another chain may begin with."""
        return self._next(joined) is None and self._latest_term <= max(self.tip.head_term, joined - 1)

    @property
    def led_to(self) -> Entry | None:
        """The next entry, where it is one of a chain that others, or the own seat, stand for."""
        return self._path[0][1] if self._path else None

    def _beginnings(self, joined: int) -> list[tuple[TapeItem, Entry]]:
        """The first entries of the terms that this peer may go over to, of the latest first."""
        beyond = max(self.tip.head_term, joined - 1)
        found = [
            (item, entry)
            for (_, term), (item, entry) in self._entries.items()
            if term > beyond
            and item.digest not in self._refused
            and (take_over_in(entry) is not None or (joined >= term and self._is_first(entry)))
        ]
        return sorted(found, key=lambda waiting: (-waiting[1].term, waiting[1].index))

    def _is_first(self, entry: Entry) -> bool:
        before = self._items.get(entry.prev)
        earlier = None if before is None else readable_entry(before)
        return earlier is not None and earlier.term < entry.term

    def _own_heads(self) -> set[Digest]:
        return {self.final.head.digest, *(accepted.match.head.digest for accepted in self._unfinal)}

    def _go(self, to: tuple[TapeItem, Entry]) -> list[Accepted]:
        own = self._own_heads()
        path = deque([to])
        while path[0][1].prev not in own:
            index = path[0][1].index
            before = self._items.get(path[0][1].prev)
            entry = None if before is None else readable_entry(before)
            if index <= self.final.head.index + 1 or (before is not None and entry is None):
                self._refused.add(to[0].digest)
                raise PeerFault(Fault.BAD_TAKE_OVER, "a chain that leaves out what is final")
            if before is None or entry is None:
                return []
            path.appendleft((before, entry))
        dropped = self._fall_back(path[0][1].prev)
        self._path = path
        return dropped

    def _fall_back(self, digest: Digest) -> list[Accepted]:
        """Take entries back until the tip is the one with this digest."""
        self._path.clear()
        dropped: list[Accepted] = []
        while self.tip.head.digest != digest:
            dropped.insert(0, self._unfinal.pop())
            self._stands.pop()
            self.tip = self._unfinal[-1].match if self._unfinal else self.final
        if dropped:
            self._count_again()
        return dropped

    def mark_book(self) -> None:
        """Tell a book that begins again what is in contests, and what is cut."""
        for opened in self.tip.contests:
            self._book.contested.update(opened.claims)
        self._book.refuse_before(first_citable(self.tip))
        self._follow_cut()

    def _count_again(self) -> None:
        self._acked.clear()
        self._reached_index = 0
        for accepted in self._unfinal:
            self._count(accepted.record.item.seat, _stand(accepted.match))
        for acks in self._acks.values():
            for seat, ack in acks:
                self._count(seat, ack)

    def accept_next(self, joined: int, now_ms: int) -> Accepted | None:
        """Fold the next entry if it can be folded now. `joined`: entries of an earlier term are left alone.

        Raises `NotVerified` if a proof must be verified first, or `PeerFault` for an entry that no honest
        seat acks; the entry is dropped then.
        """
        waiting = self._next(joined)
        if waiting is None:
            return None
        item, entry = waiting
        items = {}
        for name in named_items(entry):
            found = self._items.get(name)
            if found is None:
                return None
            items[name] = found
        # What a take-over goes on from is not judged again: others than its author stood for it.
        is_settled = bool(self._path) or self._is_final_elsewhere(item, entry)
        if not is_settled and not self._is_ready_for(item, entry, now_ms):
            return None
        record = OpenRecord(item, entry, items)
        try:
            match, events = step(self.tip, record, self._proofs)
        except PeerFault:
            self._refused.add(item.digest)
            if self._path:
                self._refused.add(self._path[-1][0].digest)
                self._path.clear()
            raise
        if not is_settled and not (
            self._pacing.is_idle(self.tip, events, now_ms)
            and self._pacing.may_sweep(self.tip, entry, events, now_ms)
        ):
            return None
        if self._path:
            self._path.popleft()
        accepted = Accepted(record, match, events)
        self._advance(accepted, now_ms)
        return accepted

    def _next(self, joined: int) -> tuple[TapeItem, Entry] | None:
        if self._path:
            return self._path[0]
        tip = self.tip
        waiting = self._entries.get((tip.head.index + 1, tip.term))
        if waiting is None or waiting[0].digest in self._refused:
            return None
        # Who has left a term that the others stay in follows them, without an ack, by what is final there.
        return waiting if tip.term >= joined or self._is_final_elsewhere(*waiting) else None

    def _is_ready_for(self, item: TapeItem, entry: Entry, now_ms: int) -> bool:
        """False while the own clock, tapes or claims say that the entry has to wait."""
        if not self._pacing.is_timely(self.tip, entry, now_ms) or not self._agrees(entry, now_ms):
            return False
        later = self._entries_after(entry)
        ordered = {name for coming in later for name in ordered_in(coming)}
        taken_up = {name for coming in (entry, *later) for name in (*ordered_in(coming), *cut_in(coming))}
        taken_up.update(held_back(self.tip, self._pacing, self._book, now_ms))
        if item.seat != self._seat and self._patience.passes_over(taken_up, now_ms):
            return False
        return not passes_over(self.tip, item, entry, ordered, self._book)

    def _is_final_elsewhere(self, item: TapeItem, entry: Entry) -> bool:
        """True if a quorum has acked the entry, or one of its term behind it: what is final waits no more."""
        seats = {item.seat}
        index, digest, term = entry.index, item.digest, entry.term
        while True:
            acks = self._acks.get(index, ())
            seats.update(seat for seat, ack in acks if ack.head.digest == digest and ack.term == term)
            following = self._entries.get((index + 1, term))
            if following is None or following[1].prev != digest:
                return len(seats) >= quorum(self.tip.seats)
            index, digest = index + 1, following[0].digest

    def _entries_after(self, entry: Entry) -> list[Entry]:
        """The entries of the same term that are here and wait for this one."""
        index = entry.index
        found = []
        while (waiting := self._entries.get((index := index + 1, entry.term))) is not None:
            found.append(waiting[1])
        return found

    def _advance(self, accepted: Accepted, now_ms: int) -> None:
        self._pacing.follow(self.tip, accepted.match, now_ms)
        self.tip = accepted.match
        self._unfinal.append(accepted)
        self._stands.append(_stand(accepted.match))
        for event in accepted.record.entry.events:
            match event:
                case Settled(claim=claim):
                    self._book.settle(claim)
                case Contest(claims=claims):
                    self._book.contested.update(claims)
                case Drawn(order=order) | Ruled(order=order):
                    for claim in order:
                        self._book.settle(claim)
                case _:
                    pass
        self._book.refuse_before(first_citable(self.tip))
        self._count(accepted.record.item.seat, self._stands[-1])
        for seat, ack in self._acks.get(accepted.match.head.index, ()):
            self._count(seat, ack)
        self._follow_cut(now_ms)

    def _follow_cut(self, accepted_at_ms: int | None = None) -> None:
        cut = self.tip.cut
        if cut is None:
            self._book.heal()
        else:
            is_final = self.final.head.index >= cut.index
            if accepted_at_ms is not None and cut.index == self.tip.head.index:
                self._patience.note_cut(accepted_at_ms)
            self._book.cut(cut.claims, cut.lengths, is_final=is_final)

    def _agrees(self, entry: Entry, now_ms: int) -> bool:
        """True if the own tapes decide what the entry orders; false means: not yet."""
        logged: set[Digest] = set()
        for event in entry.events:
            match event:
                case CutOff():
                    if not self._patience.may_cut_again(self.tip, now_ms):
                        return False
                    if not self._may_cut(event, logged) and not self._is_cut_later(entry, logged):
                        return False
                    continue
                case Drawn():
                    if not self._patience.is_withheld(self.tip, event, now_ms):
                        return False
                    continue
                case Struck():
                    is_lapsed = self._silence.is_lapsed(event, self._items, now_ms)
                    if is_lapsed or (event.seat != self.tip.observer and has_calls(self._book, logged)):
                        return False
                    continue
                case Seated():
                    if not self._seating.is_end(event):
                        return False
                    continue
                case Settled(claim=claim):
                    claims: tuple[Digest, ...] = (claim,)
                case Contest(claims=named) | Ruled(claims=named):
                    claims = named
                case Carried(item=item):
                    if not self._is_due(self._items[item]):
                        return False
                    continue
                case _:
                    continue
            if all(found.claims != tuple(sorted(claims)) for found in self._book.decided(logged)):
                return False
            logged.update(claims)
        return True

    def _may_cut(self, cut: CutOff, logged: Set[Digest]) -> bool:
        return self._book.may_cut(cut.claims, [(end.length, end.last) for end in cut.tapes], logged)

    def _is_cut_later(self, entry: Entry, logged: Set[Digest]) -> bool:
        """True if an entry that waits here puts a later cut in the place of that in `entry`."""
        ordered = {*logged, *ordered_in(entry)}
        for coming in self._entries_after(entry):
            ordered.update(ordered_in(coming))
            if any(isinstance(event, CutOff) and self._may_cut(event, ordered) for event in coming.events):
                return True
        return False

    def _is_due(self, item: TapeItem) -> bool:
        """False if the item has a share that rests on an entry which is not final here yet."""
        try:
            deeds = offered(item)
        except PeerFault:
            # The fold says so again, and whose fault it is.
            return True
        return all(is_due(self.final, deed) for deed in deeds)

    def finalize(self, now_ms: int) -> list[Accepted]:
        """The entries that have become final, in order."""
        if not self._unfinal:
            return []
        reached = max(self._reached_index, self.logged_index)
        done = []
        while self._unfinal and self._unfinal[0].match.head.index <= reached:
            accepted = self._unfinal.popleft()
            self._stands.popleft()
            self.final = accepted.match
            done.append(accepted)
            self._patience.note_final(accepted.match, now_ms)
        if done:
            self._forget()
            self._follow_cut()
        return done

    def _forget(self) -> None:
        """Drop what nobody asks about once it is final."""
        index = self.final.head.index
        self._entries = {place: waiting for place, waiting in self._entries.items() if place[0] > index}
        self._acks = {at: acks for at, acks in self._acks.items() if at > index}
        self._acked = {term: acked for term, acked in self._acked.items() if max(acked.values()) > index}


def _stand(match: Match) -> Ack:
    """The one ack that counts for the entry at the head of a match: of its epoch, term, index and digest."""
    return Ack(epoch=match.epoch, term=match.head_term, head=match.head)
