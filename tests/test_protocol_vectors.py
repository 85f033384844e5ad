"""The vectors as a whole: the generator writes these files, and every file is explained and checked."""

import re
from pathlib import Path

import pytest

from protocol_vectors import files, logs
from vectors.form import FOLDER, read

README = (FOLDER / "README.md").read_text(encoding="utf-8")
SIZE_MAX = 14 << 19


def check_written(made: dict[Path, bytes]) -> None:
    assert {path: path.read_bytes() for path in made} == made


def test_the_generator_writes_these_files() -> None:
    """So that a change of any byte of the protocol shows as a change of a file."""
    check_written(files())


def test_the_generator_writes_these_logs() -> None:
    check_written(logs(has_matches=False))


@pytest.mark.soak
def test_the_generator_writes_these_matches_and_nothing_else_lies_there() -> None:
    made = logs(has_matches=True)
    check_written(made)
    assert {path for path in FOLDER.rglob("*") if path.suffix in (".json", ".kemps")} == {*files(), *made}


def test_the_vectors_are_small() -> None:
    assert (
        sum(path.stat().st_size for path in FOLDER.rglob("*") if path.suffix in (".json", ".kemps"))
        < SIZE_MAX
    )


def test_every_file_is_explained_and_checked() -> None:
    checked = {
        name
        for test in FOLDER.glob("test_*.py")
        for name in re.findall(r'read\("([a-z]+/[a-z]+\.json)"\)', test.read_text(encoding="utf-8"))
    }
    there = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.json")}
    assert checked == there
    explained = set(re.findall(r"^## `([a-z]+/[a-z]+\.json)`$", README, re.MULTILINE))
    assert explained == there


def test_every_field_is_explained() -> None:
    """Each file has a section with a table of fields."""
    sections = dict(re.findall(r"^## `(\S+\.json)`\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL))
    for name, text in sections.items():
        rows = "\n".join(re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE))
        fields = set(re.findall(r"`(\w+)`", rows))
        told = read(name)
        lists = {key: value for key, value in told.items() if isinstance(value, list) and key != "keys"}
        vectors = [each for value in lists.values() for each in value if isinstance(each, dict)]
        used = {*(told if not vectors else ()), *(field for vector in vectors for field in vector)}
        assert used <= fields, f"{name}: {sorted(used - fields)}"
