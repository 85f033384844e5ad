"""`kemps demo`: a whole match between peer processes on this machine, then the audit of their logs."""

import asyncio
import json
import shlex
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click

from kemps_p2p.cli.audit import exit_of
from kemps_p2p.cli.ending import own_command
from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.logs import DEMO_LOGS, progress, read_log
from kemps_p2p.cli.options import (
    PACES,
    end_on_terminate,
    read_rule_option,
    with_json,
    with_players,
    with_rules,
)
from kemps_p2p.cli.options import (
    progress as progress_line,
)
from kemps_p2p.cli.saying import say
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.game.rules import RuleSet, Scoring, canonical_text, override
from kemps_p2p.report.audit_text import audit_lines
from kemps_p2p.runtime.launch import LaunchPlan, Report, launch
from kemps_p2p.runtime.store import make_directory
from kemps_p2p.session.audit import JointAudit, Verdict, audit_all
from kemps_p2p.wording.audits import people_in, verdict_line
from kemps_p2p.wording.people import counted
from kemps_p2p.wording.scores import result_line


@dataclass(slots=True)
class _Match:
    """What the nodes have told so far."""

    names: tuple[str, ...] = ()
    match: str = ""
    entry: int = 0
    deal: int = -1
    scores: tuple[int, ...] = ()
    logs: dict[int, Path] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


class _Progress:
    """One line on stderr that moves, only on a terminal."""

    def __init__(self, rules: RuleSet, players: int) -> None:
        self._counts = "letters" if rules.scoring is Scoring.LETTERS else "points"
        progress_line(f"{players} peers meet and shuffle the first deck…")

    def show(self, told: _Match) -> None:
        if told.match:
            scores = " : ".join(map(str, told.scores))
            progress_line(f"deal {told.deal + 1}, {told.entry} entries, {self._counts} {scores}")

    def end(self) -> None:
        progress_line("")


def _hear(told: _Match, moving: _Progress, seat: int, report: Report) -> None:
    match report["event"]:
        case "formed":
            told.match, told.names = report["match"], tuple(report["names"])
        case "moved":
            if report["entry"] > told.entry:
                told.entry, told.deal = report["entry"], report["deal"]
                told.scores = tuple(report["scores"])
                moving.show(told)
        case "fault":
            told.faults.append(report["text"])
        case "log":
            told.logs[seat] = Path(report["log"])
        case _:
            pass


def _play(rules: RuleSet, players: int, pace: str, logs: Path, *, observers: int) -> tuple[_Match, float]:
    told, moving = _Match(), _Progress(rules, players)
    with tempfile.TemporaryDirectory(prefix="kemps-demo-") as scratch:
        rules_file = Path(scratch) / "rules.toml"
        rules_file.write_text(canonical_text(rules), encoding="utf-8")
        plan = LaunchPlan(players, rules_file, pace, logs, Path(scratch), observers)
        began = time.monotonic()
        try:
            asyncio.run(launch(plan, lambda seat, report: _hear(told, moving, seat, report)))
        finally:
            moving.end()
        return told, time.monotonic() - began


@click.command()
@with_players
@with_rules
@click.option(
    "--pace",
    type=click.Choice(PACES),
    default="normal",
    show_default=True,
    help="relaxed and normal: bots take their time, as people do. fast: they do not, nor look first.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=DEMO_LOGS,
    show_default=True,
    help="Directory for the logs.",
)
@click.option("--observer", is_flag=True, help="One more process watches, as a neutral witness.")
@with_json
@click.pass_context
def demo(
    ctx: click.Context,
    *,
    players: int,
    rules_option: str,
    pace: str,
    out: Path,
    observer: bool,
    as_json: bool,
) -> None:
    """Play a whole match between separate peer processes on this machine.

    Every process is one peer with a bot at its seat. They meet, shuffle, play and leave one signed log each;
    then the logs are audited. Exits with the audit's code.
    """
    end_on_terminate()
    rules = read_rule_option(rules_option, players)
    if pace == "fast":
        rules = override(rules, {"look_ms": 0})
    make_directory(out)
    try:
        told, seconds = _play(rules, players, pace, out.resolve(), observers=int(observer))
    except RuntimeFault as fault:
        raise CommandError(
            Exit.ABANDONED, f"the match was abandoned: {fault}", f"The logs so far are in {out}."
        ) from None
    logs = [told.logs[seat] for seat in range(players + observer)]
    with progress("checking") as show:
        joint = audit_all([read_log(log) for log in logs], progress=show)
    if as_json:
        click.echo(json.dumps(_as_json(joint, rules_option, players, seconds, logs)))
    else:
        for line in _lines(joint, rules_option, seconds, logs):
            say(line)
        # In one piece, so that it can be copied from any terminal.
        click.echo(f"see it again: {own_command()} replay {shlex.quote(str(logs[0]))}")
    ctx.exit(exit_of(joint))


def _as_json(
    joint: JointAudit, rules: str, players: int, seconds: float, logs: list[Path]
) -> dict[str, object]:
    one = joint.audits[0]
    return {
        "match": None if one.founding is None else one.founding.match.hex(),
        "rules": rules,
        "players": players,
        "winners": list(one.winners),
        "scores": list(one.scores),
        "deals": one.deals,
        "entries": 0 if one.head is None else one.head.index,
        "seconds": round(seconds, 1),
        "logs": [str(log) for log in logs],
        "audit": joint.verdict.value,
    }


def _lines(joint: JointAudit, rules: str, seconds: float, logs: list[Path]) -> Iterator[str]:
    one = joint.audits[0]
    people = people_in(joint)
    if one.founding is not None and one.match is not None:
        teams = " against ".join(people.team(team) for team in range(one.founding.seats // 2))
        yield f"match {one.founding.match.hex()[:16]}: {teams}, rules {rules}"
        yield result_line(one.founding.rules, one.scores, one.winners, people)
        entries = counted(one.match.head.index, "entry", "entries")
        observer = one.founding.observer
        watched = "" if observer is None else f" and one for {people.seat(observer)}"
        each = f"one process for each player{watched}"
        yield f"{counted(one.deals, 'deal')} and {entries} in {seconds:.0f} s, {each}"
    if joint.verdict is Verdict.CLEAN:
        yield verdict_line(joint)
    else:
        yield from audit_lines(joint, [str(log) for log in logs])
    yield f"logs: {', '.join(log.name for log in logs)} in {logs[0].parent}"
