"""What an audit costs beyond the verifications that nobody can do without."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from kemps_p2p.deck.group import RISTRETTO
from kemps_p2p.errors import KempsError
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.ledger.entry import Carried
from kemps_p2p.ledger.identity import forget_verified, verify
from kemps_p2p.ledger.tape import ITEM_LABEL
from kemps_p2p.runtime.crew import Crew
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.session.audit import Audit, Verdict, audit, audit_all
from kemps_p2p.session.deeds import check_of, offered

SEED = 5
REPEATS = 3
DEALS = 12
WORD = "KEMPSKEMPSKEMPSK"
"""Long enough for a match to reach its limit of deals."""


@dataclass(frozen=True, slots=True)
class AuditBench:
    """Least of some repeats, in turn. `bare_seconds`: signatures and proofs of the same log alone, by one
    process; `jobs_seconds`: the audit by two, whose start is in it.
    """

    players: int
    deals: int
    entries: int
    signatures: int
    proofs: int
    seconds: float
    bare_seconds: float
    ratio: float
    jobs_seconds: float
    jobs_ratio: float


def bench_audit(players: int, progress: Callable[[str], None]) -> AuditBench:
    """Audit the log of a simulated match with real proofs, and time its verifications by themselves."""
    progress("playing a match")
    rules = override(load_rules("kemps"), {"word": WORD, "deal_limit": DEALS})
    sim = Sim(rules=rules, players=players, seed=SEED, group=RISTRETTO.name)
    if sim.run() is not Stop.DONE:
        raise KempsError("the simulated match came to no end")
    log = sim.peers[0].log_bytes
    checked = audit(log)
    if checked.verdict is not Verdict.CLEAN:
        raise KempsError(f"the log of the simulated match is {checked.verdict.value}")
    signatures, proofs = _verifications(checked)
    audits: list[float] = []
    bares: list[float] = []
    helped: list[float] = []
    for repeat in range(REPEATS):
        progress(f"audit {repeat + 1} of {REPEATS}")
        audits.append(_seconds([partial(audit, log)]))
        bares.append(_seconds([*signatures, *proofs]))
        helped.append(_seconds([partial(_by_two, log)]))
    return AuditBench(
        players=players,
        deals=checked.deals,
        entries=len(checked.steps),
        signatures=len(signatures),
        proofs=len(proofs),
        seconds=round(min(audits), 3),
        bare_seconds=round(min(bares), 3),
        ratio=round(min(audits) / min(bares), 3),
        jobs_seconds=round(min(helped), 3),
        jobs_ratio=round(min(helped) / min(bares), 3),
    )


def _by_two(log: bytes) -> None:
    with Crew(2) as crew:
        audit_all([log], helpers=crew)


def _seconds(acts: list[Callable[[], object]]) -> float:
    forget_verified()
    began = perf_counter()
    for act in acts:
        act()
    return perf_counter() - began


def _verifications(checked: Audit) -> tuple[list[Callable[[], object]], list[Callable[[], object]]]:
    """Every signature of every item in the log, each once, and every proof of every deed."""
    assert checked.founding is not None, "a clean log has a genesis"
    keys = checked.founding.keys
    signatures: dict[bytes, Callable[[], object]] = {}
    proofs: list[Callable[[], object]] = []
    for step in checked.steps:
        for item in (step.record.item, *step.record.items.values()):
            signed = item.signed
            signatures[item.digest] = partial(
                verify, keys[item.seat], ITEM_LABEL, signed.raw, signed.signature
            )
        for event in step.record.entry.events:
            if isinstance(event, Carried):
                deeds = offered(step.record.items[event.item])
                proofs.extend(check_of(step.match, deed) for deed in deeds)
    return list(signatures.values()), proofs
