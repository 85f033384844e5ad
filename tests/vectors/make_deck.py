"""Vectors of the blind deck: what is derived from labels and seeds, and messages to check.

Every field of every message is changed once in each way that matters, every element of every vector once.
Scalars are little-endian, card indices count from 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from kemps_p2p.codec import Record, encode
from kemps_p2p.deck.context import Context, Secrets, Stage, Table
from kemps_p2p.deck.deal import (
    DealKey,
    Deck,
    Seed,
    add_key,
    add_turn,
    commitment,
    list_digest,
    make_key,
    make_shares,
    make_turn,
    new_deck,
    open_all,
)
from kemps_p2p.deck.group import ORDER, RISTRETTO, card_point, chain_generator, generators, scalar_bytes
from kemps_p2p.deck.shares import Proof, secret_key
from kemps_p2p.deck.shuffle import reblinding
from kemps_p2p.ids import Position, Seat
from vectors.form import as_text

TABLE = Table(RISTRETTO, bytes(range(32)), 2, 1, 4)
CARDS = (4, 9, 51)
SEATS = [Seat(seat) for seat in range(TABLE.seats)]
SEEDS = {seat: bytes([0x10 * (seat + 1)]) * 32 for seat in SEATS}
TOP_BIT = 1 << 255


def files(_setting: object) -> dict[str, str]:
    """The files by name."""
    head, *vectors = messages()
    return {
        "deck/derivations.json": as_text(derivations()),
        "deck/messages.json": as_text({**head, "vectors": vectors}),
    }


def decks(table: Table = TABLE) -> list[Deck]:
    """The deck with all keys, then after each turn."""
    deck = new_deck(table, CARDS)
    for seat in SEATS:
        deck = add_key(deck, seat, make_key(table, seat, SEEDS[seat]))
    out = [deck]
    for seat in SEATS:
        out.append(add_turn(out[-1], seat, make_turn(out[-1], seat, SEEDS[seat])))
    return out


def derivations() -> dict[str, Any]:
    """What follows from labels, seeds and an honest deal."""
    keyed, *_, last = stages = decks()
    secrets = [reblinding(Secrets(SEEDS[s], list_digest(stages[s])), len(CARDS)) for s in SEATS]
    joint_key = keyed.joint_key
    assert joint_key is not None
    return {
        "table": {
            "group": TABLE.group.name,
            "match": TABLE.match.hex(),
            "deal": TABLE.deal,
            "attempt": TABLE.attempt,
            "seats": TABLE.seats,
        },
        "cards": list(CARDS),
        "card_points": {str(card): card_point(RISTRETTO, card).hex() for card in (0, 1, *CARDS, 103)},
        "chain_generator": chain_generator(RISTRETTO).hex(),
        "generators": [point.hex() for point in generators(RISTRETTO, 4)],
        "seeds": [SEEDS[seat].hex() for seat in SEATS],
        "commitments": [commitment(TABLE, seat, SEEDS[seat]).hex() for seat in SEATS],
        "secret_keys": [scalar_bytes(secret_key(TABLE, seat, SEEDS[seat])).hex() for seat in SEATS],
        "joint_key": joint_key.hex(),
        "list_digests": [list_digest(deck).hex() for deck in stages],
        "orders": [list(secret.order) for secret in secrets],
        "factors": [[scalar_bytes(factor).hex() for factor in secret.factors] for secret in secrets],
        "faces": list(open_all(last, SEEDS)),
    }


def flipped(data: bytes) -> bytes:
    """Another scalar or digest, reduced like the old one."""
    return bytes([data[0] ^ 1]) + data[1:]


def point_faults(point: bytes) -> Iterator[tuple[str, bytes, str | None]]:
    """A point replaced; None stands for the fault of the proof."""
    yield "another point", card_point(RISTRETTO, 77), None
    yield "the identity", bytes(32), "bad-point"
    yield "not canonical", b"\xff" * 32, "bad-point"
    yield "top bit set", (int.from_bytes(point, "little") | TOP_BIT).to_bytes(32, "little"), "bad-point"
    yield "one byte short", point[:31], "bad-point"
    yield "one byte long", point + b"\x00", "bad-point"


def scalar_faults(scalar: bytes) -> Iterator[tuple[str, bytes, str | None]]:
    """A scalar replaced; None stands for the fault of the proof."""
    number = int.from_bytes(scalar, "little")
    yield "another scalar", flipped(scalar), None
    yield "zero", bytes(32), "bad-scalar"
    yield "unreduced", (number + ORDER).to_bytes(32, "little"), "bad-scalar"
    yield "one byte short", scalar[:31], "bad-scalar"


def vector_faults(values: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """A vector of another length."""
    yield "empty", (), "malformed"
    yield "one short", values[:-1], "malformed"
    yield "one long", (*values, values[0]), "malformed"


SCALARS = ("challenge", "response", "s1", "s2", "s3", "s4", "s_hat", "s_prime")


def value_faults(name: str, value: bytes) -> Iterator[tuple[str, bytes, str | None]]:
    """A digest, a point or a scalar replaced; None stands for the fault of the proof."""
    match name:
        case "input":
            yield "another digest", flipped(value), "bad-turn"
            yield "31 bytes", value[:31], "malformed"
        case "commitment":
            yield "another commitment", flipped(value), None
            yield "31 bytes", value[:31], "malformed"
        case _ if name in SCALARS:
            yield from scalar_faults(value)
        case _:
            yield from point_faults(value)


def element_faults(
    name: str, values: tuple[bytes, ...]
) -> Iterator[tuple[str, tuple[bytes, ...], str | None]]:
    """Each element of a vector replaced by another; the last one in all other ways too; two exchanged."""
    for index, element in enumerate(values):
        for number, (what, other, fault) in enumerate(value_faults(name, element)):
            if number == 0 or index == len(values) - 1:
                yield f"[{index}]: {what}", (*values[:index], other, *values[index + 1 :]), fault
    yield ": the first two exchanged", (values[1], values[0], *values[2:]), None


def field_faults(message: Record, proof_fault: str, path: str = "") -> Iterator[tuple[str, Record, str]]:
    """Every field of a message replaced in turn."""
    for name in message.__struct_fields__:
        value: Any = getattr(message, name)
        label = f"{path}{name}"
        match value:
            case Record():
                for what, inner, code in field_faults(value, proof_fault, f"{label}."):
                    yield what, structs.replace(message, **{name: inner}), code
            case tuple():
                for what, vector, code in vector_faults(value):
                    yield f"{label}: {what}", structs.replace(message, **{name: vector}), code
                if name != "positions":
                    for what, vector, fault in element_faults(name, value):
                        yield (
                            f"{label}{what}",
                            structs.replace(message, **{name: vector}),
                            fault or proof_fault,
                        )
            case bytes():
                for what, other, fault in value_faults(name, value):
                    yield f"{label}: {what}", structs.replace(message, **{name: other}), fault or proof_fault
            case _:
                raise TypeError(f"no faults of {label} are known")


@dataclass(frozen=True)
class Place:
    """Which kind of message a seat sends, and after how many turns it is checked."""

    kind: str
    seat: Seat
    turns: int

    def vector(self, name: str, message: Record, fault: str | None, **more: Any) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": name,
            "seat": self.seat,
            "turns": self.turns,
            "message": encode(message).hex(),
            "fault": fault,
            **more,
        }


def messages() -> Iterator[dict[str, Any]]:
    """First the honest keys and turns, then every vector."""
    stages = decks()
    last = stages[-1]
    keys = [encode(key).hex() for key in last.keys]
    turns = [encode(turn).hex() for turn in last.turns]

    yield {"keys": keys, "turns": turns}
    key = make_key(TABLE, Seat(1), SEEDS[Seat(1)])
    shares = make_shares(last, Seat(1), SEEDS[Seat(1)], (Position(0), Position(2)))
    first, second = last.turns[0], last.turns[1]
    subjects: list[tuple[Place, Record, str]] = [
        (Place("key", Seat(1), 0), key, "bad-key-proof"),
        (Place("turn", Seat(0), 0), first, "bad-shuffle-proof"),
        (Place("turn", Seat(1), 1), second, "bad-shuffle-proof"),
        (Place("shares", Seat(1), 4), shares, "bad-share-proof"),
    ]
    for place, message, fault in subjects:
        yield place.vector(f"seat {place.seat}: true", message, None)
        for what, changed, code in field_faults(message, fault):
            yield place.vector(f"seat {place.seat}: {what}", changed, code)
    yield Place("key", Seat(2), 0).vector("of another seat", key, "bad-key-proof")
    yield Place("turn", Seat(2), 2).vector("of another seat", second, "bad-turn")
    yield Place("turn", Seat(1), 0).vector("before its turn", second, "bad-turn")
    yield Place("shares", Seat(2), 4).vector("of another seat", shares, "bad-share-proof")
    yield Place("shares", Seat(1), 3).vector("before the last turn", shares, "not-owed")
    for name, positions, code in (
        ("another position", (0, 1), "bad-share-proof"),
        ("no such position", (0, 3), "not-owed"),
        ("descending", (2, 0), "malformed"),
    ):
        yield Place("shares", Seat(1), 4).vector(name, structs.replace(shares, positions=positions), code)
    thrice = structs.replace(second, a=(second.a[0],) * 3, c=(second.c[0],) * 3)
    yield Place("turn", Seat(1), 1).vector("one card three times", thrice, "bad-shuffle-proof")
    yield from replayed(stages)
    yield from seeds(stages)
    yield from folded(stages)


def replayed(stages: list[Deck]) -> Iterator[dict[str, Any]]:
    """Messages that hold elsewhere, and say here what they would have to say here."""
    seat = Seat(1)
    for name, other in (
        ("another match", replace(TABLE, match=bytes(32))),
        ("another deal", replace(TABLE, deal=TABLE.deal + 1)),
        ("another attempt", replace(TABLE, attempt=TABLE.attempt + 1)),
    ):
        elsewhere = decks(other)
        turn = structs.replace(elsewhere[2].turns[1], input=stages[2].turns[1].input)
        shares = make_shares(elsewhere[-1], seat, SEEDS[seat], (Position(0), Position(2)))
        yield Place("key", seat, 0).vector(f"of {name}", make_key(other, seat, SEEDS[seat]), "bad-key-proof")
        yield Place("turn", seat, 1).vector(f"of {name}", turn, "bad-shuffle-proof")
        yield Place("shares", seat, 4).vector(f"of {name}", shares, "bad-share-proof")


def seeds(stages: list[Deck]) -> Iterator[dict[str, Any]]:
    """Openings at the end of the deal."""
    place = Place("seed", Seat(1), len(stages) - 1)
    yield place.vector("seat 1: true", Seed(seed=SEEDS[Seat(1)]), None)
    yield place.vector("seat 1: another seed", Seed(seed=flipped(SEEDS[Seat(1)])), "bad-seed")
    yield place.vector("seat 1: another seat's", Seed(seed=SEEDS[Seat(2)]), "bad-seed")
    yield place.vector("seat 1: one byte short", Seed(seed=SEEDS[Seat(1)][:31]), "malformed")
    yield place.vector("seat 1: one byte long", Seed(seed=SEEDS[Seat(1)] + b"\x00"), "malformed")
    yield place.vector("seat 1: empty", Seed(seed=b""), "malformed")


def proven_key(seat: Seat, secret: int) -> DealKey:
    """A key with a true proof, for a secret of the seat's own choice."""
    key, committed, nonce = RISTRETTO.base_mul(secret), bytes([seat]) * 32, 77
    transcript = Context(TABLE, 0, seat, Stage.KEY).transcript()
    transcript.append("commitment", committed)
    transcript.append("key", key)
    transcript.append("t", RISTRETTO.base_mul(nonce))
    challenge = int.from_bytes(transcript.challenge("c"), "little") % ORDER
    proof = Proof(challenge=scalar_bytes(challenge), response=scalar_bytes(nonce + challenge * secret))
    return DealKey(commitment=committed, key=key, proof=proof)


