"""The vectors of the codec: every record, what is no encoding, hashes and transcripts."""

from collections.abc import Callable
from typing import Any

import pytest

from kemps_p2p.codec import Transcript, decode, derive, encode, tagged_hash
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Action
from kemps_p2p.ledger.tape import NO_DIGEST, Signed, Statement, open_item
from kemps_p2p.session.messages import read_message
from vectors.form import plain, read
from vectors.shapes import record_types

VECTORS = read("codec/vectors.json")["vectors"]
RECORDS = read("codec/records.json")["vectors"]
HASHES = read("codec/hashes.json")["vectors"]
TRANSCRIPTS = read("codec/transcripts.json")["vectors"]
SIZES = read("codec/sizes.json")["vectors"]
KINDS = {kind.__name__: kind for kind in record_types()}
CHECKS: dict[str, Callable[[bytes], object]] = {
    "message": read_message,
    "statement": lambda data: decode(data, Statement),  # type: ignore[arg-type]
    "action": lambda data: decode(data, Action),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['kind']}, {vector['name']}")
def test_vector(vector: dict[str, Any]) -> None:
    fault = culprit = None
    try:
        CHECKS[vector["kind"]](bytes.fromhex(vector["bytes"]))
    except PeerFault as error:
        fault, culprit = error.code.value, error.culprit
    assert (fault, culprit) == (vector["fault"], None)


def test_every_kind_has_true_and_false_vectors() -> None:
    seen = {(vector["kind"], vector["fault"] is None) for vector in VECTORS}
    assert seen == {(kind, is_true) for kind in CHECKS for is_true in (True, False)}


@pytest.mark.parametrize("vector", SIZES, ids=lambda vector: f"{vector['kind']}, {vector['name']}")
def test_sizes(vector: dict[str, Any]) -> None:
    checks: dict[str, Callable[[bytes], object]] = {
        "message": read_message,
        "item": lambda data: open_item(Signed(raw=data, signature=bytes(64)), NO_DIGEST, ()),
    }
    with pytest.raises(PeerFault) as caught:
        checks[vector["kind"]](bytes(vector["zeros"]))
    assert (caught.value.code.value, caught.value.culprit) == (vector["fault"], None)


def test_every_record_decodes_to_what_is_written_and_back() -> None:
    for vector in RECORDS:
        data = bytes.fromhex(vector["bytes"])
        value = decode(data, KINDS[vector["value"]["record"]])
        assert plain(value) == vector["value"]
        assert encode(value) == data


def test_every_record_has_a_vector_and_no_two_share_a_name() -> None:
    assert {vector["value"]["record"] for vector in RECORDS} == set(KINDS)
    assert len(KINDS) == len(record_types())


def test_every_hash_is_as_written_and_no_two_are_alike() -> None:
    for vector in HASHES:
        parts = [bytes.fromhex(part) for part in vector["parts"]]
        assert tagged_hash(vector["label"], *parts).hex() == vector["tagged_hash"]
        assert derive(vector["label"], *parts).hex() == vector["derive"]
    assert len({vector["tagged_hash"] for vector in HASHES}) == len(HASHES)


@pytest.mark.parametrize("vector", TRANSCRIPTS, ids=lambda vector: str(vector["name"]))
def test_every_step_of_a_transcript_gives_what_is_written(vector: dict[str, Any]) -> None:
    transcript = Transcript(vector["name"])
    for step in vector["steps"]:
        match step["do"]:
            case "append":
                transcript.append(step["label"], *map(bytes.fromhex, step["values"]))
            case "challenge":
                assert transcript.challenge(step["label"]).hex() == step["gives"]
            case "challenges":
                drawn = transcript.challenges(step["label"], step["count"], step["size"])
                assert [each.hex() for each in drawn] == step["gives"]
            case other:
                pytest.fail(f"no such step: {other}")


def test_no_two_transcripts_draw_alike() -> None:
    drawn = [step["gives"] for vector in TRANSCRIPTS for step in vector["steps"] if step["do"] == "challenge"]
    assert len(set(drawn)) == len(drawn)
