"""Whole matches by rule sets drawn at random from all keys, between bots on a rough network."""

import pytest
from sim_helpers import STUB, honest_faults, play_match
from sim_rules import random_rules, recounted

from kemps_p2p.game.record import Phase
from kemps_p2p.lab.referee import check_whole_match
from kemps_p2p.session.audit import Verdict, audit_all


def check_rules(seed: int) -> None:
    """Everybody ends with one chain, nobody is accused, the audit is clean, and the scores are right."""
    rules = random_rules(seed)
    (players,) = rules.players
    sim = play_match(seed, players=players, rules=rules, group=STUB)
    match = check_whole_match(sim)
    assert match.game.phase is Phase.MATCH_OVER
    assert honest_faults(sim) == [[]] * players
    joint = audit_all([peer.log_bytes for peer in sim.peers], allow_stub=True)
    assert joint.verdict is Verdict.CLEAN
    recount = recounted(joint.audits[0])
    assert tuple(recount.scores) == match.game.scores
    assert recount.deals == match.game.deals
    assert recount.winners is not None


@pytest.mark.parametrize("seed", [7, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (2, 25))])
def test_rules_at_random(seed: int) -> None:
    check_rules(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(500))
def test_five_hundred_rule_sets(seed: int) -> None:
    check_rules(seed)
