"""How a match ends at this terminal: who has won, where the log is, and whether there is a way back to it."""

import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.telling import Reporter, stopped
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.wayback import left_since

COMMAND = "kemps"


def own_command() -> str:
    """`kemps`, or what runs it as it stands where the shell does not find that."""
    script, found = Path(sys.argv[0]), shutil.which(COMMAND)
    if not script.stem.startswith(COMMAND):
        # Run as a module. The one that the shell finds is this one if it lies beside the interpreter.
        if found is not None and Path(found).parent == Path(sys.executable).parent:
            return COMMAND
        return f"{shlex.quote(sys.executable)} -m kemps_p2p"
    if found is not None and Path(found).resolve() == script.resolve():
        return COMMAND
    return shlex.quote(str(script))


def rejoin_command(home: Path | None, *, is_bot: bool) -> str:
    """What takes a seat again that was left; `home`: as it was told on the command line."""
    where = "" if home is None else f" --home {shlex.quote(str(home))}"
    return f"{own_command()} rejoin{' --bot' if is_bot else ''}{where}"


@contextmanager
def seat_kept(home: Path, back: str) -> Iterator[None]:
    """While a seat is played. Ctrl-C in a match says that the seat is kept, and that `back` takes it again.

    Raises `CommandError` INTERRUPTED then.
    """
    since_s = time.time()
    try:
        yield
    except KeyboardInterrupt:
        left = left_since(home, since_s)
        if left is None:
            raise
        # Behind the seats comes an observer, which has no hand.
        is_observer = left.seat == len(left.names)
        what, then = ("place as observer of", "") if is_observer else ("seat in", ", with your hand")
        hint = f"`{back}` takes it again{then}. What was played is in {left.log}."
        raise CommandError(Exit.INTERRUPTED, f"interrupted; your {what} this match is kept", hint) from None


def told_end(reporter: Reporter, outcome: Outcome, *, left: str | None = None, otherwise: str) -> Exit:
    """Say how a match ended, and where its log is; the exit code.

    `left`: what to say if nobody is to blame that it did not end, but the person here, who has left. Raises
    what `stopped` returns if it is not for the people of this table that it did not end.
    """
    if outcome.is_closed:
        if outcome.result:
            reporter.say("result", outcome.result)
        reporter.say("log", f"log: {outcome.log}", log=str(outcome.log))
        return Exit.DONE
    if outcome.is_relieved:
        reporter.say("relieved", "This bot has stood in for a player whose seat another has now: done.")
        return Exit.DONE
    is_agreed = outcome.is_abandoned and not outcome.is_walk_over
    is_blamed = any(fault.culprit is not None for fault in outcome.faults)
    if is_agreed:
        reporter.say("abandoned", "The match is abandoned: all agreed to that.")
    elif left is not None and not outcome.is_abandoned and not is_blamed:
        reporter.say("left", left)
    else:
        raise stopped(outcome, otherwise)
    if outcome.log is not None:
        reporter.say("log", f"What was played is in {outcome.log}.", log=str(outcome.log))
    return Exit.ABANDONED
