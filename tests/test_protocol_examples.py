"""protocol.md against the code: examples, records with tags and fields, labels, limits, faults, sections."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import kemps_p2p
import kemps_p2p.deck
import kemps_p2p.game
import kemps_p2p.ledger
import kemps_p2p.session
from kemps_p2p import codec
from kemps_p2p.codec import Record, Transcript, decode
from kemps_p2p.errors import Fault
from kemps_p2p.ledger.entry import LogRecord, entry_of
from kemps_p2p.ledger.evidence import Equivocation
from kemps_p2p.ledger.tape import open_item
from kemps_p2p.session import effects
from kemps_p2p.session.duties import duties
from kemps_p2p.session.findings import Flaw, Verdict
from kemps_p2p.session.fold import Proofs, open_record
from kemps_p2p.session.genesis import SeatRecord, check_signatures
from kemps_p2p.session.match import begin
from kemps_p2p.session.replay import step
from protocol_examples import DOCUMENT, EXAMPLES, render, rewritten, written
from protocol_table import decks, table, wink

TEXT = DOCUMENT.read_text(encoding="utf-8")
PROSE = re.sub(r"```text\n.*?```", "", TEXT, flags=re.DOTALL)
PACKAGE = Path(kemps_p2p.__file__).parent
CORE: tuple[ModuleType, ...] = (kemps_p2p.game, kemps_p2p.deck, kemps_p2p.ledger, kemps_p2p.session)

FIELD_TABLE = re.compile(r"^\*\*`(\w+)`\*\*(?:, tag (\d+))?[^\n]*\n\n((?:\|[^\n]*\n)+)", re.MULTILINE)
WITHOUT_FIELDS = re.compile(r"^\*\*`(\w+)`\*\*, tag (\d+): [^\n]*It has no fields\.", re.MULTILINE)
TAG_ROW = re.compile(r"^\| (\d+) \| `(\w+)` \| ([^|]*)\|", re.MULTILINE)
LIMIT_ROW = re.compile(r"^\| `([a-z_.]+)\.([A-Z_]+)` \| (\d+) \|", re.MULTILINE)
SECTION = re.compile(r'Section "([^"]+)"')
LABEL = re.compile(r"kemps/v1/[a-z/ -]*")


# Examples


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_what_the_program_makes(name: str) -> None:
    assert written(TEXT)[name] == render(EXAMPLES[name]())


def test_every_example_stands_in_the_document_once() -> None:
    assert sorted(written(TEXT)) == sorted(EXAMPLES)
    assert TEXT.count("<!-- example:") == len(EXAMPLES)
    assert rewritten(TEXT) == TEXT


def test_a_document_with_an_example_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="two examples"):
        written(TEXT + TEXT)


def test_the_examples_are_a_match_that_folds() -> None:
    """So that they show what peers accept, not just what can be encoded."""
    at_table = table()
    check_signatures(at_table.founding, at_table.signed.signatures)
    made = wink()
    record = decode(codec.encode(made.record), LogRecord)
    opened = open_record(record, at_table.founding.match, at_table.founding.signers)
    match, events = step(begin(at_table.founding), opened, Proofs(is_eager=True))
    assert match.head.digest == made.entry.digest
    assert [type(event).__name__ for event in events] == ["Gestured"]
    assert all(duties(match, made.claim.seat))
    ack = open_item(made.ack.signed, at_table.founding.match, at_table.founding.signers)
    assert entry_of(ack) is None


# Records


def modules() -> Iterator[ModuleType]:
    for package in CORE:
        for found in pkgutil.iter_modules(package.__path__):
            yield importlib.import_module(f"{package.__name__}.{found.name}")


@cache
def records() -> dict[str, type[Record]]:
    """Every record of the core by name."""
    found: dict[str, type[Record]] = {}
    for module in modules():
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Record) and value is not Record:
                known = found.setdefault(value.__name__, value)
                assert known is value, f"two records are named {value.__name__}"
    return found


def tag_of(record: type[Record]) -> int | None:
    tag = record.__struct_config__.tag
    assert tag is None or isinstance(tag, int)
    return tag


def described() -> dict[str, tuple[int | None, tuple[str, ...]]]:
    """Tag and fields of each record, as the document has them."""
    found: dict[str, tuple[int | None, tuple[str, ...]]] = {}
    for name, tag, rows in FIELD_TABLE.findall(PROSE):
        cells = [row.split("|")[1].strip() for row in rows.splitlines()[2:]]
        assert name not in found, f"{name} is described twice"
        found[name] = int(tag) if tag else None, tuple(cell.strip("`") for cell in cells)
    for name, tag in WITHOUT_FIELDS.findall(PROSE):
        found[name] = int(tag), ()
    for tag, name, cells in TAG_ROW.findall(PROSE):
        found[name] = int(tag), tuple(re.findall(r"`(\w+)`", cells))
    return found


def test_the_search_for_records_finds_them() -> None:
    assert {"Item", "Genesis", "Turn", "Swap", "Counter", "Header", "Whisper"} <= records().keys()
    assert len(records()) > 50


@pytest.mark.parametrize("name", sorted(records()))
def test_a_record_is_described_field_by_field(name: str) -> None:
    record = records()[name]
    assert described()[name] == (tag_of(record), record.__struct_fields__)


def test_no_record_is_described_that_is_not_there() -> None:
    elsewhere = {record.__name__ for record in met_by()}
    assert described().keys() - elsewhere == records().keys()


def met_by() -> list[type[Record]]:
    """The records by which peers meet: they belong to `runtime`."""
    from kemps_p2p.runtime import guests, handshake, meeting, whereabouts

    return [
        value
        for module in (guests, handshake, meeting, whereabouts)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Record) and value.__module__ == module.__name__
    ]


@pytest.mark.parametrize("record", met_by(), ids=lambda record: record.__name__)
def test_what_is_described_of_meeting_and_joining_is_so(record: type[Record]) -> None:
    assert described()[record.__name__] == (tag_of(record), record.__struct_fields__)


@pytest.mark.parametrize(
    "kind", [*effects.Effect.__args__, *effects.Sight.__args__], ids=lambda kind: kind.__name__
)
def test_an_effect_is_named(kind: type) -> None:
    section = TEXT.split("\n## Effects\n")[1].split("\n## ")[0]
    assert f"`{kind.__name__}`" in section


# Names and numbers


@pytest.mark.parametrize("fault", Fault, ids=lambda fault: fault.value)
def test_a_fault_is_described(fault: Fault) -> None:
    section = TEXT.split("\n## Faults\n")[1].split("\n## ")[0]
    assert f"| `{fault.value}` | " in section


def test_every_code_in_the_document_is_a_fault() -> None:
    section = TEXT.split("\n## Faults\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)) == {each.value for each in Fault}


@pytest.mark.parametrize("flaw", Flaw, ids=lambda flaw: flaw.value)
def test_a_flaw_of_a_log_is_described(flaw: Flaw) -> None:
    section = TEXT.split("\n## Log\n")[1].split("\n## ")[0]
    assert f"| `{flaw.value}` | " in section


@pytest.mark.parametrize("verdict", Verdict, ids=lambda verdict: verdict.value)
def test_a_verdict_is_described(verdict: Verdict) -> None:
    assert re.search(rf"^\| {verdict.value} \| [0-9]", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("module", "name", "value"), LIMIT_ROW.findall(TEXT))
def test_a_limit_is_that_of_the_code(module: str, name: str, value: str) -> None:
    assert getattr(importlib.import_module(f"kemps_p2p.{module}"), name) == int(value)


def limits_of_the_code() -> Iterator[str]:
    """The whole numbers that modules of ledger and session name in capitals."""
    for package in (kemps_p2p.ledger, kemps_p2p.session):
        for found in pkgutil.iter_modules(package.__path__):
            path = Path(package.__path__[0]) / f"{found.name}.py"
            short = package.__name__.removeprefix("kemps_p2p.")
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                target = node.targets[0] if isinstance(node, ast.Assign) else None
                if isinstance(target, ast.Name) and target.id.isupper() and not target.id.startswith("_"):
                    value = getattr(importlib.import_module(f"{package.__name__}.{found.name}"), target.id)
                    if type(value) is int:
                        yield f"{short}.{found.name}.{target.id}"


def test_every_limit_of_ledger_and_session_is_listed() -> None:
    listed = {f"{module}.{name}" for module, name, _ in LIMIT_ROW.findall(TEXT)}
    assert set(limits_of_the_code()) <= listed


def literals() -> Iterator[str]:
    """Every label, or beginning of a label, that stands in the code of the package."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from (found.rstrip("/") for found in LABEL.findall(node.value))


