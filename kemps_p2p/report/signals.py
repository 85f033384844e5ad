"""What gestures were worth: how often each told the truth, and whether one went with anything but a quartet.

Works from what an audit has folded and from opened seeds; whose hand is not open is not judged. Invariants:

1. A gesture is judged by the hand that its seat held at the entry that logged it, and by nothing later.
2. Ties are looked for among all gestures, sealed as decoys or not: a seal is its maker's word.
3. Chances are corrected for the number of comparisons; a match too short to show anything says so.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from math import comb, sqrt

from kemps_p2p.game.cards import RANKS, Card, alike, is_quartet, rank, suit
from kemps_p2p.game.events import Gestured
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.record import is_running
from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Settled
from kemps_p2p.report.knowledge import Deals, shown_deals
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.books import book_in_force
from kemps_p2p.session.chaincheck import Step
from kemps_p2p.session.match import Match
from kemps_p2p.session.seals import opened_intents

Z_95 = 1.959964
CHANCE_MAX = 0.05
"""A tie that chance alone makes more often than this is none."""
DEALS_MIN = 3
"""So many deals with a gesture, and as many without, are compared at least."""


@dataclass(frozen=True, slots=True)
class Made:
    """A gesture that was made in a running deal. `hand`: empty if the log does not show it."""

    seat: Seat
    deal: int
    name: str
    intent: Intent | None
    hand: tuple[Card, ...]

    @property
    def has_quartet(self) -> bool:
        """True if its maker held a quartet."""
        return is_quartet(self.hand)


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    count: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies, 95 times of 100: Wilson's interval."""
        if self.of == 0:
            return 0.0, 1.0
        share, weight = self.count / self.of, Z_95**2 / self.of
        middle = (share + weight / 2) / (1 + weight)
        reach = Z_95 * sqrt(share * (1 - share) / self.of + weight / (4 * self.of)) / (1 + weight)
        return max(middle - reach, 0.0), min(middle + reach, 1.0)


@dataclass(frozen=True, slots=True)
class Uses:
    """What one seat has done with one gesture.

    `in_book`: it was a signal when it was made, or, if it never was, in some deal; by the own book, or by the
    partner's if the seat has sealed none. `honest`: with a quartet, of those that were meant and whose hand
    is open.
    """

    name: str
    in_book: bool
    honest: Share
    meant: int
    decoys: int
    sealed: int
    """How many it is not known of whether they were meant."""

    @property
    def count(self) -> int:
        """How often it was made."""
        return self.meant + self.decoys + self.sealed


class BookState(Enum):
    """What became of a sealed book."""

    OPEN = "open"
    SEALED = "sealed"
    FALSE = "false"


@dataclass(frozen=True, slots=True)
class Book:
    """A signal book of a seat, in force from a deal on."""

    deal: int
    state: BookState
    signals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tie:
    """How a gesture went with something about a hand that was no quartet, deal by deal.

    `with_it`, `without`: in how many deals the hand had it, where the gesture was made and where only others
    were. `chance`: that they part so far by accident; `corrected`: that any of the comparisons does.
    """

    seat: Seat
    name: str
    trait: str
    with_it: Share
    without: Share
    chance: float
    corrected: float

    @property
    def is_telling(self) -> bool:
        """True if chance alone hardly makes it."""
        return self.corrected < CHANCE_MAX


@dataclass(frozen=True, slots=True)
class SeatSignals:
    """One seat's books and gestures, those in books first."""

    seat: Seat
    books: tuple[Book, ...]
    uses: tuple[Uses, ...]


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Gestures and what else hands had. `ties`: closest first; `could_tell`: some tie could have shown."""

    count: int
    could_tell: bool
    ties: tuple[Tie, ...]


@dataclass(frozen=True, slots=True)
class Signals:
    """What a log says of gestures."""

    seats: tuple[SeatSignals, ...]
    compared: Comparisons


def signals_of(audit: Audit) -> Signals | None:
    """The report on a log; None if no entry of it holds."""
    match = audit.match
    if match is None:
        return None
    made = tuple(_all_made(audit, match))
    seats = tuple(_of_seat(match, Seat(seat), made) for seat in range(match.seats))
    return Signals(seats, compare(made))


def _all_made(audit: Audit, match: Match) -> Iterator[Made]:
    deals, intents = shown_deals(audit), opened_intents(match)
    for step in audit.steps:
        yield from _made_in(step, deals, intents)


def _made_in(step: Step, deals: Deals, intents: Mapping[tuple[Seat, int], Intent]) -> Iterator[Made]:
    for cause, part in zip(step.record.entry.events, step.parts, strict=True):
        game = part.match.game
        if not isinstance(cause, Settled) or not is_running(game):
            continue
        item = step.record.items[cause.claim]
        for event in part.events:
            if isinstance(event, Gestured):
                faces, held = deals.get(game.deal, {}), game.hands[event.seat]
                hand = tuple(faces[position] for position in held if position in faces)
                seen = hand if len(hand) == len(held) else ()
                intent = intents.get((item.seat, item.item.number))
                yield Made(event.seat, game.deal, event.name, intent, seen)


# Books and uses


def _of_seat(match: Match, seat: Seat, made: Sequence[Made]) -> SeatSignals:
    own = [each for each in made if each.seat == seat]
    names = {each.name: None for each in own}
    books = tuple(_books(match, seat))
    signals = {name for deal in range(match.game.deal + 1) for name in _book(match, seat, deal)}
    names.update(dict.fromkeys(sorted(signals)))
    uses = [_uses(match, seat, name, [each for each in own if each.name == name]) for name in names]
    return SeatSignals(
        seat, books, tuple(sorted(uses, key=lambda use: (not use.in_book, -use.count, use.name)))
    )


def _books(match: Match, seat: Seat) -> Iterator[Book]:
    opened = match.opened_books.get(seat, {})
    for deal in match.books.get(seat, {}):
        signals = opened.get(deal)
        if signals is None:
            yield Book(deal, BookState.FALSE if deal in opened else BookState.SEALED, ())
        else:
            yield Book(deal, BookState.OPEN, signals)


def _book(match: Match, seat: Seat, deal: int) -> tuple[str, ...]:
    """The signals of a seat in a deal: by its own book; by its partner's only if it has sealed none."""
    has_own = any(since <= deal for since in match.books.get(seat, {}))
    whose = seat if has_own else partner_of(seat, match.seats)
    return book_in_force(match, whose, deal) or ()


