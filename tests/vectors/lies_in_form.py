"""Lies about the form of a log: its entries, items, blame and annex."""

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Blamed, Carried, Note
from kemps_p2p.ledger.tape import (
    ITEM_LABEL,
    STAMP_LEAD_MAX,
    Receipt,
    Signed,
    TapeItem,
    item_digest,
)
from kemps_p2p.session.findings import Flaw
from kemps_p2p.session.messages import PlayStarted
from vectors.form import ELSEWHERE, changed
from vectors.lie_stages import by_duty, end_soon, given, keyed, seated, spoilt, told_at, wink
from vectors.log_scribe import Scribe, identity
from vectors.make_logs import Finding, twins

# Entries and records


@told_at(seated)
def entry_of_a_seat_not_on_duty(s: Scribe) -> Finding:
    other = Seat((s.on_duty + 1) % 4)
    s.put(s.note(PlayStarted()), by=other)
    return s.index, Fault.WRONG_TERM, other


@told_at(seated)
def entry_of_another_term(s: Scribe) -> Finding:
    s.put(s.note(PlayStarted()), term=1)
    return by_duty(s, Fault.WRONG_TERM)


@told_at(seated)
def entry_of_another_epoch(s: Scribe) -> Finding:
    s.put(s.note(PlayStarted()), epoch=1)
    return by_duty(s, Fault.WRONG_TERM)


@told_at(keyed)
def entry_that_links_elsewhere(s: Scribe) -> Finding:
    s.put(s.note(PlayStarted()), prev=ELSEWHERE)
    return by_duty(s, Fault.BAD_LINK)


@told_at(keyed)
def entry_before_the_last_in_time(s: Scribe) -> Finding:
    s.put(s.note(PlayStarted()), elapsed_ms=s.match.elapsed_ms - 1)
    return by_duty(s, Fault.BAD_TIME)


@told_at(seated)
def entry_beyond_all_time(s: Scribe) -> Finding:
    s.put(s.note(PlayStarted()), elapsed_ms=1 << 40)
    return by_duty(s, Fault.BAD_TIME)


@told_at(seated)
def entry_before_1970(s: Scribe) -> Finding:
    s.put(s.note(PlayStarted()), wall_ms=-1)
    return by_duty(s, Fault.BAD_TIME)


