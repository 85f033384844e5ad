"""Vectors of whole logs: a few complete matches, and what the lies and the damage elsewhere start from.

What is expected of a log is written down here by hand; only the digest of its head comes from the scribe.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from msgspec import msgpack

from kemps_p2p.codec import Digest, encode, frame
from kemps_p2p.errors import Fault
from kemps_p2p.game import actions as act
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Blamed, Carried, Result, Struck, TakeOver
from kemps_p2p.ledger.tape import (
    NO_DIGEST,
    Ack,
    Deed,
    HandOver,
    Head,
    Join,
    Suspect,
    TapeItem,
    Unheard,
)
from kemps_p2p.session.findings import Flaw, Verdict
from kemps_p2p.session.messages import Overdue, TurnDeed
from kemps_p2p.session.overdue import OVERDUE_MS
from vectors.form import ELSEWHERE, Vector, changed
from vectors.log_scribe import NAMES, Scribe

STUB = "stub-insecure"
SECURE = "ristretto255"
Finding = tuple[int, Fault | Flaw, int | None]
"""Index, code and culprit."""


class Kind(Enum):
    """How a log came to be as it is."""

    MATCH = "match"
    """Played to its end."""
    LIE = "lie"
    """Its end is a lie, signed by whoever tells it with its own key."""
    DAMAGE = "damage"
    """Changed as a file, by somebody without keys."""


EXITS = {Verdict.CLEAN: 0, Verdict.UNREADABLE: 7, Verdict.VIOLATED: 10, Verdict.UNDECIDABLE: 11}
"""The exit code of an audit; that of a log of a later version is 6."""


@dataclass(frozen=True)
class Told:
    """A log, and what an audit says of it. Of a log that does not hold, scores and names are left open."""

    name: str
    log: bytes
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    remarks: tuple[Finding, ...] = ()
    head: Head | None = None
    scores: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    allows_stub: bool = True
    kind: Kind = Kind.MATCH

    @property
    def exit(self) -> int:
        """The exit code of its audit."""
        is_newer = any(code is Fault.NEWER_VERSION for _, code, _ in self.findings)
        return 6 if is_newer else EXITS[self.verdict]

    @property
    def file(self) -> str:
        """Where it lies."""
        return f"{self.name}.kemps"

    def vector(self) -> Vector:
        """Its line in the index."""
        out: Vector = {
            "file": self.file,
            "kind": self.kind.value,
            "allow_stub": self.allows_stub,
            "verdict": self.verdict.value,
            "exit": self.exit,
            "findings": [as_finding(finding) for finding in self.findings],
            "head": None
            if self.head is None
            else {"index": self.head.index, "digest": self.head.digest.hex()},
        }
        if self.verdict is Verdict.CLEAN:
            out["remarks"] = [as_finding(remark) for remark in self.remarks]
            out |= {"scores": self.scores, "winners": self.winners, "names": self.names}
        return out


def as_finding(finding: Finding) -> dict[str, Any]:
    """A finding as JSON."""
    index, code, culprit = finding
    return {"index": index, "code": code.value, "culprit": culprit}


def short(book: str = "kemps", **changes: object) -> Any:
    """A rule book in which one letter or point decides."""
    rules = load_rules(book)
    return override(rules, {"word": "K"} | changes if rules.goal == 0 else {"goal": 1} | changes)


# What seats do, told once for both groups


def swap(s: Scribe, seat: int, take: int, give: int, head: Head | None = None) -> TapeItem:
    """A seat wants a pool card for a hand card, both by their places."""
    game = s.match.game
    wish = act.Swap(take=(game.pool[take],), give=(game.hands[seat][give],))
    return s.claim(seat, wish, head=head)


def race(s: Scribe) -> tuple[TapeItem, TapeItem, list[TapeItem]]:
    """Seats 0 and 1 want one card; both witnesses have seen seat 0 first. The claims and all receipts."""
    head = s.match.head
    first, second = swap(s, 0, 1, 0, head), swap(s, 1, 1, 0, head)
    words = [*s.see(first, 2, 3), *s.see(second, 2, 3, after=[first])]
    return first, second, words


def split(s: Scribe) -> tuple[TapeItem, TapeItem, list[TapeItem]]:
    """Seats 0 and 1 want one card; of the witnesses each has seen another first."""
    head = s.match.head
    first, second = swap(s, 0, 2, 1, head), swap(s, 1, 2, 1, head)
    words = [
        *s.see(first, 2),
        *s.see(second, 3),
        *s.see(second, 2, after=[first]),
        *s.see(first, 3, after=[second]),
    ]
    return first, second, words


def a_deal_with_races(s: Scribe) -> None:
    """A deal from the shuffle to the call that ends it."""
    s.do(0, act.Gesture(name="wink"))
    s.deal()
    first = swap(s, 3, 0, 0)
    s.order(s.settled(first, s.see(first, 0, 1)))
    s.fulfil()
    won, lost, words = race(s)
    s.order(s.settled(won, [lost, *words]))
    s.order(s.settled(lost, [won, *words[2:]], Result.MISSED))
    s.fulfil()
    one, other, words = split(s)
    s.contest((one, other), words)
    s.fulfil()
    s.do(2, act.Gesture(name="ear", seal=s.seal(2, Intent.DECOY)))
    game = s.match.game
    s.do(2, act.Swap(take=game.pool[:2], give=game.hands[2][:1]), Result.REFUSED)
    s.do(1, act.Pass(pool=game.pool))
    s.do(0, act.Call(calls=(act.Partner(),)))
    s.fulfil()


def finished(name: str, s: Scribe, scores: tuple[int, ...], winners: tuple[int, ...]) -> Told:
    """A match that has been played out."""
    s.close()
    names = NAMES[: s.match.seats]
    return Told(name, s.log, Verdict.CLEAN, head=s.match.head, scores=scores, winners=winners, names=names)


def matches() -> list[Told]:
    """Complete logs that hold."""
    told = []
    for name, group in (("four-seats", STUB), ("four-seats-ristretto", SECURE)):
        s = Scribe.seated(short(), 4, group)
        a_deal_with_races(s)
        told.append(finished(name, s, (1, 0), (1,)))
    told += [six_seats(), two_deals(), with_a_denial(), a_fork(), a_bad_turn(), a_false_seal()]
    told += [watched(), a_silent_observer(), a_lying_observer(), nameless(), an_ack_of_another_entry()]
    told += [a_take_over(), what_is_not_opened()]
    return told


def six_seats() -> Told:
    """Three claims for one card that are together; a call against a team that has no quartet."""
    s = Scribe.seated(short(), 6, STUB)
    s.deal()
    head = s.match.head
    a, b, c = (swap(s, seat, 0, 0, head) for seat in range(3))
    words: list[TapeItem] = []
    for seat, order in enumerate(((a, c, b), (b, a, c), (c, b, a), (a, b, c), (b, c, a), (c, a, b))):
        for place, claim in enumerate(order):
            if claim.seat != seat:
                words += s.see(claim, seat, after=order[:place])
    s.contest((a, b, c), words)
    s.fulfil()
    s.do(5, act.Call(calls=(act.Counter(target=0),)))
    s.fulfil()
    return finished("six-seats", s, (0, 0, 1), (0, 1))


def two_deals() -> Told:
    """Two letters decide: the ordering duty moves with the second deal. Before each a seat seals its book."""
    s = Scribe.seated(short(word="KE"), 4, STUB)
    for seat in (1, 3):
        s.seal_book(Seat(seat))
        s.deal()
        s.do(seat, act.Call(calls=(act.Partner(),)))
        s.fulfil()
    return finished("two-deals", s, (0, 2), (0,))


def with_a_denial() -> Told:
    """The dealer says go, half exchanges, and a called seat that shows two cards of different rank."""
    s = Scribe.seated(short("kems"), 4, STUB)
    s.deal()
    s.do(1, act.Discard(give=s.match.game.hands[1][:1]))
    s.fulfil()
    s.do(1, act.Take(take=s.match.game.pool[:1]))
    s.do(0, act.Call(calls=(act.Partner(),)))
    s.do(2, act.Deny(show=s.match.game.hands[2][:2]))
    s.fulfil()
    return finished("denial", s, (-1, 1), (1,))


def a_fork() -> Told:
    """Seat 3 says two things at one place, is found out, and its team loses the deal."""
    s = Scribe.seated(short(), 4, STUB)
    s.deal()
    first, twin = twins(s, 3)
    index = s.index
    s.order(Blamed(culprit=3, items=(first.digest, twin.digest)))
    told = finished("forked-tape", s, (0, 1), (0,))
    return replace(told, remarks=((index, Flaw.PUNISHED, 3),))


def a_bad_turn() -> Told:
    """Seat 0 shuffles with a card twice: the deal is lost as it starts, and nobody's seed is asked for."""
    s = Scribe.seated(short(), 4, STUB)
    s.fulfil(prepares=True)
    bad = s.deed(0, doubled(s))
    s.order(Blamed(culprit=0, items=(bad.digest,)))
    s.start((1, 0))
    return finished("spoilt-deal", s, (1, 0), (1,))


