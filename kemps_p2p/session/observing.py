"""The observer: a witness without a seat, and how it is struck when it lies, or gives no receipts any more.

Knows no rules and no deck. Invariants:

1. An observer gives receipts and says nothing else. An item of its that does proves its fault, and counts for
   nothing.
2. It is struck by an entry, once and for good: for silence only by the words of a quorum of seats, each by
   its own clock. The claims of that entry are still judged with it; from the next one on seats alone are
   asked. So what a claim is judged by follows from the chain, and never from who holds which receipts.

Section "Observer" of protocol.md.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import structs

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Blamed, Entry, Struck, named_items, quorum
from kemps_p2p.ledger.evidence import contradiction
from kemps_p2p.ledger.tape import Receipt, TapeItem, Unheard
from kemps_p2p.ledger.tapebook import TapeBook
from kemps_p2p.session.fold import Fold
from kemps_p2p.session.match import Match

STRIKE_MS = 5000
"""How long an observer may owe receipts and give none, and how long a word that says so stands once it is
back.
"""


def is_out_of_place(item: TapeItem) -> bool:
    """True if an item says what an observer may not say."""
    return not all(isinstance(statement, Receipt) for statement in item.item.body)


def check_words(observer: Seat | None, item: TapeItem) -> None:
    """Raise `PeerFault` WRONG_SEAT, its own fault, for an observer's item with more in it than receipts."""
    if item.seat == observer and is_out_of_place(item):
        raise PeerFault(Fault.WRONG_SEAT, "an observer says what only a seat may", culprit=item.seat)


def check_named(fold: Fold, entry: Entry) -> None:
    """Raise if an entry rests on what its observer says out of place; only blame may."""
    observer = fold.match.founding.observer
    if observer is None:
        return
    others = tuple(event for event in entry.events if not isinstance(event, Blamed))
    for name in named_items(structs.replace(entry, events=others)):
        item = fold.items[name]
        if item.seat == observer and is_out_of_place(item):
            raise fold.fault(Fault.BAD_EVIDENCE, "an entry rests on what an observer may not say")


# Striking


def struck(fold: Fold, event: Struck) -> None:
    """Fold the strike of an observer that gives no receipts, by the words of a quorum."""
    match = fold.match
    if event.seat != match.observer:
        raise fold.fault(Fault.BAD_ENTRY, f"tape {event.seat} is no observer's that could be struck")
    if match.cut is not None:
        raise fold.fault(Fault.BAD_ORDER, "the observer is struck while its words count in a cut")
    items = [fold.items[name] for name in event.words]
    seats = [item.seat for item in items]
    if seats != sorted(set(seats)) or len(seats) < quorum(match.seats) or max(seats) >= match.seats:
        raise fold.fault(Fault.BAD_EVIDENCE, "a strike without the words of a quorum of seats")
    if not set[Unheard].intersection(*({*unheard_in(item)} for item in items)):
        raise fold.fault(Fault.BAD_EVIDENCE, "the words of a strike do not say the same")
    _strike(fold)


def blamed_observer(fold: Fold, items: Sequence[TapeItem]) -> None:
    """Fold a proven fault of the observer, which has no deal to lose: it is struck."""
    match items:
        case [item] if is_out_of_place(item):
            pass
        case [first, second] if contradiction(first, second) is not None:
            pass
        case _:
            raise fold.fault(Fault.BAD_BLAME, "the evidence proves no fault of the observer")
    if fold.match.observer is None:
        raise fold.fault(Fault.BAD_BLAME, "the observer is struck already")
    _strike(fold)


def _strike(fold: Fold) -> None:
    if fold.strikes:
        raise fold.fault(Fault.BAD_ENTRY, "the observer is struck twice in one entry")
    fold.strikes = True


def unheard_in(item: TapeItem) -> Iterator[Unheard]:
    """What an item says of an observer that gives no receipts."""
    return (said for said in item.item.body if isinstance(said, Unheard))


class Silence:
    """How long the observer has owed receipts here, by this peer's clock, and what others say of that.

    At a table without an observer there is nothing to say.
    """

    def __init__(self, seat: Seat, observer: Seat | None, tapes: TapeBook) -> None:
        self._seat = seat
        self._observer = observer
        self._tapes = tapes
        self._length = 0
        self._answered_count = 0
        self._owed_since_ms: int | None = None
        self._said_length = -1
        self._words: list[TapeItem] = []

    def hear(self, item: TapeItem) -> None:
        """Take in an item with a word on the observer."""
        self._words.append(item)
        if item.seat == self._seat:
            # Said by an earlier run of this program, perhaps: it is not said again.
            self._said_length = max((said.length for said in unheard_in(item)), default=self._said_length)

    def strike(self, match: Match) -> Struck | None:
        """The strike that the words of a quorum call for; none if its tape goes on here: then it is back."""
        if match.observer is None or not self._words:
            return None
        length, last = self._tapes.end(match.observer)
        said = Unheard(length=length, last=last)
        by_seat: dict[Seat, Digest] = {}
        for item in self._words:
            if said in unheard_in(item):
                by_seat.setdefault(item.seat, item.digest)
        if len(by_seat) < quorum(match.seats):
            return None
        chosen = sorted(by_seat)[: quorum(match.seats)]
        return Struck(seat=match.observer, words=tuple(by_seat[seat] for seat in chosen))

    def follow(self, held_count: int, now_ms: int) -> None:
        """Note what has come. `held_count`: of claims, so far; any item of the observer makes up for all."""
        if self._observer is None:
            return
        length, _ = self._tapes.end(self._observer)
        if length != self._length:
            self._length, self._answered_count, self._owed_since_ms = length, held_count, None
        elif self._owed_since_ms is None and held_count > self._answered_count:
            self._owed_since_ms = now_ms

    def words(self, match: Match, now_ms: int) -> Iterator[Unheard]:
        """What a seat has to say of the observer now: at most one word, once for each end of its tape."""
        if match.observer in (None, self._seat) or self._owed_since_ms is None:
            return
        if self._said_length == self._length or now_ms - self._owed_since_ms < STRIKE_MS:
            return
        self._said_length, last = self._tapes.end(match.observer)
        yield Unheard(length=self._length, last=last)

    def is_lapsed(self, event: Struck, items: Mapping[Digest, TapeItem], now_ms: int) -> bool:
        """True if the observer is back here for so long that whoever strikes it must know."""
        if self._observer is None or not event.words:
            # What is wrong with such a strike, and whose fault it is, the fold says.
            return False
        for said in unheard_in(items[event.words[0]]):
            held_at_ms = self._tapes.held_at_ms(self._observer, max(said.length, 0))
            if held_at_ms is not None and now_ms - held_at_ms > STRIKE_MS:
                return True
        return False
