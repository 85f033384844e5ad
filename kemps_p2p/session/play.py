"""A seat in a running match, from genesis to close: what follows from what came in, and what the seat says.

It takes claims to the poll, entries to the fold and duties to the deck; it decides nothing.
Invariants:

1. What is said is appended to the journal before it is sent.
2. `tip` is the fold of all accepted entries, `final` of those acked by a quorum; what this seat reveals, and
   what a screen sees, follows `final` alone.
3. A seat that comes back says nothing before it has recovered.

Section "Session" of protocol.md.
"""

from collections.abc import Sequence
from typing import cast

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Illegal, IllegalAction, PeerFault
from kemps_p2p.game.actions import Action, Admit, Deny, Kind, Next, kind
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.state import advance, check
from kemps_p2p.ids import Seat
from kemps_p2p.ledger import entry as ledger
from kemps_p2p.ledger.sitting import sitting_in
from kemps_p2p.ledger.tape import (
    Ack,
    Append,
    Claim,
    Statement,
    TapeItem,
)
from kemps_p2p.session import effects as fx
from kemps_p2p.session.chain import Accepted
from kemps_p2p.session.changing import Changing
from kemps_p2p.session.dealing import Job, as_statement
from kemps_p2p.session.fold import NotVerified, closed_record
from kemps_p2p.session.journal import Journal
from kemps_p2p.session.match import Match, is_ready
from kemps_p2p.session.messages import (
    Batch,
    DeedBody,
    batches,
    pack,
)
from kemps_p2p.session.ordering import entry_after, foreseen
from kemps_p2p.session.sights import sights_of
from kemps_p2p.session.tapecheck import readable_entry


