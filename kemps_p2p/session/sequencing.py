"""What one peer has at hand to order, and when time alone brings something to order.

Every peer can tell, on duty or not: so it sees what a sequencer leaves undone. Knows no sockets.
Section "Ordering" of protocol.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kemps_p2p.codec import Digest
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.claimbook import ClaimBook
from kemps_p2p.ledger.entry import Event
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.session.chain import Chain
from kemps_p2p.session.exhibits import Exhibits
from kemps_p2p.session.fold import Proofs
from kemps_p2p.session.materials import Materials
from kemps_p2p.session.ordering import compose
from kemps_p2p.session.pacing import HEARD_MS
from kemps_p2p.session.unlogged import Unlogged
from kemps_p2p.session.waits import Waits


@dataclass(frozen=True, slots=True)
class AtHand:
    """What the next entry is made of. `coins`: all items with coins that have come."""

    items: Mapping[Digest, TapeItem]
    book: ClaimBook
    unlogged: Unlogged
    coins: Sequence[TapeItem]
    exhibits: Exhibits
    proofs: Proofs


@dataclass(slots=True)
class Sequencing:
    """One peer's view of the duty. `ties`: since when sets wait for the dealer's word."""

    seat: Seat
    chain: Chain
    at_hand: AtHand
    waits: Waits
    composed_at_ms: int
    ties: dict[Digest, int] = field(default_factory=dict)

    def materials(self, now_ms: int) -> Materials:
        """What there is, as `compose` takes it."""
        tip, at_hand, patience = self.chain.tip, self.at_hand, self.waits.patience
        contests = (opened.index for opened in tip.contests)
        return Materials(
            self.chain.final,
            at_hand.items,
            at_hand.book,
            at_hand.unlogged.deeds,
            at_hand.coins,
            at_hand.exhibits.proofs,
            at_hand.proofs,
            self.waits.pacing.is_all_there(tip, HEARD_MS, now_ms),
            self.ties,
            overdue=patience.overdue(tip, now_ms),
            strikes=tuple(self.waits.silence.strikes(tip, self.chain.final)),
            returns=(*self.waits.silence.returns(tip), *self.waits.seating.seatings(tip)),
            late_contests=frozenset(index for index in contests if patience.is_coin_overdue(index, now_ms)),
        )

    def events(self, elapsed_ms: int, now_ms: int) -> tuple[Event, ...]:
        """The events of the next entry; none if there is nothing to order."""
        return compose(self.chain.tip, self.seat, self.materials(now_ms), elapsed_ms)

    def is_due(self, now_ms: int) -> bool:
        """True if time alone may have brought something to order."""
        if self.ties:
            return True
        tip, pacing = self.chain.tip, self.waits.pacing
        dues = (
            pacing.play_due_ms(tip),
            pacing.pass_due_ms(tip),
            pacing.opening_due_ms,
            self.waits.patience.due_ms(tip),
        )
        return any(due is not None and now_ms >= due for due in dues)

    @property
    def due_ms(self) -> int | None:
        """When time alone changes something here; None if it is not known."""
        tip = self.chain.tip
        patience_ms = self.waits.patience.due_ms(tip) if tip.on_duty == self.seat else None
        # What was due when this seat last tried waits for news: asking again at once would not help.
        is_ahead = patience_ms is not None and patience_ms > self.composed_at_ms
        dues = (self.waits.pacing.play_due_ms(tip), patience_ms if is_ahead else None)
        return min((due for due in dues if due is not None), default=None)
