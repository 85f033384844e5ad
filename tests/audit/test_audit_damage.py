"""Damaged files: a changed byte is found, with its index; a torn tail is incomplete, never corrupt."""

import random

import pytest
from audit_helpers import Played
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_p2p.codec import encode, frame
from kemps_p2p.errors import Fault
from kemps_p2p.session.audit import Audit, Verdict, audit
from kemps_p2p.session.findings import Flaw
from kemps_p2p.session.logfile import LOG_MAGIC, Header, read_object
from kemps_p2p.session.messages import PROTOCOL_VERSION

pytest_plugins = ("audit_fixtures",)

LEADS = (b"", b"\x93\x02", b"\x92\x01", b"\x95\x03", b"\x90", b"\xc4\x01a", b"\xdd\xff\xff\xff\xff", b"\x00")


def object_at(log: bytes, place: int) -> int:
    """Which object of the log a byte lies in."""
    end = 0
    for count, data in enumerate(frame(log).objects):
        end += len(data)
        if place < end:
            return count
    raise AssertionError("the byte lies in no object")


def check_change(log: bytes, place: int, value: int) -> None:
    """Audit the log with one byte changed: it is found, and nowhere before the object that was changed."""
    changed = log[:place] + bytes([log[place] ^ value]) + log[place + 1 :]
    found = audit(changed, allow_stub=True)
    assert found.verdict is not Verdict.CLEAN
    assert found.findings, "a verdict without a finding"
    # Object 0 is the header and object 1 the genesis, both index 0; object k is entry k - 1.
    index = max(object_at(log, place) - 1, 0)
    assert min(finding.index for finding in found.findings) in (index, index + 1)
    assert found.findings[0].culprit is None, "nobody signed a byte that somebody else changed"


def changes(log: bytes, seed: str, count: int) -> list[tuple[int, int]]:
    drawn = random.Random(seed)
    return [(drawn.randrange(len(log)), drawn.randrange(1, 256)) for _ in range(count)]


def test_changed_bytes_are_found_with_their_index(secure: Played) -> None:
    for place, value in changes(secure.logs[0], "bytes", 8):
        check_change(secure.logs[0], place, value)


def test_changed_bytes_of_a_simulated_log_are_found(stub: Played) -> None:
    for place, value in changes(stub.logs[0], "more bytes", 60):
        check_change(stub.logs[0], place, value)


def test_bytes_of_header_and_annex_count(stub: Played) -> None:
    log = stub.logs[0]
    objects = frame(log).objects
    annex = len(log) - len(objects[-1])
    drawn = random.Random("ends")
    places = [*range(0, len(objects[0]), 3), *drawn.sample(range(annex, len(log)), 25)]
    for place in places:
        check_change(log, place, drawn.randrange(1, 256))


@pytest.mark.soak
def test_many_changed_bytes_are_found(secure: Played) -> None:
    for place, value in changes(secure.logs[0], "soak", 300):
        check_change(secure.logs[0], place, value)


def is_incomplete(found: Audit) -> bool:
    blamed = [finding for finding in found.findings if finding.culprit is not None]
    return found.verdict in (Verdict.UNDECIDABLE, Verdict.UNREADABLE) and not blamed


def test_a_torn_tail_is_incomplete_never_corrupt(stub: Played) -> None:
    log = stub.logs[0]
    drawn = random.Random("tails")
    ends = [len(log) - 1, *drawn.sample(range(1, len(log)), 60)]
    for end in ends:
        assert is_incomplete(audit(log[:end], allow_stub=True)), f"cut at {end}"


def test_a_log_cut_between_objects_is_incomplete(stub: Played) -> None:
    log = stub.logs[0]
    end = 0
    for count, data in enumerate(frame(log).objects[:-1]):
        end += len(data)
        if count % 5 == 0 or count > len(frame(log).objects) - 4:
            assert is_incomplete(audit(log[:end], allow_stub=True)), f"cut after object {count}"


def test_without_its_annex_a_log_lacks_a_certificate(stub: Played) -> None:
    log = stub.logs[0]
    whole = audit(log, allow_stub=True)
    found = audit(log[: -len(frame(log).objects[-1])], allow_stub=True)
    assert [finding.code for finding in found.findings] == [Flaw.NO_CERTIFICATE]
    assert found.findings[0].index == len(whole.entries) + 1
    assert found.verdict is Verdict.UNDECIDABLE


def test_a_torn_object_is_named_by_the_index_it_would_have(stub: Played) -> None:
    objects = frame(stub.logs[0]).objects
    found = audit(b"".join(objects[:7]) + objects[7][:50], allow_stub=True)
    assert (found.findings[0].index, found.findings[0].code) == (6, Flaw.TORN)


def test_zeros_behind_the_tail_are_a_torn_tail(stub: Played) -> None:
    log = stub.logs[0]
    found = audit(log[:40_000] + bytes(512), allow_stub=True)
    assert is_incomplete(found)
    objects = frame(log).objects
    found = audit(b"".join(objects[:9]) + bytes(512), allow_stub=True)
    assert is_incomplete(found)
    assert found.findings[0].code is Flaw.TORN


