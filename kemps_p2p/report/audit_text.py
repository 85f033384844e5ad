"""What an audit found, as lines for people and as one JSON object.

Everything that comes from a log is made harmless by `wording`; JSON is written in ASCII.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kemps_p2p.codec import Digest
from kemps_p2p.game.rules import canonical_text
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.report.contests import numbered_calls, numbered_races
from kemps_p2p.report.standins import held_json, held_lines
from kemps_p2p.session.audit import Audit, JointAudit, Split, worst
from kemps_p2p.session.findings import Finding, Verdict
from kemps_p2p.wording.audits import (
    NO_NAMES,
    NOT_PROVEN,
    is_founded,
    people_in,
    people_of,
    proven_by,
    verdict_line,
)
from kemps_p2p.wording.faults import sentence
from kemps_p2p.wording.glossary import glossary_lines
from kemps_p2p.wording.people import People, counted, listed
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.rule_books import book_text, changes_lines
from kemps_p2p.wording.scores import result_line

SAME_CODE_MAX = 8
"""Findings of one kind that are shown one by one; JSON has them all."""
SPLITS_MAX = 4
"""Pairs of logs that part which are shown one by one; JSON has them all."""


def audit_lines(joint: JointAudit, labels: Sequence[str], beside: Sequence[str] = ()) -> Iterator[str]:
    """The report of an audit. `labels`: what to call the logs, in their order; `beside`: what lies there."""
    yield verdict_line(joint)
    yield from _logs_lines(joint, labels)
    yield from beside
    yield from closing_lines(joint.verdict, proven_by(joint.audits))


def closing_lines(verdict: Verdict, proven: Sequence[str]) -> Iterator[str]:
    """What an audit proves at all, and what it cannot; without anything that it could prove, neither."""
    if not proven:
        return
    yield ""
    yield "proven:" if verdict is Verdict.CLEAN else "proven, as far as the entries hold:"
    yield from (f"  {line}" for line in proven)
    yield "what no log can prove:"
    yield from (f"  {line}" for line in NOT_PROVEN)


def archive_lines(joint: JointAudit, labels: Sequence[str], beside: Sequence[str] = ()) -> Iterator[str]:
    """The report on the logs of one match among those of many: one line if all is well with them."""
    best = longest(joint)
    if joint.verdict is not Verdict.CLEAN or best.founding is None:
        if len(labels) == 1:
            yield f"{joint.verdict.value}: {plain(labels[0])}{_keeper(joint.audits[0])}"
        else:
            yield f"{joint.verdict.value}: {len(labels)} logs of one match"
        yield from (f"  {line}" for line in (*_logs_lines(joint, labels), *beside) if line)
        return
    result = result_line(best.founding.rules, best.scores, best.winners, people_of(best))
    files = plain(labels[0]) if len(labels) == 1 else f"{plain(labels[0])} and {len(labels) - 1} more"
    match = best.founding.match.hex()[:16]
    yield f"clean: match {match}, {counted(best.deals, 'deal')}; {result} ({files})"
    yield from (f"  {line}" for line in beside)


def longest(joint: JointAudit) -> Audit:
    """The audit of the chain that holds for the most entries; of several, of a log that is all well."""
    return max(
        joint.audits, key=lambda one: (one.head.index if one.head else -1, one.verdict is Verdict.CLEAN)
    )


def source_lines(joint: JointAudit, labels: Sequence[str]) -> Iterator[str]:
    """From which of some logs a part is told, where they are not all worth the same."""
    best = longest(joint)
    if joint.verdict is best.verdict:
        return
    told = verdict_line(joint)
    yield f"{told[0].upper()}{told[1:]}"
    for label, one in zip(labels, joint.audits, strict=True):
        is_told = ": what follows is told from this one" if one is best else ""
        yield f"  {plain(label)}{_keeper(one)} is {one.verdict.value}{is_told}"
    yield ""


def _logs_lines(joint: JointAudit, labels: Sequence[str]) -> Iterator[str]:
    """What there is to say of each log, those alike together, and of what is between them."""
    alike: dict[_Facts, list[str]] = {}
    first: dict[_Facts, Audit] = {}
    for label, one in zip(labels, joint.audits, strict=True):
        facts = _facts(one)
        alike.setdefault(facts, []).append(f"{plain(label)}{_keeper(one)}")
        first.setdefault(facts, one)
    for facts, one in first.items():
        if len(joint.audits) > 1:
            yield ""
            yield from (f"{label}: {one.verdict.value}" for label in alike[facts])
        yield from (f"  {line}" for line in _log_lines(one, is_alone=len(joint.audits) == 1))
    if joint.findings:
        yield ""
        yield "between the logs:"
        for split in joint.splits[:SPLITS_MAX]:
            yield from (f"  {line}" for line in _split_lines(split, joint, labels))
        if len(joint.splits) > SPLITS_MAX:
            yield f"  and {len(joint.splits) - SPLITS_MAX} more pairs of logs that part"
        yield from (f"  {line}" for line in finding_lines(joint.findings, people_in(joint)))
    yield from words_lines(all_findings(joint))


def words_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """What the words of the protocol in some findings mean, if there are any."""
    words = glossary_lines(findings)
    if words:
        yield ""
        yield "words in these findings:"
        yield from (f"  {line}" for line in words)


def all_findings(joint: JointAudit) -> Iterator[Finding]:
    """What was found in each log and between them, and what was remarked."""
    for one in joint.audits:
        yield from (*one.findings, *one.remarks)
    yield from joint.findings


_Facts = tuple[Digest | None, tuple[TapeItem | None, ...], tuple[Finding, ...], tuple[Finding, ...]]


def _facts(one: Audit) -> _Facts:
    """What the report says of a log, apart from who kept it."""
    match = None if one.founding is None else one.founding.match
    return match, one.entries, one.findings, one.remarks


def _keeper(one: Audit) -> str:
    return "" if one.annexed_by is None else f" (as {people_of(one).seat(one.annexed_by)} kept it)"


def _log_lines(one: Audit, *, is_alone: bool) -> Iterator[str]:
    people = people_of(one)
    if one.founding is not None and one.head is not None:
        seated = ", ".join(people.seat(seat) for seat in range(people.seats))
        watched = "" if one.founding.observer is None else f"; {people.seat(one.founding.observer)} watches"
        yield f"match {one.founding.match.hex()}: {seated}{watched}"
        yield f"by {book_text(canonical_text(one.founding.rules))}"
        yield from (f"  {line}" for line in changes_lines(one.founding.rules))
        if is_alone and one.annexed_by is not None:
            yield f"this log is as {people.seat(one.annexed_by)} kept it"
        if not one.names:
            yield NO_NAMES
        hold = "hold" if is_founded(one) else "would hold if the founding did"
        # What is signed behind the last that holds is there, and worth nothing.
        signed = len(one.entries)
        of_all = f"{one.head.index} of " if signed > one.head.index else ""
        all_told = counted(max(signed, one.head.index), "entry", "entries")
        yield f"{of_all}{all_told} {hold}, up to {one.head.digest.hex()}"
    if one.founding is not None and one.steps:
        result = result_line(one.founding.rules, one.scores, one.winners, people)
        yield f"{counted(one.deals, 'deal')}; {result}"
        for what, numbered, each in (
            ("call", numbered_calls(one), "who was right, and why"),
            ("race", numbered_races(one), "who was first"),
        ):
            count = sum(1 for _ in numbered)
            if count:
                say = f"`--{what} 1` says" if count == 1 else f"`--{what} 1` to `--{what} {count}` say"
                yield f"{counted(count, what)}: {say} {each}"
    yield from held_lines(one, people)
    yield from finding_lines(one.findings, people)
    for remark in one.remarks:
        yield f"remark, entry {remark.index}: {sentence(remark, people)}"


def finding_lines(findings: Sequence[Finding], people: People) -> Iterator[str]:
    """What was found, a line each; of what is alike, the first few and how many more."""
    shown: Counter[object] = Counter()
    for finding in findings:
        shown[finding.code] += 1
        if shown[finding.code] <= SAME_CODE_MAX:
            yield f"entry {finding.index}: {sentence(finding, people)}"
    for code, count in shown.items():
        if count > SAME_CODE_MAX:
            example = next(finding for finding in findings if finding.code is code)
            yield f"and {count - SAME_CODE_MAX} more like entry {example.index}"


def _split_lines(split: Split, joint: JointAudit, labels: Sequence[str]) -> Iterator[str]:
    """Where two logs part, what each has there and at its end, and who has signed both."""
    people = people_in(joint)
    one, other = (plain(labels[place]) for place in (split.first, split.second))
    last = joint.audits[split.first].entries[split.index - 2] if split.index > 1 else None
    shared = "" if last is None else f" ({last.digest.hex()[:16]})"
    before = f"up to entry {split.index - 1}{shared}"
    yield f"{one} and {other} are one log {before}, and two from entry {split.index} on:"
    for label, place, digest in zip((one, other), (split.first, split.second), split.heads, strict=True):
        audit = joint.audits[place]
        item = audit.entries[split.index - 1]
        author = "" if item is None else f", by {people.seat(item.seat)}"
        head = (
            "" if audit.head is None else f"; holds up to {audit.head.index} {audit.head.digest.hex()[:16]}"
        )
        yield f"  {label}: entry {split.index} is {digest.hex()[:16]}{author}{head}"
    both = [people.numbered(seat) for seat in split.culprits]
    yield f"  signed both: {listed(both) or 'nobody, as far as these logs prove'}"


# JSON


def audit_json(joint: JointAudit, labels: Sequence[str], *, is_one_of_many: bool = False) -> dict[str, Any]:
    """The audit as one object: of the longest chain that holds at the top, then of each log.

    `is_one_of_many`: there are logs of other matches, so that every finding has to name its log.
    """
    best = longest(joint)
    several = is_one_of_many or len(joint.audits) > 1
    findings = [
        {**_finding_json(finding, people_of(one)), **({"log": label} if several else {})}
        for label, one in zip(labels, joint.audits, strict=True)
        for finding in one.findings
    ]
    people = people_in(joint)
    findings += [_finding_json(finding, people) for finding in joint.findings]
    matches = dict.fromkeys(one.founding.match.hex() for one in joint.audits if one.founding is not None)
    return {
        "verdict": joint.verdict.value,
        **_facts_json(best),
        "matches": list(matches),
        "findings": findings,
        "remarks": [_finding_json(remark, people_of(one)) for one in joint.audits for remark in one.remarks],
        "logs": [
            {"log": label, "verdict": one.verdict.value, **_log_json(one)}
            for label, one in zip(labels, joint.audits, strict=True)
        ],
        "splits": [
            {
                "logs": [labels[split.first], labels[split.second]],
                "index": split.index,
                "entries": [digest.hex() for digest in split.heads],
                "culprits": list(split.culprits),
            }
            for split in joint.splits
        ],
    }


def archive_json(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The audits of several matches as one object of the same shape; at the top what the longest log has."""
    best = max(parts, key=lambda part: part["entries"])
    lists = ("matches", "findings", "remarks", "logs", "splits", "walk_overs")
    verdict = worst(Verdict(part["verdict"]) for part in parts)
    return {
        **best,
        "verdict": verdict.value,
        **{name: [each for part in parts for each in part[name]] for name in lists},
    }


def _facts_json(one: Audit) -> dict[str, object]:
    return {
        "match": None if one.founding is None else one.founding.match.hex(),
        "head": None if one.head is None else one.head.digest.hex(),
        "entries": 0 if one.head is None else one.head.index,
        "deals": one.deals,
        "winners": list(one.winners),
        "scores": list(one.scores),
        "names": list(one.names),
        "stand_ins": held_json(one),
    }


def _log_json(one: Audit) -> dict[str, object]:
    return {**_facts_json(one), "kept_by": one.annexed_by, "certified_by": list(one.certified_by)}


def _finding_json(finding: Finding, people: People) -> dict[str, object]:
    return {
        "index": finding.index,
        "code": finding.code.value,
        "culprit": finding.culprit,
        "text": sentence(finding, people),
    }
