"""Which proofs of deeds a peer has verified, and when it verifies the others.

Knows how to verify, not what follows from it. Invariant:

1. A light proof is verified on the spot, a heavy one by a job, each once.

Section "Deeds" of protocol.md.
"""

from collections.abc import Callable

from kemps_p2p.errors import PeerFault
from kemps_p2p.ledger.entry import Carried, Entry
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.session.dealing import Job, is_light
from kemps_p2p.session.deeds import Offered, can_check, check_of, offered
from kemps_p2p.session.fold import NotVerified, ProofId, Proofs
from kemps_p2p.session.match import Match


class Jobs:
    """Slow work under way, by number; a proof is verified by one job only."""

    def __init__(self) -> None:
        self._under_way: dict[int, Job] = {}
        self._proofs: set[ProofId] = set()
        self._count = 0

    def begin(self, job: Job) -> int | None:
        """The number of a job that is to be done now; None if its proof is verified already."""
        if job.proof is not None:
            if job.proof in self._proofs:
                return None
            self._proofs.add(job.proof)
        self._count += 1
        self._under_way[self._count] = job
        return self._count

    def end(self, number: int) -> Job:
        """The job of a number that has been done."""
        return self._under_way.pop(number)


class Proving:
    """One peer's proofs. `begin` starts a job; `found` is told of proofs that do not hold."""

    def __init__(self, begin: Callable[[Job], None], found: Callable[[PeerFault], None]) -> None:
        self.proofs = Proofs(is_eager=False)
        self._begin = begin
        self._found = found
        self._unverified: list[Offered] = []

    def offer(self, deed: Offered, *, is_own: bool) -> None:
        """Take note of a deed; the own ones hold."""
        if is_own:
            self.proofs.good.add(deed.proof)
        else:
            self._unverified.append(deed)

    def came_to(self, proof: ProofId, outcome: object) -> None:
        """Take in what a job has come to: nothing, or the fault that it raised."""
        if isinstance(outcome, PeerFault):
            self.proofs.bad[proof] = outcome
            self._found(outcome)
        else:
            self.proofs.good.add(proof)

    def recall(self, need: NotVerified, entry: Entry) -> None:
        """A proof in an entry that the own seat has acked: it held then. What is blamed is verified again."""
        if any(isinstance(event, Carried) and event.item == need.proof[0] for event in entry.events):
            self.proofs.good.add(need.proof)
        else:
            self.proofs.run(need.proof, need.check)

    def verify_for(self, need: NotVerified, item: TapeItem) -> bool:
        """Verify the deed of an item that an entry waits for; true if that is done at once."""
        deed = next(deed for deed in offered(item) if deed.proof == need.proof)
        if is_light(deed):
            self._verify_here(need.proof, need.check)
            return True
        self._begin(Job(need.proof, need.check))
        return False

    def verify_offers(self, tip: Match) -> None:
        """Verify what can be verified by now, before an entry asks for it."""
        waiting = []
        for deed in self._unverified:
            if deed.proof in self.proofs.good or deed.proof in self.proofs.bad:
                continue
            if not can_check(tip, deed):
                waiting.append(deed)
            elif is_light(deed):
                self._verify_here(deed.proof, check_of(tip, deed))
            else:
                self._begin(Job(deed.proof, check_of(tip, deed)))
        self._unverified = waiting

    def _verify_here(self, proof: ProofId, check: Callable[[], object]) -> None:
        self.proofs.run(proof, check)
        if proof in self.proofs.bad:
            self._found(self.proofs.bad[proof])
