"""Matches under drawn faults: safety whatever happens, an end once all has healed, the same bytes again."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from click.testing import CliRunner
from sim_helpers import STUB

from kemps_p2p.cli.errors import Exit
from kemps_p2p.cli.main import main
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.lab import faults, storms
from kemps_p2p.lab.crooks import KINDS, Ending
from kemps_p2p.lab.faults import Figures, Outcome, phases_of, run_faults, run_seed
from kemps_p2p.lab.storms import Blow, Kind, Phase

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
    check_seeds(range(1, 3))


@pytest.mark.soak
@pytest.mark.parametrize("players", [4, 6, 8])
def test_many_matches_under_faults_end(players: int) -> None:
    check_seeds(range(1000, 1100 if players == 4 else 1030), players)


def test_a_false_coin_beside_true_shares_gains_nothing_by_them() -> None:
    outcome = run_seed(533, 4, RULES, STUB)
    assert (outcome.cheat, outcome.wrong) == (Ending.HARMLESS, [])


def test_a_cheat_that_has_lost_a_share_with_a_lie_says_it_again() -> None:
    """Its item counts for nothing; without the share that stood in it the deal could not go on."""
    outcome = run_seed(40034, 4, load_rules("kent"), STUB)
    assert (outcome.cheat, outcome.wrong) == (Ending.DETECTED, [])


def test_a_cheat_that_has_said_nonsense_has_no_share_to_say_again() -> None:
    outcome = run_seed(692, 4, RULES, STUB)
    assert (outcome.cheat, outcome.wrong) == (Ending.DETECTED, [])


def test_a_false_key_is_one_of_the_attempt_that_is_on() -> None:
    """A seat has lost its files, so the deck is shuffled anew; the cheat has to copy from that attempt."""
    outcome = run_seed(781, 4, RULES, STUB)
    assert (outcome.cheat, outcome.wrong, outcome.incarnations) == (Ending.DETECTED, [], 1)


def test_one_seat_of_a_match_loses_its_files_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    blows = [
        Blow(kind=Kind.FILES, phase=phase, nth=1, after_ms=1.0, span_ms=100.0, luck=luck)
        for phase in phases_of(Kind.FILES)
        for luck in range(2)
    ]
    monkeypatch.setattr(storms, "losses", lambda _rng: [[blow] for blow in blows])
    outcome = run_seed(0, 4, RULES, STUB)
    assert outcome.wrong == []
    seats = {seats for _, kind, _, seats in outcome.struck if kind == Kind.FILES}
    assert (len(seats), outcome.incarnations > 0) == (1, True)


def test_nobody_is_felled_twice_at_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loss that is told to the referee, and does not come about, would be one that it forgives."""
    blow = Blow(kind=Kind.POWER, phase=Phase.PLAY, nth=1, after_ms=1.0, span_ms=100.0, luck=3)
    both = [[blow], [replace(blow, kind=Kind.JOURNAL)]]
    monkeypatch.setattr(storms, "losses", lambda _rng: both)
    outcome = run_seed(0, 4, RULES, STUB)
    assert outcome.wrong == []
    struck = {kind: seats for _, kind, _, seats in outcome.struck}
    assert struck[Kind.POWER] != struck[Kind.JOURNAL]


SAY_AGAIN = (
    "from kemps_p2p.game.rules import load_rules;from kemps_p2p.lab.faults import run_seed;"
    "done=run_seed({seed},4,load_rules('kemps'),{group!r});print(done.fingerprint);print(done.trace)"
)


def test_a_seed_replays_byte_for_byte_in_another_process() -> None:
    """In this one a seat is another incarnation's when all die: each comes back where its log ends."""
    first = run_seed(1025, 4, RULES, STUB)
    assert (first.is_finished, first.wrong, first.incarnations) == (True, [], 1)
    # Sets of bytes come in another order there.
    told = [sys.executable, "-c", SAY_AGAIN.format(seed=1025, group=STUB)]
    again = subprocess.run(
        told, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"}
    )
    assert again.stdout == f"{first.fingerprint}\n{first.trace}\n"


def test_a_failing_seed_says_how_to_see_it_again_and_that_shows_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(faults, "ENDS_WITHIN_MS", 300)
    first = CliRunner().invoke(main, ["lab", "faults", "--seeds", "1", "--from", "20", "--json"])
    assert first.exit_code == Exit.DIFFERS
    assert json.loads(first.stdout)["stuck"] == 1
    command = first.stderr.splitlines()[0].partition("  #")[0].split()
    assert command[0] == "kemps"
    again = CliRunner().invoke(main, [*command[1:], "--json"])
    assert (again.exit_code, again.stdout, again.stderr) == (first.exit_code, first.stdout, first.stderr)
    assert "stuck" in first.stderr
    assert "entry 1 of term 0" in first.stderr


def test_what_never_struck_is_told() -> None:
    figures = Figures()
    places: list[tuple[int, str, Phase, tuple[Seat, ...]]]
    places = [(0, kind, phase, (Seat(0),)) for kind in (*Kind, *KINDS) for phase in phases_of(kind)]
    kept = [place for place in places if place[1:3] not in {(Kind.TORN, Phase.END), ("no-coin", Phase.PLAY)}]
    figures.add(Outcome(0, is_finished=True, struck=kept))
    assert figures.unstruck == {"torn": ["end"], "no-coin": ["in 0 of 1 seeds", "play"]}
    for seed in range(1, 101):
        figures.add(Outcome(seed, is_finished=True, struck=[places[-1]]))
    assert figures.unstruck["torn"] == ["in 1 of 101 seeds", "end"]
    assert places[-1][1] not in figures.unstruck
    assert figures.struck["no-coin"][Phase.LOBBY] is None
    assert figures.struck["torn"][Phase.LOBBY] == 1


def test_the_command_tells_what_struck_where() -> None:
    done = CliRunner().invoke(main, ["lab", "faults", "--seeds", "1", "--from", "2", "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["seeds"] == told["finished"] == 1
    assert told["struck"].keys() == told["struck_in"].keys() == {*Kind, *KINDS}
    for kind, counts in told["struck"].items():
        assert counts.keys() == set(Phase)
        can = {phase for phase, count in counts.items() if count is not None}
        assert can >= set(phases_of(kind))
    assert told["struck"]["files"]["lobby"] is None
    assert told["unstruck"]["away"] == ["in 0 of 1 seeds", *Phase]
