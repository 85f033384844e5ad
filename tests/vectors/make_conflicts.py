"""Vectors of which claims conflict, written by hand after the table in "Conflicts" of protocol.md."""

from collections.abc import Iterator

from kemps_p2p.codec import encode
from kemps_p2p.game.actions import (
    Action,
    Admit,
    Call,
    CallItem,
    Counter,
    Deny,
    Discard,
    Double,
    DoubleCounter,
    Gesture,
    Go,
    Halt,
    Mulligan,
    Next,
    Partner,
    Pass,
    Resume,
    Say,
    Signal,
    Swap,
    Take,
)
from kemps_p2p.ids import Position
from vectors.form import Vector, as_text

Row = tuple[str, str, int, Action, int, Action]
"""What is special, the rule set, and two seats with what they want."""


def cards(*positions: int) -> tuple[Position, ...]:
    """Positions of cards."""
    return tuple(map(Position, positions))


def swap(take: int, give: int) -> Swap:
    """One card for one."""
    return Swap(take=cards(take), give=cards(give))


def put(give: int) -> Discard:
    """The first half of an exchange."""
    return Discard(give=cards(give))


def take(wanted: int) -> Take:
    """The second half."""
    return Take(take=cards(wanted))


def call(*calls: CallItem) -> Call:
    """A declaration of some calls, or of none."""
    return Call(calls=calls)


POOL = cards(16, 17, 18, 19)
PASS = Pass(pool=POOL)
PARTNER = call(Partner())

