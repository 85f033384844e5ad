"""The vectors of the session: genesis bodies and first records, each with its one fault and its culprit."""

from collections.abc import Callable
from typing import Any

import pytest

from kemps_p2p.codec import decode
from kemps_p2p.errors import PeerFault
from kemps_p2p.ledger.entry import LogRecord
from kemps_p2p.session.fold import Proofs, open_record
from kemps_p2p.session.genesis import found
from kemps_p2p.session.match import begin
from kemps_p2p.session.replay import step
from vectors.form import read

READ = read("session/vectors.json")
VECTORS = READ["vectors"]
FOUNDING = found(bytes.fromhex(READ["genesis"]))


def check_record(data: bytes) -> None:
    record = open_record(decode(data, LogRecord), FOUNDING.match, FOUNDING.keys)
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


def test_every_kind_has_true_and_false_vectors() -> None:
    seen = {(vector["kind"], vector["fault"] is None) for vector in VECTORS}
    assert seen == {(kind, is_true) for kind in CHECKS for is_true in (True, False)}
    assert len({vector["bytes"] for vector in VECTORS}) == len(VECTORS)
