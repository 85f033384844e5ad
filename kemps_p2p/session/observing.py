"""The observer: a witness without a seat, and how it is struck when it lies, or gives no receipts any more.

Knows no rules and no deck. Invariants:

1. An observer gives receipts and says nothing else. An item of its that does proves its fault, and counts for
   nothing.
2. It is struck by an entry, once and for good: for silence only by the words of a quorum of seats, each by
   its own clock. The claims of that entry are still judged with it; from the next one on seats alone are
   asked. So what a claim is judged by follows from the chain, and never from who holds which receipts.

Section "Observer" of protocol.md.
"""

from collections.abc import Sequence

from msgspec import structs

from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Blamed, Entry, Struck, named_items
from kemps_p2p.ledger.evidence import contradiction
from kemps_p2p.ledger.tape import Receipt, TapeItem
from kemps_p2p.session.absence import check_unheard, strike_seat
from kemps_p2p.session.fold import Fold


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
    """Fold the strike of whoever is silent: of a seat, or of an observer that gives no receipts."""
    match = fold.match
    if 0 <= event.seat < match.seats:
        strike_seat(fold, event)
        return
    if event.seat != match.observer:
        raise fold.fault(Fault.BAD_ENTRY, f"tape {event.seat} is no observer's that could be struck")
    if match.cut is not None:
        raise fold.fault(Fault.BAD_ORDER, "the observer is struck while its words count in a cut")
    check_unheard(fold, event)
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
