"""Logs of honest matches are clean, and all peers hold the same chain."""

import pytest
from audit_helpers import Played, play

from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.session.audit import Verdict, audit, audit_all
from kemps_p2p.session.findings import Flaw

pytest_plugins = ("audit_fixtures",)


def test_a_log_alone_is_clean(secure: Played) -> None:
    found = audit(secure.logs[3])
    assert found.verdict is Verdict.CLEAN, found.findings
    assert found.findings == ()
    assert found.remarks == ()
    assert found.annexed_by == 3
    assert found.names == tuple(f"Bot {seat}" for seat in range(4))
    assert len(found.certified_by) >= 3
    assert found.winners
    assert found.head is not None
    assert found.head.index == len(found.steps) == len(found.entries)


def test_all_logs_of_a_match_are_one_chain(secure: Played) -> None:
    joint = audit_all(secure.logs)
    assert joint.verdict is Verdict.CLEAN
    assert joint.findings == ()
    assert len({one.head and one.head.digest for one in joint.audits}) == 1
    assert len({one.annexed_by for one in joint.audits}) == 4


def test_a_shared_chain_is_folded_once(stub: Played) -> None:
    calls: list[tuple[int, int]] = []
    audit_all(stub.logs, allow_stub=True, progress=lambda done, total: calls.append((done, total)))
    assert [done for done, _ in calls] == list(range(calls[-1][1] + 1))


def test_a_log_of_a_simulation_is_violated_unless_it_is_allowed(stub: Played) -> None:
    found = audit(stub.logs[0])
    assert found.verdict is Verdict.VIOLATED
    assert [(finding.index, finding.code) for finding in found.findings] == [(0, Flaw.INSECURE_GROUP)]
    assert audit(stub.logs[0], allow_stub=True).verdict is Verdict.CLEAN


def test_logs_of_different_matches_do_not_contradict_each_other(stub: Played, busy: Played) -> None:
    joint = audit_all([stub.logs[0], busy.logs[1]], allow_stub=True)
    assert joint.verdict is Verdict.CLEAN
    assert joint.audits[0].founding != joint.audits[1].founding


def test_one_log_and_a_part_of_it_agree(busy: Played) -> None:
    log = busy.logs[0]
    joint = audit_all([log, log[: len(log) // 2]], allow_stub=True)
    assert joint.verdict is Verdict.UNDECIDABLE
    assert joint.findings == ()


@pytest.mark.soak
@pytest.mark.parametrize("preset", ["kemps", "kent", "kems", "cash", "kemps/go", "kems/15"])
@pytest.mark.parametrize("seed", range(100, 104))
def test_whole_matches_of_every_rule_book_are_clean(preset: str, seed: int) -> None:
    played = play(seed, override(load_rules(preset), {"look_ms": 0}))
    joint = audit_all(played.logs, allow_stub=True)
    assert joint.verdict is Verdict.CLEAN, [one.findings[:3] for one in joint.audits]