def folded(stages: list[Deck]) -> Iterator[dict[str, Any]]:
    """True messages that the deck has no place for: `keys` and `turns` are in already."""
    last = stages[-1]
    secrets = [secret_key(TABLE, seat, SEEDS[seat]) for seat in SEATS]
    own = last.keys[1]
    assert own is not None
    key, turn, shares = (
        Place(f"add-{what}", Seat(1), turns) for what, turns in (("key", 0), ("turn", 1), ("shares", 4))
    )
    yield key.vector("the second of four", own, None, keys=1)
    yield key.vector("a second key", own, "bad-key", keys=2)
    yield key.vector("another's key", proven_key(Seat(1), secrets[0]), "bad-key", keys=1)
    yield key.vector("the opposite of another's", proven_key(Seat(1), -secrets[0]), "bad-key", keys=1)
    cancelling = proven_key(Seat(3), -sum(secrets[:3]))
    yield Place("add-key", Seat(3), 0).vector("a key that cancels the others", cancelling, "bad-key", keys=3)
    yield turn.vector("the second of four", last.turns[1], None)
    yield Place("add-turn", Seat(1), 2).vector("a second turn", last.turns[1], "bad-turn")
    yield Place("add-turn", Seat(1), 0).vector("before its turn", last.turns[1], "bad-turn")
    yield Place("add-turn", Seat(0), 4).vector("after the last turn", last.turns[0], "bad-turn")
    given = make_shares(last, Seat(1), SEEDS[Seat(1)], (Position(0), Position(1)))
    yield shares.vector("the first", given, None)
    yield shares.vector("a second share", given, "not-owed", shared=[1])
    yield Place("add-shares", Seat(1), 3).vector("before the last turn", given, "not-owed")
