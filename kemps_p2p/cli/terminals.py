"""Whether there is a terminal at all."""

import sys


def is_terminal() -> bool:
    """True if a screen can be drawn, and keys be read."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
