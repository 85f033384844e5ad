from typing import Any

import pytest
from report_helpers import Seen, short_rules, watched_match

from kemps_p2p.report.timeline import Timeline

SEEDS = (48, 14, 17, *range(1, 60))
"""Tried in turn; the first is known to do, as long as bots and protocol stay as they are."""
WANTED = {"race", "together", "called", "missed", "gestured"}


@pytest.fixture(scope="session")
def seen() -> Seen:
    """A short match with a race that witnesses decided, one that was drawn, a call and a gesture."""
    for seed in SEEDS:
        match = watched_match(short_rules(), seed)
        if {moment.line.event for moment in Timeline(match.audit).moments} >= WANTED:
            return match
    raise AssertionError("no seed gives a match with all that")


@pytest.fixture(scope="session")
def timeline(seen: Seen) -> Timeline:
    return Timeline(seen.audit)


@pytest.fixture(scope="session")
def observed() -> Seen:
    """A short match with a neutral observer, and a race on which it had a word."""
    for seed in (13, *SEEDS):
        match = watched_match(short_rules(), seed, observers=1)
        timeline = Timeline(match.audit)
        races: list[Any] = [timeline.moments[mark.index].line.facts["orders"] for mark in timeline.races]
        if any(orders[-1]["saw"] for orders in races):
            return match
    raise AssertionError("no seed gives a match with a race that the observer saw")
