"""The outcome of an audit in words: the verdict, what is proven, and what no log can prove."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault
from kemps_p2p.session.audit import Audit, JointAudit, worst
from kemps_p2p.session.findings import Code, Finding, Flaw, Verdict
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


BESIDE_FOUNDING: frozenset[Code] = frozenset({Flaw.BAD_HEADER, Flaw.INSECURE_GROUP})
"""What is found at index 0 and takes nothing from what the seats have founded."""
NOTHING_PROVEN = "Nothing: the founding of the match does not hold, and all else rests on it."


def is_founded(one: Audit) -> bool:
    """True if the founding of a log holds, so that its entries prove something."""
    wrong = any(finding.index == 0 and finding.code not in BESIDE_FOUNDING for finding in one.findings)
    return one.founding is not None and not wrong


def proven_by(audits: Iterable[Audit]) -> Sequence[str]:
    """What some logs prove as far as their entries hold; nothing of it where there is no such entry."""
    begun = [one for one in audits if one.steps]
    if not begun:
        return ()
    return PROVEN if any(map(is_founded, begun)) else (NOTHING_PROVEN,)


def doubt_text(one: Audit, index: int) -> str:
    """What it means for an entry that something in its log does not hold."""
    wrong = [finding.index for finding in one.findings if finding.code not in BESIDE_FOUNDING]
    if wrong and wrong[0] <= index:
        return f"What is told here comes after that: this log does not prove it. {ASK_ANOTHER}"
    where = "lies before that" if wrong else "rests on what the seats have signed, and not on that,"
    return f"What is told here {where} and holds."


def place_text(one: Audit) -> str:
    """Where the first thing is that does not hold, in brackets; nothing where all does."""
    if not one.findings:
        return ""
    first = one.findings[0]
    return " (its header)" if first.code is Flaw.BAD_HEADER else f" (entry {first.index})"


ASK_ANOTHER = "Any other player's log of this match can stand in for it."
"""What to do with a log that has been changed."""

GOES_ON = " What it has counts. Another player's log of this match may go on."
"""What to do with a log that ends too soon."""

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


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What the audit of some logs comes to, of one match or of several.

    `logs`: how many there are of each verdict. `culprits`: in words, those of one match; `blamed`: how many
    matches have some. `is_compared`: some are of one match.
    """

    verdict: Verdict
    logs: Counter[Verdict]
    matches: frozenset[Digest]
    culprits: tuple[str, ...]
    blamed: int
    is_newer: bool
    is_compared: bool


def conclude(joint: JointAudit) -> Conclusion:
    """What some logs come to that were audited together."""
    culprits: dict[str, None] = {}
    for one in joint.audits:
        culprits.update(_culprits(one.findings, people_of(one)))
    if joint.findings:
        culprits.update(_culprits(joint.findings, people_in(joint)))
    matches = [one.founding.match for one in joint.audits if one.founding is not None]
    return Conclusion(
        verdict=joint.verdict,
        logs=Counter(one.verdict for one in joint.audits),
        matches=frozenset(matches),
        culprits=tuple(culprits),
        blamed=min(1, len(culprits)),
        is_newer=any(found.code is Fault.NEWER_VERSION for one in joint.audits for found in one.findings),
        is_compared=len(set(matches)) < len(matches),
    )


def conclude_all(parts: Sequence[Conclusion]) -> Conclusion:
    """What several audits come to together: the worst that any of them does."""
    return Conclusion(
        verdict=worst(part.verdict for part in parts),
        logs=sum((part.logs for part in parts), Counter()),
        matches=frozenset[Digest]().union(*(part.matches for part in parts)),
        culprits=next((part.culprits for part in parts if part.culprits), ()),
        blamed=sum(part.blamed for part in parts),
        is_newer=any(part.is_newer for part in parts),
        is_compared=any(part.is_compared for part in parts),
    )


def verdict_line(joint: JointAudit) -> str:
    """One line: the verdict on some logs, and what it means."""
    return conclusion_line(conclude(joint))


def conclusion_line(all_in_all: Conclusion) -> str:
    """One line: the verdict, and what it means."""
    count = all_in_all.logs.total()
    match all_in_all.verdict:
        case Verdict.CLEAN if count == 1:
            return "clean: everything in this log holds."
        case Verdict.CLEAN:
            return f"clean: everything in these {count} logs holds{_agreement(all_in_all)}."
        case Verdict.VIOLATED:
            return f"violated: {_which(all_in_all, 'hold')}. {_blame(all_in_all)}"
        case Verdict.UNDECIDABLE:
            short = f"nothing is wrong as far as it goes, but {_short(all_in_all)} to the end"
            return f"undecidable: {short}.{GOES_ON if count == 1 else ''}"
        case Verdict.CONTRADICT:
            return f"contradict: the logs tell different stories, and both are signed. {_blame(all_in_all)}"
        case Verdict.UNREADABLE if count == 1 and all_in_all.is_newer:
            return "unreadable: written by a newer version of this program. Update it and try again."
        case Verdict.UNREADABLE if count == 1:
            return "unreadable: this is no log of a match."
        case Verdict.UNREADABLE:
            newer = ", or of a newer version of this program" if all_in_all.is_newer else ""
            which = f"{all_in_all.logs[Verdict.UNREADABLE]} of these {count}"
            return f"unreadable: {which} are no logs of a match{newer}."


def matches_line(count: int) -> str:
    """That logs of several matches were given."""
    return (
        f"These are logs of {count} different matches: only logs of one match are compared with each other."
    )


def _which(all_in_all: Conclusion, verb: str) -> str:
    """How many logs do not."""
    count, broken = all_in_all.logs.total(), all_in_all.logs[Verdict.VIOLATED]
    if count == 1:
        return f"this log does not {verb}"
    return f"{broken} of these {count} logs {'does' if broken == 1 else 'do'} not {verb}"


def _short(all_in_all: Conclusion) -> str:
    """How many logs end too soon."""
    count, short = all_in_all.logs.total(), all_in_all.logs[Verdict.UNDECIDABLE]
    which = "it" if count == 1 else f"{short} of these {count} logs"
    return f"{which} {'does' if short == 1 else 'do'} not go"


def _agreement(all_in_all: Conclusion) -> str:
    if len(all_in_all.matches) == 1:
        return ", and they agree on every entry"
    told = f", of {len(all_in_all.matches)} matches"
    return f"{told}, and those of one match agree on every entry" if all_in_all.is_compared else told


def _blame(all_in_all: Conclusion) -> str:
    if all_in_all.blamed > 1:
        return f"Culprits are named with each of {all_in_all.blamed} matches."
    if all_in_all.culprits:
        return f"At fault: {listed(list(all_in_all.culprits))}."
    return f"It does not show whose fault that is; a file can be changed by whoever has it. {ASK_ANOTHER}"


def _culprits(findings: Iterable[Finding], people: People) -> dict[str, None]:
    return {people.numbered(finding.culprit): None for finding in findings if finding.culprit is not None}


NO_NAMES = "seats go by number: names stand at the end of a log, where a cut or redacted one has none"
"""Why seats go by number."""


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