@told_at(seated)
def entry_stamped_like_an_item_in_it(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.pens[s.on_duty].lamport = words[-1].item.lamport - 1
    s.put(s.settled(claim, words))
    return by_duty(s, Fault.BAD_STAMP)


@told_at(seated)
def entry_without_events(s: Scribe) -> Finding:
    s.put()
    return by_duty(s, Fault.BAD_ENTRY)


@told_at(seated)
def note_that_says_nothing(s: Scribe) -> Finding:
    s.put(Note(payload=b"\x91\x2a"))
    return by_duty(s, Fault.MALFORMED)


@told_at(seated)
def item_left_out_of_the_record(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(s.settled(claim, words), names=[claim.digest, words[0].digest])
    return s.index, Fault.BAD_EVIDENCE, None


@told_at(seated)
def item_too_many_in_the_record(s: Scribe) -> Finding:
    claim, words = wink(s)
    more = s.say(3, Receipt(claim=claim.digest, rivals=()))
    s.put(s.settled(claim, words), names=[claim.digest, *(item.digest for item in (*words, more))])
    return s.index, Fault.BAD_EVIDENCE, None


@told_at(seated)
def item_twice_in_the_record(s: Scribe) -> Finding:
    claim, words = wink(s)
    names = [item.digest for item in (claim, *words)]
    s.put(s.settled(claim, words), names=[*names, names[-1]])
    return s.index, Fault.BAD_EVIDENCE, None


# Items


@told_at(seated)
def item_of_another_match(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(s.settled(claim, [resigned(s, words[0], match=ELSEWHERE), words[1]]))
    return s.index, Fault.WRONG_MATCH, None


@told_at(seated)
def item_signed_by_another_seat(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(s.settled(claim, [resigned(s, words[0], by=3), words[1]]))
    return s.index, Fault.BAD_SIGNATURE, None


@told_at(seated)
def item_with_an_empty_body(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(s.settled(claim, [resigned(s, words[0], body=()), words[1]]))
    return s.index, Fault.MALFORMED, words[0].seat


@told_at(seated)
def item_of_another_incarnation(s: Scribe) -> Finding:
    claim, words = wink(s)
    s.put(s.settled(claim, [resigned(s, words[0], incarnation=1), words[1]]))
    return s.index, Fault.OTHER_INCARNATION, None


def resigned(s: Scribe, item: TapeItem, *, by: int | None = None, **fields: object) -> TapeItem:
    """The item with other fields, signed by its seat or by another."""
    made = changed(item.item, **fields)
    raw = encode(made)
    signed = Signed(raw=raw, signature=identity(item.seat if by is None else by).sign(ITEM_LABEL, raw))
    other = TapeItem(signed, made, item_digest(signed))
    s.items[other.digest] = other
    return other


@told_at(seated)
def two_items_at_one_number(s: Scribe) -> Finding:
    first, twin = twins(s, 3)
    s.order(s.settled(first, s.see(first, 0, 1)))
    index = beside_a_wink(s, twin)
    return finished_soon(s, (index, Fault.EQUIVOCATION, 3))


@told_at(seated)
def item_that_does_not_link_to_the_one_before(s: Scribe) -> Finding:
    s.do(3, act.Gesture(name="wink"))
    s.pens[3].prev = ELSEWHERE
    s.do(3, act.Gesture(name="ear"))
    return finished_soon(s, (s.match.head.index, Fault.BAD_LINK, 3))


@told_at(seated)
def item_stamped_like_the_one_before(s: Scribe) -> Finding:
    stamp = 40
    s.pens[3].lamport = stamp
    s.do(3, act.Gesture(name="wink"))
    s.pens[3].lamport = stamp
    index = beside_a_wink(s, s.say(3, Receipt(claim=ELSEWHERE, rivals=())))
    return finished_soon(s, (index, Fault.BAD_STAMP, 3))


@told_at(seated)
def stamp_that_leaps(s: Scribe) -> tuple[Finding, ...]:
    """Whatever rests on it would have to leap as well, so the log ends here and is not complete."""
    s.pens[s.on_duty].lamport += 20 * STAMP_LEAD_MAX
    s.order(Carried(item=given(s, 1).digest))
    index = s.match.head.index
    return (index, Fault.BAD_STAMP, s.on_duty), (index + 1, Flaw.NOT_CLOSED, None)


def beside_a_wink(s: Scribe, more: TapeItem) -> int:
    """Log a wink of seat 2, with one item more in the evidence, which says nothing about it."""
    claim = s.claim(2, act.Gesture(name="nose"))
    s.order(s.settled(claim, [*s.see(claim, 0, 1), more]))
    return s.match.head.index


def finished_soon(s: Scribe, finding: Finding) -> Finding:
    """Go on honestly to the end, since what is wrong is no matter of the fold."""
    s.fulfil(prepares=True)
    end_soon(s)
    s.objects.append(s.annex())
    return finding


# Blame


@told_at(seated)
def blame_for_an_honest_deed(s: Scribe) -> Finding:
    s.put(Blamed(culprit=0, items=(given(s, 0).digest,)))
    return by_duty(s, Fault.BAD_BLAME)


@told_at(seated)
def blame_for_two_items_that_agree(s: Scribe) -> Finding:
    first, second = (s.claim(0, act.Gesture(name=name)) for name in ("wink", "ear"))
    s.put(Blamed(culprit=0, items=(first.digest, second.digest)))
    return by_duty(s, Fault.BAD_BLAME)


@told_at(seated)
def blame_for_the_items_of_another(s: Scribe) -> Finding:
    first, second = (s.claim(3, act.Gesture(name=name)) for name in ("wink", "ear"))
    s.put(Blamed(culprit=2, items=(first.digest, second.digest)))
    return by_duty(s, Fault.BAD_BLAME)


# The annex


def annexed(s: Scribe, annex: bytes) -> Finding:
    """The log ends with this annex of seat 0."""
    s.objects.append(annex)
    return s.match.head.index + 1, Fault.BAD_ANNEX, 0


def by_nobody(s: Scribe, annex: bytes) -> Finding:
    """The log ends with this annex, whose names nobody has signed."""
    index, fault, _ = annexed(s, annex)
    return index, fault, None


@told_at(spoilt)
def name_of_somebody_else(s: Scribe) -> Finding:
    return by_nobody(s, s.annex(names=lambda names: (("Mallory", names[0][1]), *names[1:])))


@told_at(spoilt)
def name_left_out(s: Scribe) -> Finding:
    return by_nobody(s, s.annex(names=lambda names: names[1:]))


@told_at(spoilt)
def certificate_with_an_ack_twice(s: Scribe) -> Finding:
    return annexed(s, s.annex(certificate=lambda acks: (*acks, acks[0])))


@told_at(spoilt)
def certificate_with_an_item_that_acks_nothing(s: Scribe) -> Finding:
    word = s.say(0, Receipt(claim=ELSEWHERE, rivals=()))
    return annexed(s, s.annex(certificate=lambda acks: (*acks[1:], word)))
