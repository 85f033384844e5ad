"""What a seat of a running match holds, and how items come in: to tapes, poll, chain and deck.

It says nothing and orders nothing. Invariants:

1. What follows its tape is appended to the journal before anything is made of it.
2. Whatever bytes come in, `receive` raises nothing: faults become effects.

Section "Session" of protocol.md.
"""

from collections import ChainMap
from collections.abc import Sequence

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Gesture
from kemps_p2p.game.views import SeatView, seat_view
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import Coin
from kemps_p2p.ledger.tape import (
    Ack,
    Agreed,
    Append,
    Back,
    Claim,
    CoinReveal,
    Deed,
    HandOver,
    Join,
    Receipt,
    Signed,
    Statement,
    Suspect,
    TapeItem,
    Unheard,
    item_digest,
    open_item,
    tape_writer,
)
from kemps_p2p.ledger.tapebook import TapeBook
from kemps_p2p.session import effects as fx
from kemps_p2p.session.answers import Answering
from kemps_p2p.session.chain import Chain
from kemps_p2p.session.dealing import Dealing, Job
from kemps_p2p.session.deeds import ReadItem, read_item
from kemps_p2p.session.exhibits import Exhibits
from kemps_p2p.session.foretelling import Foretold
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.handover import HandingOver
from kemps_p2p.session.holding import Holding
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.match import Match, begin
from kemps_p2p.session.observing import check_words
from kemps_p2p.session.offers import Offers
from kemps_p2p.session.pacing import Pacing
from kemps_p2p.session.patience import Patience
from kemps_p2p.session.proving import Jobs, Proving
from kemps_p2p.session.recovery import Parts, Recovery
from kemps_p2p.session.rivals import Rivals
from kemps_p2p.session.seating import Pen, Seating
from kemps_p2p.session.sequencing import AtHand, Sequencing
from kemps_p2p.session.silence import Silence
from kemps_p2p.session.unlogged import Unlogged
from kemps_p2p.session.waits import Waits


