"""What an observer holds, put together with all that all seats but one hold, shows no card too early."""

import pytest
from secrecy_check import Checked, checked
from secrecy_record import How, Piece, Trace, recorded
from secrecy_runs import OPENING_MS
from snoop import Kind

from kemps_p2p.deck.group import RISTRETTO, STUB, Group
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.session.messages import Whisper, read_message

OBSERVER = 4
HONEST = 1


def observed(group: Group) -> tuple[Sim, Trace]:
    """The opening of a match that is observed: hands lie, play has begun, the coming deal is shuffled."""
    trace = Trace()
    rules = override(load_rules("kemps"), {"look_ms": 0, "word": "K"})
    sim = Sim(rules=rules, players=4, seed=1, group=group.name, machine=recorded(trace), observers=1)
    assert sim.run(OPENING_MS) is Stop.TIME
    return sim, trace


@pytest.fixture(scope="module")
def match() -> tuple[Sim, Checked]:
    """The observer's own secret is held like anything else: it has no part in a deck."""
    sim, trace = observed(RISTRETTO)
    pieces = [
        Piece(at=piece.at, seat=piece.seat, how=How.HEARD, data=piece.data)
        if (piece.seat, piece.how) == (OBSERVER, How.SECRET)
        else piece
        for piece in trace.pieces
    ]
    return sim, checked(Trace(pieces), (HONEST,))


@pytest.mark.soak
def test_nothing_is_known_before_it_is_due(match: tuple[Sim, Checked]) -> None:
    done = match[1]
    assert done.early(HONEST) == []
    assert any(found.kind is Kind.SHARE for found in done.snoops.of(HONEST)), "the snoop is not blind"


@pytest.mark.soak
def test_the_observer_holds_what_the_seats_hold_of_the_match(match: tuple[Sim, Checked]) -> None:
    """Else there would be nothing to snoop on."""
    sim, done = match
    log = sim.peers[OBSERVER].log
    assert log[:8] == sim.peers[HONEST].log[:8]
    assert len(done.trace.of(OBSERVER, How.JOURNAL)) > 20


def test_no_whisper_comes_to_the_observer() -> None:
    _, trace = observed(STUB)
    heard = [piece for piece in trace.pieces if piece.how is How.HEARD]
    whispers = {piece.seat for piece in heard if isinstance(read_message(piece.data), Whisper)}
    assert whispers == {0, 1, 2, 3}
    assert OBSERVER in {piece.seat for piece in heard}
