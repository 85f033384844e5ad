"""Seats that crash in whole matches and stay away for long: voted absent by bots, and back again."""

import random

import pytest
from sim_helpers import STUB, honest_faults, short_rules

from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.lab.referee import Referee, check_whole_match, describe, entries_of
from kemps_p2p.ledger.entry import Readmitted, Struck
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.runtime.simnet import ROUGH
from kemps_p2p.session.audit import Verdict, audit_all
from kemps_p2p.session.silence import ALONE_MS

LIMIT_MS = 1_200_000


def with_absences(seed: int, *, players: int = 4, seats: int = 1, word: str = "KEM") -> Sim:
    """A match in which some seats crash, one after the other, and come back after more than a minute."""
    rng = random.Random(f"absences {seed}")
    referee = Referee()
    sim = Sim(rules=short_rules(word), players=players, seed=seed, group=STUB, net=ROUGH, watch=referee)
    referee.sim = sim
    at_ms = rng.uniform(50, 5000)
    for _ in range(seats):
        away_ms = ALONE_MS + rng.uniform(3000, 60_000)
        sim.crash(int(at_ms * 1000), Seat(rng.randrange(players)), int(away_ms * 1000))
        at_ms += away_ms + rng.uniform(1000, 6000)
    stopped = sim.run(LIMIT_MS)
    assert stopped is Stop.DONE, describe(sim, seed)
    return sim


def check(sim: Sim, seed: int) -> list[Struck]:
    """All that must hold of any match holds, and whoever was struck came back by its own word."""
    match = check_whole_match(sim)
    assert match.game.phase is Phase.MATCH_OVER
    assert honest_faults(sim) == [[]] * len(sim.peers), describe(sim, seed)
    joint = audit_all([peer.log_bytes for peer in sim.peers], allow_stub=True)
    assert joint.verdict is Verdict.CLEAN, [one.findings for one in joint.audits]
    events = [event for entry in entries_of(sim) for event in entry.events]
    return [event for event in events if isinstance(event, Struck)]


def test_a_seat_that_is_long_away_is_struck_and_comes_back() -> None:
    sim = with_absences(1, word="K")
    (strike,) = check(sim, 1)
    events = [event for entry in entries_of(sim) for event in entry.events]
    assert [event.seat for event in events if isinstance(event, Readmitted)] == [strike.seat]


def test_a_table_of_which_one_seat_never_comes_back_waits_for_it() -> None:
    sim = Sim(rules=short_rules(), players=4, seed=2, group=STUB, net=ROUGH)
    sim.crash(2_000_000, Seat(1), 10_000_000_000)
    assert sim.run(90_000) is Stop.TIME
    finals = [peer.session.play.final for peer in sim.peers if not peer.is_down]
    assert [final.absent.keys() for final in finals] == [{Seat(1)}] * 3
    assert {final.game.phase for final in finals} == {Phase.DEAL_OVER}
    assert len({tuple(peer.log) for peer in sim.peers if not peer.is_down}) == 1
    joint = audit_all([peer.log_bytes for peer in sim.peers], allow_stub=True)
    assert {one.verdict for one in joint.audits} == {Verdict.UNDECIDABLE}


@pytest.mark.soak
@pytest.mark.parametrize("players", [4, 6])
@pytest.mark.parametrize("seed", range(100, 106))
def test_many_absences(seed: int, players: int) -> None:
    sim = with_absences(seed, players=players, seats=3, word="KEMPS")
    check(sim, seed)
