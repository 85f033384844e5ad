"""Seats that are given to new incarnations of their players, or to others: matches, and lies about them."""

from dataclasses import replace
from functools import cache

from kemps_p2p.codec import encode, tagged_hash
from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import Coin, coin_chain
from kemps_p2p.ledger.entry import Carried, Seated, TapeEnd
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.sitting import Sitting, sign_sitting, sitting_digest
from kemps_p2p.ledger.tape import NO_DIGEST, Agreed, Receipt, TapeItem
from kemps_p2p.session.findings import Flaw
from kemps_p2p.session.messages import KeyDeed, Overdue
from kemps_p2p.session.overdue import OVERDUE_MS
from vectors.form import ELSEWHERE, changed
from vectors.lie_stages import by_duty, end_soon, keyed, playing, shuffled, told_at
from vectors.lies_absent import AWAY, absence, back, struck
from vectors.log_scribe import HOLDER, Scribe, identity
from vectors.make_logs import Finding, Told, finished

VOTERS = (0, 1, 2)


def coins(seat: int, incarnation: int) -> tuple[Coin, ...]:
    """The coins of a new incarnation."""
    return coin_chain(tagged_hash("kemps/v1/sim-secret", b"vectors", bytes([seat, incarnation])))


def sitting(s: Scribe, at: int, who: Identity | None = None, **lies: object) -> tuple[bytes, bytes]:
    """What the next incarnation of a seat signs."""
    incarnation = len(s.match.signers[at])
    signs = identity(at) if who is None else who
    true = Sitting(
        match=s.match.founding.match,
        seat=at,
        incarnation=incarnation,
        key=signs.public,
        coin=coins(at, incarnation)[0],
    )
    return sign_sitting(signs, changed(true, **lies))


def end_of(s: Scribe, seat: int) -> TapeEnd:
    """Where a tape ends."""
    return TapeEnd(length=s.pens[seat].number, last=s.pens[seat].prev)


def agreed(
    s: Scribe, seat: int, raw: bytes, end: TapeEnd, voters: tuple[int, ...] = VOTERS
) -> list[TapeItem]:
    """The words of some seats that they agree to a sitting."""
    said = Agreed(seat=seat, sitting=sitting_digest(raw), length=end.length, last=end.last)
    return [s.say(voter, said) for voter in voters]


def given(signed: tuple[bytes, bytes], end: TapeEnd, words: list[TapeItem]) -> Seated:
    """The event."""
    return Seated(raw=signed[0], signature=signed[1], end=end, words=tuple(word.digest for word in words))


def give(s: Scribe, seat: int, who: Identity | None = None) -> None:
    """Give an absent seat, honestly; whoever gets it writes from then on."""
    signed, end = sitting(s, seat, who), end_of(s, seat)
    voters = tuple(other for other in range(4) if other != seat)
    s.order(given(signed, end, agreed(s, seat, signed[0], end, voters)))
    s.take(seat, (end.length, end.last))


def seatings() -> list[Told]:
    """Complete logs that hold."""
    return [seated_anew(), held_and_back(), *held_to_the_end(), lost_for_good()]


def seated_anew() -> Told:
    """Seat 3 loses its files in a deal, which is void, and plays the next one: its call is right."""
    s = playing().copy()
    s.order(absence(s, AWAY))
    give(s, AWAY)
    # It does not know the seed of the deal that is over, so this seal need not be one.
    s.do(AWAY, act.Gesture(name="wink", seal=ELSEWHERE))
    s.deal()
    s.do(AWAY, act.Gesture(name="wink"))
    s.do(1, act.Call(calls=(act.Partner(),)))
    s.fulfil()
    return finished("seated-anew", s, (0, 1), (0,))


def held_and_back() -> Told:
    """Before the first deal somebody else takes seat 3, which is away; later its player gets it back."""
    s = shuffled().copy()
    s.do(0, act.Gesture(name="wink"))
    s.order(absence(s, AWAY))
    give(s, AWAY, identity(HOLDER))
    s.do(1, act.Gesture(name="wink"))
    s.deal()
    s.order(absence(s, AWAY))
    give(s, AWAY)
    s.deal()
    s.order(absence(s, 1))
    s.order(back(s, 1))
    return finished("held-and-back", s, (0, 1), (0,))


def held_to_the_end() -> list[Told]:
    """Somebody else sits for seat 3 at the end: its log as its player kept it, and as that one did."""
    s = struck().copy()
    give(s, AWAY, identity(HOLDER))
    s.deal()
    s.do(1, act.Call(calls=(act.Partner(),)))
    s.fulfil()
    told = finished("held-to-the-end", s, (0, 1), (0,))
    logs = []
    for name, by in ((told.name, AWAY), ("held-to-the-end-by-a-stand-in", HOLDER)):
        s.objects[-1] = s.annex(AWAY, by)
        logs.append(replace(told, name=name, log=s.log))
    return logs


def lost_for_good() -> Told:
    """Seat 3 has lost its secrets too: the seed of the void deal is missing, and waited for in vain."""
    s = playing().copy()
    s.order(absence(s, AWAY))
    give(s, AWAY)
    s.deal()
    s.order(absence(s, 1))
    given_seeds = [s.give(seat) for seat in s.seats if seat != AWAY]
    s.order(*(Carried(item=item.digest) for item in given_seeds if item is not None))
    s.order(s.note(Overdue(seat=AWAY)), elapsed_ms=s.match.elapsed_ms + OVERDUE_MS)
    return finished("lost-for-good", s, (0, 1), (0,))


# Lies


@cache
def anew() -> Scribe:
    """With seat 3 given to a new incarnation."""
    s = struck().copy()
    give(s, AWAY)
    return s


