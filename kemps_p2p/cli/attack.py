"""`kemps lab attack`: attacks that one whole seat can play, tried at a simulated table of honest others."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.options import progress
from kemps_p2p.runtime.store import make_directory

if TYPE_CHECKING:
    from kemps_p2p.lab.attacks import Report


@click.command()
@click.argument("name", required=False)
@click.option("--list", "is_list", is_flag=True, help="Name the attacks, with their numbers, and try none.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Play with a real deck, and write the logs that show the attacks to this directory.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def attack(*, name: str | None, is_list: bool, out: Path | None, as_json: bool) -> None:
    """Try one attack by NAME, or all: who finds out, by which evidence, and what an audit of it says.

    Ends with exit code 1 if an attack succeeds, or if an audit does not confirm what the table has found.
    """
    from kemps_p2p.deck.group import RISTRETTO, STUB
    from kemps_p2p.lab.attacks import ATTACKS, attack_named, try_attack

    if is_list:
        for each in ATTACKS:
            facts = {"number": each.number, "name": each.name, "says": each.says}
            click.echo(json.dumps(facts) if as_json else f"{each.number:3}  {each.name:26} {each.says}")
        return
    chosen = None if name is None else attack_named(name)
    if name is not None and chosen is None:
        raise CommandError(Exit.USAGE, f"no attack {name!r}", "`kemps lab attack --list` names them.")
    if out is not None:
        make_directory(out)
    failed = []
    for each in ATTACKS if chosen is None else (chosen,):
        progress(f"{each.number} {each.name}")
        report = try_attack(each, (STUB if out is None else RISTRETTO).name)
        progress("")
        written = _write(report, out)
        click.echo(json.dumps(_facts(report, written)) if as_json else "\n".join(_lines(report, written)))
        if not report.is_withstood:
            failed.append(each.name)
    if failed:
        raise CommandError(Exit.DIFFERS, f"not withstood: {', '.join(failed)}")


def _write(report: "Report", out: Path | None) -> Path | None:
    """The log that shows an attack, for `kemps audit` by anybody."""
    if out is None or report.log is None:
        return None
    path = out / f"{report.attack.name}.kemps"
    path.write_bytes(report.log)
    return path


def _facts(report: "Report", written: Path | None) -> dict[str, Any]:
    return {
        "number": report.attack.number,
        "name": report.attack.name,
        "says": report.attack.says,
        "ending": report.ending.value,
        "fault": None if report.fault is None else report.fault.value,
        "cheats": list(report.culprits),
        "detected_by": list(report.detected_by),
        "honest": report.honest,
        "entry": report.entry,
        "log": None if written is None else str(written),
        "evidence": [name.hex() for name in report.evidence],
        "audit": None if report.audited is None else report.audited.verdict.value,
        "audit_exit": _audit_exit(report),
        "confirmed": report.is_confirmed,
    }


def _audit_exit(report: "Report") -> int | None:
    from kemps_p2p.cli.audit import exit_of

    return None if report.audited is None else int(exit_of(report.audited))


def _lines(report: "Report", written: Path | None) -> Iterator[str]:
    each = report.attack
    yield f"{each.number:3}  {each.name}: {each.says}"
    seats = ", ".join(map(str, report.culprits))
    if report.fault is None:
        yield f"     {report.ending.value}: seat {seats} has nothing from it, and nobody is accused"
    else:
        by = f"{len(report.detected_by)} of {report.honest} honest seats"
        yield f"     {report.ending.value} by {by}: {report.fault.value} of seat {seats}"
    if report.entry is not None:
        items = ", ".join(name.hex()[:12] for name in report.evidence)
        agrees = "and confirms it" if report.is_confirmed else "and does not confirm it"
        yield f"     entry {report.entry} shows it by {items}"
        log = "" if written is None else f" {written}"
        yield f"     kemps audit{log} ends with {_audit_exit(report)} {agrees}"
