"""Dispute reports: each way in which a race can be decided is told as what it was, alike from every log."""

import dataclasses
import json
from functools import cache

import pytest
from audit_helpers import Played
from dispute_tables import WAYS, by_half_a_cut, late_call, log_of
from msgspec import structs

from kemps_p2p.codec import frame
from kemps_p2p.errors import Fault, Illegal
from kemps_p2p.game.actions import Swap
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Result
from kemps_p2p.report.audit_text import SPLITS_MAX, audit_json, audit_lines
from kemps_p2p.report.contests import (
    intent_of,
    numbered_calls,
    numbered_races,
    settled_by,
    walked,
    why_refused,
)
from kemps_p2p.report.dispute import RaceFacts, call_facts, race_facts
from kemps_p2p.report.dispute_json import call_json, race_json
from kemps_p2p.report.dispute_text import call_lines, race_lines
from kemps_p2p.report.focus import Focus, focus_json, focus_lines
from kemps_p2p.report.log_card import card_of
from kemps_p2p.report.replay_text import tell
from kemps_p2p.session.audit import Audit, JointAudit, Split, audit, audit_all
from kemps_p2p.session.draws import Why
from kemps_p2p.session.findings import Finding, Flaw, Verdict
from kemps_p2p.session.races import Race, asked_by
from kemps_p2p.wording.disputes import SUMMARIES, WHYS
from kemps_p2p.wording.people import People
from kemps_p2p.wording.races import met_text

pytest_plugins = ("audit_fixtures",)

SAYS = {
    "poll": "Neither had seen the other's wish before, so the witnesses were asked: whoever is first on",
    "cause": "seat 0's wish comes before seat 1's own there. Then no witness is asked.",
    "coins": "seat 0 and seat 1 showed coins that were fixed before the match",
    "own-exchange": "a team's exchange goes before a call of the same team: seat 2 before seat 0.",
    "counter-first": "these rules put a call against a team before other calls (simultaneous_calls): seat 1",
    "withheld": "seat 0 or its partner did not show the coin it owed in time, so seat 0 goes last.",
    "dealer": "On the dealer's tape seat 1 comes before seat 3.",
    "cut": "so entry 9 cut the tapes off: what they held by then counts, and missing words do not.",
}


@cache
def decided(way: str) -> tuple[Audit, RaceFacts]:
    found = audit(log_of(*WAYS[way]), allow_stub=True)
    assert {finding.code for finding in found.findings} == {Flaw.NOT_CLOSED}
    facts = race_facts(found, 1)
    assert facts is not None
    return found, facts


@pytest.mark.parametrize("way", WAYS)
def test_the_rule_that_decided_is_told(way: str) -> None:
    found, facts = decided(way)
    text = "\n".join(race_lines(found, facts))
    assert SAYS[way] in text
    assert race_json(found, facts)["rule"] == way
    for other, said in SAYS.items():
        assert (said in text) == (other == way) or (way, other) == ("cut", "poll")


def test_every_reason_for_an_order_has_words_of_its_own() -> None:
    for words in (WHYS, SUMMARIES):
        assert words.keys() == set(Why)
        assert len(set(words.values())) == len(words)


def test_what_each_seat_has_signed_is_told_in_its_order() -> None:
    found, facts = decided("cause")
    lines = list(race_lines(found, facts))
    said = "seat 0 was first: seat 1 had already seen what seat 0 wanted"
    assert f"Race 1: {said}, as seat 1's own tape shows." in lines
    assert "  seat 1, who wanted it: first seat 0's [stamp 25], then its own wish [stamp 26]" in lines
    assert (
        "  seat 2, witness and partner of seat 0: first seat 1's [stamp 27], then seat 0's [stamp 29]"
        in lines
    )


def test_what_is_beyond_a_cut_is_not_shown() -> None:
    found, facts = decided("cut")
    assert (
        "  seat 3, witness and partner of seat 1: seat 0's [stamp 27], before anything of seat 1's"
        in race_lines(found, facts)
    )


def test_what_a_cut_names_goes_first() -> None:
    found = audit(log_of(by_half_a_cut, {}), allow_stub=True)
    facts = race_facts(found, 2)
    assert facts is not None
    text = "\n".join(race_lines(found, facts))
    assert "seat 0's wish is named by the cut and seat 3's is not: what a cut names goes first." in text
    assert "Whether" not in text, "nobody's word was asked for"


