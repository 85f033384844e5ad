"""What is written down of a golden log: what an audit makes of it."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from kemps_p2p.cli.audit import exit_of
from kemps_p2p.report.audit_text import audit_json
from kemps_p2p.report.contests import numbered_calls
from kemps_p2p.report.dispute import facts_of_call
from kemps_p2p.report.dispute_json import call_json
from kemps_p2p.session.audit import JointAudit, audit_all

FOLDER = Path(__file__).parent
INDEX = FOLDER / "index.json"
KEPT = ("verdict", "match", "head", "entries", "deals", "winners", "scores", "names")
"""Of what `kemps audit --json` says, beside what it finds."""
Golden = dict[str, Any]


def read_index() -> list[Golden]:
    """Every golden log with what is written down of it."""
    index: list[Golden] = json.loads(INDEX.read_text(encoding="utf-8"))
    return index


@cache
def audited(log: bytes) -> JointAudit:
    """The audit of a log."""
    return audit_all([log])


def told_of(log: bytes) -> Golden:
    """What an audit says of a log: the end of it, and who called what in it and was right."""
    joint = audited(log)
    said: Golden = json.loads(json.dumps(audit_json(joint, ["-"])))
    facts = [facts_of_call(joint.audits[0], call) for call in numbered_calls(joint.audits[0])]
    found = {
        name: [{key: one[key] for key in ("index", "code", "culprit")} for one in said[name]]
        for name in ("findings", "remarks")
    }
    calls = [{name: call_json(joint.audits[0], one)[name] for name in ("seat", "verdicts")} for one in facts]
    return {"exit": exit_of(joint).value, **{name: said[name] for name in KEPT}, **found, "calls": calls}