def an_ack_of_another_entry() -> Told:
    """Seat 2 has acked an entry that this log does not have: somebody may have shown it another one."""
    s = Scribe.seated(short(), 4, STUB)
    key = s.owed(Seat(2), prepares=True)
    assert key is not None
    ack = Ack(epoch=0, term=0, head=Head(index=1, digest=ELSEWHERE))
    index = s.index
    s.order(Carried(item=s.say(2, ack, Deed(payload=encode(key))).digest))
    s.fulfil(prepares=True)
    bad = s.deed(0, doubled(s))
    s.order(Blamed(culprit=0, items=(bad.digest,)))
    s.start((1, 0))
    told = finished("another-ack", s, (1, 0), (1,))
    return replace(told, remarks=((index, Flaw.OTHER_ACK, None),))


def a_take_over() -> Told:
    """The dealer falls silent after the keys: the next seat takes the duty over; one hand-over is behind."""
    s = Scribe.seated(short(), 4, STUB)
    s.do(0, act.Gesture(name="wink"))
    s.fulfil(prepares=True)
    by, term = s.next_on_duty
    seats = [seat for seat in s.seats if seat != s.on_duty]
    behind = s.say(
        seats[0], Suspect(term=0), Join(term=1), HandOver(term=1, normal=0, head=s.match.past[1].head)
    )
    others = s.hand_over(*seats[1:])
    s.order(TakeOver(items=(behind.digest, *others.items)), by=by, term=term)
    bad = s.deed(0, doubled(s))
    s.order(Blamed(culprit=0, items=(bad.digest,)))
    s.start((1, 0))
    return finished("take-over", s, (1, 0), (1,))


