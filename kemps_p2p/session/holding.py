"""The claims as one peer holds them: which can be held, which are undecided, and its own words about them.

Knows the rules of holding, not what an entry makes of a claim. Invariants:

1. A claim is held only once the head that it cites is final here, and gets one receipt then.
2. A receipt or claim names every undecided rival that stands before it on the own tape.

Section "Tape" of protocol.md.
"""

from collections.abc import Callable, Iterable, Iterator, Set

from kemps_p2p.codec import Digest
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Action, Kind, kind
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.claimbook import ClaimBook, HeldClaim, Hold
from kemps_p2p.ledger.tape import Claim, Receipt, Statement, TapeItem
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.match import Match, action_of, do_conflict, refusal


def asked(held: HeldClaim) -> tuple[Seat, Action]:
    """Who wants what."""
    return held.seat, action_of(held.item, held.claim)


def has_calls(book: ClaimBook, logged: Set[Digest] = frozenset()) -> bool:
    """True while a lawful call is undecided, and not logged meanwhile."""
    return any(
        held.kind is Kind.CALL and not held.is_refused and held.id not in logged
        for held in book.undecided.values()
    )


class Holding:
    """One peer's claims. `tip`, `final`: the match as it is now; `found` is told of false claims."""

    def __init__(
        self,
        seat: Seat,
        founding: Founding,
        *,
        tip: Callable[[], Match],
        final: Callable[[], Match],
        found: Callable[[PeerFault], None],
    ) -> None:
        self._seat = seat
        self._tip = tip
        self._final = final
        self._found = found
        self.owed: list[HeldClaim] = []
        """The claims that a receipt is due for, in the order in which they were held."""
        self.book = ClaimBook(
            founding.seats,
            self._hold,
            self._conflict,
            founding.decide,
            tapes=founding.tapes,
            observer=lambda: tip().observer,
        )

    def advance(self) -> None:
        """Hold what can be held by now; what others claim gets a receipt."""
        for held in self.book.advance():
            if held.seat != self._seat and not self.book.is_on(self._seat, held.id):
                self.owed.append(held)

    def restart(self, items: Iterable[TapeItem]) -> None:
        """Begin again at another tip; what has a receipt on the own tape gets no other."""
        count = self.book.held_count
        self.owed.clear()
        self.book.restart(items)
        self.advance()
        # They are the same claims, which owe nobody more words than before.
        self.book.held_count = count

    def recall(self, own: Iterable[TapeItem]) -> None:
        """What the own tape shows to have been receipted gets no other receipt, wherever it stands there."""
        given = {said.claim for item in own for said in item.item.body if isinstance(said, Receipt)}
        self.owed = [held for held in self.owed if held.id not in given]

    def own(self) -> list[HeldClaim]:
        """The own undecided claims."""
        return [held for held in self.book.undecided.values() if held.seat == self._seat]

    def receipts(self) -> Iterator[Statement]:
        """Receipts for the newly held claims, each naming the undecided rivals before it on this tape."""
        before: set[Digest] = set()
        for held in self.owed:
            rivals = self.book.rivals_on(self._seat, held.id, before)
            before.add(held.id)
            yield Receipt(claim=held.id, rivals=rivals)
        self.owed.clear()

    def rivals_of(self, action: Action) -> tuple[Digest, ...]:
        """The undecided claims that a claim of the own seat for this action would conflict with."""
        act = self._seat, action
        return self.book.rivals_of(self._seat, lambda held: do_conflict(self._tip(), act, asked(held)))

    def _hold(self, item: TapeItem, claim: Claim) -> HeldClaim | Hold:
        """The claim as held: not before the head it cites is final here, and never against another chain."""
        if claim.head.index > self._final().head.index:
            return Hold.LATER
        tip = self._tip()
        try:
            reason = refusal(tip, item, claim)
        except PeerFault as fault:
            self._found(fault)
            return Hold.NEVER
        what = kind(action_of(item, claim))
        last = tip.logged.get((item.seat, what))
        if last is not None and item.item.number <= last.number:
            # A forked tape has two claims in one place, and one of them is logged.
            return Hold.NEVER
        is_refused = reason is not None or (
            what is not Kind.FREE and self.book.earlier_of_kind(item.seat, what, item.item.number)
        )
        return HeldClaim(item, claim, what, is_refused)

    def _conflict(self, a: HeldClaim, b: HeldClaim) -> bool:
        return do_conflict(self._tip(), asked(a), asked(b))
