"""`kemps node`: one peer process."""

import json
import re
from pathlib import Path
from typing import Any

import click

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.options import PACES, SECONDS, end_on_terminate, read_rule_option
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.runtime.node import NodeConfig, run_node
from kemps_p2p.runtime.profile import home_directory
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.session import effects as fx
from kemps_p2p.session.lobby import check_name
from kemps_p2p.session.session import Session


class _Reporter:
    """Tells what happens at one seat: lines for people, or with `--events` one JSON object a line."""

    def __init__(self, *, as_events: bool) -> None:
        self._as_events = as_events
        self._faults: set[str] = set()

    def say(self, event: str, line: str, **facts: Any) -> None:
        click.echo(json.dumps({"event": event, **facts}) if self._as_events else line)

    def watch(self, session: Session, sight: fx.Sight) -> None:
        match sight:
            case fx.TableFormed(match=match, names=names):
                seated = ", ".join(names)
                self.say("formed", f"match {match.hex()[:16]}: {seated}", match=match.hex(), names=names)
            case fx.Happened(index=index):
                game = session.play.final.game
                facts = {"entry": index, "deal": game.deal, "scores": game.scores, "phase": game.phase.value}
                if self._as_events:
                    self.say("moved", "", **facts)
            case fx.FaultFound(fault=fault) if str(fault) in self._faults:
                # A lobby says what it has to say until it is heard, right or wrong.
                pass
            case fx.FaultFound(fault=fault):
                self._faults.add(str(fault))
                self.say(
                    "fault", f"fault: {fault}", culprit=fault.culprit, code=fault.code.value, text=str(fault)
                )
            case fx.MatchClosed(head=head):
                scores = list(session.play.final.game.scores)
                self.say("closed", f"the match is over: {scores}", head=head.hex(), scores=scores)
            case fx.Known() | fx.Raced() | fx.GestureSeen() | fx.Whispered() | fx.Wanted():
                pass


def _check_name(_ctx: click.Context, _option: click.Parameter, name: str) -> str:
    try:
        check_name(name)
    except PeerFault as fault:
        raise click.BadParameter(fault.text) from None
    return name


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
@click.option(
    "--players", default=4, show_default=True, type=click.IntRange(4, 16), help="Seats at the table."
)
@click.option(
    "--seat",
    "wish",
    default=-1,
    type=click.IntRange(-1, 15),
    show_default="any",
    help="The seat you would like, from 0.",
)
@click.option(
    "--name",
    default="Player",
    show_default=True,
    callback=_check_name,
    help="The name others see: 1 to 24 printable characters.",
)
@click.option(
    "--rules",
    "rules_option",
    default="kemps",
    show_default=True,
    metavar="PRESET|FILE",
    help="A preset, a variant such as kemps/go, or a file of house rules.",
)
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
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Where identity and journals are kept, one for each peer; KEMPS_HOME by default.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Directory for the log; inside the home by default.",
)
@click.option(
    "--wait",
    "meet_s",
    default=60.0,
    show_default=True,
    type=SECONDS,
    help="Seconds to wait for the others to come.",
)
@click.option(
    "--give-up",
    "give_up_s",
    default=60.0,
    show_default=True,
    type=SECONDS,
    help="Seconds of standstill after which the match is abandoned.",
)
@click.option("--events", is_flag=True, help="Print one JSON object a line instead of text.")
def node(
    *, place: Path, players: int, wish: int, name: str, rules_option: str, pace: str, bind: str,
    home: Path | None, out: Path | None, meet_s: float, give_up_s: float, events: bool,
) -> None:  # fmt: skip
    """Run one peer of a table on this machine, played by a bot.

    Start one for each seat, all with the same --meet directory, --players and --rules, and each with a
    --home and a --name of its own.
    """
    if wish >= players:
        raise click.BadParameter(f"there is no seat {wish} at a table for {players}", param_hint="--seat")
    end_on_terminate()
    rules = read_rule_option(rules_option, players)
    kept = home if home is not None else home_directory()
    reporter = _Reporter(as_events=events)
    config = NodeConfig(
        name=name, place=place, players=players, wish=wish, rules=rules, bind=bind,
        home=kept, logs=out if out is not None else kept / "logs", meet_s=meet_s, give_up_s=give_up_s,
    )  # fmt: skip
    outcome = run_node(config, lambda seat, rng: Bot(seat, players, rng, Pace(pace)), reporter.watch)
    if not outcome.is_closed:
        raise _stopped(outcome)
    reporter.say("log", f"log: {outcome.log}", log=str(outcome.log))


def _stopped(outcome: Outcome) -> CommandError:
    """Why a match did not end."""
    for fault in outcome.faults:
        if fault.code is Fault.OTHER_RULES:
            text = f"seat {fault.culprit} plays by another rule set: {fault.text}"
            return CommandError(Exit.OTHER_VERSION, text, "Start all peers with the same --rules.")
    blamed = [fault for fault in outcome.faults if fault.culprit is not None]
    why = f"seat {blamed[0].culprit}: {blamed[0]}" if blamed else "nothing has moved for too long"
    saved = f"What was played is in {outcome.log}." if outcome.log is not None else ""
    return CommandError(Exit.ABANDONED, f"match abandoned ({why})", saved)
