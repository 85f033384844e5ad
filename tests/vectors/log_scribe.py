"""A whole match written by hand: what every seat says, and the entries that order it.

The scribe holds all keys. It plays honestly unless it is told to lie; it uses the fold to know the state and
nothing of the machines that play live, so that its logs change with the protocol and with nothing else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

from msgspec import structs

from kemps_p2p.codec import Digest, encode, tagged_hash
from kemps_p2p.deck.deal import Seed, make_key, make_shares, make_turn
from kemps_p2p.game.actions import Action, Gesture, Go, Next
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.rules import RuleSet, Start, canonical_text
from kemps_p2p.game.state import next_dealer
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import Coin, coin_chain
from kemps_p2p.ledger.entry import (
    Carried,
    Contest,
    Drawn,
    Entry,
    Event,
    LogRecord,
    Note,
    Result,
    Settled,
    TakeOver,
    entry_of,
    named_items,
)
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import (
    NO_DIGEST,
    Ack,
    Append,
    Claim,
    CoinReveal,
    Deed,
    HandOver,
    Head,
    Join,
    Receipt,
    Statement,
    Suspect,
    TapeItem,
    TapeWriter,
    tape_writer,
)
from kemps_p2p.ledger.term import on_duty
from kemps_p2p.session.books import book_commitment
from kemps_p2p.session.claims import draw
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.duties import OweBook, OweKey, OweSeed, OweShares, OweTurn, duties
from kemps_p2p.session.fold import Fold, OpenRecord, Proofs
from kemps_p2p.session.genesis import (
    GENESIS_LABEL,
    NO_COIN,
    NO_MATCH,
    Genesis,
    ObservedGenesis,
    SeatRecord,
    SignedGenesis,
    found,
    name_commitment,
)
from kemps_p2p.session.logfile import ANNEX_LABEL, Annex, annex_message, header_of
from kemps_p2p.session.match import Match, attempt_of, begin, fresh_deck
from kemps_p2p.session.messages import (
    PROTOCOL_VERSION,
    BookDeed,
    BookOpenedDeed,
    Checkpoint,
    Closed,
    DeedBody,
    KeyDeed,
    NoteBody,
    PlayStarted,
    SeedDeed,
    ShareDeed,
    TurnDeed,
)
from kemps_p2p.session.replay import step
from kemps_p2p.session.seals import Place, deal_of_gestures

NAMES = ("Ann", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hal")
SIGNALS = ("wink", "ear tug")
HOLDER = 9
"""Whose identity it is that holds a seat of a player who is away."""
ENTRY_MS = 1000
"""Between two entries."""
WALL_MS = 1_767_225_600_000


def identity(seat: int) -> Identity:
    """A seat's identity."""
    return Identity.derived(b"vectors", f"seat {seat}")


def secret(seat: int) -> bytes:
    """What a seat draws for the match alone."""
    return tagged_hash("kemps/v1/sim-secret", b"vectors", bytes([seat]))


@cache
def coins_of(seat: int) -> tuple[Coin, ...]:
    """A seat's coins, from the published end on."""
    return coin_chain(secret(seat))


def salted(name: str, seat: int) -> bytes:
    """32 bytes of a seat, for nonces and salts."""
    return tagged_hash("kemps/v1/sim-secret", name.encode(), bytes([seat]))


