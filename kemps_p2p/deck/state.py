"""One round of a deal as a value: keys, turns, and the book of shares so far.

Verifies no proof. Invariants:

1. Every point in a deck is canonical, verified or not; a first list alone holds the identity.
2. The list before a turn is the one that the turn before it left, or the cards in the clear, in pack order.
3. A deck holds no secret.

Section "Blind deck" of protocol.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from kemps_p2p.codec import Digest, Record
from kemps_p2p.deck.context import Context, Stage, Table, number
from kemps_p2p.deck.group import Point
from kemps_p2p.deck.shares import DealKey
from kemps_p2p.deck.shuffle import Blinded, ShuffleProof, first_list
from kemps_p2p.ids import Position, Seat

CARDS_MAX = 1024
"""No round shuffles more; the largest rule book has two packs, 104 cards."""
START = Position(0)


class Turn(Record, frozen=True):
    """A seat's shuffle turn: the list that it leaves, and the proof that no card changed."""

    input: Digest
    a: tuple[bytes, ...]
    c: tuple[bytes, ...]
    proof: ShuffleProof


class Seed(Record, frozen=True):
    """A seat's opening of its commitment, after which all its secrets of the deal are known."""

    seed: bytes


@dataclass(frozen=True, slots=True)
class Deck:
    """One round of a deal: `cards` are shuffled onto the positions from `first` on.

    `shares[index][seat]` is that seat's share of position `first + index`, None while it is not in.
    """

    table: Table
    round: int
    first: Position
    cards: tuple[int, ...]
    keys: tuple[DealKey | None, ...]
    joint_key: Point | None
    turns: tuple[Turn, ...]
    shares: tuple[tuple[Point | None, ...], ...]

    @property
    def positions(self) -> range:
        """The positions of this round."""
        return range(self.first, self.first + len(self.cards))

    def context(self, seat: Seat, stage: Stage) -> Context:
        """Return what binds a seat's message of a stage to this round."""
        return Context(self.table, self.round, seat, stage)


def _round_cards(cards: Sequence[int]) -> tuple[int, ...]:
    held = tuple(cards)
    if not 0 < len(held) <= CARDS_MAX or len(set(held)) != len(held):
        raise ValueError("a round shuffles some cards, each once")
    return held


def _empty_book(table: Table, count: int) -> tuple[tuple[Point | None, ...], ...]:
    return ((None,) * table.seats,) * count


def new_deck(table: Table, cards: Sequence[int], round: int = 0, first: Position = START) -> Deck:  # noqa: A002
    """Start a deal; `cards` are the card indices in pack order."""
    held = _round_cards(cards)
    return Deck(
        table=table,
        round=round,
        first=first,
        cards=held,
        keys=(None,) * table.seats,
        joint_key=None,
        turns=(),
        shares=_empty_book(table, len(held)),
    )


def next_round(deck: Deck, cards: Sequence[int], first: Position) -> Deck:
    """Start another round of the same deal, such as a swept pool that comes back, under the same keys."""
    if deck.joint_key is None or first < deck.positions.stop:
        raise ValueError("a round comes after the keys, on positions of its own")
    held = _round_cards(cards)
    book = _empty_book(deck.table, len(held))
    return replace(deck, round=deck.round + 1, first=first, cards=held, turns=(), shares=book)


def is_shuffled(deck: Deck) -> bool:
    """Whether every seat has taken its turn."""
    return len(deck.turns) == deck.table.seats


def list_before(deck: Deck, seat: Seat) -> Blinded:
    """Return the list on which a seat takes its turn; for the number of seats, the last list."""
    if seat == 0:
        return first_list(deck.table.group, deck.cards)
    turn = deck.turns[seat - 1]
    # Invariant 1: they have been found to be points.
    return Blinded(cast("tuple[Point, ...]", turn.a), cast("tuple[Point, ...]", turn.c))


def input_digest(deck: Deck, seat: Seat, inputs: Blinded) -> Digest:
    """Identify the input list of a turn together with its whole context."""
    return _input_digest(deck.context(seat, Stage.TURN), joint_key_of(deck), inputs)


@lru_cache(maxsize=64)
def _input_digest(context: Context, key: Point, inputs: Blinded) -> Digest:
    """Asked on the draft, in the fold, and for a proof."""
    return context.digest("input", key, number(len(inputs.c)), *inputs.a, *inputs.c)


def joint_key_of(deck: Deck) -> Point:
    """Return the joint key of a deck that has all its keys."""
    if deck.joint_key is None:
        raise ValueError("not all keys are in")
    return deck.joint_key


def index_of(deck: Deck, position: Position) -> int:
    """Return where in its round a position lies."""
    if position not in deck.positions:
        raise ValueError(f"position {position} is not of this round")
    return position - deck.first
