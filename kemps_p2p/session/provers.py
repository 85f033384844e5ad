"""The proofs of one log, verified by several at once: each takes its share and believes the rest for now.

What a proof has to hold against follows from the entries before it, so each folds the whole log; that costs
little beside the proofs. Whoever audits puts the shares together. Knows of no processes. Invariants:

1. Nothing rests on belief: an audit counts only what somebody has verified, and folds again where what it
   believed does not hold, or nobody has verified it.

Section "Log" of protocol.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.session.fold import ProofId, Proofs


@dataclass(frozen=True, slots=True)
class Share:
    """Every proof of a log whose number leaves `index` when divided by `count`."""

    index: int
    count: int


@dataclass(frozen=True, slots=True)
class Wrong:
    """A proof that does not hold: the fault of it, in a form that travels between processes."""

    code: Fault
    text: str
    culprit: int | None


@dataclass(frozen=True, slots=True)
class Proven:
    """What one has verified."""

    good: frozenset[ProofId]
    bad: Mapping[ProofId, Wrong]


@dataclass(slots=True)
class SharedProofs(Proofs):
    """Proofs of which one share is verified; `assumed` are the others that were asked for."""

    is_eager: bool = True
    share: Share = field(kw_only=True)
    assumed: set[ProofId] = field(default_factory=set, kw_only=True)

    def require(self, proof: ProofId, check: Callable[[], object]) -> None:
        """Verify a proof of the own share; believe any other."""
        if proof in self.assumed:
            return
        is_known = proof in self.good or proof in self.bad
        number = len(self.good) + len(self.bad) + len(self.assumed)
        if is_known or number % self.share.count == self.share.index:
            # The class is made anew for its slots, so that a bare `super()` would not know it.
            Proofs.require(self, proof, check)
        else:
            self.assumed.add(proof)

    def proven(self) -> Proven:
        """What has been verified, to be sent to whoever audits."""
        bad = {proof: Wrong(fault.code, fault.text, fault.culprit) for proof, fault in self.bad.items()}
        return Proven(frozenset(self.good), bad)


class Helpers(Protocol):
    """Others who verify shares of the proofs of a log, each with `prove_share`."""

    def start(self, log: bytes) -> Sequence[Callable[[], Proven]]:
        """Hand out all shares but the first; each of what is returned waits for one and gives it."""


def together(shares: Iterable[Proven]) -> Proofs:
    """All that several have verified."""
    known = Proofs(is_eager=True)
    for share in shares:
        known.good |= share.good
        known.bad |= {
            proof: PeerFault(wrong.code, wrong.text, culprit=wrong.culprit)
            for proof, wrong in share.bad.items()
        }
    return known
