"""The table of the worked examples: four seats with fixed keys, a lobby, a wink, a deal of two cards.

Everything is made by the package itself.
"""

from dataclasses import dataclass
from functools import cache

from kemps_p2p.codec import Record, encode
from kemps_p2p.deck.context import Table as DeckTable
from kemps_p2p.deck.deal import (
    Deck,
    add_key,
    add_turn,
    make_key,
    make_turn,
    new_deck,
)
from kemps_p2p.deck.group import (
    RISTRETTO,
)
from kemps_p2p.game import actions as act
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import (
    Entry,
    LogRecord,
    Result,
    Settled,
)
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import (
    Ack,
    Append,
    Claim,
    Head,
    Receipt,
    TapeItem,
    tape_writer,
)
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.genesis import Founding, SignedGenesis
from kemps_p2p.session.lobby import Lobby, Setup
from kemps_p2p.session.messages import (
    LobbyWords,
    read_lobby,
    read_message,
)
from kemps_p2p.session.seals import Place

SEATS = tuple(Seat(seat) for seat in range(4))
NAMES = ("Ann", "Ben", "Cleo", "Dora")
ELAPSED_MS = 1500
WALL_MS = 1_767_225_601_500
CARDS = (0, 13)


def identity(seat: Seat) -> Identity:
    """A seat's identity: its private key is one byte, repeated."""
    return Identity(bytes([0x11 * (seat + 1)]) * 32)


def match_secret(seat: Seat) -> bytes:
    """What a seat draws for this match alone; here one byte, repeated."""
    return bytes([0xA0 + seat]) * 32


@dataclass(frozen=True)
class Table:
    """A table after its lobby: what was said, the genesis and each seat's machine."""

    said: tuple[bytes, ...]
    lobbies: tuple[Lobby, ...]
    founding: Founding
    signed: SignedGenesis


@cache
def table() -> Table:
    """Let four lobbies talk until all have signed."""
    roster = tuple(identity(seat).public for seat in SEATS)
    lobbies = tuple(
        Lobby(
            Setup(
                identity=identity(seat),
                seat=seat,
                roster=roster,
                meeting=bytes(range(32)),
                name=NAMES[seat],
                rules=load_rules("kemps"),
                group=RISTRETTO.name,
                secret=match_secret(seat),
            )
        )
        for seat in SEATS
    )
    said = [message for lobby in lobbies for message in lobby.start()]
    for message in said:
        words = read_message(message)
        assert isinstance(words, LobbyWords)
        for seat, lobby in zip(SEATS, lobbies, strict=True):
            if seat != words.seat and lobby.signed is None:
                said += lobby.receive(words, 0)
    founding, signed = lobbies[0].founding, lobbies[0].signed
    assert founding is not None
    assert signed is not None
    assert all(lobby.signed == signed for lobby in lobbies)
    return Table(tuple(said), lobbies, founding, signed)


def words_of(seat: Seat, kind: type[Record]) -> tuple[bytes, LobbyWords]:
    """What a seat said in the lobby, by the kind of its body: the message and its words."""
    for message in table().said:
        words = read_message(message)
        assert isinstance(words, LobbyWords)
        if words.seat == seat and isinstance(read_lobby(words.raw), kind):
            return message, words
    raise LookupError(f"seat {seat} said no {kind.__name__}")


@dataclass(frozen=True)
class Wink:
    """The first entry of the match: a wink, two receipts, the entry, and an ack of it."""

    claim: TapeItem
    receipts: tuple[TapeItem, ...]
    entry: TapeItem
    ack: TapeItem

    @property
    def record(self) -> LogRecord:
        """The entry as the log holds it."""
        items = (self.claim, *self.receipts)
        return LogRecord(entry=self.entry.signed, items=tuple(item.signed for item in items))


def place(seat: Seat) -> Place:
    """Where a seat's first item makes a gesture."""
    return Place(table().founding.match, 0, seat, 0)


def sealed_wink(seat: Seat) -> act.Gesture:
    """A wink that a seat means, in its first item."""
    return act.Gesture(name="wink", seal=place(seat).seal(seed_of(seat), Intent.MEANT))


@cache
def wink() -> Wink:
    """The seat left of the dealer winks, the two after it have seen it, and the dealer orders it."""
    founding = table().founding
    dealer = founding.drawn_dealer
    left, across, right = (Seat((dealer + step) % len(SEATS)) for step in (1, 2, 3))
    tapes = {seat: tape_writer(founding.match, seat, identity(seat)) for seat in SEATS}

    def write(seat: Seat, *body: Claim | Receipt | Ack | Append) -> TapeItem:
        item = tapes[seat].write(body)
        for tape in tapes.values():
            tape.see(item.item.lamport)
        return item

    head = Head(index=0, digest=founding.match)
    claim = write(left, Claim(head=head, action=encode(sealed_wink(left)), rivals=()))
    receipts = tuple(write(seat, Receipt(claim=claim.digest, rivals=())) for seat in (across, right))
    event = Settled(claim=claim.digest, result=Result.OK, evidence=tuple(item.digest for item in receipts))
    entry = Entry(
        index=1,
        prev=founding.match,
        epoch=0,
        term=0,
        elapsed_ms=ELAPSED_MS,
        wall_ms=WALL_MS,
        events=(event,),
    )
    appended = write(dealer, Append(entry=encode(entry)))
    ack = write(left, Ack(epoch=0, term=0, head=Head(index=1, digest=appended.digest)))
    return Wink(claim, receipts, appended, ack)


def seed_of(seat: Seat) -> bytes:
    """A seat's seed of deal 0."""
    return deal_seed(match_secret(seat), 0)


@cache
def decks() -> tuple[Deck, ...]:
    """A deal of two cards: with all keys, then after each turn."""
    deck = new_deck(DeckTable(RISTRETTO, table().founding.match, 0, 0, len(SEATS)), CARDS)
    for seat in SEATS:
        deck = add_key(deck, seat, make_key(deck.table, seat, seed_of(seat)))
    out = [deck]
    for seat in SEATS:
        out.append(add_turn(out[-1], seat, make_turn(out[-1], seat, seed_of(seat))))
    return tuple(out)
