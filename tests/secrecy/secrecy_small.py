"""Deals of a few cards, said in items as on a tape, at which one seat can be careless with its secrets."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from unittest.mock import patch

from snoop import Finding, Snoops, early
from snoop_table import Public

from kemps_p2p.codec import Digest, Transcript, encode
from kemps_p2p.deck import context, shares, shuffle
from kemps_p2p.deck.context import Secrets, Stage, Table
from kemps_p2p.deck.deal import (
    Deck,
    Turn,
    add_key,
    add_turn,
    check_key,
    check_shares,
    check_turn,
    list_digest,
    make_key,
    make_shares,
    make_turn,
    new_deck,
    next_round,
)
from kemps_p2p.deck.group import RISTRETTO
from kemps_p2p.deck.shuffle import Reblinding, Statement, prove, reblind, reblinding
from kemps_p2p.deck.state import list_before
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.tape import NO_DIGEST, Deed, Item, Signed
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.messages import DeedBody, KeyDeed, ShareDeed, TurnDeed

CARDS = range(8)
SEATS = range(4)
CARELESS = Seat(2)
"""A seat with others before and behind it."""
MATCH = Digest(b"m" * 32)

Nonces = Callable[[bytes, Transcript], Secrets]


@dataclass
class Small:
    """What was said at the table so far. `at` is the number of the next piece."""

    secrets: dict[int, bytes] = field(
        default_factory=lambda: {seat: bytes([seat + 1]) * 32 for seat in SEATS}
    )
    pieces: list[tuple[int, bytes]] = field(default_factory=list)
    rounds: dict[tuple[int, int], tuple[tuple[int, ...], int]] = field(default_factory=dict)

    def seed(self, deal: int, seat: int) -> bytes:
        return deal_seed(self.secrets[seat], deal)

    def say(self, seat: int, body: DeedBody) -> None:
        """Put a deed into an item of a tape; the snoop does not look at links or signatures."""
        number = len(self.pieces)
        item = Item(
            match=MATCH, seat=seat, incarnation=0, number=number, prev=NO_DIGEST, lamport=number + 1,
            body=(Deed(payload=encode(body)),),
        )  # fmt: skip
        self.pieces.append((number, encode(Signed(raw=encode(item), signature=bytes(64)))))

    def keys(self, deal: int, nonces: Nonces | None = None) -> Deck:
        """A new deal, with all keys."""
        table = Table(RISTRETTO, MATCH, deal, 0, len(SEATS))
        deck = new_deck(table, CARDS)
        self.rounds[deal, 0] = (deck.cards, deck.first)
        for seat in map(Seat, SEATS):
            with _Drawing(nonces if seat == CARELESS else None):
                key = make_key(table, seat, self.seed(deal, seat))
            check_key(table, seat, key)
            deck = add_key(deck, seat, key)
            self.say(seat, KeyDeed(deal=deal, attempt=0, key=key))
        return deck

    def again(self, deck: Deck) -> Deck:
        """The same cards, swept and to be shuffled back."""
        deck = next_round(deck, deck.cards, Position(deck.positions.stop))
        self.rounds[deck.table.deal, deck.round] = (deck.cards, deck.first)
        return deck

    def turn(
        self, deck: Deck, seat: Seat, secret: Reblinding | None = None, nonces: Nonces | None = None
    ) -> Deck:
        """The turn of a seat with a permutation and factors; the peers find nothing wrong with it."""
        seed = self.seed(deck.table.deal, seat)
        with _Drawing(nonces):
            turn = make_turn(deck, seat, seed) if secret is None else turn_with(deck, seat, seed, secret)
        check_turn(deck, seat, turn)
        deal = deck.table.deal
        self.say(seat, TurnDeed(deal=deal, attempt=0, round=deck.round, on=NO_DIGEST, turn=turn))
        return add_turn(deck, seat, turn)

    def shuffled(self, deck: Deck, secret: Reblinding | None = None, nonces: Nonces | None = None) -> Deck:
        """All turns of a round; that of the careless seat with the given secrets."""
        for seat in map(Seat, SEATS):
            deck = self.turn(deck, seat, secret, nonces) if seat == CARELESS else self.turn(deck, seat)
        return deck

    def share(self, deck: Deck, positions: Iterable[int], nonces: Nonces | None = None) -> None:
        """Shares of the careless seat, in one message."""
        seed = self.seed(deck.table.deal, CARELESS)
        with _Drawing(nonces):
            said = make_shares(deck, CARELESS, seed, tuple(map(Position, positions)))
        check_shares(deck, CARELESS, said)
        self.say(CARELESS, ShareDeed(deal=deck.table.deal, attempt=0, round=deck.round, shares=said))

    def found(self) -> list[Finding]:
        """What the others found out about the careless seat."""
        public = Public(RISTRETTO, len(SEATS), self.rounds, {})
        return Snoops(public, self.pieces, self.secrets, (CARELESS,)).of(CARELESS)

    def leaks(self, due: Sequence[tuple[int, int]] = ()) -> list[Finding]:
        """What they should not have; the cards that are due were due from the beginning."""
        return early(self.found(), dict.fromkeys(due, 0))


def honest_secret(small: Small, deck: Deck) -> Reblinding:
    """The permutation and factors that the careless seat would use if it were not careless."""
    seed = small.seed(deck.table.deal, CARELESS)
    return reblinding(Secrets(seed, list_digest(deck)), len(deck.cards))


def turn_with(deck: Deck, seat: Seat, seed: bytes, secret: Reblinding) -> Turn:
    """A turn that is proven as it should be, with any permutation and factors."""
    assert deck.joint_key is not None
    inputs = list_before(deck, seat)
    outputs = reblind(deck.table.group, deck.joint_key, inputs, secret)
    statement = Statement(deck.context(seat, Stage.TURN), deck.joint_key, inputs, outputs)
    return Turn(input=list_digest(deck), a=outputs.a, c=outputs.c, proof=prove(statement, secret, seed))


class _Drawing:
    """Proofs draw their nonces by another function for a while."""

    def __init__(self, nonces: Nonces | None) -> None:
        drawn = context.nonces if nonces is None else nonces
        self._patches = [patch.object(module, "nonces", drawn) for module in (shuffle, shares)]

    def __enter__(self) -> None:
        for each in self._patches:
            each.start()

    def __exit__(self, *_: object) -> None:
        for each in self._patches:
            each.stop()


def sticky(label: str, step: int = 0) -> Nonces:
    """Nonces of which those of one label are the same in every proof, or `step` more each time."""
    count = -1

    class Sticky(Secrets):
        def scalar(self, label_: str, index: int = 0) -> int:
            if label_ != label:
                return Secrets.scalar(self, label_, index)
            return Secrets(bytes(32), b"sticky").scalar(label, index) + step * count

    def drawn(seed: bytes, transcript: Transcript) -> Secrets:
        nonlocal count
        count += 1
        return Sticky(seed, context.nonces(seed, transcript).binding)

    return drawn


def fixed(label: str, value: int) -> Nonces:
    """Nonces of which those of one label are a number that anyone can guess."""

    class Fixed(Secrets):
        def scalar(self, label_: str, index: int = 0) -> int:
            return Secrets.scalar(self, label_, index) if label_ != label else value + index

    return lambda seed, transcript: Fixed(seed, context.nonces(seed, transcript).binding)
