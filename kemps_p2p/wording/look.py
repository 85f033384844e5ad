"""How a person wants to see the table: told once on the command line, the same for every screen."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """`is_plain`: lines of text instead of a screen. `is_ascii`: no character beyond ASCII.

    `colours`: how many colours tell the suits apart, 2 or 4; the letters always do.
    """

    is_plain: bool
    is_ascii: bool
    colours: int
    has_tutorial: bool
