"""The vectors of the blind deck: derivations as written down, and each message with its one fault."""

from typing import Any

import pytest

from kemps_p2p.codec import Record, decode
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
    make_shares,
    new_deck,
    open_all,
)
from kemps_p2p.deck.group import group_named
from kemps_p2p.deck.shares import Proof
from kemps_p2p.deck.shuffle import ShuffleProof
from kemps_p2p.errors import PeerFault
from kemps_p2p.ids import Position, Seat
from vectors.form import read

DERIVED: dict[str, Any] = read("deck/derivations.json")
MESSAGES: dict[str, Any] = read("deck/messages.json")


def written_table() -> Table:
    at = DERIVED["table"]
    match = bytes.fromhex(at["match"])
    return Table(group_named(at["group"]), match, at["deal"], at["attempt"], at["seats"])


def written_deck(turns: int) -> Deck:
    """The deck of the vectors after so many turns, folded from the written messages."""
    deck = new_deck(written_table(), DERIVED["cards"])
    for seat, data in enumerate(MESSAGES["keys"]):
        deck = add_key(deck, Seat(seat), decode(bytes.fromhex(data), DealKey))
    for seat, data in enumerate(MESSAGES["turns"][:turns]):
        deck = add_turn(deck, Seat(seat), decode(bytes.fromhex(data), Turn))
    return deck


KINDS = ("key", "turn", "shares", "seed", "add-key", "add-turn", "add-shares")
FIELDS: dict[str, type[Record]] = {"key": DealKey, "turn": Turn, "shares": Shares}
DECKS = [written_deck(turns) for turns in range(5)]


def deck_before(vector: dict[str, Any]) -> Deck:
    """The deck that a vector meets: with some keys or all, some turns, and the shares of some seats."""
    if "keys" in vector:
        deck = new_deck(written_table(), DERIVED["cards"])
        for seat, data in enumerate(MESSAGES["keys"][: vector["keys"]]):
            deck = add_key(deck, Seat(seat), decode(bytes.fromhex(data), DealKey))
        return deck
    deck = DECKS[vector["turns"]]
    for seat in vector.get("shared", ()):
        seed = bytes.fromhex(DERIVED["seeds"][seat])
        deck = add_shares(deck, Seat(seat), make_shares(deck, Seat(seat), seed, (Position(0), Position(1))))
    return deck


def check(kind: str, deck: Deck, seat: Seat, data: bytes) -> None:
    match kind:
        case "key":
            check_key(deck.table, seat, decode(data, DealKey))
        case "turn":
            check_turn(deck, seat, decode(data, Turn))
        case "shares":
            check_shares(deck, seat, decode(data, Shares))
        case "seed":
            check_seed((deck,), seat, decode(data, Seed).seed)
        case "add-key":
            add_key(deck, seat, decode(data, DealKey))
        case "add-turn":
            add_turn(deck, seat, decode(data, Turn))
        case "add-shares":
            add_shares(deck, seat, decode(data, Shares))
        case _:
            pytest.fail(f"no such kind: {kind}")


def outcome(vector: dict[str, Any]) -> tuple[str | None, int | None]:
    """Code and culprit of the fault that is found."""
    try:
        data = bytes.fromhex(vector["message"])
        check(vector["kind"], deck_before(vector), Seat(vector["seat"]), data)
    except PeerFault as fault:
        return fault.code.value, fault.culprit
    return None, None


@pytest.mark.parametrize("kind", KINDS)
def test_vectors(kind: str) -> None:
    others = []
    for vector in MESSAGES["vectors"]:
        if vector["kind"] == kind:
            fault = vector["fault"]
            found = outcome(vector)
            if found != (fault, None if fault is None else vector["seat"]):
                others.append((vector["name"], found, fault))
    assert not others


def test_the_written_deal_opens() -> None:
    seeds = {Seat(seat): bytes.fromhex(seed) for seat, seed in enumerate(DERIVED["seeds"])}
    assert list(open_all(DECKS[4], seeds)) == DERIVED["faces"]
    for seat, seed in seeds.items():
        check_seed((DECKS[4],), seat, seed)


def test_every_kind_has_true_and_false_vectors() -> None:
    seen = {(vector["kind"], vector["fault"] is None) for vector in MESSAGES["vectors"]}
    assert seen == {(kind, is_true) for kind in KINDS for is_true in (True, False)}


def test_every_field_of_every_message_is_changed_in_some_vector() -> None:
    names = {kind: " ".join(v["name"] for v in MESSAGES["vectors"] if v["kind"] == kind) for kind in FIELDS}
    for kind, record in FIELDS.items():
        for field in record.__struct_fields__:
            assert f" {field}" in names[kind]
    for field in Proof.__struct_fields__:
        assert f"proof.{field}" in names["key"]
        assert f"proof.{field}" in names["shares"]
    for field in ShuffleProof.__struct_fields__:
        assert f"proof.{field}" in names["turn"]
