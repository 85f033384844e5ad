"""All others together, with every message and file of theirs, read no hidden card before it is due."""

import pytest
from secrecy_check import Checked
from secrecy_record import How
from secrecy_runs import snooped_match
from snoop import Kind

from kemps_p2p.ids import Seat
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.session.opening import opened_deals

SEATS = range(4)


@pytest.fixture(scope="module")
def match() -> tuple[Sim, Checked]:
    """A match with real cryptography, snooped on from every side."""
    return snooped_match()


@pytest.mark.parametrize("honest", SEATS)
def test_nothing_is_known_before_it_is_due(match: tuple[Sim, Checked], honest: int) -> None:
    assert match[1].early(honest) == []


@pytest.mark.parametrize("honest", SEATS)
def test_the_snoop_reads_exactly_what_is_due_by_shares(match: tuple[Sim, Checked], honest: int) -> None:
    """It is not blind: what was due before the seeds were opened, it has read, and nothing else."""
    done = match[1]
    told = done.dues[honest]
    assert told.over_at is not None
    due = {place for place, at in told.against(honest).items() if at < told.over_at}
    assert len(due) >= 12 + 4
    by_shares = [each for each in done.snoops.of(honest) if each.kind is Kind.SHARE]
    assert {(each.deal, each.position) for each in by_shares} == due
    assert len(due) < 52, "something stayed hidden until the end"


@pytest.mark.parametrize("honest", SEATS)
def test_what_the_snoop_reads_is_what_lies_there(match: tuple[Sim, Checked], honest: int) -> None:
    sim, done = match
    truth = opened_deals(sim.peers[0].session.play.final)
    read = [each for each in done.snoops.of(honest) if each.position is not None]
    assert {(each.deal, each.position, each.card) for each in read} == {
        (deal, position, int(card)) for deal, faces in truth.items() for position, card in faces.items()
    }
    opened = [each for each in read if each.kind is Kind.SEED]
    assert len(opened) == 52, "an opened seed opens all"


def test_the_coming_deck_stays_closed(match: tuple[Sim, Checked]) -> None:
    """The deal that was shuffled ahead and never dealt is among what was snooped on."""
    sim, done = match
    coming = sim.peers[0].session.play.final.coming_deal
    assert coming in {chain.deal for chain in done.snoops.decks.chains}
    assert done.snoops.decks.unlinked == 0
    assert all(each.deal != coming for seat in SEATS for each in done.snoops.of(seat))


def test_the_record_is_complete(match: tuple[Sim, Checked]) -> None:
    """Every message that was sent was heard, and the files are those that the peers wrote."""
    sim, done = match
    trace = done.trace
    said = {piece.data for seat in SEATS for piece in trace.of(seat, How.SAID)}
    heard = {piece.data for seat in SEATS for piece in trace.of(seat, How.HEARD)}
    assert heard <= said
    assert len(said - heard) <= len(SEATS), "but for the last farewells"
    for seat in map(Seat, SEATS):
        peer = sim.peers[seat]
        assert [piece.data for piece in trace.of(seat, How.JOURNAL)] == peer.journal
        assert [piece.data for piece in trace.of(seat, How.LOG)] == peer.log
