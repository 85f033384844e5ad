"""Logs with a random change in a signed statement, signed anew: the audit never raises, whatever they say.

Every seat may sign what it likes, so the fold meets values that no honest program writes.
"""

import enum
import random

import msgspec
import pytest
from audit_forger import Draft, Forger, replace

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import Action
from kemps_p2p.ledger.entry import Carried, Contest, Drawn, Note, Result, Settled
from kemps_p2p.ledger.tape import Claim, Deed
from kemps_p2p.session.audit import Verdict, audit
from kemps_p2p.session.messages import Checkpoint, Closed, PlayStarted, read_deed

pytest_plugins = ("audit_fixtures",)

NUMBERS = (-(1 << 63), -1, 0, 1, 2, 3, 4, 7, 51, 52, 255, 1 << 16, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)
DEPTH_MAX = 12


class Mutator:
    """Changes one value, somewhere inside another."""

    def __init__(self, seed: int, forger: Forger) -> None:
        self.random = random.Random(f"mutants {seed}")
        self.forger = forger
        self.names = [draft.name for tape in forger.tapes for draft in tape]

    def change(self, value: object, depth: int = 0) -> object:
        match value:
            case enum.Enum():
                return self.random.choice(list(type(value)))
            case bool() | None | float():
                return value
            case int():
                return self.random.choice((*NUMBERS, value + 1, value - 1))
            case bytes():
                return self.change_bytes(value)
            case str():
                return self.random.choice(("", "x" * 40, value + "\u202e"))
            case tuple():
                return self.change_tuple(value, depth)
            case Claim() if depth < DEPTH_MAX and self.random.random() < 0.7:
                return replace(value, action=self.change_action(value.action))
            case Deed():
                return Deed(payload=encode(self.change(read_deed(value.payload), depth + 1)))
            case msgspec.Struct() if value.__struct_fields__:
                name = self.random.choice(value.__struct_fields__)
                return replace(value, **{name: self.change(getattr(value, name), depth + 1)})
            case _:
                return value

    def change_bytes(self, value: bytes) -> bytes:
        flipped = bytes([value[0] ^ 1, *value[1:]]) if value else b"\x01"
        return self.random.choice((b"", value[:-1], value + b"\x00", flipped, self.random.choice(self.names)))

    def change_tuple(self, value: tuple[object, ...], depth: int) -> tuple[object, ...]:
        if not value:
            return (self.random.choice(self.names),)
        place = self.random.randrange(len(value))
        match self.random.randrange(6):
            case 0:
                return (*value[:place], *value[place + 1 :])
            case 1:
                return (*value, value[place])
            case 2:
                return value[::-1]
            case 3:
                return ()
            case _:
                return (*value[:place], self.change(value[place], depth + 1), *value[place + 1 :])

    def change_action(self, raw: bytes) -> bytes:
        action = msgspec.msgpack.decode(raw, type=Action)
        return encode(self.change(action, DEPTH_MAX))

    def change_entry(self, draft: Draft) -> None:
        assert draft.entry is not None
        event = self.random.choice(
            (
                Note(payload=encode(Closed())),
                Note(payload=encode(PlayStarted())),
                Note(payload=encode(Checkpoint(deal=0, dealer=0, scores=(0, 0)))),
                Carried(item=self.random.choice(self.names)),
                Contest(claims=tuple(self.random.choices(self.names, k=2)), evidence=()),
                Drawn(index=self.random.choice(NUMBERS), coins=(), order=(), results=()),
                Settled(claim=self.random.choice(self.names), result=Result.OK, evidence=()),
            )
        )
        if self.random.random() < 0.3:
            events = [*draft.entry.events, event]
            self.random.shuffle(events)
            draft.entry = replace(draft.entry, events=tuple(events))
        else:
            changed = self.change(draft.entry)
            assert isinstance(changed, type(draft.entry))
            draft.entry = changed
        draft.placed = self.random.random() < 0.9

    def mutate(self) -> Draft:
        """Change one item; return it."""
        tape = self.random.choice(self.forger.tapes)
        draft = self.random.choice(tape)
        if draft.entry is not None:
            self.change_entry(draft)
            return draft
        place = self.random.randrange(len(draft.body))
        changed = self.change(draft.body[place])
        assert isinstance(changed, type(draft.body[place]))
        draft.body[place] = changed
        return draft


def check_mutant(forger: Forger, seed: int) -> Verdict | None:
    """The verdict on a mutant; None if the forger cannot sign it either.

    Whoever is blamed has signed the change, or has ordered what was changed.
    """
    draft = Mutator(seed, forger).mutate()
    try:
        log = forger.log()
    except (KeyError, OverflowError, PeerFault, msgspec.ValidationError):
        return None
    found = audit(log, allow_stub=True)
    for finding in found.findings:
        entry = found.entries[finding.index - 1] if 0 < finding.index <= len(found.entries) else None
        author = None if entry is None else entry.seat
        guilty = {draft.seat} if draft.entry is not None else {draft.seat, author}
        if finding.code is not Fault.BAD_ANNEX:
            assert finding.culprit in (None, *guilty), (seed, finding)
    return found.verdict


def check_mutants(parts: Forger, seeds: range) -> None:
    verdicts = [check_mutant(parts.copy(), seed) for seed in seeds]
    told = [verdict for verdict in verdicts if verdict is not None]
    # Most items are not in the log, or say something that others may say as well; the rest is found out.
    assert set(told) <= {Verdict.CLEAN, Verdict.VIOLATED, Verdict.UNDECIDABLE}
    assert told.count(Verdict.VIOLATED) > len(seeds) // 4


def test_mutants_never_make_the_audit_raise(parts: Forger) -> None:
    check_mutants(parts, range(10))


@pytest.mark.soak
def test_many_mutants_never_make_the_audit_raise(parts: Forger) -> None:
    check_mutants(parts, range(1000, 4000))
