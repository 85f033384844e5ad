"""Entries, coins, terms and evidence."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_helpers import HEAD, MATCH, SIGNERS, branch, claim, code_of, item, tape, writer
from msgspec import structs

from kemps_p2p.codec import Digest, decode, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger import coins as coins_module
from kemps_p2p.ledger.coins import check_coin, coin_chain, priority
from kemps_p2p.ledger.entry import (
    EVENTS_MAX,
    Blamed,
    Carried,
    Contest,
    Drawn,
    Entry,
    Event,
    Note,
    Result,
    Settled,
    check_extends,
    entry_of,
    named_items,
    quorum,
)
from kemps_p2p.ledger.evidence import Equivocation, check_equivocation, contradiction, equivocation
from kemps_p2p.ledger.tape import Ack, Append, Head, Statement, TapeItem
from kemps_p2p.ledger.term import on_duty


def d(number: int) -> Digest:
    return Digest(bytes([number]) * 32)


NOTE = Note(payload=b"note")


def entry(*events: Event, index: int = 1, prev: Digest = MATCH, term: int = 0, epoch: int = 0) -> Entry:
    return Entry(
        index=index, prev=prev, epoch=epoch, term=term, elapsed_ms=5, wall_ms=6, events=events or (NOTE,)
    )


def appended(said: Entry, seat: int = 0) -> TapeItem:
    return writer(seat).write((Append(entry=encode(said)),))


@pytest.mark.parametrize(("seats", "acks"), [(4, 3), (6, 4), (8, 5), (10, 6), (12, 7), (14, 8), (16, 9)])
def test_two_quorums_share_a_seat_even_if_one_has_crashed(seats: int, acks: int) -> None:
    assert quorum(seats) == acks
    assert 2 * acks - seats >= 2


def test_an_entry_is_read_from_its_item_and_from_nothing_else() -> None:
    said = entry(NOTE)
    assert entry_of(appended(said)) == said
    assert entry_of(item(body=(claim(),))) is None


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", Fault.MALFORMED),
        (b"\xc1", Fault.MALFORMED),
        (encode(entry(NOTE))[:-1], Fault.MALFORMED),
        (encode(entry(NOTE)) + b"\x00", Fault.MALFORMED),
        (encode(structs.replace(entry(), events=())), Fault.BAD_ENTRY),
        (encode(entry(*(NOTE,) * (EVENTS_MAX + 1))), Fault.BAD_ENTRY),
    ],
)
def test_an_entry_that_cannot_be_read_is_its_authors_fault(data: bytes, code: Fault) -> None:
    with pytest.raises(PeerFault) as fault:
        entry_of(writer(2).write((Append(entry=data),)))
    assert code_of(fault) == (code, 2)


def test_an_entry_at_the_limit_is_read() -> None:
    assert entry_of(appended(entry(*(NOTE,) * EVENTS_MAX))) is not None


def test_named_items_are_named_once_in_the_order_of_naming() -> None:
    said = entry(
        Settled(claim=d(3), result=Result.OK, evidence=(d(1), d(2))),
        Contest(claims=(d(5), d(1)), evidence=(d(4), d(3))),
        Drawn(index=1, coins=(d(7), d(6)), order=(d(9),), results=(Result.OK,)),
        NOTE,
        Carried(item=d(8)),
        Blamed(culprit=1, items=(d(2), d(10))),
    )
    assert named_items(said) == tuple(map(d, (3, 1, 2, 5, 4, 7, 6, 8, 10)))


def extends(said: Entry, author: int = 0) -> None:
    check_extends(said, HEAD, Seat(author), epoch=0, term=0, on_duty=Seat(0))


def test_the_next_entry_of_the_seat_on_duty_extends_the_chain() -> None:
    extends(entry())


@pytest.mark.parametrize(
    ("said", "author", "code"),
    [
        (entry(), 1, Fault.WRONG_TERM),
        (entry(term=1), 0, Fault.WRONG_TERM),
        (entry(epoch=1), 0, Fault.WRONG_TERM),
        (entry(index=0), 0, Fault.BAD_LINK),
        (entry(index=2), 0, Fault.BAD_LINK),
        (entry(prev=d(1)), 0, Fault.BAD_LINK),
    ],
)
def test_whatever_does_not_extend_the_chain_is_its_authors_fault(
    said: Entry, author: int, code: Fault
) -> None:
    with pytest.raises(PeerFault) as fault:
        extends(said, author)
    assert code_of(fault) == (code, author)


@given(st.sampled_from([4, 6, 8, 10]), st.integers(0, 9), st.integers(0, 200))
def test_the_duty_rotates_from_the_first_dealer(seats: int, dealer: int, deal: int) -> None:
    dealer %= seats
    assert on_duty(seats, Seat(dealer), 0) == dealer
    assert on_duty(seats, Seat(dealer), deal + 1) == (on_duty(seats, Seat(dealer), deal) + 1) % seats


# Coins


short_chain = coin_chain.__wrapped__
"""Not kept: those of the true length are of the same secrets."""


def test_each_coin_is_the_preimage_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coins_module, "CHAIN_LENGTH", 20)
    chain = short_chain(b"secret")
    assert len(set(chain)) == len(chain) == 21
    for last, coin in pairwise(chain):
        check_coin(last, coin, Seat(1))
    assert short_chain(b"other")[0] != chain[0]


@pytest.mark.parametrize("which", [0, 1, 3])
def test_a_coin_of_another_link_is_its_owners_fault(which: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coins_module, "CHAIN_LENGTH", 4)
    chain = short_chain(b"secret")
    with pytest.raises(PeerFault) as fault:
        check_coin(chain[1], chain[which], Seat(1))
    assert code_of(fault) == (Fault.BAD_COIN, 1)


@pytest.mark.parametrize("coin", [b"", bytes(31), bytes(33), bytes(32)])
def test_no_coin_at_all_is_its_owners_fault(coin: bytes) -> None:
    with pytest.raises(PeerFault) as fault:
        check_coin(bytes(32), coin, Seat(2))
    assert code_of(fault) == (Fault.BAD_COIN, 2)


def test_the_draw_depends_on_the_set_every_coin_and_the_claim() -> None:
    base = priority(d(1), (d(2), d(3)), d(4))
    others = {
        priority(d(9), (d(2), d(3)), d(4)),
        priority(d(1), (d(9), d(3)), d(4)),
        priority(d(1), (d(2), d(9)), d(4)),
        priority(d(1), (d(3), d(2)), d(4)),
        priority(d(1), (d(2),), d(4)),
        priority(d(1), (d(2), d(3)), d(9)),
    }
    assert len(others | {base}) == 7


# Evidence


def ack(index: int, digest: Digest, *, term: int = 0, epoch: int = 0) -> Ack:
    return Ack(epoch=epoch, term=term, head=Head(index=index, digest=digest))


BEFORE = d(77)


def at(number: int, *body: Statement, seat: int = 0, prev: Digest = BEFORE) -> TapeItem:
    """An item far along a tape, told apart by what it says."""
    return item(seat=seat, number=number, prev=prev, lamport=number + 1, body=body)


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [
        (at(5, claim(b"a")), at(5, claim(b"b")), "number 5"),
        (at(5, claim(b"a")), at(6, claim(b"b")), "links"),
        (at(6, claim(b"a")), at(5, claim(b"b")), "links"),
        (at(5, ack(3, d(1))), at(9, ack(3, d(2))), "acks"),
        (at(5, claim(), ack(2, d(8)), ack(3, d(1))), at(9, ack(3, d(2)), ack(4, d(8))), "acks"),
        (
            at(5, Append(entry=encode(entry(NOTE)))),
            at(9, Append(entry=encode(entry(NOTE, NOTE)))),
            "entries at index 1",
        ),
    ],
)
def test_what_one_honest_key_cannot_say(first: TapeItem, second: TapeItem, word: str) -> None:
    for pair in ((first, second), (second, first)):
        why = contradiction(*pair)
        assert why is not None
        assert word in why
        fault = equivocation(*pair)
        assert fault is not None
        assert (fault.code, fault.culprit) == (Fault.EQUIVOCATION, 0)
        assert check_equivocation(decode(fault.evidence, Equivocation), MATCH, SIGNERS) == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (at(5, claim(b"a")), at(5, claim(b"a"))),
        (at(5, claim(b"a")), at(7, claim(b"b"))),
        (at(5, claim(b"a")), at(5, claim(b"b"), seat=1)),
        (at(5, claim(b"a"), prev=d(1)), at(5, claim(b"b"), prev=d(2))),
        (at(5, ack(3, d(1))), at(9, ack(3, d(1)))),
        (at(5, ack(3, d(1))), at(9, ack(4, d(2)))),
        (at(5, ack(3, d(1))), at(9, ack(3, d(2), term=1))),
        (at(5, ack(3, d(1))), at(9, ack(3, d(2), epoch=1))),
        (
            at(5, Append(entry=encode(entry(NOTE)))),
            at(9, Append(entry=encode(entry(NOTE, NOTE, term=1)))),
        ),
        (
            at(5, Append(entry=encode(entry(NOTE)))),
            at(9, Append(entry=encode(entry(NOTE, NOTE, index=2)))),
        ),
    ],
)
def test_what_an_honest_key_may_say(first: TapeItem, second: TapeItem) -> None:
    for pair in ((first, second), (second, first)):
        assert contradiction(*pair) is None
        assert equivocation(*pair) is None
        with pytest.raises(PeerFault) as fault:
            check_equivocation(Equivocation(first=pair[0].signed, second=pair[1].signed), MATCH, SIGNERS)
        assert code_of(fault) == (Fault.BAD_EVIDENCE, None)


def test_consecutive_items_of_an_honest_tape_prove_nothing() -> None:
    items = tape(0, 6)
    assert all(contradiction(a, b) is None for a in items for b in items)


def test_only_where_branches_part_is_evidence() -> None:
    (root,) = tape(0, 1)
    left, right = branch(root, b"l"), branch(root, b"r")
    left2, right2 = branch(left, b"l"), branch(right, b"r")
    assert contradiction(left, right) is not None
    assert contradiction(left, right2) is not None
    assert contradiction(left2, right2) is None


def test_evidence_needs_both_signatures() -> None:
    first, second = at(5, claim(b"a")), at(5, claim(b"b"))
    forged = structs.replace(second.signed, signature=bytes(64))
    with pytest.raises(PeerFault) as fault:
        check_equivocation(Equivocation(first=first.signed, second=forged), MATCH, SIGNERS)
    assert code_of(fault) == (Fault.BAD_SIGNATURE, None)
