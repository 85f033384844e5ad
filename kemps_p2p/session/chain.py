"""The entries as one peer holds them: which it accepts, and which are final.

Knows no sockets and no deck; it folds and counts. Invariants:

1. An entry is accepted only at its place, with every item it names, if the own tapes decide the same order.
2. An entry is final once a quorum has acked it or a later one; final entries are never folded again.

Section "Entries" of protocol.md.
"""

from collections import deque
from collections.abc import Mapping, Set
from dataclasses import dataclass

from kemps_p2p.codec import Digest
from kemps_p2p.errors import PeerFault
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
    Settled,
    Struck,
    named_items,
    quorum,
)
from kemps_p2p.ledger.evidence import equivocation
from kemps_p2p.ledger.tape import Ack, TapeItem
from kemps_p2p.session.deeds import is_due, offered
from kemps_p2p.session.fold import OpenRecord, Proofs
from kemps_p2p.session.match import Match, first_citable
from kemps_p2p.session.observing import Silence
from kemps_p2p.session.pacing import Pacing, cut_in, ordered_in, passes_over
from kemps_p2p.session.patience import Patience
from kemps_p2p.session.replay import step


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
        pacing: Pacing,
        patience: Patience,
        silence: Silence,
    ) -> None:
        self._silence = silence
        self._seat = seat
        self._pacing = pacing
        self._patience = patience
        self.tip = start
        self.final = start
        self._book = book
        self._proofs = proofs
        self._items = items
        self._waiting: dict[tuple[int, Seat], tuple[TapeItem, Entry]] = {}
        self._unfinal: deque[Accepted] = deque()
        self._stands: list[Ack] = [_stand(start)]
        self._acked = [0] * start.seats
        self._early_acks: dict[int, list[tuple[Seat, Ack]]] = {}

    def add_entry(self, item: TapeItem, entry: Entry) -> None:
        """Take an entry in; its turn comes when its author is on duty at its index.

        Raises `PeerFault` EQUIVOCATION, with its evidence, for a second entry of one author at an index.
        """
        place = entry.index, item.seat
        other = self._waiting.get(place)
        if other is None and entry.index > self.tip.head.index:
            self._waiting[place] = item, entry
        elif other is not None and (fault := equivocation(other[0], item)) is not None:
            raise fault

    def add_ack(self, seat: Seat, ack: Ack) -> None:
        """Count an ack as far as its entry is known here; keep it otherwise."""
        index = ack.head.index
        if index >= len(self._stands):
            self._early_acks.setdefault(index, []).append((seat, ack))
        elif self._stands[index] == ack:
            self._acked[seat] = max(self._acked[seat], index)

    def accept_next(self, now_ms: int) -> Accepted | None:
        """Fold the next entry if it can be folded now.

        Raises `NotVerified` if a proof must be verified first, or `PeerFault` for an entry that no honest
        seat acks; the entry is dropped then.
        """
        index = self.tip.head.index + 1
        place = index, self.tip.on_duty
        waiting = self._waiting.get(place)
        if waiting is None:
            return None
        item, entry = waiting
        items = {}
        for name in named_items(entry):
            found = self._items.get(name)
            if found is None:
                return None
            items[name] = found
        is_due = self._is_final_elsewhere(item, entry) or self._is_ready_for(item, entry, now_ms)
        if not is_due:
            return None
        record = OpenRecord(item, entry, items)
        try:
            match, events = step(self.tip, record, self._proofs)
        except PeerFault:
            del self._waiting[place]
            raise
        if not self._is_final_elsewhere(item, entry) and not self._pacing.is_idle(self.tip, events, now_ms):
            return None
        del self._waiting[place]
        accepted = Accepted(record, match, events)
        self._advance(accepted, now_ms)
        return accepted

    def _is_ready_for(self, item: TapeItem, entry: Entry, now_ms: int) -> bool:
        """False while the own clock, tapes or claims say that the entry has to wait."""
        if not self._pacing.is_timely(self.tip, entry, now_ms) or not self._agrees(entry, now_ms):
            return False
        later = self._entries_after((entry.index, item.seat))
        ordered = {name for coming in later for name in ordered_in(coming)}
        taken_up = {name for coming in (entry, *later) for name in (*ordered_in(coming), *cut_in(coming))}
        if item.seat != self._seat and self._patience.passes_over(taken_up, now_ms):
            return False
        return not passes_over(self.tip, item, entry, ordered, self._book)

    def _is_final_elsewhere(self, item: TapeItem, entry: Entry) -> bool:
        """True if a quorum has acked the entry or one that follows it: what is final waits no more."""
        seats = {item.seat}
        index, digest = entry.index, item.digest
        while True:
            acks = self._early_acks.get(index, ())
            seats.update(seat for seat, ack in acks if ack.head.digest == digest)
            following = self._waiting.get((index + 1, item.seat))
            if following is None or following[1].prev != digest:
                return len(seats) >= quorum(self.tip.seats)
            index, digest = index + 1, following[0].digest

    def _entries_after(self, place: tuple[int, Seat]) -> list[Entry]:
        """The entries of the same author that are here and wait for this one."""
        index, author = place
        found = []
        while (waiting := self._waiting.get((index := index + 1, author))) is not None:
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
        author = accepted.record.item.seat
        self._acked[author] = max(self._acked[author], accepted.match.head.index)
        for seat, ack in self._early_acks.pop(accepted.match.head.index, ()):
            self.add_ack(seat, ack)
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
                    if self._silence.is_lapsed(event, self._items, now_ms):
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
            if any(name not in self._book.undecided or self._book.is_blocked(name) for name in claims):
                return False
            if all(found.claims != tuple(sorted(claims)) for found in self._book.decided(logged)):
                return False
            logged.update(claims)
        return True

    def _may_cut(self, cut: CutOff, logged: Set[Digest]) -> bool:
        return self._book.may_cut(cut.claims, [(end.length, end.last) for end in cut.tapes], logged)

    def _is_cut_later(self, entry: Entry, logged: Set[Digest]) -> bool:
        """True if an entry that waits here puts a later cut in the place of that in `entry`."""
        ordered = {*logged, *ordered_in(entry)}
        for coming in self._entries_after((entry.index, self.tip.on_duty)):
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
        reached = sorted(self._acked, reverse=True)[quorum(self.tip.seats) - 1]
        done = []
        while self._unfinal and self._unfinal[0].match.head.index <= reached:
            accepted = self._unfinal.popleft()
            self.final = accepted.match
            done.append(accepted)
            self._patience.note_final(accepted.match, now_ms)
        if done:
            self._follow_cut()
        return done


def _stand(match: Match) -> Ack:
    """The one ack that counts for the entry at the head of a match: of its epoch, term, index and digest."""
    return Ack(epoch=match.epoch, term=match.term, head=match.head)
