"""`kemps replay`: a match from its log, on a screen of the terminal, as text, or as a page."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from kemps_p2p.cli.audit import exit_of
from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.logs import found_log, progress, read_log, with_logs_home
from kemps_p2p.cli.options import with_ascii
from kemps_p2p.cli.pages import html_option, write_page
from kemps_p2p.cli.saying import say
from kemps_p2p.cli.terminals import is_terminal
from kemps_p2p.ids import Seat
from kemps_p2p.report.timeline import Mark, Timeline
from kemps_p2p.session.audit import Verdict, audit_all
from kemps_p2p.wording.audits import verdict_line
from kemps_p2p.wording.eyes import Whose, Wide
from kemps_p2p.wording.people import counted, listed
from kemps_p2p.wording.plain import plain


@click.command(short_help="See a match again: on a screen, as text or as a page.")
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--text", "as_text", is_flag=True, help="A line an event; so it is where there is no terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@html_option
@click.option(
    "--seat",
    default=None,
    metavar="SEAT",
    help="Tell only what a seat could see, by its number or name; `table`: what all could.",
)
@click.option("--call", type=click.IntRange(min=1), default=None, help="Begin at this call.")
@click.option("--race", type=click.IntRange(min=1), default=None, help="Begin at this race.")
@with_logs_home
@with_ascii
@click.option(
    "--colours",
    type=click.Choice(["2", "4"]),
    default="4",
    show_default=True,
    help="Colours that tell the suits apart on the screen.",
)
@click.pass_context
def replay(
    ctx: click.Context, *, log: Path, as_text: bool, as_json: bool, html: Path | None, seat: str | None,
    call: int | None, race: int | None, home: Path | None, is_ascii: bool, colours: str,
) -> None:  # fmt: skip
    """Tell a match from its log: who took what, who was first and why, calls and scores.

    LOG is a file, or the beginning of the name of one that `kemps log list` lists, or of the id of its match.
    On a terminal it is a screen to step through and play; elsewhere, or with --text, a line an event. The log
    is checked on the way, and told as far as it holds. Every hand is shown from the start of its deal if the
    match was finished and the seats opened their seeds. Logs of simulations are told as well.

    The exit codes are those of `kemps audit`.
    """
    log = found_log(log, home)
    data = read_log(log)
    with progress("reading") as show:
        joint = audit_all([data], allow_stub=True, progress=show)
    if joint.verdict is Verdict.UNREADABLE:
        raise CommandError(exit_of(joint), f"{log}: {verdict_line(joint)}")
    one = joint.audits[0]
    if one.founding is None:
        raise CommandError(exit_of(joint), f"{log}: {verdict_line(joint)}", f"`kemps audit {log}` says more.")
    timeline = Timeline(one, is_ascii=is_ascii)
    whose = _whose(timeline, seat)
    start = _start(timeline, call, race)
    if html is not None:
        write_page(html, joint, [log], [data], call=call, race=race, whose=whose)
    if html is not None and not as_text and not as_json:
        say(f"The page is {html}.")
    elif as_text or as_json or not is_terminal():
        for moment in timeline.moments[start or 0 :]:
            line = timeline.line(moment.index, whose)
            if line.is_hidden and not as_json:
                continue
            click.echo(json.dumps(line.as_json()) if as_json else line.shown())
    else:
        # Only here, since lines need none of it.
        from kemps_p2p.tui.reel import Reel
        from kemps_p2p.tui.reel_app import show as show_reel

        is_sound = joint.verdict is Verdict.CLEAN
        reel = Reel(timeline, start or 0, whose)
        show_reel(reel, verdict_line(joint), is_sound=is_sound, is_ascii=is_ascii, colours=int(colours))
    ctx.exit(exit_of(joint))


def _whose(timeline: Timeline, told: str | None) -> Whose:
    """Whose eyes somebody has asked for. Raises `CommandError` USAGE."""
    if told is None:
        return Wide.ALL
    if told == Wide.TABLE.value:
        return Wide.TABLE
    people = timeline.people
    for seat in map(Seat, range(people.seats)):
        if told.casefold() in (str(seat), people.seat(seat).casefold(), people.numbered(seat).casefold()):
            return seat
    seated = listed([people.numbered(seat) for seat in range(people.seats)])
    raise CommandError(Exit.USAGE, f"nobody here is {plain(told)}", f"There are {seated}; or `table`.")


def _start(timeline: Timeline, call: int | None, race: int | None) -> int | None:
    """The moment to begin at; None if none was asked for. Raises `CommandError` USAGE."""
    if call is not None and race is not None:
        raise CommandError(Exit.USAGE, "a replay begins at a call or at a race, not at both")
    if call is not None:
        return _place(timeline.calls, call, "call")
    return None if race is None else _place(timeline.races, race, "race")


def _place(marks: Sequence[Mark], number: int, what: str) -> int:
    if number > len(marks):
        raise CommandError(
            Exit.USAGE, f"there is no {what} {number}: this log has {counted(len(marks), what)}"
        )
    return marks[number - 1].index
