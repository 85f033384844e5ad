"""What one peer can prove of others: kept until an entry has blamed it, and passed on so that all can.

It decides nothing: what is a fault the fold says. Section "Evidence" of protocol.md.
"""

from collections.abc import Callable, Collection

from kemps_p2p.codec import Digest, decode
from kemps_p2p.errors import PeerFault
from kemps_p2p.ledger.evidence import Equivocation
from kemps_p2p.ledger.tape import Signers, TapeItem, open_item
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.observing import is_out_of_place


class Exhibits:
    """One peer's proofs, at most one of each culprit. `shown`: the items of all that were ever passed on;
    `signers`: of the tapes as they are now.
    """

    def __init__(self, founding: Founding, signers: Callable[[], Signers]) -> None:
        self._founding = founding
        self._signers = signers
        self.proofs: list[tuple[TapeItem, ...]] = []
        self.shown: dict[Digest, TapeItem] = {}

    def take(self, fault: PeerFault) -> tuple[TapeItem, ...]:
        """Keep the two items that prove an equivocation, and return them if they are news."""
        if not fault.evidence or self._has_proof_of(fault.culprit):
            return ()
        evidence = decode(fault.evidence, Equivocation)
        pair = tuple(
            open_item(signed, self._founding.match, self._signers())
            for signed in (evidence.first, evidence.second)
        )
        self.proofs.append(pair)
        self.shown.update({item.digest: item for item in pair})
        return pair

    def take_observed(self, item: TapeItem) -> None:
        """Keep an observer's item that says more than it may: by itself it is proof enough."""
        if (
            item.seat == self._founding.observer
            and is_out_of_place(item)
            and not self._has_proof_of(item.seat)
        ):
            self.proofs.append((item,))

    def take_again(self, proof: tuple[TapeItem, ...]) -> None:
        """The entry that blamed these items has given way."""
        if not self._has_proof_of(proof[0].seat):
            self.proofs.append(proof)

    def drop(self, names: Collection[Digest]) -> None:
        """An entry has blamed these items."""
        self.proofs = [proof for proof in self.proofs if all(item.digest not in names for item in proof)]

    def _has_proof_of(self, culprit: int | None) -> bool:
        return any(proof[0].seat == culprit for proof in self.proofs)
