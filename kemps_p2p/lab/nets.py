"""Networks of experiments: how long messages take, with better and worse lines at one table.

A message takes the median of the net, times the mean of the two seats' lines, times a random factor with
median 1; now and then it is held up besides, as by a lost packet that is sent again. Which seat has which
line is dealt anew for every race, so that no seat is lucky for a whole match. Messages overtake each other,
but items of a tape wait for their predecessors, so that nobody gains by it.
"""

import random
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

from kemps_p2p.ids import Seat
from kemps_p2p.runtime.simnet import Net

MEDIAN_MS_MAX = 2000.0


class NetError(ValueError):
    """A file that describes no net."""


@dataclass(frozen=True, slots=True)
class Lines(Net):
    """A net whose seats have lines of different quality.

    `spread`: the standard deviation of the logarithm of the random factor. `lines`: factors, above 1 for a
    worse line; a table with more seats than lines goes through them again. `stall_share` of all messages take
    up to `stall_ms` longer, evenly.
    """

    name: str = "lan"
    median_ms: float = 2.0
    spread: float = 0.3
    lines: tuple[float, ...] = (1.0,)
    stall_share: float = 0.0
    stall_ms: float = 0.0
    dealt: list[float] = field(default_factory=list)

    def deal_lines(self, players: int, rng: random.Random) -> None:
        """Give every seat a line, at random."""
        self.dealt[:] = [self.lines[seat % len(self.lines)] for seat in range(players)]
        rng.shuffle(self.dealt)

    def after_ms(self, rng: random.Random, sender: Seat, receiver: Seat) -> float:
        """How long a message from one seat to another takes."""
        line = (self.dealt[sender] + self.dealt[receiver]) / 2 if self.dealt else 1.0
        held_up = rng.uniform(0, self.stall_ms) if rng.random() < self.stall_share else 0.0
        return self.median_ms * line * rng.lognormvariate(0, self.spread) + held_up


LAN = Lines(name="lan", median_ms=2.0, spread=0.3, lines=(0.8, 1.0, 1.0, 1.25))
"""Cables and a switch: 2 ms, of which most is the two programs."""

WIFI = Lines(
    name="wifi",
    median_ms=10.0,
    spread=0.6,
    lines=(0.7, 1.0, 1.0, 1.4),
    stall_share=0.01,
    stall_ms=60.0,
)
"""One access point in a busy house: 10 ms, widely spread, one message in a hundred sent again."""

WAN = Lines(
    name="wan",
    median_ms=20.0,
    spread=0.25,
    lines=(0.6, 1.0, 1.0, 1.6),
    stall_share=0.005,
    stall_ms=80.0,
)
"""Homes of one country: 20 ms one way, near and far seats."""

NETS = {net.name: net for net in (LAN, WIFI, WAN)}


def net_named(name: str) -> Lines:
    """A net of its own for one table: `lan`, `wifi`, `wan`, or that of a TOML file. Raises `NetError`."""
    known = NETS.get(name)
    if known is None:
        return _read(Path(name))
    return replace(known, dealt=[])


def _read(path: Path) -> Lines:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NetError(f"{path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise NetError(f"{path}: not TOML: {error}") from None
    unknown = sorted(table.keys() - {"median_ms", "spread", "lines", "stall_share", "stall_ms"})
    if unknown:
        raise NetError(f"{path}: unknown key {unknown[0]}")
    if "median_ms" not in table:
        raise NetError(f"{path}: median_ms is missing")
    lines = table.get("lines", [1.0])
    numbers = {key: value for key, value in table.items() if key != "lines"}
    if not isinstance(lines, list) or not lines:
        raise NetError(f"{path}: lines is a list of factors")
    for key, value in [*numbers.items(), *(("lines", line) for line in lines)]:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NetError(f"{path}: {key} is not a number")
    median_ms = float(table["median_ms"])
    spread = float(table.get("spread", 0.3))
    stall_share = float(table.get("stall_share", 0.0))
    stall_ms = float(table.get("stall_ms", 0.0))
    factors = tuple(float(line) for line in lines)
    for key, value, most in (
        ("median_ms", median_ms, MEDIAN_MS_MAX),
        ("spread", spread, 3.0),
        ("stall_share", stall_share, 1.0),
        ("stall_ms", stall_ms, MEDIAN_MS_MAX),
        *(("lines", factor, 100.0) for factor in factors),
    ):
        if not 0 <= value <= most:
            raise NetError(f"{path}: {key} is not between 0 and {most:g}")
    return Lines(
        name=path.name,
        median_ms=median_ms,
        spread=spread,
        lines=factors,
        stall_share=stall_share,
        stall_ms=stall_ms,
    )
