"""Vectors of logs as files: cut, mixed, or changed where nobody signed. No seat is to blame for any of that.

And of two logs that contradict each other, of which a seat is.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from msgspec import msgpack

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.session.findings import Flaw, Verdict
from kemps_p2p.session.logfile import LOG_MAGIC, header_of
from kemps_p2p.session.messages import PROTOCOL_VERSION

# Importing these tells all lies to `lies`.
from vectors import (  # noqa: F401
    lies_absent,
    lies_in_form,
    lies_in_play,
    lies_in_signals,
    lies_in_terms,
    lies_observed,
    lies_seated,
)
from vectors.form import Vector, as_text, changed
from vectors.lie_stages import keyed, lies, spoilt
from vectors.log_scribe import Scribe
from vectors.make_logs import STUB, Finding, Kind, Told, as_finding, matches, short

ENTRIES = 4
"""Of the log that is damaged here; its objects are header, genesis, these, and the annex."""


def files() -> dict[str, bytes]:
    """All files of logs by name, the index among them."""
    whole = [*matches(), *lies_absent.absences(), *lies_seated.seatings()]
    made = [*whole, *lies(), *damaged()]
    index = {"vectors": [told.vector() for told in made], "together": [contradicting()[1]]}
    written = {f"logs/{told.file}": told.log for told in whole} | short_files()
    return {"logs/index.json": as_text(index).encode()} | written


def short_files() -> dict[str, bytes]:
    """All logs but the complete matches, which take longer to make."""
    made = [*lies(), *damaged(), *contradicting()[0]]
    written = {f"logs/{told.file}": told.log for told in made}
    assert len(written) == len(made), "two logs of one name"
    return written


def damaged() -> list[Told]:
    """One log, damaged in one place each time."""
    return [*unreadable(), *incomplete(), *mixed(), *altered()]


@cache
def whole() -> tuple[bytes, ...]:
    """The objects of the log that is damaged."""
    s = spoilt().copy()
    return (*s.objects, s.annex())


def damage(
    name: str,
    parts: Sequence[bytes],
    *found: Finding,
    held: int | None,
    verdict: Verdict = Verdict.VIOLATED,
    allows_stub: bool = True,
) -> Told:
    """`held`: the index of the last entry that holds, None if not even the genesis does."""
    head = None if held is None else spoilt().match.past[held].head
    return Told(name, b"".join(parts), verdict, found, head=head, allows_stub=allows_stub, kind=Kind.DAMAGE)


def unreadable() -> Iterator[Told]:
    """What is no log, or one of a later version."""
    is_none: Finding = (0, Flaw.NOT_A_LOG, None)
    newer = encode((0, LOG_MAGIC, PROTOCOL_VERSION + 1, "whatever comes"))
    is_newer: Finding = (0, Fault.NEWER_VERSION, None)
    for name, parts, found in (
        ("empty", (), is_none),
        ("not-a-log", (b"hello\n",), is_none),
        ("no-header", whole()[1:], is_none),
        ("newer-version", (newer, *whole()[1:]), is_newer),
    ):
        yield damage(name, parts, found, held=None, verdict=Verdict.UNREADABLE)


def incomplete() -> Iterator[Told]:
    """Logs that hold as far as they go."""
    objects = whole()
    body, annex = objects[:-1], objects[-1]
    no_acks: Finding = (ENTRIES + 1, Flaw.NO_CERTIFICATE, None)
    torn: Finding = (ENTRIES + 1, Flaw.TORN, None)
    torn_entry: tuple[Finding, ...] = ((3, Flaw.TORN, None), (3, Flaw.NOT_CLOSED, None))
    not_closed: Finding = (ENTRIES, Flaw.NOT_CLOSED, None)
    told: tuple[tuple[str, tuple[bytes, ...], tuple[Finding, ...], int | None], ...] = (
        ("header-alone", objects[:1], ((0, Flaw.NO_GENESIS, None),), None),
        ("genesis-alone", objects[:2], ((1, Flaw.NOT_CLOSED, None),), 0),
        ("not-closed", objects[:-2], (not_closed,), ENTRIES - 1),
        ("no-certificate", body, (no_acks,), ENTRIES),
        ("torn-annex", (*body, annex[:-1]), (torn, no_acks), ENTRIES),
        ("torn-entry", (*objects[:4], objects[4][:100]), torn_entry, 2),
        ("zeros-behind", (*objects, bytes(64)), (torn,), ENTRIES),
    )
    for name, parts, found, held in told:
        yield damage(name, parts, *found, held=held, verdict=Verdict.UNDECIDABLE)


def mixed() -> Iterator[Told]:
    """Logs with an object too many, too few, or in the wrong place."""
    objects = whole()
    behind: Finding = (ENTRIES + 1, Flaw.AFTER_ANNEX, None)
    garbage: Finding = (ENTRIES + 1, Fault.MALFORMED, None)
    missing: Finding = (2, Flaw.MISSING_ENTRY, None)
    again: Finding = (2, Flaw.OUT_OF_PLACE, None)
    other = Scribe.seated(short(word="KE"), 4, STUB)
    other.do(0, act.Gesture(name="wink"))
    foreign = (*objects[:3], other.objects[2], *objects[4:])
    exchanged = (*objects[:3], objects[4], objects[3], *objects[5:])
    yield damage("garbage-behind", (*objects, b"\xff\xfe"), garbage, held=ENTRIES)
    yield damage("annex-twice", (*objects, objects[-1]), behind, held=ENTRIES)
    yield damage("record-behind-the-annex", (*objects, objects[2]), behind, held=ENTRIES)
    yield damage("entry-left-out", objects[:3] + objects[4:], missing, held=1)
    yield damage("entry-twice", objects[:4] + objects[3:], again, held=2)
    yield damage("entries-exchanged", exchanged, missing, again, held=1)
    yield damage("record-of-another-match", foreign, (2, Fault.WRONG_MATCH, None), held=1)


def altered() -> Iterator[Told]:
    """Logs with other bytes in one object."""
    header, genesis, *records, annex = whole()
    first, second, *later = records
    false: Finding = (0, Fault.BAD_SIGNATURE, None)
    six_seats = encode(changed(header_of(spoilt().match.founding), seats=6))
    yield damage("header-of-six-seats", (six_seats, *whole()[1:]), (0, Flaw.BAD_HEADER, None), held=ENTRIES)
    for name, lie, found in (
        ("genesis-without-a-signature", unsigned(genesis), (0, Fault.BAD_GENESIS, None)),
        ("genesis-with-a-false-signature", flipped(genesis), false),
    ):
        yield damage(name, (header, lie, *records, annex), found, held=ENTRIES)
    for name, lie, fault in (
        ("one-bit-of-a-signature", flipped(second), Fault.BAD_SIGNATURE),
        ("not-canonical", b"\xdc\x00\x03" + second[1:], Fault.NOT_CANONICAL),
    ):
        yield damage(name, (header, genesis, first, lie, *later, annex), (2, fault, None), held=1)
    unsigned_annex: tuple[Finding, ...] = (
        (ENTRIES + 1, Fault.BAD_SIGNATURE, None),
        (ENTRIES + 1, Flaw.NO_CERTIFICATE, None),
    )
    bit = (header, genesis, *records, flipped(annex))
    yield damage("one-bit-of-the-annex", bit, *unsigned_annex, held=ENTRIES)
    stub: Finding = (0, Flaw.INSECURE_GROUP, None)
    yield damage("insecure-group", whole(), stub, held=ENTRIES, allows_stub=False)


def flipped(data: bytes) -> bytes:
    """With another last bit, which is one of a signature."""
    return data[:-1] + bytes([data[-1] ^ 1])


def unsigned(genesis: bytes) -> bytes:
    """A signed genesis without its last signature."""
    tag, raw, signatures = msgpack.decode(genesis)
    return msgpack.encode([tag, raw, signatures[:-1]])


def contradicting() -> tuple[list[Told], Vector]:
    """Two logs of one match, whose sequencer has told one story to some and another one to others."""
    stories: list[Scribe] = []
    base = keyed().copy()
    claims = [base.claim(seat, act.Gesture(name="wink")) for seat in (1, 2)]
    words = [base.see(claim, 0, 3) for claim in claims]
    for claim, seen in zip(claims, words, strict=True):
        story = base.copy()
        story.order(story.settled(claim, seen))
        stories.append(story)
    index, liar = base.index, base.on_duty
    not_closed: Finding = (index + 1, Flaw.NOT_CLOSED, None)
    told = [
        Told(f"story-{number}", story.log, Verdict.UNDECIDABLE, (not_closed,), head=story.match.head)
        for number, story in enumerate(stories, start=1)
    ]
    findings: list[Finding] = [(index, Fault.EQUIVOCATION, liar), (index, Flaw.FORK, liar)]
    return told, {
        "files": [each.file for each in told],
        "allow_stub": True,
        "verdict": Verdict.CONTRADICT.value,
        "findings": [as_finding(finding) for finding in findings],
        "index": index,
        "heads": [story.match.head.digest.hex() for story in stories],
        "culprits": [liar],
    }