def put(
    s: Scribe,
    signed: tuple[bytes, bytes] | None = None,
    end: TapeEnd | None = None,
    voters: tuple[int, ...] = VOTERS,
    **lies: object,
) -> None:
    """Log the seating of seat 3, with a lie in its sitting or about its end, or by the words of others."""
    true = sitting(s, AWAY, None, **lies) if signed is None else signed
    at = end_of(s, AWAY) if end is None else end
    s.put(given(true, at, agreed(s, AWAY, true[0], at, voters)))


@told_at(keyed)
def seating_of_a_seat_that_is_there(s: Scribe) -> Finding:
    put(s)
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(struck)
def seating_of_nobody(s: Scribe) -> Finding:
    put(s, seat=7)
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(struck)
def seating_with_a_word_too_few(s: Scribe) -> Finding:
    put(s, voters=(0, 1))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def seating_by_the_word_of_the_seat_itself(s: Scribe) -> Finding:
    put(s, voters=(0, 1, AWAY))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def seating_by_words_on_another_sitting(s: Scribe) -> Finding:
    end = end_of(s, AWAY)
    other, _ = sitting(s, AWAY, coin=ELSEWHERE)
    s.put(given(sitting(s, AWAY), end, agreed(s, AWAY, other, end)))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def seating_by_words_on_another_end(s: Scribe) -> Finding:
    signed, end = sitting(s, AWAY), end_of(s, AWAY)
    s.put(given(signed, end, agreed(s, AWAY, signed[0], TapeEnd(length=end.length + 1, last=ELSEWHERE))))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def seating_at_an_end_that_no_tape_has(s: Scribe) -> Finding:
    put(s, end=TapeEnd(length=0, last=ELSEWHERE))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(anew)
def seating_at_an_end_before_the_last_one(s: Scribe) -> Finding:
    s.say(AWAY, Receipt(claim=ELSEWHERE, rivals=()))
    s.order(absence(s, AWAY))
    put(s, end=TapeEnd(length=0, last=NO_DIGEST))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def seating_of_a_later_incarnation(s: Scribe) -> Finding:
    put(s, incarnation=2)
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(struck)
def seating_with_the_key_of_another_seat(s: Scribe) -> Finding:
    put(s, sitting(s, AWAY, identity(1)))
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(struck)
def seating_that_the_seat_has_not_signed(s: Scribe) -> Finding:
    put(s, (sitting(s, AWAY)[0], bytes(64)))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def seating_in_another_match(s: Scribe) -> Finding:
    put(s, match=ELSEWHERE)
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def seating_with_half_a_coin(s: Scribe) -> Finding:
    put(s, coin=bytes(16))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def seating_with_a_key_that_is_none(s: Scribe) -> Finding:
    put(s, key=bytes(32))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(struck)
def seating_by_bytes_that_are_no_sitting(s: Scribe) -> Finding:
    raw = encode((1, 2, 3))
    put(s, (raw, identity(AWAY).sign("kemps/v1/sitting", raw)))
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(shuffled)
def seating_when_the_match_is_over(s: Scribe) -> Finding:
    s.start()
    s.order(absence(s, AWAY))
    put(s)
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(struck)
def word_behind_the_end_of_its_incarnation(s: Scribe) -> Finding:
    old = s.copy()
    give(s, AWAY)
    claim = s.claim(0, act.Gesture(name="wink"))
    late = old.pens[AWAY].write((Receipt(claim=claim.digest, rivals=()),))
    s.hear(late)
    s.put(s.settled(claim, [*s.see(claim, 1), late]))
    return s.index, Fault.OTHER_INCARNATION, None


@told_at(struck)
def absence_by_votes_on_the_incarnation_before(s: Scribe) -> Finding:
    before = absence(s, AWAY)
    give(s, AWAY)
    s.put(before)
    return by_duty(s, Fault.BAD_EVIDENCE)


@told_at(anew)
def word_of_a_new_incarnation_in_the_place_of_the_old_one(s: Scribe) -> Finding:
    claim = s.claim(0, act.Gesture(name="wink"))
    s.pens[AWAY].begin(1, 0, NO_DIGEST)
    s.put(s.settled(claim, [*s.see(claim, 1), *s.see(claim, AWAY)]))
    return s.index, Fault.OTHER_INCARNATION, None


@told_at(struck)
def annex_of_a_stand_in_that_sits_no_more(s: Scribe) -> tuple[Finding, ...]:
    give(s, AWAY, identity(HOLDER))
    s.order(absence(s, AWAY))
    give(s, AWAY)
    s.fulfil(prepares=True)
    end_soon(s)
    s.objects.append(s.annex(AWAY, HOLDER))
    end = s.match.head.index + 1
    return (end, Fault.BAD_SIGNATURE, None), (end, Flaw.NO_CERTIFICATE, None)


@told_at(anew)
def key_for_a_deck_that_was_given_up(s: Scribe) -> Finding:
    deed = s.owed(Seat(0), prepares=True)
    assert isinstance(deed, KeyDeed)
    s.put(Carried(item=s.deed(0, changed(deed, attempt=0)).digest))
    return by_duty(s, Fault.NOT_OWED)


@told_at(anew)
def key_for_the_deck_that_was_given_up_made_for_it(s: Scribe) -> Finding:
    before = shuffled()
    key = before.match.decks[0, 0].keys[0]
    assert key is not None
    s.put(Carried(item=s.deed(0, KeyDeed(deal=0, attempt=1, key=key)).digest))
    return by_duty(s, Fault.BAD_KEY_PROOF)[0], Fault.BAD_KEY_PROOF, 0