class Play(Changing):
    """One seat's part of a match. Every verb returns the effects to carry out, in order."""

    # Verbs

    def check(self, action: Action, now_ms: int) -> None:
        """Raise `IllegalAction` if the action would be refused as things stand."""
        final = self.final
        if self.is_recovering or self._seating.yields(final, now_ms):
            raise IllegalAction(Illegal.COMING_BACK)
        elapsed_ms = max(self.pacing.elapsed_ms(now_ms), final.elapsed_ms)
        check(advance(final.game, elapsed_ms), self.seat, action)
        is_awaited = self._seating.is_awaited(final, now_ms)
        if isinstance(action, Next) and (is_awaited or not is_ready(final)):
            raise IllegalAction(Illegal.NOT_READY)
        last = self.tip.logged.get((self.seat, kind(action)))
        is_open = self._book.earlier_of_kind(self.seat, kind(action), self._writer.number)
        if kind(action) is not Kind.FREE and (is_open or (last and last.index > final.head.index)):
            raise IllegalAction(Illegal.TOO_SOON)
        if isinstance(action, Admit | Deny) and self._answering.has_answered(self.tip, self._holding.own()):
            raise IllegalAction(Illegal.TOO_SOON)

    def submit(self, action: Action, now_ms: int, intent: Intent = Intent.MEANT) -> list[fx.Effect]:
        """Claim an action, a gesture sealed. Raises `IllegalAction`; then nothing was sent or changed."""
        self.check(action, now_ms)
        self._claim(self._dealing.sealed(self.final, self._writer.number, action, intent), now_ms)
        return self.flush(now_ms)

    def seal_book(self, signals: tuple[str, ...], now_ms: int) -> list[fx.Effect]:
        """Seal the gestures that mean a quartet from the coming deal on, if they can be sealed."""
        self.books.remember(self.founding.match, signals)
        may_speak = not self.is_recovering and not self._seating.yields(self.final, now_ms)
        if not may_speak or not self.books.can_seal(self.tip, signals):
            return []
        # In an item of its own: should it come too late for its deal, nothing else is lost with it.
        self._write((as_statement(self.books.seal(self.tip, signals)),), now_ms)
        return self.flush(now_ms)

    def can_vote_absent(self, seat: Seat, now_ms: int) -> bool:
        """True if a seat has been silent for long enough, and this one has not voted it absent."""
        return self.is_seated and not self.is_recovering and self._silence.can_vote(self.tip, seat, now_ms)

    def vote_absent(self, seat: Seat, now_ms: int) -> list[fx.Effect]:
        """Vote a seat absent. Raises `IllegalAction` if nothing says that it is."""
        if not self.can_vote_absent(seat, now_ms):
            raise IllegalAction(Illegal.NOT_SILENT)
        self._silence.vote(seat)
        return self.flush(now_ms)

    def is_voted_along(self, seat: Seat, now_ms: int) -> bool:
        """True if a player that goes along with others votes a seat absent by now."""
        can_vote = self.can_vote_absent(seat, now_ms)
        return can_vote and self._silence.is_voted_along(self.tip, seat, now_ms)

    def _claim(self, action: Action, now_ms: int) -> None:
        receipts = tuple(self._holding.receipts())
        rivals = self._holding.rivals_of(action)
        claim = Claim(head=self.final.head, action=encode(action), rivals=rivals)
        self._write((*receipts, claim), now_ms)

    def computed(self, job_id: int, outcome: object, now_ms: int) -> list[fx.Effect]:
        """Take in what a `Compute` effect came to: what its work returned, or the `PeerFault` it raised."""
        job = self._jobs.end(job_id)
        self._order_is_new = True
        if job.proof is None:
            assert not isinstance(outcome, PeerFault), f"an own deed failed: {outcome}"
            self._to_say.append(as_statement(cast(DeedBody, outcome)))
        else:
            self._proving.came_to(job.proof, outcome)
        return self.flush(now_ms)

    def flush(self, now_ms: int) -> list[fx.Effect]:
        """What follows from what has come in, up to the next thing to say.

        `is_busy` tells whether more follows: what others wait for is on its way before this seat digests it.
        """
        self.is_busy = True
        while self.is_busy and not self._to_send:
            self._hold_claims(now_ms)
            has_moved = self._accept(now_ms)
            has_moved |= self._finalize(now_ms)
            if not self._is_back() or self._seating.yields(self.final, now_ms):
                self.is_busy = has_moved
                continue
            self._contribute()
            has_moved |= self._answer(now_ms)
            has_moved |= self._speak(now_ms)
            has_moved |= self._order(now_ms)
            self.is_busy = has_moved
        if self._to_send:
            self._effects += [fx.Send(pack(Batch(items=items))) for items in batches(self._to_send)]
            self._to_send.clear()
        effects, self._effects = self._effects, []
        return effects

    def _answer(self, now_ms: int) -> bool:
        """Answer a call where the own player has no choice, or did not use it."""
        final = self.final
        if not self._answering.is_asked(final) or self._answering.has_answered(self.tip, self._holding.own()):
            return False
        faces = self._dealing.faces(final, final.game.hands[self.seat])
        answer = self._answering.due(final, faces, now_ms)
        if answer is None:
            return False
        self._claim(answer, now_ms)
        return True

    # Coming back

    def recall(self, journal: Journal, logged: Sequence[Digest], now_ms: int, wall_ms: int) -> None:
        """Take in what an earlier run held, and go where it stood. Until it is over, nothing is said.

        `logged`: the items of the entries that it has logged, in order. Raises `RuntimeFault` if what the own
        seat has acked, or logged, does not hold.
        """
        self._recovery.begin()
        waiting: Sequence[TapeItem] = journal.items
        # Those of a new incarnation have a place once the entry that let it in is final.
        while coming := [item for item in waiting if self._is_let_in(item)]:
            waiting = [item for item in waiting if not self._is_let_in(item)]
            for item in coming:
                self._take(item, now_ms)
            has_all = self._recovery.follow_log(logged, self._follow_entry, now_ms)
            self._finalize(now_ms)
            if has_all:
                self._recovery.follow_stand(self._follow_entry, now_ms)
                self._finalize(now_ms)
        self._recovery.compare(len(logged))
        self._recovery.reckon(now_ms, wall_ms, journal.remembered.wall_ms)
        self._recovery.restart_claims()
        # But for the log, all this was said, shown and written before.
        self._to_send.clear()
        self._effects = [
            effect for effect in self._effects if isinstance(effect, fx.Append) and effect.file is fx.File.LOG
        ]

    def _is_let_in(self, item: TapeItem) -> bool:
        return item.item.incarnation < len(self.final.signers[item.seat])

    def hear_length(self, sender: Seat, length: int) -> None:
        """Another peer says how many items of the own tape it holds."""
        self._recovery.hear(sender, length, self._writer.number)

    def _is_back(self) -> bool:
        """True once this seat may speak; always, if it has never been away."""
        if not self.is_recovering:
            return True
        if not self._recovery.ends():
            return False
        self._acked_index = self._recovery.acked_index()
        self._proposed_index = self.tip.head.index
        self._final_is_new = self._deck_is_new = self._order_is_new = True
        return True

    # Claims

    def _hold_claims(self, now_ms: int) -> None:
        """Hold what can be held by now; others get a receipt, and of the own the poll may say enough."""
        self._holding.advance()
        self._silence.follow(self._book.held_count, now_ms)
        self._patience.watch(now_ms)
        for held in self._holding.own():
            if not self._foretold.is_told(held.id) and self._book.is_first(held.id):
                result = foreseen(
                    self.tip, held.item, self._sequencing.materials(now_ms), self._elapsed_ms(now_ms)
                )
                self._effects.append(fx.Show(self._foretold.foretell(held.item, result)))

    # Entries

    def _accept(self, now_ms: int) -> bool:
        has_moved = False
        joined = self._handing.joined
        while not self._chain.is_at_end(joined):
            before, is_of_duty = self._chain.tip, False
            try:
                has_moved |= self._give_way(self._chain.turn(joined), before, now_ms)
                before, is_of_duty = self._chain.tip, self._chain.led_to is None
                accepted = self._chain.accept_next(joined, now_ms)
            except NotVerified as need:
                if not self._proving.verify_for(need, self._items[need.proof[0]]):
                    return has_moved
                continue
            except PeerFault as fault:
                self._found(fault)
                # A false take-over is no work of the sequencer that it would take the duty from.
                if is_of_duty:
                    self._handing.distrust(before.term)
                continue
            if accepted is None:
                return has_moved
            has_moved = self._order_is_new = True
            met = self._rivals.follow(before, accepted.record, self.tapes.by_digest)
            self._effects += [fx.Show(fx.Raced(race)) for race in met]
            self._follow_entry(accepted)
        return has_moved

    def _give_way(self, dropped: Sequence[Accepted], before: Match, now_ms: int) -> bool:
        """Entries that a take-over leaves out are undone: what they ordered is to be ordered again."""
        if not dropped:
            return False
        for accepted in dropped:
            self._unlogged.take_back(accepted.record.entry, self._items)
        self._holding.restart(self.tapes.by_digest.values())
        self._chain.mark_book()
        self.pacing.follow(before, self.tip, now_ms)
        self._acked_index = self._proposed_index = self.tip.head.index
        self._order_is_new = self._deck_is_new = True
        return True

    def _follow_entry(self, accepted: Accepted) -> None:
        """Tell what became of own claims, and drop what is in the log now."""
        entry = accepted.record.entry
        self._effects += [fx.Show(known) for known in self._foretold.settled(entry, self._items)]
        self._deck_is_new |= self._unlogged.follow(entry)

    def _finalize(self, now_ms: int) -> bool:
        before = self.final
        done = self._chain.finalize(now_ms)
        for accepted in done:
            self._effects.append(fx.Append(fx.File.LOG, encode(closed_record(accepted.record))))
            self._effects += [fx.Show(sight) for sight in sights_of(accepted, before, self.offers.owner)]
            before = accepted.match
            self._handing.follow(accepted.record.entry, accepted.match)
            for event in accepted.record.entry.events:
                if isinstance(event, ledger.Seated):
                    self._sit(event, now_ms)
        if done:
            self._final_is_new = self._order_is_new = True
            self.pacing.keep_up(self.final.elapsed_ms, now_ms)
        return bool(done)

    # New incarnations

    def _sit(self, event: ledger.Seated, now_ms: int) -> None:
        """A seat is another incarnation's from here on: its tape goes on behind the end of the old one."""
        sitting = sitting_in(event.raw)
        seat, end = Seat(sitting.seat), event.end
        # It has as long to appear as anybody.
        self.pacing.heard(seat, now_ms)
        self._silence.given(seat)
        dropped = self.tapes.close(seat, end.length)
        self._chain.close(seat)
        if dropped:
            self._unlogged.close(dropped)
            self._coins[:] = [item for item in self._coins if item not in dropped]
            self._handing.terms.close(seat, self.tapes.of(seat), readable_entry)
            self._holding.restart(self.tapes.by_digest.values())
            self._chain.mark_book()
        if seat != self.seat:
            return
        if self._pen.is_own(sitting):
            self._writer.begin(sitting.incarnation, end.length, end.last)
            self._dealing.begin(self._pen.coins(sitting.incarnation))
        else:
            # Whoever sat here so far has nothing more to say.
            self._recovery.begin()

    # Words out

    def _contribute(self) -> None:
        """Duties at the final head, turns on the draft, and proofs of what came."""
        if self._final_is_new:
            for part in self._dealing.fulfil(self.final):
                if isinstance(part, Job):
                    self._begin(part)
                else:
                    self._to_say.append(part)
        if self._final_is_new or self._deck_is_new:
            for job in self._dealing.draft(self.final):
                self._begin(job)
            self._proving.verify_offers(self.tip)
        self._final_is_new = self._deck_is_new = False

    def _speak(self, now_ms: int) -> bool:
        """Say in one item all that there is to say."""
        tip, final, is_seated = self.tip, self.final, self.is_seated
        said: list[Statement] = [*self._holding.receipts(), *self._to_say]
        self._to_say.clear()
        said += self._silence.words(tip, now_ms, self._seating.pleading(tip, now_ms))
        said += self._silence.back(final)
        said += self._seating.words(final) if is_seated else ()
        head = tip.head
        if head.index > self._acked_index and is_seated and self._handing.is_normal(tip):
            said.insert(0, Ack(epoch=tip.epoch, term=tip.head_term, head=head))
            self._acked_index = head.index
        if is_seated:
            said += self._handing.says(tip, final, now_ms, lambda: bool(self._events(now_ms)))
        if not said:
            return False
        self._write(tuple(said), now_ms)
        return True

    def _write(self, body: tuple[Statement, ...], now_ms: int) -> None:
        item = self._writer.write(body)
        self._take(item, now_ms)
        self._to_send.append(item.signed)

    def _order(self, now_ms: int) -> bool:
        """The sequencer's duty: the next entry, once the checkpoint that gave it the duty is final."""
        if not self._handing.is_normal(self.tip):
            return self._take_over(now_ms)
        tip = self.tip
        assert tip.head.index >= self._proposed_index, f"the own entry {self._proposed_index} does not fold"
        if tip.on_duty != self.seat or self.final.term != tip.term:
            return False
        if self._chain.led_to is not None:
            # The others have gone on in a later term, and what leads there is on its way.
            return False
        if not self._order_is_new and not self._sequencing.is_due(now_ms):
            return False
        self._order_is_new = False
        self._sequencing.composed_at_ms = now_ms
        # What was just said counts as well: where it decides a claim, the entry goes out with the receipt.
        self._hold_claims(now_ms)
        events = self._events(now_ms)
        if not events:
            return False
        self._append(tip.term, events, now_ms)
        return True

    def _events(self, now_ms: int) -> tuple[ledger.Event, ...]:
        return self._sequencing.events(self._elapsed_ms(now_ms), now_ms)

    def _append(self, term: int, events: tuple[ledger.Event, ...], now_ms: int) -> None:
        wall_ms = now_ms + self._wall_offset_ms
        entry = entry_after(self.tip, term, events, self._elapsed_ms(now_ms), wall_ms)
        self._acked_index = entry.index
        self._write((Append(entry=encode(entry)),), now_ms)
        self._proposed_index = entry.index

    def _take_over(self, now_ms: int) -> bool:
        """The first entry of a term that a quorum has handed over, once its chain is here."""
        due = self._handing.to_take_over(self.tip)
        if due is None:
            return False
        take_over, head = due
        before = self.tip
        has_moved = self._give_way(self._chain.aim(head), before, now_ms)
        if self.tip.head != head:
            return has_moved
        self._append(self._handing.joined, (take_over,), now_ms)
        return True
