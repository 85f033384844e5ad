"""`kemps audit`: verify logs, offline, trusting nobody."""

import json
from pathlib import Path

import click

from kemps_p2p.cli.errors import Exit
from kemps_p2p.cli.logs import progress, read_log
from kemps_p2p.errors import Fault
from kemps_p2p.report.audit_text import audit_json, audit_lines
from kemps_p2p.session.audit import JointAudit, Verdict, audit_all


def exit_of(joint: JointAudit) -> Exit:
    """The exit code of an audit."""
    match joint.verdict:
        case Verdict.CLEAN:
            return Exit.DONE
        case Verdict.VIOLATED:
            return Exit.VIOLATED
        case Verdict.UNDECIDABLE:
            return Exit.UNDECIDABLE
        case Verdict.CONTRADICT:
            return Exit.CONTRADICT
        case Verdict.UNREADABLE:
            codes = {finding.code for one in joint.audits for finding in one.findings}
            return Exit.OTHER_VERSION if Fault.NEWER_VERSION in codes else Exit.UNREADABLE


@click.command(short_help="Verify everything in one log, or in several of one match.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--allow-simulated",
    is_flag=True,
    help="Accept logs of simulations, whose cards are not hidden. Else such a log is violated.",
)
@click.pass_context
def audit(ctx: click.Context, *, logs: tuple[Path, ...], as_json: bool, allow_simulated: bool) -> None:
    """Verify everything in a log, or in several logs of one match, offline and trusting nobody.

    Every signature, shuffle, card, race, call, score and time is checked or worked out again from the
    beginning, and everything that is wrong is told, with the entry and whose fault it is. Logs of several
    players are compared as well.

    \b
    Exit codes:
      0   clean
      6   the log is of a newer version of this program
      7   unreadable, or not a log
      10  violated
      11  undecidable: right so far, but incomplete
      12  the logs contradict each other
    """
    data = [read_log(path) for path in logs]
    with progress("checking") as show:
        joint = audit_all(data, allow_stub=allow_simulated, progress=show)
    labels = [str(path) for path in logs]
    if as_json:
        click.echo(json.dumps(audit_json(joint, labels)))
    else:
        for line in audit_lines(joint, labels):
            click.echo(line)
    ctx.exit(exit_of(joint))
