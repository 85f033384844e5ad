"""Words of the protocol that stand in what an audit finds, in plain words.

Only those that occur are explained, once below it all. Section "Words" of protocol.md.
"""

import re
from collections.abc import Iterable, Sequence

from kemps_p2p.session.findings import Finding
from kemps_p2p.wording.faults import phrase

WORDS: dict[str, str] = {
    "ack": "acknowledgement: a seat signs that it accepts this entry and all before it",
    "annex": "what one seat adds at the end of its log: all names, and proof that the last entry is final",
    "certificate": "the signed words of so many seats that the last entry is final",
    "checkpoint": "the scores, the dealer and the number that a deal starts from",
    "claim": "what a seat wants to do, signed before it is known who was first",
    "coin": "one seat's part of a lot, fixed before the match so that nobody can choose it",
    "contest": "what several seats want and cannot all have, where the witnesses do not agree who was first",
    "genesis": "the founding of the match: its rules and seats, signed by every seat",
    "header": "the start of the file, which says what match it is of",
    "incarnation": "the process that plays a seat; another one may take its place",
    "item": "what a seat signed at once: one statement or several, the next of its tape",
    "quorum": "so many seats that nothing else can be final: 3 of 4, 4 of 6, 5 of 8",
    "receipt": "a witness's signed word that it has seen what a seat wants",
    "seal": "a secret that is fixed now and opened at the end, such as what a gesture was made for",
    "seed": "the secret of a seat in a deal, opened when the match is over",
    "share": "one seat's part in opening a card; those of all are needed",
    "sitting": "what a seat signs when it sits down",
    "stamp": "a number higher than every one that its seat had seen when it signed",
    "tape": "all that one seat has signed, in order: it cannot be sorted anew",
    "term": "the time for which one seat has the duty of writing the log",
}
"""What each means, by its singular."""

_OCCURS = re.compile(rf"\b({'|'.join(WORDS)})(?:e?d|s)?\b")


def glossary_lines(findings: Iterable[Finding]) -> Sequence[str]:
    """What the words of the protocol in some findings mean, a line each; none if there are no such words."""
    told = (f"{phrase(finding.code)} {finding.text}" for finding in findings)
    found = {match[1] for text in told for match in _OCCURS.finditer(text)}
    return [f"{word}: {WORDS[word]}" for word in sorted(found)]
