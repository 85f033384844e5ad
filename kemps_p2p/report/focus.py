"""One deal or one seat of an audited log: what was verified there, what came of it, what does not hold."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from kemps_p2p.game.events import Called
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Carried, Result
from kemps_p2p.report.audit_text import finding_lines, words_lines
from kemps_p2p.report.contests import (
    NumberedCall,
    NumberedRace,
    numbered_calls,
    numbered_races,
    settled_by,
    walked,
)
from kemps_p2p.report.dispute import facts_of_call, facts_of_race
from kemps_p2p.report.dispute_text import call_summary, race_summary_of, scene_of
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.chaincheck import Step
from kemps_p2p.session.deeds import offered
from kemps_p2p.session.findings import Finding
from kemps_p2p.session.messages import KeyDeed, SeedDeed, ShareDeed, TurnDeed
from kemps_p2p.wording.audits import people_of
from kemps_p2p.wording.cards import clock_text
from kemps_p2p.wording.people import counted, listed

PROOFS = {
    KeyDeed: ("key", "keys"),
    TurnDeed: ("shuffle turn", "shuffle turns"),
    ShareDeed: ("share", "shares"),
    SeedDeed: ("seed", "seeds"),
}
RESULTS = {
    Result.OK: "counted",
    Result.MISSED: "came too late",
    Result.REFUSED: "refused",
    Result.WAITING: "waited for a call",
}


@dataclass(frozen=True, slots=True)
class Focus:
    """What to look at. `deal` counts from 1; None is all of them."""

    deal: int | None = None
    seat: Seat | None = None

    def has_deal(self, deal: int) -> bool:
        """True for a deal that is looked at, as the rules number it."""
        return self.deal is None or deal + 1 == self.deal

    def has_seat(self, seat: int) -> bool:
        """True for a seat that is looked at."""
        return self.seat is None or seat == self.seat


@dataclass(frozen=True, slots=True)
class Seen:
    """What is there to see. `proofs`: deeds and cards whose proofs hold, by what they are."""

    steps: tuple[Step, ...]
    ordered: Counter[Seat]
    proofs: Counter[str]
    claims: Counter[Result]
    races: tuple[NumberedRace, ...]
    calls: tuple[NumberedCall, ...]
    findings: tuple[Finding, ...]


def seen(audit: Audit, focus: Focus) -> Seen:
    """Look at a part of a log."""
    steps = tuple(step for step in audit.steps if focus.has_deal(step.match.game.deal))
    return Seen(
        steps=steps,
        ordered=Counter(step.record.item.seat for step in steps),
        proofs=_proofs(audit, focus),
        claims=Counter(
            result
            for before, step, place in walked(audit)
            if focus.has_deal(before.game.deal)
            for _, item, result in settled_by(before, step, step.record.entry.events[place])
            if focus.has_seat(item.seat)
        ),
        races=tuple(
            race
            for race in numbered_races(audit)
            if focus.has_deal(race.at.before.game.deal)
            and any(focus.has_seat(claim.seat) for claim in race.contested.claims)
        ),
        calls=tuple(
            call
            for call in numbered_calls(audit)
            if focus.has_deal(call.at.before.game.deal) and _concerns(focus, call.called)
        ),
        findings=tuple(found for found in audit.findings if _is_at(focus, found, steps)),
    )


def _concerns(focus: Focus, called: Called) -> bool:
    return focus.has_seat(called.seat)


def _is_at(focus: Focus, finding: Finding, steps: tuple[Step, ...]) -> bool:
    """A finding behind the last entry that holds is in the deal that it ends in."""
    if focus.seat is not None and finding.culprit != focus.seat:
        return False
    if focus.deal is None:
        return True
    return bool(steps) and steps[0].record.entry.index <= finding.index <= steps[-1].record.entry.index + 1


def _proofs(audit: Audit, focus: Focus) -> Counter[str]:
    found: Counter[str] = Counter()
    for step in audit.steps:
        for event in step.record.entry.events:
            if not isinstance(event, Carried):
                continue
            for deed in offered(step.record.items[event.item]):
                if type(deed.body) not in PROOFS:
                    continue
                if focus.has_deal(deed.body.deal) and focus.has_seat(deed.seat):
                    one, _ = PROOFS[type(deed.body)]
                    found[one] += len(deed.body.shares.positions) if isinstance(deed.body, ShareDeed) else 1
    return found


def focus_lines(audit: Audit, focus: Focus, *, is_ascii: bool = False) -> Iterator[str]:
    """What is there to see, as lines for people."""
    people = people_of(audit)
    part = seen(audit, focus)
    who = "" if focus.seat is None else people.numbered(focus.seat)
    which = "all deals" if focus.deal is None else f"deal {focus.deal}"
    if not part.steps:
        yield f"{which}: the log has no such deal that holds"
        return
    first, last = part.steps[0].record.entry, part.steps[-1].record.entry
    times = f"{clock_text(first.elapsed_ms)} to {clock_text(last.elapsed_ms)}"
    yield f"{f'{who}, ' if who else ''}{which}: entries {first.index} to {last.index}, {times}"
    kinds = [counted(part.proofs[one], one, many) for one, many in PROOFS.values() if part.proofs[one]]
    yield f"  proven: {listed(kinds) or 'nothing was due'}"
    wishes = [f"{part.claims[result]} {RESULTS[result]}" for result in Result if part.claims[result]]
    yield f"  wishes: {listed(wishes) or 'none'}"
    duty = [
        f"{people.seat(seat)} {count}" for seat, count in sorted(part.ordered.items()) if focus.has_seat(seat)
    ]
    yield f"  entries put in order: {', '.join(duty) or 'none'}"
    for race in part.races:
        yield f"  race {race.at.number}: {race_summary_of(facts_of_race(audit, race), people)}"
    for call in part.calls:
        scene = scene_of(audit, call.at.before, is_ascii=is_ascii)
        yield f"  call {call.at.number}: {call_summary(facts_of_call(audit, call), scene)}"
    if not part.findings:
        yield "  nothing is found here that does not hold"
    yield from (f"  {line}" for line in finding_lines(part.findings, people))
    yield from words_lines(part.findings)


def focus_json(audit: Audit, focus: Focus) -> dict[str, object]:
    """What is there to see, as data."""
    part = seen(audit, focus)
    return {
        "deal": focus.deal,
        "seat": focus.seat,
        "entries": [step.record.entry.index for step in (*part.steps[:1], *part.steps[-1:])],
        "ordered": {str(seat): count for seat, count in sorted(part.ordered.items()) if focus.has_seat(seat)},
        "proven": dict(part.proofs),
        "wishes": {result.name.lower(): count for result, count in part.claims.items()},
        "races": [race.at.number for race in part.races],
        "calls": [call.at.number for call in part.calls],
        "findings": [
            {"index": found.index, "code": found.code.value, "culprit": found.culprit}
            for found in part.findings
        ],
    }
