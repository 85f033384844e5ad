"""The vectors of the session: genesis bodies and first records, each with its one fault and its culprit."""

from collections.abc import Callable
from typing import Any

import pytest

from kemps_p2p.codec import decode
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Action, Gesture
from kemps_p2p.game.conflicts import conflicts
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import LogRecord
from kemps_p2p.session.fold import Proofs, open_record
from kemps_p2p.session.genesis import found
from kemps_p2p.session.match import begin
from kemps_p2p.session.replay import step
from vectors.form import read

CONFLICTS = read("session/conflicts.json")["vectors"]
READ = read("session/vectors.json")
VECTORS = READ["vectors"]
FOUNDING = found(bytes.fromhex(READ["genesis"]))


def check_record(data: bytes) -> None:
    record = open_record(decode(data, LogRecord), FOUNDING.match, FOUNDING.signers)
    step(begin(FOUNDING), record, Proofs(is_eager=True))


CHECKS: dict[str, Callable[[bytes], object]] = {"genesis": found, "record": check_record}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['kind']}, {vector['name']}")
def test_vector(vector: dict[str, Any]) -> None:
    fault = culprit = None
    try:
        CHECKS[vector["kind"]](bytes.fromhex(vector["bytes"]))
    except PeerFault as error:
        fault, culprit = error.code.value, error.culprit
    assert (fault, culprit) == (vector["fault"], vector.get("culprit"))


def test_every_pair_of_actions_conflicts_or_not_in_either_order() -> None:
    for vector in CONFLICTS:
        rules = load_rules(vector["rules"])
        first, second = (wish(vector[which]) for which in ("first", "second"))
        for a, b in ((first, second), (second, first)):
            assert conflicts(rules, vector["players"], a, b) is vector["conflict"], vector["name"]


def wish(told: dict[str, Any]) -> tuple[Seat, Action]:
    return Seat(told["seat"]), decode(bytes.fromhex(told["action"]), Action)  # type: ignore[arg-type]


def test_every_action_is_in_a_conflict_and_out_of_one() -> None:
    tags = {
        is_conflict: {
            type(wish(vector[which])[1])
            for vector in CONFLICTS
            for which in ("first", "second")
            if vector["conflict"] is is_conflict
        }
        for is_conflict in (True, False)
    }
    kinds = set(Action.__args__)
    assert kinds - tags[True] == {Gesture}
    assert kinds - tags[False] == set()


def test_every_kind_has_true_and_false_vectors() -> None:
    seen = {(vector["kind"], vector["fault"] is None) for vector in VECTORS}
    assert seen == {(kind, is_true) for kind in CHECKS for is_true in (True, False)}
    assert len({vector["bytes"] for vector in VECTORS}) == len(VECTORS)
