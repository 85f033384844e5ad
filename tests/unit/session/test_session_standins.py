"""Who stands in for an absent player, played by hand: what is offered, who agrees, and what nobody gets."""

from dataclasses import replace

import pytest
from msgspec import structs
from session_helpers import WALL_MS, Table, identity, next_of, opened
from test_session_absence import GONE, OTHERS, coming_dealer, dealt, silenced, vote, waited
from test_session_incarnations import begin_again

from kemps_p2p.codec import Digest, decode, derive, encode
from kemps_p2p.errors import Fault, Illegal, IllegalAction
from kemps_p2p.game.actions import Gesture, Next
from kemps_p2p.game.record import Phase
from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.sitting import Sitting, sign_sitting, sitting_digest
from kemps_p2p.ledger.tape import Agreed, Back
from kemps_p2p.session import effects as fx
from kemps_p2p.session.journal import read_journal, setup_from
from kemps_p2p.session.messages import Batch, Offer, Openings, Plea, Want, Whisper, Wish, pack
from kemps_p2p.session.offers import OFFERS_MAX
from kemps_p2p.session.seating import ASKED_MS, ROOM_MS, Pen, Seating
from kemps_p2p.session.session import Session
from kemps_p2p.session.silence import unheard_in
from kemps_p2p.session.standin import OFFER_LABEL, StandIn, sign_offer
from kemps_p2p.session.walkover import WALK_OVER_MS

ANNA, CLEO, DAN = map(Seat, OTHERS)
CURVE = bytes([7]) * 32
"""Of the first."""


def absent() -> Table:
    """A table that has voted a seat absent."""
    return vote(waited(silenced(opened(), GONE)), *OTHERS)


def program(what: int = 0) -> tuple[Identity, bytes]:
    """What a stand-in signs and plays with."""
    return identity(20 + what), derive("test/stand-in", bytes([what]))[:32]


def curve(what: int = 0) -> bytes:
    """The CURVE key of its process."""
    return bytes([7 + what]) * 32


def offer(table: Table, by: Seat = ANNA, what: int = 0) -> Table:
    made = table.sessions[by].offer_stand_in(GONE, program(what), curve(what), table.now_ms)
    table.carry_out(by, made)
    return table.settle()


def agree(table: Table, *voters: Seat, by: Seat = ANNA) -> Table:
    for voter in voters:
        table.carry_out(voter, table.sessions[voter].agree_to_stand_in(GONE, by, table.now_ms))
    return table.settle().wait(300)


def made(
    table: Table, *, by: Seat = ANNA, owner: Identity | None = None, key: Identity | None = None, **of: int
) -> Offer:
    """An offer as it is signed: by whom, in whose name, and with which key."""
    match, pen = table.play().founding.match, key or program()[0]
    said = {"seat": int(GONE), "incarnation": 1, **of}
    sitting = Sitting(match=match, key=pen.public, coin=bytes(32), **said)
    raw, signature = sign_sitting(pen, sitting)
    stand_in = StandIn(by=by, curve=CURVE, raw=raw, signature=signature)
    return sign_offer(owner or identity(by), pen, stand_in)


def sights(table: Table, seat: Seat, kind: type[fx.AbsenceSight]) -> list[fx.Sight]:
    return [sight for sight in table.sights[seat] if isinstance(sight, kind)]


def holders(table: Table, seat: Seat = CLEO) -> list[bytes]:
    return [each.key for each in table.sessions[seat].let_in()]


def test_an_offer_that_all_agree_to_gives_the_seat_away() -> None:
    table = offer(absent())
    assert table.sessions[ANNA].can_offer() == ()
    assert [(each.seat, each.by) for each in table.sessions[CLEO].offers()] == [(GONE, ANNA)]
    assert sights(table, CLEO, fx.StandInOffered) == [fx.StandInOffered(GONE, ANNA)]
    agree(table, CLEO)
    # One is missing: nobody holds the seat, and nobody's process is let in.
    assert table.play().final.absent.keys() == {GONE}
    assert [holders(table, seat) for seat in map(Seat, OTHERS)] == [[], [], []]
    agree(table, DAN)
    for seat in map(Seat, OTHERS):
        assert table.play(seat).final.signers[GONE][-1].key == program()[0].public
        assert holders(table, seat) == [program()[0].public]
        told = [fx.StandInAgreed(each, GONE, ANNA) for each in (ANNA, CLEO, DAN)]
        assert sorted(sights(table, seat, fx.StandInAgreed), key=str) == sorted(told, key=str)
        assert sights(table, seat, fx.SeatHeld) == [fx.SeatHeld(GONE, ANNA)]
        assert sights(table, seat, fx.SeatBack) == []
        # It has as long to appear as anybody.
        assert table.sessions[seat].can_vote_absent(table.now_ms) == ()
        assert table.faults(seat) == []
    assert table.sessions[CLEO].let_in()[0].curve == CURVE


