"""What the sequencer decides live, a stranger decides from the evidence alone, whoever lies on which tape."""

from dataclasses import replace
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_helpers import Table, identity, opened

from kemps_p2p.codec import Digest, encode
from kemps_p2p.game.actions import Action, Call, Counter, Gesture, Kind, Partner, Pass, Swap, kind
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.claimbook import ClaimBook, HeldClaim
from kemps_p2p.ledger.entry import Contest, CutOff, Event, Result
from kemps_p2p.ledger.poll import DecidedSet, decide
from kemps_p2p.ledger.tape import Claim, Receipt, Statement, TapeItem, TapeWriter, tape_writer
from kemps_p2p.session import ordering
from kemps_p2p.session.citing import evidences_for
from kemps_p2p.session.claims import check_decided, settle
from kemps_p2p.session.deeds import offered
from kemps_p2p.session.fold import Fold, Proofs
from kemps_p2p.session.match import Match, action_of, begin, do_conflict, refusal
from kemps_p2p.session.materials import Materials
from kemps_p2p.session.messages import KeyDeed
from kemps_p2p.session.ordering import _settled_or_contest, compose
from kemps_p2p.session.races import asked
from kemps_p2p.session.rivals import Rivals

SEATS = 4


@lru_cache(maxsize=1)
def table_in_play() -> Table:
    """A table with cards on it; everything below starts from it."""
    return opened()


def playing() -> Match:
    return table_in_play().play().final


