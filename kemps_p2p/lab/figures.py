"""Figures of experiments: shares with the interval that they are known to, and spreads of times."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median, quantiles

Z_95 = 1.959963984540054
"""How many standard deviations hold 95 % of a normal distribution. Source: its quantile at 0.975."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of trials, with the 95 % interval of Wilson (1927)."""

    value: float
    low: float
    high: float


def share(hits: int, trials: int, *, less: float = 0.0) -> Share | None:
    """The share of `hits`, and what remains of it and of its bounds above `less`; None without trials."""
    if trials == 0:
        return None
    z2 = Z_95 * Z_95
    rate = hits / trials
    middle = (rate + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z_95 * sqrt(rate * (1 - rate) / trials + z2 / (4 * trials * trials)) / (1 + z2 / trials)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Share(*(round(value - less, 5) for value in (rate, low, high)))


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 95th percentile."""

    p50: float
    p95: float


def spread(values: Sequence[float]) -> Spread:
    """Median and 95th percentile of some milliseconds."""
    return Spread(round(median(values), 3), round(quantiles(values, n=20)[-1], 3))
