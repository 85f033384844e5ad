"""What gestures were worth, as lines for people and as one JSON object.

Everything that comes from a log is made harmless by `wording`. What the figures mean, and what they do not,
is said beside them.
"""

from collections.abc import Iterator

from kemps_p2p.ids import Seat
from kemps_p2p.report.signals import (
    CHANCE_MAX,
    Book,
    BookState,
    Comparisons,
    SeatSignals,
    Share,
    Signals,
    Tie,
    Uses,
)
from kemps_p2p.wording.people import People, counted, listed
from kemps_p2p.wording.plain import plain

TIES_MAX = 5
"""So many ties are told in lines; JSON has them all."""

HOW_TO_READ = (
    "A gesture is honest if its maker held a quartet at the entry that logged it.",
    "Whether it was meant is its maker's word: sealed with it, opened by the seed.",
    "A sealed book binds before the deal. Partners can mean more than they seal.",
)


def signals_lines(signals: Signals, people: People) -> Iterator[str]:
    """The report, for people."""
    for seat in signals.seats:
        yield people.seat(seat.seat)
        yield from (f"  {line}" for line in _seat_lines(seat))
    yield ""
    yield "anything but a quartet:"
    yield from (f"  {line}" for line in _tie_lines(signals.compared, people))
    yield ""
    yield "how to read this:"
    yield from (f"  {line}" for line in HOW_TO_READ)


def _seat_lines(seat: SeatSignals) -> Iterator[str]:
    if not seat.books:
        yield "sealed no book of signals"
    for book in seat.books:
        yield _book_text(book)
    if not seat.uses:
        yield "made no gesture in play"
    for use in seat.uses:
        yield f"{plain(use.name)}{' (in the book)' if use.in_book else ''}: {_uses_text(use)}"


def _book_text(book: Book) -> str:
    since = f"book from deal {book.deal + 1}"
    match book.state:
        case BookState.OPEN:
            return f"{since}: {listed([plain(name) for name in book.signals])}"
        case BookState.SEALED:
            return f"{since}: never opened, so nobody can tell what it says"
        case BookState.FALSE:
            return f"{since}: opened falsely, which lost the match"


def _uses_text(use: Uses) -> str:
    if not use.count:
        return "never made"
    told = []
    if use.meant:
        told.append(f"meant {_times(use.meant)}, {_honest_text(use.honest)}")
    if use.decoys:
        told.append(f"a decoy {_times(use.decoys)}")
    if use.sealed:
        told.append(f"{_times(use.sealed)} without an open seal")
    return "; ".join(told)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _honest_text(share: Share) -> str:
    if not share.of:
        return "with a hand that is not open"
    if share.of == 1:
        return "honest" if share.count else "not honest"
    low, high = (_percent(end) for end in share.interval)
    return f"{share.count or 'none'} of them honest, so {low} to {high} of the time (95 % interval)"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _tie_lines(compared: Comparisons, people: People) -> Iterator[str]:
    if not compared.count:
        yield "no gesture was made in enough deals without a quartet to compare anything"
        return
    yield (
        f"{counted(compared.count, 'comparison')} of a gesture with something about the hand; a tie is "
        f"told only if chance makes one like it in less than {_percent(CHANCE_MAX)} of such matches"
    )
    telling = [tie for tie in compared.ties if tie.is_telling]
    for tie in telling[:TIES_MAX]:
        yield _tie_text(tie, people)
    if len(telling) > TIES_MAX:
        yield f"and {len(telling) - TIES_MAX} more"
    if telling:
        yield "a tie is no proof: it may have another cause, and it says nothing about who knew of it"
    elif not compared.could_tell:
        yield "none; but this match is too short: not even a perfect tie would have shown"
    else:
        yield "none; that is no proof that there was none"
        yield f"the closest: {_tie_text(compared.ties[0], people)}"


def _tie_text(tie: Tie, people: People) -> str:
    return (
        f"{plain(tie.name)} of {people.seat(tie.seat)} and {tie.trait}: in {_of(tie.with_it)} deals with the "
        f"gesture, in {_of(tie.without)} with other gestures only; by chance alone {_chance(tie.chance)}, "
        f"and {_chance(tie.corrected)} that any of the comparisons comes out so"
    )


def _of(share: Share) -> str:
    return f"{share.count} of {share.of}"


def _chance(chance: float) -> str:
    return "under 0.1 %" if chance < 0.001 else f"{100 * chance:.1f} %"


# JSON


def signals_json(signals: Signals) -> dict[str, object]:
    """The report as one object."""
    return {
        "seats": [_seat_json(seat) for seat in signals.seats],
        "comparisons": signals.compared.count,
        "could_tell": signals.compared.could_tell,
        "ties": [_tie_json(tie) for tie in signals.compared.ties],
    }


def _seat_json(seat: SeatSignals) -> dict[str, object]:
    books = [
        {"deal": book.deal, "state": book.state.value, "signals": list(book.signals)} for book in seat.books
    ]
    return {"seat": _number(seat.seat), "books": books, "gestures": [_uses_json(use) for use in seat.uses]}


def _number(seat: Seat) -> int:
    return int(seat)


def _uses_json(use: Uses) -> dict[str, object]:
    return {
        "name": use.name,
        "in_book": use.in_book,
        "meant": use.meant,
        "honest": _share_json(use.honest),
        "decoys": use.decoys,
        "sealed": use.sealed,
    }


def _share_json(share: Share) -> dict[str, object]:
    low, high = share.interval
    return {"count": share.count, "of": share.of, "low": low, "high": high}


def _tie_json(tie: Tie) -> dict[str, object]:
    return {
        "seat": _number(tie.seat),
        "name": tie.name,
        "trait": tie.trait,
        "with_it": {"count": tie.with_it.count, "of": tie.with_it.of},
        "without": {"count": tie.without.count, "of": tie.without.of},
        "chance": tie.chance,
        "corrected": tie.corrected,
        "is_telling": tie.is_telling,
    }
