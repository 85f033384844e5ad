"""The report of a match as one HTML file: it opens by a double click, offline, and fetches nothing.

Made from an audit; the log itself lies in the page, so that the page can check signatures and links again and
give the log back. Pure: bytes and records in, text out. Invariants:

1. Everything that comes from a log is text in the page, never markup: escaped by the template, put in as text
   by the script.
2. The page's own policy lets nothing run or be fetched but the one script and the one style that are in it.
"""

import json
import shlex
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from kemps_p2p.deck.group import STUB
from kemps_p2p.game.rules import canonical_text
from kemps_p2p.report.audit_text import all_findings, finding_lines
from kemps_p2p.report.dispute import call_facts, race_facts
from kemps_p2p.report.dispute_text import (
    call_lines,
    call_reasons,
    met_texts,
    race_lines,
    rivals_texts,
    scene_of,
)
from kemps_p2p.report.page_data import MARKS, call_data, page_data, race_data
from kemps_p2p.report.timeline import Moment, Timeline
from kemps_p2p.session.audit import Audit, JointAudit, Verdict
from kemps_p2p.wording.audits import NOT_PROVEN, doubt_text, people_in, people_of, proven_by, verdict_line
from kemps_p2p.wording.cards import day_text
from kemps_p2p.wording.eyes import Whose, Wide
from kemps_p2p.wording.faults import sentence
from kemps_p2p.wording.glossary import glossary_lines
from kemps_p2p.wording.people import counted
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.rule_books import book_text, changes_lines
from kemps_p2p.wording.rules_page import rules_page
from kemps_p2p.wording.scores import result_line
from kemps_p2p.wording.words import words_of

SIGNS = {
    Verdict.CLEAN: "✓",
    Verdict.VIOLATED: "✗",
    Verdict.CONTRADICT: "✗",
    Verdict.UNDECIDABLE: "…",
    Verdict.UNREADABLE: "?",
}
"""A sign for each verdict, so that none is told by its colour alone."""


@dataclass(frozen=True, slots=True)
class Source:
    """A log that was audited: what to call its file, and its bytes."""

    label: str
    data: bytes


def html_report(
    joint: JointAudit,
    sources: Sequence[Source],
    *,
    call: int | None = None,
    race: int | None = None,
    whose: Whose = Wide.ALL,
) -> str:
    """The page of the longest chain among some logs of a match.

    `call`, `race`: what it is about, by number; by default the last call, or the end of a log without one.
    `whose`: with whose eyes it opens. Raises `ValueError` if none of the logs has a founding, or if there is
    no such call or race.
    """
    place = max(
        (place for place, one in enumerate(joint.audits) if one.founding is not None),
        key=lambda place: _length(joint.audits[place]),
        default=None,
    )
    if place is None:
        raise ValueError("none of these is a log of a match")
    audit, source = joint.audits[place], sources[place]
    timeline = Timeline(audit)
    focus = _focus(timeline, call, race)
    style, script = _asset("page.css"), _asset("verify.js") + _asset("page.js")
    return (
        _environment()
        .get_template("page.html")
        .render(
            style=Markup(style),
            script=Markup(script),
            policy=_policy(style, script),
            data=_embedded(page_data(timeline, focus, whose)),
            log=b64encode(source.data).decode("ascii"),
            claims=_embedded({**_claims(audit, source), "verdict": joint.verdict.value}),
            marks=list(dict.fromkeys(MARKS.values())),
            asked=_asked(timeline, focus, audit),
            report=_report(audit, timeline.moments[focus]),
            **_facts(joint, audit, sources, source, timeline.moments[focus]),
        )
    )


def _length(audit: Audit) -> int:
    return -1 if audit.head is None else audit.head.index


def _focus(timeline: Timeline, call: int | None, race: int | None) -> int:
    """Where the page opens: at a call all hands are still as they were when it was made."""
    if call is None and race is None:
        return timeline.calls[-1].index if timeline.calls else timeline.moments[-1].index
    marks, number = (timeline.races, race) if call is None else (timeline.calls, call)
    for mark in marks:
        if mark.number == number:
            return mark.index
    raise ValueError(f"there is no such call or race: {number}")


def _report(audit: Audit, moment: Moment) -> tuple[str, ...]:
    """All that the log shows of the call or race at a moment, as `kemps audit` tells it; empty if none is."""
    number: Any = moment.line.facts.get("call", moment.line.facts.get("race"))
    if moment.line.event == "called":
        call = call_facts(audit, number)
        return () if call is None else tuple(call_lines(audit, call))
    if moment.line.event in ("race", "together"):
        race = race_facts(audit, number)
        return () if race is None else tuple(race_lines(audit, race))
    return ()


