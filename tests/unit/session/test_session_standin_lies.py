"""Lies about stand-ins: who offers, with which way to it, who asks for the seat, and what opens its deals."""

from types import SimpleNamespace

import pytest
from msgspec import structs
from session_helpers import RULES, WALL_MS, Table, identity, opened, setup
from test_session_absence import GONE, silenced, vote, waited
from test_session_incarnations import LOST, dealt, forgetful, journal_of, log_of, seated
from test_session_standins import ANNA, CLEO, CURVE, DAN, absent, agree, made, offer, program

from kemps_p2p.codec import decode, encode
from kemps_p2p.deck.deal import Seed
from kemps_p2p.game.actions import Call, Next, Partner
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import override
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.transport import PublicKey
from kemps_p2p.runtime.ways import Ways
from kemps_p2p.session import effects as fx
from kemps_p2p.session.journal import read_journal, setup_from
from kemps_p2p.session.match import is_over
from kemps_p2p.session.messages import Openings, SeedDeed, Status, Want, pack
from kemps_p2p.session.seating import ASKED_MS, Pen, Seating
from kemps_p2p.session.session import Session
from kemps_p2p.session.standin import StandIn

ONE_LETTER = override(RULES, {"word": "K"})


def relieved() -> Table:
    """A table at which a program has stood in, and the player is back."""
    table = agree(offer(absent()), CLEO, DAN)
    table.drops = lambda sender, receiver, data: False
    table.settle().wait(3000)
    assert table.play(CLEO).final.signers[GONE][-1].key == identity(GONE).public
    return table


def test_a_program_that_has_stood_in_offers_nothing_in_the_name_of_the_player() -> None:
    table = relieved()
    waited(silenced(table, DAN))
    vote(table, ANNA, GONE, CLEO, seat=DAN)
    assert table.play(CLEO).final.absent.keys() == {DAN}
    forged = made(table, by=GONE, owner=program()[0], key=identity(30), seat=int(DAN))
    for seat in (ANNA, GONE, CLEO):
        table.hear(seat, ANNA if seat != ANNA else CLEO, pack(forged))
    table.settle()
    assert [table.sessions[seat].offers() for seat in (ANNA, GONE, CLEO)] == [(), (), ()]
    assert table.sessions[GONE].can_offer() == (DAN,)


def test_a_process_is_offered_for_one_seat_alone() -> None:
    """Else what it says at one would count as said at the other."""
    table = offer(absent())
    copied = made(table, by=DAN, key=identity(30))
    assert decode(copied.raw, StandIn).curve == CURVE
    table.hear(CLEO, DAN, pack(copied))
    assert [(each.seat, each.by) for each in table.sessions[CLEO].offers()] == [(GONE, ANNA)]


def test_who_was_let_in_first_keeps_its_way() -> None:
    honest = SimpleNamespace(seat=Seat(1), by=0, key=b"honest", curve=CURVE)
    liar = SimpleNamespace(seat=Seat(3), by=2, key=b"liar", curve=CURVE)
    sitting = {1: b"honest"}
    keys = tuple(bytes([seat]) for seat in range(6))
    offers = [(honest,), (liar, honest)]
    session = SimpleNamespace(
        peers=6,
        seat=Seat(4),
        keys=keys,
        let_in=lambda: offers[0],
        is_sitting=lambda seat, key: sitting.get(seat, keys[seat]) == key,
    )
    let_in: dict[bytes, bytes] = {}
    curves = [PublicKey(bytes([100 + seat]) * 32) for seat in range(6)]
    ways = Ways(session, curves, let_in.update)  # type: ignore[arg-type]
    ways.follow()
    del offers[0]
    sitting[3] = b"liar"
    ways.follow()
    assert let_in == {CURVE: b"honest"}
    assert CURVE in list(ways.to(fx.Send(b"for seat 1", Seat(1))))
    assert CURVE not in list(ways.to(fx.Send(b"for seat 3", Seat(3))))


