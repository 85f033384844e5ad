"""What a seat may be told early: its claim is first only if nothing that is undecided goes before it."""

from ledger_helpers import claim, receipt, writer

from kemps_p2p.codec import Digest
from kemps_p2p.ledger.claimbook import ClaimBook, HeldClaim
from kemps_p2p.ledger.tape import Claim, TapeItem, TapeWriter

SEATS = 4


def hold(made: TapeItem, said: Claim) -> HeldClaim:
    return HeldClaim(made, said, said.action[:1], False)


def conflict(a: HeldClaim, b: HeldClaim) -> bool:
    """Claims on one card, which is the last letter."""
    return a.claim.action[-1:] == b.claim.action[-1:]


def book_of(*items: TapeItem) -> ClaimBook:
    at = ClaimBook(SEATS, hold, conflict)
    for made in items:
        at.follow(made)
    at.advance()
    return at


def seen_by(pen: TapeWriter, *claims: TapeItem) -> TapeItem:
    return pen.write(tuple(receipt(made.digest) for made in claims))


def first(at: ClaimBook, made: TapeItem) -> bool:
    return at.is_first(Digest(made.digest))


def test_a_claim_is_first_once_enough_witnesses_have_it_and_not_before() -> None:
    wish, one, other = writer(0).write((claim(b"sA"),)), writer(2), writer(3)
    seen = seen_by(one, wish), seen_by(other, wish)
    assert not first(book_of(wish), wish)
    assert not first(book_of(wish, seen[0]), wish)
    assert first(book_of(wish, *seen), wish)


def test_of_two_rivals_the_one_that_the_witnesses_had_first_is_first() -> None:
    early, late = writer(0).write((claim(b"sA"),)), writer(1).write((claim(b"sA"),))
    words = [seen_by(writer(seat), early, late) for seat in (2, 3)]
    at = book_of(early, late, *words)
    assert first(at, early)
    assert not first(at, late)


def test_what_conflicts_with_a_named_contest_waits_for_its_draw() -> None:
    named, wish = writer(1).write((claim(b"sA"),)), writer(0).write((claim(b"sA"),))
    words = [seen_by(writer(seat), wish, named) for seat in (2, 3)]
    at = book_of(named, wish, *words)
    assert first(at, wish)
    at.contested.add(named.digest)
    assert not first(at, wish)
    assert not first(at, named)
    at.settle(named.digest)
    assert first(at, wish)


def test_a_claim_behind_another_of_its_seat_and_kind_is_not_first() -> None:
    pen = writer(0)
    before, wish, other_kind = (pen.write((claim(what),)) for what in (b"sA", b"sB", b"cC"))
    words = [seen_by(writer(seat), wish, other_kind, before) for seat in (2, 3)]
    at = book_of(before, wish, other_kind, *words)
    assert [first(at, made) for made in (before, wish, other_kind)] == [True, False, True]
    at.settle(before.digest)
    assert first(at, wish)