def _uses(match: Match, seat: Seat, name: str, made: Sequence[Made]) -> Uses:
    counts = Counter(each.intent for each in made)
    judged = [each for each in made if each.intent is Intent.MEANT and each.hand]
    asked = {each.deal for each in made} or range(match.game.deal + 1)
    return Uses(
        name=name,
        in_book=any(name in _book(match, seat, deal) for deal in asked),
        honest=Share(sum(each.has_quartet for each in judged), len(judged)),
        meant=counts[Intent.MEANT],
        decoys=counts[Intent.DECOY],
        sealed=counts[None],
    )


# Ties


def compare(made: Sequence[Made]) -> Comparisons:
    """Look for ties between each gesture of each seat and whatever else a hand can have."""
    seats = sorted({each.seat for each in made})
    cells = tuple(cell for seat in seats for cell in _cells(seat, made))
    count = len(cells) * len(TRAITS)
    ties = sorted((tie for cell in cells for tie in _ties(cell, count)), key=lambda tie: tie.chance)
    # As close as can be: all deals with the gesture have it, and no others.
    least = min((1 / comb(len(cell.made) + len(cell.others), len(cell.made)) for cell in cells), default=1.0)
    return Comparisons(count, 0 < least * count < CHANCE_MAX, tuple(ties))


def _has_pairs(hand: Sequence[Card]) -> bool:
    return sum(held >= 2 for held in Counter(map(rank, hand)).values()) > 1


def _has_rank(wanted: int, hand: Sequence[Card]) -> bool:
    return sum(rank(card) == wanted for card in hand) >= 2


def _has_suit(wanted: int, hand: Sequence[Card]) -> bool:
    return sum(suit(card) == wanted for card in hand) >= 3


def _traits() -> Iterator[tuple[str, Callable[[Sequence[Card]], bool]]]:
    yield "three of a kind", lambda hand: alike(hand) >= 3
    yield "two pairs", _has_pairs
    for number, name in enumerate(RANKS):
        yield f"two or more of rank {'10' if name == 'T' else name}", partial(_has_rank, number)
    for number, name in enumerate(("clubs", "diamonds", "hearts", "spades")):
        yield f"three or more {name}", partial(_has_suit, number)


TRAITS = dict(_traits())
"""What a signal could tell of a hand beside a quartet, and how to see it."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """The hands, one a deal, in which a seat made a gesture first, and in which it made only others."""

    seat: Seat
    name: str
    made: tuple[tuple[Card, ...], ...]
    others: tuple[tuple[Card, ...], ...]


def _cells(seat: Seat, made: Sequence[Made]) -> Iterator[_Cell]:
    """Gestures of one deal are not independent of each other, so that a deal counts once."""
    own = [each for each in made if each.seat == seat and each.hand and not each.has_quartet]
    for name in sorted({each.name for each in own}):
        first: dict[int, tuple[Card, ...]] = {}
        other: dict[int, tuple[Card, ...]] = {}
        for each in own:
            (first if each.name == name else other).setdefault(each.deal, each.hand)
        others = tuple(hand for deal, hand in other.items() if deal not in first)
        if len(first) >= DEALS_MIN and len(others) >= DEALS_MIN:
            yield _Cell(seat, name, tuple(first.values()), others)


def _ties(cell: _Cell, comparisons: int) -> Iterator[Tie]:
    for trait, has in TRAITS.items():
        with_it = Share(sum(map(has, cell.made)), len(cell.made))
        without = Share(sum(map(has, cell.others)), len(cell.others))
        chance = fisher(with_it, without)
        yield Tie(cell.seat, cell.name, trait, with_it, without, chance, min(chance * comparisons, 1.0))


def fisher(one: Share, other: Share) -> float:
    """The chance that so many or more of `one` have what both share in, were it dealt out blindly."""
    have, of_all = one.count + other.count, one.of + other.of
    ways = sum(
        comb(have, count) * comb(of_all - have, one.of - count)
        for count in range(one.count, min(have, one.of) + 1)
    )
    return ways / comb(of_all, one.of)
