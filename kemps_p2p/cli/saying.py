"""Saying a line: on a terminal it is broken between words, and elsewhere it stays as it is.

Imports nothing heavy, since every command needs it.
"""

import os
import re
import sys
import textwrap
from typing import TextIO

import click

COLUMNS = 80
"""Of a terminal that does not tell how wide it is."""
_NARROWEST = 20
_COMMAND = re.compile("`[^`]*`")
_JOINT = "\0"


def say(line: str = "", *, err: bool = False) -> None:
    """Print a line, or several, for people. What a program reads is printed as it is, by `click.echo`."""
    width = columns(sys.stderr if err else sys.stdout)
    fitted = line if width is None else "\n".join(_fitted(each, width) for each in line.split("\n"))
    click.echo(fitted, err=err)


def page_columns() -> int | None:
    """How wide a page may be: as the terminal is, even with a pager before it; None without a terminal."""
    return columns(sys.stdout) or columns(sys.stderr)


def columns(stream: TextIO | None) -> int | None:
    """How many characters a line of this terminal has; None if it is no terminal."""
    if stream is None or not stream.isatty():
        return None
    try:
        return max(os.get_terminal_size(stream.fileno()).columns, _NARROWEST)
    except (OSError, ValueError):
        return COLUMNS


def _fitted(line: str, width: int) -> str:
    """The line, or lines no longer than the terminal is wide; a path or a `command` stays in one piece."""
    if len(line) <= width:
        return line
    return filled(line, width, len(line) - len(line.lstrip()) + 2)


def filled(line: str, width: int, indent: int) -> str:
    """The line broken between words, or in one piece where it fits; `indent`: of all lines but the first."""
    whole = _COMMAND.sub(lambda found: found[0].replace(" ", _JOINT), line)
    lines = textwrap.fill(
        whole, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace(_JOINT, " ")
