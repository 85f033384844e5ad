"""Finding and reading logs for commands, and telling on a terminal how far a long check has come."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.homes import home_directory
from kemps_p2p.cli.saying import columns, say
from kemps_p2p.wording.plain import plain

LOG_BYTES_MAX = 512 * 1024 * 1024
SUFFIX = ".kemps"
DEMO_LOGS = Path("kemps-logs")
"""Where `kemps demo` leaves its logs, unless it is told otherwise."""
LOG_HINT = "A log is a file that ends in .kemps. `kemps log list` lists yours."
_ID_DIGITS = 16
"""So much of the id of a match is in the name of its logs."""
_BAR_COLUMNS, _BESIDE_BAR_COLUMNS = 36, 32
"""Of a bar, at most; and of what is to its left and right."""
_LINE_ABOVE_ERASED = "\x1b[A\x1b[2K\r"

with_logs_home = click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Whose logs; those in KEMPS_HOME by default.",
)


def log_directory(home: Path | None) -> Path:
    """Where the logs of a home are."""
    return (home if home is not None else home_directory()) / "logs"


def kept_log(told: str, home: Path | None) -> Path | None:
    """The kept log whose name, or the id of whose match, begins so; the latest, if one match has several.

    Looks into the log directory, and where `kemps demo` leaves logs. Raises `CommandError` USAGE if these are
    logs of several matches.
    """
    is_id = len(told) > _ID_DIGITS and all(digit in "0123456789abcdef" for digit in told)
    begins = told[:_ID_DIGITS] if is_id else told
    directories = (log_directory(home), DEMO_LOGS)
    files = [file for each in directories for file in each.glob(f"*{SUFFIX}") if file.name.startswith(begins)]
    if len({file.name.partition("-")[0] for file in files}) > 1:
        text = f"{len(files)} logs begin with {plain(told)}"
        raise CommandError(Exit.USAGE, text, "Say more of the name.")
    return max(files, key=lambda file: file.stat().st_mtime, default=None)


def found_log(told: Path, home: Path | None) -> Path:
    """The file that was told, or else the kept log whose name begins so; which that is, is said.

    A path at which nothing is stays what it is. Raises `CommandError`; see `kept_log`.
    """
    if told.exists() or told.name != str(told):
        return told
    kept = kept_log(told.name, home)
    if kept is None:
        return told
    say(f"the log is {kept}", err=True)
    return kept


def read_log(path: Path) -> bytes:
    """The bytes of a log. Raises `CommandError` UNREADABLE if the file cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(LOG_BYTES_MAX + 1)
    except OSError as error:
        text = f"{path} cannot be read: {error.strerror or error}"
        raise CommandError(Exit.UNREADABLE, text, LOG_HINT) from None
    if len(data) > LOG_BYTES_MAX:
        raise CommandError(Exit.UNREADABLE, f"{path} is far too large for a log of a match")
    return data


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr while it lasts, if that is a terminal and anybody can see it; None otherwise."""
    terminal = columns(sys.stderr)
    if terminal is None:
        yield None
        return
    # One that is too long for its line would leave a line at every step.
    width = min(_BAR_COLUMNS, max(terminal - _BESIDE_BAR_COLUMNS, 1))
    with click.progressbar(length=1, label=label, width=width, file=sys.stderr) as bar:

        def show(done: int, total: int) -> None:
            bar.length = max(total, 1)
            bar.update(done - bar.pos)

        yield show
    # What it led to is all that stays on the screen.
    click.echo(_LINE_ABOVE_ERASED, nl=False, err=True)