@pytest.mark.parametrize("data", [b"", b"\x00", b"hello", b"\x90", bytes(4096), b"\xff" * 100])
def test_what_is_no_log_is_unreadable(data: bytes) -> None:
    found = audit(data)
    assert found.verdict is Verdict.UNREADABLE
    assert [finding.code for finding in found.findings] == [Flaw.NOT_A_LOG]


def test_a_log_of_a_newer_version_is_refused_for_that_reason() -> None:
    newer = encode((0, LOG_MAGIC, PROTOCOL_VERSION + 1, "whatever", "a later version", ["has", "here"]))
    found = audit(newer + b"\x91\x01")
    assert found.verdict is Verdict.UNREADABLE
    assert [finding.code for finding in found.findings] == [Fault.NEWER_VERSION]


def test_a_header_that_does_not_repeat_the_genesis_is_found(stub: Played) -> None:
    objects = frame(stub.logs[0]).objects
    header = read_object(objects[0])
    assert isinstance(header, Header)
    lie = Header(magic=header.magic, version=header.version, match=header.match, seats=6, group=header.group)
    found = audit(encode(lie) + b"".join(objects[1:]), allow_stub=True)
    assert [(finding.index, finding.code) for finding in found.findings] == [(0, Flaw.BAD_HEADER)]
    assert found.verdict is Verdict.VIOLATED


def test_dropped_reordered_and_repeated_entries_are_found_and_nobody_is_blamed(stub: Played) -> None:
    objects = frame(stub.logs[0]).objects
    at = 20
    for changed, code, index in (
        (objects[:at] + objects[at + 1 :], Flaw.MISSING_ENTRY, at - 1),
        ((*objects[:at], objects[at + 1], objects[at], *objects[at + 2 :]), Flaw.MISSING_ENTRY, at - 1),
        (objects[: at + 1] + objects[at:], Flaw.OUT_OF_PLACE, at - 1),
    ):
        found = audit(b"".join(changed), allow_stub=True)
        assert found.verdict is Verdict.VIOLATED
        assert (found.findings[0].index, found.findings[0].code) == (index, code)
        assert {finding.culprit for finding in found.findings} == {None}


def test_an_entry_of_another_match_is_found(stub: Played, busy: Played) -> None:
    ours, others = frame(stub.logs[0]).objects, frame(busy.logs[0]).objects
    found = audit(b"".join((*ours[:10], others[10], *ours[11:])), allow_stub=True)
    assert found.verdict is Verdict.VIOLATED
    assert found.findings[0].index == 9
    assert found.findings[0].code is Fault.WRONG_MATCH
    assert {finding.culprit for finding in found.findings} == {None}


def test_what_follows_the_annex_is_found(stub: Played) -> None:
    log = stub.logs[0]
    last = len(audit(log, allow_stub=True).entries)
    objects = frame(log).objects
    for more in (objects[-1], objects[-2], objects[0]):
        found = audit(log + more, allow_stub=True)
        assert [(finding.index, finding.code) for finding in found.findings] == [(last + 1, Flaw.AFTER_ANNEX)]
        assert found.verdict is Verdict.VIOLATED


def test_endless_garbage_is_not_read_to_its_end(stub: Played) -> None:
    objects = frame(stub.logs[0]).objects
    found = audit(b"".join(objects[:5]) + b"\x90" * 200_000, allow_stub=True)
    assert found.verdict is Verdict.VIOLATED
    assert len(found.findings) < 2000
    assert Flaw.TOO_MANY in {finding.code for finding in found.findings}


@settings(max_examples=100)
@given(data=st.data())
def test_no_bytes_make_the_audit_raise(stub: Played, data: st.DataObject) -> None:
    """Objects cut short, repeated, exchanged and overwritten with garbage: a verdict always, clean never."""
    log = stub.logs[0]
    objects = list(frame(log).objects)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(objects) - 1))
        what = data.draw(st.integers(0, 4))
        if what == 0:
            del objects[place]
        elif what == 1:
            objects.insert(place, objects[data.draw(st.integers(0, len(objects) - 1))])
        elif what == 2:
            objects[place] = data.draw(st.sampled_from(LEADS)) + data.draw(st.binary(max_size=80))
        elif what == 3:
            cut = data.draw(st.integers(0, max(len(objects[place]) - 1, 0)))
            objects[place] = objects[place][:cut]
        else:
            old = objects[place]
            start = data.draw(st.integers(0, max(len(old) - 1, 0)))
            objects[place] = old[:start] + data.draw(st.binary(min_size=1, max_size=9)) + old[start + 1 :]
        if not objects:
            break
    damaged = b"".join(objects)
    if damaged != log:
        assert audit(damaged, allow_stub=True).verdict is not Verdict.CLEAN