CONFLICT: tuple[Row, ...] = (
    ("words, where only a deal may be silent", "kemps", 0, Say(text="Hi"), 1, Next()),
    ("two answers of one seat", "kems", 1, Admit(), 1, Deny()),
    ("one answer twice", "kems", 1, Admit(), 1, Admit()),
    ("two denials of one seat", "kems", 1, Deny(show=cards(4, 5)), 1, Deny(show=cards(4, 6))),
    ("turns: exchanges of other cards", "cash", 0, swap(16, 0), 1, swap(17, 4)),
    ("turns: two passes", "cash", 0, PASS, 1, PASS),
    ("two signals of one seat", "kemps", 0, Signal(), 0, Signal()),
    ("a signal and a pass", "kemps", 0, Signal(), 1, PASS),
    ("a signal and a halt", "kemps", 0, Signal(), 1, Halt()),
    ("a signal and the next deal", "kemps", 0, Signal(), 1, Next()),
    ("a mulligan and an exchange", "kems", 0, Mulligan(), 1, swap(16, 4)),
    ("a mulligan and a pass", "kems", 0, Mulligan(), 1, PASS),
    ("a mulligan and a call", "kems", 0, Mulligan(), 1, PARTNER),
    ("two mulligans", "kems", 0, Mulligan(), 1, Mulligan()),
    ("the opening and an exchange", "kemps/go", 0, Go(), 1, swap(16, 4)),
    ("the opening and a mulligan", "kems", 0, Go(), 1, Mulligan()),
    ("a sweep after a halt and an exchange", "kemps", 0, Resume(), 1, swap(16, 4)),
    ("the next deal, twice", "kemps", 0, Next(), 0, Next()),
    ("the next deal and a call", "kemps", 0, Next(), 1, PARTNER),
    ("two calls", "kemps", 0, PARTNER, 1, PARTNER),
    ("two calls of one team", "kemps", 0, PARTNER, 2, PARTNER),
    ("a call without a call in it and another", "kemps", 0, call(), 1, PARTNER),
    ("a call and a pass", "kemps", 0, PARTNER, 1, PASS),
    ("a call and a halt", "kemps", 0, PARTNER, 1, Halt()),
    ("a call on the partner and its exchange", "kemps", 0, PARTNER, 2, swap(16, 8)),
    (
        "a double call and the partner's exchange",
        "chaulcer",
        0,
        call(Double()),
        2,
        put(8),
    ),
    ("a double call and the own exchange", "chaulcer", 0, call(Double()), 0, take(16)),
    (
        "a call on a team and an exchange of one of it",
        "kemps",
        0,
        call(Counter(target=1)),
        1,
        swap(16, 4),
    ),
    (
        "a call on a team and one of the other of it",
        "kemps",
        0,
        call(Counter(target=1)),
        3,
        swap(16, 12),
    ),
    ("a call on a seat and its exchange", "cash", 0, call(Counter(target=3)), 3, swap(16, 12)),
    (
        "a call on a seat and its discard",
        "chaulcer",
        0,
        call(Counter(target=3)),
        3,
        put(12),
    ),
    (
        "a call on both of a team",
        "chaulcer",
        0,
        call(DoubleCounter(team=1)),
        3,
        take(16),
    ),
    (
        "of several calls one names the hand",
        "chaulcer",
        0,
        call(Counter(target=1), Counter(target=3)),
        3,
        take(16),
    ),
    ("a pass and an exchange", "kemps", 0, PASS, 1, swap(16, 4)),
    ("a pass of another pool and an exchange", "kemps", 0, Pass(pool=cards(20)), 1, swap(16, 4)),
    ("a pass and an exchange of one seat", "kemps", 0, PASS, 0, swap(16, 0)),
    ("a halt and an exchange", "kemps", 0, Halt(), 1, swap(16, 4)),
    ("two passes of one seat", "kemps", 0, PASS, 0, PASS),
    ("a pass and a halt of one seat", "kemps", 0, PASS, 0, Halt()),
    ("one card for two seats", "kemps", 0, swap(16, 0), 1, swap(16, 4)),
    ("one card of several", "kemps", 0, Swap(take=cards(16, 17), give=cards(0, 1)), 1, swap(17, 4)),
    ("a card that one puts down and the other takes", "kemps", 0, swap(16, 0), 1, swap(0, 4)),
    ("one card that both put down", "kemps", 0, swap(16, 0), 1, swap(17, 0)),
    ("other cards of one seat", "kemps", 0, swap(16, 0), 0, swap(17, 1)),
    ("one card in halves", "chaulcer", 0, take(16), 1, take(16)),
    (
        "a card put down in a half and taken in another",
        "chaulcer",
        0,
        put(0),
        1,
        take(0),
    ),
    ("both halves of one seat", "chaulcer", 0, put(0), 0, take(16)),
)
COMMUTE: tuple[Row, ...] = (
    ("two gestures of one seat", "kemps", 0, Gesture(name="wink"), 0, Gesture(name="ear")),
    ("a gesture and a call", "kemps", 0, Gesture(name="wink"), 1, PARTNER),
    ("a gesture and the next deal", "kemps", 0, Gesture(name="wink"), 1, Next()),
    ("words and an exchange", "kemps", 0, Say(text="Hi"), 1, swap(16, 4)),
    ("turns: a gesture and an exchange", "cash", 0, Gesture(name="wink"), 1, swap(16, 4)),
    ("answers of two seats", "kems", 1, Admit(), 3, Deny()),
    ("an answer and an exchange", "kems", 1, Admit(), 1, swap(16, 4)),
    ("an answer and a call", "kems", 1, Admit(), 0, PARTNER),
    ("signals of two seats", "kemps", 0, Signal(), 1, Signal()),
    ("a signal and an exchange of one seat", "kemps", 0, Signal(), 0, swap(16, 0)),
    ("a signal and a call", "kemps", 0, Signal(), 2, PARTNER),
    ("a signal and a mulligan", "kems", 0, Signal(), 1, Mulligan()),
    ("a signal and the opening", "kemps/go", 0, Signal(), 1, Go()),
    ("a signal and a sweep after a halt", "kemps", 1, Signal(), 0, Resume()),
    ("a call and an exchange of the caller", "kemps", 0, PARTNER, 0, swap(16, 0)),
    ("a call and an exchange of an opponent", "kemps", 0, PARTNER, 1, swap(16, 4)),
    (
        "a call on a team and an exchange of the partner",
        "kemps",
        0,
        call(Counter(target=1)),
        2,
        swap(16, 8),
    ),
    (
        "a call on a seat and a discard of its partner",
        "chaulcer",
        0,
        call(Counter(target=3)),
        1,
        put(4),
    ),
    ("a call on a team that is not there", "kemps", 0, call(Counter(target=7)), 3, swap(16, 12)),
    ("a call that names nobody and an exchange", "kemps", 0, call(), 2, swap(16, 8)),
    ("passes of two seats", "kemps", 0, PASS, 1, PASS),
    ("a pass and a halt of two seats", "kemps", 0, PASS, 1, Halt()),
    ("exchanges of other cards", "kemps", 0, swap(16, 0), 1, swap(17, 4)),
    ("halves of other cards", "chaulcer", 0, put(0), 1, take(16)),
)


def files(_setting: object) -> dict[str, str]:
    """The files by name."""
    made = [*told(CONFLICT, do_conflict=True), *told(COMMUTE, do_conflict=False)]
    return {"session/conflicts.json": as_text({"vectors": made})}


def told(rows: tuple[Row, ...], *, do_conflict: bool) -> Iterator[Vector]:
    """Rows written out."""
    for name, rules, seat, action, other, against in rows:
        yield {
            "name": name,
            "rules": rules,
            "players": 4,
            "first": {"seat": seat, "action": encode(action).hex()},
            "second": {"seat": other, "action": encode(against).hex()},
            "conflict": do_conflict,
        }
