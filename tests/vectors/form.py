"""How vectors are written down: JSON, bytes in hexadecimal, one thing wrong in each at most."""

import json
from pathlib import Path
from typing import Any, TypeVar

from msgspec import structs

from kemps_p2p.codec import Digest, Record
from kemps_p2p.errors import Fault

FOLDER = Path(__file__).parent
ORDER = 2**252 + 27742317777372353535851937790883648493
"""Of the group that keys and signatures are in."""
FIELD = 2**255 - 19
ELSEWHERE = Digest(b"\x01" * 32)
"""A digest of nothing."""
Vector = dict[str, Any]
R = TypeVar("R", bound=Record)


def vector(kind: str, name: str, data: bytes, fault: Fault | None = None, **more: Any) -> Vector:
    """One vector; `more` says what else a checker has to know."""
    return {
        "kind": kind,
        "name": name,
        "bytes": data.hex(),
        "fault": None if fault is None else fault.value,
        **more,
    }


def as_text(value: object) -> str:
    """A JSON file."""
    return json.dumps(value, indent=1) + "\n"


def read(name: str) -> Any:
    """The JSON file of this name, as it lies in the folder."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def plain(value: object) -> Any:
    """A value as JSON: a record is an object of its name and fields, bytes are an object of hexadecimal."""
    match value:
        case Record():
            fields = {name: plain(getattr(value, name)) for name in value.__struct_fields__}
            return {"record": type(value).__name__, **fields}
        case bytes():
            return {"hex": value.hex()}
        case tuple():
            return [plain(each) for each in value]
        case int():
            return int(value)
        case _:
            return value


def changed(record: R, **fields: Any) -> R:
    """A record with some fields replaced, whatever their types."""
    return structs.replace(record, **fields)
