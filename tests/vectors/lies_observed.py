"""Lies of an observer, and about one: what it may not say, and strikes that nothing calls for."""

from functools import cache

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.ledger.entry import Blamed, Carried, Contest, CutOff, TapeEnd
from kemps_p2p.ledger.tape import NO_DIGEST, Ack, Claim, Deed, Receipt, TapeItem
from vectors.form import ELSEWHERE
from vectors.lie_stages import by_duty, told_at, wink
from vectors.log_scribe import Scribe
from vectors.make_logs import OBSERVER, STUB, Finding, short, split, struck_by, unheard, with_an_observer


@cache
def observed() -> Scribe:
    """Four seats and an observer, at genesis."""
    return Scribe.seated(short(), 4, STUB, observers=1)


@cache
def played() -> Scribe:
    """The same, in play."""
    return with_an_observer()


@cache
def struck() -> Scribe:
    """The same, when the observer has been struck."""
    s = played().copy()
    s.order(struck_by(unheard(s, (0, 1, 2))))
    return s


# What an observer may not say


@told_at(observed)
def receipt_of_an_observer_beside_an_ack(s: Scribe) -> Finding:
    claim, words = wink(s)
    both = s.say(OBSERVER, Ack(epoch=0, term=0, head=s.match.head), Receipt(claim=claim.digest, rivals=()))
    s.put(s.settled(claim, [words[0], both]))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(observed)
def claim_of_an_observer(s: Scribe) -> Finding:
    wish = encode(act.Gesture(name="wink", seal=ELSEWHERE))
    claim = s.say(OBSERVER, Claim(head=s.match.head, action=wish, rivals=()))
    s.put(s.settled(claim, s.see(claim, 0, 1)))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(observed)
def deed_of_an_observer(s: Scribe) -> Finding:
    owed = s.owed(s.seats[0], prepares=True)
    deed = s.say(OBSERVER, Deed(payload=encode(owed)))
    s.put(Carried(item=deed.digest))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(observed)
def entry_of_an_observer(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(s.settled(claim, words), by=OBSERVER)
    return s.index, Fault.WRONG_TERM, OBSERVER


@told_at(played)
def blame_of_an_observer_for_a_receipt(s: Scribe) -> Finding:
    claim, _ = wink(s)
    (word,) = s.see(claim, OBSERVER)
    s.put(Blamed(culprit=OBSERVER, items=(word.digest,)))
    return by_duty(s, Fault.BAD_BLAME)


@told_at(struck)
def blame_of_an_observer_that_is_struck(s: Scribe) -> Finding:
    said = s.say(OBSERVER, Ack(epoch=0, term=0, head=s.match.head))
    s.put(Blamed(culprit=OBSERVER, items=(said.digest,)))
    return by_duty(s, Fault.BAD_BLAME)


# Strikes


@told_at(played)
def strike_with_a_word_too_few(s: Scribe) -> Finding:
    s.put(struck_by(unheard(s, (0, 1))))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(played)
def strike_with_a_word_twice(s: Scribe) -> Finding:
    s.put(struck_by(unheard(s, (0, 1, 1))))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(played)
def strike_by_words_that_differ(s: Scribe) -> Finding:
    s.put(struck_by([*unheard(s, (0, 1)), *unheard(s, (2,), 1, ELSEWHERE)]))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(played)
def strike_by_receipts(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(struck_by([*words, *s.see(claim, 3)]))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(played)
def strike_of_a_seat_by_words_on_the_observer(s: Scribe) -> Finding:
    s.put(struck_by(unheard(s, (0, 1, 2)), seat=3))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def strike_of_an_observer_that_is_struck(s: Scribe) -> Finding:
    s.put(struck_by(unheard(s, (0, 1, 2))))
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(played)
def strike_twice_in_one_entry(s: Scribe) -> Finding:
    strike = struck_by(unheard(s, (0, 1, 2)))
    s.put(strike, strike)
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(played)
def strike_while_a_cut_is_open(s: Scribe) -> Finding:
    first, second, _ = split(s)
    words = unheard(s, (0, 1, 2))
    s.order(cut_of(s, first, second))
    s.put(struck_by(words))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(played)
def cut_without_an_end_of_the_observer(s: Scribe) -> Finding:
    first, second, _ = split(s)
    cut = cut_of(s, first, second)
    s.put(CutOff(claims=cut.claims, tapes=cut.tapes[:-1]))
    return by_duty(s, Fault.BAD_ORDER)


def cut_of(s: Scribe, *claims: TapeItem) -> CutOff:
    """A cut of these claims at the ends of all tapes."""
    ends = tuple(TapeEnd(length=pen.number, last=pen.prev if pen.number else NO_DIGEST) for pen in s.pens)
    return CutOff(claims=tuple(sorted(claim.digest for claim in claims)), tapes=ends)


# Who is asked


@told_at(played)
def split_as_a_contest_though_the_observer_is_asked(s: Scribe) -> Finding:
    first, second, words = split(s)
    names = tuple(sorted((first.digest, second.digest)))
    s.put(Contest(claims=names, evidence=tuple(word.digest for word in words)))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(struck)
def split_that_a_struck_observer_ends(s: Scribe) -> Finding:
    first, second, words = split(s)
    words += [*s.see(second, OBSERVER), *s.see(first, OBSERVER, after=[second])]
    s.put(s.settled(second, [first, *words]))
    return by_duty(s, Fault.BAD_ORDER)


@told_at(struck)
def receipt_of_a_struck_observer_for_one_too_few(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(s.settled(claim, [words[0], *s.see(claim, OBSERVER)]))
    return by_duty(s, Fault.BAD_ORDER)
