"""Reading logs for commands, and telling on a terminal how far a long check has come."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from kemps_p2p.cli.errors import CommandError, Exit

LOG_BYTES_MAX = 512 * 1024 * 1024


def read_log(path: Path) -> bytes:
    """The bytes of a log. Raises `CommandError` UNREADABLE if the file cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(LOG_BYTES_MAX + 1)
    except OSError as error:
        text = f"{path} cannot be read: {error.strerror or error}"
        raise CommandError(Exit.UNREADABLE, text, "A log is a file that ends in .kemps.") from None
    if len(data) > LOG_BYTES_MAX:
        raise CommandError(Exit.UNREADABLE, f"{path} is far too large for a log of a match")
    return data


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr, if that is a terminal and anybody can see it; None otherwise."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            bar.length = max(total, 1)
            bar.update(done - bar.pos)

        yield show