def test_a_call_that_came_after_another_is_told_with_it_and_has_a_race() -> None:
    found = audit(log_of(late_call, {}), allow_stub=True)
    called, facts = call_facts(found, 1), race_facts(found, 1)
    assert called is not None
    assert facts is not None
    won = "seat 0 was first: 2 of 2 witnesses (seat 2 and seat 3) saw seat 0 before seat 1."
    (met,) = (line for line in call_lines(found, called) if "Race 1 (--race 1): " in line)
    assert met.endswith(won)
    wishes = [line for line in call_lines(found, called) if " wanted to call " in line]
    assert [line.split()[1] for line in wishes] == ["0", "1"]
    assert all("[stamp " in line for line in wishes)
    assert f"Race 1: {won}" in race_lines(found, facts)
    assert call_json(found, called)["in_races"] == [1]


def test_whose_lie_would_have_changed_it_is_told() -> None:
    found, facts = decided("poll")
    who = "Whether seat 2 and seat 3 signed what they saw."
    assert f"  {who} If seat 1 was first at each of them, all of them lied." in race_lines(found, facts)


def test_the_table_says_it_in_the_words_of_the_report() -> None:
    found, facts = decided("poll")
    race: Race = facts.race.contested.races[0]
    said = met_text(race, People(4))
    assert f"  {said}." in race_lines(found, facts)
    assert f"Race 1: {met_text(race, People(4), (Seat(2), Seat(3)))}." in race_lines(found, facts)


def test_every_peers_log_gives_the_same_reports(busy: Played) -> None:
    audits = [audit(log, allow_stub=True) for log in busy.logs]
    reports = []
    for found in audits:
        lines = []
        for race in numbered_races(found):
            facts = race_facts(found, race.at.number)
            assert facts is not None
            lines += [*race_lines(found, facts), json.dumps(race_json(found, facts))]
        for call in numbered_calls(found):
            called = call_facts(found, call.at.number)
            assert called is not None
            lines += [*call_lines(found, called), json.dumps(call_json(found, called))]
        reports.append(lines)
    assert len(reports[0]) > 50
    assert all(report == reports[0] for report in reports)
    assert all(line.isprintable() for line in reports[0])


def test_numbers_are_those_of_the_replay(busy: Played) -> None:
    found = audit(busy.logs[0], allow_stub=True)
    told = [line for line in tell(found) if line.event in ("race", "together")]
    races = list(numbered_races(found))
    assert [(line.facts["race"], line.entry) for line in told] == [
        (race.at.number, race.at.step.record.entry.index) for race in races
    ]
    calls = [line for line in tell(found) if line.event == "called"]
    assert [(line.facts["call"], line.entry) for line in calls] == [
        (call.at.number, call.at.step.record.entry.index) for call in numbered_calls(found)
    ]


def test_there_is_no_report_on_what_is_not_there(busy: Played) -> None:
    found = audit(busy.logs[0], allow_stub=True)
    count = sum(1 for _ in numbered_races(found))
    assert race_facts(found, count) is not None
    assert [race_facts(found, number) for number in (-1, 0, count + 1)] == [None] * 3
    assert call_facts(found, 99) is None


def test_a_call_is_told_with_its_verdict_and_the_hand(busy: Played) -> None:
    found = audit(busy.logs[0], allow_stub=True)
    facts = call_facts(found, 1)
    assert facts is not None
    text = "\n".join(call_lines(found, facts))
    assert f" called {facts.call.called.seat}" not in text
    assert " is right (called by Bot " in text or " is wrong (called by Bot " in text
    assert "opened these cards (the last shares of their key), with the proof that they are the " in text
    assert text.splitlines()[1].endswith((", a quartet.", ", no quartet."))
    assert " get a letter; whoever completes K" in text
    assert all(line[0].isupper() and line.endswith(".") for line in text.splitlines()[1:3])
    assert "the deal is over: " in text
    assert {told.after.game.deal for told in facts.since} == {facts.call.at.before.game.deal}
    told = call_json(found, facts)
    assert told["verdicts"] == ["right" if " is right (called" in text else "wrong"]
    hands = told["hands"]
    assert isinstance(hands, list)
    assert all(len(hand["cards"]) == 4 and None not in hand["cards"] for hand in hands)


def test_a_call_that_the_log_does_not_judge_is_told_so(busy: Played) -> None:
    found = audit(busy.logs[0], allow_stub=True)
    call = next(numbered_calls(found))
    index = call.at.step.record.entry.index
    short = Audit(
        found.verdict, found.findings, founding=found.founding, names=found.names, steps=found.steps[:index]
    )
    facts = call_facts(short, 1)
    assert facts is not None
    if facts.judged is None:
        assert "  It was not judged as far as the log goes." in call_lines(short, facts)
    else:
        pytest.fail("the call is judged by the entry that logs it")


