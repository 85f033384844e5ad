"""Races on real sessions: a few with a fixed seed, and those that the promises rest on as a soak."""

import csv
import json
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.fairness import lines
from kemps_p2p.cli.lab import lab
from kemps_p2p.ids import Seat
from kemps_p2p.lab.fairness import Fairness, bars_missed, figures, measure_fairness
from kemps_p2p.lab.figures import Share
from kemps_p2p.lab.heats import LEADS_MS, Plan, Sort, Trial, Turned, run_trials, turned
from kemps_p2p.lab.nets import net_named
from kemps_p2p.lab.plots import beside_a_liar
from kemps_p2p.lab.policies import policy_named
from kemps_p2p.lab.timing import Trick, stale_claimant
from kemps_p2p.lab.track import Heat, Race, Track


def value(told: Share | None) -> float:
    assert told is not None
    return told.value


def test_a_race_alone_and_two_side_by_side() -> None:
    track = Track(players=4, seed=2, net=net_named("lan"))
    (alone,) = track.run(Heat(Seat(1), None))
    assert (alone.winners, alone.is_together) == ((1,), False)
    assert alone.known_ms is not None
    assert alone.final_ms is not None
    assert 3 < alone.known_ms < alone.final_ms < 20
    clear, late = track.run(Heat(Seat(0), Seat(1), 30_000), Heat(Seat(3), Seat(2), 0))
    assert clear.winners == (0,)
    assert set(clear.claims) == {0}, "by then seat 1 saw that the card was gone"
    assert late.winners[0] in (2, 3)
    assert set(late.claims) == {2, 3}


def test_the_same_seed_gives_the_same_figures() -> None:
    plan = Plan(trials=8, seed=7)
    one, other = (list(islice(run_trials(plan), 12)) for _ in range(2))
    assert one == other
    assert len({trial.known_ms for trial in one}) > 6


def test_arrival_order_is_the_dealers_to_give() -> None:
    found = measure_fairness(Plan(policy="arrival", trials=8, is_observed=True))
    assert found.observer
    assert value(found.dealer_edge) == 0.5
    assert value(found.front_run_wins) == 1.0
    assert value(found.together) == 0.0


def test_a_lottery_draws_every_dead_heat() -> None:
    found = measure_fairness(Plan(policy="lottery", net="wan", trials=8))
    assert value(found.together) == 1.0


def test_a_stale_stamp_wins_by_stamps_and_not_by_the_poll() -> None:
    wins = {}
    for policy in ("lamport", "poll"):
        track = Track(
            players=4,
            seed=5,
            net=net_named("lan"),
            policy=policy_named(policy),
            casting=lambda seat, _founding: stale_claimant() if seat == 1 else None,
        )
        outcomes = [track.run(Heat(Seat(2), Seat(1), 5_000))[0] for _ in range(8)]
        wins[policy] = sum(outcome.winners == (1,) for outcome in outcomes)
    assert wins["poll"] == 0
    assert wins["lamport"] >= 6


def test_one_liar_turns_losses_into_coins_and_never_into_wins() -> None:
    stage = beside_a_liar()
    told = Counter(turned(outcome, stage.liars, Race.EXCHANGE, 4) for outcome in stage.outcomes)
    assert told[Turned.TO_WIN] == 0
    assert told[Turned.TO_COIN] > 0
    assert told[Turned.STILL_LOST] > 0


def test_a_call_is_raced_for_in_a_deal_of_its_own() -> None:
    track = Track(players=4, seed=3, net=net_named("lan"), race=Race.CALL)
    for lead_ms in (0, 30):
        (outcome,) = track.run(Heat(Seat(0), Seat(1), lead_ms * 1000))
        assert len(outcome.winners) == 1
    assert outcome.winners == (0,)


