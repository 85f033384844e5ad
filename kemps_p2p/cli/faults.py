"""`kemps lab faults`: matches under crashes, splits, bad lines, failing disks, lost files and cheats."""

import json
import subprocess
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kemps_p2p import __version__
from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.options import progress, read_rule_option

if TYPE_CHECKING:
    from kemps_p2p.lab.faults import Figures, Outcome


@click.command()
@click.option("--seeds", default=100, show_default=True, type=click.IntRange(1, 1_000_000))
@click.option(
    "--from",
    "first",
    default=0,
    show_default=True,
    type=click.IntRange(0, 1 << 40),
    metavar="SEED",
    help="The first seed. `--from SEED --seeds 1` plays one again, byte for byte.",
)
@click.option("--players", default=4, show_default=True, type=click.IntRange(4, 16))
@click.option("--rules", "told_rules", default="kemps", show_default=True, metavar="PRESET|FILE")
@click.option(
    "--group",
    type=click.Choice(("stub", "real")),
    default="stub",
    show_default=True,
    help="Of the deck: a stub hides nothing and is quick. Signatures are real with both.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def faults(*, seeds: int, first: int, players: int, told_rules: str, group: str, as_json: bool) -> None:
    """Matches of two deals in virtual time, each under the faults of its seed.

    Nothing final may be lost or doubled, no honest seat be blamed, no cheat have what it is for; then all
    heals, and the match has to end. Ends with exit code 1 if a seed shows anything else, and prints it.

    Tells in how many seeds each fault and cheat struck, and in which phases; "–": it cannot strike there.
    What struck in less than 1 % of the seeds, or never where it can, has a line of its own: few seeds have
    many.
    """
    from kemps_p2p.deck.group import RISTRETTO, STUB
    from kemps_p2p.lab.faults import run_faults

    rules = read_rule_option(told_rules, players)
    begun = time.monotonic()

    def tell(outcome: "Outcome", figures: "Figures") -> None:
        rate = figures.seeds / max(1e-9, time.monotonic() - begun)
        progress(f"{figures.seeds} of {seeds} seeds, {rate:.1f} a second")
        if outcome.wrong:
            progress("")
            again = f"kemps lab faults --from {outcome.seed} --seeds 1 --players {players}"
            again += f" --rules {told_rules} --group {group}"
            click.echo(_report(outcome, again), err=True)

    name = (STUB if group == "stub" else RISTRETTO).name
    figures = run_faults(range(first, first + seeds), players, rules, name, tell)
    progress("")
    facts = {**asdict(figures), "unstruck": figures.unstruck}
    click.echo(json.dumps(facts) if as_json else _lines(facts))
    if not figures.is_good:
        raise CommandError(Exit.DIFFERS, "faults were not withstood")


def _report(outcome: "Outcome", again: str) -> str:
    """What a seed shows that should not be, and how to see it again."""
    return "\n".join((f"{again}  # {_build()}, {outcome.fingerprint[:16]}", *outcome.wrong, outcome.trace))


def _build() -> str:
    """The commit that this program is, with `+` if it is changed; its version where there is no git."""
    where = Path(__file__).parent
    told = ["git", "-C", str(where), "describe", "--always", "--dirty=+", "--exclude", "*"]
    try:
        done = subprocess.run(told, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return __version__
    return done.stdout.strip()


def _lines(facts: dict[str, Any]) -> str:
    """A line a figure; how often each kind befell a table in each phase; what is still to befall one."""
    struck, struck_in, unstruck = (facts.pop(name) for name in ("struck", "struck_in", "unstruck"))
    lines = [f"{name:20} {value}" for name, value in facts.items()]
    phases = list(next(iter(struck.values())))
    lines += ["", f"{'struck':20}{'seeds':>9}" + "".join(f"{phase:>9}" for phase in phases)]
    for kind, counts in struck.items():
        shown = ("–" if count is None else count for count in counts.values())
        lines.append(f"{kind:20}{struck_in[kind]:9}" + "".join(f"{count:>9}" for count in shown))
    lines += ["", *(f"unstruck: {kind}: {', '.join(where)}" for kind, where in unstruck.items())]
    return "\n".join(lines).rstrip()
