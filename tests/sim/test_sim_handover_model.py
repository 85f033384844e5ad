"""The rule of the hand-over keeps its promises in a small model; each naive variant of it forks there."""

import pytest
from handover_model import Variant
from handover_weather import SIZES, first_fork, play

NAIVE = [variant for variant in Variant if variant is not Variant.RULE]
BUDGET = 6000
"""Runs in which a naive variant has to fork. Most do within a hundred, the subtle ones within thousands."""
LATE = {Variant.TAKES_TWICE: 1400}
"""From which run on to look for a fork among four, where the first is known to come late."""
LARGER = [
    (variant, seats)
    for variant in NAIVE
    for seats in SIZES[1:]
    # So many seats seldom come to a second take-over of one term: no fork in 10,000 runs of crashes.
    if (variant, seats) != (Variant.TAKES_TWICE, 8)
]
SHARDS = 20
SHARD_RUNS = 5000


def check_rule(seeds: range) -> None:
    """Any broken promise raises. Storms in which little happened would prove little."""
    takeover_count = checkpoint_count = final_count = 0
    for seed in seeds:
        table = play(seed, SIZES[seed // len(SIZES) % len(SIZES)])
        takeover_count += table.takeover_count
        checkpoint_count += table.checkpoint_count
        final_count += table.log[table.final].index
    assert takeover_count > 4 * len(seeds)
    assert checkpoint_count > len(seeds) / 10
    assert final_count > 5 * len(seeds)


def check_forks(variant: Variant, seats: int) -> None:
    seed = first_fork(variant, range(LATE.get(variant, 0) if seats == 4 else 0, BUDGET), seats)
    assert seed is not None, f"{variant.value}: no fork in {BUDGET} runs"
    play(seed, seats)


def test_the_rule_keeps_its_promises() -> None:
    check_rule(range(400))


@pytest.mark.parametrize("variant", NAIVE, ids=lambda variant: variant.name)
def test_each_naive_variant_forks_where_the_rule_does_not(variant: Variant) -> None:
    check_forks(variant, 4)


@pytest.mark.soak
@pytest.mark.parametrize("shard", range(SHARDS))
def test_the_rule_keeps_its_promises_in_100_000_runs(shard: int) -> None:
    check_rule(range(shard * SHARD_RUNS, (shard + 1) * SHARD_RUNS))


@pytest.mark.soak
@pytest.mark.parametrize(("variant", "seats"), LARGER, ids=lambda value: getattr(value, "name", str(value)))
def test_each_naive_variant_forks_at_larger_tables(variant: Variant, seats: int) -> None:
    check_forks(variant, seats)
