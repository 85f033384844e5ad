"""When this peer doubts the sequencer, joins another term, hands its chain over, and takes the duty over.

Times are by the own clock; what follows from them is safe whatever it says. Invariants:

1. From joining a term until an entry of it is accepted the seat acks nothing and orders nothing.
2. Whatever it has said about terms is on its own tape: a peer that reads its tape again goes on from there.
3. Doubts are raised only while a quorum is heard of, so that a table that is cut apart does not use up terms.

Section "Terms" of protocol.md.
"""

from collections.abc import Callable, Iterator

from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Entry, TakeOver, quorum
from kemps_p2p.ledger.tape import HandOver, Head, Join, Statement, Suspect
from kemps_p2p.ledger.term import TermBook, chosen, hand_over_in, on_duty
from kemps_p2p.session.match import Match
from kemps_p2p.session.pacing import Pacing
from kemps_p2p.session.takeover import take_over_in

SILENCE_MS = 1500
"""How long a sequencer may be silent. Every peer says its status five times a second."""

STALL_MS = 2500
"""How long a sequencer may leave undone what this peer would order, or an entry may stay without a quorum."""

LOOK_MS = 20
"""How often a seat asks its clock whether the sequencer fails it, at most: more would show nothing sooner."""

ASK_AGAIN_MS = 250
DOUBLINGS_MAX = 5


class HandingOver:
    """One seat's part in passing on the ordering duty."""

    def __init__(self, seat: Seat, start: Match, pacing: Pacing, now_ms: int) -> None:
        self._seat = seat
        self._seats = start.seats
        self._first_dealer = start.founding.first_dealer
        self._pacing = pacing
        self.terms = TermBook(start.seats, start.head)
        self._moved = (start.head, start.head, 0)
        self._moved_at_ms = now_ms
        self._looked_at_ms = now_ms - LOOK_MS
        self._asked_at_ms = now_ms
        self._undone_since_ms: int | None = None
        self._distrusted = -1
        self._worked_term = start.term

    @property
    def joined(self) -> int:
        """The term that the own seat has joined last."""
        return self.terms.joined(self._seat)

    def is_normal(self, tip: Match) -> bool:
        """True unless the own seat has joined a term of which it holds no entry yet."""
        return self.joined <= tip.head_term

    def distrust(self, term: int) -> None:
        """The sequencer of this term has written what no honest seat acks."""
        self._distrusted = max(self._distrusted, term)

    def follow(self, entry: Entry, match: Match) -> None:
        """An entry is final. One that orders something shows that terms are not changed too fast."""
        if take_over_in(entry) is None:
            self._worked_term = max(self._worked_term, match.term)

    def says(
        self, tip: Match, final: Match, now_ms: int, has_work: Callable[[], bool]
    ) -> Iterator[Statement]:
        """What the own seat has to say about terms now. `has_work`: there is something to order."""
        joined = self.joined
        self._note_progress(tip, final, joined, now_ms)
        if final.is_closed:
            return
        term = max(tip.term, joined)
        has_doubts = self.terms.has_doubts(self._seat, term)
        if not has_doubts and self._is_doubtful(tip, final, term, now_ms, has_work):
            yield Suspect(term=term)
        wanted = self.terms.wanted()
        if wanted > max(joined, tip.head_term):
            # Others have to hear of it first; then comes the hand-over.
            yield Join(term=wanted)
            return
        if joined <= tip.head_term:
            # The term has begun with what others handed over; the ack of its entry goes out with these words.
            return
        normal, head = self.terms.stand(self._seat)
        has_handed_over = self._seat in self.terms.hand_overs(joined)
        if normal < joined and self.terms.is_joined(joined) and not has_handed_over:
            yield HandOver(term=joined, normal=normal, head=head)

    def _note_progress(self, tip: Match, final: Match, joined: int, now_ms: int) -> None:
        moved = (tip.head, final.head, joined)
        if moved != self._moved:
            self._moved, self._moved_at_ms = moved, now_ms
            self._undone_since_ms = None

    def _is_doubtful(
        self, tip: Match, final: Match, term: int, now_ms: int, has_work: Callable[[], bool]
    ) -> bool:
        is_distrusted = term <= self._distrusted
        if now_ms - self._looked_at_ms < LOOK_MS and not is_distrusted:
            return False
        author = on_duty(self._seats, self._first_dealer, term)
        if author == self._seat:
            return False
        self._looked_at_ms = now_ms
        if not self._hears_quorum(now_ms):
            return False
        if is_distrusted:
            return True
        factor = 1 << min(max(0, term - self._worked_term), DOUBLINGS_MAX)
        if not self._pacing.is_there((author,), SILENCE_MS * factor, now_ms):
            return True
        if not self.is_normal(tip) or tip.head != final.head:
            return now_ms - self._moved_at_ms >= STALL_MS * factor
        if now_ms - max(self._asked_at_ms, self._moved_at_ms) >= ASK_AGAIN_MS:
            self._asked_at_ms = now_ms
            if not has_work():
                self._undone_since_ms = None
            elif self._undone_since_ms is None:
                self._undone_since_ms = now_ms
        return self._undone_since_ms is not None and now_ms - self._undone_since_ms >= STALL_MS * factor

    def _hears_quorum(self, now_ms: int) -> bool:
        heard = sum(self._pacing.is_there((seat,), SILENCE_MS, now_ms) for seat in range(self._seats))
        return heard >= quorum(self._seats)

    def to_take_over(self, tip: Match) -> tuple[TakeOver, Head] | None:
        """The own take-over of the term joined, and the head that it goes on from, once it is due."""
        term = self.joined
        if term <= tip.head_term or on_duty(self._seats, self._first_dealer, term) != self._seat:
            return None
        items = self.terms.hand_overs(term)
        if len(items) < quorum(self._seats) or self.terms.stand(self._seat)[0] >= term:
            return None
        by_seat = [items[seat] for seat in sorted(items)]
        votes = [vote for item in by_seat if (vote := hand_over_in(item, term)) is not None]
        return TakeOver(items=tuple(item.digest for item in by_seat)), chosen(votes).head