def test_nothing_is_offered_for_who_is_there_nor_agreed_to_that_nobody_offers() -> None:
    table = opened()
    assert table.sessions[ANNA].can_offer() == ()
    with pytest.raises(IllegalAction) as caught:
        offer(table)
    assert caught.value.reason is Illegal.NOT_ABSENT
    table = absent()
    assert table.sessions[ANNA].can_offer() == (GONE,)
    with pytest.raises(IllegalAction) as caught:
        agree(table, CLEO)
    assert caught.value.reason is Illegal.NO_OFFER


@pytest.mark.parametrize(
    "lie",
    [
        "other tape",
        "player",
        "later",
        "own seat",
        "no seat",
        "other owner",
        "other curve",
        "no sitting",
        "nobody",
    ],
)
def test_an_offer_that_nobody_may_make_is_passed_over(lie: str) -> None:
    table = absent()
    own = program()[0]
    good = made(table)
    copied = structs.replace(decode(good.raw, StandIn), by=int(CLEO), curve=bytes(32))
    raw = encode(copied)
    bad, code = {
        # The key of another tape: its owner would sit twice.
        "other tape": (made(table, key=identity(DAN)), None),
        # No seat is given for the incarnation after the next.
        "later": (made(table, incarnation=2), None),
        "own seat": (made(table, by=GONE), Fault.WRONG_SEAT),
        "no seat": (made(table, seat=9), None),
        "other owner": (made(table, owner=identity(CLEO)), Fault.BAD_SIGNATURE),
        # What one has signed, another offers with a CURVE key of its own.
        "other curve": (
            Offer(raw=raw, signature=identity(CLEO).sign(OFFER_LABEL, raw), own=good.own),
            Fault.BAD_SIGNATURE,
        ),
        "no sitting": (
            sign_offer(identity(ANNA), own, StandIn(by=ANNA, curve=CURVE, raw=b"", signature=bytes(64))),
            Fault.MALFORMED,
        ),
        "nobody": (made(table, by=Seat(9), owner=identity(ANNA)), Fault.WRONG_SEAT),
        # Whoever has the player's own key is the player, and needs nobody's leave.
        "player": (made(table, key=identity(GONE), owner=identity(DAN)), Fault.BAD_SIGNATURE),
    }[lie]
    table.hear(CLEO, ANNA, pack(bad))
    table.settle()
    assert table.sessions[CLEO].offers() == ()
    assert table.faults(CLEO) == ([] if code is None else [(code, None)])


def test_who_lies_about_who_has_agreed_gets_nothing() -> None:
    """A word of another seat that its owner has not signed is none, and words of a quorum are needed."""
    table = offer(absent())
    name = sitting_digest(
        decode(table.play(ANNA).offers.standing(table.play().final)[0].offer.raw, StandIn).raw
    )
    length, last = table.play().tapes.end(GONE)
    word = Agreed(seat=GONE, sitting=name, length=length, last=last)
    for voter in (CLEO, DAN):
        lie = next_of(voter, table).write((word,)).signed
        forged = structs.replace(lie, signature=identity(ANNA).sign("kemps/v1/item", lie.raw))
        for seat in map(Seat, OTHERS):
            table.hear(seat, ANNA, pack(Batch(items=(forged,))))
    table.settle().wait(500)
    assert table.play().final.absent.keys() == {GONE}
    assert (Fault.BAD_SIGNATURE, None) in table.faults(DAN)


