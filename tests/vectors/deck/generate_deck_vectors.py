"""Write the vectors of the blind deck: `python tests/vectors/deck/generate_deck_vectors.py`.

`derivations.json` holds what is derived from labels and seeds. `messages.json` holds messages to check, each
with the deck it is checked against; `fault` is null, or the code of the one thing that is wrong with it.
All bytes are hexadecimal, messages are canonical MessagePack, scalars little-endian, card indices from 0.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import structs

from kemps_p2p.codec import Record, encode
from kemps_p2p.deck.context import Secrets, Table
from kemps_p2p.deck.deal import (
    Deck,
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
from kemps_p2p.deck.shares import secret_key
from kemps_p2p.deck.shuffle import reblinding
from kemps_p2p.ids import Position, Seat

TABLE = Table(RISTRETTO, bytes(range(32)), 2, 1, 4)
CARDS = (4, 9, 51)
SEATS = [Seat(seat) for seat in range(TABLE.seats)]
SEEDS = {seat: bytes([0x10 * (seat + 1)]) * 32 for seat in SEATS}
TOP_BIT = 1 << 255


def decks() -> list[Deck]:
    """The deck with all keys, then after each turn."""
    deck = new_deck(TABLE, CARDS)
    for seat in SEATS:
        deck = add_key(deck, seat, make_key(TABLE, seat, SEEDS[seat]))
    out = [deck]
    for seat in SEATS:
        out.append(add_turn(out[-1], seat, make_turn(out[-1], seat, SEEDS[seat])))
    return out


def derivations() -> dict[str, Any]:
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
    yield "empty", (), "malformed"
    yield "one short", values[:-1], "malformed"
    yield "one long", (*values, values[0]), "malformed"


def field_faults(message: Record, proof_fault: str, path: str = "") -> Iterator[tuple[str, Record, str]]:
    """Every field of a message replaced in turn; in a vector the last element stands for all."""
    for name in message.__struct_fields__:
        value: Any = getattr(message, name)
        label = f"{path}{name}"
        faults: Iterator[tuple[str, Any, str | None]]
        match value:
            case Record():
                for what, inner, code in field_faults(value, proof_fault, f"{label}."):
                    yield what, structs.replace(message, **{name: inner}), code
                continue
            case tuple():
                for what, vector, code in vector_faults(value):
                    yield f"{label}: {what}", structs.replace(message, **{name: vector}), code
                if isinstance(value[0], int):
                    continue
                scalars = name in ("s_hat", "s_prime")
                for what, element, fault in (scalar_faults if scalars else point_faults)(value[-1]):
                    changed = structs.replace(message, **{name: (*value[:-1], element)})
                    yield f"{label}[-1]: {what}", changed, fault or proof_fault
                continue
            case bytes() if name == "input":
                faults = iter((("another digest", flipped(value), "bad-turn"),))
            case bytes() if name == "commitment":
                faults = iter((("another commitment", flipped(value), None),))
            case bytes() if name == "key":
                faults = point_faults(value)
            case _:
                faults = scalar_faults(value)
        for what, changed_value, fault in faults:
            yield f"{label}: {what}", structs.replace(message, **{name: changed_value}), fault or proof_fault


@dataclass(frozen=True)
class Place:
    """Which kind of message a seat sends, and after how many turns it is checked."""

    kind: str
    seat: Seat
    turns: int

    def vector(self, name: str, message: Record, fault: str | None) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": name,
            "seat": self.seat,
            "turns": self.turns,
            "message": encode(message).hex(),
            "fault": fault,
        }


def messages() -> Iterator[dict[str, Any]]:
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


def files() -> dict[str, str]:
    """The name and text of each file."""
    head, *vectors = messages()
    return {
        "derivations.json": json.dumps(derivations(), indent=1) + "\n",
        "messages.json": json.dumps({**head, "vectors": vectors}, indent=1) + "\n",
    }


if __name__ == "__main__":
    for name, text in files().items():
        (Path(__file__).parent / name).write_text(text)
