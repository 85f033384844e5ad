"""What an audit finds on tapes alone: words before their entries, and faults that are punished already."""

import pytest
from session_helpers import Table, opened
from session_scribe import Scribe

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Gesture
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.tape import Ack, Claim, CoinReveal, Head, Statement, TapeItem
from kemps_p2p.session.findings import Finding, Flaw
from kemps_p2p.session.tapecheck import TapeCheck

ELSEWHERE = Digest(b"\x07" * 32)
RECORD = 40
"""The entry whose record shows what is looked at."""


@pytest.fixture(scope="module")
def playing() -> Table:
    return opened()


@pytest.fixture
def scribe(playing: Table) -> Scribe:
    return Scribe.at(playing)


def tapes(*items: TapeItem) -> TapeCheck:
    check = TapeCheck()
    for item in items:
        check.add(item, RECORD)
    return check


def keys(check: TapeCheck, *entries: TapeItem | None) -> list[tuple[int, object, Seat | None]]:
    found: list[Finding] = list(check.findings(entries))
    return [(finding.index, finding.code, finding.culprit) for finding in found]


def early(scribe: Scribe, seat: int, entry: TapeItem, body: Statement) -> TapeItem:
    """An item that is stamped like an entry, and so before all that rests on it."""
    pen = scribe.pens[seat]
    pen.lamport = entry.item.lamport - 1
    return pen.write((body,))


def ack(entry: TapeItem, index: int = 1, digest: Digest | None = None) -> Ack:
    return Ack(epoch=0, term=0, head=Head(index=index, digest=digest or entry.digest))


def test_a_word_on_an_entry_is_stamped_beyond_it(scribe: Scribe) -> None:
    entry = scribe.record(scribe.settled(0, Gesture("wink"))).item
    for body in (ack(entry), CoinReveal(index=1, coin=bytes(32))):
        lie = early(scribe, 2, entry, body)
        assert keys(tapes(lie), entry) == [(RECORD, Fault.BAD_STAMP, 2)]
        assert keys(tapes(scribe.say(2, body)), entry) == []


def test_a_word_on_what_the_log_does_not_have_is_not_measured(scribe: Scribe) -> None:
    entry = scribe.record(scribe.settled(0, Gesture("wink"))).item
    assert keys(tapes(early(scribe, 2, entry, ack(entry, digest=ELSEWHERE))), entry) == []
    assert keys(tapes(early(scribe, 2, entry, ack(entry, index=2))), entry) == []
    assert keys(tapes(early(scribe, 2, entry, CoinReveal(index=1, coin=bytes(32)))), None) == []


def wink(scribe: Scribe) -> Claim:
    return Claim(head=scribe.match.head, action=encode(Gesture("wink")), rivals=())


def test_what_follows_from_a_punished_fork_is_no_new_fault(scribe: Scribe) -> None:
    pen = scribe.pens[1]
    number, prev, stamp = pen.number, pen.prev, pen.lamport
    one = pen.write((wink(scribe),))
    pen.number, pen.prev, pen.lamport = number, prev, stamp
    other = pen.write((ack(one, digest=ELSEWHERE),))
    # What follows links to neither of the two, and its stamp does not grow.
    pen.prev, pen.lamport = ELSEWHERE, stamp
    after = pen.write((ack(one, index=0, digest=ELSEWHERE),))
    check = tapes(one, other, after)
    assert {code for _, code, _ in keys(check)} == {
        Fault.EQUIVOCATION,
        Fault.BAD_LINK,
        Fault.BAD_STAMP,
    }
    check.blame((one.digest, other.digest), RECORD + 1)
    assert keys(check) == []
    assert [
        (found.index, found.code, found.culprit) for found in check.remarks((scribe.match.head.digest,))
    ] == [(RECORD + 1, Flaw.PUNISHED, 1)]


def test_a_word_for_another_entry_is_remarked(scribe: Scribe) -> None:
    lie = scribe.say(2, Ack(epoch=0, term=0, head=Head(index=1, digest=ELSEWHERE)))
    own = scribe.record(scribe.settled(0, Gesture("wink"))).item
    remarks = list(tapes(lie).remarks((scribe.match.founding.match, own.digest)))
    assert [(found.index, found.code, found.culprit) for found in remarks] == [(RECORD, Flaw.OTHER_ACK, None)]
    true = scribe.say(2, Ack(epoch=0, term=0, head=Head(index=1, digest=own.digest)))
    assert list(tapes(true).remarks((scribe.match.founding.match, own.digest))) == []
