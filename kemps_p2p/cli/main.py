"""The command `kemps`: a table of commands, each imported only when it is used."""

import importlib
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
from io import TextIOWrapper
from typing import Any, cast

import click
from click.shell_completion import shell_complete

from kemps_p2p import __version__
from kemps_p2p.cli.errors import run

COMPLETION = "_KEMPS_COMPLETE"
"""Set by the shell when it asks for completions."""

COMMANDS = {
    "play": ("kemps_p2p.cli.play:play", "Play against bots, at once and without any network."),
    "host": ("kemps_p2p.cli.host:host", "Open a table on the network, for people who know its code."),
    "join": ("kemps_p2p.cli.join:join", "Sit down at a table: by code, by name or by address."),
    "rejoin": ("kemps_p2p.cli.rejoin:rejoin", "Take your seat of an unfinished match again."),
    "watch": ("kemps_p2p.cli.watch:watch", "Look on at a table, as its neutral observer if it has none."),
    "find": ("kemps_p2p.cli.find:find", "List the tables that are announced on the network."),
    "doctor": ("kemps_p2p.cli.doctor:doctor", "Say why tables are not found or reached."),
    "id": ("kemps_p2p.cli.id:own_id", "Show the own key, and whom this machine knows."),
    "log": ("kemps_p2p.cli.log:log", "Logs of past matches, and copies of them."),
    "demo": ("kemps_p2p.cli.demo:demo", "Play a whole match between peer processes on this machine."),
    "node": ("kemps_p2p.cli.node:node", "Run one peer of a table on this machine, played by a bot."),
    "replay": ("kemps_p2p.cli.replay:replay", "See a match again: on a screen, as text or as a page."),
    "rules": ("kemps_p2p.cli.rules:rules", "Rule books, house rules and scenario files."),
    "lab": ("kemps_p2p.cli.lab:lab", "Experiments and benches."),
    "completion": (
        "kemps_p2p.cli.completion:completion",
        "Print what a shell needs to complete commands.",
    ),
    "audit": ("kemps_p2p.cli.audit:audit", "Verify everything in one log, or in several of one match."),
}
"""Name -> where the command is, and its help in one line, so that no command is imported to list it."""


class Commands(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name][0].split(":")
        return cast(click.Command, getattr(importlib.import_module(module), name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant. Raises `click.UsageError` with one that is called like it."""
        if args and args[0] not in COMMANDS and not ctx.resilient_parsing:
            alike = get_close_matches(args[0], COMMANDS, 1)
            meant = f" Did you mean {alike[0]!r}?" if alike else ""
            ctx.fail(f"No such command {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and leave with its exit code."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, False, **extra)
        for stream in (sys.stdout, sys.stderr):
            # A terminal that lacks a character gets an escape for it, not a traceback.
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        name = prog_name or "kemps"
        if COMPLETION in os.environ:
            sys.exit(shell_complete(self, {}, name, COMPLETION, os.environ[COMPLETION]))
        sys.exit(run(partial(self._line, list(sys.argv[1:] if args is None else args), name, extra)))

    def _line(self, args: list[str], name: str, extra: dict[str, Any]) -> object:
        # Not click's own loop, which makes exit code 1 of several things that are told apart here.
        try:
            with self.make_context(name, args, **extra) as ctx:
                return self.invoke(ctx)
        except click.exceptions.Exit as done:
            return done.exit_code


@click.command(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True
)
@click.version_option(__version__, prog_name="kemps", message="%(prog)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Kemps, the partner card game, peer to peer: no server, nobody deals, every call can be audited.

    Start with `kemps demo`. Exit codes are the same for every command; `kemps audit --help` lists those of an
    audit.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
