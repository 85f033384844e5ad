"""The registry of attacks is true: its tests exist and assert what it says, and no cheat is without a row."""

import importlib
import inspect
import sys
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest
from attack import Attack, Outcome
from registry import ATTACKS, BESIDE

from kemps_p2p.errors import Fault
from kemps_p2p.lab.lies_deck import DECK_LIES
from kemps_p2p.lab.lies_words import WORD_LIES
from kemps_p2p.session.findings import Flaw

TESTS = Path(__file__).parent.parent
WANTED = {*range(1, 17), *range(19, 30), 31, 33, *range(35, 41)}
ALL = (*ATTACKS, BESIDE)
DEPTH_MAX = 6
FILES = {path.stem: path for path in TESTS.rglob("*.py")}


@cache
def module(name: str) -> ModuleType:
    """A test module, found as pytest finds it: by its own folder."""
    folder = str(FILES[name].parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def named_test(name: tuple[str, str]) -> FunctionType:
    found = inspect.unwrap(getattr(module(name[0]), name[1]))
    assert isinstance(found, FunctionType)
    return found


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of all that is defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def expected_by(value: object, depth: int = DEPTH_MAX) -> Iterator[Fault | Flaw]:
    """Every fault and flaw that a test names: in its own words, its parameters, tables and helpers."""
    if depth == 0:
        return
    match value:
        case Fault() | Flaw():
            yield value
        case FunctionType():
            yield from expected_by_function(value, depth)
        case type() if value.__module__ in FILES:
            yield from (found for each in vars(value).values() for found in expected_by(each, depth - 1))
        case dict():
            yield from (found for each in value.values() for found in expected_by(each, depth - 1))
        case tuple() | list() | set() | frozenset():
            yield from (found for each in value for found in expected_by(each, depth - 1))
        case _:
            return


def expected_by_function(function: FunctionType, depth: int) -> Iterator[Fault | Flaw]:
    file = function.__globals__.get("__file__")
    if file is None or not Path(file).is_relative_to(TESTS):
        return
    for code in codes_in(function.__code__):
        yield from (kind for kind in (*Fault, *Flaw) if kind.name in code.co_names)
        texts = {text for text in code.co_consts if isinstance(text, str)}
        yield from (kind for kind in (*Fault, *Flaw) if kind.value in texts)
        for name in code.co_names:
            yield from expected_by(function.__globals__.get(name), depth - 1)
    yield from expected_by(function.__defaults__, depth - 1)
    for mark in getattr(function, "pytestmark", ()):
        yield from expected_by(mark.args, depth - 1)


def is_soak(name: tuple[str, str]) -> bool:
    marks = getattr(getattr(module(name[0]), name[1]), "pytestmark", ())
    return any(mark.name == "soak" for mark in marks)


def title(attack: Attack) -> str:
    return f"{attack.number}: {attack.name}"


def test_every_attack_is_there_once() -> None:
    numbers = [attack.number for attack in ATTACKS]
    assert numbers == sorted(WANTED)
    assert len({attack.name for attack in ALL}) == len(ALL)


@pytest.mark.parametrize("attack", ALL, ids=title)
def test_every_test_exists_and_runs_by_default(attack: Attack) -> None:
    assert attack.tests
    assert len(set(attack.tests)) == len(attack.tests)
    for name in attack.tests:
        assert name[0].startswith("test_")
        assert name[1].startswith("test_")
        assert callable(named_test(name))
        assert not is_soak(name), f"{name} runs only when it is asked for"


@pytest.mark.parametrize("attack", ALL, ids=title)
def test_every_expected_error_is_asserted_by_a_test(attack: Attack) -> None:
    assert attack.refused
    expected = {found for name in attack.tests for found in expected_by(named_test(name))}
    wanted: set[Enum] = {kind for kind in attack.refused if not isinstance(kind, Outcome)}
    assert wanted <= expected, f"nobody expects {wanted - expected}"


def named_lies() -> list[str]:
    return [*DECK_LIES, *WORD_LIES]


def test_every_cheating_seat_belongs_to_an_attack() -> None:
    lies = named_lies()
    assert len(set(lies)) == len(lies), "two lies of one name"
    registered = {cheat for attack in ALL for cheat in attack.cheats}
    assert registered == set(lies)


def test_who_expects_a_fault_is_found_out() -> None:
    """The search above finds what a test names, through its tables too, and nothing else."""
    direct = set(expected_by(named_test(("test_deck_keys", "test_keys_that_cancel"))))
    assert Fault.BAD_KEY in direct
    assert Fault.BAD_SEED not in direct
    by_table = set(expected_by(named_test(("test_sim_cheats_deck", "test_a_false_turn"))))
    assert {Fault.BAD_SHUFFLE_PROOF, Fault.BAD_SCALAR, Fault.BAD_TURN} <= by_table
    assert Fault.BAD_COIN not in by_table
