"""Options that several commands share."""

import math
import signal
from pathlib import Path
from types import FrameType

import click

from kemps_p2p.game.rules import RuleError, RuleSet, load_rules, read_rules, rule_names


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
PACES = ("relaxed", "normal", "fast")


def read_rule_option(told: str, players: int) -> RuleSet:
    """The rule set that `--rules` names: a preset, a variant, or a file. Raises `click.BadParameter`."""
    try:
        if told in rule_names():
            rules = load_rules(told)
        elif Path(told).is_file():
            rules = read_rules(Path(told).read_text(encoding="utf-8"))
        else:
            known = ", ".join(rule_names())
            raise click.BadParameter(f"no rule set and no file is called {told!r}; there are {known}")
    except RuleError as error:
        raise click.BadParameter(f"{told}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{told} cannot be read: {error}") from None
    if players not in rules.players:
        allowed = ", ".join(map(str, rules.players))
        raise click.BadParameter(f"{told} is for {allowed} players, not {players}")
    return rules


def end_on_terminate() -> None:
    """Let SIGTERM end a command as Ctrl-C does: files closed, processes ended, temporary directories gone."""
    signal.signal(signal.SIGTERM, _terminated)


def _terminated(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
