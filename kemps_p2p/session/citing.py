"""Which items show a stranger that a set of claims is decided: the evidence of an entry, as few as can be.

Knows claims and tapes, no rules. Section "Evidence of an entry" of protocol.md.
"""

from collections.abc import Collection, Iterable, Iterator, Set

from kemps_p2p.codec import Digest
from kemps_p2p.ledger.claimbook import ClaimBook
from kemps_p2p.ledger.poll import DecidedSet, needed_words
from kemps_p2p.ledger.tape import Claim, Receipt, TapeItem
from kemps_p2p.session.match import Match
from kemps_p2p.session.materials import Materials


def evidences_for(
    match: Match, at_hand: Materials, found: DecidedSet, done: Set[Digest]
) -> Iterator[tuple[Digest, ...]]:
    """The items that decide a set for a stranger, without the claims themselves; the fewest first.

    An uncontested claim rests on `need` receipts that name no undecided rival. Else all that the tapes say
    of the claims and of whatever conflicts with them, directly or through others, is carried.
    """
    alone = _receipts_alone(match, at_hand, found, done)
    if alone is not None:
        yield tuple(name for name in alone if name not in found.claims)
    yield tuple(name for name in _all_around(at_hand, found, done) if name not in found.claims)


def _receipts_alone(
    match: Match, at_hand: Materials, found: DecidedSet, done: Set[Digest]
) -> dict[Digest, None] | None:
    """`need` receipts and the logged rivals that they and the claim name; None if one is undecided."""
    book = at_hand.book
    claim = found.claims[0]
    need = needed_words(match.seats, match.observer)
    receipts = [
        item
        for seat, item in book.mentions(claim).items()
        if seat != book.undecided[claim].seat
        and not _undecided(book, (item.digest, *_rivals_named(item, found.claims)), done)
    ]
    if len(found.claims) > 1 or len(receipts) < need:
        return None
    names = dict.fromkeys(item.digest for item in receipts[:need])
    todo = [claim, *names]
    while todo:
        # A named rival's item may have words on the claim too, and they count.
        for rival in _rivals_named(at_hand.items[todo.pop()], found.claims):
            if _undecided(book, (rival,), done):
                return None
            if rival not in names:
                names[rival] = None
                todo.append(rival)
    return names


def _all_around(at_hand: Materials, found: DecidedSet, done: Set[Digest]) -> dict[Digest, None]:
    """The set, what conflicts with it or is named with it, through others too, and all mentions of those."""
    book = at_hand.book
    reached: dict[Digest, None] = dict.fromkeys(found.claims)
    names: dict[Digest, None] = {}
    size = -1
    while size < len(reached) + len(names):
        size = len(reached) + len(names)
        for claim in tuple(reached):
            names[claim] = None
            names.update(dict.fromkeys(item.digest for item in book.mentions(claim).values()))
            # Beside its rivals: what makes a refused claim a refused one.
            for other in (*sorted(book.undecided[claim].rivals), *book.before_of_kind(claim)):
                if other in book.undecided and other not in done:
                    reached[other] = None
        for name in tuple(names):
            # An item of words may make a claim as well, which then is one of the evidence.
            if name in book.undecided and name not in done:
                reached[name] = None
            for rival in _rivals_named(at_hand.items[name], reached):
                names[rival] = None
                if rival in book.undecided and rival not in done:
                    reached[rival] = None
    return names


def _rivals_named(item: TapeItem, claims: Collection[Digest]) -> Iterator[Digest]:
    """The rivals that an item names where it mentions one of some claims."""
    for statement in item.item.body:
        match statement:
            case Claim(rivals=rivals) if item.digest in claims:
                yield from rivals
            case Receipt(claim=claim, rivals=rivals) if claim in claims:
                yield from rivals
            case _:
                continue


def _undecided(book: ClaimBook, rivals: Iterable[Digest], done: Set[Digest]) -> tuple[Digest, ...]:
    return tuple(rival for rival in rivals if rival in book.undecided and rival not in done)
