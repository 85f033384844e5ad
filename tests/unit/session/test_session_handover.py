"""The ordering duty passes on: a table whose sequencer falls silent, lies, or comes back."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from msgspec import structs
from session_helpers import Table, appends, cut_off, heal, identity, next_entry, next_of, opened

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Gesture, Swap
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Entry, Note, TakeOver, entry_of
from kemps_p2p.ledger.tape import (
    NO_DIGEST,
    Append,
    HandOver,
    Head,
    Join,
    Statement,
    Suspect,
    TapeItem,
    TapeWriter,
    tape_writer,
)
from kemps_p2p.session.fold import OpenRecord, Proofs
from kemps_p2p.session.handover import SILENCE_MS, STALL_MS, HandingOver
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import PlayStarted
from kemps_p2p.session.pacing import Pacing
from kemps_p2p.session.replay import step
from kemps_p2p.session.takeover import take_over_in


def take_overs(table: Table, seat: int) -> list[TapeItem]:
    """The items of entries by which some seat took the duty over, as a peer holds them."""
    found = []
    for item in table.play(seat).tapes.by_digest.values():
        entry = entry_of(item)
        if entry is not None and take_over_in(entry) is not None:
            found.append(item)
    return found


def some_swap(table: Table, seat: int) -> Swap:
    view = table.sessions[seat].view()
    return Swap(take=(view.pool[0].position,), give=(view.hand[0].position,))


def test_nothing_happens_at_a_table_that_has_nothing_to_order() -> None:
    table = opened().wait(6 * STALL_MS)
    assert all(table.play(seat).tip.term == 0 for seat in range(4))
    assert take_overs(table, 0) == []


def test_the_next_seat_takes_over_from_a_silent_one_and_the_game_goes_on() -> None:
    table = opened()
    duty = int(table.play().tip.on_duty)
    others = [seat for seat in range(4) if seat != duty]
    cut_off(table, duty)
    actor = others[-1]
    table.submit(actor, some_swap(table, actor)).settle()
    table.wait(SILENCE_MS + 600)
    successor = (duty + 1) % 4
    for seat in others:
        final = table.play(seat).final
        assert (final.term, final.on_duty) == (1, successor)
        assert not table.play(seat).tip.contests
    assert {table.play(seat).final.head for seat in others} == {table.play(actor).final.head}
    assert any(seat == actor for seat, _ in table.play(actor).final.logged), "the exchange is in the log"
    heal(table)
    table.wait(1000)
    assert len({table.play(seat).final.head for seat in range(4)}) == 1
    assert all(table.faults(seat) == [] for seat in range(4))


def test_what_only_the_silent_sequencer_knew_gives_way_and_is_ordered_again() -> None:
    """It logs a claim that reached nobody else in time; the others order without it, and it follows them."""
    table = opened()
    duty = int(table.play().tip.on_duty)
    before = table.play(duty).tip.head.index
    table.drops = lambda sender, _receiver, data: sender == duty and appends(data)
    table.submit(duty, Gesture("wink")).settle()
    lone = table.play(duty).tip.head
    assert lone.index == before + 1, "it has ordered its own gesture"
    cut_off(table, duty)
    table.wait(SILENCE_MS + 600)
    assert table.play((duty + 1) % 4).final.term == 1
    heal(table)
    table.wait(1500)
    heads = {table.play(seat).final.head for seat in range(4)}
    assert len(heads) == 1
    assert lone not in heads
    logged = table.play().final.logged
    assert any(seat == duty for seat, _ in logged), "the gesture is in the log of all"
    assert all(table.faults(seat) == [] for seat in range(4))


def test_two_halves_pause_without_using_up_terms_and_go_on_together() -> None:
    table = opened()
    cut_off(table, 0, 1)
    index = table.play().final.head.index
    for seat in range(4):
        table.submit(seat, Gesture("wink"))
    table.settle().wait(10 * STALL_MS)
    assert all(table.play(seat).final.head.index == index for seat in range(4))
    assert max(table.play(seat)._handing.joined for seat in range(4)) <= 1
    heal(table)
    table.wait(2 * STALL_MS)
    finals = [table.play(seat).final for seat in range(4)]
    assert len({final.head for final in finals}) == 1
    assert {seat for seat, _ in finals[0].logged} >= set(range(4))


def test_a_sequencer_that_writes_what_does_not_fold_is_replaced_at_once() -> None:
    table = opened()
    duty = int(table.play().tip.on_duty)
    tip = table.play().tip
    pen = next_of(duty, table)
    entry = next_entry(tip, TakeOver(items=()))
    cut_off(table, duty)
    item = pen.write((Append(entry=encode(entry)),))
    for seat in range(4):
        if seat != duty:
            table.play(seat).receive([item.signed], table.now_ms)
            table.carry_out(seat, table.play(seat).flush(table.now_ms))
    table.settle()
    for seat in range(4):
        if seat != duty:
            assert table.play(seat).tip.term == 1
            assert (Fault.BAD_TAKE_OVER, duty) in table.faults(seat)


def test_a_sequencer_that_hears_of_a_later_term_orders_nothing_before_it_is_there() -> None:
    """The take-over is here, and not yet the hand-overs that it rests on; an entry of the own would fork."""
    table = opened()
    duty = int(table.play().tip.on_duty)
    cut_off(table, duty)
    table.wait(SILENCE_MS + 600)
    successor = (duty + 1) % 4
    late = table.play(duty)
    late.receive([item.signed for item in table.play(successor).tapes.of(Seat(successor))], table.now_ms)
    table.carry_out(duty, late.flush(table.now_ms))
    before = [entry_of(item) for item in late.tapes.of(Seat(duty))]
    table.submit(duty, Gesture("wink")).settle()
    said = [entry_of(item) for item in late.tapes.of(Seat(duty))[len(before) :]]
    assert said
    assert not any(said), "it has heard of a later term"
    heal(table)
    table.wait(1500)
    assert len({table.play(seat).final.head for seat in range(4)}) == 1
    assert all(table.faults(seat) == [] for seat in range(4))


# The fold of a take-over


@dataclass(frozen=True)
class Taken:
    """A take-over that happened: the match before, its author, its entry and the hand-overs by seat."""

    before: Match
    pen: TapeWriter
    author: Seat
    entry: Entry
    votes: tuple[TapeItem, ...]

    def fold(self, votes: tuple[TapeItem, ...], **fields: object) -> Match:
        """Fold a take-over of the same kind with other hand-overs, or other fields."""
        events = (TakeOver(items=tuple(vote.digest for vote in votes)),)
        entry = structs.replace(self.entry, **{"events": events, **fields})
        self.pen.lamport = 1 << 20
        item = self.pen.write((Append(entry=encode(entry)),))
        by_name = {vote.digest: vote for vote in votes}
        return step(self.before, OpenRecord(item, entry, by_name), Proofs(is_eager=True))[0]


@pytest.fixture(scope="module")
def taken() -> Taken:
    table = opened()
    before = table.play().tip
    cut_off(table, int(before.on_duty))
    table.wait(SILENCE_MS + 600)
    author = Seat((before.on_duty + 1) % 4)
    (item,) = take_overs(table, author)
    entry = entry_of(item)
    assert entry is not None
    assert entry.prev == before.head.digest
    take_over = take_over_in(entry)
    assert take_over is not None
    votes = tuple(table.play(author).tapes.by_digest[name] for name in take_over.items)
    return Taken(before, next_of(author, table), author, entry, votes)


def test_a_true_take_over_folds(taken: Taken) -> None:
    after = taken.fold(taken.votes)
    assert (after.term, after.head_term, after.on_duty) == (1, 1, taken.author)


def test_a_take_over_may_follow_the_close_and_nothing_else_does(taken: Taken) -> None:
    """Where some have left the term in which the match was closed, only a later one makes that final."""
    closing = taken.before.head
    closed = replace(taken, before=structs.replace(taken.before, is_closed=True, closing=closing))
    after = closed.fold(taken.votes)
    # A rematch starts from the close, which is the same for all.
    assert (after.is_closed, after.closing) == (True, closing)
    assert after.head != closing
    with pytest.raises(PeerFault) as fault:
        closed.fold(taken.votes, events=(Note(payload=encode(PlayStarted())),))
    assert fault.value.code is Fault.BAD_ENTRY


def false_take_overs(taken: Taken) -> Iterator[tuple[str, Fault, Callable[[], Match]]]:
    votes = taken.votes
    other = TakeOver(items=tuple(vote.digest for vote in votes))
    yield "too few", Fault.BAD_TAKE_OVER, lambda: taken.fold(votes[:2])
    yield "none", Fault.BAD_TAKE_OVER, lambda: taken.fold(())
    yield "out of order", Fault.BAD_TAKE_OVER, lambda: taken.fold(votes[::-1])
    yield "no hand-over", Fault.BAD_TAKE_OVER, lambda: taken.fold((*votes[:2], said(votes[2], Join(term=1))))
    yield (
        "into another term",
        Fault.BAD_TAKE_OVER,
        lambda: taken.fold((*votes[:2], said(votes[2], HandOver(term=2, normal=0, head=taken.before.head)))),
    )
    further = Head(index=taken.before.head.index + 1, digest=NO_DIGEST)
    ahead = tuple(said(vote, HandOver(term=1, normal=0, head=further)) for vote in votes)
    yield "of another chain", Fault.BAD_TAKE_OVER, lambda: taken.fold(ahead)
    early = tuple(said(vote, HandOver(term=5, normal=3, head=taken.before.head)) for vote in votes)
    yield "of another normal term", Fault.BAD_TAKE_OVER, lambda: taken.fold(early, term=5)
    yield "a term of somebody else", Fault.WRONG_TERM, lambda: taken.fold(votes, term=2)
    yield "the running term", Fault.WRONG_TERM, lambda: taken.fold(votes, term=0)
    two = (other, Note(payload=b"n"))
    yield "not alone, in a term of its own", Fault.WRONG_TERM, lambda: taken.fold(votes, events=two)


def said(vote: TapeItem, statement: Statement) -> TapeItem:
    """An item of the same seat that says something else."""
    writer = tape_writer(vote.item.match, vote.seat, identity(vote.seat))
    writer.number, writer.prev, writer.lamport = vote.item.number, vote.item.prev, vote.item.lamport
    return writer.write((statement,))


NAMES = (
    "too few",
    "none",
    "out of order",
    "no hand-over",
    "into another term",
    "of another chain",
    "of another normal term",
    "a term of somebody else",
    "the running term",
    "not alone, in a term of its own",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_false_take_over_is_its_authors_fault(taken: Taken, name: str) -> None:
    cases = {case: (code, fold) for case, code, fold in false_take_overs(taken)}
    assert tuple(cases) == NAMES
    code, fold = cases[name]
    with pytest.raises(PeerFault) as fault:
        fold()
    assert (fault.value.code, fault.value.culprit) == (code, taken.author)


def test_a_take_over_beside_other_events_of_the_running_term_is_refused(taken: Taken) -> None:
    duty = taken.before.on_duty
    events = (TakeOver(items=()), Note(payload=encode(PlayStarted())))
    entry = structs.replace(taken.entry, term=0, events=events)
    writer = tape_writer(taken.before.founding.match, duty, identity(duty))
    writer.lamport = 1 << 20
    item = writer.write((Append(entry=encode(entry)),))
    with pytest.raises(PeerFault) as fault:
        step(taken.before, OpenRecord(item, entry, {}), Proofs(is_eager=True))
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_TAKE_OVER, duty)


# A table that is slow


def doubted_after_ms(handing: HandingOver, pacing: Pacing, tip: Match, start_ms: int) -> int:
    """How long a table that hears all, and has something to order, waits for the sequencer."""
    for now_ms in range(start_ms, start_ms + 60 * STALL_MS, 100):
        for seat in range(4):
            pacing.heard(Seat(seat), now_ms)
        if any(isinstance(said, Suspect) for said in handing.says(tip, tip, now_ms, lambda: True)):
            return now_ms - start_ms
    raise AssertionError("nobody is ever doubted")


def test_take_overs_that_order_nothing_make_the_next_wait_longer() -> None:
    """Else seats that verify slowly would take the duty from each other for ever."""
    tip = opened().play().tip
    pacing = Pacing(0, Seat((tip.on_duty + 3) % 4), 4)
    handing = HandingOver(Seat((tip.on_duty + 3) % 4), tip, pacing, 0)
    first = doubted_after_ms(handing, pacing, tip, 0)
    assert STALL_MS <= first <= STALL_MS + 600
    later = structs.replace(tip, term=2, head_term=2, head=Head(index=tip.head.index + 2, digest=NO_DIGEST))
    entry = Entry(
        index=1, prev=NO_DIGEST, epoch=0, term=2, elapsed_ms=0, wall_ms=0, events=(TakeOver(items=()),)
    )
    handing.follow(entry, later)
    assert doubted_after_ms(handing, pacing, later, 100_000) >= 4 * STALL_MS
    worked = structs.replace(later, head=Head(index=tip.head.index + 3, digest=NO_DIGEST))
    handing.follow(structs.replace(entry, events=(Note(payload=b"n"),)), worked)
    assert doubted_after_ms(handing, pacing, worked, 200_000) <= STALL_MS + 600