def test_both_calls_count_where_the_rules_say_so() -> None:
    track = Track(players=4, seed=3, net=net_named("lan"), race=Race.BOTH)
    outcomes = [track.run(Heat(Seat(0), Seat(1)))[0] for _ in range(4)]
    assert {len(outcome.winners) for outcome in outcomes if outcome.is_together} == {2}
    assert {len(outcome.winners) for outcome in outcomes if not outcome.is_together} <= {1}


# Counting


def trial(sort: Sort, winner: int, **facts: object) -> Trial:
    given: dict[str, object] = {
        "lead_ms": 0.0, "dealer": Seat(0), "first": Seat(0), "second": Seat(1), "is_together": False,
        "known_ms": None, "final_ms": None, "winners": (Seat(winner),), **facts,
    }  # fmt: skip
    return Trial(sort=sort, **given)  # type: ignore[arg-type]


def test_the_edge_counts_only_where_the_seat_on_duty_takes_part() -> None:
    dead = [trial(Sort.DEAD_HEAT, 0)] * 3 + [trial(Sort.DEAD_HEAT, 1)]
    others = [trial(Sort.DEAD_HEAT, 2, first=Seat(2), second=Seat(3), is_together=True)] * 4
    found = figures(Plan(), [*dead, *others])
    assert value(found.dealer_edge) == 0.25
    assert value(found.true_first["0"]) == 7 / 8
    assert value(found.together) == 0.5
    assert found.human_true_first is None
    assert found.known_ms is None


def test_leads_are_told_apart() -> None:
    found = figures(Plan(), [trial(Sort.LEAD, ms == 5, lead_ms=float(ms)) for ms in LEADS_MS])
    assert {ms: value(found.true_first[str(ms)]) for ms in LEADS_MS} == {5: 0.0, 10: 1.0, 20: 1.0, 40: 1.0}


def test_a_front_runner_wins_as_second() -> None:
    found = figures(Plan(), [trial(Sort.FRONT_RUN, 1), trial(Sort.FRONT_RUN, 0)])
    assert value(found.front_run_wins) == 0.5


def missed(plan: Plan, *trials: Trial) -> tuple[str, ...]:
    return bars_missed(plan, figures(plan, trials))


def test_what_is_promised_is_held_against_the_figures() -> None:
    edge = [trial(Sort.DEAD_HEAT, 0)] * 100
    human = [trial(Sort.HUMAN, 1)] * 100
    front = [trial(Sort.FRONT_RUN, 1)] * 100
    slow = [trial(Sort.ALONE, 0, known_ms=20.0, final_ms=21.0)] * 2
    for trials in (edge, human, front, slow):
        assert len(missed(Plan(), *trials)) == 1
        assert missed(Plan(net="wan"), *trials) == ()
        assert missed(Plan(policy="arrival"), *trials) == ()
    even = [trial(Sort.DEAD_HEAT, seat % 2) for seat in range(100)]
    assert missed(Plan(), *even, *[trial(Sort.HUMAN, 0)] * 100, *[trial(Sort.FRONT_RUN, 0)] * 100) == ()


def test_a_liar_that_wins_breaks_a_promise_unless_it_tips_the_scales() -> None:
    plan = Plan(trick=Trick.LIAR)
    won = [trial(Sort.CHEAT, 1, turned=Turned.TO_WIN, accomplice=Seat(1))] * 50
    assert missed(plan, *won) == ("one liar turns a loss into a win",)
    watched = Plan(trick=Trick.LIAR, is_observed=True)
    assert missed(watched, *won) == ()
    gains = [trial(Sort.HUMAN_CHEAT, 1, accomplice=Seat(1))] * 50
    none = [trial(Sort.HUMAN_NO_CHEAT, 0, accomplice=Seat(1))] * 50
    assert missed(watched, *gains, *none) == (
        "one liar gains between two people, though there is an observer",
    )


# The command


