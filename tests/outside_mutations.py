"""Bytes and texts that are close to true ones, or far from them, drawn from a seed."""

import random

import msgspec

JUNK: tuple[object, ...] = (
    None, True, -1, 0, 1, 255, 2**31, 2**63 - 1, 2**64 - 1, -(2**63), 1.5, "", "x" * 300, b"", b"\x00" * 32,
    b"\xff" * 32, b"\x90", [], [[]] * 40, [0, 0, 0], {}, {"a": 1},
)  # fmt: skip


def mutated(draw: random.Random, data: bytes) -> bytes:
    """Bytes that are close to true ones, or far from them."""
    match draw.randrange(5):
        case 0:
            return draw.randbytes(draw.randrange(60))
        case 1:
            start, end = sorted((draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)))
            return data[:start] + draw.randbytes(draw.randrange(9)) + data[end:]
        case 2 if data:
            at = draw.randrange(len(data))
            return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]
        case _:
            return changed_inside(draw, data)


def changed_inside(draw: random.Random, data: bytes) -> bytes:
    """The same shape with one value in it exchanged, so that what comes behind it is read as well."""
    try:
        value = msgspec.msgpack.decode(data)
    except (msgspec.DecodeError, ValueError):
        return data[:-1]
    return msgspec.msgpack.encode(exchanged(draw, value))


def exchanged(draw: random.Random, value: object) -> object:
    if isinstance(value, list) and value and draw.random() < 0.9:
        place = draw.randrange(len(value))
        match draw.randrange(8):
            case 0:
                return value[:place] + value[place + 1 :]
            case 1:
                return [*value, value[place]]
            case _:
                return [*value[:place], exchanged(draw, value[place]), *value[place + 1 :]]
    if isinstance(value, bytes) and len(value) > 1 and draw.random() < 0.7:
        return changed_inside(draw, value) if value[0] >= 0x90 else value[:-1] + bytes([value[-1] ^ 1])
    if isinstance(value, int) and abs(value) < 1 << 63 and draw.random() < 0.5:
        return value ^ 1
    return draw.choice(JUNK)


TOKENS = (
    "-1", "0", "1", "2", "5", "17", "400", "99999999999999999999", "1e400", "nan", "true", "''", "'x'",
    "'KEMPS'", "'turns'", "'both'", "'7S'", "['2C']", "[]", "[[1]]", "[4, 4]", "[-2]", "{}", "{ a = 1 }",
    "1979-05-27", "'\u202e'", '"\\u202e"',
)  # fmt: skip
LETTERS = '\0\n"=[{\u202e\N{GRINNING FACE}'


def mutated_text(draw: random.Random, text: str) -> str:
    """A rule book or a scenario with a line, a letter or a value changed."""
    lines = text.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    match draw.randrange(6):
        case 0:
            return "".join(lines[:at] + lines[at + 1 :])
        case 1:
            return "".join([*lines[:at], lines[at], *lines[at:]])
        case 2:
            place = draw.randrange(len(text))
            return text[:place] + draw.choice(LETTERS) + text[place + 1 :]
        case _:
            keyed = [number for number, line in enumerate(lines) if "=" in line]
            at = draw.choice(keyed or [0])
            lines[at] = lines[at].split("=")[0] + "= " + draw.choice(TOKENS) + "\n"
            return "".join(lines)
