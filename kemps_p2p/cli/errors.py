"""Exit codes, and how an error ends a command: one line, a hint, and never a traceback.

Imports nothing heavy, since every command needs it.
"""

import contextlib
import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from enum import IntEnum

import click

from kemps_p2p.cli.saying import say
from kemps_p2p.errors import KempsError, NotSeated, PortTaken, Refused, RuntimeFault, Unreachable, Unwelcome


class Exit(IntEnum):
    """What an exit code means; the same for every command."""

    DONE = 0
    DIFFERS = 1
    USAGE = 2
    UNREACHABLE = 3
    REFUSED = 4
    IDENTITY = 5
    OTHER_VERSION = 6
    UNREADABLE = 7
    ABANDONED = 8
    MACHINE = 9
    VIOLATED = 10
    UNDECIDABLE = 11
    CONTRADICT = 12
    BUG = 70
    INTERRUPTED = 130
    PIPE_CLOSED = 141
    """Whoever read our output is gone: what a shell makes of SIGPIPE."""


_OTHERS = frozenset({Unwelcome.OTHER_VERSION, Unwelcome.OTHER_RULES})
_MISTAKEN = frozenset(
    {
        Unwelcome.CHANGED_ON_THE_WAY,
        Unwelcome.OTHER_SERVER_KEY,
        Unwelcome.KNOWN_NAME_NEW_KEY,
        Unwelcome.OTHER_NAME,
    }
)


def exit_of_unwelcome(reason: Unwelcome) -> Exit:
    """The exit code of a peer that does not get to a table."""
    if reason is Unwelcome.NOT_KEMPS:
        return Exit.UNREACHABLE
    return Exit.IDENTITY if reason in _MISTAKEN else Exit.OTHER_VERSION if reason in _OTHERS else Exit.REFUSED


class CommandError(KempsError):
    """A command cannot do what it was asked to: one line, and a hint at what to do."""

    def __init__(self, code: Exit, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.hint = hint


def run(command: Callable[[], object]) -> int:
    """Run a command and return its exit code; whatever goes wrong is said in a line."""
    try:
        done = command()
        _flush()
    except CommandError as error:
        return _say(error.code, error.text, error.hint)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx is not None else "kemps"
        return _say(Exit.USAGE, error.format_message(), f"`{path} --help` says more.")
    except click.ClickException as error:
        return _say(Exit.USAGE, error.format_message())
    except (click.Abort, KeyboardInterrupt, EOFError):
        return _say(Exit.INTERRUPTED, "interrupted")
    except BrokenPipeError:
        let_go_of_output()
        return Exit.PIPE_CLOSED
    except NotSeated as why:
        # Only here, since most commands never need it.
        from kemps_p2p.wording.joins import coming_text

        return _say(exit_of_unwelcome(why.reason), *coming_text(why))
    except PortTaken as fault:
        return _say(
            Exit.UNREACHABLE,
            str(fault),
            "Another program listens there, perhaps a table of yours: --port takes another.",
        )
    except Unreachable as fault:
        return _say(Exit.UNREACHABLE, str(fault))
    except Refused as error:
        return _say(Exit.REFUSED, str(error))
    except RuntimeFault as fault:
        return _say(Exit.MACHINE, str(fault))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO):
            return _say(Exit.MACHINE, f"this machine does not let us: {error.strerror or error}")
        return _say(Exit.BUG, *_report(error))
    except Exception as error:
        return _say(Exit.BUG, *_report(error))
    finally:
        _drop_unpacked_library()
    return done if isinstance(done, int) else Exit.DONE


def let_go_of_output() -> None:
    """Give up what is unwritten: Python would try again as it ends, and complain, or wait for ever."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _flush() -> None:
    """Write out what is buffered. There is no stream at all if our output was closed before we began."""
    if sys.stdout is not None:
        sys.stdout.flush()


def _drop_unpacked_library() -> None:
    """Remove the shared library that rbcl unpacks into the temporary directory and leaves there."""
    unpacked = sys.modules.get("rbcl._sodium")
    path = getattr(unpacked, "lib_path", None)
    if isinstance(path, str):
        # On Windows a loaded library cannot be removed; the system's own clean-up has to do it there.
        with contextlib.suppress(OSError):
            os.unlink(path)


def _say(code: Exit, text: str, hint: str = "") -> Exit:
    say(f"kemps: {' '.join(text.split())}", err=True)
    if hint:
        say(f"  {' '.join(hint.split())}", err=True)
    return code


def _report(error: Exception) -> tuple[str, str]:
    """Write down a bug of ours; the line to say, and where the report lies."""
    text = f"this is a bug in kemps ({type(error).__name__})"
    try:
        descriptor, path = tempfile.mkstemp(prefix="kemps-crash-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as report:
            report.write(f"kemps {' '.join(sys.argv[1:])}\n")
            report.writelines(traceback.format_exception(error))
    except OSError:
        return text, "A crash report could not be written either."
    return text, f"The crash report is {path}; it holds no keys and no cards."
