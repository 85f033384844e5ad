"""The vectors of the lobby: what seat 0 hears, and what it makes of the last of it."""

from typing import Any

import pytest

from kemps_p2p.errors import PeerFault
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import forget_verified
from kemps_p2p.session.lobby import Lobby, Setup
from kemps_p2p.session.messages import LobbyWords, read_message
from protocol_table import NAMES, SEATS, identity, match_secret, table
from vectors.form import read

VECTORS = read("session/lobby.json")["vectors"]


def listener() -> Lobby:
    """Seat 0 at the table of the examples, as it sits down."""
    lobby = Lobby(
        Setup(
            identity=identity(SEATS[0]),
            seat=SEATS[0],
            roster=tuple(identity(seat).public for seat in SEATS),
            meeting=bytes(range(32)),
            name=NAMES[0],
            rules=load_rules("kemps"),
            group=table().founding.group.name,
            secret=match_secret(Seat(0)),
        )
    )
    lobby.start()
    return lobby


def hear(lobby: Lobby, message: str) -> None:
    words = read_message(bytes.fromhex(message))
    assert isinstance(words, LobbyWords)
    lobby.receive(words, 0)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["name"]))
def test_vector(vector: dict[str, Any]) -> None:
    forget_verified()
    lobby = listener()
    for message in vector["heard"]:
        hear(lobby, message)
    fault = culprit = None
    try:
        hear(lobby, vector["message"])
    except PeerFault as error:
        fault, culprit = error.code.value, error.culprit
    assert (fault, culprit) == (vector["fault"], vector["culprit"])


def test_there_are_true_and_false_vectors_of_every_kind_of_words() -> None:
    assert {vector["fault"] is None for vector in VECTORS} == {True, False}
    for kind in ("sit", "reveal", "seal"):
        assert {vector["fault"] is None for vector in VECTORS if kind in vector["name"]} == {True, False}
