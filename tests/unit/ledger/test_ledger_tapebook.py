"""Tapes as a peer holds them: gaps, early items, forks, and what a peer that lacks something is sent."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_helpers import MATCH, SIGNERS, branch, claim, item, receipt, tape, writer

from kemps_p2p.codec import Digest, decode
from kemps_p2p.errors import Fault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger import tapebook as book_module
from kemps_p2p.ledger.evidence import Equivocation, check_equivocation
from kemps_p2p.ledger.tape import NO_DIGEST, STAMP_LEAD_MAX, TapeItem
from kemps_p2p.ledger.tapebook import FORK_DEPTH, TapeBook

ALL_BYTES = 1 << 30


def added(book: TapeBook, items: Sequence[TapeItem], at_ms: int = 0) -> list[TapeItem]:
    """Add items that nothing is wrong with; return what was released."""
    released: list[TapeItem] = []
    for made in items:
        what = book.add(made, at_ms)
        assert not what.faults
        released += what.released
    return released


@given(st.permutations(tape(1, 9)), st.lists(st.integers(0, 8), max_size=5))
def test_whatever_the_order_of_arrival_the_tape_is_the_same(
    arrived: list[TapeItem], repeated: list[int]
) -> None:
    book = TapeBook(3)
    released = added(book, [*arrived, *(arrived[place] for place in repeated)])
    assert released == tape(1, 9)
    assert book.lengths() == (0, 9, 0)
    straight = TapeBook(3)
    added(straight, released)
    assert book.sums() == straight.sums()
    assert book.sums()[0] == book.sums()[2] == NO_DIGEST


def test_an_item_waits_for_the_one_before_it() -> None:
    first, second, third = tape(0, 3)
    book = TapeBook(1)
    assert added(book, [third, second]) == []
    assert book.lengths() == (0,)
    assert book.is_known(third.digest)
    assert third.digest not in book.by_digest
    assert added(book, [first]) == [first, second, third]


def test_early_items_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_module, "EARLY_ITEMS_MAX", 3)
    items = tape(0, 8)
    book = TapeBook(1)
    added(book, items[2:])
    assert [book.is_known(made.digest) for made in items] == [False] * 2 + [True] * 3 + [False] * 3
    # What waited makes room again once it is released; what was dropped can come again.
    assert added(book, items[:2]) == items[:5]
    assert added(book, items[5:]) == items[5:]


def test_two_items_in_one_place_are_evidence_and_both_are_kept() -> None:
    first, second = tape(0, 2)
    other = branch(first, b"other")
    book = TapeBook(2)
    added(book, [first, second])
    what = book.add(other, 0)
    assert what.released == (other,)
    (fault,) = what.faults
    assert (fault.code, fault.culprit) == (Fault.EQUIVOCATION, 0)
    assert check_equivocation(decode(fault.evidence, Equivocation), MATCH, SIGNERS) == 0
    # The tape goes on from either of them.
    assert added(book, [branch(other, b"on"), branch(second, b"on")]) != []
    assert book.lengths() == (3, 0)
    # And the same two items prove nothing twice.
    assert book.add(other, 0).faults == ()


def test_what_follows_from_a_fork_is_no_new_fault() -> None:
    (first,) = tape(0, 1)
    left, right = [branch(first, b"left")], [branch(first, b"right")]
    for number in range(5):
        left.append(branch(left[-1], bytes([number])))
        right.append(branch(right[-1], bytes([number, 1])))
    book = TapeBook(1)
    added(book, [first, *left])
    faults = [fault for made in right for fault in book.add(made, 0).faults]
    assert len(faults) == 1
    assert book.lengths() == (7,)
    assert all(made.digest in book.by_digest for made in right)


def test_an_item_that_links_past_the_one_held_is_evidence_at_once() -> None:
    first, second = tape(0, 2)
    other = branch(first, b"other")
    beyond = branch(other, b"beyond")
    book = TapeBook(1)
    added(book, [first, second])
    what = book.add(beyond, 0)
    assert what.released == ()
    (fault,) = what.faults
    assert (fault.code, fault.culprit) == (Fault.EQUIVOCATION, 0)
    assert check_equivocation(decode(fault.evidence, Equivocation), MATCH, SIGNERS) == 0
    # When the branch comes after all, the item is released.
    assert book.add(other, 0).released == (other, beyond)


def test_a_link_to_another_place_or_seat_is_the_authors_fault() -> None:
    first, second = tape(0, 2)
    foreign = tape(1, 1)[0]
    book = TapeBook(2)
    added(book, [first, second, foreign])
    for prev in (first.digest, foreign.digest):
        what = book.add(item(number=2, prev=prev, lamport=50), 0)
        assert what.released == ()
        assert [(fault.code, fault.culprit) for fault in what.faults] == [(Fault.BAD_LINK, 0)]
    assert book.lengths() == (2, 1)


@pytest.mark.parametrize("lamport", [2, 1])
def test_a_stamp_that_does_not_grow_is_the_authors_fault(lamport: int) -> None:
    first, second = tape(0, 2)
    assert second.item.lamport == 2
    book = TapeBook(1)
    added(book, [first, second])
    what = book.add(item(number=2, prev=second.digest, lamport=lamport + 1), 0)
    if lamport == 2:
        assert what.faults == ()
    else:
        assert what.released == ()
        assert [(fault.code, fault.culprit) for fault in what.faults] == [(Fault.BAD_STAMP, 0)]


def test_a_stamp_that_leaps_waits_and_nobody_comes_to_rest_on_it() -> None:
    """Without this a liar's stamps would push an honest seat's next one beyond what others accept."""
    book = TapeBook(2)
    leap = item(lamport=STAMP_LEAD_MAX + 3)
    after = item(number=1, prev=leap.digest, lamport=STAMP_LEAD_MAX + 4, body=(claim(b"after"),))
    assert added(book, [leap, after]) == []
    assert book.is_known(leap.digest)
    # The other tape grows; as soon as enough is held the stamp leads no more.
    other = tape(1, 3)
    assert added(book, other[:1]) == other[:1]
    assert added(book, other[1:2]) == [other[1], leap, after]
    assert book.lengths() == (2, 2)


def test_a_proof_whose_stamp_leaps_is_none_yet() -> None:
    """Whoever shows a proof speaks behind its stamps: a liar's would push that beyond what others accept."""
    first, second = tape(0, 2)
    for leap, is_proof in ((0, True), (1, False), (1 << 50, False)):
        book = TapeBook(2)
        added(book, [first, second])
        stamp = len(book.by_digest) + STAMP_LEAD_MAX + leap
        # It links to another first item than the one that is here.
        other = item(number=1, prev=branch(first, b"x").digest, lamport=stamp, body=(claim(b"other"),))
        what = book.add(other, 0)
        assert [fault.code for fault in what.faults] == [Fault.EQUIVOCATION] * is_proof


