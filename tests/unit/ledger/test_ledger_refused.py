"""Refused, settled and foreign claims hold nobody up, and are read off no tape."""

from ledger_helpers import branch, claim, item, receipt, tape, writer

from kemps_p2p.codec import Digest, encode, tagged_hash
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.claimbook import ClaimBook, HeldClaim
from kemps_p2p.ledger.entry import Entry, Note
from kemps_p2p.ledger.evidence import contradiction
from kemps_p2p.ledger.poll import Contender, Order, compare, decide, places_in
from kemps_p2p.ledger.tape import NO_DIGEST, Append, Claim, Head, TapeItem
from kemps_p2p.ledger.tapebook import TapeBook

SEATS = 4
A, B, GONE = (Digest(tagged_hash("test/claim", name)) for name in (b"a", b"b", b"gone"))


def hold(made: TapeItem, said: Claim) -> HeldClaim:
    return HeldClaim(made, said, said.action[:1], said.action.endswith(b"refused"))


def book_of(*items: TapeItem) -> ClaimBook:
    at = ClaimBook(SEATS, hold, lambda a, b: True)
    for made in items:
        at.follow(made)
    at.advance()
    return at


def test_a_refused_claim_that_comes_last_conflicts_with_nothing() -> None:
    wish, refused = writer(0).write((claim(b"x"),)), writer(1).write((claim(b"x refused"),))
    at = book_of(wish, refused)
    assert at.undecided[wish.digest].rivals == at.undecided[refused.digest].rivals == set()


def test_a_claim_names_no_refused_one_as_its_rival() -> None:
    refused, wish = writer(0).write((claim(b"x refused"),)), writer(1).write((claim(b"x"),))
    at = book_of(refused, wish, writer(2).write((receipt(refused.digest), receipt(wish.digest))))
    assert at.rivals_of(Seat(2), lambda held: True) == (wish.digest,)


def test_claims_logged_meanwhile_do_not_contend() -> None:
    one, other = writer(0).write((claim(b"x"),)), writer(1).write((claim(b"y"),))
    at = book_of(one, other)
    assert {found.id for found in at.contenders(frozenset())} == {one.digest, other.digest}
    assert [found.id for found in at.contenders({one.digest})] == [other.digest]


def test_what_the_poll_has_said_is_asked_again_once_a_rival_is_too_old() -> None:
    one, other = (
        writer(0).write((claim(b"x"),)),
        writer(1).write((claim(b"y", head=Head(index=5, digest=A)),)),
    )
    words = (
        (receipt(one.digest), receipt(other.digest, [one.digest])),
        (
            receipt(other.digest),
            receipt(one.digest, [other.digest]),
        ),
    )
    at = book_of(one, other, *(writer(seat).write(said) for seat, said in enumerate(words, 2)))
    together = tuple(sorted((one.digest, other.digest)))
    assert [found.claims for found in at.decided()] == [together]
    at.refuse_before(3)
    assert [found.claims for found in at.decided()] == [(name,) for name in together]


def test_only_a_claim_of_the_same_seat_and_kind_can_make_one_refused() -> None:
    pen = writer(0)
    other_kind, same, refused = (pen.write((claim(what),)) for what in (b"y", b"x", b"x refused"))
    other_seat = writer(1).write((claim(b"x"),))
    at = book_of(other_kind, same, other_seat, refused)
    assert at.before_of_kind(refused.digest) == (same.digest,)


def test_an_entry_that_settles_what_is_not_held_takes_nothing_else_along() -> None:
    held, unknown = writer(0).write((claim(b"x"),)), writer(0).write((claim(b"z"),))
    at = book_of(held)
    at.settle(unknown.digest)
    assert set(at.undecided) == {held.digest}
    assert at.is_on(Seat(0), held.digest)
    assert not at.is_on(Seat(1), held.digest)
    # A word on it counts from now on, with all that stands beside it.
    at.follow(writer(2).write((receipt(unknown.digest), receipt(held.digest))))
    at.advance()
    assert at.is_on(Seat(2), held.digest)


def test_a_rival_that_does_not_contend_is_waited_for_by_nobody() -> None:
    places = {Seat(seat): {A: 0} for seat in range(SEATS)}
    (found,) = decide([Contender(A, Seat(0), frozenset({GONE}))], SEATS, None, places)
    assert found.claims == (A,)


def test_a_tape_that_does_not_show_its_own_claim_gives_no_cause() -> None:
    a, b = (Contender(A, Seat(0), frozenset({B})), Contender(B, Seat(1), frozenset({A})))
    assert compare(a, b, SEATS, None, {Seat(1): {A: 0}}) == (Order.OPEN, False)
    assert compare(a, b, SEATS, None, {Seat(1): {A: 0, B: 1}}) == (Order.FIRST, True)


def test_places_are_those_of_the_claims_that_are_asked_about() -> None:
    word = writer(2).write((receipt(A, [B]), receipt(GONE)))
    assert set(places_in([word], {A, B})[Seat(2)]) == {A, B}


def test_what_lies_beside_a_tape_counts_from_its_own_place_on() -> None:
    """A peer that holds less than the fork is sent what follows, not all over again."""
    first, second, third = tape(0, 3)
    have, lacks = TapeBook(1), TapeBook(1)
    for made in (first, second, third, branch(second, b"other")):
        have.add(made, 0)
    for made in (first, second):
        lacks.add(made, 0)
    assert list(have.since(lacks.lengths(), lacks.sums(), 0, 1 << 20)) == [third]


def test_an_entry_and_an_item_without_one_do_not_contradict_each_other() -> None:
    entry = Entry(index=1, prev=A, epoch=0, term=0, elapsed_ms=0, wall_ms=0, events=(Note(payload=b""),))
    ordered = item(body=(Append(entry=encode(entry)),), prev=NO_DIGEST)
    later = item(number=5, prev=B, lamport=9)
    assert contradiction(ordered, later) is None
    assert contradiction(later, ordered) is None
