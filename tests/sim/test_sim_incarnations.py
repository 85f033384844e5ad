"""Peers that lose all their files in whole matches, and get their seats as new incarnations."""

import random

import pytest
from sim_helpers import STUB, honest_faults, short_rules

from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.lab.referee import (
    Referee,
    Violation,
    check_losses,
    check_whole_match,
    describe,
    entries_of,
)
from kemps_p2p.ledger.entry import Seated, Struck
from kemps_p2p.ledger.sitting import sitting_in
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.runtime.simnet import ROUGH
from kemps_p2p.runtime.simpeer import FORGETS, NO_JOURNAL
from kemps_p2p.session import effects as fx
from kemps_p2p.session.audit import Verdict, audit_all
from kemps_p2p.session.overdue import OVERDUE_MS

LIMIT_MS = 600_000


def forgetful(
    seed: int, *, players: int = 4, losses: int = 1, crashes: int = 0, word: str = "KEM", apart_ms: float = 0
) -> Sim:
    """A match in which seats lose all their files, one after the other, and others crash and keep theirs.

    With two of four that have lost theirs at once no quorum is left that could let them in. `apart_ms`: more
    time between two, since a seat whose hand is called is waited for before it can be given away.
    """
    rng = random.Random(f"forgetful {seed}")
    referee = Referee()
    sim = Sim(rules=short_rules(word), players=players, seed=seed, group=STUB, net=ROUGH, watch=referee)
    referee.sim = sim
    at_ms = rng.uniform(300, 3000)
    for lost in [FORGETS] * losses + [0] * crashes:
        away_ms = rng.uniform(10, 3000)
        sim.crash(int(at_ms * 1000), Seat(rng.randrange(players)), int(away_ms * 1000), lost)
        at_ms += away_ms + rng.uniform(3000, 6000) + apart_ms if lost else rng.uniform(-3000, 1000)
    assert sim.run(LIMIT_MS) is Stop.DONE, describe(sim, seed)
    return sim


def check(sim: Sim, seed: int) -> tuple[int, ...]:
    """All that must hold of any match holds; returns the seats that were given anew, in order."""
    match = check_whole_match(sim)
    assert match.game.phase is Phase.MATCH_OVER
    assert honest_faults(sim) == [[]] * len(sim.peers), describe(sim, seed)
    joint = audit_all([peer.log_bytes for peer in sim.peers], allow_stub=True)
    assert joint.verdict is Verdict.CLEAN, [one.findings for one in joint.audits]
    events = [event for entry in entries_of(sim) for event in entry.events]
    seated = tuple(sitting_in(event.raw).seat for event in events if isinstance(event, Seated))
    assert {*seated} <= {event.seat for event in events if isinstance(event, Struck)}
    return seated


def test_a_seat_that_loses_its_files_is_given_to_its_player_again() -> None:
    sim = forgetful(1, word="K")
    (seat,) = check(sim, 1)
    match = check_whole_match(sim)
    check_losses(sim, match, {seat})
    with pytest.raises(Violation, match="seeds of deal 0 are missing"):
        check_losses(sim, match, set())
    sim.peers[seat].losses = 0
    with pytest.raises(Violation, match="given anew 1 times, 0 times lost"):
        check_losses(sim, match, {seat})


def test_who_loses_its_journal_after_its_files_has_lost_all_once_more() -> None:
    """Its secret is in no genesis: in the lobby it would say what it has never said."""
    sim = Sim(rules=short_rules("K"), players=4, seed=7, group=STUB)
    sim.crash(10_000, Seat(2), 1_000_000, FORGETS)
    sim.crash(3_030_000, Seat(2), 1_000_000, NO_JOURNAL)
    assert sim.run(LIMIT_MS) is Stop.DONE, describe(sim, 7)
    assert check(sim, 7) == (2, 2)


def test_who_loses_its_files_while_others_have_begun_is_told_by_them() -> None:
    late: list[Seat] = []

    def strike(seat: Seat, effect: fx.Effect, _now_ms: int) -> None:
        if isinstance(effect, fx.Append) and not late:
            late.extend(Seat(other) for other in range(4) if not sim.peers[other].session.has_begun)
            sim.crash(0, late[0], 1_000_000, FORGETS)

    sim = Sim(rules=short_rules("K"), players=4, seed=7, group=STUB, watch=strike)
    assert sim.run(LIMIT_MS) is Stop.DONE, describe(sim, 7)
    assert check(sim, 7) == (late[0],)


def test_nobody_forgets_a_match_that_no_other_knows_of() -> None:
    sim = Sim(rules=short_rules("K"), players=4, seed=7, group=STUB)
    sim.crash(0, Seat(1), 1_000_000, FORGETS)
    assert sim.run(LIMIT_MS) is Stop.DONE, describe(sim, 7)
    assert check(sim, 7) == ()


@pytest.mark.soak
def test_seats_that_lose_their_files_among_others_that_crash() -> None:
    """One of these comes back with its files, and has to follow two seats that came back without."""
    assert len(check(forgetful(4, losses=3, crashes=2), 4)) > 1


@pytest.mark.soak
@pytest.mark.parametrize("players", [4, 6])
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_losses(seed: int, players: int) -> None:
    apart_ms = OVERDUE_MS if players == 4 else 0
    check(forgetful(seed, players=players, losses=3, crashes=2, word="KEMPS", apart_ms=apart_ms), seed)
