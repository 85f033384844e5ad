"""`kemps lab`: experiments and benches."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from kemps_p2p.cli.attack import attack
from kemps_p2p.cli.chaos import chaos
from kemps_p2p.cli.fairness import fairness
from kemps_p2p.cli.faults import faults
from kemps_p2p.cli.options import PACES, progress, read_rule_option, with_json, with_players, with_rules
from kemps_p2p.cli.saying import say
from kemps_p2p.runtime.store import make_directory


@click.group()
def lab() -> None:
    """Experiments on the protocol."""


lab.add_command(fairness)
lab.add_command(attack)
lab.add_command(faults)
lab.add_command(chaos)


@lab.group()
def bench() -> None:
    """Measure what this machine makes of it. Compare figures of one run only: machines are noisy."""


def _tell(result: Any, *, as_json: bool) -> None:
    """One object, or a line a figure."""
    progress("")
    facts = asdict(result)
    if as_json:
        click.echo(json.dumps(facts))
        return
    for name, value in facts.items():
        shown = (
            ", ".join(f"{key} {part}" for key, part in value.items()) if isinstance(value, dict) else value
        )
        say(f"{name:20} {shown}")


@bench.command()
@with_players
@with_json
def deck(*, players: int, as_json: bool) -> None:
    """The blind deck: each step for one seat, and the whole shuffle with a core for each seat."""
    from kemps_p2p.game.rules import deal_cards, load_rules
    from kemps_p2p.lab.bench_deck import bench_deck

    cards = len(deal_cards(load_rules("kemps"), players))
    _tell(bench_deck(players, cards, progress), as_json=as_json)


@bench.command()
@with_players
@with_json
def game(*, players: int, as_json: bool) -> None:
    """The rule engine: actions checked and applied a second."""
    from kemps_p2p.lab.bench_game import bench_game

    _tell(bench_game(players, progress), as_json=as_json)


@bench.command()
@with_players
@with_json
def solo(*, players: int, as_json: bool) -> None:
    """One person and bots: from the start of the process to the first cards. For an idle machine."""
    from kemps_p2p.lab.bench_solo import bench_solo

    _tell(bench_solo(players, progress), as_json=as_json)


@bench.command()
@with_players
@with_json
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("kemps-logs"),
    show_default=True,
    help="Directory for the logs of the measured matches.",
)
def play(*, players: int, as_json: bool, out: Path) -> None:
    """Real processes on loopback: how soon an exchange is known and final, how many are settled a second."""
    from kemps_p2p.lab.bench_play import bench_play

    make_directory(out)
    _tell(bench_play(players, out.resolve(), progress), as_json=as_json)


@bench.command()
@with_players
@with_json
def audit(*, players: int, as_json: bool) -> None:
    """The audit of a simulated match with the real group, against its verifications alone."""
    from kemps_p2p.lab.bench_audit import bench_audit

    _tell(bench_audit(players, progress), as_json=as_json)


class _Levels(click.ParamType[tuple[str, str]]):
    """Two levels with a colon between them, or one for all."""

    name = "levels"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Read them, or say what is wrong."""
        named = str(value).split(":")
        if len(named) > 2 or not set(named) <= set(_LEVELS):
            self.fail(f"{value!r} is not like sharp:normal; there are {', '.join(_LEVELS)}", param, ctx)
        return named[0], named[-1]


_LEVELS = ("easy", "normal", "sharp")


@lab.command()
@with_rules
@with_players
@click.option("--matches", default=50, show_default=True, type=click.IntRange(1, 100_000))
@click.option(
    "--levels",
    default="normal:normal",
    show_default=True,
    type=_Levels(),
    metavar="LEVEL:LEVEL",
    help="easy, normal or sharp: of one team, at each place in turn, and of the others.",
)
@click.option("--pace", type=click.Choice(PACES), default="normal", show_default=True)
@with_json
def bots(
    *, rules_option: str, players: int, matches: int, levels: tuple[str, str], pace: str, as_json: bool
) -> None:
    """Matches between bots in virtual time, without a network: their length, their calls, who wins."""
    from kemps_p2p.bots.level import Level
    from kemps_p2p.bots.pace import Pace
    from kemps_p2p.lab.bots import measure_bots

    figures = measure_bots(
        rules_option,
        read_rule_option(rules_option, players),
        players,
        matches,
        levels=(Level(levels[0]), Level(levels[1])),
        pace=Pace(pace),
        progress=progress,
    )
    _tell(figures, as_json=as_json)
