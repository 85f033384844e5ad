"""Values of any record type, made from its declared fields and a source of chances.

The source is a seeded `random.Random` for vectors, and one that hypothesis steers for properties.
"""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from msgspec import inspect

import kemps_p2p
from kemps_p2p.codec import Record

LEVELS_MAX = 5
TEXTS = ("", "Hi", "Ann", "ü♠", "\N{GRINNING FACE}", "x" * 31, "x" * 32)
NUMBERS = (0, 1, 2, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**62, 2**63 - 1)
NEGATIVES = (-1, -32, -33, -128, -129, -32768, -32769, -(2**31), -(2**31) - 1, -(2**63))
SIZES = (0, 1, 31, 32, 33, 64, 255, 256)


PACKAGE = Path(kemps_p2p.__file__).parent


def record_types() -> tuple[type[Record], ...]:
    """Every record of the package, by module and name."""
    names = set()
    for path in PACKAGE.rglob("*.py"):
        # Only what defines records is imported: all else may be as heavy as it likes.
        if re.search(r"^class \w+\(Record\b", path.read_text(encoding="utf-8"), re.MULTILINE):
            names.add(".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts)))
    for name in names:
        importlib.import_module(name)
    found = {kind for kind in _below(Record) if kind.__module__ in names}
    return tuple(sorted(found, key=lambda kind: (kind.__module__, kind.__name__)))


def _below(kind: type[Record]) -> Iterator[type[Record]]:
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def some(kind: type[Record], draw: Random) -> Record:
    """A value of a record type."""
    made = _some(inspect.type_info(kind), draw, 0)
    assert isinstance(made, kind)
    return made


def _some(shape: inspect.Type, draw: Random, level: int) -> Any:
    match shape:
        case inspect.StructType(cls=cls, fields=fields):
            return cls(**{field.name: _some(field.type, draw, level + 1) for field in fields})
        case inspect.UnionType(types=types):
            return _some(draw.choice(types), draw, level)
        case inspect.VarTupleType(item_type=item, max_length=most):
            count = draw.choice((0, 1, 2, 3)) if level < LEVELS_MAX else 0
            return tuple(
                _some(item, draw, level + 1) for _ in range(min(count, count if most is None else most))
            )
        case inspect.TupleType(item_types=items):
            return tuple(_some(item, draw, level + 1) for item in items)
        case inspect.BytesType(min_length=least, max_length=most):
            size = max(draw.choice(SIZES), least or 0)
            return draw.randbytes(size if most is None else min(size, most))
        case inspect.StrType(min_length=least, max_length=most):
            fitting = [
                text for text in TEXTS if (least or 0) <= len(text) <= (len(text) if most is None else most)
            ]
            return draw.choice(fitting)
        case inspect.IntType(ge=least, le=most):
            numbers = [
                number
                for number in (*NUMBERS, *NEGATIVES)
                if (least is None or number >= least) and (most is None or number <= most)
            ]
            return draw.choice(numbers)
        case inspect.EnumType(cls=cls):
            return draw.choice(list(cls))
        case _:
            raise TypeError(f"no values of {shape} are known")