def what_is_not_opened() -> Told:
    """Seat 2 shows neither its called hand, which counts as a quartet then, nor its seed at the end."""
    s = Scribe.seated(short(), 4, STUB)
    s.deal()
    s.do(1, act.Call(calls=(act.Counter(target=0),)))
    own = s.give(Seat(0))
    assert own is not None
    s.order(Carried(item=own.digest))
    for _ in ("hand", "seed"):
        s.order(s.note(Overdue(seat=2)), elapsed_ms=s.match.elapsed_ms + OVERDUE_MS)
    return finished("not-opened-in-time", s, (1, 0), (1,))


def nameless() -> Told:
    """A log that somebody shows without the names of the players: nobody has to sign that."""
    told = a_bad_turn()
    *objects, last = frame(told.log).objects
    tag, seat, acks, _, signature = msgpack.decode(last)
    log = b"".join((*objects, msgpack.encode([tag, seat, acks, [], signature])))
    return replace(told, name="without-names", log=log, names=())


def a_false_seal() -> Told:
    """Seat 3 makes a gesture that its seed does not open: its team loses the match that it had won."""
    s = Scribe.seated(short(), 4, STUB)
    s.deal()
    s.do(3, act.Gesture(name="wink", seal=b"\x06" * 32))
    s.do(0, act.Call(calls=(act.Partner(),)))
    s.fulfil()
    seed = s.give(Seat(3))
    assert seed is not None
    s.order(Blamed(culprit=3, items=(seed.digest,)))
    return finished("false-seal", s, (1, 0), (0,))


