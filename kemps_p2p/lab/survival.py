"""What a match of processes that were killed has left: its logs, and what each peer held when it died.

Knows files and bytes, no processes. What a peer kept is folded again, and set against the log that all agree
on: a seat comes back to the state that the log shows at the same entry.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kemps_p2p.codec import frame
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.profile import kept_match_files
from kemps_p2p.runtime.store import split_objects
from kemps_p2p.session.audit import Audit, Verdict, audit_all
from kemps_p2p.session.journal import has_begun, read_journal, setup_from
from kemps_p2p.session.opening import opened_deals
from kemps_p2p.session.session import Session

_CALM_MS = 2000
"""So long before the death of the seat on duty all others have to be there, for the time to count."""


@dataclass(slots=True)
class Blow:
    """A peer that was killed, or stopped for a while. `kept`: what it held on disk when it was killed.

    Times are of the wall clock, in milliseconds. `back_ms` is None for as long as it is away.
    """

    seat: int
    at_ms: int
    away_s: float
    kept: Path | None = None
    back_ms: int | None = None


@dataclass(slots=True)
class Left:
    """What a match has left. `mismatched`: peers that would have come back to something else."""

    is_clean: bool = False
    mismatched: int = 0
    takeovers_s: list[float] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)


def check(logs: Mapping[int, Path], blows: Sequence[Blow]) -> Left:
    """Audit the logs, by seat, against each other, and what was kept at each blow against them."""
    data = [logs[seat].read_bytes() for seat in sorted(logs)]
    joint = audit_all(data)
    left = Left(is_clean=joint.verdict is Verdict.CLEAN)
    if not left.is_clean:
        verdicts = ", ".join(one.verdict.value for one in joint.audits)
        first = next((found for one in joint.audits for found in one.findings), None)
        left.findings.append(f"the audit says {joint.verdict.value} ({verdicts}): {first}")
    chains = [frame(log).objects[:-1] for log in data]
    shortest = min(map(len, chains))
    if len({chain[:shortest] for chain in chains}) > 1:
        left.findings.append("the logs do not begin alike")
    longest = max(joint.audits, key=lambda one: len(one.steps))
    for blow in blows:
        if blow.kept is not None:
            differs = list(_differences(blow, longest))
            left.mismatched += bool(differs)
            left.findings += [f"seat {blow.seat}, killed: {text}" for text in differs]
    left.takeovers_s = list(_takeovers_s(longest, blows))
    return left


def _differences(blow: Blow, audit: Audit) -> Iterator[str]:
    """What a killed peer would have come back to, other than the log shows it."""
    assert blow.kept is not None, "only of a peer that was killed"
    for directory in sorted((blow.kept / "matches").iterdir()):
        files = kept_match_files(directory)
        if files is None or not files.journal.exists():
            continue
        objects = split_objects(files.journal.read_bytes()).objects
        if not has_begun(objects):
            # Killed before its match began: it had said nothing, and held nothing.
            continue
        journal = read_journal(objects)
        identity = Identity((blow.kept / "identity").read_bytes())
        try:
            found = Session.restored(setup_from(journal, identity, files.secret), journal, (), 0, blow.at_ms)
        except RuntimeFault as fault:
            yield str(fault)
            continue
        final = found.play.final
        if final.head.index == 0:
            continue
        if final.head.index > len(audit.steps):
            yield f"it holds entry {final.head.index} final, and no log has it"
            continue
        match = audit.steps[final.head.index - 1].match
        if final.head != match.head or final.game != match.game:
            yield f"another state at entry {final.head.index}"
        faces = opened_deals(audit.steps[-1].match).get(match.game.deal, {})
        for held in found.view().hand:
            if faces.get(held.position, held.card) != held.card:
                yield f"another hand at entry {final.head.index}"


def _takeovers_s(audit: Audit, blows: Sequence[Blow]) -> Iterator[float]:
    """From the death of the seat on duty to the first entry of another, while all others were there."""
    for blow in (each for each in blows if each.kept is not None):
        before = [step for step in audit.steps if step.record.entry.wall_ms <= blow.at_ms]
        after = audit.steps[len(before) :]
        if not before or not after or before[-1].match.on_duty != blow.seat:
            continue
        first = after[0].record
        if first.item.seat == Seat(blow.seat):
            # It was back before anybody missed it.
            continue
        until_ms = first.entry.wall_ms
        others = [each for each in blows if each is not blow]
        if not any(_overlaps(each, blow.at_ms - _CALM_MS, until_ms) for each in others):
            yield (until_ms - blow.at_ms) / 1000


def _overlaps(blow: Blow, from_ms: int, until_ms: int) -> bool:
    return blow.at_ms <= until_ms and (blow.back_ms is None or blow.back_ms >= from_ms)
