"""`kemps audit`: verify logs, offline, trusting nobody."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from kemps_p2p.cli.auditing import Audited, audited
from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.logs import LOG_HINT, found_log, with_logs_home
from kemps_p2p.cli.options import with_ascii, with_json
from kemps_p2p.cli.pages import html_option, write_page
from kemps_p2p.cli.saying import say
from kemps_p2p.ids import Seat
from kemps_p2p.report.audit_text import (
    archive_json,
    archive_lines,
    audit_json,
    audit_lines,
    closing_lines,
    longest,
    source_lines,
)
from kemps_p2p.report.contests import numbered_calls, numbered_races
from kemps_p2p.report.dispute import call_facts, race_facts
from kemps_p2p.report.dispute_json import call_json, race_json
from kemps_p2p.report.dispute_text import call_lines, race_lines
from kemps_p2p.report.focus import Focus, focus_json, focus_lines
from kemps_p2p.report.signals import signals_of
from kemps_p2p.report.signals_text import signals_json, signals_lines
from kemps_p2p.report.walkovers import walk_over_json, walk_over_lines
from kemps_p2p.session.audit import Audit, Flaw, JointAudit, Verdict
from kemps_p2p.session.provers import Helpers
from kemps_p2p.wording.audits import (
    ASK_ANOTHER,
    Conclusion,
    conclude,
    conclude_all,
    conclusion_line,
    matches_line,
    people_of,
    proven_by,
    verdict_line,
)
from kemps_p2p.wording.faults import sentence
from kemps_p2p.wording.numbers import either
from kemps_p2p.wording.people import counted
from kemps_p2p.wording.plain import plain


def exit_of(joint: JointAudit) -> Exit:
    """The exit code of an audit."""
    return exit_of_all(conclude(joint))


def exit_of_all(all_in_all: Conclusion) -> Exit:
    """The exit code of the audit of logs of one match or of several."""
    match all_in_all.verdict:
        case Verdict.CLEAN:
            return Exit.DONE
        case Verdict.VIOLATED:
            return Exit.VIOLATED
        case Verdict.UNDECIDABLE:
            return Exit.UNDECIDABLE
        case Verdict.CONTRADICT:
            return Exit.CONTRADICT
        case Verdict.UNREADABLE:
            return Exit.OTHER_VERSION if all_in_all.is_newer else Exit.UNREADABLE


_number = click.IntRange(min=1)


@click.command(short_help="Verify everything in one log, or in several; report on one race or call.")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--race", type=_number, default=None, metavar="N", help="Report on race N of `kemps replay`.")
@click.option("--call", type=_number, default=None, metavar="N", help="Report on call N of `kemps replay`.")
@click.option("--deal", type=_number, default=None, metavar="N", help="Say what was checked in deal N.")
@click.option(
    "--seat", default=None, metavar="NAME", help="Say what was checked of one player, or seat number."
)
@click.option("--signals", is_flag=True, help="Say what gestures were worth, and what books were sealed.")
@with_logs_home
@with_json
@with_ascii
@html_option
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    metavar="N",
    help="So many processes verify the proofs.",
)
@click.option(
    "--allow-simulated",
    is_flag=True,
    help="Accept logs of simulations, whose cards are not hidden. Else such a log is violated.",
)
@click.pass_context
def audit(
    ctx: click.Context,
    *,
    logs: tuple[Path, ...],
    race: int | None,
    call: int | None,
    deal: int | None,
    seat: str | None,
    signals: bool,
    home: Path | None,
    as_json: bool,
    is_ascii: bool,
    html: Path | None,
    jobs: int,
    allow_simulated: bool,
) -> None:
    """Verify everything in logs, offline and trusting nobody.

    LOG is a file, or the beginning of the name of one that `kemps log list` lists, or of the id of its match.
    Every signature, shuffle, card, race, call, score and time is checked or worked out again from the
    beginning, and everything that is wrong is told, with the entry and whose fault it is. Logs of several
    players of one match are compared as well; logs of several matches are checked one match after the other.

    With --race or --call, a report for people on that one dispute: who wanted what, what every seat has
    signed, which rule decided, and what nobody can know. Any player's log of the match gives the same.

    \b
    Exit codes:
      0   clean
      2   no such call, race, deal or player
      6   the log is of a newer version of this program
      7   unreadable, or not a log
      10  violated
      11  undecidable: right so far, but incomplete
      12  the logs contradict each other
    """
    asked = _Asked(race, call, deal, seat, signals, as_json, is_ascii)
    asked.check()
    logs = tuple(found_log(path, home) for path in logs)
    # Closed before anything is said of what went wrong, so that the bar has a line of its own.
    with _helpers(jobs) as crew, closing(audited(logs, allow_stub=allow_simulated, helpers=crew)) as batched:
        if html is None and not asked.is_of_part:
            ctx.exit(exit_of_all(_tell_all(logs, batched, as_json=as_json)))
        every = list(batched)
    if len(every) > 1:
        raise click.UsageError(f"these are logs of {len(every)} matches; this is a report on one")
    one = every[0]
    _refuse_missing(one)
    if asked.is_of_part:
        asked.tell(one)
    else:
        _tell_all(logs, iter(every), as_json=as_json)
    if html is not None:
        write_page(html, one.joint, one.paths, one.logs, call=call, race=race)
        if not as_json:
            say(f"\nThe page is {html}.")
    ctx.exit(exit_of(one.joint))


def _helpers(jobs: int) -> AbstractContextManager[Helpers | None]:
    """Other processes for the proofs, if there are to be any."""
    if jobs == 1:
        return nullcontext()
    # Only here, since an audit by itself needs no runtime.
    from kemps_p2p.runtime.crew import Crew

    return Crew(jobs)


def _refuse_missing(one: Audited) -> None:
    """Raise `CommandError` if a file that cannot be read is all that was named."""
    if len(one.paths) == 1 and one.joint.audits[0].findings[:1]:
        finding = one.joint.audits[0].findings[0]
        if finding.code is Flaw.NO_FILE:
            text = f"{one.labels[0]} {finding.text}"
            raise CommandError(Exit.UNREADABLE, text, LOG_HINT)


def _tell_all(paths: Sequence[Path], batched: Iterator[Audited], *, as_json: bool) -> Conclusion:
    """Print the whole report. Only what is to be printed is kept of a match, until all are done."""
    conclusions: list[Conclusion] = []
    lines: list[str] = []
    objects: list[dict[str, Any]] = []
    proven: Sequence[str] = ()
    for one in batched:
        is_alone = len(one.paths) == len(paths)
        if not as_json and is_alone:
            _refuse_missing(one)
        conclusions.append(conclude(one.joint))
        proven = max(proven, proven_by(one.joint.audits), key=len)
        if as_json:
            told = audit_json(one.joint, one.labels, is_one_of_many=not is_alone)
            objects.append({**told, "walk_overs": walk_over_json(one.joint, one.beside)})
            continue
        beside = list(walk_over_lines(one.joint, one.beside))
        lines += (
            audit_lines(one.joint, one.labels, beside)
            if is_alone
            else archive_lines(one.joint, one.labels, beside)
        )
    all_in_all = conclude_all(conclusions)
    if as_json:
        click.echo(json.dumps(archive_json(objects)))
        return all_in_all
    if len(conclusions) > 1:
        say(conclusion_line(all_in_all))
        if len(all_in_all.matches) > 1:
            say(matches_line(len(all_in_all.matches)))
        lines += closing_lines(all_in_all.verdict, proven)
    for line in lines:
        say(line)
    return all_in_all


@dataclass(frozen=True, slots=True)
class _Asked:
    """The part of a log that a report is wanted on."""

    race: int | None
    call: int | None
    deal: int | None
    seat: str | None
    signals: bool
    as_json: bool
    is_ascii: bool

    @property
    def is_of_part(self) -> bool:
        """True if not the whole report is wanted."""
        return self.signals or any(each is not None for each in (self.race, self.call, self.deal, self.seat))

    def check(self) -> None:
        """Raise `click.UsageError` for what makes no sense together."""
        is_focused = (self.deal, self.seat) != (None, None)
        kinds = (self.race is not None, self.call is not None, is_focused, self.signals)
        if sum(kinds) > 1:
            raise click.UsageError("one of --race, --call, --signals, and --deal with --seat at a time")

    def tell(self, one: Audited) -> None:
        """Print the report. Raises `CommandError` if the log has nothing of the kind."""
        best = longest(one.joint)
        if best.founding is None:
            raise CommandError(exit_of(one.joint), f"{one.labels[0]}: {verdict_line(one.joint)}")
        found = self._report(best)
        if self.as_json:
            click.echo(json.dumps(found.as_json))
            return
        for line in (*source_lines(one.joint, one.labels), *found.lines):
            say(line)

    def _report(self, best: Audit) -> "_Report":
        is_ascii = self.is_ascii
        if self.signals:
            found = signals_of(best)
            if found is None:
                raise CommandError(Exit.USAGE, "no entry of this log holds, so no gesture does")
            return _Report(signals_lines(found, people_of(best)), signals_json(found))
        if self.race is not None:
            race = race_facts(best, self.race)
            if race is None:
                raise _no_such(best, "race", self.race, sum(1 for _ in numbered_races(best)))
            return _Report(race_lines(best, race, is_ascii=is_ascii), race_json(best, race))
        if self.call is not None:
            call = call_facts(best, self.call)
            if call is None:
                raise _no_such(best, "call", self.call, sum(1 for _ in numbered_calls(best)))
            return _Report(call_lines(best, call, is_ascii=is_ascii), call_json(best, call))
        if self.deal is not None and self.deal > best.deals:
            raise _no_such(best, "deal", self.deal, best.deals)
        focus = Focus(self.deal, None if self.seat is None else _seat_named(self.seat, best))
        return _Report(focus_lines(best, focus, is_ascii=is_ascii), focus_json(best, focus))


@dataclass(frozen=True, slots=True)
class _Report:
    lines: Iterable[str]
    as_json: dict[str, object]


def _no_such(best: Audit, what: str, number: int, count: int) -> CommandError:
    if best.verdict is Verdict.VIOLATED:
        finding = best.findings[0]
        text = f"entry {finding.index} does not hold: {sentence(finding, people_of(best))}"
        hint = f"What holds before it has {counted(count, what) if count else f'no {what}'}. {ASK_ANOTHER}"
        return CommandError(Exit.VIOLATED, text, hint)
    if not count:
        return CommandError(Exit.USAGE, f"this log has no {what}", "`kemps replay` shows what it has.")
    numbers = "is number 1" if count == 1 else f"are numbered from 1 to {count}"
    return CommandError(
        Exit.USAGE,
        f"this log has {counted(count, what)}, and no {what} {number}",
        f"{'It' if count == 1 else 'They'} {numbers}; `kemps replay` shows which is which.",
    )


def _seat_named(told: str, best: Audit) -> Seat:
    """The seat of a name or number. Raises `CommandError`."""
    people = people_of(best)
    for seat in map(Seat, range(people.seats)):
        named = best.names[seat] if seat < len(best.names) else ""
        if told.casefold() in (named.casefold(), f"seat {seat}", str(seat)):
            return seat
    seated = either([people.numbered(seat) for seat in range(people.seats)])
    raise CommandError(Exit.USAGE, f"nobody in this log is called {plain(told)}", f"There are {seated}.")
