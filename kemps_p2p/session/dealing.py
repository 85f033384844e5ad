"""What one seat contributes to the blind deck, and what it alone sees of it.

Knows the seat's secrets; decides nothing: what is owed comes from `duties`. Invariants:

1. A deed is made once; a turn once for each list. A second list comes only of a seat before that said two
   things, and every secret in a turn follows from its list.
2. Turns are made on lists that are not in the log yet, so that turns are pipelined; shares never are.

Section "Deeds" of protocol.md.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from msgspec import structs

from kemps_p2p.codec import Digest, derive, encode
from kemps_p2p.deck.context import SEED_BYTES, number
from kemps_p2p.deck.deal import (
    Deck,
    Seed,
    Shares,
    Turn,
    add_turn,
    check_turn,
    is_shuffled,
    make_key,
    make_shares,
    make_turn,
    next_turn,
    own_face,
)
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Action, Gesture
from kemps_p2p.game.cards import Card
from kemps_p2p.game.gestures import Intent
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.coins import Coin
from kemps_p2p.ledger.tape import NO_DIGEST, CoinReveal, Deed, Statement
from kemps_p2p.session.books import OwnBooks, with_opened
from kemps_p2p.session.deeds import Offered
from kemps_p2p.session.duties import (
    Duty,
    OweAnswer,
    OweBook,
    OweCoin,
    OweKey,
    OweSeed,
    OweShares,
    OweTurn,
    duties,
    is_wanted,
)
from kemps_p2p.session.fold import ProofId
from kemps_p2p.session.match import ATTEMPT, Match, attempt_of, deck_of, fresh_deck
from kemps_p2p.session.messages import (
    BookDeed,
    BookOpenedDeed,
    DeedBody,
    KeyDeed,
    SeedDeed,
    ShareDeed,
    TurnDeed,
)
from kemps_p2p.session.seals import Place, check_seals, deal_of_gestures, seals_of

LIGHT_POSITIONS = 4

OpeningDeed: TypeAlias = SeedDeed | BookOpenedDeed


@dataclass(frozen=True, slots=True)
class Job:
    """Slow, pure work: make an own deed (`proof` None), or verify an offered one."""

    proof: ProofId | None
    work: Callable[[], object]


def _fulfilled(opening: OpeningDeed) -> Duty:
    """The duty that opening a deal or a book fulfils."""
    if isinstance(opening, SeedDeed):
        return OweSeed(opening.deal, opening.attempt)
    return OweBook(opening.deal)


def deal_seed(secret: bytes, deal: int, attempt: int = ATTEMPT) -> bytes:
    """The 32-byte seed of a deal, from the secret that was on disk before anything was sent."""
    return derive("kemps/v1/deal-seed", secret, number(deal), number(attempt))[:32]


def as_statement(body: DeedBody) -> Deed:
    """The deed as it goes on the tape."""
    return Deed(payload=encode(body))


def is_light(offered: Offered) -> bool:
    """True if the proof is verified faster than it is handed to somebody else."""
    match offered.body:
        case KeyDeed() | BookDeed() | BookOpenedDeed():
            return True
        case ShareDeed(shares=shares):
            return len(shares.positions) <= LIGHT_POSITIONS
        case TurnDeed() | SeedDeed():
            return False


class Dealing:
    """One seat's hand in the deals of a match."""

    def __init__(self, seat: Seat, secret: bytes, coins: tuple[Coin, ...]) -> None:
        self._seat = seat
        self._secret = secret
        self._coins = dict(pairwise(coins))
        self.books = OwnBooks(seat, secret)
        self._done: set[tuple[object, ...]] = set()
        self._faces: dict[tuple[int, Position], Card] = {}
        self._turns: dict[tuple[int, int, int, Digest, Seat], tuple[Offered, Turn]] = {}
        self._heard: dict[Duty, OpeningDeed] = {}
        """What opens deals and books of the seat that another had, as that one has told."""
        self._drafted: dict[ProofId, tuple[Deck, Deck]] = {}
        """By turn: the deck that it was last added to on the draft, and what came of it."""

    def fulfil(self, match: Match) -> Iterator[Statement | Job]:
        """Everything this seat owes at a final head and has not done or begun yet. Observers owe nothing."""
        if self._seat == match.founding.observer:
            return
        coin = Coin(match.coins[self._seat])
        for duty in duties(match, self._seat):
            match duty:
                case OweKey(deal, attempt):
                    if self._once("key", deal, attempt):
                        key = make_key(fresh_deck(match, deal).table, self._seat, self._seed(deal, attempt))
                        yield as_statement(KeyDeed(deal=deal, attempt=attempt, key=key))
                case OweShares(deal, round_, positions):
                    fresh = tuple(p for p in positions if self._once("share", deal, p))
                    if fresh:
                        yield from self._share(match.decks[deal, round_], fresh)
                case OweSeed() | OweBook():
                    opening = self._opening(match, duty) or self._heard.get(duty)
                    if opening is not None and self._once(duty):
                        yield as_statement(opening)
                case OweCoin(index):
                    # Contests that are open at once are drawn in their order: one coin each, along the chain.
                    coin = self._coins[coin]
                    if self._once("coin", index):
                        yield CoinReveal(index=index, coin=coin)
                case OweTurn() | OweAnswer():
                    # A turn is taken on the draft, below; an answer is the player's claim.
                    pass

    # What is open once the match is over

    def openings(self, match: Match) -> Iterator[OpeningDeed]:
        """What the own secret opens of what the seat still owes, whoever sits there by now."""
        for duty in duties(match, self._seat):
            if isinstance(duty, OweSeed | OweBook) and (opening := self._opening(match, duty)) is not None:
                yield opening

    def hear(self, match: Match, opening: OpeningDeed) -> bool:
        """Take in what opens a deal or a book of the seat when another had it; true if that is of use.

        Only who had it can know, so it does not matter who says it. What does not fit is passed over: it
        would be the fault of the seat.
        """
        if self._seat == match.founding.observer:
            return False
        duty = _fulfilled(opening)
        if duty not in duties(match, self._seat) or duty in self._heard or (duty,) in self._done:
            return False
        try:
            if isinstance(opening, SeedDeed):
                if len(opening.seed.seed) != SEED_BYTES:
                    return False
                check_seals(seals_of(match, opening.deal, self._seat), self._seat, opening.seed.seed)
                if not self._makes_key(match, opening.deal, opening.seed.seed):
                    return False
            else:
                with_opened(match, self._seat, opening)
        except PeerFault:
            return False
        self._heard[duty] = opening
        return True

    def _opening(self, match: Match, duty: OweSeed | OweBook) -> OpeningDeed | None:
        if isinstance(duty, OweBook):
            return self.books.opened(duty.deal)
        seed = self._seed(duty.deal, duty.attempt)
        if not self._is_own(match, duty.deal, seed):
            return None
        return SeedDeed(deal=duty.deal, attempt=duty.attempt, seed=Seed(seed=seed))

    def recall(self, match: Digest, deed: DeedBody) -> None:
        """What stands on the own tape is done, perhaps by an earlier run of this program."""
        match deed:
            case KeyDeed(deal=deal, attempt=attempt):
                self._done.add(("key", deal, attempt))
            case TurnDeed(deal=deal, attempt=attempt, round=round_, on=on):
                self._done.add(("turn", deal, attempt, round_, on))
            case ShareDeed(deal=deal, shares=shares):
                self._done.update(("share", deal, position) for position in shares.positions)
            case SeedDeed() | BookOpenedDeed():
                self._done.add((_fulfilled(deed),))
            case BookDeed(deal=deal, commitment=commitment):
                self.books.recall(match, deal, commitment)

    def begin(self, coins: tuple[Coin, ...]) -> None:
        """Go on with another chain of coins, as another incarnation of the seat."""
        self._coins = dict(pairwise(coins))

    def has_chain(self, match: Match) -> bool:
        """True if the coins of the seat in a match are the own ones, so that this incarnation sits there."""
        return match.coins[self._seat] in self._coins

    def recall_coin(self, reveal: CoinReveal) -> None:
        """The same, of a coin."""
        self._done.add(("coin", reveal.index))

    def _share(self, deck: Deck, positions: tuple[Position, ...]) -> Iterator[Statement | Job]:
        work = partial(_made_shares, deck, self._seat, self._seed_of(deck), positions)
        if len(positions) <= LIGHT_POSITIONS:
            yield as_statement(work())
        else:
            yield Job(None, work)

    def offer(self, offered: Offered) -> None:
        """Note a turn that came on a tape, for the draft: the first that goes by the item before it."""
        body = offered.body
        if isinstance(body, TurnDeed):
            place = body.deal, body.attempt, body.round, body.on, offered.seat
            self._turns.setdefault(place, (offered, body.turn))

    def draft(self, match: Match) -> Iterator[Job]:
        """Follow the turns on the tapes beyond the log: take the own one as soon as due, and verify each.

        The own turn comes first, since all the others wait for it.
        """
        for (deal, round_), logged in match.decks.items():
            if is_shuffled(logged) or not is_wanted(match, deal):
                continue
            deck, on = logged, match.turned.get((deal, round_), NO_DIGEST)
            attempt = deck.table.attempt
            checks: list[Job] = []
            while (seat := next_turn(deck)) is not None and (deal, attempt, round_, on, seat) in self._turns:
                offered, turn = self._turns[deal, attempt, round_, on, seat]
                on = offered.proof[0]
                if self._once("verify", *offered.proof):
                    checks.append(Job(offered.proof, partial(check_turn, deck, seat, turn)))
                try:
                    deck = self._with(deck, offered, turn)
                except PeerFault:
                    # Its form is wrong: the verification under way says so, with the culprit.
                    break
            if next_turn(deck) == self._seat and self._once("turn", deal, attempt, round_, on):
                yield Job(None, partial(_made_turn, deck, self._seat, self._seed_of(deck), on))
            yield from checks

    def _with(self, deck: Deck, offered: Offered, turn: Turn) -> Deck:
        """`add_turn`, done once for as long as the deck is the same: drafts are made anew all the time."""
        before, after = self._drafted.get(offered.proof, (None, deck))
        if before is not deck:
            after = add_turn(deck, offered.seat, turn)
            self._drafted[offered.proof] = deck, after
        return after

    def faces(self, match: Match, hand: Iterable[Position]) -> dict[Position, Card]:
        """The own cards whose shares are all in but the own one."""
        deal = match.game.deal
        found: dict[Position, Card] = {}
        if attempt_of(match, deal) < match.seated.get(self._seat, ATTEMPT) or not self.has_chain(match):
            # What another incarnation was dealt, it alone can see.
            return found
        for position in hand:
            card = self._faces.get((deal, position))
            if card is None:
                deck = deck_of(match, position)
                index = None
                if deck is not None and is_shuffled(deck):
                    index = own_face(deck, position, self._seat, self._seed_of(deck))
                if index is None:
                    continue
                card = self._faces[deal, position] = Card(index)
            found[position] = card
        return found

    def sealed(self, match: Match, number: int, action: Action, intent: Intent) -> Action:
        """The action, for the own item of this number: a gesture is sealed with what it is made for."""
        if not isinstance(action, Gesture):
            return action
        deal = deal_of_gestures(match)
        place = Place(match.founding.match, deal, self._seat, number)
        return structs.replace(action, seal=place.seal(self._seed(deal, attempt_of(match, deal)), intent))

    def _is_own(self, match: Match, deal: int, seed: bytes) -> bool:
        """True if a seed opens the own part in a deal: not if another incarnation took part in it."""
        return len(match.signers[self._seat]) == 1 or self._makes_key(match, deal, seed)

    def _makes_key(self, match: Match, deal: int, seed: bytes) -> bool:
        deck = match.decks[deal, 0]
        return deck.keys[self._seat] == make_key(deck.table, self._seat, seed)

    def _seed_of(self, deck: Deck) -> bytes:
        return self._seed(deck.table.deal, deck.table.attempt)

    def _seed(self, deal: int, attempt: int = ATTEMPT) -> bytes:
        return deal_seed(self._secret, deal, attempt)

    def _once(self, *what: object) -> bool:
        if what in self._done:
            return False
        self._done.add(what)
        return True


def _made_turn(deck: Deck, seat: Seat, seed: bytes, on: Digest) -> TurnDeed:
    turn = make_turn(deck, seat, seed)
    return TurnDeed(deal=deck.table.deal, attempt=deck.table.attempt, round=deck.round, on=on, turn=turn)


def _made_shares(deck: Deck, seat: Seat, seed: bytes, positions: tuple[Position, ...]) -> ShareDeed:
    shares: Shares = make_shares(deck, seat, seed, positions)
    return ShareDeed(deal=deck.table.deal, attempt=deck.table.attempt, round=deck.round, shares=shares)
