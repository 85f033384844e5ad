"""Terms: what tapes say of them, what counts, and which chain a new term goes on from."""

import pytest
from ledger_helpers import HEAD, MATCH, item, writer

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Fault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Entry, Note
from kemps_p2p.ledger.evidence import contradiction
from kemps_p2p.ledger.tape import Ack, Append, HandOver, Head, Join, Statement, Suspect, TapeItem
from kemps_p2p.ledger.term import Followed, TermBook, chosen, doubts_needed, on_duty


def head(index: int, branch: int = 0) -> Head:
    return Head(index=index, digest=Digest(bytes([index, branch]) * 16))


def ack(term: int, at: Head) -> Ack:
    return Ack(epoch=0, term=term, head=at)


class Table:
    """Pens of all seats, and a book that follows what they write."""

    def __init__(self, seats: int = 4) -> None:
        self.book = TermBook(seats, HEAD)
        self.pens = [writer(seat) for seat in range(seats + 1)]

    def says(self, seat: int, *body: Statement) -> Followed:
        return self.book.follow(self.pens[seat].write(body), None)


def vote(normal: int, at: Head) -> HandOver:
    return HandOver(term=9, normal=normal, head=at)


@pytest.mark.parametrize(("seats", "doubts"), [(4, 2), (6, 3), (8, 4), (10, 5)])
def test_one_seat_alone_moves_no_term(seats: int, doubts: int) -> None:
    assert doubts_needed(seats) == doubts


def test_the_duty_goes_round_with_the_terms() -> None:
    assert [on_duty(4, Seat(2), term) for term in range(5)] == [2, 3, 0, 1, 2]


def test_a_term_is_wanted_once_enough_seats_doubt_the_one_before() -> None:
    table = Table()
    assert table.book.wanted() == 0
    table.says(1, Suspect(term=0))
    assert table.book.wanted() == 0
    table.says(2, Suspect(term=0))
    assert table.book.wanted() == 1
    assert table.book.has_doubts(1, 0)
    assert not table.book.has_doubts(1, 1)


def test_a_doubt_lapses_with_the_next_ack_of_that_term() -> None:
    table = Table()
    table.says(1, Suspect(term=0))
    table.says(2, Suspect(term=0))
    table.says(1, ack(0, head(1)))
    assert table.book.wanted() == 0
    assert not table.book.has_doubts(1, 0)


def test_an_ack_of_an_earlier_term_takes_no_doubt_back() -> None:
    table = Table()
    table.says(1, Suspect(term=3), ack(2, head(1)))
    assert table.book.has_doubts(1, 3)


def test_a_term_is_joined_by_a_quorum_of_different_seats() -> None:
    table = Table()
    for _ in range(3):
        table.says(1, Join(term=1))
    table.says(2, Join(term=1))
    assert not table.book.is_joined(1)
    assert table.book.wanted() == 1
    table.says(3, Join(term=2))
    assert not table.book.is_joined(1)
    table.says(0, Join(term=1))
    assert table.book.is_joined(1)
    assert [table.book.joined(seat) for seat in range(4)] == [1, 1, 1, 2]


def test_nobody_goes_back_to_an_earlier_term() -> None:
    table = Table()
    table.says(1, Join(term=3))
    table.says(1, Join(term=2))
    assert table.book.joined(1) == 3


def test_acks_of_a_term_that_its_seat_has_left_count_for_nothing_and_prove_it() -> None:
    table = Table()
    assert table.says(1, ack(0, head(1))).acks == [ack(0, head(1))]
    table.says(1, Join(term=1))
    late = table.says(1, ack(0, head(2)))
    assert late.acks == []
    (fault,) = late.faults
    assert (fault.code, fault.culprit) == (Fault.EQUIVOCATION, 1)
    assert fault.evidence
    assert table.book.stand(1) == (0, head(1))


def test_the_order_within_one_item_counts() -> None:
    table = Table()
    assert table.says(1, ack(0, head(1)), Join(term=1)).acks == [ack(0, head(1))]
    late = table.says(2, Join(term=1), ack(0, head(1)))
    assert late.acks == []
    assert [(fault.code, fault.culprit) for fault in late.faults] == [(Fault.WRONG_TERM, 2)]