OBSERVER = Seat(4)
"""The number of the observer of a table for four."""


def with_an_observer() -> Scribe:
    """Four seats and an observer, in play."""
    s = Scribe.seated(short(), 4, STUB, observers=1)
    s.deal()
    return s


def watched() -> Told:
    """Of two claims each seat has seen another first: the observer ends the split, and keeps the log."""
    s = with_an_observer()
    first, second, words = split(s)
    words += [*s.see(second, OBSERVER), *s.see(first, OBSERVER, after=[second])]
    s.order(s.settled(second, [first, *words]))
    s.order(s.settled(first, [second, *words], Result.MISSED))
    s.fulfil()
    s.do(1, act.Call(calls=(act.Partner(),)))
    s.fulfil()
    told = finished("observer", s, (0, 1), (0,))
    s.objects[-1] = s.annex(OBSERVER)
    return replace(told, log=s.log)


def unheard(
    s: Scribe, seats: tuple[int, ...], length: int = 0, last: Digest = NO_DIGEST, of: int = OBSERVER
) -> list[TapeItem]:
    """The words of some seats that another, or the observer, is silent."""
    return [s.say(seat, Unheard(seat=of, length=length, last=last)) for seat in seats]


def struck_by(words: list[TapeItem], seat: int = OBSERVER) -> Struck:
    """The strike of the observer by these words."""
    return Struck(seat=seat, words=tuple(word.digest for word in words))


def a_silent_observer() -> Told:
    """The observer gives no receipts and is struck; then what the seats split is drawn, whatever it says."""
    s = with_an_observer()
    s.order(struck_by(unheard(s, (0, 2, 3))))
    first, second, words = split(s)
    late = [*s.see(second, OBSERVER), *s.see(first, OBSERVER, after=[second])]
    s.contest((first, second), [*words, *late])
    s.fulfil()
    s.do(1, act.Call(calls=(act.Partner(),)))
    s.fulfil()
    return finished("silent-observer", s, (0, 1), (0,))


def a_lying_observer() -> Told:
    """The observer says what only a seat may say: it is struck, and nobody loses anything."""
    s = with_an_observer()
    said = s.say(OBSERVER, Ack(epoch=0, term=0, head=s.match.head))
    s.order(Blamed(culprit=OBSERVER, items=(said.digest,)))
    first, second, words = split(s)
    s.contest((first, second), words)
    s.fulfil()
    s.do(1, act.Call(calls=(act.Partner(),)))
    s.fulfil()
    return finished("lying-observer", s, (0, 1), (0,))


def twins(s: Scribe, seat: int) -> tuple[TapeItem, TapeItem]:
    """Two gestures at one place of a tape."""
    other = s.copy()
    first, twin = (each.claim(seat, act.Gesture(name=name)) for each, name in ((s, "wink"), (other, "ear")))
    s.hear(twin)
    return first, twin


def doubled(s: Scribe) -> TurnDeed:
    """The turn that seat 0 owes, with a card twice and another not at all."""
    owed = s.owed(Seat(0), prepares=True)
    assert isinstance(owed, TurnDeed)
    turn = owed.turn
    a, c = (turn.a[1], *turn.a[1:]), (turn.c[1], *turn.c[1:])
    return changed(owed, turn=changed(turn, a=a, c=c))
