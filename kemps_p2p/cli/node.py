"""`kemps node`: one peer process."""

import re
from pathlib import Path
from random import Random

import click

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.bots.player import Player
from kemps_p2p.cli.ending import rejoin_command, seat_kept, told_end
from kemps_p2p.cli.errors import Exit
from kemps_p2p.cli.homes import home_directory
from kemps_p2p.cli.options import (
    PACES,
    SECONDS,
    end_on_terminate,
    read_rule_option,
    with_events,
    with_give_up,
    with_home,
    with_out,
    with_players,
    with_rules,
    with_wish,
)
from kemps_p2p.cli.seat_options import check_name_option
from kemps_p2p.cli.telling import STANDSTILL, Reporter
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.meeting import WATCH
from kemps_p2p.runtime.node import NodeConfig, run_node
from kemps_p2p.runtime.onlooker import Onlooker


def _check_address(_ctx: click.Context, _option: click.Parameter, address: str) -> str:
    found = re.fullmatch(r"tcp://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):(\d{1,5})", address)
    if found is None or int(found[2]) > 65535:
        raise click.BadParameter(f"{address!r} is not like tcp://127.0.0.1:7000")
    return address


@click.command()
@click.option(
    "--meet",
    "place",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Directory in which the peers of this table find each other. On one machine, or shared.",
)
@with_players
@with_wish
@click.option(
    "--name",
    default="Player",
    show_default=True,
    callback=check_name_option,
    help="The name others see: 1 to 24 printable characters.",
)
@with_rules
@click.option(
    "--pace",
    type=click.Choice(PACES),
    default="normal",
    show_default=True,
    help="How fast the bot at this seat plays.",
)
@click.option(
    "--bind",
    default="tcp://127.0.0.1:0",
    show_default=True,
    metavar="ADDRESS",
    callback=_check_address,
    help="Where this peer listens; port 0 takes a free one.",
)
@with_home("Where identity and journals are kept, one for each peer; KEMPS_HOME by default.")
@with_out
@click.option(
    "--wait",
    "meet_s",
    default=60.0,
    show_default=True,
    type=SECONDS,
    help="Seconds to wait for the others to come.",
)
@with_give_up(60.0, "the match is abandoned")
@click.option("--observed", is_flag=True, help="One more peer comes to watch, as a neutral observer.")
@click.option("--watch", is_flag=True, help="Be that observer: a witness without a seat.")
@with_events
def node(
    *, place: Path, players: int, wish: int, name: str, rules_option: str, pace: str, bind: str,
    home: Path | None, out: Path | None, meet_s: float, give_up_s: float, observed: bool, watch: bool,
    events: bool,
) -> Exit:  # fmt: skip
    """Run one peer of a table on this machine, played by a bot.

    Start one for each seat, all with the same --meet directory, --players and --rules, and each with a
    --home and a --name of its own.
    """
    if wish >= players:
        raise click.BadParameter(f"there is no seat {wish} at a table for {players}", param_hint="--seat")
    if watch and wish >= 0:
        raise click.BadParameter("who watches has no seat", param_hint="--seat")
    end_on_terminate()
    rules = read_rule_option(rules_option, players)
    kept = home if home is not None else home_directory()
    reporter = Reporter(as_events=events)
    config = NodeConfig(
        name=name, place=place, players=players, wish=WATCH if watch else wish, rules=rules, bind=bind,
        home=kept, logs=out if out is not None else kept / "logs", meet_s=meet_s, give_up_s=give_up_s,
        observers=int(observed or watch),
    )  # fmt: skip

    def seated(seat: Seat, chances: Random) -> Player:
        return Onlooker() if watch else Bot(seat, players, chances, Pace(pace))

    with seat_kept(kept, rejoin_command(home, is_bot=True)):
        outcome = run_node(config, seated, reporter.watch)
    never_begun = f"it has not begun: others whose contacts lie in {place} play already, or are gone"
    return told_end(reporter, outcome, otherwise=never_begun if outcome.log is None else STANDSTILL)
