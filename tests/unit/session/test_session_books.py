"""Signal books: sealed before a deal, opened when the match is over, and what a false opening costs."""

import pytest
from msgspec import structs
from session_helpers import Table, formed, opened
from session_scribe import Scribe

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Next
from kemps_p2p.game.record import Phase
from kemps_p2p.game.record import replace as game_replace
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Blamed, Carried
from kemps_p2p.ledger.tape import Deed
from kemps_p2p.session.books import book_commitment, book_in_force, is_book, may_seal
from kemps_p2p.session.dealing import Dealing, as_statement
from kemps_p2p.session.deeds import offered
from kemps_p2p.session.duties import OweBook, duties
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import BookDeed, BookOpenedDeed
from kemps_p2p.session.replay import has_all_seeds, winners

MATCH = Digest(b"\x01" * 32)
SALT = b"\x02" * 32
SECRET = b"\x03" * 32


@pytest.fixture(scope="module")
def seated() -> Table:
    return formed()


@pytest.fixture
def scribe(seated: Table) -> Scribe:
    return Scribe.at(seated)


def sealed_by(table: Table, seat: int, *signals: str) -> Table:
    table.carry_out(seat, table.sessions[seat].seal_book(signals, table.now_ms))
    return table.settle()


def over(match: Match) -> dict[str, object]:
    return {"game": game_replace(match.game, phase=Phase.MATCH_OVER, winners=(1,))}


def sealed(hand: Scribe, seat: int, deal: int, *signals: str) -> BookDeed:
    said = book_commitment(hand.match.founding.match, deal, Seat(seat), SALT, signals)
    return BookDeed(deal=deal, commitment=said)


def said(hand: Scribe, seat: int, body: BookDeed | BookOpenedDeed) -> Digest:
    return hand.say(seat, as_statement(body)).digest


def with_sealed(hand: Scribe, *signals: str) -> Scribe:
    """Seat 1 has sealed these for deal 0, and the match is over."""
    hand.order(Carried(item=said(hand, 1, sealed(hand, 1, 0, *signals))))
    return hand.copy(**over(hand.match))


def test_a_commitment_is_the_hash_that_the_protocol_says() -> None:
    numbers = (value.to_bytes(8, "big") for value in (3, 2))
    hashed = tagged_hash("kemps/v1/book", MATCH, *numbers, SALT, b"wink", b"ear tug")
    assert book_commitment(MATCH, 3, Seat(2), SALT, ("wink", "ear tug")) == hashed


def test_another_book_deal_seat_or_salt_has_another_commitment() -> None:
    made = {
        book_commitment(MATCH, 0, Seat(0), SALT, ("wink", "yawn")),
        book_commitment(MATCH, 0, Seat(0), SALT, ("winkyawn",)),
        book_commitment(MATCH, 0, Seat(0), SALT, ("yawn", "wink")),
        book_commitment(MATCH, 1, Seat(0), SALT, ("wink", "yawn")),
        book_commitment(MATCH, 0, Seat(1), SALT, ("wink", "yawn")),
        book_commitment(MATCH, 0, Seat(0), SECRET, ("wink", "yawn")),
        book_commitment(Digest(SALT), 0, Seat(0), SALT, ("wink", "yawn")),
    }
    assert len(made) == 7


def test_a_book_is_in_the_log_before_its_deal_and_its_words_are_not() -> None:
    table = sealed_by(formed(), 1, "wink")
    assert all(table.play(seat).final.books.keys() == {1} for seat in range(4))
    everything = b"".join(effect.data for appended in table.appended for effect in appended)
    assert b"wink" not in everything
    table.submit(int(table.play().final.game.dealer), Next()).settle()
    assert table.play().final.game.deal == 0
    # For the deal that runs it is too late; this one is for the next.
    sealed_by(table, 1, "yawn")
    assert table.play(2).final.books[Seat(1)].keys() == {0, 1}


def test_what_is_sealed_already_is_not_sealed_again() -> None:
    table = sealed_by(formed(), 1, "wink")
    before = table.play().final.head
    for signals in (("wink",), ("yawn",), (), ("w" * 41,), ("\x1b[2J",), ("wink",) * 17, ("",)):
        sealed_by(table, 1, *signals)
    assert table.play().final.head == before
    assert table.faults(0) == []


def test_where_rules_have_no_gestures_nobody_seals_a_book() -> None:
    table = sealed_by(formed(load_rules("cash")), 1, "wink")
    assert table.play().final.books == {}


@pytest.mark.parametrize(
    ("signals", "fits"),
    [(("wink",), True), (("wink",) * 16, True), (("wink",) * 17, False), ((), False), (("",), False)],
)
def test_a_book_has_a_few_names(signals: tuple[str, ...], *, fits: bool) -> None:
    assert is_book(signals) is fits


def test_a_book_is_for_the_coming_deal_and_only_one(scribe: Scribe) -> None:
    scribe.refuses(Fault.NOT_OWED, Carried(item=said(scribe, 1, sealed(scribe, 1, 1, "wink"))))
    after = scribe.order(Carried(item=said(scribe, 1, sealed(scribe, 1, 0, "wink"))))
    assert not may_seal(after, Seat(1), 0)
    assert may_seal(after, Seat(3), 0)
    scribe.refuses(Fault.NOT_OWED, Carried(item=said(scribe, 1, sealed(scribe, 1, 0, "yawn"))))
    ended = scribe.copy(**over(scribe.match))
    ended.refuses(Fault.NOT_OWED, Carried(item=said(ended, 3, sealed(ended, 3, 0, "yawn"))))


