"""When a contest may be closed at some ends of the tapes: only if no longer tape could say otherwise."""

import dataclasses

import pytest
from ledger_helpers import claim, receipt, writer

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.ledger.claimbook import ClaimBook, HeldClaim
from kemps_p2p.ledger.tape import NO_DIGEST, Claim, TapeItem

SEATS = 4
UNKNOWN = Digest(tagged_hash("test/claim", b"unknown"))


def hold(made: TapeItem, said: Claim) -> HeldClaim:
    return HeldClaim(made, said, said.action[:1], said.action.endswith(b"refused"))


@dataclasses.dataclass(frozen=True)
class Scene:
    """Two rival claims and one word: seat 2 has the first of them."""

    book: ClaimBook
    first: TapeItem
    second: TapeItem
    word: TapeItem

    @property
    def both(self) -> tuple[Digest, Digest]:
        return self.first.digest, self.second.digest

    def ends(self, **changes: tuple[int, Digest]) -> list[tuple[int, Digest]]:
        """Where the tapes end here, but for those of some seats, `s0` to `s3`."""
        return [changes.get(f"s{seat}", end) for seat, end in enumerate(self.book.ends())]


@pytest.fixture
def scene() -> Scene:
    first, second = writer(0).write((claim(b"x"),)), writer(1).write((claim(b"y"),))
    word = writer(2).write((receipt(first.digest),))
    book = ClaimBook(SEATS, hold, lambda a, b: True)
    for made in (first, second, word):
        book.follow(made)
    book.advance()
    return Scene(book, first, second, word)


def test_a_contest_is_closed_where_its_tapes_end(scene: Scene) -> None:
    assert scene.book.ends() == (
        (1, scene.first.digest),
        (1, scene.second.digest),
        (1, scene.word.digest),
        (0, NO_DIGEST),
    )
    assert scene.book.may_cut(scene.both, scene.ends())


def test_not_at_an_item_that_is_not_held_here(scene: Scene) -> None:
    assert not scene.book.may_cut(scene.both, scene.ends(s3=(1, UNKNOWN)))
    assert not scene.book.may_cut(scene.both, scene.ends(s2=(2, UNKNOWN)))


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_not_before_a_word_that_is_held_here(scene: Scene, seat: int) -> None:
    assert not scene.book.may_cut(scene.both, scene.ends(**{f"s{seat}": (0, NO_DIGEST)}))


def test_not_without_a_rival_of_what_is_named(scene: Scene) -> None:
    assert not scene.book.may_cut((scene.first.digest,), scene.ends())


def test_not_with_a_claim_that_is_not_held(scene: Scene) -> None:
    assert not scene.book.may_cut((*scene.both, UNKNOWN), scene.ends())


def test_not_with_a_claim_that_is_in_a_contest_already(scene: Scene) -> None:
    scene.book.contested.add(scene.second.digest)
    assert not scene.book.may_cut(scene.both, scene.ends())


def test_not_with_a_claim_that_is_refused(scene: Scene) -> None:
    refused = writer(3).write((claim(b"z refused"),))
    scene.book.follow(refused)
    scene.book.advance()
    assert not scene.book.may_cut((*scene.both, refused.digest), scene.ends())
    assert scene.book.may_cut(scene.both, scene.ends())


def test_what_a_cut_names_waits_until_the_cut_is_final(scene: Scene) -> None:
    assert scene.book.decided() == ()
    lengths = [length for length, _ in scene.ends()]
    scene.book.cut(scene.both, lengths, is_final=False)
    assert scene.book.decided() == ()
    scene.book.cut(scene.both, lengths, is_final=True)
    # One word of two, and no other to come: neither can be first.
    assert [found.claims for found in scene.book.decided()] == [tuple(sorted(scene.both))]
    scene.book.heal()
    assert scene.book.decided() == ()
