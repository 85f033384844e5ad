"""Options that several commands share."""

from pathlib import Path

import click

from kemps_p2p.game.rules import RuleError, RuleSet, load_rules, read_rules, rule_names

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
