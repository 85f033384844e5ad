"""Bots that stand in for a player who stays away, in whole matches, and players who get their seats back."""

import itertools
import re

import pytest
from sim_helpers import honest_faults
from sim_standins import StandInSim, signers_of

from kemps_p2p.game.events import DealEnded, Dealt
from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.lab.referee import check_whole_match, describe, entries_of
from kemps_p2p.ledger.entry import Seated, Struck
from kemps_p2p.report.audit_text import audit_lines
from kemps_p2p.runtime.sim import Stop
from kemps_p2p.runtime.simnet import PERFECT, ROUGH, Net
from kemps_p2p.runtime.simpeer import FORGETS
from kemps_p2p.session import effects as fx
from kemps_p2p.session.audit import Verdict, audit, audit_all
from kemps_p2p.session.match import attempt_of

ANNA, BEN, CLEO, DAN = map(Seat, range(4))
LIMIT_MS = 900_000


def absent(seed: int, away_ms: int, *, net: Net = PERFECT, lost: int = 0) -> StandInSim:
    """Ben's computer dies early on, and Anna votes him absent as soon as she can."""
    sim = StandInSim(seed, persons=frozenset({ANNA, CLEO}), net=net)
    sim.crash(1_000_000, BEN, away_ms * 1000, lost)
    sim.vote(1000, ANNA, BEN)
    return sim


def played(sim: StandInSim, seed: int) -> list[str]:
    """Play to the end, and check all that must hold; what has become of seats, in order."""
    assert sim.run(LIMIT_MS) is Stop.DONE, describe(sim, seed)
    match = check_whole_match(sim)
    assert match.game.phase is Phase.MATCH_OVER
    assert honest_faults(sim) == [[]] * len(sim.peers), describe(sim, seed)
    joint = audit_all([peer.log_bytes for peer in sim.waited_for()], allow_stub=True)
    assert joint.verdict is Verdict.CLEAN, [one.findings for one in joint.audits]
    events = [event for entry in entries_of(sim) for event in entry.events]
    return [type(event).__name__ for event in events if isinstance(event, Seated | Struck)]


def sealed(sim: StandInSim, seat: Seat) -> set[int]:
    """The deals whose seed a seat has not opened in the end."""
    match = sim.peers[ANNA].session.play.final
    return {deal for deal in range(match.game.deal + 1) if not match.seeds[deal][seat]}


def makers_of(sim: StandInSim, seat: Seat) -> dict[int, int]:
    """By deal: which incarnation of a seat had a part in its deck."""
    match = sim.peers[ANNA].session.play.final
    assert match.attempt == len(match.signers[seat]) - 1, "another seat was given away"
    return {deal: attempt_of(match, deal) for deal in range(match.game.deal + 1)}


@pytest.mark.parametrize(
    ("net", "lost"),
    [(PERFECT, 0), pytest.param(ROUGH, FORGETS, marks=pytest.mark.soak)],
    ids=["perfect", "no files"],
)
def test_a_bot_stands_in_and_the_player_gets_the_seat_back(net: Net, lost: int) -> None:
    """With the files of before, or without any: between deals, and no deal is void for it."""
    sim = absent(1, 24_000, net=net, lost=lost)
    sim.offer(1000, ANNA, BEN)
    sim.agree(1000, CLEO, ANNA, BEN)
    assert played(sim, 1) == ["Struck", "Seated", "Struck", "Seated"]
    assert signers_of(sim, BEN) == (0, 1, 0)
    played_by = makers_of(sim, BEN)
    assert set(played_by.values()) == {0, 1, 2}
    # What the bot played is opened by who runs it; what the player has lost with its files stays closed.
    assert sealed(sim, BEN) == ({deal for deal, who in played_by.items() if who == 0} if lost else set())
    told = "\n".join(audit_lines(audit_all([sim.peers[ANNA].log_bytes], allow_stub=True), ["a log"]))
    assert re.search(r"from entry \d+ to entry \d+ a program with a key of no player sat in for Bot 1", told)
    for struck, then in itertools.pairwise(sim.seen):
        if struck == fx.SeatStruck(BEN, is_stand_in=True) and isinstance(then, fx.Happened):
            # Who makes room does so between deals: none is over for it.
            assert not [event for event in then.events if isinstance(event, DealEnded)]
    # The deal that is on is played to its end, and no other begins meanwhile.
    waited = sim.seen[sim.seen.index(fx.PlayerAsks(BEN)) : sim.seen.index(fx.SeatBack(BEN))]
    happened = [event for sight in waited if isinstance(sight, fx.Happened) for event in sight.events]
    assert not [event for event in happened if isinstance(event, Dealt)]
    assert [peer.session.is_relieved for peer in sim.peers] == [False, False, False, False, True]


@pytest.mark.soak
def test_a_stand_in_that_dies_is_voted_absent_and_followed_by_another() -> None:
    """The match ends with the second, and the player whose files are whole looks on to the end."""
    sim = absent(2, 60_000)
    sim.offer(1000, ANNA, BEN)
    sim.agree(1000, CLEO, ANNA, BEN)
    sim.die(20_000, 4)
    sim.vote(21_000, CLEO, BEN)
    sim.offer(31_000, CLEO, BEN)
    sim.agree(31_000, ANNA, CLEO, BEN)
    assert played(sim, 2)[:4] == ["Struck", "Seated", "Struck", "Seated"]
    assert signers_of(sim, BEN)[:3] == (0, 1, 2)


@pytest.mark.soak
def test_a_stand_in_that_does_not_make_room_keeps_the_seat_and_holds_nobody_up() -> None:
    """It answers each vote against it. The others ask a few times; then the match goes on."""
    sim = absent(1, 24_000)
    sim.offer(1000, ANNA, BEN)
    sim.agree(1000, CLEO, ANNA, BEN)
    sim.deaf_to_pleas.add(4)
    assert played(sim, 1)[:2] == ["Struck", "Seated"]
    assert signers_of(sim, BEN) == (0, 1)
    ben = sim.peers[BEN]
    assert ben.session.play.is_recovering
    # The others have waited for it: who looks on keeps a whole log as well, and tells who sits there what
    # opens its own deals.
    assert audit(ben.log_bytes, allow_stub=True).verdict is Verdict.CLEAN
    assert set(makers_of(sim, BEN).values()) == {0, 1}
    assert sealed(sim, BEN) == set()
    told = "\n".join(audit_lines(audit_all([sim.peers[ANNA].log_bytes], allow_stub=True), ["a log"]))
    assert re.search(r"from entry \d+ to the end a program with a key of no player sat in for Bot 1", told)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200, 230))
def test_many_stand_ins(seed: int) -> None:
    sim = absent(seed, 14_000 + seed % 10 * 2_000, net=ROUGH, lost=FORGETS if seed % 2 else 0)
    sim.offer(1000, ANNA, BEN)
    sim.offer(1000, DAN, BEN)
    sim.agree(1000 + seed % 7 * 50, CLEO, ANNA, BEN)
    sim.agree(1000 + seed % 5 * 50, CLEO, DAN, BEN)
    sim.agree(1000, ANNA, DAN, BEN)
    sim.agree(1000, DAN, ANNA, BEN)
    assert played(sim, seed)[:2] == ["Struck", "Seated"]
