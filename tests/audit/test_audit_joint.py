"""Logs of one match against each other: a contradiction names the place, both heads, and who told both."""

import pytest
from audit_forger import Forger, replace
from audit_helpers import Played

from kemps_p2p.codec import frame
from kemps_p2p.errors import Fault
from kemps_p2p.session.audit import Verdict, audit, audit_all
from kemps_p2p.session.findings import Flaw

pytest_plugins = ("audit_fixtures",)


def other_story(forger: Forger, index: int) -> bytes:
    """The log as it would be had the sequencer told another time at an entry, and all had gone on."""
    forger.change_entry(index, wall_ms=forger.entry(index).wall_ms + 1)
    return forger.log()


def after_draws(forger: Forger) -> int:
    """An entry behind which no draw follows, so that another story stays within the rules."""
    return forger.last - 2


def test_two_stories_contradict_each_other_and_their_author_is_named(forger: Forger) -> None:
    index = after_draws(forger)
    author = forger.author(index)
    told, other = forger.played.logs[1], other_story(forger, index)
    assert audit(other, allow_stub=True).verdict is Verdict.CLEAN, "each story holds by itself"
    joint = audit_all([told, other], allow_stub=True)
    assert joint.verdict is Verdict.CONTRADICT
    split = joint.splits[0]
    assert (split.first, split.second, split.index) == (0, 1, index)
    assert split.heads[0] != split.heads[1]
    assert author in split.culprits
    heads = {one.head.digest for one in joint.audits if one.head is not None}
    assert len(heads) == 2
    assert (index, Fault.EQUIVOCATION, author) in {
        (finding.index, finding.code, finding.culprit) for finding in joint.findings
    }
    assert Flaw.FORK in {finding.code for finding in joint.findings}


def test_everybody_who_acked_both_stories_is_a_culprit(forger: Forger) -> None:
    index = after_draws(forger)
    joint = audit_all([forger.played.logs[1], other_story(forger, index)], allow_stub=True)
    certified = {seat for one in joint.audits for seat in one.certified_by}
    assert set(joint.splits[0].culprits) <= certified | {forger.author(index)}
    assert len(joint.splits[0].culprits) > 1


def test_the_order_of_the_logs_does_not_matter(forger: Forger) -> None:
    index = after_draws(forger)
    logs = [forger.played.logs[1], other_story(forger, index)]
    one, other = (audit_all(pair, allow_stub=True) for pair in (logs, logs[::-1]))
    assert {finding.culprit for finding in one.findings} == {finding.culprit for finding in other.findings}
    assert one.splits[0].index == other.splits[0].index


def test_of_three_logs_the_pairs_that_contradict_each_other_are_named(forger: Forger) -> None:
    told = forger.played.logs
    joint = audit_all([told[0], told[1], other_story(forger, after_draws(forger))], allow_stub=True)
    assert [(split.first, split.second) for split in joint.splits] == [(0, 2), (1, 2)]


def test_a_log_with_a_lie_contradicts_the_honest_ones_too(forger: Forger) -> None:
    index = after_draws(forger)
    forger.change_entry(index, elapsed_ms=0)
    joint = audit_all([forger.played.logs[0], forger.log()], allow_stub=True)
    assert [one.verdict for one in joint.audits] == [Verdict.CLEAN, Verdict.VIOLATED]
    assert joint.verdict is Verdict.CONTRADICT


def test_a_damaged_log_contradicts_nobody(busy: Played) -> None:
    """Bytes that nobody signed are nobody's other story."""
    log = busy.logs[0]
    place = sum(map(len, frame(log).objects[:30])) + 100
    damaged = log[:place] + bytes([log[place] ^ 1]) + log[place + 1 :]
    joint = audit_all([log, damaged], allow_stub=True)
    assert joint.verdict is Verdict.VIOLATED
    assert joint.splits == ()
    assert all(finding.culprit is None for one in joint.audits for finding in one.findings)


@pytest.mark.parametrize("cut", [0.3, 0.7])
def test_the_beginning_of_another_story_is_enough(forger: Forger, cut: float) -> None:
    index = 3
    draft = forger.chain[index - 1]
    assert draft.entry is not None
    draft.entry = replace(draft.entry, wall_ms=draft.entry.wall_ms + 1)
    other = forger.log()
    told = forger.played.logs[0]
    joint = audit_all([told, other[: int(len(other) * cut)]], allow_stub=True)
    assert joint.verdict is Verdict.CONTRADICT
    assert joint.splits[0].index == index
    assert forger.author(index) in joint.splits[0].culprits
