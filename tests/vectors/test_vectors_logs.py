"""The vectors of whole logs: what an audit says of each, and of two that contradict each other."""

from typing import Any

import pytest

from kemps_p2p.cli.audit import exit_of
from kemps_p2p.codec import frame
from kemps_p2p.ledger.identity import forget_verified
from kemps_p2p.session.audit import Audit, JointAudit, audit, audit_all
from kemps_p2p.session.findings import Finding
from kemps_p2p.session.logfile import Header, read_object
from vectors.form import FOLDER, read

INDEX = read("logs/index.json")
VECTORS = INDEX["vectors"]
TOGETHER = INDEX["together"]
LOGS = FOLDER / "logs"
PROOFS = {
    "bad-key-proof",
    "bad-shuffle-proof",
    "bad-share-proof",
    "bad-seed",
    "bad-seal",
    "bad-coin",
    "bad-point",
    "bad-scalar",
    "bad-signature",
    "equivocation",
}
"""What proves a lie by itself: a false proof, opening or signature of each kind, or two statements."""
Vector = dict[str, Any]


def log_of(name: str) -> bytes:
    return (LOGS / name).read_bytes()


def plain(findings: tuple[Finding, ...]) -> list[Vector]:
    return [{"index": one.index, "code": one.code.value, "culprit": one.culprit} for one in findings]


def told(one: Audit) -> Vector:
    head = None if one.head is None else {"index": one.head.index, "digest": one.head.digest.hex()}
    return {
        "verdict": one.verdict.value,
        "exit": exit_of(JointAudit(one.verdict, (one,))),
        "findings": plain(one.findings),
        "remarks": plain(one.remarks),
        "head": head,
        "scores": list(one.scores),
        "winners": list(one.winners),
        "names": list(one.names),
    }


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["file"]))
def test_log(vector: Vector) -> None:
    found = told(audit(log_of(vector["file"]), allow_stub=vector["allow_stub"]))
    expected = {key: value for key, value in vector.items() if key not in ("file", "kind", "allow_stub")}
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("vector", TOGETHER, ids=lambda vector: " and ".join(vector["files"]))
def test_logs_together(vector: Vector) -> None:
    joint = audit_all([log_of(name) for name in vector["files"]], allow_stub=vector["allow_stub"])
    assert joint.verdict.value == vector["verdict"]
    assert plain(joint.findings) == vector["findings"]
    (split,) = joint.splits
    assert split.index == vector["index"]
    assert [head.hex() for head in split.heads] == vector["heads"]
    assert list(split.culprits) == vector["culprits"]


def test_no_verdict_rests_on_what_was_verified_before() -> None:
    """A signature that has verified once is not looked at again; here everything is."""
    vector = next(vector for vector in VECTORS if vector["file"] == "item-signed-by-another-seat.kemps")
    forget_verified()
    test_log(vector)


def test_every_file_is_in_the_index() -> None:
    named = {vector["file"] for vector in VECTORS} | {name for each in TOGETHER for name in each["files"]}
    assert named == {path.name for path in LOGS.glob("*.kemps")}


def test_there_are_logs_of_every_verdict_and_enough_of_each() -> None:
    verdicts = [vector["verdict"] for vector in VECTORS]
    assert set(verdicts) == {"clean", "violated", "undecidable", "unreadable"}
    assert verdicts.count("clean") >= 5
    kinds = [vector["kind"] for vector in VECTORS]
    assert kinds.count("lie") >= 80, "signed anew by their authors"
    assert kinds.count("lie") + kinds.count("damage") >= 100, "tampered with"
    lies = {
        finding["code"] for vector in VECTORS if vector["kind"] == "lie" for finding in vector["findings"]
    }
    assert lies >= PROOFS
    blamed = [
        vector for vector in VECTORS if vector["findings"] and vector["findings"][0]["culprit"] is not None
    ]
    assert len(blamed) >= 20
    assert len({vector["findings"][0]["code"] for vector in blamed}) >= 15


def test_clean_logs_are_of_both_groups_and_of_several_sizes() -> None:
    seen = set()
    for vector in VECTORS:
        if vector["verdict"] == "clean":
            header = read_object(frame(log_of(vector["file"])).objects[0])
            assert isinstance(header, Header)
            seen.add((header.group, header.seats))
    assert seen >= {("stub-insecure", 4), ("stub-insecure", 6), ("ristretto255", 4)}


def test_the_same_lie_is_not_told_twice() -> None:
    logs = [log_of(vector["file"]) for vector in VECTORS if vector["allow_stub"]]
    assert len(set(logs)) == len(logs)
