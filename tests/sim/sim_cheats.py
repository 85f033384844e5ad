"""What honest peers must make of seats that cheat."""

from functools import lru_cache

from sim_helpers import STUB, honest_faults, journaled, play_match, short_rules

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault
from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Cheat, deeds_in, seated
from kemps_p2p.lab.referee import blames_in, check_whole_match
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.runtime.simnet import PERFECT, ROUGH, Net
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import ShareDeed


@lru_cache(maxsize=64)
def first_on_duty(seed: int) -> Seat:
    """Who orders deal 0 at a table of four: drawn in the lobby, so the same whatever happens later."""
    sim = Sim(rules=short_rules(), players=4, seed=seed, group=STUB, net=PERFECT)
    sim.start()
    while not sim.peers[0].session.has_begun:
        sim.step()
    return sim.peers[0].session.play.tip.on_duty


SEED = 3
DUTY = first_on_duty(SEED)
OTHERS = [seat for seat in range(4) if seat != DUTY]
NOTHING = Digest(bytes(32))


def cheated(
    cheat: int,
    how: Cheat,
    *,
    seed: int = SEED,
    word: str = "K",
    net: Net = ROUGH,
    stop: Stop | None = Stop.DONE,
    limit_ms: int = 60_000,
) -> Sim:
    """A match at whose table one seat cheats."""
    return play_match(
        seed,
        net=net,
        rules=short_rules(word),
        machine=seated({cheat: how}),
        liars=frozenset({cheat}),
        limit_ms=limit_ms,
        stop=stop,
    )


def named(sim: Sim, cheat: int, code: Fault) -> None:
    """Every honest peer found this fault of this seat, and none of another's."""
    for faults in honest_faults(sim, frozenset({cheat})):
        assert (code, cheat) in faults
        assert {culprit for _, culprit in faults} == {cheat}


def refused(sim: Sim, cheat: int, code: Fault, *, deal: int = 0) -> Match:
    """The fault is in the log, the deal is lost for the culprit's team and not a card of it was shown."""
    named(sim, cheat, code)
    return lost(sim, cheat, deal=deal)


def lost(sim: Sim, cheat: int, *, deal: int = 0, liars: frozenset[int] = frozenset()) -> Match:
    """All logs name the culprit, whose team loses the deal before a card of it is shown; the match ends."""
    match = check_whole_match(sim, liars=liars | {cheat})
    for seat in range(4):
        assert [event.culprit for event in blames_in(sim, seat)] == [cheat]
    assert match.spoilt == {deal: cheat % 2}
    assert match.game.phase is Phase.MATCH_OVER
    assert match.game.scores[cheat % 2] >= 1
    assert not shares_of_deal(sim, deal)
    return match


def harmless(sim: Sim, cheat: int) -> Match:
    """The match ends as ever; nobody loses by it, and whoever found a fault names the cheat."""
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert match.game.phase is Phase.MATCH_OVER
    assert blames_in(sim, 0) == []
    for faults in honest_faults(sim, frozenset({cheat})):
        assert {culprit for _, culprit in faults} <= {cheat}
    return match


def shares_of_deal(sim: Sim, deal: int) -> list[ShareDeed]:
    """Every message with shares of a deal, as the peers have written them down."""
    return [
        deed
        for seat in range(4)
        for item in journaled(sim, seat)
        for deed in deeds_in(item)
        if isinstance(deed, ShareDeed) and deed.deal == deal
    ]