def test_what_a_liar_makes_others_keep_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = tape(0, 9)
    size = len(first.signed.raw)
    monkeypatch.setattr(book_module, "BESIDE_MAX", 2)
    monkeypatch.setattr(book_module, "TAPE_BYTES_MAX", 7 * size + 40)
    book = TapeBook(1)
    added(book, [first, others[0]])
    beside = [branch(first, b"%d more" % number) for number in range(4)]
    for made in beside:
        book.add(made, 0)
    assert [made.digest in book.by_digest for made in beside] == [True, True, False, False]
    # Three more fit; the tape goes no further, however often the rest comes.
    assert added(book, others[1:]) == others[1:4]
    assert added(book, others[4:]) == []
    assert book.lengths() == (5,)


def test_the_bytes_of_what_waits_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    items = tape(0, 5)
    monkeypatch.setattr(book_module, "EARLY_BYTES_MAX", sum(len(made.signed.raw) for made in items[2:4]))
    book = TapeBook(1)
    leap = item(lamport=STAMP_LEAD_MAX + 9)
    added(book, items[2:])
    assert [book.is_known(made.digest) for made in items] == [False, False, True, True, False]
    added(book, [leap])
    assert not book.is_known(leap.digest)
    assert added(book, items[:2]) == items[:4]
    book.add(leap, 0)
    assert book.is_known(leap.digest)


