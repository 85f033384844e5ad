"""Shares with their intervals, and nets from files."""

import random
from pathlib import Path
from statistics import median

import pytest

from kemps_p2p.ids import Seat
from kemps_p2p.lab.figures import Share, share, spread
from kemps_p2p.lab.nets import NETS, NetError, net_named


@pytest.mark.parametrize(
    ("hits", "trials", "bounds"),
    [
        # Newcombe (1998), table I: the score interval without continuity correction.
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ],
)
def test_intervals_of_a_textbook(hits: int, trials: int, bounds: tuple[float, float]) -> None:
    told = share(hits, trials)
    assert told is not None
    assert told.value == round(hits / trials, 5)
    assert (told.low, told.high) == pytest.approx(bounds, abs=5e-5)


def test_what_was_not_tried_has_no_share() -> None:
    assert share(0, 0) is None


def test_a_share_above_a_half() -> None:
    assert share(15, 20, less=0.5) == Share(0.25, 0.03130, 0.38814)


def test_spread_of_times() -> None:
    assert spread([float(ms) for ms in range(1, 101)]).p50 == 50.5
    assert 95 < spread([float(ms) for ms in range(1, 101)]).p95 < 97


@pytest.mark.parametrize("name", NETS)
def test_a_net_takes_its_median_whatever_its_lines(name: str) -> None:
    net, rng = net_named(name), random.Random(4)
    times = []
    for _ in range(200):
        net.deal_lines(4, rng)
        times += [net.after_ms(rng, Seat(one), Seat(other)) for one in range(4) for other in range(one)]
    assert median(times) == pytest.approx(net.median_ms, rel=0.1)
    assert max(net.dealt) > min(net.dealt)


def test_two_tables_do_not_share_their_lines() -> None:
    one, other = net_named("lan"), net_named("lan")
    one.deal_lines(4, random.Random(1))
    assert len(one.dealt) == 4
    assert other.dealt == []


def test_a_net_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "moon.toml"
    file.write_text("median_ms = 1300\nspread = 0\nlines = [1]\n")
    net = net_named(str(file))
    assert net.after_ms(random.Random(1), Seat(0), Seat(1)) == 1300.0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("spread = 1", "median_ms is missing"),
        ("median_ms = 'fast'", "median_ms is not a number"),
        ("median_ms = -1", "median_ms is not between 0 and 2000"),
        ("median_ms = 1\nlines = []", "lines is a list"),
        ("median_ms = 1\nlines = [1, true]", "lines is not a number"),
        ("median_ms = 1\nstall_share = 2", "stall_share is not between 0 and 1"),
        ("median_ms = 1\ndelay = 2", "unknown key delay"),
        ("median_ms = ", "not TOML"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "net.toml"
    file.write_text(text)
    with pytest.raises(NetError, match=reason):
        net_named(str(file))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(NetError, match="No such file"):
        net_named("no-such-net.toml")
