"""Writing the page of a match for commands that make one."""

from collections.abc import Sequence
from pathlib import Path

import click

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.session.audit import JointAudit
from kemps_p2p.wording.eyes import Whose, Wide

html_option = click.option(
    "--html",
    "html",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    metavar="FILE",
    help="Write the report as one page that opens offline in any browser, with the log in it.",
)


def write_page(
    out: Path,
    joint: JointAudit,
    paths: Sequence[Path],
    logs: Sequence[bytes],
    *,
    call: int | None = None,
    race: int | None = None,
    whose: Whose = Wide.ALL,
) -> None:
    """Write the page of some audited logs. `call`, `race`: what it is about, by a number that is there.

    Raises `CommandError`: USAGE if the page would overwrite a log, UNREADABLE if none of them is a log,
    MACHINE if the file cannot be written.
    """
    # Only here, since templates take a while to import.
    from kemps_p2p.report.html_report import Source, html_report

    if any(_is_same(out, path) for path in paths):
        raise CommandError(Exit.USAGE, f"{out} is a log; the page would overwrite it")
    if all(one.founding is None for one in joint.audits):
        raise CommandError(Exit.UNREADABLE, "none of these is a log of a match: there is nothing to show")
    sources = [Source(str(path), data) for path, data in zip(paths, logs, strict=True)]
    page = html_report(joint, sources, call=call, race=race, whose=whose)
    try:
        out.write_bytes(page.encode("utf-8"))
    except OSError as error:
        raise CommandError(Exit.MACHINE, f"{out} cannot be written: {error.strerror or error}") from None


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
