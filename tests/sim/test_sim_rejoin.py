"""Peers that crash in whole matches and come back with their files: same seat, same hand, same log."""

import random

import pytest
from sim_helpers import STUB, honest_faults, short_rules

from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.lab.referee import Referee, Violation, check_whole_match, describe
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.runtime.simnet import PERFECT, ROUGH, Net
from kemps_p2p.runtime.simpeer import NO_JOURNAL
from kemps_p2p.session.recovery import Recovery

LIMIT_MS = 600_000


def check_match_with_crashes(
    seed: int, *, players: int = 4, net: Net = ROUGH, lost: int = 0, crashes: int = 2, observers: int = 0
) -> int:
    """Crash some seats at some moments, one at a time; all that must hold of any match holds.

    Gives how many crashed before the end.
    """
    rng = random.Random(f"crashes {seed}")
    referee = Referee()
    sim = Sim(
        rules=short_rules(),
        players=players,
        seed=seed,
        group=STUB,
        net=net,
        watch=referee,
        observers=observers,
    )
    referee.sim = sim
    # Without losses on the way a match is over in less than a second.
    soon_ms = 400 if net is PERFECT else 4000
    at_ms = rng.uniform(50, soon_ms)
    for _ in range(crashes):
        seat, away_ms = Seat(rng.randrange(players + observers)), rng.uniform(1000, 10_000)
        taken = lost if lost == NO_JOURNAL else rng.randint(0, lost)
        sim.crash(int(at_ms * 1000), seat, int(away_ms * 1000), taken)
        at_ms += away_ms + rng.uniform(soon_ms / 8, soon_ms)
    try:
        stopped = sim.run(LIMIT_MS)
    except Exception as error:
        error.add_note(describe(sim, seed))
        raise
    assert stopped is Stop.DONE, describe(sim, seed)
    match = check_whole_match(sim)
    assert match.game.phase is Phase.MATCH_OVER
    assert honest_faults(sim) == [[]] * (players + observers), describe(sim, seed)
    return sum(peer.life for peer in sim.peers)


def test_peers_that_crash_come_back_to_their_seats() -> None:
    assert check_match_with_crashes(0)


def test_what_a_power_cut_takes_from_the_journal_comes_back_from_the_others() -> None:
    assert check_match_with_crashes(20, net=PERFECT, lost=6)


def test_a_peer_without_its_journal_takes_up_its_tape_where_the_others_have_it() -> None:
    assert check_match_with_crashes(0, lost=NO_JOURNAL)


def test_who_waits_in_the_lobby_for_its_journal_does_nothing_that_was_planned() -> None:
    sim = Sim(rules=short_rules(), players=4, seed=1, group=STUB, net=PERFECT)
    seen: list[Phase] = []
    sim.crash(100_000, Seat(2), 10_000, NO_JOURNAL)
    for after_us in range(110_000, 910_000, 4000):
        sim.plan(after_us, Seat(2), lambda view: seen.append(view.phase))
    assert sim.run(LIMIT_MS) is Stop.DONE
    assert 0 < len(seen) < 200


def test_a_peer_without_its_journal_that_goes_by_its_lobby_alone_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Recovery, "begin", lambda _self: None)
    with pytest.raises(Violation, match="used twice"):
        check_match_with_crashes(0, lost=NO_JOURNAL)


def test_a_peer_that_speaks_before_it_has_recovered_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends_at_once(self: Recovery) -> bool:
        self.is_under_way = False
        return True

    monkeypatch.setattr(Recovery, "ends", ends_at_once)
    with pytest.raises(Violation, match="used twice"):
        check_match_with_crashes(200, lost=12, crashes=4)


@pytest.mark.soak
@pytest.mark.parametrize("players", [4, 6])
def test_many_matches_with_crashes(players: int) -> None:
    for seed in range(100, 160 if players == 4 else 110):
        assert check_match_with_crashes(seed, players=players, crashes=4)


@pytest.mark.soak
def test_many_power_cuts() -> None:
    fell = [check_match_with_crashes(seed, net=PERFECT, lost=12, crashes=4) for seed in range(200, 260)]
    assert fell.count(0) < 5
    assert sum(fell) > 120


@pytest.mark.soak
def test_many_lost_journals() -> None:
    for seed in range(400, 430):
        assert check_match_with_crashes(seed, lost=NO_JOURNAL, crashes=4, players=4 if seed % 5 else 6)


@pytest.mark.soak
@pytest.mark.parametrize("lost", [0, NO_JOURNAL])
def test_observers_come_back(lost: int) -> None:
    for seed in range(300, 310):
        assert check_match_with_crashes(seed, observers=1, crashes=4, lost=lost)