def test_a_seat_that_did_not_agree_lets_in_whom_a_quorum_has_given_the_seat() -> None:
    others = [seat for seat in range(6) if seat != GONE]
    table = vote(waited(silenced(opened(players=6), GONE)), *others)
    agree(offer(table), *map(Seat, (2, 3)))
    assert table.play().final.absent.keys() == {GONE}
    agree(table, Seat(4))
    for seat in others:
        assert table.play(seat).final.absent == {}
        assert holders(table, Seat(seat)) == [program()[0].public]
        assert table.faults(seat) == []


def test_of_two_offers_at_once_one_wins_and_the_other_is_let_in_nowhere() -> None:
    table = offer(offer(absent(), ANNA, 0), DAN, 1)
    assert [each.by for each in table.sessions[CLEO].offers()] == [ANNA, DAN]
    # Whoever offers may agree to the other offer as well.
    agree(table, ANNA, CLEO, by=DAN)
    assert table.play().final.signers[GONE][-1].key == program(1)[0].public
    for seat in map(Seat, OTHERS):
        assert holders(table, seat) == [program(1)[0].public]
        assert table.sessions[seat].offers() == ()
        with pytest.raises(IllegalAction):
            agree(table, seat, by=ANNA)


def test_bots_agree_once_all_persons_have() -> None:
    table = absent()
    table.carry_out(DAN, table.sessions[DAN].want(Want.AS_OTHERS))
    offer(table.settle())
    assert table.sessions[DAN].go_along(table.now_ms) == []
    agree(table, CLEO)
    table.carry_out(DAN, table.sessions[DAN].go_along(table.now_ms))
    table.settle().wait(300)
    assert table.play().final.absent == {}
    assert holders(table) == [program()[0].public]


def test_what_a_seat_wanted_before_is_no_wish_of_who_sits_there_now() -> None:
    """Else a table would ask whoever comes back no more than the bot that stood in."""
    table = offer(absent())
    for seat in map(Seat, OTHERS):
        table.sessions[seat]._wants[GONE] = Want.AS_OTHERS
    agree(table, CLEO, DAN)
    assert [table.sessions[seat].wants[GONE] for seat in map(Seat, OTHERS)] == [Want.PLAY_ON] * 3


def test_an_offer_comes_to_who_was_away_and_offers_end() -> None:
    table = absent()
    table.drops = lambda sender, receiver, data: GONE in (sender, receiver) or CLEO in (sender, receiver)
    offer(table)
    assert table.sessions[CLEO].offers() == ()
    silenced(table, GONE).wait(600)
    assert [each.by for each in table.sessions[CLEO].offers()] == [ANNA]
    for what in range(1, OFFERS_MAX + 3):
        pen = Pen(*program(what), table.play().founding.match, GONE)
        table.hear(CLEO, ANNA, pack(pen.offer(identity(ANNA), ANNA, curve(what), 1)))
    # Of each the last counts, and what comes beyond some is passed over.
    (last,) = table.sessions[CLEO].offers()
    assert last.key == program(OFFERS_MAX - 1)[0].public


def test_offers_of_the_past_are_dropped_but_for_other_seats() -> None:
    table = offer(absent())
    final, offers = table.play(CLEO).final, table.play(CLEO).offers
    (standing,) = offers.standing(final)
    offers._keep(replace(standing, seat=DAN, incarnation=7, name=Digest(bytes(32))))
    assert standing in offers.standing(final)
    offers._keep(replace(standing, incarnation=3, name=Digest(bytes(32))))
    assert standing not in offers.standing(final)


def test_who_is_not_the_sitter_has_no_word_at_the_table() -> None:
    """Its messages bring items and pleas; it is not heard of for that, wants nothing and whispers nothing."""
    table = agree(offer(absent()), CLEO, DAN)
    session = table.sessions[DAN]
    assert not session.is_sitting(GONE, identity(GONE).public)
    silent_ms = session.play.pacing.silent_ms(GONE, table.now_ms + 9000)
    pen = Pen(identity(GONE), bytes(32), table.play().founding.match, GONE)
    for said in (Wish(want=Want.ABANDON), Whisper(text="psst"), pen.plea(2), made(table, incarnation=2)):
        shown = session.receive_aside(GONE, pack(said), table.now_ms + 9000)
        assert not [each for each in shown if isinstance(each, fx.Show) and isinstance(each.sight, fx.Wanted)]
        assert not any(isinstance(each, fx.Show) and isinstance(each.sight, fx.Whispered) for each in shown)
        if isinstance(said, Plea):
            assert fx.Show(fx.PlayerAsks(GONE)) in shown
            assert fx.Send(pack(said)) in shown
            # It has no link to who stands in.
            again = session.receive_aside(GONE, pack(said), table.now_ms + 9000)
            assert fx.Send(pack(said), GONE) in again
            assert fx.Send(pack(said)) not in again
    assert session.wants[GONE] is not Want.ABANDON
    assert session.play.pacing.silent_ms(GONE, table.now_ms + 9000) == silent_ms
    assert table.faults(DAN) == []
    broken = session.receive_aside(GONE, b"\xc1", table.now_ms)
    assert [type(effect.sight) for effect in broken if isinstance(effect, fx.Show)] == [fx.FaultFound]


