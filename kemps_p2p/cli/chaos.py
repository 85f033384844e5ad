"""`kemps lab chaos`: real processes are killed at random moments of their matches, and come back."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.options import end_on_terminate, read_rule_option, with_json, with_players, with_rules
from kemps_p2p.cli.saying import say
from kemps_p2p.game.rules import override
from kemps_p2p.runtime.store import make_directory

if TYPE_CHECKING:
    from kemps_p2p.lab.chaos import Chaos


@click.command()
@click.option("--kills", default=20, show_default=True, type=click.IntRange(1, 100_000))
@click.option("--seed", default=1, show_default=True, type=int, help="Who is killed, when, for how long.")
@with_players
@with_rules
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("kemps-logs"),
    show_default=True,
    help="Directory for the logs, and for all that a match has left that went wrong.",
)
@with_json
def chaos(*, kills: int, seed: int, players: int, rules_option: str, out: Path, as_json: bool) -> None:
    """Kill peers of running matches, stop others for a while, let them come back, and check what is left.

    A process for each seat, with a bot. Any of them is killed, at any moment from the lobby to the end, and
    comes back within 10 seconds by `kemps rejoin`. In the end every match has to be over, every log has to
    audit clean, and nobody may have come back to another hand or score. Ends with exit code 1 if that fails,
    or if another seat takes longer than 3 seconds to order in the place of a dead one in 5 of 100 cases.
    """
    from kemps_p2p.lab.chaos import TAKEOVER_S, ChaosPlan, run_chaos

    end_on_terminate()
    rules = override(read_rule_option(rules_option, players), {"look_ms": 0})
    make_directory(out)
    found = run_chaos(ChaosPlan(players, rules, kills, seed, out.resolve()), lambda line: say(line, err=True))
    click.echo(json.dumps(asdict(found)) if as_json else "\n".join(_lines(found)))
    if found.failures:
        raise CommandError(Exit.DIFFERS, f"{len(found.failures)} failures; what they left is in {out}")
    if found.takeover_s is not None and found.takeover_s.p95 > TAKEOVER_S:
        raise CommandError(Exit.DIFFERS, f"taking over takes {found.takeover_s.p95} s")


def _lines(found: "Chaos") -> Iterator[str]:
    yield f"kills       {found.kills}, {found.lobby_kills} of them in the lobby"
    yield f"stops       {found.stops}"
    yield f"matches     {found.matches}, {found.finished} finished, {found.clean} clean"
    yield f"mismatched  {found.mismatched}"
    if found.takeover_s is not None:
        each = found.takeover_s
        yield f"taken over  {found.takeovers} times, p50 {each.p50} s, p95 {each.p95} s"
    for failure in found.failures:
        yield f"failed      seed {failure.seed}, match {failure.match}: {failure.what}"
