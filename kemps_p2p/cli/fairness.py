"""`kemps lab fairness`: who wins dead heats and races, honest or not, in simulated matches."""

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.options import progress, with_json, with_players

if TYPE_CHECKING:
    from kemps_p2p.lab.fairness import Fairness
    from kemps_p2p.lab.figures import Share, Spread
    from kemps_p2p.lab.heats import Trial

RACES = ("exchange", "call", "counter-first", "both")
TRICKS = ("front-run", "liar", "two-liars", "late", "silent", "stale")


@click.command()
@click.option(
    "--policy", default="poll", show_default=True, help="poll, arrival, lamport, lottery, or one of your own."
)
@click.option(
    "--net",
    default="lan",
    show_default=True,
    metavar="lan|wifi|wan|FILE",
    help="Or a TOML file with median_ms, spread, lines, stall_share, stall_ms.",
)
@with_players
@click.option(
    "--race",
    default="exchange",
    show_default=True,
    type=click.Choice(RACES),
    help="What is raced for: a card, or a call, by what the rules may say of calls that are together.",
)
@click.option(
    "--trials",
    default=2000,
    show_default=True,
    type=click.IntRange(8, 1_000_000),
    help="Dead heats; of other races there are fewer.",
)
@click.option("--observer", "is_observed", is_flag=True, help="With a neutral observer as a further witness.")
@click.option(
    "--cheat", "trick", type=click.Choice(TRICKS), help="Instead: what this cheat brings its accomplice."
)
@click.option("--seed", default=1, show_default=True, type=int, help="Same seed, same figures.")
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write every race to this file.",
)
@with_json
def fairness(
    *,
    policy: str,
    net: str,
    players: int,
    race: str,
    trials: int,
    is_observed: bool,
    trick: str | None,
    seed: int,
    csv_file: Path | None,
    as_json: bool,
) -> None:
    """Who wins dead heats, races between people, and against a seat on duty that cheats.

    Matches of real sessions on a simulated net, in virtual time. Shares have their 95 % intervals. Ends with
    exit code 1 if the poll on a LAN does not keep what the program promises.
    """
    from kemps_p2p.lab.fairness import bars_missed, measure_fairness
    from kemps_p2p.lab.heats import Plan
    from kemps_p2p.lab.nets import NetError, net_named
    from kemps_p2p.lab.policies import PolicyError, policy_named
    from kemps_p2p.lab.timing import Trick
    from kemps_p2p.lab.track import Race

    try:
        net_named(net)
        policy_named(policy)
    except (NetError, PolicyError) as error:
        raise CommandError(Exit.USAGE, str(error)) from None
    if players % 2:
        raise CommandError(Exit.USAGE, "partners sit opposite each other: an even number of players")
    plan = Plan(
        policy=policy,
        net=net,
        players=players,
        trials=trials,
        race=Race(race),
        trick=None if trick is None else Trick(trick),
        seed=seed,
        is_observed=is_observed,
    )
    with _table(csv_file) as note:
        found = measure_fairness(plan, progress, note)
    progress("")
    click.echo(json.dumps(asdict(found)) if as_json else "\n".join(lines(found)))
    missed = bars_missed(plan, found)
    if missed:
        raise CommandError(Exit.DIFFERS, f"not as promised: {'; '.join(missed)}")


@contextmanager
def _table(path: Path | None) -> "Iterator[Callable[[Trial], None]]":
    """A table to which every race is added, if there is a file for it."""
    if path is None:
        yield lambda trial: None
        return
    from kemps_p2p.lab.heats import Trial

    names = [each.name for each in fields(Trial)]
    try:
        opened = path.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise CommandError(Exit.MACHINE, f"{path}: cannot be written: {error.strerror or error}") from None
    with opened as file:
        rows = csv.writer(file)
        rows.writerow(names)
        yield lambda trial: rows.writerow([_cell(getattr(trial, name)) for name in names])


def _cell(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return int(value) if isinstance(value, bool) else value


def lines(found: "Fairness") -> Iterator[str]:
    """The figures for people."""
    watched = " and an observer" if found.observer else ""
    yield f"{found.policy} on {found.net}, {found.players} players{watched}, races for {_RACED[found.race]}"
    if found.cheat is None:
        yield f"dead heats                      {found.trials}"
        yield f"edge of the seat on duty        {_signed(found.dealer_edge)}"
        yield f"found together                  {_share(found.together)}"
        for lead_ms, told in found.true_first.items():
            yield f"first by {lead_ms:>2} ms wins             {_share(told)}"
        yield f"first of two people wins        {_share(found.human_true_first)}"
        yield f"front-running seat on duty wins {_share(found.front_run_wins)}"
        yield f"known, in ms                    {_spread(found.known_ms)}"
        yield f"final, in ms                    {_spread(found.final_ms)}"
        return
    gain = found.cheat
    yield f"cheat                           {gain.trick}"
    yield f"races that its side starts late {found.trials}"
    yield f"won with it                     {_share(gain.wins)}"
    yield f"won without it                  {_share(gain.wins_without)}"
    yield f"between two people, with it     {_share(gain.human_wins)}"
    yield f"between two people, without it  {_share(gain.human_wins_without)}"
    if gain.losses:
        yield f"lost by honest words            {gain.losses}"
        yield f"  turned into a draw of coins   {_share(gain.lost_to_coin)}"
        yield f"  turned into a win             {_share(gain.lost_to_win)}"


_RACED = {
    "exchange": "a card",
    "call": "a call",
    "counter-first": "a call, counters first",
    "both": "a call, both count",
}


def _share(told: "Share | None") -> str:
    if told is None:
        return "not measured"
    return f"{100 * told.value:6.2f} %  ({100 * told.low:.2f} to {100 * told.high:.2f})"


def _signed(told: "Share | None") -> str:
    if told is None:
        return "not measured"
    return f"{told.value:+.4f}   ({told.low:+.4f} to {told.high:+.4f})"


def _spread(told: "Spread | None") -> str:
    return "not measured" if told is None else f"{told.p50:.1f}, 95 % within {told.p95:.1f}"