def test_every_label_of_the_code_is_in_the_document() -> None:
    labels = set(literals())
    assert {"kemps/v1/item", "kemps/v1/deck/secret", "kemps/v1/deck"} <= labels
    assert {label for label in labels if label not in PROSE} == set()


def test_every_label_that_the_examples_use_is_in_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels that are put together at run time, and those inside transcripts, are found only this way."""
    hashed: set[str] = set()
    absorbed: set[str] = set()
    framed, appended = codec.framed, Transcript.append

    def frame(label: str, parts: tuple[bytes, ...]) -> bytes:
        hashed.add(label)
        return framed(label, parts)

    def append(transcript: Transcript, label: str, *values: bytes) -> None:
        if label == "transcript":
            hashed.add(values[0].decode())
        else:
            absorbed.add(label)
        appended(transcript, label, *values)

    monkeypatch.setattr(codec, "framed", frame)
    monkeypatch.setattr(Transcript, "append", append)
    for cached in (table, decks):
        cached.cache_clear()
    for make in (EXAMPLES[name] for name in EXAMPLES.keys() - {"hashes", "transcript"}):
        make()
    assert {"kemps/v1/draw", "kemps/v1/deck/secret/w hat", "kemps/v1/deck/turn"} <= hashed
    assert {"t hat", "outputs c", "omega"} <= absorbed
    assert {label for label in hashed - {"example"} if not is_named(label)} == set()
    assert {label for label in absorbed if f'"{label}"' not in PROSE} == set()


def is_named(label: str) -> bool:
    """A secret's label is described by its last part, in the table of secrets."""
    secret = label.removeprefix("kemps/v1/deck/secret/")
    if secret == label:
        return f"`{label}`" in PROSE
    return f"`{secret}`" in TEXT.split("\n### Secrets\n")[1].split("\n## ")[0]


def docstring_sections() -> Iterator[tuple[str, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        for section in SECTION.findall(text):
            yield f"{path.parent.name}/{path.name}", section


def test_every_section_that_a_module_refers_to_is_there() -> None:
    headings = set(re.findall(r"^#{2,4} (.+)$", TEXT, re.MULTILINE))
    found = list(docstring_sections())
    assert len(found) > 20
    assert [(module, section) for module, section in found if section not in headings] == []


def test_every_link_of_the_document_leads_to_a_heading() -> None:
    anchors = {
        re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#{1,4} (.+)$", TEXT, re.MULTILINE)
    }
    links = re.findall(r"\]\(#([a-z0-9-]+)\)", TEXT)
    assert links
    assert set(links) <= anchors


def test_records_without_a_union_have_no_tag() -> None:
    assert tag_of(SeatRecord) is None
    assert tag_of(Equivocation) == 1