def test_the_command_tells_one_object_and_writes_every_race(tmp_path: Path) -> None:
    table = tmp_path / "races.csv"
    done = CliRunner().invoke(lab, ["fairness", "--trials", "8", "--json", "--csv", str(table)])
    assert done.exit_code == 0
    facts = json.loads(done.stdout)
    assert set(facts) == set(Fairness.__dataclass_fields__)
    assert (facts["policy"], facts["net"], facts["players"], facts["trials"]) == ("poll", "lan", 4, 8)
    assert set(facts["dealer_edge"]) == {"value", "low", "high"}
    assert set(facts["true_first"]) == {"0", "5", "10", "20", "40"}
    assert set(facts["final_ms"]) == {"p50", "p95"}
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["sort"] for row in rows].count("dead heat") == 8
    assert {row["winners"] for row in rows} <= {"0", "1", "2", "3"}


def test_the_command_tells_people_in_lines() -> None:
    dead = [trial(Sort.DEAD_HEAT, 0)] * 3 + [trial(Sort.DEAD_HEAT, 1)]
    told = list(lines(figures(Plan(net="wan", is_observed=True), dead)))
    assert told[0] == "poll on wan, 4 players and an observer, races for a card"
    assert told[2].split() == [
        "edge",
        "of",
        "the",
        "seat",
        "on",
        "duty",
        "+0.2500",
        "(-0.1994",
        "to",
        "+0.4544)",
    ]
    assert told[-1].endswith("not measured")
    liars = [trial(Sort.CHEAT, 1, turned=Turned.TO_WIN, accomplice=Seat(1))] * 2
    told = list(lines(figures(Plan(trick=Trick.LIAR, race=Race.BOTH), liars)))
    assert told[0].endswith("races for a call, both count")
    assert told[-1] == "  turned into a win             100.00 %  (34.24 to 100.00)"


@pytest.mark.parametrize(
    "told", [["--net", "moon"], ["--policy", "fair"], ["--players", "5"]], ids=["net", "policy", "players"]
)
def test_what_the_command_cannot_measure(told: list[str]) -> None:
    failed = CliRunner().invoke(lab, ["fairness", *told]).exception
    assert isinstance(failed, CommandError)
    assert failed.code is Exit.USAGE


def test_a_table_that_cannot_be_written_is_said_before_a_race_is_run(tmp_path: Path) -> None:
    table = tmp_path / "nowhere" / "races.csv"
    failed = CliRunner().invoke(lab, ["fairness", "--csv", str(table)]).exception
    assert isinstance(failed, CommandError)
    assert failed.code is Exit.MACHINE


# What the promises rest on


@pytest.mark.soak
@pytest.mark.parametrize("players", [4, 6, 8])
def test_the_poll_keeps_its_promises_on_a_lan(players: int) -> None:
    plan = Plan(players=players, trials=20_000)
    found = measure_fairness(plan)
    assert abs(value(found.dealer_edge)) <= 0.01
    assert value(found.human_true_first) >= 0.98
    assert value(found.front_run_wins) <= {4: 0.03, 6: 0.01, 8: 0.005}[players]
    assert bars_missed(plan, found) == ()


@pytest.mark.soak
@pytest.mark.parametrize("players", [4, 6, 8])
def test_one_liar_never_wins_what_honest_words_would_have_lost(players: int) -> None:
    plan = Plan(players=players, trials=1000, trick=Trick.LIAR)
    assert bars_missed(plan, measure_fairness(plan)) == ()


@pytest.mark.soak
def test_with_an_observer_one_liar_of_four_gains_nothing_between_people() -> None:
    plan = Plan(trials=2000, trick=Trick.LIAR, is_observed=True)
    assert bars_missed(plan, measure_fairness(plan)) == ()


@pytest.mark.soak
def test_calls_are_final_as_soon_as_exchanges() -> None:
    plan = Plan(trials=80, race=Race.CALL)
    assert bars_missed(plan, measure_fairness(plan)) == ()
