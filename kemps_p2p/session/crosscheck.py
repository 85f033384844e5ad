"""Several logs of one match against each other: do they tell one story, and if not, who told two?

Only what is signed counts: an entry whose signature does not verify contradicts nobody.

Section "Log" of protocol.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from kemps_p2p.codec import Digest
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.session.findings import Finding, Flaw
from kemps_p2p.session.tapecheck import TapeCheck


@dataclass(frozen=True, slots=True)
class TapesOf:
    """What one log shows: its signed entries by index, from 1, and all its items."""

    match: Digest
    entries: tuple[TapeItem | None, ...]
    tapes: TapeCheck


@dataclass(frozen=True, slots=True)
class Split:
    """Two logs, by place among those compared, are one chain up to the entry before `index`, and then two."""

    first: int
    second: int
    index: int
    heads: tuple[Digest, Digest]
    """The entries that differ."""
    culprits: tuple[Seat, ...]
    """Who signed both stories; empty if the logs do not prove it."""


def cross_check(told: Sequence[TapesOf | None]) -> tuple[tuple[Split, ...], tuple[Finding, ...]]:
    """Compare every two logs of one match. None stands for a log that cannot be compared."""
    splits: list[Split] = []
    findings: dict[Finding, None] = {}
    for (first, one), (second, other) in combinations(enumerate(told), 2):
        if one is None or other is None or one.match != other.match:
            continue
        clashes = _clashes(one, other)
        findings.update(dict.fromkeys(clashes))
        place = _first_difference(one, other)
        if place is not None:
            culprits = {finding.culprit for finding in clashes if finding.culprit is not None}
            split = Split(first, second, *place, tuple(sorted(culprits)))
            splits.append(split)
            findings[_fork(split)] = None
    return tuple(splits), tuple(sorted(findings, key=lambda finding: finding.index))


def _clashes(one: TapesOf, other: TapesOf) -> tuple[Finding, ...]:
    """What no honest key signs together and only the two logs together show."""
    merged = one.tapes.copy()
    merged.merge(other.tapes)
    alone = {*one.tapes.clashes(), *other.tapes.clashes()}
    return tuple(finding for finding in merged.clashes() if finding not in alone)


def _first_difference(one: TapesOf, other: TapesOf) -> tuple[int, tuple[Digest, Digest]] | None:
    """The lowest index at which both logs hold signed entries and those differ."""
    for index, (left, right) in enumerate(zip(one.entries, other.entries, strict=False), start=1):
        if left is not None and right is not None and left.digest != right.digest:
            return index, (left.digest, right.digest)
    return None


def _fork(split: Split) -> Finding:
    left, right = (digest.hex()[:16] for digest in split.heads)
    culprit = split.culprits[0] if len(split.culprits) == 1 else None
    return Finding(split.index, Flaw.FORK, culprit, f"{left} in one log, {right} in another")
