"""Matches under drawn faults: safety whatever happens, an end once all has healed, the same bytes again."""

import json

import pytest
from click.testing import CliRunner
from sim_helpers import STUB

from kemps_p2p.cli.main import main
from kemps_p2p.game.rules import load_rules
from kemps_p2p.lab.crooks import KINDS
from kemps_p2p.lab.faults import Figures, Outcome, run_faults, run_seed
from kemps_p2p.lab.storms import Kind, Phase

RULES = load_rules("kemps")


def check_seeds(seeds: range, players: int = 4) -> None:
    """No seed shows anything that must not be; a failure tells it all."""
    bad: list[Outcome] = []

    def tell(outcome: Outcome, _figures: Figures) -> None:
        if outcome.wrong:
            bad.append(outcome)

    figures = run_faults(seeds, players, load_rules("kemps"), STUB, tell)
    for outcome in bad:
        pytest.fail("\n".join((*outcome.wrong, outcome.trace)))
    assert figures.finished == figures.seeds == len(seeds)
    assert sum(figures.struck_in.values()) >= len(seeds)


def test_matches_under_faults_end() -> None:
    check_seeds(range(3))


@pytest.mark.soak
@pytest.mark.parametrize("players", [4, 6, 8])
def test_many_matches_under_faults_end(players: int) -> None:
    check_seeds(range(1000, 1100 if players == 4 else 1030), players)


def test_a_seed_replays_byte_for_byte() -> None:
    first, again = (run_seed(0, 4, RULES, STUB) for _ in range(2))
    assert first.fingerprint == again.fingerprint
    assert first.trace == again.trace


def test_the_command_tells_what_struck_where() -> None:
    done = CliRunner().invoke(main, ["lab", "faults", "--seeds", "1", "--from", "2", "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["seeds"] == told["finished"] == 1
    assert told["struck"].keys() == {*Kind, *KINDS}
    assert all(counts.keys() == set(Phase) for counts in told["struck"].values())
