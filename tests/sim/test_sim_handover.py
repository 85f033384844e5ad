"""Sequencers that fall silent in whole matches: the duty passes on, nothing final is lost, the match ends."""

import random

import pytest
from sim_helpers import STUB, honest_faults, short_rules

from kemps_p2p.game.record import Phase
from kemps_p2p.lab.referee import Referee, check_whole_match, entries_of
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.runtime.simnet import ROUGH
from kemps_p2p.session.takeover import take_over_in

LIMIT_MS = 600_000


class Weather:
    """Cuts one seat off at a time, mostly that on duty, for 1 to 6 seconds."""

    def __init__(self, seed: int) -> None:
        self.sim: Sim | None = None
        self.cut_count = 0
        self._random = random.Random(f"weather {seed}")
        self._victim: int | None = None
        self._turns_ms = self._random.uniform(1500, 4000)

    def __call__(self, sender: int, receiver: int, data: bytes) -> bytes | None:
        assert self.sim is not None
        now_ms = self.sim.now_ms
        if now_ms >= self._turns_ms:
            self._turn(now_ms)
        return None if self._victim in {sender, receiver} else data

    def _turn(self, now_ms: int) -> None:
        assert self.sim is not None
        playing = [peer.session.play for peer in self.sim.peers if peer.session.has_begun]
        if self._victim is not None or not playing:
            self._victim = None
            self._turns_ms = now_ms + self._random.uniform(1000, 5000)
            return
        is_duty = self._random.random() < 0.7
        self._victim = playing[0].tip.on_duty if is_duty else self._random.randrange(len(self.sim.peers))
        self._turns_ms = now_ms + self._random.uniform(1000, 6000)
        self.cut_count += 1


def check_stormy_match(seed: int, players: int = 4, observers: int = 0) -> int:
    """Play a match in such weather; returns how often the duty was taken over."""
    weather, referee = Weather(seed), Referee()
    sim = Sim(
        rules=short_rules(),
        players=players,
        observers=observers,
        seed=seed,
        group=STUB,
        net=ROUGH,
        tamper=weather,
        watch=referee,
    )
    weather.sim = referee.sim = sim
    assert sim.run(LIMIT_MS) is Stop.DONE
    match = check_whole_match(sim)
    assert match.game.phase is Phase.MATCH_OVER
    assert honest_faults(sim) == [[]] * (players + observers)
    assert weather.cut_count > 0
    return sum(take_over_in(entry) is not None for entry in entries_of(sim))


def test_matches_whose_sequencers_fall_silent_go_on() -> None:
    assert check_stormy_match(0) >= 2


@pytest.mark.soak
def test_who_joined_late_hands_nothing_over_into_a_term_that_it_acks_already() -> None:
    check_stormy_match(515, 8)


@pytest.mark.soak
def test_an_observer_follows_take_overs_and_may_be_struck_between_them() -> None:
    assert check_stormy_match(9, observers=1) >= 2


@pytest.mark.soak
@pytest.mark.parametrize("players", [4, 6, 8])
def test_many_matches_whose_sequencers_fall_silent_go_on(players: int) -> None:
    count = 60 if players == 4 else 20
    assert sum(check_stormy_match(seed, players) for seed in range(100, 100 + count)) >= count // 2