def test_honest_stamps_are_held_everywhere_whatever_a_liar_does() -> None:
    """The liar leads as far as it may with every item; the honest seat follows; a third holds them both."""
    liar, honest, at_honest, elsewhere = writer(0), writer(1), TapeBook(2), TapeBook(2)
    for _ in range(50):
        liar.see(len(at_honest.by_digest) + STAMP_LEAD_MAX)
        lie = liar.write((claim(b"lie"),))
        for made in added(at_honest, [lie]):
            honest.see(made.item.lamport)
        word = honest.write((receipt(lie.digest),))
        added(at_honest, [word])
        assert lie in added(elsewhere, [lie])
        assert word in added(elsewhere, [word])
        liar.see(word.item.lamport)


def missing(
    have: TapeBook, lacks: TapeBook, *, before_ms: int = 10**6, limit_bytes: int = ALL_BYTES
) -> list[TapeItem]:
    return list(have.since(lacks.lengths(), lacks.sums(), before_ms, limit_bytes))


def test_a_peer_is_sent_what_it_lacks() -> None:
    tapes = [tape(seat, 4) for seat in range(3)]
    have, lacks = TapeBook(3), TapeBook(3)
    for made in tapes:
        added(have, made)
    added(lacks, [*tapes[0][:2], *tapes[1]])
    # One of each tape in turn: what is sent of one must not hold up the others.
    in_turn = [tapes[0][2], tapes[2][0], tapes[0][3], *tapes[2][1:]]
    assert missing(have, lacks) == in_turn
    assert missing(lacks, have) == []


def test_what_is_new_is_still_on_its_way() -> None:
    items = tape(0, 3)
    have, lacks = TapeBook(1), TapeBook(1)
    for at_ms, made in enumerate(items):
        added(have, [made], at_ms)
    assert missing(have, lacks, before_ms=1) == items[:2]
    assert missing(have, lacks, before_ms=-1) == []


def test_a_share_at_a_time_but_always_some() -> None:
    items = tape(0, 6)
    size = len(items[0].signed.raw)
    have, lacks = TapeBook(1), TapeBook(1)
    added(have, items)
    assert missing(have, lacks, limit_bytes=3 * size) == items[:3]
    # An item beyond the limit alone must not be out of reach for ever.
    assert missing(have, lacks, limit_bytes=1) == items[:1]


def test_peers_with_halves_of_a_fork_show_it_to_each_other() -> None:
    (first,) = tape(0, 1)
    left = [branch(first, b"left")]
    right = [branch(first, b"right")]
    for _ in range(3):
        left.append(branch(left[-1], b"l"))
        right.append(branch(right[-1], b"r"))
    one, other = TapeBook(1), TapeBook(1)
    added(one, [first, *left])
    added(other, [first, *right[:2]])
    assert one.lengths() > other.lengths()
    faults = [fault for made in missing(one, other) for fault in other.add(made, 0).faults]
    assert len(faults) == 1
    faults = [fault for made in missing(other, one) for fault in one.add(made, 0).faults]
    assert len(faults) == 1
    assert (
        one.by_digest.keys() == other.by_digest.keys() == {made.digest for made in (first, *left, *right[:2])}
    )
    # Now neither has anything to show, though each has another item first.
    assert missing(one, other) == missing(other, one) == []


def test_a_fork_is_shown_from_before_it_but_not_from_the_start() -> None:
    long = tape(0, FORK_DEPTH + 20)
    have, lacks = TapeBook(1), TapeBook(1)
    added(have, long)
    added(lacks, [*long[:-1], branch(long[-2], b"fork")])
    shown = missing(have, lacks)
    assert shown == long[-FORK_DEPTH:]


def test_a_status_of_a_longer_tape_asks_for_nothing() -> None:
    have = TapeBook(1)
    added(have, tape(0, 2))
    assert list(have.since((5,), (Digest(bytes(32)),), 10, ALL_BYTES)) == []


def test_an_own_tape_is_held_like_any_other() -> None:
    pen = writer(0)
    book = TapeBook(1)
    for _ in range(3):
        made = pen.write((claim(),))
        assert added(book, [made]) == [made]
    assert book.by_digest[pen.prev].seat == Seat(0)