def test_what_an_old_incarnation_goes_on_to_say_counts_nowhere() -> None:
    """Neither the player's program nor a stand-in that was followed by another is heard behind its end."""
    table = absent()
    late = next_of(GONE, table).write((Back(index=1),))
    agree(offer(table), CLEO, DAN)
    end = table.play(CLEO).tapes.end(GONE)
    for aside in (True, False):
        data = pack(Batch(items=(late.signed,)))
        session = table.sessions[CLEO]
        if aside:
            table.carry_out(CLEO, session.receive_aside(GONE, data, table.now_ms))
        else:
            table.hear(CLEO, GONE, data)
        table.settle()
    assert table.play(CLEO).tapes.end(GONE) == end
    assert table.faults(CLEO) == []


def test_the_player_gets_the_seat_back_between_deals_and_the_stand_in_hears_of_it() -> None:
    """Nobody runs the program here: so it says nothing, as one that makes room."""
    table = agree(offer(absent()), CLEO, DAN)
    table.drops = lambda sender, receiver, data: False
    table.sessions[GONE].want(Want.HUDDLE)
    table.settle().wait(3000)
    # What it has said itself stands.
    assert table.sessions[GONE].wants[GONE] is Want.HUDDLE
    for seat in map(Seat, OTHERS):
        final = table.play(seat).final
        assert [signer.key for signer in final.signers[GONE]] == [
            identity(GONE).public,
            program()[0].public,
            identity(GONE).public,
        ]
        assert fx.PlayerAsks(GONE) in table.sights[seat]
        assert fx.SeatBack(GONE) in table.sights[seat]
        assert holders(table, seat) == [program()[0].public]
        assert table.faults(seat) == []
    # What opens deals is said, and passed on, once the match is over.
    assert list(table.play(ANNA).openings()) == []
    assert table.sessions[CLEO].receive_aside(GONE, pack(Openings(deeds=(b"",))), table.now_ms) == []
    dealt(table)
    assert [holders(table, seat) for seat in map(Seat, OTHERS)] == [[], [], []]


def test_the_player_asks_though_others_hold_more_of_what_the_stand_in_says() -> None:
    table = agree(offer(absent()), CLEO, DAN)
    table.drops = lambda sender, receiver, data: False
    table.settle().wait(100)
    play = table.play(GONE)
    length, _ = play.tapes.end(GONE)
    for seat in OTHERS:
        play.hear_length(Seat(seat), length + 1)
    assert play.plea() is not None


def played_by(table: Table) -> Table:
    """The program of the stand-in takes its seat, and hears the others."""
    heading = read_journal([each.data for each in table.appended[ANNA] if each.file is fx.File.JOURNAL][:2])
    own = Session.restored(setup_from(heading, *program(), GONE), heading, [], table.now_ms, WALL_MS)
    begin_again(table, GONE, own)
    table.drops = lambda sender, receiver, data: False
    return table.settle().wait(3000)


def test_a_vote_on_the_incarnation_before_that_comes_late_is_none() -> None:
    table = agree(offer(absent()), CLEO, DAN)
    play = table.play(ANNA)
    votes = [item for seat in OTHERS for item in play.tapes.of(Seat(seat)) if any(unheard_in(item))]
    assert {item.seat for item in votes} == set(OTHERS)
    for item in votes:
        for said in unheard_in(item):
            assert play.tapes.end(GONE) == (said.length, said.last)
            play._silence.hear(item, said)
    assert play._silence.voters(play.final, GONE) == {}


