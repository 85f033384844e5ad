"""A seat that lies while it is its duty to order: no peer acks what it says, and all name it."""

import pytest
from sim_cheats import DUTY, cheated
from sim_helpers import honest_faults

from kemps_p2p.lab.lies_words import ENTRIES
from kemps_p2p.runtime.sim import Stop


@pytest.mark.parametrize("name", ENTRIES)
def test_a_false_entry_is_acked_by_nobody(name: str) -> None:
    """The table stalls, since no other seat takes the duty over yet; but nothing false becomes final."""
    how, code = ENTRIES[name]
    sim = cheated(DUTY, how, stop=Stop.TIME, limit_ms=20_000)
    heads = {peer.session.play.final.head for seat, peer in enumerate(sim.peers) if seat != DUTY}
    assert len(heads) == 1
    for faults in honest_faults(sim, frozenset({DUTY})):
        assert (code, DUTY) in faults
        assert {culprit for _, culprit in faults} == {DUTY}
