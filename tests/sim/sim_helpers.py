"""Runs of whole tables in one process, with a referee that stops what must never happen."""

from collections.abc import Iterator

from kemps_p2p.codec import decode
from kemps_p2p.errors import Fault
from kemps_p2p.game.rules import RuleSet, load_rules, override
from kemps_p2p.lab.referee import Referee, describe
from kemps_p2p.ledger.tape import Signed, TapeItem, open_item
from kemps_p2p.runtime.sim import Machine, Sim, Stop, Tamper
from kemps_p2p.runtime.simnet import ROUGH, Net
from kemps_p2p.session.session import Session

STUB = "stub-insecure"
LIMIT_MS = 3_600_000


def short_rules(word: str = "KE") -> RuleSet:
    """Kemps without the time to look, and with a short word."""
    return override(load_rules("kemps"), {"look_ms": 0, "word": word})


def journaled(sim: Sim, seat: int) -> Iterator[TapeItem]:
    """Every item in a peer's journal."""
    play = sim.peers[seat].session.play
    for data in sim.peers[seat].journal[2:]:
        yield open_item(decode(data, Signed), play.founding.match, play.founding.signers)


def play_match(
    seed: int,
    *,
    players: int = 4,
    rules: RuleSet | None = None,
    group: str = STUB,
    net: Net = ROUGH,
    tamper: Tamper | None = None,
    machine: Machine = Session,
    liars: frozenset[int] = frozenset(),
    limit_ms: int = LIMIT_MS,
    stop: Stop | None = Stop.DONE,
    observers: int = 0,
) -> Sim:
    """Run a table under a referee until it stops as it should; None: at its end or at the limit.

    A failure tells the seed and where every peer stands.
    """
    referee = Referee(liars)
    sim = Sim(
        rules=rules or short_rules(),
        players=players,
        seed=seed,
        group=group,
        net=net,
        tamper=tamper,
        machine=machine,
        watch=referee,
        observers=observers,
    )
    referee.sim = sim
    try:
        stopped = sim.run(limit_ms)
    except Exception as error:
        error.add_note(describe(sim, seed))
        raise
    assert stop in (None, stopped), describe(sim, seed)
    return sim


def honest_faults(sim: Sim, liars: frozenset[int] = frozenset()) -> list[list[tuple[Fault, int | None]]]:
    """What each honest peer found, by seat."""
    return [
        [(fault.code, fault.culprit) for fault in peer.faults]
        for seat, peer in enumerate(sim.peers)
        if seat not in liars
    ]
