"""Logs with one lie in them, signed by the authors themselves: the audit names entry, rule and culprit.

Each lie is told by whoever could tell it; everything after it is consistent with it, so that there is one
finding and no other.
"""

import audit_lies_chain
import audit_lies_deck
import audit_lies_play
import pytest
from audit_forger import Forger
from audit_lies import LIES, Lie

from kemps_p2p.errors import Fault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.tape import STAMP_LEAD_MAX
from kemps_p2p.session.audit import Verdict
from kemps_p2p.session.findings import Finding

pytest_plugins = ("audit_fixtures",)

KINDS = (audit_lies_play, audit_lies_deck, audit_lies_chain)
"""Where `LIES` are told."""


@pytest.mark.parametrize("told", LIES, ids=lambda told: told.__name__)
def test_the_lie_is_found(forger: Forger, told: Lie) -> None:
    index, code, culprit = told(forger)
    found = forger.audit()
    assert found.verdict is Verdict.VIOLATED
    assert [key(finding) for finding in found.findings] == [(index, code, culprit)], found.findings


def key(finding: Finding) -> tuple[int, object, Seat | None]:
    return finding.index, finding.code, finding.culprit


def test_signed_anew_without_a_lie_the_log_is_the_same(forger: Forger) -> None:
    assert forger.log() == forger.played.logs[0]


def test_there_are_lies_of_every_kind() -> None:
    assert all(sum(told.__module__ == kind.__name__ for told in LIES) >= 10 for kind in KINDS)


def test_a_stamp_that_leaps_is_found_where_it_leaps(forger: Forger) -> None:
    """Whatever rests on it must leap as well, so that this is not the only finding."""
    draft = forger.chain[-1]
    for tape in forger.tapes:
        for later in tape:
            if later.order >= draft.order:
                later.lamport += 20 * STAMP_LEAD_MAX
    found = forger.audit()
    assert found.verdict is Verdict.VIOLATED
    assert key(found.findings[0]) == (forger.last, Fault.BAD_STAMP, draft.seat)
    assert {finding.code for finding in found.findings} == {Fault.BAD_STAMP}
