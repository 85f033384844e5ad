"""Lies about what gestures were for: seals and signal books."""

from kemps_p2p.deck.deal import Seed
from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.game.gestures import Intent
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Carried
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.messages import BookDeed, BookOpenedDeed, SeedDeed
from vectors.form import ELSEWHERE, changed
from vectors.lie_stages import booked, by_duty, playing, seated, told_at
from vectors.log_scribe import Scribe, secret
from vectors.make_logs import Finding


@told_at(playing)
def gesture_with_the_seal_of_another_item(s: Scribe) -> Finding:
    """The seat opens the true seed of its turn, and that is not enough."""
    stale = s.seal(1, Intent.DECOY)
    s.do(1, act.Gesture(name="nose"))
    s.do(1, act.Gesture(name="wink", seal=stale))
    s.do(1, act.Call(calls=(act.Partner(),)))
    s.fulfil()
    seed = SeedDeed(deal=0, attempt=0, seed=Seed(seed=deal_seed(secret(1), 0)))
    s.put(Carried(item=s.deed(1, seed).digest))
    return s.index, Fault.BAD_SEAL, 1


def opening(s: Scribe) -> BookOpenedDeed:
    """What seat 1 owes."""
    owed = s.owed(Seat(1))
    assert isinstance(owed, BookOpenedDeed)
    return owed


@told_at(booked)
def book_opened_to_other_signals(s: Scribe) -> Finding:
    s.put(Carried(item=s.deed(1, changed(opening(s), signals=("yawn",))).digest))
    return s.index, Fault.BAD_COMMITMENT, 1


@told_at(booked)
def book_opened_that_was_never_sealed(s: Scribe) -> Finding:
    s.put(Carried(item=s.deed(2, opening(s)).digest))
    return by_duty(s, Fault.NOT_OWED)


@told_at(booked)
def book_sealed_when_the_match_is_over(s: Scribe) -> Finding:
    s.put(Carried(item=s.deed(2, BookDeed(deal=1, commitment=ELSEWHERE)).digest))
    return by_duty(s, Fault.NOT_OWED)


@told_at(seated)
def book_for_a_deal_to_come_later(s: Scribe) -> Finding:
    s.put(Carried(item=s.deed(2, BookDeed(deal=1, commitment=ELSEWHERE)).digest))
    return by_duty(s, Fault.NOT_OWED)


@told_at(seated)
def second_book_for_one_deal(s: Scribe) -> Finding:
    s.seal_book(Seat(2))
    s.put(Carried(item=s.deed(2, BookDeed(deal=0, commitment=ELSEWHERE)).digest))
    return by_duty(s, Fault.NOT_OWED)
