"""Numbers in sentences."""

from collections.abc import Sequence

_WORDS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip


def in_words(number: int) -> str:
    """A small number as a word, others in figures."""
    return _WORDS[number] if 0 <= number < len(_WORDS) else str(number)


def some(number: int, one: str) -> str:
    """A small number of things: `no points`, `one card`, `four cards`."""
    return f"{in_words(number)} {one if number == 1 else one + 's'}"


def in_seconds(seconds: float) -> str:
    """`1 second`, `0.8 seconds`."""
    return "1 second" if seconds == 1 else f"{seconds:g} seconds"


def either(words: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
