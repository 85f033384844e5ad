"""Seats that leak: honest machines but for one carelessness, at which no peer can take offence, or does."""

from collections.abc import Iterator
from functools import partial
from unittest.mock import patch

from secrecy_small import sticky, turn_with

from kemps_p2p.codec import Digest
from kemps_p2p.deck import shares as shares_module
from kemps_p2p.deck.context import Secrets
from kemps_p2p.deck.deal import Deck, make_shares
from kemps_p2p.deck.group import scalar_bytes
from kemps_p2p.deck.shares import secret_key
from kemps_p2p.deck.shuffle import Reblinding, secret_order
from kemps_p2p.game.cards import QUARTET_CARDS
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.coins import Coin
from kemps_p2p.ledger.tape import CoinReveal, Statement
from kemps_p2p.session import dealing
from kemps_p2p.session import effects as fx
from kemps_p2p.session.dealing import Dealing, Job, as_statement
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.match import ATTEMPT
from kemps_p2p.session.messages import ShareDeed, TurnDeed, Whisper, pack
from kemps_p2p.session.play import Play

STOCK = Position(51)
"""The last card of the stock, which a short match never comes to."""


class SaysMore(Play):
    """Says one thing more, in an item of its own, as soon as hands are dealt."""

    _has_said = False

    def _more(self) -> tuple[Statement, ...]:
        raise NotImplementedError

    def _speak(self, now_ms: int) -> bool:
        has_spoken = super()._speak(now_ms)
        if not self._has_said and self.final.game.hands and self.final.game.deal == 0:
            self._has_said = True
            self._write(self._more(), now_ms)
            return True
        return has_spoken

    @property
    def seed(self) -> bytes:
        return self._dealing._seed(0)

    def shares_of(self, *positions: Position) -> Statement:
        made = make_shares(self.final.decks[0, 0], self.seat, self.seed, positions)
        return as_statement(ShareDeed(deal=0, attempt=ATTEMPT, round=0, shares=made))


class SharesOwnHand(SaysMore):
    """Says its share of a card of its own hand in public, as if it were to be shown."""

    def _more(self) -> tuple[Statement, ...]:
        return (self.shares_of(Position(self.seat * QUARTET_CARDS)),)


class SharesStock(SaysMore):
    """Says its share of a card that nobody has been dealt."""

    def _more(self) -> tuple[Statement, ...]:
        return (self.shares_of(STOCK),)


class Chatters(SaysMore):
    """Whispers the seed of the deal to its partner, printed, and takes its key for a coin."""

    def _more(self) -> tuple[Statement, ...]:
        text = f"seed {self.seed.hex()}"
        self._effects.append(fx.Send(pack(Whisper(text=text)), Seat((self.seat + 2) % 4)))
        key = secret_key(self.final.decks[0, 0].table, self.seat, self.seed)
        return (CoinReveal(index=0, coin=scalar_bytes(key)),)


class _Reusing(Dealing):
    """Proves all shares with one nonce."""

    def __init__(self, seat: Seat, secret: bytes, coins: tuple[Coin, ...]) -> None:
        super().__init__(seat, secret, coins)
        self._nonces = sticky("w")

    def _share(self, deck: Deck, positions: tuple[Position, ...]) -> Iterator[Statement | Job]:
        with patch.object(shares_module, "nonces", self._nonces):
            made = dealing._made_shares(deck, self._seat, self._seed(deck.table.deal), positions)
        yield as_statement(made)


class ReusesNonce(Play):
    """Proves all shares with one nonce."""

    def __init__(
        self, setup: Setup, founding: Founding, coins: tuple[Coin, ...], now_ms: int, wall_ms: int
    ) -> None:
        super().__init__(setup, founding, coins, now_ms, wall_ms)
        self._dealing = _Reusing(setup.seat, setup.secret, coins)


class ReusesOrder(Play):
    """Takes every turn with one permutation and, as `has_fixed_factors` says, the same factors."""

    has_fixed_factors = True

    def _begin(self, job: Job) -> None:
        if isinstance(job.work, partial) and job.work.func is dealing._made_turn:
            job = Job(None, partial(self._made_turn, *job.work.args))
        super()._begin(job)

    def _made_turn(self, deck: Deck, seat: Seat, seed: bytes, on: Digest) -> TurnDeed:
        binding = b"fixed" if self.has_fixed_factors else deck.table.deal.to_bytes(1, "big")
        count = len(deck.cards)
        order = secret_order(Secrets(bytes(32), b"fixed"), count)
        secret = Reblinding(order, Secrets(bytes(32), binding).scalars("factor", count))
        turn = turn_with(deck, seat, seed, secret)
        return TurnDeed(deal=deck.table.deal, attempt=ATTEMPT, round=deck.round, on=on, turn=turn)


class ReusesOrderAlone(ReusesOrder):
    """The same permutation, with fresh factors."""

    has_fixed_factors = False
