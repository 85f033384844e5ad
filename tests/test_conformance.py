"""What protocol.md lists is in the vectors: every record and field, tag, label and code; and where they are.

That a vector with a code raises it, and no other, is held by the tests beside the vectors.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vectors.form import FOLDER, read

DOCUMENT = (Path(__file__).parent.parent / "protocol.md").read_text(encoding="utf-8")
RECORDS = read("codec/records.json")["vectors"]
NOT_IN_ANY_FILE = {
    "no-file": "a file that cannot be opened has no bytes",
    "too-many": "a log with a thousand findings is no small file",
}
"""Codes without a vector, and why."""


def section(name: str) -> str:
    found = re.search(rf"^##+ {name}\n(.*?)(?=^## |\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


def rows(name: str) -> list[list[str]]:
    """The cells of the tables of a section."""
    lines = (line for line in section(name).splitlines() if line.startswith("| `"))
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def inside(value: Any, *names: str) -> Iterator[str]:
    """The texts under some keys, wherever they are."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in names and isinstance(inner, str):
                yield inner
            yield from inside(inner, *names)
    elif isinstance(value, list):
        for inner in value:
            yield from inside(inner, *names)


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """Every file of vectors by name."""
    return {
        path.relative_to(FOLDER).as_posix(): json.loads(path.read_text(encoding="utf-8"))
        for path in FOLDER.rglob("*.json")
    }


def test_every_code_of_a_fault_is_that_of_a_vector(told: dict[str, Any]) -> None:
    codes = {cells[0].strip("` ") for cells in rows("Faults")}
    assert len(codes) > 30
    assert codes <= set(inside(list(told.values()), "fault", "code"))


def test_every_code_of_a_log_is_that_of_a_log(told: dict[str, Any]) -> None:
    table = section("Log").split("| code | what is wrong |")[1].split("\n\n")[0]
    codes = set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE))
    assert len(codes) > 10
    seen = set(inside(told["logs/index.json"], "code"))
    assert codes - seen == NOT_IN_ANY_FILE.keys() & codes
    assert NOT_IN_ANY_FILE.keys() <= codes


def test_every_label_is_used_in_a_vector_as_the_table_says(told: dict[str, Any]) -> None:
    used = {
        "hash": set(inside(told["codec/hashes.json"], "label")),
        "derive": set(inside(told["codec/hashes.json"], "label")),
        "signature": {one["label"] for one in told["ledger/signatures.json"]["vectors"] if not one["fault"]},
        "transcript": set(inside(told["codec/transcripts.json"], "name")),
    }
    labels = [(re.findall(r"`(kemps/v1/[^`]+)`", cells[0]), cells[1].split("; ")) for cells in rows("Labels")]
    assert len(labels) > 25
    missing = [
        (each, use) for names, uses in labels for each in names for use in uses if each not in used[use]
    ]
    assert missing == []


def test_every_record_and_field_is_in_a_vector() -> None:
    fields = {one["value"]["record"]: [*one["value"]][1:] for one in RECORDS}
    described = re.findall(r"^\*\*`(\w+)`\*\*[^\n]*\n\n((?:\|[^\n]*\n)*)", DOCUMENT, re.MULTILINE)
    assert len(described) > 40
    for name, table in described:
        names = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
        assert fields[name] == names, name


def test_every_tag_is_in_a_vector() -> None:
    """As the first value of the array that a record is."""
    tags = {one["value"]["record"]: one["bytes"][2:4] for one in RECORDS}
    described = re.findall(r"^\*\*`(\w+)`\*\*, tag (\d+)", DOCUMENT, re.MULTILINE)
    described += [
        (name, tag) for tag, name in re.findall(r"^\| (\d+) \| `(\w+)` \|", section("Actions"), re.MULTILINE)
    ]
    assert len(described) > 40
    for name, tag in described:
        assert tags[name] == f"{int(tag):02x}", name


def test_every_action_and_call_is_in_a_vector() -> None:
    records = {one["value"]["record"] for one in RECORDS}
    named = re.findall(r"^\| \d+ \| `(\w+)` \|", section("Actions"), re.MULTILINE)
    assert len(named) == 15 + 4
    assert set(named) <= records


def test_the_section_names_every_file_and_its_parts_of_the_document(told: dict[str, Any]) -> None:
    named = re.findall(r"^\| (.*?) \| `([a-z]+/[a-z]+\.json)` \|", section("Conformance"), re.MULTILINE)
    assert {name for _, name in named} == told.keys()
    headings = {
        heading.lower().replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", DOCUMENT, re.MULTILINE)
    }
    for sections, name in named:
        links = re.findall(r"\]\(#([a-z-]+)\)", sections)
        assert links, name
        assert set(links) <= headings, name
