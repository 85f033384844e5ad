"""What a sequencer has at hand to order: gathered by one module, used up by another. Section "Ordering"."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kemps_p2p.codec import Digest
from kemps_p2p.ledger.claimbook import ClaimBook
from kemps_p2p.ledger.entry import Readmitted, Seated, Struck
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.session.deeds import Offered
from kemps_p2p.session.fold import Proofs
from kemps_p2p.session.match import Match


@dataclass(frozen=True, slots=True)
class Materials:
    """What the sequencer has at hand: all items, the claims it holds, unlogged deeds and proofs of fault.

    `final`: the match as it is final here. `is_all_there`: every seat has been heard of lately. `ties`: when,
    by the elapsed time, a set was first found together that waits for the dealer's word. `strikes`: of whom
    a quorum has waited for in vain; `returns`: of whom is struck and has said that it is back, or
    gets its seat as a new incarnation.
    """

    final: Match
    items: Mapping[Digest, TapeItem]
    book: ClaimBook
    deeds: Mapping[Digest, tuple[Offered, ...]]
    coins: Iterable[TapeItem]
    exhibits: Iterable[tuple[TapeItem, ...]]
    proofs: Proofs
    is_all_there: bool = True
    ties: dict[Digest, int] = field(default_factory=dict)
    overdue: tuple[Digest, ...] = ()
    late_contests: frozenset[int] = frozenset()
    strikes: tuple[Struck, ...] = ()
    returns: tuple[Readmitted | Seated, ...] = ()