def test_a_stand_in_plays_and_no_deal_begins_while_the_player_asks() -> None:
    table = played_by(agree(offer(absent()), CLEO, DAN))
    dealt(table)
    assert len(table.sessions[GONE].view().hand) == 4
    assert table.play().final.game.phase is Phase.OPEN
    table = played_by(agree(offer(absent()), CLEO, DAN))
    play = table.play(coming_dealer(table))
    play.check(Next(), table.now_ms)
    plea = Pen(identity(GONE), bytes(32), play.founding.match, GONE).plea(2)
    table.sessions[coming_dealer(table)].receive_aside(GONE, pack(plea), table.now_ms)
    with pytest.raises(IllegalAction) as caught:
        play.check(Next(), table.now_ms)
    assert caught.value.reason is Illegal.NOT_READY
    # The stand-in asks for nothing, whatever it hears.
    assert table.play(GONE).plea() is None
    for other in (DAN, ANNA):
        table.play(GONE).hear_plea(plea, other, table.now_ms)
    with pytest.raises(IllegalAction) as caught:
        table.play(GONE).check(Gesture(name="wink"), table.now_ms)
    assert caught.value.reason is Illegal.COMING_BACK


def test_a_deal_waits_for_the_player_as_long_as_it_asks_and_not_for_ever() -> None:
    table = agree(offer(absent()), CLEO, DAN)
    play = table.play(CLEO)
    final, pen = play.final, Pen(identity(GONE), bytes(32), play.founding.match, GONE)
    for asked_until_ms, awaited_until_ms in ((0, ASKED_MS), (2 * ROOM_MS, ROOM_MS)):
        seating = Seating(CLEO, play.founding, play.tapes)
        assert not seating.is_awaited(final, 0)
        for now_ms in range(0, 3 * ROOM_MS, 500):
            if now_ms <= asked_until_ms:
                seating.hear_plea(pen.plea(2), GONE, final, now_ms)
                # What another passes on says nothing of whether the player still asks.
                seating.hear_plea(pen.plea(2), DAN, final, 3 * ROOM_MS)
            is_awaited = now_ms <= awaited_until_ms
            assert seating.is_awaited(final, now_ms) == is_awaited
            assert (GONE in seating.pleading(final, now_ms + table.now_ms)) <= is_awaited
    own = Seating(GONE, play.founding, play.tapes)
    for other in (DAN, ANNA):
        own.hear_plea(pen.plea(2), other, final, 0)
    assert own.yields(final, ASKED_MS)
    assert not own.yields(final, ASKED_MS + 1)


def test_the_offer_of_a_seat_that_is_absent_itself_lapses() -> None:
    others = [seat for seat in range(6) if seat != GONE]
    table = offer(vote(waited(silenced(opened(players=6), GONE)), *others))
    assert len(table.sessions[CLEO].offers()) == 1
    vote(waited(silenced(table, GONE, ANNA)), *[seat for seat in others if seat != ANNA], seat=ANNA)
    assert table.play(CLEO).final.absent.keys() == {GONE, ANNA}
    assert table.sessions[CLEO].offers() == ()


def test_a_stand_in_says_nothing_that_only_the_player_can_sign() -> None:
    """No walk-over, and no word of the lobby, whoever still speaks there."""
    table = agree(offer(absent()), CLEO, DAN)
    heading = read_journal([each.data for each in table.appended[ANNA] if each.file is fx.File.JOURNAL][:2])
    lobby_words = table.sessions[ANNA]._lobby._said[0]
    for who, seat, says in ((program(), GONE, False), ((identity(DAN), bytes(32)), None, True)):
        own = Session.restored(setup_from(heading, *who, seat), heading, [], table.now_ms, WALL_MS)
        later_ms = table.now_ms + WALK_OVER_MS + 1000
        effects = own.receive(ANNA, lobby_words, later_ms, WALL_MS)
        assert any(isinstance(effect, fx.Send) for effect in effects) == says
        for other in map(Seat, range(4)):
            is_partner = other == partner_of(own.seat, 4)
            own.play.pacing.heard(other, later_ms if is_partner else 0)
        assert bool(own.silent_teams(later_ms)) == says
        if not says:
            with pytest.raises(IllegalAction) as caught:
                own.walk_over(later_ms, WALL_MS)
            assert caught.value.reason is Illegal.NO_WALK_OVER
