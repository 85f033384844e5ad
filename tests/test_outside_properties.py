"""Whatever comes in from outside: true bytes come back as they were, all others raise the one typed error.

For every record and for every function that reads bytes or text of others. Each property has a short share by
default and a long one behind `soak`; a failure names its seed.
"""

import ast
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_p2p.codec import Record, decode, encode
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Action
from kemps_p2p.game.rules import RuleError, canonical_text, read_rules
from kemps_p2p.ledger.entry import Event
from kemps_p2p.ledger.tape import Statement
from kemps_p2p.session.logfile import LogObject
from kemps_p2p.session.messages import (
    DeedBody,
    LobbyBody,
    Message,
    NoteBody,
)
from outside_mutations import mutated, mutated_text
from outside_readers import BYTES, NEVER, OTHERWISE, TEXTS, readable, true_bytes, true_texts
from vectors.shapes import PACKAGE, record_types, some

SHORT, LONG = 40, 3000
UNIONS: dict[str, Any] = {
    "Action": Action,
    "DeedBody": DeedBody,
    "Event": Event,
    "LobbyBody": LobbyBody,
    "LogObject": LogObject,
    "Message": Message,
    "NoteBody": NoteBody,
    "Statement": Statement,
}


# True bytes


def check_round_trip(kind: type[Record], seed: int) -> None:
    """A record, decoded as what it is and as a member of every union that it is in."""
    value = some(kind, random.Random(seed))
    data = encode(value)
    assert decode(data, kind) == value
    for union in UNIONS.values():
        if kind in union.__args__:
            assert decode(data, union) == value


@settings(max_examples=5 * SHORT, derandomize=True, database=None)
@given(st.sampled_from(record_types()), st.integers(0, 1 << 32))
def test_every_record_comes_back_as_it_was(kind: type[Record], seed: int) -> None:
    check_round_trip(kind, seed)


@pytest.mark.soak
@pytest.mark.parametrize("kind", record_types(), ids=lambda kind: str(kind.__name__))
def test_every_record_comes_back_as_it_was_at_length(kind: type[Record]) -> None:
    for seed in range(LONG):
        check_round_trip(kind, seed)


# Bytes


def check_bytes(seed: int) -> None:
    draw = random.Random(seed)
    data = mutated(draw, draw.choice(true_bytes()))
    asked = {name: (reads, PeerFault) for name, reads in BYTES.items()} | OTHERWISE
    for name, (reads, error) in asked.items():
        try:
            reads(data)
        except error:
            continue
        except Exception as other:
            other.add_note(f"{name}, seed {seed}: {data.hex()}")
            raise
    for reads in NEVER.values():
        reads(data)


def check_reader(name: str, seed: int) -> None:
    """A reader with bytes that are close to what it reads."""
    draw = random.Random(seed)
    data = mutated(draw, draw.choice(readable(name)))
    try:
        BYTES[name](data)
    except PeerFault:
        return
    except Exception as error:
        error.add_note(f"{name}, seed {seed}: {data.hex()}")
        raise


def test_bytes_of_any_kind_raise_the_one_error_at_every_reader() -> None:
    for seed in range(SHORT):
        check_bytes(seed)


@pytest.mark.parametrize("name", BYTES)
def test_bytes_close_to_true_ones_raise_the_one_error(name: str) -> None:
    for seed in range(SHORT):
        check_reader(name, seed)


@pytest.mark.soak
def test_bytes_of_any_kind_at_length() -> None:
    for seed in range(SHORT, LONG):
        check_bytes(seed)


@pytest.mark.soak
@pytest.mark.parametrize("name", BYTES)
def test_bytes_close_to_true_ones_at_length(name: str) -> None:
    for seed in range(SHORT, LONG):
        check_reader(name, seed)


# Texts


def check_text(seed: int) -> None:
    draw = random.Random(seed)
    text = mutated_text(draw, draw.choice(true_texts()))
    for name, (reads, error) in TEXTS.items():
        try:
            reads(text)
        except error as refused:
            said = str(refused)
        except Exception as other:
            other.add_note(f"{name}, seed {seed}")
            raise
        else:
            continue
        assert said, f"{name}, seed {seed}: nothing is said"
        assert len(said.splitlines()) == 1, f"{name}, seed {seed}: more than a line"
    try:
        rules = read_rules(text)
    except RuleError:
        return
    assert read_rules(canonical_text(rules)) == rules


@pytest.mark.parametrize("value", ["[]", "[4, 4]", "[[4, 12]]", "[-2]"])
def test_a_list_of_deal_limits_is_refused_in_a_line(value: str) -> None:
    """A list once came as far as an assertion, and pairs were taken for the table that they are inside."""
    with pytest.raises(RuleError, match="deal_limit"):
        read_rules(f'base = "kemps"\ndeal_limit = {value}')


def test_texts_of_any_kind_raise_the_one_error() -> None:
    for seed in range(2 * SHORT):
        check_text(seed)


@pytest.mark.soak
def test_texts_of_any_kind_at_length() -> None:
    for seed in range(2 * SHORT, 2 * LONG):
        check_text(seed)


# Completeness


def readers() -> Iterator[str]:
    """Functions that read the bytes or the text of others: by their names and their one argument.

    Those of the commands read what their own user tells them.
    """
    for path in (path for path in PACKAGE.rglob("*.py") if path.parent.name != "cli"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith(("read_", "parse_")):
                told = [ast.unparse(one.annotation) for one in node.args.args if one.annotation is not None]
                if told in (["bytes"], ["str"]):
                    yield node.name


def test_every_reader_is_asked() -> None:
    assert set(readers()) <= {*BYTES, *OTHERWISE, *NEVER, *TEXTS}


def test_true_bytes_are_read() -> None:
    """The seeds of the mutants are good ones: each reader takes some of them as they are."""
    for name in BYTES:
        assert readable(name) != true_bytes(), name
