"""A neutral observer as a further witness: what it changes in the poll, and that one liar gains nothing."""

import itertools
from collections.abc import Iterator, Mapping

import pytest
from ledger_helpers import claim, receipt, writer
from poll_scenes import OBSERVER, Scene, lawful, name, reference

from kemps_p2p.ids import Seat
from kemps_p2p.ledger.claimbook import ClaimBook, HeldClaim
from kemps_p2p.ledger.poll import Cut, Order, compare, decide, needed_words
from kemps_p2p.ledger.tape import TapeItem

WAYS: list[tuple[int, ...]] = [(), (0,), (1,), (0, 1), (1, 0)]
BOTH = frozenset({frozenset({0, 1})})
FIRST, SECOND = Seat(0), Seat(1)
PARTNER, NEUTRAL = Seat(3), Seat(2)
"""Claim 0, of seat 0, was first; claim 1 is of seat 1, whose partner is seat 3."""


@pytest.mark.parametrize("seats", range(4, 17, 2))
def test_an_observer_does_not_change_how_many_words_are_needed(seats: int) -> None:
    assert needed_words(seats, OBSERVER) == needed_words(seats, None) == seats // 2


def test_every_pair_of_claims_and_words_at_four_seats_and_an_observer() -> None:
    """Exhaustive for the claims of two seats that are no partners, against the reference."""
    for shown in itertools.product(WAYS, repeat=5):
        scene = raced(dict(zip((Seat(0), Seat(1), Seat(2), Seat(3), OBSERVER), shown, strict=True)))
        assert scene.decided() == reference(scene)


def raced(tapes: Mapping[Seat, tuple[int, ...]], observer: Seat | None = OBSERVER) -> Scene:
    own = {FIRST: [0], SECOND: [1]}
    shown = {seat: lawful(way, own.get(seat, [])) for seat, way in tapes.items()}
    return Scene(4, observer, (FIRST, SECOND), BOTH, shown)


def lies(*honest: tuple[int, ...]) -> Iterator[dict[Seat, tuple[int, ...]]]:
    """All that the tapes can show if all but seat 1 and its partner are honest, and not behind the race.

    The first claimant shows its own claim first. The second one's tape is its own: it may deny to have seen
    the other claim, which then is not caused by it.
    """
    for lie, mine in itertools.product(WAYS, ((1,), (1, 0))):
        for words in itertools.product(honest, repeat=2):
            yield {FIRST: (0,), SECOND: mine, NEUTRAL: words[0], OBSERVER: words[1], PARTNER: lie}
            yield {FIRST: (0, 1), SECOND: mine, NEUTRAL: words[0], OBSERVER: words[1], PARTNER: lie}


def test_one_lying_partner_of_four_gains_nothing_against_an_observer() -> None:
    """Both neutral witnesses have seen the first claim first: whatever the liar says, it is first."""
    counted = 0
    for tapes in lies((0, 1)):
        assert raced(tapes).decided() == {frozenset({0})}
        counted += 1
    assert counted == len(WAYS) * 2 * 2


def test_without_the_observer_the_same_liar_gets_a_coin() -> None:
    found = {
        frozenset(raced({k: v for k, v in tapes.items() if k != OBSERVER}, None).decided())
        for tapes in lies((0, 1))
    }
    assert frozenset({frozenset({0, 1})}) in found


def test_the_later_claim_is_never_first_on_any_part_of_the_words() -> None:
    """Honest words may be on their way, both or one of them: the liar wins on no part of the evidence."""
    for tapes in lies((), (0,), (0, 1)):
        scene = raced(tapes)
        a, b = scene.contenders()
        order, _ = compare(a, b, 4, OBSERVER, scene.places())
        assert order in (Order.FIRST, Order.OPEN)


def test_nor_by_a_cut_wherever_it_closes_the_tapes() -> None:
    """A cut that the liar's sequencer closes early makes the two together at worst."""
    for tapes in lies((), (0,), (0, 1)):
        scene = raced(tapes)
        cut = Cut(frozenset({name(0), name(1)}), scene.places())
        found = decide(scene.contenders(), 4, OBSERVER, scene.places(), cut)
        assert {each.claims for each in found} != {(name(1),)}


def test_two_claims_of_two_seats_are_never_together_once_all_witnesses_have_spoken() -> None:
    for words in itertools.product(((0, 1), (1, 0)), repeat=3):
        tapes = {FIRST: (0,), SECOND: (1,), NEUTRAL: words[0], PARTNER: words[1], OBSERVER: words[2]}
        assert raced(tapes).decided() in ({frozenset({0})}, {frozenset({1})})


# The book


SEATS = 4
WATCHER = Seat(4)


class Watched:
    """A claim book with an observer, which can be struck."""

    def __init__(self) -> None:
        self.observer: Seat | None = WATCHER
        self.pens = [writer(seat) for seat in range(SEATS + 1)]
        self.book = ClaimBook(
            SEATS,
            lambda item, claim: HeldClaim(item, claim, "exchange", is_refused=False),
            lambda a, b: True,
            tapes=SEATS + 1,
            observer=lambda: self.observer,
        )

    def claim(self, seat: int) -> TapeItem:
        return self.follow(self.pens[seat].write((claim(),)))

    def see(self, seat: int, *claims: TapeItem) -> TapeItem:
        """Receipts in this order, an item each; the last item."""
        for place, made in enumerate(claims):
            rivals = sorted(before.digest for before in claims[:place])
            item = self.follow(self.pens[seat].write((receipt(made.digest, rivals),)))
        return item

    def follow(self, item: TapeItem) -> TapeItem:
        self.book.follow(item)
        self.book.advance()
        return item


def test_the_book_asks_the_observer_until_it_is_struck() -> None:
    at = Watched()
    first, second = at.claim(0), at.claim(1)
    at.see(2, first, second)
    at.see(3, second, first)
    assert at.book.decided() == ()
    last = at.see(4, first, second)
    assert [found.claims for found in at.book.decided()] == [(first.digest,)]
    assert at.book.mentions(first.digest)[WATCHER].item.number == 0
    assert at.book.ends()[WATCHER] == (2, last.digest)
    at.observer = None
    (together,) = at.book.decided()
    assert set(together.claims) == {first.digest, second.digest}
    assert WATCHER not in at.book.mentions(first.digest)
    assert WATCHER not in at.book.places()


def test_a_cut_closes_the_tape_of_the_observer_until_it_is_struck() -> None:
    at = Watched()
    both = [at.claim(0), at.claim(1)]
    ends = list(at.book.ends())
    assert at.book.may_cut([made.digest for made in both], ends)
    at.see(4, *both)
    assert not at.book.may_cut([made.digest for made in both], ends), "it has spoken behind the cut"
    at.observer = None
    assert at.book.may_cut([made.digest for made in both], ends)
    assert not at.book.may_cut([made.digest for made in both], ends[:-1]), "a cut of another table"


def test_the_book_counts_what_it_has_held() -> None:
    at = Watched()
    made = at.claim(0)
    at.see(1, made)
    at.claim(2)
    at.book.settle(made.digest)
    assert at.book.held_count == 2
