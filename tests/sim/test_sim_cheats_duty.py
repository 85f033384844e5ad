"""A seat that lies while it is its duty to order: no peer acks what it says, and all name it."""

import pytest
from sim_cheats import DUTY, cheated
from sim_helpers import honest_faults

from kemps_p2p.lab.lies_words import ENTRIES
from kemps_p2p.lab.referee import entries_of
from kemps_p2p.ledger.term import doubts_needed
from kemps_p2p.session.takeover import take_over_in


@pytest.mark.parametrize("name", ENTRIES)
def test_a_false_entry_is_acked_by_nobody(name: str) -> None:
    """The next seat takes the duty over and the match goes on to its end; nothing false becomes final."""
    how, code = ENTRIES[name]
    sim = cheated(DUTY, how, limit_ms=60_000)
    assert any(take_over_in(entry) is not None for entry in entries_of(sim))
    heads = {peer.session.play.final.head for seat, peer in enumerate(sim.peers) if seat != DUTY}
    assert len(heads) == 1
    found = honest_faults(sim, frozenset({DUTY}))
    # Whoever has left the term already does not judge its entries any more.
    assert sum((code, DUTY) in faults for faults in found) >= doubts_needed(4)
    assert {culprit for faults in found for _, culprit in faults} == {DUTY}
