"""Lies in the form of entries, of tapes and of what is annexed to a log."""

from audit_forger import Forger
from audit_lies import ELSEWHERE, Expected, as_note, lie, note, settled

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Fault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Carried, Drawn, Note, Settled
from kemps_p2p.session.messages import PlayStarted

# The chain


@lie
def an_entry_of_a_seat_that_is_not_on_duty(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    draft = forger.chain[index - 1]
    usurper = Seat((draft.seat + 1) % 4)
    forger.tapes[draft.seat].remove(draft)
    draft.seat = usurper
    tape = forger.tapes[usurper]
    tape.append(draft)
    tape.sort(key=lambda known: known.order)
    before, after = tape[tape.index(draft) - 1], tape[tape.index(draft) + 1]
    assert before.lamport < draft.lamport < after.lamport
    return index, Fault.WRONG_TERM, usurper


@lie
def an_entry_of_a_later_term(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.change_entry(index, term=1)
    return index, Fault.WRONG_TERM, forger.author(index)


@lie
def an_entry_of_another_epoch(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.change_entry(index, epoch=1)
    return index, Fault.WRONG_TERM, forger.author(index)


@lie
def an_entry_that_links_elsewhere(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.change_entry(index, prev=ELSEWHERE)
    return index, Fault.BAD_LINK, forger.author(index)


@lie
def an_entry_after_the_close(forger: Forger) -> Expected:
    seat = forger.author(forger.last)
    forger.add_entry(seat, as_note(PlayStarted()))
    return forger.last, Fault.BAD_ENTRY, seat


@lie
def an_entry_that_is_stamped_before_what_it_carries(forger: Forger) -> Expected:
    for index in range(2, forger.last + 1):
        draft = forger.chain[index - 1]
        tape = forger.tapes[draft.seat]
        floor = tape[tape.index(draft) - 1].lamport + 1
        items = forger.honest.steps[index - 1].record.items.values()
        if items and floor <= max(item.item.lamport for item in items) and floor > tape.index(draft):
            draft.lamport = floor
            return index, Fault.BAD_STAMP, draft.seat
    raise AssertionError("no entry could be stamped earlier")


@lie
def an_entry_with_a_note_that_says_nothing(forger: Forger) -> Expected:
    index, place, _ = note(forger, PlayStarted)
    forger.change_event(index, place, Note(payload=b"\x91\x2a"))
    return index, Fault.MALFORMED, forger.author(index)


@lie
def an_item_lies_beside_an_entry_that_does_not_name_it(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.beside[index] = lambda names: (*names, forger.tapes[0][0].name)
    return index, Fault.BAD_EVIDENCE, None


@lie
def an_item_that_an_entry_names_is_not_there(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.beside[index] = lambda names: names[:-1]
    return index, Fault.BAD_EVIDENCE, None


@lie
def an_item_lies_beside_its_entry_twice(forger: Forger) -> Expected:
    index, _, _ = settled(forger)
    forger.beside[index] = lambda names: (*names, names[-1])
    return index, Fault.BAD_EVIDENCE, None


# Tapes


@lie
def an_item_of_another_match(forger: Forger) -> Expected:
    index, _, event = settled(forger)
    forger.draft(event.evidence[0]).match = ELSEWHERE
    # A signature under another match proves nothing about this one.
    return index, Fault.WRONG_MATCH, None


@lie
def an_item_signed_by_another_seat(forger: Forger) -> Expected:
    index, _, event = settled(forger)
    draft = forger.draft(event.claim)
    draft.signer = Seat((draft.seat + 1) % 4)
    return index, Fault.BAD_SIGNATURE, None


@lie
def two_items_at_one_number(forger: Forger) -> Expected:
    for index, _, event in forger.events(Settled):
        for name in event.evidence:
            draft = forger.draft(name)
            tape = forger.tapes[draft.seat]
            at = tape.index(draft)
            earlier = [
                known
                for place, known in enumerate(tape[1:at])
                if (shown_at(forger, known.name) or index) < index
                and shown_at(forger, tape[place].name) is None
            ]
            around = tape[at - 1 : at + 2 : 2]
            is_alone = all(shown_at(forger, other.name) is None for other in around)
            if is_after_draws(forger, index) and shown_at(forger, name) == index and is_alone and earlier:
                draft.number = tape.index(earlier[0])
                draft.prev = ELSEWHERE
                return index, Fault.EQUIVOCATION, draft.seat
    raise AssertionError("no item could be another's twin")


def is_after_draws(forger: Forger, index: int) -> bool:
    """True if no draw follows: its order is another one once the digests of its claims are."""
    return index > max(at for at, _, _ in forger.events(Drawn))


def shown_at(forger: Forger, name: Digest) -> int | None:
    """The first entry whose record shows an item."""
    for index, draft in enumerate(forger.chain, start=1):
        if name == draft.name or name in forger.honest.steps[index - 1].record.items:
            return index
    return None


def neighbours(forger: Forger) -> tuple[int, Digest]:
    """A carried item whose predecessor on its tape the log shows as well, and the entry that shows it."""
    for index, _, event in forger.events(Carried):
        draft = forger.draft(event.item)
        tape = forger.tapes[draft.seat]
        at = tape.index(draft)
        is_new = shown_at(forger, draft.name) == index and is_after_draws(forger, index)
        if at and is_new and shown_at(forger, tape[at - 1].name) is not None:
            return index, draft.name
    raise AssertionError("no neighbours in this log")


@lie
def an_item_that_does_not_link_to_its_predecessor(forger: Forger) -> Expected:
    index, name = neighbours(forger)
    forger.draft(name).prev = ELSEWHERE
    return index, Fault.BAD_LINK, forger.draft(name).seat


@lie
def an_item_that_is_stamped_before_its_predecessor(forger: Forger) -> Expected:
    index, name = neighbours(forger)
    draft = forger.draft(name)
    tape = forger.tapes[draft.seat]
    draft.lamport = tape[tape.index(draft) - 1].lamport
    return index, Fault.BAD_STAMP, draft.seat


# The annex


@lie
def a_name_that_is_not_that_of_the_genesis(forger: Forger) -> Expected:
    forger.names = lambda names: (("Mallory", names[0][1]), *names[1:])
    return forger.last + 1, Fault.BAD_ANNEX, None


@lie
def a_name_is_left_out(forger: Forger) -> Expected:
    forger.names = lambda names: names[1:]
    return forger.last + 1, Fault.BAD_ANNEX, None


@lie
def a_certificate_with_an_ack_of_another_entry(forger: Forger) -> Expected:
    forger.certificate = lambda acks: [*acks, forger.tapes[0][0].name]
    return forger.last + 1, Fault.BAD_ANNEX, Seat(forger.annex.seat)


@lie
def a_certificate_with_one_ack_twice(forger: Forger) -> Expected:
    forger.certificate = lambda acks: [*acks, acks[0]]
    return forger.last + 1, Fault.BAD_ANNEX, Seat(forger.annex.seat)
