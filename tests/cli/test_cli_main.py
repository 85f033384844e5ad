"""The command itself: help, version, exit codes, errors of one line, and what it imports."""

import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from cli_helpers import Here, free_port, kemps

from kemps_p2p import __version__
from kemps_p2p.cli.errors import CommandError, Exit, run
from kemps_p2p.cli.main import COMMANDS, Commands, main
from kemps_p2p.errors import RuntimeFault

pytest_plugins = ("cli_fixtures",)

IN_THE_BACKGROUND = ("sh", "-c", 'trap "" INT; exec "$0" "$@"')
"""How a shell starts what it does not wait for: deaf to Ctrl-C."""

LOADED = """
import sys
sys.argv = ["kemps", *{args!r}]
from kemps_p2p.cli.main import main
try:
    main()
except SystemExit:
    pass
print()
print(*sorted(sys.modules), sep="\\n")
"""


INTERRUPTED_EARLY = """
import sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
from kemps_p2p.cli.start import start
start()
"""


def loaded_by(*args: str | Path) -> set[str]:
    """Every module that a command line imports."""
    code = LOADED.format(args=[str(arg) for arg in args])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


def test_version() -> None:
    ran = kemps("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"kemps {__version__}\n", "")


def test_version_imports_next_to_nothing() -> None:
    ours = {name for name in loaded_by("--version") if name.startswith("kemps_p2p")}
    assert ours == {
        "kemps_p2p",
        "kemps_p2p.cli",
        "kemps_p2p.cli.errors",
        "kemps_p2p.cli.main",
        "kemps_p2p.cli.saying",
        "kemps_p2p.errors",
    }
    heavy = {"asyncio", "cryptography", "msgspec", "rbcl", "rich", "textual", "zmq"}
    assert not heavy & loaded_by("--version")


def test_help_imports_no_command() -> None:
    ours = {name for name in loaded_by("--help") if name.startswith("kemps_p2p.cli.")}
    assert ours == {"kemps_p2p.cli.errors", "kemps_p2p.cli.main", "kemps_p2p.cli.saying"}


def test_an_interrupt_while_the_program_is_still_loaded_is_a_line() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_EARLY], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (Exit.INTERRUPTED, "", "kemps: interrupted\n")


@pytest.mark.parametrize("command", ["audit", "replay"])
def test_logs_are_read_without_network_screens_or_runtime(command: str, logs: list[Path]) -> None:
    loaded = loaded_by(command, logs[0])
    assert "kemps_p2p.session.audit" in loaded
    assert not {"textual", "zmq", "kemps_p2p.runtime", "kemps_p2p.bots", "kemps_p2p.lab"} & loaded


def test_every_command_of_the_table_is_there_and_helps(here: Here) -> None:
    group = main
    assert isinstance(group, Commands)
    overview = here("--help").out.replace("\n           ", " ")
    for name, (_, text) in COMMANDS.items():
        command = group.get_command(click.Context(group), name)
        assert isinstance(command, click.Command)
        assert command.name == name
        ran = here(name, "--help")
        assert ran.code == 0
        assert ran.out.startswith(f"Usage: kemps {name} ")
        assert text in overview


def test_alone_it_shows_what_there_is() -> None:
    ran = kemps()
    assert ran.code == 0
    assert all(name in ran.out for name in COMMANDS)


def test_an_unknown_command_is_a_line_and_a_hint(here: Here) -> None:
    ran = here("adit")
    assert ran.code == Exit.USAGE
    assert len(ran.err.splitlines()) == 2
    assert ran.err.splitlines()[0] == "kemps: No such command 'adit'. Did you mean 'audit'?"
    assert here("qqq").err.splitlines()[0] == "kemps: No such command 'qqq'."


def test_a_missing_argument_points_to_the_help_of_its_command(here: Here) -> None:
    ran = here("audit")
    assert ran.code == Exit.USAGE
    assert "`kemps audit --help`" in ran.err


def failing(error: BaseException) -> Callable[[], object]:
    def command() -> object:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CommandError(Exit.REFUSED, "the table is full", "Try another."), Exit.REFUSED),
        (click.UsageError("no such option"), Exit.USAGE),
        (click.ClickException("no"), Exit.USAGE),
        (KeyboardInterrupt(), Exit.INTERRUPTED),
        (click.Abort(), Exit.INTERRUPTED),
        (RuntimeFault("the disk is full"), Exit.MACHINE),
        (OSError(errno.ENOSPC, "No space left on device"), Exit.MACHINE),
    ],
)
def test_errors_end_in_one_line_and_their_code(
    error: BaseException, code: Exit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(failing(error)) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kemps: ")
    assert "Traceback" not in err


def test_a_bug_of_ours_leaves_a_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run(failing(ZeroDivisionError("oops"))) == Exit.BUG
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 2
    report = next(tmp_path.iterdir())
    assert str(report) in err
    assert "ZeroDivisionError: oops" in report.read_text()


def test_a_bug_of_ours_where_no_report_can_be_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    assert run(failing(ZeroDivisionError("oops"))) == Exit.BUG
    assert "could not be written" in capsys.readouterr().err


def test_what_a_command_returns_is_its_code() -> None:
    assert run(lambda: 11) == 11
    assert run(lambda: None) == 0


def test_whoever_stops_reading_gets_no_complaint(logs: list[Path]) -> None:
    """The other end of the pipe is closed before anything is said."""
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [sys.executable, "-m", "kemps_p2p", "replay", str(logs[0])], stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)
    _, err = process.communicate(timeout=60)
    assert process.returncode == Exit.PIPE_CLOSED
    assert err == b""


@pytest.mark.parametrize("before", [(), IN_THE_BACKGROUND], ids=["foreground", "background"])
def test_a_command_whose_output_nobody_reads_can_be_ended(tmp_path: Path, before: tuple[str, ...]) -> None:
    """The pipe is full before anything is said, so its first word waits for ever."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write, bytes(4096))
    os.set_blocking(write, True)
    port = free_port()
    options = ("--bind", "127.0.0.1", "--port", str(port), "--no-mdns", "--bot", "--home", str(tmp_path))
    process = subprocess.Popen(
        [*before, sys.executable, "-m", "kemps_p2p", "host", *options], stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)
    with socket.socket() as guest:
        guest.bind(("127.0.0.1", 0))
        while guest.connect_ex(("127.0.0.1", port)) != 0:
            assert process.poll() is None
        # One that comes between Python's last look and a write that blocks is seen only with the next.
        for _ in range(10):
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=4)
                break
        _, err = process.communicate(timeout=20)
    os.close(read)
    assert (process.returncode, err) == (Exit.INTERRUPTED, b"kemps: interrupted\n")


def test_what_an_interrupt_leaves_undone_is_not_warned_of() -> None:
    """In a shell's background it strikes between any two steps: a coroutine may be made and not begun."""
    code = """
import signal
from kemps_p2p.cli.options import end_on_terminate
async def made(): pass
signal.signal(signal.SIGINT, signal.SIG_IGN)
end_on_terminate()
try:
    made(), signal.raise_signal(signal.SIGTERM)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_the_shell_can_complete_commands() -> None:
    ran = kemps(env={"_KEMPS_COMPLETE": "bash_complete", "COMP_WORDS": "kemps au", "COMP_CWORD": "1"})
    assert "audit" in ran.out
    assert "demo" not in ran.out
