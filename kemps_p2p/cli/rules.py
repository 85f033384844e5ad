"""`kemps rules`: the rule books, a page for each, and checking files of rules and scenarios."""

import json
import os
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import click

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.options import LINE_CHARACTERS_MAX, read_rule_set, read_text, with_json
from kemps_p2p.cli.saying import COLUMNS, filled, page_columns, say
from kemps_p2p.game.rules import (
    BASE_KEY,
    KEYS,
    RuleError,
    canonical_text,
    load_rules,
    load_summary,
    read_rules,
    rule_names,
    values_of,
)
from kemps_p2p.game.scenario import ScenarioError, run_scenario
from kemps_p2p.game.scenario_file import SCENARIO_KEYS
from kemps_p2p.wording.numbers import either
from kemps_p2p.wording.people import counted
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.rules_page import page_lines, rules_page

PAGE_COLUMNS = 88


@click.group(short_help="Rule books, house rules and scenario files.")
def rules() -> None:
    """The rule books, house rules and scenario files."""


@rules.command("list")
@with_json
def list_command(*, as_json: bool) -> None:
    """List all rule books and their variants, a line each."""
    names = rule_names()
    if as_json:
        books = [
            {"name": name, "summary": load_summary(name), "players": list(load_rules(name).players)}
            for name in names
        ]
        click.echo(json.dumps({"rules": books}))
        return
    width, wide = max(map(len, names)), page_columns()
    for name in names:
        line = f"{name:{width}}  {load_summary(name)}"
        click.echo(line if wide is None else filled(line, wide, min(width + 2, wide // 2)))


@rules.command()
@click.argument("told", metavar="NAME|FILE")
@click.option("--json", "as_json", is_flag=True, help="Print the complete rule set, all keys, as JSON.")
@click.option("--toml", "as_toml", is_flag=True, help="Print the complete rule set as TOML, keys sorted.")
def show(*, told: str, as_json: bool, as_toml: bool) -> None:
    """Show a rule set as a page to read: a rule book, a variant such as kemps/go, or a file of yours."""
    if as_json and as_toml:
        raise click.UsageError("--json and --toml do not go together.")
    found = read_rule_set(told)
    if as_json:
        click.echo(json.dumps(values_of(found)))
    elif as_toml:
        click.echo(canonical_text(found), nl=False)
    else:
        summary = load_summary(told) if told in rule_names() else "House rules."
        click.echo(told)
        width = min(page_columns() or COLUMNS, PAGE_COLUMNS)
        for line in (summary, *page_lines(rules_page(found))):
            click.echo(filled(line, width, 2))


class Verdict(StrEnum):
    """What a file was found to be."""

    OK = "ok"
    DIFFERS = "differs"
    UNREADABLE = "unreadable"
    INVALID = "invalid"


EXITS = {
    Verdict.INVALID: Exit.USAGE,
    Verdict.UNREADABLE: Exit.UNREADABLE,
    Verdict.DIFFERS: Exit.DIFFERS,
    Verdict.OK: Exit.DONE,
}
"""The exit code for each verdict, worst first: of several files the worst counts."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What is to be said about one file. `step`, `key` and the two values tell the first difference."""

    file: str
    verdict: Verdict
    text: str
    title: str = ""
    step: int | None = None
    key: str = ""
    expected: str = ""
    actual: str = ""

    def line(self) -> str:
        """All of it in one line."""
        return f"{self.file}: {self.text}"


@rules.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@with_json
@click.pass_context
def check(ctx: click.Context, *, paths: tuple[Path, ...], as_json: bool) -> None:
    """Check scenario files and files of house rules; of a directory, every .toml file in it and below.

    A scenario is played; what is said about it is `ok`, or the first step that differs. A file of rules is
    only read.

    \b
    Exit codes, the first that applies to any of the files:
      2   a file is neither a scenario nor a rule set that can be played
      7   a file cannot be read
      1   a scenario differs
      0   everything holds
    """
    done = [_check(path) for given in paths for path in _files(given)]
    code = next(code for verdict, code in EXITS.items() if any(one.verdict is verdict for one in done))
    if as_json:
        click.echo(json.dumps({"files": [asdict(one) for one in done], "exit": int(code)}))
    else:
        for one in done:
            say(one.line())
        if len(done) > 1:
            say(_summary(done))
    ctx.exit(code)


def _files(given: Path) -> Iterator[Path]:
    """The file itself, or those of a directory. A directory without any stands for itself, as no scenario."""
    if not os.path.isdir(given):
        yield given
        return
    below: list[Path] = []
    unreadable: list[Path] = []
    for folder, folders, names in os.walk(
        given, onerror=lambda error: unreadable.append(Path(error.filename))
    ):
        folders.sort()
        below += [Path(folder, name) for name in sorted(names) if name.endswith(".toml")]
    yield from [*below, *unreadable] or [given]


def _check(path: Path) -> Checked:
    file = click.format_filename(path)
    if os.path.isdir(path) and os.access(path, os.R_OK | os.X_OK):
        return Checked(file, Verdict.INVALID, "no .toml file is in this directory")
    try:
        text = read_text(path)
    except CommandError as error:
        verdict = Verdict.UNREADABLE if error.code is Exit.UNREADABLE else Verdict.INVALID
        return Checked(file, verdict, error.text.removeprefix(f"{path}: "))
    return _check_rules(file, text) if _is_rule_file(text) else _check_scenario(file, text)


def _is_rule_file(text: str) -> bool:
    """True if a text has keys of rule sets and none that only scenarios have."""
    try:
        keys = tomllib.loads(text).keys()
    except (ValueError, RecursionError):
        return False
    return not keys & (SCENARIO_KEYS - set(KEYS)) and bool(keys & {BASE_KEY, *KEYS})


def _check_rules(file: str, text: str) -> Checked:
    try:
        players = either([str(count) for count in read_rules(text).players])
    except RuleError as error:
        return Checked(file, Verdict.INVALID, f"no rule set: {plain(str(error), LINE_CHARACTERS_MAX)}")
    return Checked(file, Verdict.OK, f"ok, rules for {players} players")


def _check_scenario(file: str, text: str) -> Checked:
    try:
        findings = run_scenario(text)
    except ScenarioError as error:
        return Checked(file, Verdict.INVALID, f"no scenario: {plain(str(error), LINE_CHARACTERS_MAX)}")
    title = plain(findings.title)
    found = findings.difference
    if found is None:
        return Checked(file, Verdict.OK, f"ok, {counted(findings.steps, 'step')}", title=title)
    text = f"step {found.step}: {found.key}: expected {found.expected}, actual {found.actual}"
    return Checked(file, Verdict.DIFFERS, text, title, found.step, found.key, found.expected, found.actual)


def _summary(done: Sequence[Checked]) -> str:
    counts = {verdict: sum(one.verdict is verdict for one in done) for verdict in reversed(EXITS)}
    told = [f"{count} {verdict.value}" for verdict, count in counts.items() if count]
    return f"{len(done)} files: {', '.join(told)}"
