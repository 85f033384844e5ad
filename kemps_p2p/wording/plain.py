"""Texts of others, made harmless for a terminal: what cannot be seen is written out.

Names and words come from other players and from files. A control character could move the cursor, a terminal
escape could do much more, a bidirectional mark could show a name as another. Invariants:

1. The result holds printable characters only, spaces among them and no other white space.
2. Two different texts of allowed length stay different.
"""

CHARACTERS_MAX = 240


def plain(text: str, characters_max: int = CHARACTERS_MAX) -> str:
    """The text with everything that is not plainly printable as an escape, and cut where it is too long."""
    kept = text[:characters_max]
    shown = "".join(_shown(character) for character in kept)
    return shown if len(text) <= characters_max else f"{shown}… ({len(text)} characters)"


def _shown(character: str) -> str:
    # A backslash is written twice, so that nobody can write an escape that looks like ours.
    if character == "\\":
        return "\\\\"
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
