"""What each key of a rule set allows, in words, and which value of a text it is that does not fit.

Read off the types of `ruleset`, so that nothing is said twice. Knows no files and no presets.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec
from msgspec import inspect

from kemps_p2p.game.ruleset import RuleSet

VALUE_CHARACTERS_MAX = 40

_PATH = re.compile(r" - at `\$\.?(.*)`$")
_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_FIELD = re.compile(r"^Object (contains unknown|missing required) field `([^`]*)`")
_RULE_SET = inspect.type_info(RuleSet)


def choice(words: Sequence[str]) -> str:
    """`"a"`, `"a" or "b"`, `"a", "b" or "c"`."""
    quoted = [f'"{word}"' for word in words]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def described(kind: inspect.Type) -> str:
    """What a type allows, in words that follow "is not"."""
    match kind:
        case inspect.EnumType():
            return choice([member.value for member in kind.cls])
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return f"a whole number from {kind.ge} to {kind.le}"
        case inspect.StrType() if kind.min_length:
            return f"a text of {kind.min_length} to {kind.max_length} characters"
        case inspect.StrType():
            return f"a text of at most {kind.max_length} characters"
        case inspect.StructType():
            return f"a table of {', '.join(field.encode_name for field in kind.fields)}"
        case inspect.VarTupleType():
            return f"a list with at least one entry, each {described(kind.item_type)}"
        case inspect.UnionType():
            return _described_union(kind)
        case _:
            raise AssertionError(kind)


def _described_union(kind: inspect.UnionType) -> str:
    numbers = [one for one in kind.types if isinstance(one, inspect.IntType)]
    whole = described(numbers[0])
    if any(isinstance(one, inspect.FloatType) for one in kind.types):
        return whole.replace("whole ", "")
    if any(isinstance(one, inspect.VarTupleType) for one in kind.types):
        return f"{whole}, or a table of such by number of players"
    return whole


def fields_of(kind: inspect.Type) -> dict[str, inspect.Type]:
    """The keys of a table and their types; none if the type is no table."""
    if isinstance(kind, inspect.UnionType):
        tables = [one for one in kind.types if isinstance(one, inspect.StructType)]
        kind = tables[0] if tables else kind
    if not isinstance(kind, inspect.StructType):
        return {}
    return {field.encode_name: field.type for field in kind.fields}


ALLOWED: Mapping[str, str] = {key: described(kind) for key, kind in fields_of(_RULE_SET).items()}
"""What each key of a rule set allows, in words."""


def no_such_key(key: str, known: Sequence[str]) -> str:
    """What to say about a key that there is not."""
    close = get_close_matches(key, known, n=1)
    return (
        f'no such key; did you mean "{close[0]}"?' if close else f"no such key; there are {', '.join(known)}"
    )


def shown(value: Any) -> str:
    """A value of a TOML text, as one may write it there, cut where it is long."""
    text = msgspec.json.encode(value, enc_hook=str).decode() if not isinstance(value, float) else repr(value)
    return text if len(text) <= VALUE_CHARACTERS_MAX else text[: VALUE_CHARACTERS_MAX - 1] + "…"


def fault_of(error: msgspec.ValidationError, values: Mapping[str, Any]) -> tuple[str, str]:
    """Of values that do not fit a rule set: the key at fault, and what is wrong and what is allowed there."""
    text = str(error)
    path = _PATH.search(text)
    where = path.group(1) if path else ""
    kind, value = _RULE_SET, values
    for name, index in _PART.findall(where):
        kind, value = _inside(kind, value, name, index)
    field = _FIELD.match(text)
    if field is None:
        return where, f"{shown(value)} is not {described(kind)}"
    key = f"{where}.{field.group(2)}" if where else field.group(2)
    known = fields_of(kind)
    if field.group(1) == "contains unknown":
        return key, no_such_key(field.group(2), list(known))
    return key, f"missing; it takes {described(known[field.group(2)])}"


def _inside(kind: inspect.Type, value: Any, name: str, index: str) -> tuple[inspect.Type, Any]:
    if name:
        return fields_of(kind)[name], value[name]
    assert isinstance(kind, inspect.VarTupleType)
    return kind.item_type, value[int(index)]
