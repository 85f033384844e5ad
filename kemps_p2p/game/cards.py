"""Cards: what is printed on them, their order in a pack, their notation.

Knows nothing of positions or of who holds what. Invariants:

1. A card is an int in pack order, copy*52 + suit*13 + rank, with ranks 23456789TJQKA and suits CDHS.
2. `parse_card` accepts exactly what `format_card` writes.
"""

from collections.abc import Iterable
from typing import NewType

from kemps_p2p.errors import KempsError

Card = NewType("Card", int)
"""A printed card, in pack order; the second copy of a pack counts on from 52."""

RANKS = "23456789TJQKA"
SUITS = "CDHS"
PACK_CARDS = len(RANKS) * len(SUITS)
PACKS_MAX = 2
QUARTET_CARDS = 4
SECOND_COPY = "'"


class CardError(KempsError):
    """A text that names no card."""


def rank(card: Card) -> int:
    """The rank as an index into `RANKS`."""
    return card % len(RANKS)


def suit(card: Card) -> int:
    """The suit as an index into `SUITS`."""
    return card % PACK_CARDS // len(RANKS)


def pack(packs: int) -> tuple[Card, ...]:
    """All cards of so many packs, in pack order."""
    return tuple(Card(index) for index in range(packs * PACK_CARDS))


def is_quartet(cards: Iterable[Card]) -> bool:
    """True for exactly four cards of one rank, from however many packs."""
    ranks = [rank(card) for card in cards]
    return len(ranks) == QUARTET_CARDS and len(set(ranks)) == 1


def alike(cards: Iterable[Card]) -> int:
    """How many cards share the most frequent rank."""
    ranks = [rank(card) for card in cards]
    return max((ranks.count(each) for each in set(ranks)), default=0)


def _name(card: Card) -> str:
    copy = SECOND_COPY * (card // PACK_CARDS)
    return RANKS[rank(card)] + SUITS[suit(card)] + copy


_CARDS = {_name(card): card for card in pack(PACKS_MAX)}
_NAMES = tuple(_CARDS)


def format_card(card: Card) -> str:
    """Rank, suit and, on the second copy, a stroke: `9C`, `9C'`."""
    return _NAMES[card]


def format_cards(cards: Iterable[Card]) -> str:
    """Cards in the order given, with spaces between."""
    return " ".join(_NAMES[card] for card in cards)


def parse_card(text: str) -> Card:
    """Read one card; `CardError` if the text names none."""
    card = _CARDS.get(text)
    if card is None:
        raise CardError(f"no such card: {text!r}")
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards with white space between; none is the empty tuple."""
    return tuple(parse_card(word) for word in text.split())
