"""`kemps replay`: a match as text, from its log."""

import json
from pathlib import Path

import click

from kemps_p2p.cli.audit import exit_of
from kemps_p2p.cli.errors import CommandError
from kemps_p2p.cli.logs import progress, read_log
from kemps_p2p.report.replay_text import tell
from kemps_p2p.session.audit import Verdict, audit_all
from kemps_p2p.wording.audits import verdict_line


@click.command(short_help="Tell a match from its log, with all hands that were opened.")
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--ascii", "is_ascii", is_flag=True, help="Write cards as QS instead of Q♠.")
@click.pass_context
def replay(ctx: click.Context, *, log: Path, as_json: bool, is_ascii: bool) -> None:
    """Tell a match from its log, a line an event: who took what, who was first and why, calls and scores.

    The log is checked on the way, and told as far as it holds. Every hand is shown from the start of its deal
    if the match was finished and the seats opened their seeds. Logs of simulations are told as well.

    The exit codes are those of `kemps audit`.
    """
    data = read_log(log)
    with progress("reading") as show:
        joint = audit_all([data], allow_stub=True, progress=show)
    if joint.verdict is Verdict.UNREADABLE:
        raise CommandError(exit_of(joint), f"{log}: {verdict_line(joint)}")
    for line in tell(joint.audits[0], is_ascii=is_ascii):
        click.echo(json.dumps(line.as_json()) if as_json else line.shown())
    ctx.exit(exit_of(joint))
