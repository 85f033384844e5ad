"""Vectors of logs as files: cut, mixed, or changed where nobody signed. No seat is to blame for any of that.

And of two logs that contradict each other, of which a seat is.
"""

from typing import Any

from msgspec import msgpack

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.session.findings import Flaw, Verdict
from kemps_p2p.session.logfile import LOG_MAGIC, header_of
from kemps_p2p.session.messages import PROTOCOL_VERSION
from vectors import lies_in_form, lies_in_play
from vectors.form import Vector, as_text, changed
from vectors.lie_stages import keyed, lies, seated, spoilt
from vectors.log_scribe import Scribe
from vectors.make_logs import Finding, Told, as_finding, matches

ENTRIES = 4
"""Of the log that is damaged here; its objects are header, genesis, these, and the annex."""


def files() -> dict[str, bytes]:
    """All files of logs by name, the index among them."""
    whole = matches()
    made = [*whole, *lies(), *damaged()]
    index = {"vectors": [told.vector() for told in made], "together": [contradicting()[1]]}
    written = {f"logs/{told.file}": told.log for told in whole} | short_files()
    return {"logs/index.json": as_text(index).encode()} | written


TOLD_IN = (lies_in_form, lies_in_play)
"""Importing these tells all lies to `lies`."""


def short_files() -> dict[str, bytes]:
    """All logs but the complete matches, which take longer to make."""
    made = [*lies(), *damaged(), *contradicting()[0]]
    written = {f"logs/{told.file}": told.log for told in made}
    assert len(written) == len(made), "two logs of one name"
    return written


def damaged() -> list[Told]:
    """One log, damaged in one place each time."""
    s = spoilt().copy()
    s.objects.append(s.annex())
    objects, founding = tuple(s.objects), s.match.founding
    heads = [head_at(index) for index in range(ENTRIES + 1)]

    def damage(name: str, parts: tuple[bytes, ...], *found: Finding, held: int | None, **fields: Any) -> Told:
        """`held`: the index of the last entry that holds, None if not even the genesis does."""
        head = None if held is None else heads[held]
        return Told(
            name, b"".join(parts), fields.pop("verdict", Verdict.VIOLATED), found, head=head, **fields
        )

    incomplete = {"verdict": Verdict.UNDECIDABLE}
    unreadable = {"verdict": Verdict.UNREADABLE}
    no_acks: Finding = (ENTRIES + 1, Flaw.NO_CERTIFICATE, None)
    torn: Finding = (ENTRIES + 1, Flaw.TORN, None)
    body, annex = objects[:-1], objects[-1]
    header = header_of(founding)
    newer = encode((0, LOG_MAGIC, PROTOCOL_VERSION + 1, "whatever comes"))
    long_head = b"\xdc\x00\x03" + objects[3][1:]
    other = seated().copy()
    other.do(0, act.Gesture(name="wink"))
    return [
        damage("empty", (b"",), (0, Flaw.NOT_A_LOG, None), held=None, **unreadable),
        damage("not-a-log", (b"hello\n",), (0, Flaw.NOT_A_LOG, None), held=None, **unreadable),
        damage("no-header", objects[1:], (0, Flaw.NOT_A_LOG, None), held=None, **unreadable),
        damage(
            "newer-version", (newer, *objects[1:]), (0, Fault.NEWER_VERSION, None), held=None, **unreadable
        ),
        damage("header-alone", objects[:1], (0, Flaw.NO_GENESIS, None), held=None, **incomplete),
        damage("genesis-alone", objects[:2], (1, Flaw.NOT_CLOSED, None), held=0, **incomplete),
        damage("not-closed", objects[:-2], (ENTRIES, Flaw.NOT_CLOSED, None), held=ENTRIES - 1, **incomplete),
        damage("no-certificate", body, no_acks, held=ENTRIES, **incomplete),
        damage("torn-annex", (*body, annex[:-1]), torn, no_acks, held=ENTRIES, **incomplete),
        damage(
            "torn-entry",
            (*objects[:4], objects[4][:100]),
            (3, Flaw.TORN, None),
            (3, Flaw.NOT_CLOSED, None),
            held=2,
            **incomplete,
        ),
        damage("zeros-behind", (*objects, bytes(64)), torn, held=ENTRIES, **incomplete),
        damage("garbage-behind", (*objects, b"\xff\xfe"), (ENTRIES + 1, Fault.MALFORMED, None), held=ENTRIES),
        damage("annex-twice", (*objects, annex), (ENTRIES + 1, Flaw.AFTER_ANNEX, None), held=ENTRIES),
        damage("record-behind-the-annex", (*objects, objects[2]), (5, Flaw.AFTER_ANNEX, None), held=ENTRIES),
        damage("entry-left-out", objects[:3] + objects[4:], (2, Flaw.MISSING_ENTRY, None), held=1),
        damage("entry-twice", objects[:4] + objects[3:], (2, Flaw.OUT_OF_PLACE, None), held=2),
        damage(
            "entries-exchanged",
            (*objects[:3], objects[4], objects[3], *objects[5:]),
            (2, Flaw.MISSING_ENTRY, None),
            (2, Flaw.OUT_OF_PLACE, None),
            held=1,
        ),
        damage(
            "header-of-six-seats",
            (encode(changed(header, seats=6)), *objects[1:]),
            (0, Flaw.BAD_HEADER, None),
            held=ENTRIES,
        ),
        damage(
            "genesis-without-a-signature",
            (objects[0], unsigned(objects[1]), *objects[2:]),
            (0, Fault.BAD_GENESIS, None),
            held=ENTRIES,
        ),
        damage(
            "genesis-with-a-false-signature",
            (objects[0], flipped(objects[1]), *objects[2:]),
            (0, Fault.BAD_SIGNATURE, None),
            held=ENTRIES,
        ),
        damage(
            "one-bit-of-a-signature",
            (*objects[:3], flipped(objects[3]), *objects[4:]),
            (2, Fault.BAD_SIGNATURE, None),
            held=1,
        ),
        damage(
            "one-bit-of-the-annex",
            (*body, flipped(annex)),
            (ENTRIES + 1, Fault.BAD_SIGNATURE, None),
            no_acks,
            held=ENTRIES,
        ),
        damage(
            "not-canonical",
            (*objects[:3], long_head, *objects[4:]),
            (2, Fault.NOT_CANONICAL, None),
            held=1,
        ),
        damage("insecure-group", objects, (0, Flaw.INSECURE_GROUP, None), held=ENTRIES, allows_stub=False),
    ]


def head_at(index: int) -> Any:
    """The head of the damaged log at an index."""
    past = spoilt().match.past
    return past[index].head


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
