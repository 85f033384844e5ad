"""Where permutations, factors, nonces and keys come from: 32 bytes of the system, and nothing else."""

import ast
import math
import os
import random
import secrets
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest
from secrecy_small import Small

from kemps_p2p.deck.context import SEED_BYTES, Secrets
from kemps_p2p.deck.shuffle import secret_order
from kemps_p2p.runtime import profile

IN_THE_PATH = ("kemps_p2p.deck.deal", "kemps_p2p.session.dealing", "kemps_p2p.runtime.profile")
WEAK_SOURCES = {"random", "numpy", "uuid"}
PACK = 52


def imports_of(module: str) -> Iterator[str]:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    for node in ast.walk(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            # What is imported from a package may be a module.
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (name for name in names if name.startswith("kemps_p2p.") and _is_module(name))


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def reached_from(module: str) -> set[str]:
    """Every module of the package that a module leads to, and what these import from outside."""
    reached, todo = set[str](), [module]
    while todo:
        name = todo.pop()
        if name in reached:
            continue
        reached.add(name)
        if name.startswith("kemps_p2p"):
            todo.extend(imports_of(name))
    return reached


@pytest.mark.parametrize("module", IN_THE_PATH)
def test_no_weak_source_is_in_the_path(module: str) -> None:
    reached = reached_from(module)
    assert not {name.split(".")[0] for name in reached} & WEAK_SOURCES
    assert module in reached
    assert len(reached) > 5


def test_the_path_is_followed() -> None:
    """The test above would see it: a module that does lead to `random` is found out."""
    assert "random" in reached_from("kemps_p2p.runtime.node")
    assert "kemps_p2p.deck.group" in reached_from("kemps_p2p.session.dealing")


def test_the_snoop_has_formulas_of_its_own() -> None:
    """It takes framing and group arithmetic from the program, and no decision."""
    scripts = sorted(Path(__file__).parent.glob("snoop*.py"))
    assert len(scripts) == 5
    taken: set[str] = set()
    for script in scripts:
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                taken.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                taken.add(node.module or "")
    assert {name for name in taken if name.startswith("kemps_p2p")} == {
        "kemps_p2p.codec",
        "kemps_p2p.deck.group",
        "kemps_p2p.errors",
    }
    assert not any(name.startswith("secrecy") for name in taken)


def test_a_deal_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys, turns and shares come out the same with every source of chance in the process blocked."""

    def played() -> list[tuple[int, bytes]]:
        small = Small()
        small.share(small.shuffled(small.keys(0)), range(4))
        return small.pieces

    def no_chance(*_: object, **__: object) -> NoReturn:
        raise AssertionError("something was drawn")

    before = played()
    for owner, name in (
        (os, "urandom"), (secrets, "token_bytes"), (secrets, "randbits"), (random, "random"),
        (random, "getrandbits"), (random, "randrange"), (random, "shuffle"), (random, "Random"),
        (random, "SystemRandom"),
    ):  # fmt: skip
        monkeypatch.setattr(owner, name, no_chance)
    assert played() == before


def test_the_secret_of_a_match_is_drawn_whole_from_the_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[int] = []

    def token_bytes(count: int) -> bytes:
        asked.append(count)
        return bytes(range(count))

    monkeypatch.setattr(secrets, "token_bytes", token_bytes)
    files = profile.new_match_files(tmp_path)
    assert asked[-1] == SEED_BYTES
    assert files.secret == bytes(range(SEED_BYTES)) == (files.directory / "secret").read_bytes()


def test_two_matches_have_two_secrets(tmp_path: Path) -> None:
    assert profile.new_match_files(tmp_path).secret != profile.new_match_files(tmp_path).secret


def test_every_order_of_a_pack_can_come_up() -> None:
    """52! orders take 226 bits. The seed has 256, and the shuffle draws 64 of them anew for each place."""
    needed = math.log2(math.factorial(PACK))
    assert math.ceil(needed) == 226
    assert needed <= 8 * SEED_BYTES
    blocks: list[int] = []

    class Counted(Secrets):
        def block(self, label: str, index: int) -> bytes:
            assert label == "order"
            blocks.append(index)
            return Secrets.block(self, label, index)

    secret_order(Counted(bytes(SEED_BYTES), b"binding"), PACK)
    assert blocks == sorted(set(blocks)), "a block is not used twice"
    assert 8 * len(blocks) >= PACK - 1, "a draw of 64 bits for each place but the last"
