"""Every function that reads the bytes or the text of others, and true bytes and texts to start from."""

from collections.abc import Callable
from functools import cache

from kemps_p2p.codec import decode, encode, frame
from kemps_p2p.deck.deal import (
    DealKey,
    Deck,
    Seed,
    Shares,
    Table,
    Turn,
    add_key,
    add_shares,
    add_turn,
    check_key,
    check_seed,
    check_shares,
    check_turn,
    make_key,
    make_shares,
    make_turn,
    new_deck,
    next_turn,
)
from kemps_p2p.deck.group import STUB
from kemps_p2p.errors import KempsError, NotSeated, PeerFault
from kemps_p2p.game.cards import CardError, parse_card, parse_cards
from kemps_p2p.game.rules import RuleError, canonical_text, load_rules, load_text, read_rules, rule_names
from kemps_p2p.game.scenario import ScenarioError, run_scenario
from kemps_p2p.game.scenario_file import parse_scenario
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import Entry, LogRecord, entry_of
from kemps_p2p.ledger.evidence import Equivocation, check_equivocation
from kemps_p2p.ledger.identity import check_key as check_identity_key
from kemps_p2p.ledger.tape import (
    ITEM_LABEL,
    NO_DIGEST,
    Append,
    Claim,
    CoinReveal,
    Deed,
    Head,
    Item,
    Receipt,
    Signed,
    Statement,
    open_item,
)
from kemps_p2p.runtime.guests import read_sealed
from kemps_p2p.runtime.handshake import read_clear
from kemps_p2p.runtime.meeting import CONTACT_LABEL, Contact, SignedContact, read_contact
from kemps_p2p.session.audit import audit
from kemps_p2p.session.deeds import read_item
from kemps_p2p.session.fold import Proofs, open_record
from kemps_p2p.session.genesis import found, read_genesis
from kemps_p2p.session.logfile import read_object, version_of
from kemps_p2p.session.match import begin
from kemps_p2p.session.messages import (
    read_deed,
    read_lobby,
    read_message,
    read_note,
)
from kemps_p2p.session.replay import step
from kemps_p2p.wording.words import CodeError, read_code
from protocol_table import identity, table
from vectors.form import FOLDER, read
from vectors.make_ledger import signed_by
from vectors.make_session import first_entry

FOUNDING = table().founding


# Readers of bytes


@cache
def deck() -> Deck:
    """A shuffled deck whose cards are not hidden."""
    made = new_deck(Table(STUB, FOUNDING.match, 0, 0, 4), range(4))
    for seat in map(Seat, range(4)):
        made = add_key(made, seat, make_key(made.table, seat, bytes([seat]) * 32))
    while (turn := next_turn(made)) is not None:
        made = add_turn(made, turn, make_turn(made, turn, bytes([turn]) * 32))
    return made


def key_on_a_deck(data: bytes) -> None:
    key = decode(data, DealKey)
    check_key(deck().table, Seat(1), key)
    add_key(new_deck(deck().table, range(4)), Seat(1), key)


def turn_on_a_deck(data: bytes) -> None:
    turn = decode(data, Turn)
    check_turn(deck(), Seat(1), turn)


def shares_on_a_deck(data: bytes) -> None:
    shares = decode(data, Shares)
    check_shares(deck(), Seat(1), shares)
    add_shares(deck(), Seat(1), shares)


def said(*body: Statement) -> Signed:
    """The first item of seat 0, truly signed, whatever it says."""
    item = Item(match=FOUNDING.match, seat=0, incarnation=0, number=0, prev=NO_DIGEST, lamport=9, body=body)
    return signed_by(Seat(0), item)


def opened(signed: Signed) -> None:
    read_item(open_item(signed, FOUNDING.match, FOUNDING.signers))


def signed_bytes(data: bytes) -> None:
    """Bytes in the place of an item, truly signed by seat 0."""
    opened(Signed(raw=data, signature=identity(Seat(0)).sign(ITEM_LABEL, data)))


def folded(record: LogRecord) -> None:
    step(begin(FOUNDING), open_record(record, FOUNDING.match, FOUNDING.signers), Proofs(is_eager=True))


def entry_in_a_record(data: bytes) -> None:
    entry = said(Append(entry=data))
    entry_of(open_item(entry, FOUNDING.match, FOUNDING.signers))
    folded(LogRecord(entry=entry, items=()))


