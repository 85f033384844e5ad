"""Held claims and counted tapes: item by item, up to the first mention of what is not held."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_helpers import HEAD, claim, item, receipt, writer

from kemps_p2p.codec import Digest
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.claimbook import ClaimBook, HeldClaim, Hold
from kemps_p2p.ledger.poll import decide, places_in
from kemps_p2p.ledger.tape import Ack, Claim, CoinReveal, Head, TapeItem, TapeWriter

SEATS = 4


def held(made: TapeItem, said: Claim) -> HeldClaim | Hold:
    """Claims of b"later" and b"never" are not held, b"refused" ones are; all others conflict."""
    match said.action:
        case b"later":
            return Hold.LATER
        case b"never":
            return Hold.NEVER
        case action:
            return HeldClaim(made, said, action[:1], action == b"refused")


def book(hold: Callable[[TapeItem, Claim], HeldClaim | Hold] = held) -> ClaimBook:
    return ClaimBook(SEATS, hold, lambda a, b: True)


def pens() -> list[TapeWriter]:
    return [writer(seat) for seat in range(SEATS)]


def count(at: ClaimBook, *items: TapeItem) -> list[Digest]:
    for made in items:
        at.follow(made)
    return [found.id for found in at.advance()]


def places(at: ClaimBook, seat: int) -> list[Digest]:
    shown = at.places()[Seat(seat)]
    return sorted(shown, key=shown.__getitem__)


def test_a_claim_is_held_once_and_shown_on_its_authors_tape() -> None:
    at, made = book(), writer(0).write((claim(),))
    assert count(at, made) == [made.digest]
    assert places(at, 0) == [made.digest]
    assert count(at) == []


def test_a_mention_of_what_is_not_held_stops_the_tape_until_it_is() -> None:
    at, (a, b, c, _) = book(), pens()
    first, second = a.write((claim(b"x"),)), b.write((claim(b"y"),))
    words = [c.write((receipt(second.digest),)), c.write((receipt(first.digest),))]
    assert count(at, first, *words) == [first.digest]
    # The word on the second claim is out, so what follows it on that tape does not count yet.
    assert places(at, 2) == []
    assert count(at, second) == [second.digest]
    assert places(at, 2) == [second.digest, first.digest]


def test_an_item_counts_as_a_whole_or_not_at_all() -> None:
    at, (a, b, c, _) = book(), pens()
    first, second = a.write((claim(b"x"),)), b.write((claim(b"y"),))
    word = c.write((receipt(first.digest), receipt(second.digest)))
    count(at, first, word)
    assert places(at, 2) == []
    count(at, second)
    assert places(at, 2) == [first.digest, second.digest]


def test_a_claim_waits_for_the_claims_that_its_item_names() -> None:
    at, (a, b, c, _) = book(), pens()
    first = a.write((claim(b"x"),))
    second = b.write((receipt(first.digest), claim(b"y", rivals=[first.digest])))
    assert count(at, second) == []
    third = c.write((claim(b"z", rivals=[second.digest]),))
    assert count(at, third) == []
    assert count(at, first) == [first.digest, second.digest, third.digest]


def test_a_named_rival_is_shown_before_what_names_it() -> None:
    at, (a, b, c, _) = book(), pens()
    first, second = a.write((claim(b"x"),)), b.write((claim(b"y"),))
    # A witness that names a rival it never gave a receipt for has shown it all the same.
    word = c.write((receipt(second.digest, [first.digest]),))
    count(at, first, second, word)
    assert places(at, 2) == [first.digest, second.digest]
    assert at.mentions(first.digest)[Seat(2)] == word


def test_a_claim_of_the_future_stops_its_tape_and_one_of_no_chain_does_not() -> None:
    at, (a, b, *_) = book(), pens()
    later = a.write((claim(b"later"),))
    after = a.write((claim(b"x"),))
    assert count(at, later, after) == []
    never = b.write((claim(b"never"),))
    then = b.write((claim(b"y"),))
    assert count(at, never, then) == [then.digest]
    assert never.digest not in at.undecided
    # A witness may have held it; its word on other claims still counts.
    word = writer(2).write((receipt(never.digest), receipt(then.digest)))
    count(at, word)
    assert places(at, 2) == [then.digest]


def test_a_claim_that_waited_is_held_when_its_head_is_final() -> None:
    final = [0]

    def hold(made: TapeItem, said: Claim) -> HeldClaim | Hold:
        return HeldClaim(made, said, "kind", False) if said.head.index <= final[0] else Hold.LATER

    at = book(hold)
    made = writer(0).write((claim(head=Head(index=3, digest=HEAD.digest)),))
    assert count(at, made) == []
    final[0] = 3
    assert count(at) == [made.digest]


def test_refused_claims_conflict_with_nothing() -> None:
    at, (a, b, c, _) = book(), pens()
    refused, one, other = a.write((claim(b"refused"),)), b.write((claim(b"x"),)), c.write((claim(b"y"),))
    count(at, refused, one, other)
    assert at.undecided[refused.digest].rivals == set()
    assert at.undecided[one.digest].rivals == {other.digest}


def test_rivals_on_a_tape_are_those_it_shows() -> None:
    at, (a, b, c, _) = book(), pens()
    first, second, third = a.write((claim(b"x"),)), b.write((claim(b"y"),)), c.write((claim(b"z"),))
    word = writer(3).write((receipt(first.digest),))
    count(at, first, second, third, word)
    assert at.rivals_on(Seat(3), second.digest, set()) == (first.digest,)
    assert at.rivals_on(Seat(3), second.digest, {third.digest}) == tuple(sorted((first.digest, third.digest)))
    assert at.rivals_on(Seat(0), first.digest, set()) == ()
    assert at.rivals_of(Seat(3), lambda held: held.seat == 0) == (first.digest,)
    assert at.rivals_of(Seat(3), lambda held: held.seat == 1) == ()
    assert at.rivals_on(Seat(3), Digest(bytes(32)), set()) == ()


def test_a_logged_claim_is_nobodys_rival_and_on_no_tape() -> None:
    at, (a, b, c, _) = book(), pens()
    first, second = a.write((claim(b"x"),)), b.write((claim(b"y"),))
    word = c.write((receipt(first.digest), receipt(second.digest)))
    count(at, first, second, word)
    at.settle(first.digest)
    assert set(at.undecided) == {second.digest}
    assert at.undecided[second.digest].rivals == set()
    assert places(at, 2) == [second.digest]
    # A receipt that comes late names a claim that is known, and does not bring it back.
    count(at, writer(3).write((receipt(first.digest, [second.digest]),)))
    assert places(at, 3) == [second.digest]


def test_an_entry_may_settle_a_claim_before_it_is_held_here() -> None:
    at, made = book(), writer(0).write((claim(),))
    at.settle(made.digest)
    assert count(at, made) == []
    assert count(at, writer(1).write((receipt(made.digest),))) == []
    assert at.undecided == {}


def test_claims_of_a_seat_and_kind_are_logged_in_their_order() -> None:
    at, pen = book(), writer(0)
    first, second, other = (pen.write((claim(what),)) for what in (b"x1", b"x2", b"y"))
    count(at, first, second, other)
    assert not at.is_behind(first.digest, set())
    assert at.is_behind(second.digest, set())
    assert not at.is_behind(second.digest, {first.digest})
    assert not at.is_behind(other.digest, set())
    assert at.earlier_of_kind(Seat(0), b"x", 1)
    assert not at.earlier_of_kind(Seat(1), b"x", 1)


def test_claims_of_a_seat_that_are_together_do_not_wait_for_each_other() -> None:
    """A dealer that asks for the next deal twice, beside an exchange: all three wait for one draw."""
    at, (a, b, c, d) = book(), pens()
    first, second, other = a.write((claim(b"x1"),)), a.write((claim(b"x2"),)), b.write((claim(b"y"),))
    words = (receipt(first.digest), receipt(second.digest)), (receipt(other.digest),)
    count(at, first, second, other, c.write((*words[0], *words[1])), d.write((*words[1], *words[0])))
    (found,) = at.decided()
    assert set(found.claims) == {first.digest, second.digest, other.digest}
    assert (first.digest, second.digest) in found.causal


def test_what_may_make_a_refused_claim_refused() -> None:
    at, pen = book(lambda made, said: HeldClaim(made, said, "kind", said.action == b"refused")), writer(0)
    first, second, third = (pen.write((claim(what),)) for what in (b"x", b"refused", b"y"))
    count(at, first, second, third)
    assert at.before_of_kind(second.digest) == (first.digest,)
    assert at.before_of_kind(third.digest) == ()


def test_branches_of_a_forked_tape_count_each_for_itself() -> None:
    at = book()
    root = item(body=(Ack(epoch=0, term=0, head=HEAD),))
    other = writer(1).write((claim(b"x"),))
    stuck = item(number=1, prev=root.digest, lamport=2, body=(receipt(Digest(bytes(32))),))
    free = item(number=1, prev=root.digest, lamport=2, body=(receipt(other.digest),))
    count(at, root, stuck, other, free)
    assert places(at, 0) == [other.digest]


def test_the_places_of_a_forked_tape_do_not_depend_on_which_branch_came_first() -> None:
    a, b = writer(1).write((claim(b"x"),)), writer(2).write((claim(b"y"),))
    root = item(body=(Ack(epoch=0, term=0, head=HEAD),))
    left = [item(number=1, prev=root.digest, lamport=2, body=(receipt(a.digest),))]
    left.append(item(number=2, prev=left[0].digest, lamport=3, body=(receipt(b.digest),)))
    right = item(
        number=1, prev=root.digest, lamport=2, body=(CoinReveal(index=0, coin=b""), receipt(b.digest))
    )
    one, other = book(), book()
    count(one, a, b, root, *left)
    count(one, right)
    count(other, a, b, root, right)
    count(other, *left)
    assert one.places() == other.places()
    assert one.mentions(b.digest)[Seat(0)] == other.mentions(b.digest)[Seat(0)] == right


def test_an_item_that_cannot_be_read_keeps_its_place_and_says_nothing() -> None:
    at, pen = book(), writer(0)
    silent, after = pen.write((claim(b"x"),)), pen.write((claim(b"y"),))
    at.pass_over(silent)
    assert count(at, after) == [after.digest]
    assert places(at, 0) == [after.digest]


def test_of_two_claims_of_a_forked_tape_one_is_logged() -> None:
    at = book()
    one, other = item(body=(claim(b"x1"),)), item(body=(claim(b"x2"),))
    count(at, one, other)
    at.settle(one.digest)
    assert at.undecided == {}


def test_claims_against_too_old_a_head_are_refused_from_then_on() -> None:
    at, (a, b, *_) = book(), pens()
    old = a.write((claim(b"x", head=Head(index=2, digest=HEAD.digest)),))
    new = b.write((claim(b"y", head=Head(index=5, digest=HEAD.digest)),))
    count(at, old, new)
    at.refuse_before(3)
    assert at.undecided[old.digest].is_refused
    assert at.undecided[old.digest].rivals == at.undecided[new.digest].rivals == set()
    assert not at.undecided[new.digest].is_refused


def test_contested_claims_block_their_rivals_and_do_not_contend() -> None:
    at, (a, b, *_) = book(), pens()
    first, second = a.write((claim(b"x"),)), b.write((claim(b"y"),))
    count(at, first, second)
    at.contested.add(first.digest)
    assert [one.id for one in at.contenders(set())] == [second.digest]
    assert at.is_blocked(second.digest)
    at.settle(first.digest)
    assert at.contested == set()
    assert not at.is_blocked(second.digest)


def test_items_without_mentions_count_for_nothing() -> None:
    at = book()
    assert count(at, writer(0).write((Ack(epoch=0, term=0, head=HEAD),))) == []
    assert places(at, 0) == []


@settings(max_examples=60)
@given(st.data())
def test_whatever_the_order_of_arrival_tapes_count_the_same_and_read_as_their_items_do(
    data: st.DataObject,
) -> None:
    """Honest or not: what a tape shows live is what its items show to whoever reads the log."""
    writers, tapes = pens(), [list[TapeItem]() for _ in range(SEATS)]
    made: list[Digest] = []
    for _ in range(data.draw(st.integers(1, 14))):
        seat = data.draw(st.integers(0, SEATS - 1))
        some = data.draw(st.lists(st.sampled_from(made), unique=True, max_size=3)) if made else []
        rivals = data.draw(st.lists(st.sampled_from(made), unique=True, max_size=2)) if made else []
        words = tuple(receipt(one, [rival for rival in rivals if rival != one]) for one in some)
        asks = (claim(bytes([len(made)]), rivals),) if data.draw(st.booleans()) or not words else ()
        written = writers[seat].write((*words, *asks))
        tapes[seat].append(written)
        if asks:
            made.append(written.digest)

    def arrive() -> ClaimBook:
        at, queues = book(), [list(tape) for tape in tapes]
        while any(queues):
            queue = data.draw(st.sampled_from([queue for queue in queues if queue]))
            at.follow(queue.pop(0))
            if data.draw(st.booleans()):
                at.advance()
        at.advance()
        return at

    one, other = arrive(), arrive()
    assert set(one.undecided) == set(other.undecided) == set(made)
    for seat in range(SEATS):
        assert places(one, seat) == places(other, seat)
        read = places_in(tapes[seat], made).get(Seat(seat), {})
        assert sorted(read, key=read.__getitem__) == places(one, seat)
    decided = decide(one.contenders(set()), SEATS, None, one.places())
    assert decided == decide(other.contenders(set()), SEATS, None, other.places())
    mentions = [made for claim_ in made_items(one) for made in one.mentions(claim_).values()]
    assert decide(one.contenders(set()), SEATS, None, places_in(mentions, made)) == decided


def made_items(at: ClaimBook) -> list[Digest]:
    return list(at.undecided)


@pytest.mark.parametrize("slots", [1, 5000])
def test_places_do_not_run_into_the_next_item(slots: int) -> None:
    first = writer(1).write((claim(b"x"),))
    second = writer(2).write((claim(b"y"),))
    pen = writer(0)
    filler = tuple(receipt(Digest(bytes(32))) for _ in range(slots))
    words = [pen.write((*filler, receipt(first.digest))), pen.write((receipt(second.digest),))]
    shown = places_in(words, {first.digest, second.digest})[Seat(0)]
    assert shown[first.digest] < shown[second.digest]