def _asked(timeline: Timeline, focus: int, audit: Audit) -> dict[str, object] | None:
    """What the page is about, in words: a call or a race, what came of it and why, and the rule applied."""
    line = timeline.moments[focus].line
    why: tuple[str, ...] = ()
    name = "Call" if line.event == "called" else "Race"
    if line.event == "called":
        asked = call_data(timeline, focus)
        call = call_facts(audit, asked["number"])
        if call is not None:
            why = (
                *call_reasons(call, scene_of(audit, call.call.at.before)),
                *(f"{text}." for text in met_texts(call, people_of(audit))),
                *rivals_texts(call, scene_of(audit, call.call.at.before)),
            )
    elif line.event in ("race", "together"):
        asked = race_data(timeline, focus)
    else:
        return None
    told = line.text if asked["end"] is None else timeline.text(asked["end"])
    return {"name": f"{name} {asked['number']}", "told": told, "why": why, "rules": asked["rules"]}


def _facts(
    joint: JointAudit, audit: Audit, sources: Sequence[Source], source: Source, moment: Moment
) -> dict[str, object]:
    """What the page says without its script."""
    assert audit.founding is not None, "a chain that was chosen has a founding"
    assert audit.head is not None, "what has a founding has a head"
    people = people_of(audit)
    first = audit.steps[0].record.entry.wall_ms if audit.steps else None
    is_clean = joint.verdict is Verdict.CLEAN
    return {
        "verdict": joint.verdict.value,
        "sign": SIGNS[joint.verdict],
        "line": verdict_line(joint),
        "result": result_line(audit.founding.rules, audit.scores, audit.winners, people),
        "match": audit.founding.match.hex(),
        "words": words_of(audit.founding.match),
        "head": audit.head.digest.hex(),
        "entries": counted(audit.head.index, "entry", "entries"),
        "deals": counted(audit.deals, "deal"),
        "day": "" if first is None else day_text(first),
        "rules": book_text(canonical_text(audit.founding.rules)),
        "rules_changes": changes_lines(audit.founding.rules),
        "rules_page": rules_page(audit.founding.rules),
        "players": [people.numbered(seat) for seat in range(audit.founding.tapes)],
        "findings": list(_findings(joint)),
        "remarks": [
            f"entry {remark.index}: {sentence(remark, people_of(one))}"
            for one in joint.audits
            for remark in one.remarks
        ],
        "glossary": glossary_lines(all_findings(joint)),
        "proven": proven_by([audit]),
        "doubt": "" if is_clean else doubt_text(audit, moment.line.entry),
        "not_proven": NOT_PROVEN,
        "is_clean": is_clean,
        "is_simulated": audit.founding.group is STUB,
        "command": _command(joint, sources),
        "name": plain(_file_name(source.label)),
        "sums": [(plain(_file_name(each.label)), sha256(each.data).hexdigest()) for each in sources],
    }


def _findings(joint: JointAudit) -> Iterator[str]:
    for one in joint.audits:
        yield from finding_lines(one.findings, people_of(one))
    if joint.findings:
        yield from finding_lines(joint.findings, people_in(joint))


def _command(joint: JointAudit, sources: Sequence[Source]) -> str:
    """What to type to check everything again."""
    is_simulated = any(one.founding is not None and one.founding.group is STUB for one in joint.audits)
    options = ["--allow-simulated"] if is_simulated else []
    files = (plain(_file_name(each.label)) for each in sources)
    return f"kemps audit {shlex.join([*options, *files])}"


def _file_name(label: str) -> str:
    return label.replace("\\", "/").rsplit("/", 1)[-1]


def _claims(audit: Audit, source: Source) -> dict[str, object]:
    """What the page says of its log, for the check in the browser to hold against the bytes."""
    assert audit.founding is not None, "a chain that was chosen has a founding"
    assert audit.head is not None, "what has a founding has a head"
    people = people_of(audit)
    return {
        "match": audit.founding.match.hex(),
        "head": audit.head.digest.hex(),
        "entries": audit.head.index,
        "sum": sha256(source.data).hexdigest(),
        "seats": [people.seat(seat) for seat in range(audit.founding.tapes)],
        "file": _file_name(source.label),
    }


def _embedded(value: object) -> Markup:
    """JSON that can lie in a script element: no text in it can end that element or begin another."""
    text = json.dumps(value, separators=(",", ":"))
    for character in "<>&'":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _policy(style: str, script: str) -> str:
    """Nothing may be fetched, framed or sent; one script and one style, known by their digests, may run."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}"


@cache
def _asset(name: str) -> str:
    return (resources.files("kemps_p2p.report") / "page" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        autoescape=True,
        loader=FunctionLoader(_asset),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
