"""What is still found where the rules cannot be folded any more, and what no log can hold."""

import pytest
from audit_forger import Forger, replace
from audit_helpers import Played

from kemps_p2p.codec import Digest, decode, encode, frame
from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Swap
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Carried, LogRecord, Result, Settled
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import Ack, Deed, claim_of
from kemps_p2p.session.audit import Audit, Verdict, audit
from kemps_p2p.session.chaincheck import FINDINGS_MAX
from kemps_p2p.session.findings import Flaw
from kemps_p2p.session.genesis import SignedGenesis, found
from kemps_p2p.session.logfile import ANNEX_LABEL, Annex, annex_message, read_object
from kemps_p2p.session.match import action_of

pytest_plugins = ("audit_fixtures",)

ELSEWHERE = Digest(b"\x07" * 32)


def keys(audited: Audit) -> list[tuple[int, object, Seat | None]]:
    return [(finding.index, finding.code, finding.culprit) for finding in audited.findings]


# Behind a lie


def break_early(forger: Forger) -> tuple[int, tuple[int, object, Seat | None]]:
    """A false result early in the log: from there on the rules are not folded."""
    for index, place, event in forger.events(Settled):
        claim = claim_of(forger.honest.steps[index - 1].record.items[event.claim].item)
        item = forger.honest.steps[index - 1].record.items[event.claim]
        assert claim is not None
        if event.result is Result.OK and isinstance(action_of(item, claim), Swap):
            forger.change_event(index, place, replace(event, result=Result.REFUSED))
            return index, (index, Fault.BAD_VERDICT, forger.author(index))
    raise AssertionError("nobody swaps in this log")


def carries_after(forger: Forger, start: int) -> int:
    """An entry behind `start` that carries something."""
    return next(index for index, _, _ in forger.events(Carried) if index > start + 1)


def test_links_are_checked_behind_a_lie(forger: Forger) -> None:
    broken, lie = break_early(forger)
    index = broken + 2
    forger.change_entry(index, prev=ELSEWHERE)
    # Its author has the entry before as well, so it is its own lie.
    assert forger.author(index) == forger.author(index - 1)
    assert keys(forger.audit()) == [lie, (index, Fault.BAD_LINK, forger.author(index))]


def test_what_an_entry_names_is_checked_behind_a_lie(forger: Forger) -> None:
    broken, lie = break_early(forger)
    index = carries_after(forger, broken)
    forger.beside[index] = lambda names: names[:-1]
    assert keys(forger.audit()) == [lie, (index, Fault.BAD_EVIDENCE, None)]


def test_stamps_are_checked_behind_a_lie(forger: Forger) -> None:
    broken, lie = break_early(forger)
    for index in range(broken + 1, forger.last + 1):
        draft = forger.chain[index - 1]
        tape = forger.tapes[draft.seat]
        floor = tape[tape.index(draft) - 1].lamport + 1
        items = forger.honest.steps[index - 1].record.items.values()
        if items and tape.index(draft) < floor <= max(item.item.lamport for item in items):
            draft.lamport = floor
            assert keys(forger.audit()) == [lie, (index, Fault.BAD_STAMP, draft.seat)]
            return
    raise AssertionError("no entry could be stamped earlier")


# What no honest program writes down


def test_an_entry_of_the_far_future_costs_nothing(forger: Forger) -> None:
    forger.change_entry(forger.last, index=10**12)
    audited = forger.audit()
    assert (forger.last, Flaw.MISSING_ENTRY, None) in keys(audited)
    assert len(audited.entries) < forger.last + FINDINGS_MAX


def test_a_record_of_an_item_that_is_no_entry(stub: Played) -> None:
    objects = list(frame(stub.logs[0]).objects)
    record = next(
        found_record
        for data in objects[2:]
        if isinstance(found_record := read_object(data), LogRecord) and found_record.items
    )
    place = objects.index(encode(record))
    objects[place] = encode(LogRecord(entry=record.items[0], items=()))
    audited = audit(b"".join(objects), allow_stub=True)
    assert audited.verdict is Verdict.VIOLATED
    assert keys(audited)[0] == (place - 1, Fault.BAD_ENTRY, None)


def with_annex(objects: tuple[bytes, ...], annex: Annex, head: bytes, key: Identity) -> bytes:
    """The objects with an annex behind them, signed by whoever likes to."""
    signed = decode(objects[1], SignedGenesis)
    match = found(signed.raw).match
    message = annex_message(match, head, annex.seat, annex.certificate)
    return b"".join((*objects, encode(replace(annex, signature=key.sign(ANNEX_LABEL, message)))))


@pytest.mark.parametrize("seat", [-1, 4, 10**6])
def test_an_annex_of_no_seat(stub: Played, seat: int) -> None:
    *objects, last = frame(stub.logs[0]).objects
    honest = audit(stub.logs[0], allow_stub=True)
    annex = read_object(last)
    assert isinstance(annex, Annex)
    assert honest.head is not None
    key = stub.keys[max(-1, min(seat, 3))]
    log = with_annex(tuple(objects), replace(annex, seat=seat), honest.head.digest, key)
    audited = audit(log, allow_stub=True)
    assert (len(honest.steps) + 1, Fault.BAD_ANNEX, None) in keys(audited)
    assert audited.annexed_by is None


def test_an_annex_to_no_entry(stub: Played) -> None:
    *objects, last = frame(stub.logs[0]).objects
    annex = read_object(last)
    assert isinstance(annex, Annex)
    log = with_annex(tuple(objects[:2]), annex, bytes(32), stub.keys[annex.seat])
    assert (1, Fault.BAD_ANNEX, None) in keys(audit(log, allow_stub=True))


def test_names_that_end_too_soon(forger: Forger) -> None:
    forger.names = lambda names: names[:-1]
    assert keys(forger.audit()) == [(forger.last + 1, Fault.BAD_ANNEX, None)]


def test_an_annex_without_names_is_as_good(forger: Forger) -> None:
    forger.names = lambda names: ()
    audited = forger.audit()
    assert (audited.verdict, audited.findings, audited.names) == (Verdict.CLEAN, (), ())


# Words beside the fold


def test_an_ack_of_another_entry_is_remarked_and_blames_nobody(forger: Forger) -> None:
    index, name, ack = acks(forger)[0]
    forger.change_statement(name, ack, replace(ack, head=replace(ack.head, digest=ELSEWHERE)))
    audited = forger.audit()
    assert (index, Flaw.OTHER_ACK, None) in {(r.index, r.code, r.culprit) for r in audited.remarks}
    assert Flaw.OTHER_ACK not in {finding.code for finding in audited.findings}


def acks(forger: Forger) -> list[tuple[int, Digest, Ack]]:
    """Carried items with an ack of an earlier entry, and the entries that carry them."""
    return [
        (index, event.item, word)
        for index, _, event in forger.events(Carried)
        for word in forger.draft(event.item).body
        if isinstance(word, Ack) and word.head.index > 0
        if any(isinstance(other, Deed) for other in forger.draft(event.item).body)
    ]
