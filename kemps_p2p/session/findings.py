"""What an audit finds: where, what, and whose fault. Records only; the sentences are made in `wording`.

Section "Log" of protocol.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat


class Verdict(Enum):
    """What an audit comes to."""

    CLEAN = "clean"
    VIOLATED = "violated"
    UNDECIDABLE = "undecidable"
    """Nothing is wrong as far as the log goes, but it does not go to the end."""
    CONTRADICT = "contradict"
    UNREADABLE = "unreadable"


class Flaw(Enum):
    """What is wrong with a log as a file. Files are unsigned, so no seat is to blame."""

    NO_FILE = "no-file"
    """There is no such file, or it cannot be read."""
    NOT_A_LOG = "not-a-log"
    TORN = "torn"
    NO_GENESIS = "no-genesis"
    NOT_CLOSED = "not-closed"
    NO_CERTIFICATE = "no-certificate"
    INSECURE_GROUP = "insecure-group"
    BAD_HEADER = "bad-header"
    MISSING_ENTRY = "missing-entry"
    OUT_OF_PLACE = "out-of-place"
    AFTER_ANNEX = "after-annex"
    FORK = "fork"
    """Two logs hold different signed entries at one index."""
    OTHER_ACK = "other-ack"
    """A seat acked another entry than the one in this log: somebody lied, and this log does not say who."""
    PUNISHED = "punished"
    """A seat contradicted itself, was found out during play and lost a deal for it: the log holds."""
    TOO_MANY = "too-many"


Code = Fault | Flaw

INCOMPLETE: frozenset[Code] = frozenset({Flaw.TORN, Flaw.NO_GENESIS, Flaw.NOT_CLOSED, Flaw.NO_CERTIFICATE})
NO_LOG: frozenset[Code] = frozenset({Flaw.NO_FILE, Flaw.NOT_A_LOG, Fault.NEWER_VERSION})


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. `index`: the entry; 0 is header and genesis, last + 1 is what follows.

    `text` tells more than the code does, for experts; it may be empty.
    """

    index: int
    code: Code
    culprit: Seat | None = None
    text: str = ""


def found(index: int, fault: PeerFault) -> Finding:
    """A fault as a finding at an entry."""
    culprit = None if fault.culprit is None else Seat(fault.culprit)
    return Finding(index, fault.code, culprit, fault.text)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by index, each once; at one index what is wrong comes before what is missing."""
    once = dict.fromkeys(findings)
    return tuple(sorted(once, key=lambda finding: (finding.index, finding.code in INCOMPLETE)))


def judge(findings: Iterable[Finding]) -> Verdict:
    """The verdict that follows from all findings in one log."""
    codes = {finding.code for finding in findings}
    if codes & NO_LOG:
        return Verdict.UNREADABLE
    if codes - INCOMPLETE:
        return Verdict.VIOLATED
    return Verdict.UNDECIDABLE if codes else Verdict.CLEAN
