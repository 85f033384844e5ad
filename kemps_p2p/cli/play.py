"""`kemps play`: one person against bots, in this process, without any network."""

import sys
from pathlib import Path

import click

from kemps_p2p.bots.bot import Pace
from kemps_p2p.bots.level import Level
from kemps_p2p.cli.ending import told_end
from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.homes import home_directory
from kemps_p2p.cli.options import (
    PACES,
    end_on_terminate,
    read_rule_option,
    with_ascii,
    with_colours,
    with_home,
    with_players,
    with_rules,
)
from kemps_p2p.cli.screens import screen_for
from kemps_p2p.cli.telling import STANDSTILL, Reporter
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.rules import override
from kemps_p2p.runtime.housebot import HouseBot
from kemps_p2p.runtime.local import SoloPlan, play_solo
from kemps_p2p.runtime.settings import remember_name, remembered_name
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.session.lobby import check_name
from kemps_p2p.wording.look import Look

LEVELS = tuple(level.value for level in Level)
NAME_OF_NOBODY = "Player"


def own_name(told: str | None, home: Path) -> str:
    """The name to play under, which is remembered; see `called`."""
    name = called(told, home)
    keep_name(home, name)
    return name


def called(told: str | None, home: Path) -> str:
    """The name to come under: told now, or before; else asked for, if anybody is there to answer."""
    name = told or remembered_name(home)
    if name is not None:
        return name
    return asked_name("Your name") if sys.stdin.isatty() else NAME_OF_NOBODY


def asked_name(question: str) -> str:
    """A name from the person at the terminal."""
    name: str = click.prompt(question, type=str, value_proc=_checked_name)
    return name


def keep_name(home: Path, name: str) -> None:
    """Remember a name that was told or asked for, once nothing speaks against it."""
    if name not in (NAME_OF_NOBODY, remembered_name(home)):
        remember_name(home, name)


def _checked_name(text: str) -> str:
    name = text.strip()
    try:
        check_name(name)
    except PeerFault as fault:
        raise click.BadParameter(fault.text) from None
    return name


def _name_option(_ctx: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    return None if name is None else _checked_name(name)


@click.command()
@click.option(
    "--name",
    default=None,
    callback=_name_option,
    help="Your name; remembered, and asked for only the first time.",
)
@with_players
@with_rules
@click.option(
    "--bots",
    "level",
    type=click.Choice(LEVELS),
    default=None,
    show_default="normal; easy with --tutorial",
    help="How well the others play.",
)
@click.option(
    "--pace",
    type=click.Choice(PACES),
    default="relaxed",
    show_default=True,
    help="How quickly the others play. slow is for reading every line; fast for scripts: nobody looks first.",
)
@click.option(
    "--plain",
    is_flag=True,
    help="Lines of text, for screen readers and scripts; --pace slow leaves time to read them.",
)
@with_ascii
@with_colours
@click.option("--tutorial", is_flag=True, help="A first deal that explains itself.")
@click.option("--seed", type=int, default=None, help="Fix the chances of the bots; never the shuffle.")
@with_home("Where identity, journals and logs are kept; KEMPS_HOME by default.")
def play(
    *, name: str | None, players: int, rules_option: str, level: str | None, pace: str, plain: bool,
    is_ascii: bool, colours: str, tutorial: bool, seed: int | None, home: Path | None,
) -> Exit:  # fmt: skip
    """Play against bots, at once and without any network.

    Every seat is a peer of its own: the cards are shuffled blind and the match leaves a signed log, as at any
    other table. Your partner is a bot as well. `?` lists the keys of
    the table, or `help` its words with --plain.
    """
    end_on_terminate()
    rules = read_rule_option(rules_option, players)
    if pace == "fast":
        rules = override(rules, {"look_ms": 0})
    kept = home if home is not None else home_directory()
    plan = SoloPlan(name=own_name(name, kept), players=players, rules=rules, home=kept, seed=seed)
    skill = Level(level) if level is not None else Level.EASY if tutorial else Level.NORMAL

    look = Look(is_plain=plain, is_ascii=is_ascii, colours=int(colours), has_tutorial=tutorial)
    shown, seen = screen_for(look), list[Sitting]()

    async def screen(sitting: Sitting) -> None:
        seen.append(sitting)
        await shown(sitting)

    try:
        outcome = play_solo(plan, lambda seat, rng: HouseBot(seat, players, rng, Pace(pace), skill), screen)
    except KeyboardInterrupt:
        logs = [each.outcome.log for sitting in seen for each in sitting.series() if each.outcome is not None]
        if not logs or logs[-1] is None:
            raise
        text = "interrupted; the bots have left too, so the match ends here"
        raise CommandError(Exit.INTERRUPTED, text, f"What was played is in {logs[-1]}.") from None
    left = "You have left the table, and so the match ends here."
    return told_end(Reporter(as_events=False), outcome, left=left, otherwise=STANDSTILL)
