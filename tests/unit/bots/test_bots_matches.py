"""Whole matches of bots: they end, in the length and with the share of right calls that a table expects."""

import pytest
from bots_helpers import Evening, Tally

from kemps_p2p.bots.bot import Pace
from kemps_p2p.game.record import Phase
from kemps_p2p.game.scoring import Verdict


def right_share(tallies: list[Tally]) -> float:
    found = [verdict for tally in tallies for deal in tally.deals for _, verdict in deal.verdicts]
    return found.count(Verdict.RIGHT) / len(found)


@pytest.mark.parametrize("pace", list(Pace))
@pytest.mark.parametrize("players", [4, 6, 8, 10])
def test_matches_end(players: int, pace: Pace) -> None:
    evenings = [Evening(seed, players, pace=pace) for seed in range(4)]
    tallies = [evening.play_match() for evening in evenings]
    for evening, tally in zip(evenings, tallies, strict=True):
        assert evening.table.state.phase is Phase.MATCH_OVER
        assert max(evening.table.state.scores) == len(evening.rules.word)
        assert len(tally.deals) <= 16
    assert 0.4 <= right_share(tallies) <= 0.95