HEAD = Head(index=0, digest=FOUNDING.match)
BYTES: dict[str, Callable[[bytes], object]] = {
    "read_message": read_message,
    "read_deed": read_deed,
    "read_note": read_note,
    "read_lobby": read_lobby,
    "read_object": read_object,
    "read_contact": read_contact,
    "read_genesis": read_genesis,
    "found": found,
    "check_key": check_identity_key,
    "Signed": lambda data: opened(decode(data, Signed)),
    "Item": signed_bytes,
    "Action": lambda data: opened(said(Claim(head=HEAD, action=data, rivals=()))),
    "Deed": lambda data: opened(said(Deed(payload=data))),
    "Entry": entry_in_a_record,
    "LogRecord": lambda data: folded(decode(data, LogRecord)),
    "Equivocation": lambda data: check_equivocation(
        decode(data, Equivocation), FOUNDING.match, FOUNDING.signers
    ),
    "DealKey": key_on_a_deck,
    "Turn": turn_on_a_deck,
    "Shares": shares_on_a_deck,
    "Seed": lambda data: check_seed((deck(),), Seat(1), decode(data, Seed).seed),
}
"""Readers that raise `PeerFault` and nothing else, whatever the bytes."""
OTHERWISE: dict[str, tuple[Callable[[bytes], object], type[KempsError]]] = {
    "read_clear": (read_clear, NotSeated),
    "read_sealed": (read_sealed, NotSeated),
}
"""Readers with an error of their own."""
NEVER: dict[str, Callable[[bytes], object]] = {
    "audit": lambda data: audit(data, allow_stub=True),
    "frame": frame,
    "version_of": version_of,
}
"""Readers that raise nothing."""


@cache
def true_bytes() -> tuple[bytes, ...]:
    """Bytes that are something: of every record, of the vectors, and of true messages of the deck."""
    records = [bytes.fromhex(vector["bytes"]) for vector in read("codec/records.json")["vectors"]]
    session = [bytes.fromhex(vector["bytes"]) for vector in read("session/vectors.json")["vectors"]]
    log = (FOLDER / "logs" / "spoilt-deal.kemps").read_bytes()
    seed = bytes([1]) * 32
    shares = make_shares(deck(), Seat(1), seed, (Position(0), Position(2)))
    of_the_deck = [make_key(deck().table, Seat(1), seed), deck().turns[1], shares, Seed(seed=seed)]
    contact = Contact(
        version=1, identity=identity(Seat(0)).public, curve=seed, address="tcp://h:1", players=4, wish=-1
    )
    raw = encode(contact)
    met = SignedContact(raw=raw, signature=identity(Seat(0)).sign(CONTACT_LABEL, raw))
    bodies: list[Statement] = [Receipt(claim=NO_DIGEST, rivals=()), CoinReveal(index=1, coin=seed)]
    twins = [said(body) for body in bodies]
    ledger = [Equivocation(first=twins[0], second=twins[1]), *twins]
    items = [signed.raw for signed in twins]
    return (
        *records,
        *session,
        *frame(log).objects,
        log,
        *FOUNDING.keys,
        *items,
        FOUNDING.match,
        *map(encode, (*of_the_deck, met, *ledger, FOUNDING.genesis, first_entry())),
    )


AT_LEAST: dict[str, Callable[[bytes], object]] = {"Entry": lambda data: decode(data, Entry)}
"""Where nothing is taken whole: an entry without the items that it names does not fold."""


@cache
def readable(name: str) -> tuple[bytes, ...]:
    """The true bytes that a reader takes."""
    found = []
    for data in true_bytes():
        try:
            AT_LEAST.get(name, BYTES[name])(data)
        except PeerFault:
            continue
        found.append(data)
    return tuple(found) or true_bytes()


# Readers of text


TEXTS: dict[str, tuple[Callable[[str], object], type[KempsError]]] = {
    "read_rules": (read_rules, RuleError),
    "parse_scenario": (parse_scenario, ScenarioError),
    "run_scenario": (run_scenario, ScenarioError),
    "parse_card": (parse_card, CardError),
    "parse_cards": (parse_cards, CardError),
    "read_code": (read_code, CodeError),
}


@cache
def true_texts() -> tuple[str, ...]:
    """Rule books, scenarios, cards and codes."""
    scenarios = sorted((FOLDER.parent / "scenarios").rglob("*.toml"))
    books = [load_text(name) for name in rule_names()] + [canonical_text(load_rules("kems"))]
    short = ("7S 7H 9C'", "3-cobalt-otter")
    return (*books, *(path.read_text(encoding="utf-8") for path in scenarios), *(4 * short))
