"""A seat that reads its journal again: back to where it stood, and when it may speak.

Knows tapes and entries, no files and no deck. Invariants:

1. Nothing is written until a quorum of other seats holds no more of the own tape than this peer does, and if
   its journal is gone or behind its log, all that are not absent: what was said before and lost here comes
   back from them, so that no number is used twice.
2. A peer whose secrets are not those of its seat says nothing either, before the seat is given to it.
3. What the own seat stands for, or has logged, is not judged again, only folded: it was judged before.

Section "Journal and log" of protocol.md.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kemps_p2p.codec import Digest
from kemps_p2p.errors import PeerFault, RuntimeFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import quorum
from kemps_p2p.ledger.tape import Ack, Claim, Head
from kemps_p2p.ledger.tapebook import TapeBook
from kemps_p2p.session.chain import Accepted, Chain
from kemps_p2p.session.dealing import Dealing
from kemps_p2p.session.fold import NotVerified
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.handover import HandingOver
from kemps_p2p.session.holding import Holding
from kemps_p2p.session.pacing import Pacing
from kemps_p2p.session.proving import Proving
from kemps_p2p.session.tapecheck import readable_entry


@dataclass(frozen=True, slots=True)
class Parts:
    """What of a seat has to be brought back."""

    tapes: TapeBook
    chain: Chain
    handing: HandingOver
    holding: Holding
    proving: Proving
    dealing: Dealing
    pacing: Pacing


class Recovery:
    """One seat on its way back; until `begin` there is nothing to recover from."""

    def __init__(self, seat: Seat, founding: Founding, parts: Parts) -> None:
        self._seat = seat
        self._founding = founding
        self._parts = parts
        self._agree: set[Seat] = set()
        self._has_lost = False
        self.is_under_way = False

    def begin(self) -> None:
        """What comes from now on was said before, if it is of the own tape."""
        self.is_under_way = True
        self._agree.clear()

    def begin_without_journal(self) -> None:
        """The same, where what was said before is lost here, and one other alone may hold the last of it."""
        self._has_lost = True
        self.begin()

    @property
    def stand(self) -> tuple[int, Head] | None:
        """The last entry that the own seat stands for, with its term; None for an observer."""
        is_seated = self._seat != self._founding.observer
        return self._parts.handing.terms.stand(self._seat) if is_seated else None

    def follow_log(self, logged: Sequence[Digest], follow: Callable[[Accepted], None], now_ms: int) -> bool:
        """Fold the entries that are `logged`, as far as they are here: they are final. True if all are.

        A power cut may have taken some from the journal; those of a new incarnation have yet to be let in.
        `follow` is told of each. Raises `RuntimeFault` for one that does not hold.
        """
        chain, end = self._parts.chain, self._parts.chain.tip.head.index
        while end < len(logged) and logged[end] in self._parts.tapes.by_digest:
            end += 1
        if chain.tip.head.index < end:
            try:
                chain.aim(Head(index=end, digest=logged[end - 1]))
            except PeerFault as fault:
                raise RuntimeFault(f"the log is not what the journal leads to: {fault}") from None
            self._follow_path(follow, now_ms)
        # The acks that made them final may be of entries behind them, which are not folded here yet.
        chain.logged_index = min(len(logged), chain.tip.head.index)
        return chain.logged_index == len(logged)

    def compare(self, logged_count: int) -> None:
        """Note whether the journal reaches the end of the log.

        Without its secret a peer says nothing at numbers that another incarnation may have used.
        """
        self._has_lost = self.is_seated and self._parts.chain.logged_index < logged_count

    def follow_stand(self, follow: Callable[[Accepted], None], now_ms: int) -> None:
        """Fold the entries up to the one that the own seat stands for, behind those that are final.

        Raises `RuntimeFault` if what it has acked does not hold.
        """
        chain = self._parts.chain
        for head in self._stood_for():
            if head.index <= chain.tip.head.index:
                continue
            try:
                chain.aim(head)
            except PeerFault:
                # A quorum has left it out: the table has gone on in a term that this seat had left.
                continue
            self._follow_path(follow, now_ms)

    def _stood_for(self) -> Iterator[Head]:
        """What the own seat stands for, and what it has stood for before, the latest first.

        The way to the latest may lead by entries of a new incarnation that has yet to be let in here.
        """
        if self.stand is None:
            return
        yield self.stand[1]
        for item in reversed(self._parts.tapes.of(self._seat)):
            yield from (said.head for said in item.item.body if isinstance(said, Ack))
            if (entry := readable_entry(item)) is not None:
                yield Head(index=entry.index, digest=item.digest)

    def _follow_path(self, follow: Callable[[Accepted], None], now_ms: int) -> None:
        chain, joined = self._parts.chain, self._parts.handing.joined
        try:
            while (entry := chain.led_to) is not None:
                try:
                    accepted = chain.accept_next(joined, now_ms)
                except NotVerified as need:
                    self._parts.proving.recall(need, entry)
                    continue
                if accepted is None:
                    return
                follow(accepted)
        except PeerFault as fault:
            raise RuntimeFault(
                f"the journal holds an entry that was acked and does not hold: {fault}"
            ) from None

    def reckon(self, now_ms: int, wall_ms: int, begun_wall_ms: int) -> None:
        """Set the clock of the match: the less by two wall clocks, since pauses do not count."""
        tip = self._parts.chain.tip
        item = self._parts.tapes.by_digest.get(tip.head.digest)
        entry = None if item is None else readable_entry(item)
        since_ms = 0 if entry is None else max(0, wall_ms - entry.wall_ms)
        elapsed_ms = min(wall_ms - begun_wall_ms, tip.elapsed_ms + since_ms)
        self._parts.pacing.reckon(max(tip.elapsed_ms, elapsed_ms), now_ms)

    def restart_claims(self) -> None:
        """Hold what can be held where the seat stands now."""
        self._parts.holding.restart(self._parts.tapes.by_digest.values())
        self._parts.chain.mark_book()

    def hear(self, sender: Seat, length: int, own_length: int) -> None:
        """Another peer says how much of the own tape it holds."""
        if self.is_under_way and sender < self._founding.seats and sender != self._seat:
            if length <= own_length:
                self._agree.add(sender)
            else:
                self._agree.discard(sender)

    def ends(self) -> bool:
        """Speak again, if the own tape is whole and everything that it rests on is here."""
        if not self.is_whole or not self.is_seated or not self._is_caught_up():
            return False
        self.is_under_way = self._has_lost = False
        self._parts.holding.recall(self._parts.tapes.of(self._seat))
        return True

    @property
    def is_whole(self) -> bool:
        """True once enough others hold no more of the own tape than this peer does."""
        others = set(map(Seat, range(self._founding.seats))) - {self._seat}
        waited_for = others - self._parts.chain.final.absent.keys() if self._has_lost else set()
        return len(self._agree) >= quorum(self._founding.seats) and self._agree >= waited_for

    @property
    def is_seated(self) -> bool:
        """False while the own seat is another incarnation's: one whose files are lost, or a holder's."""
        is_observer = self._seat == self._founding.observer
        return is_observer or self._parts.dealing.has_chain(self._parts.chain.final)

    def _is_caught_up(self) -> bool:
        tip, final, stand = self._parts.chain.tip, self._parts.chain.final, self.stand
        if stand is not None and stand[0] >= tip.head_term and stand[1].index > tip.head.index:
            return False
        own = self._parts.tapes.of(self._seat)
        cited = (said.head.index for item in own for said in item.item.body if isinstance(said, Claim))
        return max(cited, default=0) <= final.head.index

    def acked_index(self) -> int:
        """Up to where the own seat has acked, in the term of the tip."""
        stand = self.stand
        return stand[1].index if stand is not None and stand[0] >= self._parts.chain.tip.head_term else 0
