"""The worked examples of protocol.md: `python tests/protocol_examples.py` writes them anew.

They are what the seats of `protocol_table` say and sign, so that a changed byte of the protocol shows.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from kemps_p2p.codec import Record, Transcript, derive, encode, tagged_hash
from kemps_p2p.deck.context import SEED_BYTES, Context, Secrets, Stage, number
from kemps_p2p.deck.deal import (
    Seed,
    Turn,
    commitment,
    face,
    list_digest,
    make_key,
    make_shares,
)
from kemps_p2p.deck.deal import add_shares as with_shares
from kemps_p2p.deck.group import (
    ORDER,
    RISTRETTO,
    Point,
    card_point,
    chain_generator,
    generators,
    scalar_bytes,
)
from kemps_p2p.deck.shares import ShareStatement, secret_key, share_transcript
from kemps_p2p.deck.shuffle import (
    Blinded,
    Statement,
    card_challenges,
    first_list,
    reblinding,
    statement_transcript,
)
from kemps_p2p.game import actions as act
from kemps_p2p.game.gestures import Intent
from kemps_p2p.ids import Position
from kemps_p2p.ledger.coins import CHAIN_LENGTH, coin_chain, priority
from kemps_p2p.ledger.entry import (
    Blamed,
    Carried,
    Contest,
    Drawn,
    Note,
    Readmitted,
    Result,
    Seated,
    Settled,
    TakeOver,
    TapeEnd,
)
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.poll import DecidedSet
from kemps_p2p.ledger.sitting import Sitting, sign_sitting, sitting_digest
from kemps_p2p.ledger.tape import (
    ITEM_LABEL,
    NO_DIGEST,
    Agreed,
    Append,
    Back,
    CoinReveal,
    Deed,
    HandOver,
    Head,
    Join,
    Receipt,
    Suspect,
    TapeItem,
    Unheard,
)
from kemps_p2p.session.genesis import GENESIS_LABEL
from kemps_p2p.session.lobby import LOBBY_LABEL
from kemps_p2p.session.logfile import ANNEX_LABEL, Annex, annex_message, header_of
from kemps_p2p.session.messages import (
    Batch,
    Checkpoint,
    Closed,
    PlayStarted,
    Plea,
    Reveal,
    Seal,
    SeedDeed,
    Sit,
    Status,
    Want,
    Whisper,
    Wish,
    pack,
    read_lobby,
)
from kemps_p2p.session.seating import Pen
from kemps_p2p.session.standin import StandIn, sign_offer
from protocol_table import (
    CARDS,
    SEATS,
    decks,
    identity,
    match_secret,
    place,
    sealed_wink,
    seed_of,
    table,
    wink,
    words_of,
)

DOCUMENT = Path(__file__).parents[1] / "protocol.md"
BLOCK = re.compile(r"(<!-- example: ([a-z0-9-]+) -->\n```text\n)(.*?)(```\n)", re.DOTALL)

HEX_BYTES_A_LINE = 32

Value = bytes | str | int
Lines = list[tuple[str, Value]]


# The examples, in the order of the document


def _records() -> Lines:
    receipt = Receipt(claim=tagged_hash("example", b"claim"), rivals=())
    return [
        ("claim", receipt.claim),
        ("rivals", "none"),
        ("Receipt", encode(receipt)),
        ("index", 258),
        ("digest", receipt.claim),
        ("Head", encode(Head(index=258, digest=receipt.claim))),
    ]


def _hashes() -> Lines:
    label, parts = "example", (b"\x01\x02", b"")
    framed = b"\x07example" + b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return [
        ("label", f'"{label}"'),
        ("part 0", parts[0]),
        ("part 1", "no bytes"),
        ("framed", framed),
        ("tagged_hash", tagged_hash(label, *parts)),
        ("derive", derive(label, *parts)),
    ]


def _transcript() -> Lines:
    transcript = Transcript("example")
    transcript.append("x", b"\x01\x02", b"")
    challenge = transcript.fork().challenge("c")
    several = transcript.challenges("u", 2)
    return [
        ("label", '"example"'),
        ("absorbed", b"\x0atranscript\x00\x00\x00\x01\x00\x00\x00\x07example"),
        ("append", '"x": 0102, no bytes'),
        ("absorbed", b"\x01x\x00\x00\x00\x02\x00\x00\x00\x02\x01\x02\x00\x00\x00\x00"),
        ("challenge", '"c"'),
        ("fork takes", b"\xff\x01c"),
        ("64 bytes", challenge),
        ("instead", '"u", 2 of 16 bytes'),
        ("u 0", several[0]),
        ("u 1", several[1]),
    ]


def _signature() -> Lines:
    key, message = identity(SEATS[0]), b"message"
    return [
        ("private key", b"\x11" * 32),
        ("public key", key.public),
        ("label", '"kemps/v1/item"'),
        ("message", message),
        ("signed bytes", b"\x0dkemps/v1/item" + message),
        ("signature", key.sign(ITEM_LABEL, message)),
    ]


def _lobby() -> Lines:
    seat = SEATS[1]
    message, sit_words = words_of(seat, Sit)
    _, reveal_words = words_of(seat, Reveal)
    sit, reveal = read_lobby(sit_words.raw), read_lobby(reveal_words.raw)
    assert isinstance(sit, Sit)
    assert isinstance(reveal, Reveal)
    return [
        *((f"key {each}", identity(each).public) for each in SEATS),
        ("group", RISTRETTO.name),
        ("table", sit_words.table),
        ("seat", seat),
        ("nonce", reveal.nonce),
        ("nonce salt", reveal.nonce_salt),
        ("commitment", sit.nonce),
        ("name", f'"{reveal.name}"'),
        ("name salt", reveal.name_salt),
        ("commitment", sit.name),
        ("Sit, bytes", len(sit_words.raw)),
        ("signed", f'"{LOBBY_LABEL}", table, Sit'),
        ("signature", sit_words.signature),
        ("message", f"{len(message)} bytes, {message[:6].hex()}..."),
        ("Reveal", reveal_words.raw),
        ("signature", reveal_words.signature),
    ]


def _genesis() -> Lines:
    founding, signed = table().founding, table().signed
    _, seal_words = words_of(SEATS[0], Seal)
    return [
        ("Genesis", signed.raw),
        ("match id", founding.match),
        ("label", f'"{GENESIS_LABEL}"'),
        *((f"signature {seat}", signed.signatures[seat]) for seat in SEATS),
        ("Seal of 0", seal_words.raw),
        ("joint value", founding.joint_random),
        ("drawn dealer", founding.drawn_dealer),
    ]


def _item(item: TapeItem, what: str, statement: Record) -> Lines:
    return [
        ("seat", item.seat),
        ("number", item.item.number),
        ("prev", item.item.prev),
        ("lamport", item.item.lamport),
        (what, encode(statement)),
        ("Item", item.signed.raw),
        ("signature", item.signed.signature),
        ("digest", item.digest),
    ]


def _claim() -> Lines:
    item = wink().claim
    return [("action", encode(sealed_wink(item.seat))), *_item(item, "Claim", item.item.body[0])]


def _receipt() -> Lines:
    item = wink().receipts[0]
    return _item(item, "Receipt", item.item.body[0])


def _entry() -> Lines:
    item = wink().entry
    appended = item.item.body[0]
    assert isinstance(appended, Append)
    return [("Entry", appended.entry), *_item(item, "Append", appended)]


def _ack() -> Lines:
    item = wink().ack
    return _item(item, "Ack", item.item.body[0])


def _events() -> Lines:
    one, two = (tagged_hash("example", text) for text in (b"one", b"two"))
    return [
        ("one", one),
        ("two", two),
        ("Settled", encode(Settled(claim=one, result=Result.MISSED, evidence=(two,)))),
        ("Contest", encode(Contest(claims=(one, two), evidence=()))),
        (
            "Drawn",
            encode(Drawn(index=7, coins=(one, two), order=(two, one), results=(Result.OK, Result.MISSED))),
        ),
        ("Carried", encode(Carried(item=one))),
        ("Note", encode(Note(payload=encode(PlayStarted())))),
        ("Blamed", encode(Blamed(culprit=2, items=(one, two)))),
        ("PlayStarted", encode(PlayStarted())),
        ("Checkpoint", encode(Checkpoint(deal=1, dealer=2, scores=(0, 1)))),
        ("Closed", encode(Closed())),
    ]


def _terms() -> Lines:
    head = Head(index=7, digest=tagged_hash("example", b"one"))
    return [
        ("head", head.digest),
        ("Suspect", encode(Suspect(term=2))),
        ("Join", encode(Join(term=3))),
        ("HandOver", encode(HandOver(term=3, normal=2, head=head))),
        ("TakeOver", encode(TakeOver(items=(head.digest,)))),
    ]


def _absence() -> Lines:
    last = tagged_hash("example", b"one")
    return [
        ("last", last),
        ("Unheard", encode(Unheard(seat=2, length=7, last=last))),
        ("Back", encode(Back(index=9))),
        ("Readmitted", encode(Readmitted(seat=2, item=last))),
    ]


def _sitting() -> Lines:
    at_table, last = table(), tagged_hash("example", b"one")
    seat, who = SEATS[2], identity(SEATS[2])
    coin = coin_chain(derive("kemps/v1/sitting-secret", match_secret(seat), number(1))[:32])[0]
    sitting = Sitting(match=at_table.founding.match, seat=seat, incarnation=1, key=who.public, coin=coin)
    raw, signature = sign_sitting(who, sitting)
    agreed = Agreed(seat=seat, sitting=sitting_digest(raw), length=7, last=last)
    end = TapeEnd(length=7, last=last)
    return [
        ("last", last),
        ("Sitting", raw),
        ("signature", signature),
        ("name", sitting_digest(raw)),
        ("Plea", pack(Plea(raw=raw, signature=signature))),
        ("Agreed", encode(agreed)),
        ("Seated", encode(Seated(raw=raw, signature=signature, end=end, words=(last,)))),
    ]


def _stand_in() -> Lines:
    at_table, seat, by, program = table(), SEATS[2], SEATS[0], Identity(bytes([0xEE]) * 32)
    pen = Pen(program, bytes([0xEF]) * 32, at_table.founding.match, seat)
    curve = bytes([0xC0]) * 32
    plea = pen.plea(1)
    said = StandIn(by=by, curve=curve, raw=plea.raw, signature=plea.signature)
    return [
        ("key", program.public),
        ("Sitting", plea.raw),
        ("StandIn", encode(said)),
        ("Offer", pack(sign_offer(identity(by), program, said))),
    ]


def _coins() -> Lines:
    chain = table().lobbies[0].coins
    claims = tuple(sorted(tagged_hash("example", text) for text in (b"one", b"two")))
    together = DecidedSet(claims, frozenset())
    coins = (chain[1], table().lobbies[1].coins[1])
    return [
        ("match secret", match_secret(SEATS[0])),
        (f"coin {CHAIN_LENGTH}", chain[CHAIN_LENGTH]),
        ("coin 2", chain[2]),
        ("coin 1", chain[1]),
        ("coin 0", chain[0]),
        ("CoinReveal", encode(CoinReveal(index=7, coin=chain[1]))),
        ("claim 0", claims[0]),
        ("claim 1", claims[1]),
        ("set digest", together.digest),
        ("coin, seat 0", coins[0]),
        ("coin, seat 1", coins[1]),
        ("priority 0", priority(together.digest, coins, claims[0])),
        ("priority 1", priority(together.digest, coins, claims[1])),
    ]


def _points() -> Lines:
    h = generators(RISTRETTO, 2)
    return [
        ("order", scalar_bytes(ORDER - 1)),
        ("B", RISTRETTO.base_mul(1)),
        ("M_0", card_point(RISTRETTO, 0)),
        ("M_51", card_point(RISTRETTO, 51)),
        ("M_103", card_point(RISTRETTO, 103)),
        ("H", chain_generator(RISTRETTO)),
        ("H_0", h[0]),
        ("H_1", h[1]),
    ]


def _key() -> Lines:
    seat = SEATS[0]
    deck = decks()[0]
    seed = seed_of(seat)
    assert len(seed) == SEED_BYTES
    key = make_key(deck.table, seat, seed)
    joint_key = deck.joint_key
    assert joint_key is not None
    return [
        ("deal seed", seed),
        ("commitment", commitment(deck.table, seat, seed)),
        ("x", scalar_bytes(secret_key(deck.table, seat, seed))),
        ("X", key.key),
        ("challenge", key.proof.challenge),
        ("response", key.proof.response),
        ("DealKey", encode(key)),
        ("K", joint_key),
    ]


def _turn() -> Lines:
    seat = SEATS[0]
    deck, after = decks()[:2]
    turn: Turn = after.turns[0]
    secret = reblinding(Secrets(seed_of(seat), list_digest(deck)), len(CARDS))
    joint_key = deck.joint_key
    assert joint_key is not None
    outputs = Blinded(tuple(map(Point, turn.a)), tuple(map(Point, turn.c)))
    context = Context(deck.table, 0, seat, Stage.TURN)
    statement = Statement(context, joint_key, first_list(RISTRETTO, CARDS), outputs)
    u = card_challenges(statement_transcript(statement), turn.proof.p)
    return [
        ("cards", ", ".join(map(str, CARDS))),
        ("input", turn.input),
        ("order", ", ".join(map(str, secret.order))),
        *((f"factor {index}", scalar_bytes(factor)) for index, factor in enumerate(secret.factors)),
        *((f"u_{index}", factor.to_bytes(16, "little")) for index, factor in enumerate(u)),
        ("c", turn.proof.challenge),
        ("Turn", encode(turn)),
        *((f"input of {each}", decks()[each].turns[each - 1].input) for each in SEATS[2:]),
    ]


def _shares() -> Lines:
    seat = SEATS[1]
    deck = decks()[-1]
    positions = (Position(0), Position(1))
    shares = make_shares(deck, seat, seed_of(seat), positions)
    last = deck.turns[-1]
    masks = tuple(map(Point, last.a))
    key = deck.keys[seat]
    assert key is not None
    context = Context(deck.table, 0, seat, Stage.SHARES)
    parts = tuple(map(Point, shares.parts))
    statement = ShareStatement(context, Point(key.key), positions, masks, parts)
    omega = share_transcript(statement).challenges("omega", len(positions))
    for each in SEATS:
        deck = with_shares(deck, each, make_shares(deck, each, seed_of(each), positions))
    return [
        ("X", key.key),
        *((f"a_{index}", mask) for index, mask in enumerate(masks)),
        *((f"D_{index}", part) for index, part in enumerate(shares.parts)),
        *((f"omega_{index}", weight) for index, weight in enumerate(omega)),
        ("challenge", shares.proof.challenge),
        ("response", shares.proof.response),
        ("Shares", encode(shares)),
        ("faces", ", ".join(str(face(deck, position)) for position in positions)),
    ]


def _deed() -> Lines:
    body = SeedDeed(deal=0, attempt=0, seed=Seed(seed=seed_of(SEATS[0])))
    return [("SeedDeed", encode(body)), ("Deed", encode(Deed(payload=encode(body))))]


def _seals() -> Lines:
    seat = wink().claim.seat
    return [
        ("match id", table().founding.match),
        ("deal", 0),
        ("seat", int(seat)),
        ("number", 0),
        ("seed", seed_of(seat)),
        *((intent.value, place(seat).seal(seed_of(seat), intent)) for intent in Intent),
    ]


def _actions() -> Lines:
    samples: tuple[Record, ...] = (
        act.Swap(take=(Position(16),), give=(Position(3),)),
        act.Discard(give=(Position(3),)),
        act.Take(take=(Position(16),)),
        act.Pass(pool=tuple(map(Position, (16, 17, 18, 19)))),
        act.Signal(),
        sealed_wink(wink().claim.seat),
        act.Say(text="Hi"),
        act.Call(calls=(act.Partner(),)),
        act.Call(calls=(act.Counter(target=1),)),
        act.Mulligan(),
        act.Go(),
        act.Halt(),
        act.Resume(),
        act.Next(),
        act.Admit(),
        act.Deny(),
        act.Deny(show=(Position(0), Position(1))),
    )
    return [(type(sample).__name__, encode(sample)) for sample in samples]


def _messages() -> Lines:
    sums = (NO_DIGEST, NO_DIGEST, wink().claim.digest)
    return [
        ("Batch", f"{len(encode(_batch()))} bytes, {encode(_batch())[:8].hex()}..."),
        ("Status", encode(Status(lengths=(0, 0, 1, 0), sums=(*sums, NO_DIGEST), final=0))),
        ("Whisper", encode(Whisper(text="Hi"))),
        ("Wish", encode(Wish(want=Want.PAUSE))),
    ]


def _batch() -> Batch:
    return Batch(items=(wink().claim.signed,))


def _log() -> Lines:
    founding = table().founding
    names = table().lobbies[0].name_openings
    head = wink().entry.digest
    message = annex_message(founding.match, head, 0, ())
    annex = Annex(
        seat=0, certificate=(), names=names, signature=identity(SEATS[0]).sign(ANNEX_LABEL, message)
    )
    record = encode(wink().record)
    return [
        ("Header", encode(header_of(founding))),
        ("LogRecord", f"{len(record)} bytes, {record[:8].hex()}..."),
        ("its hash", tagged_hash("example", record)),
        ("annex, signed", message),
        ("Annex", encode(annex)),
    ]


EXAMPLES: Mapping[str, Callable[[], Lines]] = {
    "records": _records,
    "hashes": _hashes,
    "transcript": _transcript,
    "signature": _signature,
    "lobby": _lobby,
    "genesis": _genesis,
    "claim": _claim,
    "receipt": _receipt,
    "entry": _entry,
    "ack": _ack,
    "events": _events,
    "coins": _coins,
    "terms": _terms,
    "absence": _absence,
    "sitting": _sitting,
    "stand-in": _stand_in,
    "points": _points,
    "key": _key,
    "turn": _turn,
    "shares": _shares,
    "deed": _deed,
    "seals": _seals,
    "messages": _messages,
    "actions": _actions,
    "log": _log,
}


def render(lines: Lines) -> str:
    """Names to the left, bytes as hexadecimal in lines of a fixed length."""
    width = max(len(name) for name, _ in lines) + 2
    out = []
    for name, value in lines:
        if not isinstance(value, bytes):
            out.append(f"{name:<{width}}{value}")
            continue
        for start in range(0, len(value), HEX_BYTES_A_LINE):
            out.append(f"{'' if start else name:<{width}}{value[start : start + HEX_BYTES_A_LINE].hex()}")
    return "".join(f"{line}\n" for line in out)


def written(text: str) -> dict[str, str]:
    """The examples that stand in a document, by name."""
    found = {}
    for block in BLOCK.finditer(text):
        if block[2] in found:
            raise ValueError(f"two examples named {block[2]}")
        found[block[2]] = block[3]
    return found


def rewritten(text: str) -> str:
    """The document with every example made anew."""
    return BLOCK.sub(lambda block: block[1] + render(EXAMPLES[block[2]]()) + block[4], text)


if __name__ == "__main__":
    DOCUMENT.write_text(rewritten(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
