"""What a lie in a log is, and how to find a place for one."""

from collections.abc import Callable

from audit_forger import Forger, replace

from kemps_p2p.codec import Digest, Record, encode
from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Swap
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Carried, Note, Result, Settled
from kemps_p2p.ledger.tape import Claim, Deed, claim_of
from kemps_p2p.session.match import action_of
from kemps_p2p.session.messages import NoteBody, read_deed, read_note

Expected = tuple[int, Fault, Seat | None]
Lie = Callable[[Forger], Expected]
LIES: list[Lie] = []
ELSEWHERE = Digest(b"\x07" * 32)


def lie(told: Lie) -> Lie:
    LIES.append(told)
    return told


def settled(forger: Forger, *, result: Result = Result.OK, is_swap: bool = False) -> tuple[int, int, Settled]:
    """The first claim with this result that is ordered without a rival."""
    for index, place, event in forger.events(Settled):
        item = forger.honest.steps[index - 1].record.items[event.claim]
        claim = claim_of(item.item)
        assert claim is not None
        is_wanted = not is_swap or isinstance(action_of(item, claim), Swap)
        if is_wanted and event.result is result and len(event.evidence) == 2:
            return index, place, event
    raise AssertionError("no such claim in this log")


def note(forger: Forger, kind: type[NoteBody], skip: int = 0) -> tuple[int, int, NoteBody]:
    for index, place, event in forger.events(Note):
        body = read_note(event.payload)
        if isinstance(body, kind):
            if not skip:
                return index, place, body
            skip -= 1
    raise AssertionError("no such note")


def deed(forger: Forger, kind: type[Record], skip: int = 0) -> tuple[int, int, Digest, Record]:
    """Index, place, item and deed of a carried deed of a kind; of items with one of that kind."""
    for index, place, event in forger.events(Carried):
        payloads = [word.payload for word in forger.draft(event.item).body if isinstance(word, Deed)]
        bodies = [body for body in map(read_deed, payloads) if isinstance(body, kind)]
        if len(bodies) == 1:
            if not skip:
                return index, place, event.item, bodies[0]
            skip -= 1
    raise AssertionError("no such deed")


def the_claim(forger: Forger, name: Digest) -> Claim:
    return next(word for word in forger.draft(name).body if isinstance(word, Claim))


def with_claim(forger: Forger, name: Digest, **lies: object) -> None:
    claim = the_claim(forger, name)
    forger.change_statement(name, claim, replace(claim, **lies))


def as_note(body: NoteBody) -> Note:
    return Note(payload=encode(body))
