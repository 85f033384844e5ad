"""The vectors of the blind deck: derivations as written down, and each message with its one fault."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from kemps_p2p.codec import decode
from kemps_p2p.deck.deal import (
    DealKey,
    Deck,
    Shares,
    Table,
    Turn,
    add_key,
    add_turn,
    check_key,
    check_seed,
    check_shares,
    check_turn,
    new_deck,
    open_all,
)
from kemps_p2p.deck.group import group_named
from kemps_p2p.errors import PeerFault
from kemps_p2p.ids import Seat

FOLDER = Path(__file__).parents[2] / "vectors" / "deck"
DERIVED: dict[str, Any] = json.loads((FOLDER / "derivations.json").read_text())
MESSAGES: dict[str, Any] = json.loads((FOLDER / "messages.json").read_text())


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


DECKS = [written_deck(turns) for turns in range(5)]


@pytest.mark.parametrize("vector", MESSAGES["vectors"], ids=lambda v: f"{v['kind']}, {v['name']}")
def test_vector(vector: dict[str, Any]) -> None:
    deck, seat = DECKS[vector["turns"]], Seat(vector["seat"])
    data = bytes.fromhex(vector["message"])
    found = None
    try:
        match vector["kind"]:
            case "key":
                check_key(deck.table, seat, decode(data, DealKey))
            case "turn":
                check_turn(deck, seat, decode(data, Turn))
            case "shares":
                check_shares(deck, seat, decode(data, Shares))
            case kind:
                pytest.fail(f"no such kind: {kind}")
    except PeerFault as fault:
        found = fault.code.value
    assert found == vector["fault"]


def test_the_written_deal_opens() -> None:
    seeds = {Seat(seat): bytes.fromhex(seed) for seat, seed in enumerate(DERIVED["seeds"])}
    assert list(open_all(DECKS[4], seeds)) == DERIVED["faces"]
    for seat, seed in seeds.items():
        check_seed((DECKS[4],), seat, seed)


def test_every_kind_has_true_and_false_vectors() -> None:
    seen = {(vector["kind"], vector["fault"] is None) for vector in MESSAGES["vectors"]}
    assert seen == {(kind, true) for kind in ("key", "turn", "shares") for true in (True, False)}
    assert len(MESSAGES["vectors"]) > 100


def test_the_generator_writes_these_files() -> None:
    """So that a change of any byte of the protocol shows as a change of a file."""
    files = runpy.run_path(str(FOLDER / "generate_deck_vectors.py"))["files"]()
    assert {name: (FOLDER / name).read_text() for name in files} == files
