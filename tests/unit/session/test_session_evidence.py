"""What the sequencer decides live, a stranger decides from the evidence alone, whoever lies on which tape."""

from functools import lru_cache

from hypothesis import given, settings
from hypothesis import strategies as st
from session_helpers import identity, opened

from kemps_p2p.codec import Digest, encode
from kemps_p2p.game.actions import Action, Call, Counter, Kind, Partner, Pass, Swap, kind
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.claimbook import ClaimBook, HeldClaim
from kemps_p2p.ledger.poll import DecidedSet, decide
from kemps_p2p.ledger.tape import Claim, Receipt, Statement, TapeItem, TapeWriter, tape_writer
from kemps_p2p.session.citing import evidences_for
from kemps_p2p.session.claims import check_decided, settle
from kemps_p2p.session.fold import Fold, Proofs
from kemps_p2p.session.match import Match, action_of, do_conflict, refusal
from kemps_p2p.session.materials import Materials

SEATS = 4


@lru_cache(maxsize=1)
def playing() -> Match:
    """A match with cards on the table; everything below starts from it."""
    return opened().play().final


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