class Tapes:
    """Tapes that go on from a match in play, and the claims of them as a sequencer holds them."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.items: dict[Digest, TapeItem] = {}
        self.made: list[Digest] = []
        self.pens = [self._pen(seat) for seat in range(SEATS)]
        self.book = ClaimBook(SEATS, self._hold, self._conflict)

    def _pen(self, seat: int) -> TapeWriter:
        pen = tape_writer(self.match.founding.match, Seat(seat), identity(seat))
        pen.see(self.match.lamport)
        return pen

    def _hold(self, item: TapeItem, claim: Claim) -> HeldClaim:
        what = kind(action_of(item, claim))
        is_behind = what is not Kind.FREE and self.book.earlier_of_kind(item.seat, what, item.item.number)
        return HeldClaim(item, claim, what, is_behind or refusal(self.match, item, claim) is not None)

    def _conflict(self, a: HeldClaim, b: HeldClaim) -> bool:
        return do_conflict(
            self.match, (a.seat, action_of(a.item, a.claim)), (b.seat, action_of(b.item, b.claim))
        )

    def write(self, seat: int, body: tuple[Statement, ...]) -> TapeItem:
        item = self.pens[seat].write(body)
        self.take(item)
        for pen in self.pens:
            pen.see(item.item.lamport)
        return item

    def take(self, item: TapeItem) -> None:
        self.items[item.digest] = item
        self.book.follow(item)
        self.book.advance()
        if any(isinstance(said, Claim) for said in item.item.body):
            self.made.append(item.digest)

    def claim(self, action: Action, rivals: tuple[Digest, ...]) -> Claim:
        return Claim(head=self.match.head, action=encode(action), rivals=rivals)

    def materials(self) -> Materials:
        return Materials(self.match, self.items, self.book, {}, (), (), Proofs(is_eager=True))


def wishes(match: Match, seat: int) -> list[Action]:
    """What a seat may reasonably ask for here."""
    game = match.game
    give = game.hands[seat]
    return [
        *(Swap(take=(card,), give=(give[place],)) for place, card in enumerate(game.pool[:2])),
        Swap(take=game.pool[1:3], give=give[2:4]),
        Pass(pool=game.pool),
        Call(calls=(Partner(),)),
        Call(calls=(Counter(target=1 - seat % 2),)),
    ]


def decided_of(tapes: Tapes, logged: set[Digest]) -> list[DecidedSet]:
    book = tapes.book
    return [
        found
        for found in decide(book.contenders(logged), SEATS, None, book.places())
        if not any(book.is_blocked(name) or book.is_behind(name, logged) for name in found.claims)
    ]


def check_all(tapes: Tapes) -> int:
    """Log every decided set in turn, each folded from its evidence alone. Return how many there were."""
    at_hand = tapes.materials()
    work = Fold(tapes.match, Seat(0), tapes.items, at_hand.proofs)
    logged: set[Digest] = set()
    while decided := decided_of(tapes, logged):
        for found in decided:
            evidence = next(evidences_for(work.match, at_hand, found, logged))
            again = check_decided(work, found.claims, (*found.claims, *evidence))
            assert again == found
            logged.update(found.claims)
            if len(found.claims) > 1:
                return len(logged)
            settle(work, tapes.items[found.claims[0]])
    return len(logged)


@st.composite
def told(draw: st.DrawFn, *, is_honest: bool) -> Tapes:
    """Tapes on which seats make claims and give receipts.

    Honest seats name exactly the rivals before them; liars name whatever was made.
    """
    tapes = Tapes(playing())
    for _ in range(draw(st.integers(2, 16))):
        seat = draw(st.integers(0, SEATS - 1))
        body: list[Statement] = []
        unseen = [
            name
            for name in tapes.made
            if tapes.items[name].seat != seat and not tapes.book.is_on(Seat(seat), name)
        ]
        before: set[Digest] = set()
        for name in draw(st.permutations(unseen)) if draw(st.booleans()) else []:
            rivals = (
                tapes.book.rivals_on(Seat(seat), name, before)
                if is_honest
                else any_of(draw, tapes.made, name)
            )
            before.add(name)
            body.append(Receipt(claim=name, rivals=rivals))
        if draw(st.booleans()):
            action = draw(st.sampled_from(wishes(tapes.match, seat)))

            def rivalry(held: HeldClaim, seat: int = seat, action: Action = action) -> bool:
                return do_conflict(
                    tapes.match, (Seat(seat), action), (held.seat, action_of(held.item, held.claim))
                )

            named = (
                tuple(sorted({*tapes.book.rivals_of(Seat(seat), rivalry), *during(tapes, before, rivalry)}))
                if is_honest
                else any_of(draw, tapes.made, None)
            )
            body.append(tapes.claim(action, named))
        if body:
            tapes.write(seat, tuple(body))
    return tapes


def during(tapes: Tapes, before: set[Digest], rivalry: "object") -> set[Digest]:
    """The rivals among the claims that the same item gives receipts for."""
    assert callable(rivalry)
    held = [tapes.book.undecided[name] for name in before if name in tapes.book.undecided]
    return {one.id for one in held if not one.is_refused and rivalry(one)}


def any_of(draw: st.DrawFn, made: list[Digest], but: Digest | None) -> tuple[Digest, ...]:
    others = [name for name in made if name != but]
    return tuple(draw(st.lists(st.sampled_from(others), unique=True, max_size=3))) if others else ()


@settings(max_examples=120)
@given(told(is_honest=True))
def test_honest_tapes_are_decided_alike_by_their_evidence(tapes: Tapes) -> None:
    check_all(tapes)


@settings(max_examples=200)
@given(told(is_honest=False))
def test_whatever_seats_name_the_evidence_decides_as_the_tapes_do(tapes: Tapes) -> None:
    check_all(tapes)


def test_the_property_is_not_empty() -> None:
    """A race that the poll decides, told by two witnesses and logged from their words."""
    tapes = Tapes(playing())
    game = tapes.match.game
    first = tapes.write(0, (tapes.claim(Swap(take=(game.pool[0],), give=(game.hands[0][0],)), ()),))
    second = tapes.write(1, (tapes.claim(Swap(take=(game.pool[0],), give=(game.hands[1][0],)), ()),))
    assert decided_of(tapes, set()) == []
    for seat in (2, 3):
        tapes.write(
            seat,
            (
                Receipt(claim=first.digest, rivals=()),
                Receipt(claim=second.digest, rivals=(first.digest,)),
            ),
        )
    assert [found.claims for found in decided_of(tapes, set())] == [(first.digest,)]
    # The second waits behind the first, then goes too.
    assert check_all(tapes) == 2


# What a sequencer does not propose


def grabs(tapes: Tapes, *seats: int) -> tuple[Digest, ...]:
    """Claims of some seats for one card, none of which says that it has seen another."""
    game = tapes.match.game
    wish = [Swap(take=(game.pool[0],), give=(game.hands[seat][0],)) for seat in seats]
    said = [tapes.write(seat, (tapes.claim(wish[n], ()),)) for n, seat in enumerate(seats)]
    return tuple(sorted(item.digest for item in said))


def test_a_cut_names_a_whole_contest() -> None:
    tapes = Tapes(playing())
    match, claims = tapes.match, grabs(tapes, 0, 1, 2)

    def composed(overdue: tuple[Digest, ...]) -> tuple[Event, ...]:
        return compose(match, match.on_duty, replace(tapes.materials(), overdue=overdue), match.elapsed_ms)

    (cut,) = composed(claims)
    assert isinstance(cut, CutOff)
    assert cut.claims == claims
    assert composed(claims[:2]) == ()


def test_what_comes_behind_a_contest_waits_for_another_entry() -> None:
    tapes = Tapes(playing())
    match = tapes.match
    claims = grabs(tapes, 0, 1)
    for seat, (one, other) in ((2, claims), (3, claims[::-1])):
        tapes.write(seat, (Receipt(claim=one, rivals=()), Receipt(claim=other, rivals=(one,))))
    wink = tapes.write(2, (tapes.claim(Gesture("wink"), ()),))
    for seat in (0, 1):
        tapes.write(seat, (Receipt(claim=wink.digest, rivals=()),))
    assert {found.claims for found in tapes.book.decided()} == {claims, (wink.digest,)}
    (contest,) = compose(match, match.on_duty, tapes.materials(), match.elapsed_ms)
    assert isinstance(contest, Contest)
    assert contest.claims == claims


def test_what_the_evidence_does_not_decide_as_well_is_not_logged() -> None:
    """Only a forked tape can bring that about: the own book counts one branch, a stranger may the other."""
    tapes = Tapes(playing())
    (claim,) = grabs(tapes, 0)
    words = [tapes.write(seat, (Receipt(claim=claim, rivals=()),)).digest for seat in (1, 2)]
    at_hand = tapes.materials()
    (found,) = at_hand.book.decided()
    for evidence, is_logged in ((words, True), (words[:1], False)):
        work = Fold(tapes.match, Seat(0), tapes.items, at_hand.proofs)
        assert (_settled_or_contest(work, at_hand, found, tuple(evidence)) is not None) is is_logged


def test_an_entry_carries_no_more_deeds_than_a_message_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    play = table_in_play().play()
    items = play.tapes.by_digest
    keys = [item for item in items.values() if any(isinstance(d.body, KeyDeed) for d in offered(item))][:4]
    start = begin(play.founding)
    deeds = {item.digest: offered(item) for item in keys}
    at_hand = Materials(start, items, play._book, deeds, (), (), Proofs(is_eager=True))
    assert len(compose(start, Seat(0), at_hand, 0)) == len(keys) == 4
    monkeypatch.setattr(ordering, "ENTRY_ITEMS_BYTES", sum(len(item.signed.raw) for item in keys[:2]))
    assert len(compose(start, Seat(0), at_hand, 0)) == 2


# What is told of claims


def test_a_seat_is_told_of_the_race_that_it_has_lost_and_of_no_other() -> None:
    tapes = Tapes(playing())
    match, game = tapes.match, tapes.match.game
    first, second = (
        tapes.write(seat, (tapes.claim(Swap(take=(game.pool[0],), give=(game.hands[seat][0],)), ()),))
        for seat in (0, 1)
    )
    words = Receipt(claim=first.digest, rivals=()), Receipt(claim=second.digest, rivals=(first.digest,))
    for seat in (2, 3):
        tapes.write(seat, words)
    rivals = Rivals(Seat(1))
    assert list(rivals._settled(match, tapes.items, first, Result.OK)) == []
    assert list(rivals._settled(match, tapes.items, second, Result.OK)) == []
    (race,) = rivals._settled(match, tapes.items, second, Result.MISSED)
    assert (race.first.id, race.second.id) == (first.digest, second.digest)
    # Once it is logged a claim races no more, not even one that may be made again at once.
    wink = tapes.write(2, (tapes.claim(Gesture("wink"), ()),))
    assert asked(match, wink) is not None
    work = Fold(match, Seat(0), tapes.items, Proofs(is_eager=True))
    settle(work, wink)
    assert asked(work.match, wink) is None


def test_words_alone_do_not_show_a_claim_to_be_first_that_names_an_undecided_rival() -> None:
    tapes = Tapes(playing())
    game, at_hand = tapes.match.game, tapes.materials()
    (first,) = grabs(tapes, 0)
    wish = Swap(take=(game.pool[0],), give=(game.hands[1][0],))
    for rivals, count in (((), 2), ((first,), 1)):
        second = tapes.write(1, (tapes.claim(wish, rivals),))
        for seat in (2, 3):
            tapes.write(seat, (Receipt(claim=second.digest, rivals=()),))
        found = DecidedSet((second.digest,), frozenset())
        assert len(list(evidences_for(tapes.match, at_hand, found, set()))) == count
