"""The vectors of codec, ledger and session: each with its one fault, and the seat that is to blame."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from kemps_p2p.codec import decode
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Action
from kemps_p2p.ledger.entry import LogRecord
from kemps_p2p.ledger.identity import check_key
from kemps_p2p.ledger.tape import Signed, Statement, open_item
from kemps_p2p.session.fold import Proofs, open_record
from kemps_p2p.session.genesis import found
from kemps_p2p.session.match import begin
from kemps_p2p.session.messages import read_message
from kemps_p2p.session.replay import step
from protocol_vectors import FILES, FOLDER, files

READ: dict[str, dict[str, Any]] = {
    name: json.loads((FOLDER / name / "vectors.json").read_text(encoding="utf-8")) for name in FILES
}
SETTING = READ["session"]
KEYS = tuple(bytes.fromhex(key) for key in SETTING["keys"])
FOUNDING = found(bytes.fromhex(SETTING["genesis"]))
VECTORS = [(name, vector) for name, read in READ.items() for vector in read["vectors"]]


def check_record(data: bytes) -> None:
    record = open_record(decode(data, LogRecord), FOUNDING.match, KEYS)
    step(begin(FOUNDING), record, Proofs(is_eager=True))


CHECKS: dict[str, Callable[[bytes], object]] = {
    "message": read_message,
    "statement": lambda data: decode(data, Statement),  # type: ignore[arg-type]
    "action": lambda data: decode(data, Action),  # type: ignore[arg-type]
    "key": check_key,
    "item": lambda data: open_item(decode(data, Signed), FOUNDING.match, KEYS),
    "genesis": found,
    "record": check_record,
}


@pytest.mark.parametrize(
    "vector", [vector for _, vector in VECTORS], ids=[f"{v['kind']}, {v['name']}" for _, v in VECTORS]
)
def test_vector(vector: dict[str, Any]) -> None:
    fault = culprit = None
    try:
        CHECKS[vector["kind"]](bytes.fromhex(vector["bytes"]))
    except PeerFault as error:
        fault, culprit = error.code.value, error.culprit
    assert (fault, culprit) == (vector["fault"], vector.get("culprit"))


def test_every_kind_has_true_and_false_vectors() -> None:
    seen = {(vector["kind"], vector["fault"] is None) for _, vector in VECTORS}
    assert seen == {(kind, is_true) for kind in CHECKS for is_true in (True, False)}
    assert len({vector["bytes"] for _, vector in VECTORS}) == len(VECTORS)


def test_the_keys_are_those_of_the_genesis() -> None:
    assert FOUNDING.keys == KEYS
    assert all(
        (read["keys"], read["genesis"]) == (SETTING["keys"], SETTING["genesis"]) for read in READ.values()
    )


def test_the_generator_writes_these_files() -> None:
    """So that a change of any byte of the protocol shows as a change of a file."""
    made = files()
    assert {path: path.read_text(encoding="utf-8") for path in made} == made