def test_a_book_is_opened_when_the_match_is_over_before_the_seeds(scribe: Scribe) -> None:
    early = BookOpenedDeed(deal=0, salt=SALT, signals=("wink",))
    hand = with_sealed(scribe, "wink")
    scribe.refuses(Fault.NOT_OWED, Carried(item=said(scribe, 1, early)))
    assert duties(hand.match, Seat(1))[:1] == (OweBook(0),)
    assert duties(hand.copy(is_closed=True).match, Seat(1)) == ()
    assert not any(isinstance(duty, OweBook) for duty in duties(hand.match, Seat(3)))
    assert book_in_force(hand.match, Seat(1), 0) is None
    after = hand.order(Carried(item=said(hand, 1, early)))
    assert book_in_force(after, Seat(1), 0) == ("wink",)
    assert book_in_force(after, Seat(1), 7) == ("wink",)
    assert book_in_force(after, Seat(3), 0) is None
    hand.refuses(Fault.NOT_OWED, Carried(item=said(hand, 1, early)))


@pytest.mark.parametrize("field", [{"signals": ("yawn",)}, {"salt": SECRET}])
def test_a_false_opening_loses_the_match(scribe: Scribe, field: dict[str, object]) -> None:
    hand = with_sealed(scribe, "wink")
    true = BookOpenedDeed(deal=0, salt=SALT, signals=("wink",))
    good = said(hand, 1, true)
    hand.refuses(Fault.BAD_BLAME, Blamed(culprit=1, items=(good,)))
    false = said(hand, 1, structs.replace(true, **field))
    hand.refuses(Fault.BAD_COMMITMENT, Carried(item=false), culprit=1)
    lost = hand.order(Blamed(culprit=1, items=(false,)))
    assert lost.forfeits == {1}
    assert winners(lost) == (0,)
    assert book_in_force(lost, Seat(1), 0) is None
    assert not any(isinstance(duty, OweBook) for duty in duties(lost, Seat(1)))


def test_a_book_that_stays_sealed_holds_up_no_close(scribe: Scribe) -> None:
    hand = with_sealed(scribe, "wink")
    seeds = {deal: dict.fromkeys(range(4)) for deal in range(hand.match.game.deal + 1)}
    assert has_all_seeds(structs.replace(hand.match, seeds=seeds))


def test_the_last_book_before_a_deal_is_in_force() -> None:
    match = opened().play().final
    books = {Seat(1): {0: MATCH, 2: MATCH, 3: MATCH}}
    told = {Seat(1): {0: ("wink",), 2: ("yawn",)}}
    match = structs.replace(match, books=books, opened_books=told)
    in_force = [book_in_force(match, Seat(1), deal) for deal in range(4)]
    assert in_force == [("wink",), ("wink",), ("yawn",), None]


def test_an_own_book_is_opened_to_what_was_sealed(seated: Table) -> None:
    match = seated.play().final
    dealing = Dealing(Seat(1), SECRET, ())
    assert dealing.books.last is None
    assert dealing.books.can_seal(match, ("wink", "yawn"))
    made = dealing.books.seal(match, ("wink", "yawn"))
    assert dealing.books.last == ("wink", "yawn")
    assert not dealing.books.can_seal(match, ("wink", "yawn"))
    hand = Scribe.at(seated)
    ended = structs.replace(match, books={Seat(1): {0: made.commitment}}, **over(match))
    (opening,) = dealing.fulfil(ended)
    (told,) = offered(hand.say(1, opening))  # type: ignore[arg-type]
    assert isinstance(told.body, BookOpenedDeed)
    assert told.body.signals == ("wink", "yawn")
    hand = hand.copy(books=ended.books, game=ended.game)
    item = said(hand, 1, told.body)
    assert book_in_force(hand.order(Carried(item=item)), Seat(1), 0) == ("wink", "yawn")
    # A machine that comes back does not know yet what it has sealed.
    assert list(Dealing(Seat(1), SECRET, ()).fulfil(ended)) == []


@pytest.mark.parametrize(
    ("secret", "signals", "is_found"),
    [(SECRET, ("ear tug",), True), (SECRET, ("wink", "yawn"), False), (SALT, ("ear tug",), False)],
)
def test_what_an_earlier_run_has_sealed_is_found_by_the_secret_of_the_match_alone(
    seated: Table, secret: bytes, signals: tuple[str, ...], *, is_found: bool
) -> None:
    match = seated.play().final
    made = Dealing(Seat(1), SECRET, ()).books.seal(match, signals)
    after = Dealing(Seat(1), secret, ())
    after.recall(match.founding.match, made)
    ended = structs.replace(match, books={Seat(1): {0: made.commitment}}, **over(match))
    if not is_found:
        assert after.books.last is None
        assert after.books.lost == (0,)
        assert list(after.fulfil(ended)) == []
        # Whoever plays there says what it goes by; that helps only the secret that sealed it.
        after.books.remember(match.founding.match, signals)
    assert after.books.lost == (() if secret == SECRET else (0,))
    assert after.books.last == (signals if secret == SECRET else None)
    assert len(list(after.fulfil(ended))) == (secret == SECRET)


@pytest.mark.parametrize(
    "body",
    [
        b"\x93\x05\x00\xc4\x1f" + bytes(31),
        b"\x94\x06\x00\xc4\x1f" + bytes(31) + b"\x91\xa1w",
        b"\x94\x06\x00\xc4\x20" + bytes(32) + b"\x91\xa0",
        b"\x94\x06\x00\xc4\x20" + bytes(32) + b"\xdc\x00\x11" + b"\xa1w" * 17,
    ],
)
def test_what_is_no_book_is_its_authors_fault(scribe: Scribe, body: bytes) -> None:
    with pytest.raises(PeerFault) as fault:
        offered(scribe.say(2, Deed(payload=body)))
    assert (fault.value.code, fault.value.culprit) == (Fault.MALFORMED, 2)
