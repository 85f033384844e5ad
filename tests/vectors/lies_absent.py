"""Seats that are voted absent and come back: whole matches, and lies about them."""

from functools import cache

from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.game.state import next_dealer
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Contest, Readmitted, Struck
from kemps_p2p.ledger.tape import Back, TapeItem
from vectors.form import ELSEWHERE
from vectors.lie_stages import booked, by_duty, keyed, playing, shuffled, told_at
from vectors.log_scribe import Scribe
from vectors.make_logs import Finding, Told, finished, split, struck_by, unheard

AWAY = Seat(3)


def absences() -> list[Told]:
    """Complete logs that hold."""
    return [absent_twice(), absent_with_shares()]


def absence(s: Scribe, seat: int) -> Struck:
    """The strike of a seat by the votes of all others, where its tape ends."""
    pen = s.pens[seat]
    others = tuple(other for other in range(4) if other != seat)
    return struck_by(unheard(s, others, pen.number, pen.prev, of=seat), seat)


def back(s: Scribe, seat: int) -> Readmitted:
    """The return of a struck seat."""
    return Readmitted(seat=seat, item=s.say(seat, Back(index=s.match.absent[Seat(seat)])).digest)


def absent_twice() -> Told:
    """Seat 3 is away and the deal void; the next waits for it; then its partner is, and that one is lost."""
    s = playing().copy()
    s.order(absence(s, 3))
    s.order(back(s, 3))
    s.deal()
    s.order(absence(s, 1))
    return finished("absent-twice", s, (0, 1), (0,))


def absent_with_shares() -> Told:
    """Seat 3 is away before it has given its shares: the deal is lost."""
    s = shuffled().copy()
    s.start()
    s.order(absence(s, 3))
    return finished("absent-with-shares", s, (0, 1), (0,))


# Lies


@cache
def struck() -> Scribe:
    """With a deck that is shuffled, when seat 3 is absent."""
    s = shuffled().copy()
    s.order(absence(s, AWAY))
    return s


def votes(s: Scribe, *seats: int) -> list[TapeItem]:
    """The votes of some seats that seat 3 is absent."""
    pen = s.pens[AWAY]
    return unheard(s, seats, pen.number, pen.prev, of=AWAY)


@told_at(keyed)
def absence_with_a_vote_too_few(s: Scribe) -> Finding:
    s.put(struck_by(votes(s, 0, 1), AWAY))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(keyed)
def absence_by_the_word_of_the_seat_itself(s: Scribe) -> Finding:
    s.put(struck_by(votes(s, 0, 1, AWAY), AWAY))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(keyed)
def absence_by_votes_on_other_ends_of_the_tape(s: Scribe) -> Finding:
    s.put(struck_by([*votes(s, 0, 1), *unheard(s, (2,), 0, ELSEWHERE, of=AWAY)], AWAY))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(keyed)
def absence_by_votes_on_another_seat(s: Scribe) -> Finding:
    s.put(struck_by(votes(s, 0, 1, 2), 2))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(keyed)
def absence_of_nobody(s: Scribe) -> Finding:
    s.put(struck_by(unheard(s, (0, 1, 2), of=4), 4))
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(struck)
def absence_of_an_absent_seat(s: Scribe) -> Finding:
    s.put(struck_by(votes(s, 0, 1, 2), AWAY))
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(booked)
def absence_when_the_match_is_over(s: Scribe) -> Finding:
    s.put(absence(s, AWAY))
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(playing)
def absence_while_a_contest_is_open(s: Scribe) -> Finding:
    first, second, words = split(s)
    names = tuple(sorted((first.digest, second.digest)))
    s.order(Contest(claims=names, evidence=tuple(word.digest for word in words)))
    s.put(absence(s, AWAY))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(playing)
def absence_while_a_hand_is_called(s: Scribe) -> Finding:
    s.do(1, act.Call(calls=(act.Partner(),)))
    s.put(absence(s, AWAY))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(keyed)
def return_of_a_seat_that_is_there(s: Scribe) -> Finding:
    item = s.say(AWAY, Back(index=s.match.head.index))
    s.put(Readmitted(seat=AWAY, item=item.digest))
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(struck)
def return_by_the_word_of_another(s: Scribe) -> Finding:
    item = s.say(2, Back(index=s.match.absent[AWAY]))
    s.put(Readmitted(seat=AWAY, item=item.digest))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def return_from_another_absence(s: Scribe) -> Finding:
    item = s.say(AWAY, Back(index=s.match.absent[AWAY] - 1))
    s.put(Readmitted(seat=AWAY, item=item.digest))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def deal_without_a_seat(s: Scribe) -> Finding:
    claim = s.claim(next_dealer(s.match.game, s.match.game.dealer), act.Next())
    s.put(s.settled(claim, s.see(claim, *s.witnesses(claim.seat))))
    return by_duty(s, Fault.BAD_VERDICT)
