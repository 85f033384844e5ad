"""Where lies are told in the vectors of logs: the stages of a match, and the list of all lies.

A liar's log ends where the lie is told, so that nothing else is wrong with it.
"""

from collections.abc import Callable
from functools import cache

from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Blamed
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.session.findings import Verdict
from kemps_p2p.session.messages import Closed
from vectors.log_scribe import Scribe
from vectors.make_logs import STUB, Finding, Kind, Told, doubled, short

Lie = Callable[[Scribe], Finding | tuple[Finding, ...]]


@cache
def seated() -> Scribe:
    """At genesis."""
    return Scribe.seated(short(), 4, STUB)


@cache
def keyed() -> Scribe:
    """With the keys of the first deal."""
    s = seated().copy()
    s.fulfil(prepares=True)
    return s


@cache
def shuffled() -> Scribe:
    """With a deck that is shuffled, before the deal."""
    s = seated().copy()
    s.shuffle()
    return s


@cache
def playing() -> Scribe:
    """In play."""
    s = seated().copy()
    s.deal()
    return s


@cache
def called() -> Scribe:
    """After the last call: the match is over, and all seeds are owed."""
    s = playing().copy()
    s.do(1, act.Call(calls=(act.Partner(),)))
    s.fulfil()
    return s


@cache
def booked() -> Scribe:
    """Seat 1 has sealed a book, and the match is over after a few entries: it owes the opening."""
    s = seated().copy()
    s.seal_book(Seat(1))
    s.fulfil(prepares=True)
    s.order(Blamed(culprit=0, items=(s.deed(0, doubled(s)).digest,)))
    s.start((1, 0))
    return s


@cache
def spoilt() -> Scribe:
    """A match that is over and closed after a few entries, without its annex."""
    s = keyed().copy()
    end_soon(s)
    return s


def end_soon(s: Scribe) -> None:
    """Seat 0 is found out with a false turn, which decides the match."""
    bad = s.deed(0, doubled(s))
    s.order(Blamed(culprit=0, items=(bad.digest,)))
    s.start((1, 0))
    s.order(s.note(Closed()))


LIES: list[tuple[Callable[[], Scribe], Lie]] = []


def told_at(stage: Callable[[], Scribe]) -> Callable[[Lie], Lie]:
    """Register a lie that is told at a stage of the match. It returns what is found."""

    def register(lie: Lie) -> Lie:
        LIES.append((stage, lie))
        return lie

    return register


def lies() -> list[Told]:
    """Every lie as a log, named after its function. The head is the last entry that holds."""
    told = []
    for stage, lie in LIES:
        s = stage().copy()
        found = lie(s)
        findings = found if isinstance(found[0], tuple) else (found,)
        name = lie.__name__.replace("_", "-")
        told.append(Told(name, s.log, Verdict.VIOLATED, findings, head=s.match.head, kind=Kind.LIE))
    return told


def by_duty(s: Scribe, code: Fault) -> Finding:
    """The seat on duty is to blame, for the entry just written."""
    return s.index, code, s.on_duty


def wink(s: Scribe) -> tuple[TapeItem, list[TapeItem]]:
    """A gesture of seat 0, and two receipts."""
    claim = s.claim(0, act.Gesture(name="wink"))
    return claim, list(s.see(claim, 1, 2))


def given(s: Scribe, seat: int) -> TapeItem:
    """The deed that a seat owes to the shuffle."""
    item = s.give(Seat(seat), prepares=True)
    assert item is not None
    return item
