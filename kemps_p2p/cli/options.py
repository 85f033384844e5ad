"""Options that several commands share."""

import logging
import math
import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import click

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.saying import columns
from kemps_p2p.game.rules import RuleError, RuleSet, load_rules, read_rules, rule_names
from kemps_p2p.wording.numbers import either
from kemps_p2p.wording.plain import plain

F = TypeVar("F", bound=Callable[..., Any])

LINE_CHARACTERS_MAX = 1000
"""Room for what is wrong with a key and all that is allowed there."""


def progress(text: str) -> None:
    """Say how far a long command is, on one line that the next one takes the place of; only on a terminal."""
    width = columns(sys.stderr)
    if width is not None:
        # A longer one would go on in the next line, and stay there.
        click.echo(f"\r\x1b[K{text[: width - 1]}", nl=False, err=True)


class _Seconds(click.ParamType[float]):
    """A number of seconds that ends: from a tenth to a day."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it, or say what is wrong."""
        try:
            seconds = float(str(value))
        except ValueError:
            seconds = math.nan
        if not 0.1 <= seconds <= 86_400:
            self.fail(f"{value!r} is not a number of seconds from 0.1 to 86400", param, ctx)
        return seconds


SECONDS = _Seconds()
PACES = ("slow", "relaxed", "normal", "fast")
_DIRECTORY = click.Path(file_okay=False, path_type=Path)

with_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
with_events = click.option("--events", is_flag=True, help="Print one JSON object a line instead of text.")
with_ascii = click.option("--ascii", "is_ascii", is_flag=True, help="Write cards as QS instead of Q♠.")
with_colours = click.option(
    "--colours",
    type=click.Choice(("2", "4")),
    default="4",
    show_default=True,
    help="Colours of the suits on a screen.",
)
with_players = click.option(
    "--players", default=4, show_default=True, type=click.IntRange(4, 16), help="Seats at the table."
)
with_rules = click.option(
    "--rules",
    "rules_option",
    default="kemps",
    show_default=True,
    metavar="PRESET|FILE",
    help="A preset, a variant such as kemps/go, or a file of house rules.",
)
with_wish = click.option(
    "--seat",
    "wish",
    default=-1,
    type=click.IntRange(-1, 15),
    show_default="any",
    help="The seat you would like, from 0.",
)
with_iface = click.option(
    "--iface", default=None, metavar="NAME", help="The one network interface to look on."
)
with_out = click.option(
    "--out", type=_DIRECTORY, default=None, help="Directory for the log; inside the home by default."
)


def with_home(text: str) -> Callable[[F], F]:
    """`--home`, where something is kept."""
    return click.option("--home", type=_DIRECTORY, default=None, help=text)


def with_give_up(default_s: float, then: str) -> Callable[[F], F]:
    """`--give-up`, after which something happens."""
    return click.option(
        "--give-up",
        "give_up_s",
        default=default_s,
        show_default=True,
        type=SECONDS,
        help=f"Seconds of standstill after which {then}.",
    )


TEXT_BYTES_MAX = 1_000_000


def read_text(path: Path) -> str:
    """The text of a file of rules. Raises `CommandError`: UNREADABLE, or USAGE if it is no text."""
    try:
        with path.open("rb") as file:
            data = file.read(TEXT_BYTES_MAX + 1)
    except OSError as error:
        raise CommandError(Exit.UNREADABLE, f"{path}: cannot be read: {error.strerror or error}") from None
    if len(data) > TEXT_BYTES_MAX:
        raise CommandError(Exit.USAGE, f"{path}: far too large for a file of rules")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise CommandError(Exit.USAGE, f"{path}: not TOML: not UTF-8") from None


def read_rule_set(told: str) -> RuleSet:
    """The rule set of that name, or of that file. Raises `CommandError`."""
    if told in rule_names():
        return load_rules(told)
    if not os.path.isfile(told):
        text = f"no rule set and no file is called {plain(told)}"
        raise CommandError(Exit.USAGE, text, f"There are {', '.join(rule_names())}.")
    try:
        return read_rules(read_text(Path(told)))
    except RuleError as error:
        hint = "`kemps rules show kemps --toml` has every key."
        raise CommandError(Exit.USAGE, f"{told}: {plain(str(error), LINE_CHARACTERS_MAX)}", hint) from None


def read_rule_option(told: str, players: int) -> RuleSet:
    """The rule set that `--rules` names, for so many players. Raises `CommandError`."""
    rules = read_rule_set(told)
    if players not in rules.players:
        allowed = either([str(count) for count in rules.players])
        raise CommandError(Exit.USAGE, f"{told} is for {allowed} players, not {players}")
    return rules


def end_on_terminate() -> None:
    """Let SIGTERM end a command as Ctrl-C does: files closed, processes ended, temporary directories gone."""
    signal.signal(signal.SIGTERM, _terminated)


def _terminated(_signal: int, _frame: FrameType | None) -> None:
    # As Ctrl-C itself: a running event loop then lets what it runs say good-bye. A shell starts what it runs
    # in the background without an ear for Ctrl-C.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        _say_no_more()
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def _say_no_more() -> None:
    """What an interrupt leaves made and not begun, or begun and not ended, nobody needs to hear of."""
    warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
    logging.getLogger("asyncio").disabled = True