class Hearing:
    """The parts of one seat, and its ears. `_effects`: to be carried out; `_to_send`: items to pass on."""

    def __init__(
        self, setup: Setup, founding: Founding, coins: tuple[Coin, ...], now_ms: int, wall_ms: int
    ) -> None:
        self.seat = setup.seat
        self.founding = founding
        self._wall_offset_ms = wall_ms - now_ms
        self._writer = tape_writer(founding.match, setup.seat, setup.identity)
        self.tapes = TapeBook(founding.tapes)
        self._holding = Holding(
            setup.seat, founding, tip=lambda: self.tip, final=lambda: self.final, found=self._found
        )
        self._book = self._holding.book
        self._proving = Proving(self._begin, self._found)
        self._proofs = self._proving.proofs
        self._dealing = Dealing(setup.seat, setup.secret, coins)
        self._pen = Pen(setup.identity, setup.secret, founding.match, setup.seat)
        self.books = self._dealing.books
        self._answering = Answering(setup.seat)
        self._coins: list[TapeItem] = []
        self._exhibits = Exhibits(founding, lambda: self.final.signers)
        self._unlogged = Unlogged(self._exhibits)
        self._items = ChainMap(self.tapes.by_digest, self._exhibits.shown)
        self.pacing = Pacing(now_ms, setup.seat, founding.tapes)
        self._silence = Silence(setup.seat, founding, self.tapes, self.pacing)
        self._patience = Patience(self._book, self._coins)
        self._seating = Seating(setup.seat, founding, self.tapes)
        self.offers = Offers(setup.seat, setup.identity, self._seating)
        waits = Waits(self.pacing, self._patience, self._silence, self._seating)
        self._chain = Chain(
            begin(founding), setup.seat, self._book, self._proofs, items=self._items, waits=waits
        )
        self._handing = HandingOver(setup.seat, self._chain.tip, self.pacing, now_ms)
        self._to_say: list[Statement] = []
        self._foretold = Foretold(setup.seat)
        self._rivals = Rivals(setup.seat)
        self._to_send: list[Signed] = []
        self._acked_index = self._proposed_index = 0
        self._jobs = Jobs()
        parts = Parts(
            self.tapes,
            self._chain,
            self._handing,
            self._holding,
            self._proving,
            self._dealing,
            self.pacing,
        )
        self._recovery = Recovery(setup.seat, founding, parts)
        if setup.has_sat:
            # The others hold what it has said.
            self._recovery.begin_without_journal()
        self._effects: list[fx.Effect] = []
        self._final_is_new = self._deck_is_new = self._order_is_new = True
        at_hand = AtHand(self._items, self._book, self._unlogged, self._coins, self._exhibits, self._proofs)
        self._sequencing = Sequencing(setup.seat, self._chain, at_hand, waits, now_ms)
        self.is_busy = False
        self._seen: tuple[Match, SeatView] | None = None

    # What is known

    @property
    def tip(self) -> Match:
        """The fold of all accepted entries."""
        return self._chain.tip

    @property
    def final(self) -> Match:
        """The fold of all final entries."""
        return self._chain.final

    @property
    def is_seated(self) -> bool:
        """False for an observer: it gives receipts and no more."""
        return self.seat != self.founding.observer

    @property
    def is_recovering(self) -> bool:
        """True while a seat that has come back says nothing yet."""
        return self._recovery.is_under_way

    def view(self) -> SeatView:
        """What this seat may see: the final state, and the faces of its own cards."""
        final = self.final
        if self._seen is None or self._seen[0] is not final:
            hand = final.game.hands[self.seat] if final.game.hands else ()
            self._seen = final, seat_view(final.game, self.seat, self._dealing.faces(final, hand))
        return self._seen[1]

    @property
    def due_ms(self) -> int | None:
        """When time alone changes something here; None if it is not known."""
        return self._sequencing.due_ms

    def receive(self, items: Sequence[Signed], now_ms: int) -> None:
        """Take items in, of whichever tapes; `flush` says what follows."""
        for signed in items:
            digest = item_digest(signed)
            if self.tapes.is_known(digest):
                continue
            try:
                item = open_item(signed, self.founding.match, self.final.signers, digest)
            except PeerFault as fault:
                # That of an incarnation which is not let in here yet comes again; an old one has ended.
                if fault.code is not Fault.OTHER_INCARNATION:
                    self._found(fault)
            else:
                self._take(item, now_ms)

    # Items in

    def _take(self, item: TapeItem, now_ms: int) -> None:
        added = self.tapes.add(item, now_ms)
        for following in added.released:
            self._effects.append(fx.Append(fx.File.JOURNAL, encode(following.signed)))
            self._writer.see(following.item.lamport)
            if self.is_recovering and following.seat == self.seat:
                self._writer.go_on_behind(following)
            try:
                check_words(self.founding.observer, following)
                read = read_item(following)
            except PeerFault as fault:
                self._book.pass_over(following)
                self._exhibits.take_observed(following)
                self._order_is_new = True
                self._found(fault)
            else:
                self._route(following, read)
        for found in added.faults:
            self._found(found)

    def _route(self, item: TapeItem, read: ReadItem) -> None:
        self._book.follow(item)
        said = self._handing.terms.follow(item, read.entry)
        for fault in said.faults:
            self._found(fault)
        for ack in said.acks:
            self._chain.add_ack(item.seat, ack)
        for statement in item.item.body:
            match statement:
                case Ack():
                    continue
                case CoinReveal():
                    self._coins.append(item)
                    if item.seat == self.seat:
                        self._dealing.recall_coin(statement)
                case Unheard():
                    is_told = self._silence.hear(item, statement)
                    # Of who makes room for the player only that is told.
                    if is_told and not self._seating.is_asked_back(statement.seat, self.final):
                        self._effects.append(fx.Show(fx.VotedAbsent(item.seat, Seat(statement.seat))))
                case Back():
                    self._silence.hear_return(item, statement)
                case Agreed():
                    self._seating.hear(item, statement)
                    self._effects += map(fx.Show, self.offers.agreement(item, statement))
                case Claim() | Receipt() | Append() | Deed() | Suspect() | Join() | HandOver():
                    pass
            self._order_is_new = True
        if isinstance(read.action, Gesture) and item.seat != self.seat:
            self._effects.append(fx.Show(fx.GestureSeen(item.seat, read.action.name)))
        if read.deeds:
            self._unlogged.deeds[item.digest] = read.deeds
            for deed in read.deeds:
                self._dealing.offer(deed)
                if item.seat == self.seat:
                    self._dealing.recall(self.founding.match, deed.body)
                self._proving.offer(deed, is_own=item.seat == self.seat)
            self._deck_is_new = True
        if read.entry is not None and said.may_append:
            try:
                self._chain.add_entry(item, read.entry)
            except PeerFault as fault:
                self._found(fault)

    def _found(self, fault: PeerFault) -> None:
        """Show a fault; what proves an equivocation is kept and passed on, so that all can blame it."""
        for item in self._exhibits.take(fault):
            self._order_is_new = True
            self._to_send.append(item.signed)
            # An entry that blames rests on both, and one of them may wait for its predecessor.
            self._writer.see(item.item.lamport)
        self._effects.append(fx.Show(fx.FaultFound(fault)))

    def _begin(self, job: Job) -> None:
        if (number := self._jobs.begin(job)) is not None:
            self._effects.append(fx.Compute(number, job.work))

    def _elapsed_ms(self, now_ms: int) -> int:
        return max(self.pacing.elapsed_ms(now_ms), self.tip.elapsed_ms)
