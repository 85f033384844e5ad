"""Every public value changes the challenge: a statement cannot be chosen after it."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import pytest
from deck_helpers import seed, table

from kemps_p2p.codec import Transcript
from kemps_p2p.deck import context as context_module
from kemps_p2p.deck import shares as shares_module
from kemps_p2p.deck.context import Context, Secrets, Stage, Table
from kemps_p2p.deck.group import RISTRETTO, STUB, Point
from kemps_p2p.deck.shares import ShareStatement, share_transcript
from kemps_p2p.deck.shuffle import (
    Announcement,
    Blinded,
    Statement,
    card_challenges,
    last_challenge,
    statement_transcript,
)
from kemps_p2p.ids import Position, Seat

COUNT = 3


def points(label: str, count: int = COUNT) -> tuple[Point, ...]:
    return tuple(STUB.base_mul(x) for x in Secrets(seed(0), b"points").scalars(label, count))


OTHER = points("other", 1)[0]
TABLES: dict[str, Table] = {
    "group": table(RISTRETTO),
    "match": table(match=b"n" * 32),
    "deal": table(deal=4),
    "attempt": table(attempt=1),
    "seats": table(seats=6),
}


def contexts(context: Context) -> Iterator[tuple[str, Context]]:
    for name, at in TABLES.items():
        yield name, replace(context, table=at)
    yield "round", replace(context, round=1)
    yield "seat", replace(context, seat=Seat(2))
    yield "stage", replace(context, stage=Stage.KEY)


def vectors(values: tuple[Point, ...]) -> Iterator[tuple[Point, ...]]:
    """Each element replaced, the first two exchanged, one less, one more."""
    for index in range(len(values)):
        yield (*values[:index], OTHER, *values[index + 1 :])
    yield (values[1], values[0], *values[2:])
    yield values[:-1]
    yield (*values, OTHER)


class Run:
    """All that goes into the challenges of a proof of shuffle, each part replaceable."""

    def __init__(self) -> None:
        context = Context(table(), 0, Seat(1), Stage.TURN)
        inputs = Blinded(points("a"), points("c"))
        outputs = Blinded(points("a'"), points("c'"))
        self.statement = Statement(context, points("key", 1)[0], inputs, outputs)
        self.p, self.q = points("p"), points("q")
        t1, t2, t3, t41, t42 = points("t", 5)
        self.said = Announcement(t1, t2, t3, t41, t42, points("t hat"))

    def challenges(self) -> tuple[tuple[int, ...], int]:
        transcript = statement_transcript(self.statement)
        u = card_challenges(transcript, self.p)
        return u, last_challenge(transcript, self.q, self.said)


def with_statement(change: Callable[[Statement], Statement]) -> Run:
    run = Run()
    run.statement = change(run.statement)
    return run


def early_changes() -> Iterator[tuple[str, Run]]:
    """What must change u and c."""
    for name, context in contexts(Run().statement.context):
        yield name, with_statement(lambda s, other=context: replace(s, context=other))  # type: ignore[misc]
    yield "key", with_statement(lambda s: replace(s, key=OTHER))
    for side in ("inputs", "outputs"):
        for half in ("a", "c"):
            for values in vectors(getattr(getattr(Run().statement, side), half)):
                run = Run()
                blinded = replace(getattr(run.statement, side), **{half: values})
                run.statement = replace(run.statement, **{side: blinded})
                yield f"{side}.{half}", run
    for values in vectors(Run().p):
        run = Run()
        run.p = values
        yield "p", run


def late_changes() -> Iterator[tuple[str, Run]]:
    """What is said after u, and must change c."""
    for values in vectors(Run().q):
        run = Run()
        run.q = values
        yield "q", run
    for field in fields(Announcement):
        old = getattr(Run().said, field.name)
        for new in vectors(old) if isinstance(old, tuple) else (OTHER,):
            run = Run()
            change: dict[str, Any] = {field.name: new}
            run.said = replace(run.said, **change)
            yield field.name, run


def test_the_same_values_give_the_same_challenges() -> None:
    assert Run().challenges() == Run().challenges()


@pytest.mark.parametrize(("name", "run"), list(early_changes()))
def test_what_is_fixed_before_the_card_challenges_changes_all(name: str, run: Run) -> None:
    u, c = Run().challenges()
    other_u, other_c = run.challenges()
    assert not set(u) & set(other_u), name
    assert c != other_c, name


@pytest.mark.parametrize(("name", "run"), list(late_changes()))
def test_what_is_said_after_them_changes_the_last_challenge(name: str, run: Run) -> None:
    u, c = Run().challenges()
    other_u, other_c = run.challenges()
    assert u == other_u, name
    assert c != other_c, name


def test_points_do_not_slide_between_lists() -> None:
    """The same points in a row, cut elsewhere: last of one list, first of the next."""
    run = Run()
    a, c = run.statement.outputs.a, run.statement.outputs.c
    run.statement = replace(run.statement, outputs=Blinded(a[:-1], (a[-1], *c)))
    assert run.challenges()[1] != Run().challenges()[1]


def test_card_challenges_have_128_bits_and_differ() -> None:
    u = card_challenges(Transcript("test"), points("p", 104))
    assert len(set(u)) == 104
    assert 2**120 < max(u) < 2**128


def test_the_version_changes_every_challenge(monkeypatch: pytest.MonkeyPatch) -> None:
    u, c = Run().challenges()
    monkeypatch.setattr(context_module, "VERSION", 2)
    other_u, other_c = Run().challenges()
    assert not set(u) & set(other_u)
    assert c != other_c


# Keys and shares


def share_challenge(statement: ShareStatement, *announced: Point) -> tuple[tuple[int, ...], int]:
    transcript = share_transcript(statement)
    weights = shares_module._weights(transcript, len(statement.masks))
    return weights, shares_module._challenge(transcript, *announced)


def share_statement() -> ShareStatement:
    context = Context(table(), 0, Seat(1), Stage.SHARES)
    numbers = (Position(3), Position(4), Position(9))
    return ShareStatement(context, points("key", 1)[0], numbers, points("masks"), points("parts"))


def share_changes() -> Iterator[tuple[str, ShareStatement]]:
    base = share_statement()
    for name, context in contexts(base.context):
        yield name, replace(base, context=context)
    yield "key", replace(base, key=OTHER)
    yield "positions", replace(base, positions=(Position(3), Position(5), Position(9)))
    yield "positions", replace(base, positions=base.positions[:2])
    for name in ("masks", "parts"):
        for values in vectors(getattr(base, name)):
            change: dict[str, Any] = {name: values}
            yield name, replace(base, **change)


@pytest.mark.parametrize(("name", "statement"), list(share_changes()))
def test_every_part_of_a_share_statement_changes_weights_and_challenge(
    name: str, statement: ShareStatement
) -> None:
    said = points("t", 2)
    weights, c = share_challenge(share_statement(), *said)
    other_weights, other_c = share_challenge(statement, *said)
    assert not set(weights) & set(other_weights), name
    assert c != other_c, name


def test_both_announced_points_change_the_challenge_of_shares() -> None:
    t1, t2 = points("t", 2)
    said = [(t1, t2), (OTHER, t2), (t1, OTHER), (t2, t1), (t1,)]
    assert len({share_challenge(share_statement(), *pair)[1] for pair in said}) == len(said)


def key_challenge(at: Table, seat: int, committed: bytes, key: bytes, said: Point) -> int:
    transcript = shares_module._key_transcript(at, Seat(seat), committed, key)
    return shares_module._challenge(transcript, said)


def test_every_public_value_changes_the_challenge_of_a_key() -> None:
    key, said = points("key", 2)
    cases = [(table(), 1, b"c" * 32, key, said)]
    cases += [(at, 1, b"c" * 32, key, said) for at in TABLES.values()]
    cases += [
        (table(), 2, b"c" * 32, key, said),
        (table(), 1, b"d" * 32, key, said),
        (table(), 1, b"c" * 32, OTHER, said),
        (table(), 1, b"c" * 32, key, OTHER),
    ]
    assert len({key_challenge(*case) for case in cases}) == len(cases)