def test_a_player_that_goes_along_does_not_while_it_comes_back() -> None:
    table = absent()
    table.carry_out(DAN, table.sessions[DAN].want(Want.AS_OTHERS))
    agree(offer(table.settle()), CLEO)
    heading = read_journal(journal_of(table, DAN))
    again = setup_from(heading, identity(DAN), setup(DAN).secret, DAN)
    back = Session.restored(again, heading, log_of(table, DAN), table.now_ms, WALL_MS + table.now_ms)
    back.start(table.now_ms)
    for said in table.play(ANNA).offers.to_say(table.play(ANNA).final):
        back.receive(ANNA, pack(said), table.now_ms, WALL_MS)
    for seat in (GONE, ANNA, CLEO):
        back.play.pacing.heard(seat, table.now_ms)
    assert back.play.is_recovering
    assert [(each.seat, each.by) for each in back.offers()] == [(GONE, ANNA)]
    assert back.go_along(table.now_ms) == []


def test_one_seat_alone_cannot_quiet_a_stand_in_with_an_old_plea() -> None:
    table = agree(offer(absent()), CLEO, DAN)
    match, founding = table.play(CLEO).final, table.play(CLEO).founding
    own = Seating(GONE, founding, table.play(CLEO).tapes)
    old = Pen(identity(GONE), bytes(32), founding.match, GONE).plea(len(match.signers[GONE]))
    for now_ms in (0, 1000, 2000):
        own.hear_plea(old, DAN, match, now_ms)
        assert not own.yields(match, now_ms)
    own.hear_plea(old, ANNA, match, 2000)
    assert own.yields(match, 2000)
    own.hear_plea(old, DAN, match, 2001 + ASKED_MS)
    assert not own.yields(match, 2001 + ASKED_MS), "the other has passed nothing on for long"


def false_opening(seed: bytes) -> bytes:
    return pack(Openings(deeds=(encode(SeedDeed(deal=0, attempt=0, seed=Seed(seed=seed))),)))


@pytest.mark.parametrize("seed", [bytes(32), b"", bytes(100_000)])
def test_an_observer_opens_nothing(seed: bytes) -> None:
    table = Table(ONE_LETTER, observers=1).start().wait(300).settle()
    table.submit(table.play().final.game.dealer, Next()).settle().wait(RULES.look_ms + 500)
    assert table.play().final.game.phase is Phase.OPEN
    table.submit(0, Call(calls=(Partner(),)))
    # One seat keeps its seed back, so that the log waits.
    table.drops = lambda sender, receiver, data: sender == 3 and is_over(table.play(3).final)
    table.settle().wait(500)
    observer = table.sessions[4]
    assert is_over(observer.play.final)
    assert not observer.play.final.is_closed
    before = observer.play.final
    observer.receive(Seat(3), false_opening(seed), table.now_ms, WALL_MS)
    assert observer.play.final is before


@pytest.mark.parametrize("seed", [bytes(32), b"", bytes(100_000)])
def test_false_openings_do_nothing_at_a_seat_that_was_given_anew(seed: bytes) -> None:
    table = dealt(seated(forgetful(opened(ONE_LETTER))))
    table.submit(0, Call(calls=(Partner(),))).settle().wait(500)
    holder = table.sessions[LOST]
    assert is_over(holder.play.final)
    assert not holder.play.final.is_closed
    (passed_on,) = table.sessions[0].receive_aside(LOST, false_opening(seed), table.now_ms)
    assert isinstance(passed_on, fx.Send)
    for data in (false_opening(seed), passed_on.data):
        said = holder.receive(Seat(2), data, table.now_ms, WALL_MS)
        assert not [effect for effect in said if isinstance(effect, fx.Send)]


def test_a_false_status_of_who_does_not_sit_is_not_waited_for() -> None:
    table = seated(forgetful(opened(ONE_LETTER)))
    session = table.sessions[0]
    before = structs.astuple(session.play.final.head)
    told = session.receive_aside(LOST, pack(Status(lengths=(), sums=(), final=-5)), table.now_ms)
    assert [type(effect) for effect in told] == [fx.Show]
    assert session._aside == {}
    assert structs.astuple(session.play.final.head) == before