@dataclass(slots=True)
class Scribe:
    """A match under way, and its log so far."""

    match: Match
    pens: tuple[TapeWriter, ...]
    objects: list[bytes]
    items: dict[Digest, TapeItem] = field(default_factory=dict)
    last: TapeItem | None = None
    """The item with the last entry."""

    @classmethod
    def seated(cls, rules: RuleSet, players: int, group: str, *, observers: int = 0) -> "Scribe":
        """A match at genesis. One observer at most, whose number is that after the last seat's."""
        people = range(players + observers)
        seats = tuple(
            SeatRecord(
                key=identity(seat).public,
                name=name_commitment(salted("name", seat), NAMES[seat]),
                coin=coins_of(seat)[0] if seat < players else NO_COIN,
                nonce=salted("nonce", seat),
                nonce_salt=salted("nonce salt", seat),
            )
            for seat in people
        )
        genesis = Genesis(
            version=PROTOCOL_VERSION,
            group=group,
            rules=canonical_text(rules),
            seats=seats[:players],
            previous=NO_MATCH,
            matches=0,
        )
        if observers:
            genesis = ObservedGenesis(**structs.asdict(genesis), observer=seats[players])
        raw = encode(genesis)
        founding = found(raw)
        signatures = tuple(identity(seat).sign(GENESIS_LABEL, founding.match) for seat in people)
        signed = SignedGenesis(raw=raw, signatures=signatures)
        pens = tuple(tape_writer(founding.match, Seat(seat), identity(seat)) for seat in people)
        return cls(begin(founding), pens, [encode(header_of(founding)), encode(signed)])

    def copy(self) -> "Scribe":
        """The same match at the same place, to go on from otherwise."""
        pens = []
        for seat, old in enumerate(self.pens):
            pens.append(self.pen(seat))
            pens[-1].begin(old.incarnation, old.number, old.prev)
            pens[-1].see(old.lamport)
        return Scribe(self.match, tuple(pens), list(self.objects), dict(self.items), self.last)

    def pen(self, seat: int) -> TapeWriter:
        """A pen for a seat, with the key that signs for it now."""
        key = self.match.signers[seat][-1].key
        signs = next(who for who in map(identity, (seat, HOLDER)) if who.public == key)
        return tape_writer(self.match.founding.match, Seat(seat), signs)

    def take(self, seat: int, end: tuple[int, Digest]) -> None:
        """Whoever a seat was given to just now writes from here on."""
        pens = list(self.pens)
        pens[seat] = self.pen(seat)
        pens[seat].begin(len(self.match.signers[seat]) - 1, *end)
        pens[seat].see(self.pens[seat].lamport)
        self.pens = tuple(pens)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """All seats."""
        return tuple(map(Seat, range(self.match.seats)))

    @property
    def index(self) -> int:
        """The index of the next entry."""
        return self.match.head.index + 1

    @property
    def on_duty(self) -> Seat:
        """Who writes it."""
        return self.match.on_duty

    @property
    def log(self) -> bytes:
        """The log so far."""
        return b"".join(self.objects)

    # Tapes

    def say(self, seat: int, *body: Statement) -> TapeItem:
        """The next item of a seat, heard by all at once."""
        item = self.pens[seat].write(body)
        self.hear(item)
        return item

    def hear(self, item: TapeItem) -> None:
        """Every seat has seen this item."""
        self.items[item.digest] = item
        for pen in self.pens:
            pen.see(item.item.lamport)

    def claim(self, seat: int, action: Action, *rivals: TapeItem, head: Head | None = None) -> TapeItem:
        """A claim against the last head; `rivals`: what its tape shows already. Gestures count as meant."""
        at = self.match.head if head is None else head
        if isinstance(action, Gesture) and not action.seal:
            action = structs.replace(action, seal=self.seal(seat, Intent.MEANT))
        names = tuple(sorted(rival.digest for rival in rivals))
        return self.say(seat, Claim(head=at, action=encode(action), rivals=names))

    def seal(self, seat: int, intent: Intent) -> Digest:
        """The seal of a gesture in the next item of a seat."""
        deal = deal_of_gestures(self.match)
        place = Place(self.match.founding.match, deal, Seat(seat), self.pens[seat].number)
        return place.seal(deal_seed(secret(seat), deal, attempt_of(self.match, deal)), intent)

    def see(self, claim: TapeItem, *seats: int, after: Sequence[TapeItem] = ()) -> tuple[TapeItem, ...]:
        """Receipts of some seats, each naming the rivals that its tape shows already."""
        names = tuple(sorted(rival.digest for rival in after))
        return tuple(self.say(seat, Receipt(claim=claim.digest, rivals=names)) for seat in seats)

    def witnesses(self, seat: int) -> tuple[Seat, ...]:
        """As many seats as make one claim of this seat be seen."""
        need = (self.match.seats - 2) // 2 + 1
        return tuple(other for other in self.seats if other != seat)[:need]

    # Entries

    def entry(self, *events: Event, **lies: object) -> Entry:
        """The next entry, or one that lies about its fields."""
        fields: dict[str, object] = {
            "index": self.index,
            "prev": self.match.head.digest,
            "epoch": self.match.epoch,
            "term": self.match.term,
            "elapsed_ms": self.match.elapsed_ms + ENTRY_MS,
            "wall_ms": WALL_MS + self.match.elapsed_ms + ENTRY_MS,
            "events": events,
        }
        return Entry(**{**fields, **lies})  # type: ignore[arg-type]

    def put(
        self, *events: Event, by: Seat | None = None, names: Sequence[Digest] | None = None, **lies: object
    ) -> int:
        """Log an entry unchecked, true or not, and return its index; `names`: what lies beside it instead."""
        entry = self.entry(*events, **lies)
        self.last = self.say(self.on_duty if by is None else by, Append(entry=encode(entry)))
        beside = named_items(entry) if names is None else tuple(names)
        items = tuple(self.items[name].signed for name in beside)
        self.objects.append(encode(LogRecord(entry=self.last.signed, items=items)))
        return self.index

    def order(self, *events: Event, by: Seat | None = None, **lies: object) -> None:
        """Log an entry and fold it."""
        self.put(*events, by=by, names=None, **lies)
        assert self.last is not None
        entry = entry_of(self.last)
        assert entry is not None
        items = {name: self.items[name] for name in named_items(entry)}
        self.match, _ = step(self.match, OpenRecord(self.last, entry, items), Proofs(is_eager=True))

    def hand_over(self, *seats: int, **lies: object) -> TakeOver:
        """What begins the next term, with hand-overs of these seats: of the last entry, or as lies say."""
        term = self.match.term + 1
        items = []
        for seat in seats:
            fields: dict[str, object] = {
                "term": term,
                "normal": self.match.head_term,
                "head": self.match.head,
            }
            said = HandOver(**{**fields, **lies})  # type: ignore[arg-type]
            items.append(self.say(seat, Suspect(term=term - 1), Join(term=term), said))
        return TakeOver(items=tuple(item.digest for item in items))

    @property
    def next_on_duty(self) -> tuple[Seat, int]:
        """Who takes over, and the term."""
        term = self.match.term + 1
        return on_duty(self.match.seats, self.match.founding.first_dealer, term), term

    def note(self, body: NoteBody) -> Note:
        """A note as an event."""
        return Note(payload=encode(body))

    def settled(self, claim: TapeItem, evidence: Sequence[TapeItem], result: Result = Result.OK) -> Settled:
        """A claim as the first of all that conflict with it."""
        return Settled(claim=claim.digest, result=result, evidence=tuple(item.digest for item in evidence))

    def do(self, seat: int, action: Action, result: Result = Result.OK) -> None:
        """Claim, be seen, and be logged."""
        claim = self.claim(seat, action)
        self.order(self.settled(claim, self.see(claim, *self.witnesses(seat)), result))

    # Duties

    def deed(self, seat: int, body: DeedBody) -> TapeItem:
        """A deed on a tape."""
        return self.say(seat, Deed(payload=encode(body)))

    def owed(self, seat: Seat, *, prepares: bool = False) -> DeedBody | None:
        """The first deed that a seat owes, made honestly; None if it owes none.

        `prepares`: for the shuffle of a deal; else shares and seeds.
        """
        match = self.match
        for duty in duties(match, seat):
            match duty:
                case OweKey(deal, attempt) if prepares:
                    key = make_key(
                        fresh_deck(match, deal).table, seat, deal_seed(secret(seat), deal, attempt)
                    )
                    return KeyDeed(deal=deal, attempt=attempt, key=key)
                case OweTurn(deal, round_, attempt) if prepares:
                    turn = make_turn(match.decks[deal, round_], seat, deal_seed(secret(seat), deal, attempt))
                    on = match.turned.get((deal, round_), NO_DIGEST)
                    return TurnDeed(deal=deal, attempt=attempt, round=round_, on=on, turn=turn)
                case OweShares(deal, round_, positions, attempt) if not prepares:
                    seed = deal_seed(secret(seat), deal, attempt)
                    shares = make_shares(match.decks[deal, round_], seat, seed, positions)
                    return ShareDeed(deal=deal, attempt=attempt, round=round_, shares=shares)
                case OweBook(deal) if not prepares:
                    return BookOpenedDeed(deal=deal, salt=salted("book", seat), signals=SIGNALS)
                case OweSeed(deal, attempt) if not prepares:
                    seed = deal_seed(secret(seat), deal, attempt)
                    return SeedDeed(deal=deal, attempt=attempt, seed=Seed(seed=seed))
                case _:
                    continue
        return None

    def seal_book(self, seat: Seat) -> None:
        """Seal a book of the signals that all seats have here, for the coming deal."""
        deal = self.match.coming_deal
        said = book_commitment(self.match.founding.match, deal, seat, salted("book", seat), SIGNALS)
        self.order(Carried(item=self.deed(seat, BookDeed(deal=deal, commitment=said)).digest))

    def give(self, seat: Seat, *, prepares: bool = False) -> TapeItem | None:
        """The first deed that a seat owes, on its tape; None if it owes none."""
        body = self.owed(seat, prepares=prepares)
        return None if body is None else self.deed(seat, body)

    def fulfil(self, *, prepares: bool = False) -> None:
        """One deed of every seat that owes one, in one entry."""
        given = [self.give(seat, prepares=prepares) for seat in self.seats]
        events = [Carried(item=item.digest) for item in given if item is not None]
        assert events, "nobody owes anything"
        self.order(*events)

    # A match

    def shuffle(self) -> None:
        """Keys and turns of the coming deal."""
        self.fulfil(prepares=True)
        for _ in self.seats:
            self.fulfil(prepares=True)

    def start(self, scores: tuple[int, ...] | None = None) -> None:
        """Start the coming deal; `scores`: after it, if it is lost as it starts."""
        game, founding = self.match.game, self.match.founding
        dealer = next_dealer(game, founding.drawn_dealer)
        assert dealer is not None
        claim = self.claim(dealer, Next())
        seen = self.see(claim, *self.witnesses(dealer))
        after = game.scores if scores is None else scores
        started = Checkpoint(deal=self.match.coming_deal, dealer=dealer, scores=after)
        self.order(self.settled(claim, seen), self.note(started))

    def deal(self) -> None:
        """Shuffle, start the coming deal, show what everybody may see, and open play."""
        self.shuffle()
        self.start()
        self.fulfil()
        if self.match.founding.rules.start is Start.GO:
            self.do(self.match.game.dealer, Go())
        else:
            self.order(self.note(PlayStarted()))

    def contest(self, claims: Sequence[TapeItem], evidence: Sequence[TapeItem]) -> None:
        """Name claims that are together, and draw them."""
        names = tuple(sorted(claim.digest for claim in claims))
        self.order(Contest(claims=names, evidence=tuple(item.digest for item in evidence)))
        self.order(self.drawn())

    def coins(self) -> tuple[TapeItem, ...]:
        """The coins that the one open contest waits for."""
        (opened,) = self.match.contests
        coins = []
        for seat in opened.claimants():
            chain = coins_of(seat)
            coin = chain[chain.index(Coin(self.match.coins[seat])) + 1]
            coins.append(self.say(seat, CoinReveal(index=opened.index, coin=coin)))
        return tuple(coins)

    def drawn(self) -> Drawn:
        """The draw of the one open contest, with its coins said."""
        (opened,) = self.match.contests
        coins = self.coins()
        order, results = draw(
            Fold(self.match, self.on_duty, self.items, Proofs(is_eager=True)), opened, coins
        )
        names = tuple(coin.digest for coin in coins)
        return Drawn(index=opened.index, coins=names, order=order, results=results)

    # The end

    def annex(
        self,
        seat: int = 0,
        by: int | None = None,
        *,
        certificate: Callable[[tuple[TapeItem, ...]], tuple[TapeItem, ...]] = lambda acks: acks,
        names: Callable[[tuple[tuple[str, bytes], ...]], tuple[tuple[str, bytes], ...]] = lambda names: names,
    ) -> bytes:
        """One seat's annex, with the acks of all, or with lies about them. `by`: with another one's key."""
        assert self.last is not None
        match = self.match
        ack = Ack(epoch=match.epoch, term=match.term, head=match.head)
        acks = tuple(self.say(other, ack) for other in self.seats if other != self.last.seat)
        signed = tuple(item.signed for item in certificate(acks))
        people = range(self.match.founding.tapes)
        known = names(tuple((NAMES[other], salted("name", other)) for other in people))
        message = annex_message(match.founding.match, match.head.digest, seat, signed)
        signature = identity(seat if by is None else by).sign(ANNEX_LABEL, message)
        return encode(Annex(seat=seat, certificate=signed, names=known, signature=signature))

    def close(self) -> None:
        """Open all seeds, close the match, and add the annex."""
        while any(self.owed(seat) is not None for seat in self.seats):
            self.fulfil()
        self.order(self.note(Closed()))
        self.objects.append(self.annex())
