"""Entries that a peer does not go by, whoever writes them: the honest ones behind them are not held up."""

import pytest
from msgspec import structs
from session_helpers import Puppet, Table, identity, is_acked, next_entry, next_of, opened

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Gesture
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Note, Seated, Struck, TakeOver, TapeEnd
from kemps_p2p.ledger.tape import NO_DIGEST, Ack, Append, Join, TapeItem, Unheard
from kemps_p2p.session.chain import Accepted
from kemps_p2p.session.fold import OpenRecord
from kemps_p2p.session.handover import SILENCE_MS
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import PlayStarted
from kemps_p2p.session.patience import PATIENCE_MS, WORDS_SLACK_MS
from kemps_p2p.session.seating import Pen


def says_entry(puppet: Puppet, tip: Match, **changes: object) -> TapeItem:
    """The next entry on a tip, of the puppet, with something else in it."""
    entry = next_entry(tip, Note(payload=encode(PlayStarted())), **changes)
    return puppet.say(Append(entry=encode(entry)))


def others_than(liar: int) -> list[int]:
    return [seat for seat in range(4) if seat != liar]


def plays_on(table: Table, liar: int, before: Match) -> bool:
    """True if a gesture is ordered at once, by the seat that was on duty before."""
    table.submit(int(before.on_duty), Gesture("wink")).settle().wait(100)
    finals = [table.play(seat).final for seat in others_than(liar)]
    return all(final.term == before.term and final.head.index > before.head.index for final in finals)


def test_an_entry_of_a_seat_that_is_not_on_duty_takes_nobodys_place() -> None:
    table = opened()
    tip = table.play().tip
    usurper = (tip.on_duty + 1) % 4
    says_entry(Puppet(table, usurper), tip)
    table.settle()
    assert plays_on(table, usurper, tip)
    assert [table.faults(seat) for seat in others_than(usurper)] == [[(Fault.WRONG_TERM, usurper)]] * 3


def test_two_entries_at_one_index_are_found_out_and_blamed() -> None:
    table = opened()
    tip = table.play().tip
    liar = int(tip.on_duty)
    puppet = Puppet(table, liar)
    two = {says_entry(puppet, tip).digest, says_entry(puppet, tip, wall_ms=1).digest}
    table.settle().wait(SILENCE_MS + 600)
    for seat in others_than(liar):
        assert (Fault.EQUIVOCATION, liar) in table.faults(seat)
        assert table.play(seat).final.blamed == two


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({"prev": NO_DIGEST}, [(Fault.BAD_TAKE_OVER, None)]),
        ({}, [(Fault.BAD_TAKE_OVER, 1)]),
        ({"ahead": 3, "prev": NO_DIGEST}, []),
        ({"ahead": -1, "prev": NO_DIGEST}, []),
    ],
    ids=[
        "leaves out what is final",
        "nobody has handed over",
        "behind entries that are not here",
        "where an entry is final",
    ],
)
def test_a_false_take_over_is_told_once_and_holds_nobody_up(
    changes: dict[str, object], faults: list[tuple[Fault, int | None]]
) -> None:
    """Nor does it make anybody doubt the honest sequencer, whose duty the liar would have next."""
    table = opened()
    tip = table.play().tip
    liar = (tip.on_duty + 1) % 4
    index = tip.head.index + 1 + int(str(changes.pop("ahead", 0)))
    says_entry(Puppet(table, liar), tip, term=1, index=index, events=(TakeOver(items=()),), **changes)
    table.settle().wait(300)
    assert plays_on(table, liar, tip)
    expected = [(code, None if culprit is None else liar) for code, culprit in faults]
    assert [table.faults(seat) for seat in others_than(liar)] == [expected] * 3


@pytest.mark.parametrize("seat", [0, 99])
def test_a_strike_without_words_of_a_silent_tape_is_its_authors_fault(seat: int) -> None:
    """Whom a strike names is looked for on the own tapes before the fold says what is wrong with it."""
    table = opened()
    tip = table.play().tip
    liar = int(tip.on_duty)
    puppet = Puppet(table, liar)
    word = puppet.say(Unheard(seat=99, length=0, last=NO_DIGEST))
    says_entry(puppet, tip, events=(Struck(seat=seat, words=(word.digest,) if seat else ()),))
    table.settle()
    code = Fault.BAD_ENTRY if seat else Fault.BAD_EVIDENCE
    assert [table.faults(other) for other in others_than(liar)] == [[(code, liar)]] * 3


def test_an_ack_of_a_term_that_its_seat_has_left_is_found_out() -> None:
    table = opened()
    tip = table.play().tip
    liar = (tip.on_duty + 1) % 4
    puppet = Puppet(table, liar)
    puppet.say(Join(term=1))
    puppet.say(Ack(epoch=tip.epoch, term=tip.head_term, head=tip.head))
    table.settle()
    for seat in others_than(liar):
        assert (Fault.EQUIVOCATION, liar) in table.faults(seat)


# What this seat acks only later: nobody is at fault


def test_an_entry_waits_where_the_own_tapes_and_claims_say_otherwise() -> None:
    table = opened()
    duty = int(table.play().tip.on_duty)
    lost = Seat((duty + 1) % 4)
    seat = (duty + 2) % 4
    play = table.play(seat)
    plea = Pen(identity(lost), bytes(32), play.founding.match, lost).plea(1)
    length, last = play.tapes.end(lost)
    for end, is_here in (
        (TapeEnd(length=length, last=last), True),
        (TapeEnd(length=length - 1, last=last), False),
        (TapeEnd(length=length, last=NO_DIGEST), False),
    ):
        event = Seated(raw=plea.raw, signature=plea.signature, end=end, words=())
        assert is_acked(table, seat, event) is is_here
        assert not is_acked(table, lost, event), "whose seat it is has no word in that"
    # A claim that is decided here is not passed over for long.
    table.drops = lambda sender, receiver, data: sender == duty
    table.submit(seat, Gesture("wink")).settle()
    assert is_acked(table, seat)
    table.wait(2 * PATIENCE_MS + WORDS_SLACK_MS + 100)
    assert not is_acked(table, seat)
    # Once its deal is over it is too late for anything, also for a book that begins again.
    (held,) = play._book.undecided.values()
    entry = next_entry(play.tip)
    item = next_of(duty, table).write((Append(entry=encode(entry)),))
    over = structs.replace(play.tip, game=structs.replace(play.tip.game, deal=play.tip.game.deal + 1))
    play._chain._advance(Accepted(OpenRecord(item, entry, {}), over, ()), table.now_ms)
    assert held.is_refused
    held.is_refused = False
    play._chain.mark_book()
    assert held.is_refused