def test_entries_of_a_term_that_their_seat_has_left_count_for_nothing() -> None:
    table = Table()

    def append(term: int, index: int) -> Followed:
        entry = Entry(
            index=index, prev=MATCH, epoch=0, term=term, elapsed_ms=0, wall_ms=0, events=(Note(payload=b"n"),)
        )
        return table.book.follow(table.pens[0].write((Append(entry=encode(entry)),)), entry)

    assert append(0, 1).may_append
    assert table.book.stand(0)[0] == 0
    assert table.book.stand(0)[1].index == 1
    table.says(0, Join(term=1))
    late = append(0, 2)
    assert not late.may_append
    assert [fault.code for fault in late.faults] == [Fault.EQUIVOCATION]
    assert append(1, 2).may_append


def test_a_hand_over_names_what_its_tape_stands_for() -> None:
    table = Table()
    table.says(1, ack(0, head(4)), Join(term=1))
    assert not table.says(1, HandOver(term=1, normal=0, head=head(4))).faults
    assert list(table.book.hand_overs(1)) == [1]
    # Who has acked nothing stands for the genesis.
    table.says(2, Join(term=1))
    assert not table.says(2, HandOver(term=1, normal=0, head=HEAD)).faults
    assert list(table.book.hand_overs(1)) == [1, 2]


@pytest.mark.parametrize(
    "said",
    [
        HandOver(term=1, normal=0, head=head(3)),
        HandOver(term=1, normal=0, head=head(4, branch=1)),
        HandOver(term=2, normal=0, head=head(4)),
        HandOver(term=0, normal=0, head=head(4)),
    ],
    ids=["an earlier entry", "another entry", "a term not joined", "an earlier term"],
)
def test_another_hand_over_counts_for_nothing(said: HandOver) -> None:
    table = Table()
    table.says(1, ack(0, head(4)))
    table.says(1, Join(term=1))
    (fault,) = table.says(1, said).faults
    assert fault.culprit == 1
    assert fault.code in {Fault.EQUIVOCATION, Fault.BAD_TAKE_OVER}
    assert not any(table.book.hand_overs(term) for term in range(3))


def test_a_seat_that_stands_for_an_entry_of_the_term_has_nothing_to_hand_over_into_it() -> None:
    table = Table()
    table.says(1, Join(term=1), ack(1, head(4)))
    (fault,) = table.says(1, HandOver(term=1, normal=1, head=head(4))).faults
    assert (fault.code, fault.culprit) == (Fault.BAD_TAKE_OVER, 1)


def test_an_observer_has_no_part_in_terms() -> None:
    table = Table()
    followed = table.says(4, Suspect(term=0), Join(term=1), ack(0, head(1)))
    assert followed == Followed()


def test_the_second_hand_over_is_gone_on_from() -> None:
    """One seat alone, its author maybe, stands for the longest: it binds nobody."""
    assert chosen([vote(0, head(9)), vote(0, head(7)), vote(0, head(5))]).head == head(7)
    assert chosen([vote(0, head(9)), vote(0, head(9)), vote(0, head(5))]).head == head(9)


def test_the_last_normal_term_goes_before_length() -> None:
    assert chosen([vote(0, head(9)), vote(0, head(8)), vote(2, head(3)), vote(2, head(4))]).head == head(3)


def test_of_two_heads_at_one_place_the_one_with_more_votes_then_the_least() -> None:
    one, other = head(5), head(5, branch=1)
    assert chosen([vote(0, other), vote(0, one), vote(0, other)]).head == other
    assert chosen([vote(0, other), vote(0, one), vote(0, head(3))]).head == one


def made(number: int, *body: Statement) -> TapeItem:
    return item(seat=1, number=number, prev=Digest(bytes([number or 1]) * 32), lamport=number + 1, body=body)


@pytest.mark.parametrize(
    ("before", "after", "proves"),
    [
        (Join(term=2), ack(1, head(3)), True),
        (Join(term=2), ack(2, head(3)), False),
        (ack(1, head(3)), Join(term=2), False),
        (ack(1, head(3)), HandOver(term=2, normal=1, head=head(3)), False),
        (ack(1, head(3)), HandOver(term=2, normal=1, head=head(4)), False),
        (ack(1, head(3)), HandOver(term=2, normal=1, head=head(2)), True),
        (ack(1, head(3)), HandOver(term=2, normal=0, head=head(9)), True),
        (ack(1, head(3)), HandOver(term=2, normal=1, head=head(3, branch=1)), True),
        (HandOver(term=2, normal=1, head=head(2)), ack(2, head(3)), False),
    ],
)
def test_what_a_later_item_takes_back_is_proof(before: Statement, after: Statement, proves: bool) -> None:
    first, second = made(5, before), made(8, after)
    assert (contradiction(first, second) is not None) is proves
    assert (contradiction(second, first) is not None) is proves