def test_a_draw_that_the_log_does_not_reach_is_told_so() -> None:
    found, _ = decided("coins")
    short = Audit(found.verdict, found.findings, founding=found.founding, steps=found.steps[:-1])
    facts = race_facts(short, 1)
    assert facts is not None
    lines = list(race_lines(short, facts))
    assert "Race 1: the table was split, and the log ends before it was decided." in lines
    assert "  The log ends before they were put in order." in lines
    assert race_json(short, facts)["rule"] == "undecided"


def test_a_log_of_no_match_tells_nothing_and_no_claim_has_no_reason() -> None:
    nothing = audit(b"hello")
    assert [*walked(nothing), *tell(nothing)] == []
    header = frame(log_of(*WAYS["poll"])).objects[0]
    assert card_of(header + header) is None
    found, facts = decided("poll")
    assert [wish.outcome and wish.outcome.result for wish in facts.wishes] == [Result.OK, Result.MISSED]
    before, step, item = next(
        (before, step, item)
        for before, step, place in walked(found)
        for _, item, result in settled_by(before, step, step.record.entry.events[place])
        if result is Result.OK and isinstance(asked_by(item).action, Swap)
    )
    assert intent_of(step, None, {}) is None
    assert why_refused(before, step, step.record.item) is None
    assert why_refused(before, step, item) is None
    # Lawful at the head that it cites, and not any more when its turn comes.
    gone = structs.replace(before, game=structs.replace(before.game, pool=()))
    assert why_refused(gone, step, item) is Illegal.NOT_IN_POOL


def test_what_several_logs_show_is_among_the_findings_and_a_seat_has_its_own() -> None:
    found, _ = decided("poll")
    lie = Finding(2, Fault.EQUIVOCATION, Seat(2))
    joint = JointAudit(Verdict.CONTRADICT, (found,), (), (lie,))
    assert [told["culprit"] for told in audit_json(joint, ["one"])["findings"]][-1] == 2
    one = dataclasses.replace(found, findings=(lie,))
    for seat, count in ((None, 1), (Seat(2), 1), (Seat(1), 0)):
        told = focus_json(one, Focus(seat=seat))["findings"]
        assert isinstance(told, list)
        assert len(told) == count


# One deal, one seat


def test_a_deal_and_a_seat_can_be_looked_at(busy: Played) -> None:
    found = audit(busy.logs[0], allow_stub=True)
    whole = focus_json(found, Focus())
    by_seat = [focus_json(found, Focus(seat=race.at.step.record.item.seat)) for race in numbered_races(found)]
    assert whole["races"] == [race.at.number for race in numbered_races(found)]
    assert whole["calls"] == [call.at.number for call in numbered_calls(found)]
    assert by_seat
    first = focus_json(found, Focus(deal=1))
    assert isinstance(first["proven"], dict)
    assert first["proven"]["shuffle turn"] == 4
    lines = list(focus_lines(found, Focus(deal=1)))
    assert lines[0].startswith("deal 1: entries ")
    assert "  nothing is found here that does not hold" in lines
    assert list(focus_lines(found, Focus(deal=99))) == ["deal 99: the log has no such deal that holds"]


def test_names_that_are_hostile_do_no_harm(busy: Played) -> None:
    found = audit(busy.logs[0], allow_stub=True)
    hostile = dataclasses.replace(found, names=("\x1b[2J", "\u202eBen", "<b>", "\n"))
    race, call = race_facts(hostile, 1), call_facts(hostile, 1)
    assert race is not None
    assert call is not None
    lines = [
        *race_lines(hostile, race),
        *call_lines(hostile, call),
        *focus_lines(hostile, Focus(deal=1, seat=Seat(0))),
        json.dumps(race_json(hostile, race)),
    ]
    assert all(line.isprintable() for line in lines)


def test_of_many_logs_that_part_a_few_pairs_are_shown(busy: Played) -> None:
    """Each pair is in the JSON; nobody reads thousands of them."""
    joint = audit_all([busy.logs[0]] * 2, allow_stub=True)
    heads = (joint.audits[0].steps[0].record.item.digest, joint.audits[0].steps[1].record.item.digest)
    splits = (Split(0, 1, 1, heads, (Seat(1),)),) * (SPLITS_MAX + 3)
    findings = (Finding(1, Flaw.FORK, Seat(1)),)
    parted = JointAudit(Verdict.CONTRADICT, joint.audits, splits, findings)
    lines = list(audit_lines(parted, ["one", "other"]))
    assert sum("are one log up to entry 0" in line for line in lines) == SPLITS_MAX
    assert "  and 3 more pairs of logs that part" in lines
    assert len(audit_json(parted, ["one", "other"])["splits"]) == SPLITS_MAX + 3
