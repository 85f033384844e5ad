"""The outcome of an audit in words: the verdict, what is proven, and what no log can prove."""

from collections.abc import Iterable

from kemps_p2p.errors import Fault
from kemps_p2p.session.audit import Audit, JointAudit
from kemps_p2p.session.findings import Finding, Verdict
from kemps_p2p.wording.people import People, listed

PROVEN = (
    "Every seat signed the founding of the match, with its rules, and nobody could choose who dealt first.",
    "Every seat shuffled every deck. No shuffle added, dropped, doubled or marked a card.",
    "Every card shown is the one that was dealt. Every call was checked against the cards.",
    "Who was first is what the witnesses signed, or what coins drew that were committed before the match.",
    "Results, scores, dealers and winners follow from the rules; they were derived anew, not read.",
)

NOT_PROVEN = (
    "Who sits behind a key, or whether one person ran several peers.",
    "Whether partners talked or showed each other their cards, or whether a program played a seat.",
    "Whether most of the witnesses of a race lied together about who was first.",
    "That a hidden card stayed hidden, if all seats pooled their secrets; one that keeps its own is enough.",
    "The time of day, and how long anything took: that is the word of the seat on duty.",
)


MEANINGS: dict[Verdict, str] = {
    Verdict.CLEAN: "everything in it holds",
    Verdict.VIOLATED: "something in it does not hold",
    Verdict.UNDECIDABLE: "nothing is wrong as far as it goes, but it does not go to the end",
    Verdict.CONTRADICT: "the logs tell different stories, and both are signed",
    Verdict.UNREADABLE: "it is no log of a match",
}


def verdict_meaning(verdict: Verdict) -> str:
    """What a verdict on one log means."""
    return MEANINGS[verdict]


def verdict_line(joint: JointAudit) -> str:
    """One line: the verdict, and what it means."""
    count = len(joint.audits)
    match joint.verdict:
        case Verdict.CLEAN if count == 1:
            return "clean: everything in this log holds."
        case Verdict.CLEAN:
            return f"clean: everything in these {count} logs holds{_agreement(joint)}."
        case Verdict.VIOLATED:
            return f"violated: {'this log does' if count == 1 else 'these logs do'} not hold. {_blame(joint)}"
        case Verdict.UNDECIDABLE:
            return "undecidable: nothing is wrong as far as it goes, but it does not go to the end."
        case Verdict.CONTRADICT:
            return f"contradict: the logs tell different stories, and both are signed. {_blame(joint)}"
        case Verdict.UNREADABLE if _is_newer(joint):
            return "unreadable: written by a newer version of this program. Update it and try again."
        case Verdict.UNREADABLE:
            return (
                f"unreadable: {'this is no log' if count == 1 else 'not all of these are logs'} of a match."
            )


def _agreement(joint: JointAudit) -> str:
    matches = {one.founding.match for one in joint.audits if one.founding is not None}
    return ", and they agree on every entry" if len(matches) == 1 else f", of {len(matches)} matches"


def _is_newer(joint: JointAudit) -> bool:
    return any(finding.code is Fault.NEWER_VERSION for one in joint.audits for finding in one.findings)


def _blame(joint: JointAudit) -> str:
    culprits: dict[str, None] = {}
    for one in joint.audits:
        culprits.update(_culprits(one.findings, people_of(one)))
    if joint.findings:
        culprits.update(_culprits(joint.findings, people_in(joint)))
    if culprits:
        return f"At fault: {listed(list(culprits))}."
    return "It does not show whose fault that is; a file can be changed by whoever has it."


def _culprits(findings: Iterable[Finding], people: People) -> dict[str, None]:
    return {people.numbered(finding.culprit): None for finding in findings if finding.culprit is not None}


def people_of(one: Audit) -> People:
    """What to call the seats of a log."""
    return People(0 if one.founding is None else one.founding.seats, one.names, one.observer_name)


def people_in(joint: JointAudit) -> People:
    """What to call the seats of several logs: by the first that names them, if all are of one match."""
    if len({one.founding.match for one in joint.audits if one.founding is not None}) > 1:
        return People(0)
    for one in joint.audits:
        if one.names:
            return people_of(one)
    return people_of(joint.audits[0])
