"""Logs of earlier versions are read for ever: each gives what it gave when it was made."""

import hashlib

import pytest
from golden_form import FOLDER, Golden, audited, read_index, told_of

from kemps_p2p.ledger.entry import Readmitted, Struck
from kemps_p2p.session.takeover import take_over_in
from verifier import VERIFIER

GOLDEN = read_index()
BOOKS = {"kemps", "kent", "chaulcer", "kems", "cash"}
NOT_PLAYED = {"chaulcer.kemps", "kems.kemps", "cash.kemps"}
"""Logs of rule books that the independent verifier does not play."""
QUICK = {"observed.kemps", "broken-off.kemps", "handed-over.kemps"}
BYTES_MAX = 300_000

each_log = pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: str(golden["file"]))


def read(golden: Golden) -> bytes:
    log: bytes = (FOLDER / golden["file"]).read_bytes()
    return log


@each_log
def test_a_log_gives_what_it_gave_when_it_was_made(golden: Golden) -> None:
    told = told_of(read(golden))
    assert told == {name: golden[name] for name in told}


def check_verifier(golden: Golden) -> None:
    if golden["file"] in NOT_PLAYED:
        with pytest.raises(VERIFIER.OtherRules):
            VERIFIER.Reader(read(golden))
        return
    log = VERIFIER.Reader(read(golden))
    assert log.verdict.value == golden["exit"]
    assert (log.match.index, log.match.head.hex()) == (golden["entries"], golden["head"])
    if golden["verdict"] == "clean":
        found = (list(log.match.game.scores), list(log.match.winners))
        assert found == (golden["scores"], golden["winners"])


def test_the_independent_verifier_says_the_same_of_some() -> None:
    for golden in GOLDEN:
        if golden["file"] in QUICK | NOT_PLAYED:
            check_verifier(golden)


@pytest.mark.soak
@each_log
def test_the_independent_verifier_says_the_same(golden: Golden) -> None:
    check_verifier(golden)


def test_no_log_was_changed_or_made_again() -> None:
    """Whoever adds a log adds a line to the index; no line and no log ever changes."""
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FOLDER.glob("*.kemps")}
    assert digests == {golden["file"]: golden["sha256"] for golden in GOLDEN}


def test_there_is_a_log_of_each_book_and_they_are_small() -> None:
    assert {f"{book}.kemps" for book in BOOKS} <= {golden["file"] for golden in GOLDEN}
    assert max(len(read(golden)) for golden in GOLDEN) <= BYTES_MAX


def test_they_show_what_they_are_kept_for() -> None:
    logs = {golden["file"]: read(golden) for golden in GOLDEN}
    audits = {name: audited(log).audits[0] for name, log in logs.items()}
    assert audits["observed.kemps"].annexed_by == 0
    assert audits["observed.kemps"].observer_name == "Zoe"
    assert any(take_over_in(step.record.entry) for step in audits["handed-over.kemps"].steps)
    events = [event for step in audits["absent.kemps"].steps for event in step.record.entry.events]
    assert {type(event) for event in events} >= {Struck, Readmitted}
    match = audits["kemps.kemps"].match
    assert match is not None
    assert set(match.opened_books) == set(range(4)), "each team has sealed its signals, and opened them"
    assert b"Carla" in logs["kent.kemps"]
    assert b"Carla" not in logs["redacted.kemps"]
    assert audits["redacted.kemps"].head == audits["kent.kemps"].head
