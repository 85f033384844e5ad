"""`kemps join`: sit down at a table on the network."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import click

from kemps_p2p.cli.ending import seat_kept
from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.find import table_line
from kemps_p2p.cli.options import end_on_terminate, read_rule_set, with_iface
from kemps_p2p.cli.saying import say
from kemps_p2p.cli.seat_options import SeatTold, check_bind_option, seat_options
from kemps_p2p.cli.table_telling import TableReporter
from kemps_p2p.errors import NotSeated, Unwelcome
from kemps_p2p.runtime.addresses import Place, is_like_place, read_place
from kemps_p2p.runtime.discovery import LOOK_S, Found, look, look_for, place_of
from kemps_p2p.runtime.guests import folded
from kemps_p2p.runtime.joining import proved
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.table import Invitation, Tell, join_table
from kemps_p2p.runtime.transport import new_event_loop
from kemps_p2p.session.messages import PROTOCOL_VERSION
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.words import Code, CodeError, is_like_code, read_code

FIND_S = 6.0

T = TypeVar("T")


@click.command(short_help="Sit down at a table: by code, by name or by address.")
@click.argument("where", required=False, metavar="[CODE|TABLE|ADDRESS[:PORT]]")
@click.option("--code", "code_told", default=None, help="What the host has told you; - reads it from a pipe.")
@click.option(
    "--rules",
    "rules_option",
    default=None,
    metavar="PRESET|FILE",
    help="Sit down only if these are played; else by whatever the table plays.",
)
@click.option(
    "--bind", default=None, metavar="IP", callback=check_bind_option, help="The own address to listen on."
)
@click.option("--port", default=None, type=click.IntRange(0, 65535), help="The own port at the table.")
@with_iface
@click.option("--stay", is_flag=True, help="With --bot: play rematches until the others end it.")
@seat_options
def join(
    *, where: str | None, code_told: str | None, rules_option: str | None, bind: str | None, port: int | None,
    iface: str | None, stay: bool, **seat: Any,
) -> Exit:  # fmt: skip
    """Sit down at a table on the network.

    With a code, such as 3-cobalt-otter, the table is looked for. With the name of a table, or the address
    that its host shows, the code is asked for. Without anything, the tables that are found are listed.
    """
    told = SeatTold(**seat)
    told.check()
    end_on_terminate()
    expects = None if rules_option is None else read_rule_set(rules_option)
    code = (
        None if code_told is None else read_code_told(sys.stdin.readline() if code_told == "-" else code_told)
    )
    if where is not None and is_like_code(where):
        code = read_code_told(where)
    place = place_told(where, code, iface)
    code = code_for(place, code, told)
    reporter = TableReporter(as_events=told.events, has_screen=not told.bot)
    invitation = Invitation(place=place, code=code, expects=expects)

    def come(name: str, tell: Tell) -> Outcome:
        seat_plan = told.plan(name, bind=bind, port=port)
        return join_table(invitation, seat_plan, told.plays(reporter, stays=stay), tell)

    try:
        with seat_kept(told.kept, told.back):
            outcome = told.coming(reporter.news, come)
    finally:
        reporter.release()
    return told.ended(reporter, outcome)


def place_told(where: str | None, code: Code | None, iface: str | None) -> Place:
    """Where the table is that was told, by address, code or name, or picked from those that are found."""
    if where is None:
        return _answering(_picked(code, iface))
    if is_like_code(where) and code is not None:
        number = code.number
        return _answering(_searched(lambda found: found.notice.number == number, f"number {number}", iface))
    if is_like_place(where):
        place = read_place(where)
        if place is None:
            raise click.BadParameter(f"{plain(where)} is no address", param_hint="WHERE")
        return place
    name = folded(where)
    return _answering(_searched(lambda found: folded(found.notice.table) == name, plain(where), iface))


def _searched(fits: Callable[[Found], bool], what: str, iface: str | None) -> Found:
    """The one table that fits. Raises `CommandError` if there is none, or more than one."""
    found = _run(look_for(fits, FIND_S, iface))
    if not found:
        path = click.get_current_context().command_path
        hint = (
            "A match that has begun is not announced any more. The address that its host shows works too: "
            f"`{path} ADDRESS --code CODE`. `kemps doctor` says what is in the way."
        )
        raise CommandError(Exit.UNREACHABLE, f"no table {what} was found on this network", hint)
    if len(found) > 1:
        text = f"{len(found)} tables are called {what}: " + ", ".join(map(table_line, found))
        raise CommandError(Exit.USAGE, text, "Say the address of the one that you mean, and --code.")
    return found[0]


def _picked(code: Code | None, iface: str | None) -> Found:
    """The table that the person picks; if there is but one that fits, that one."""
    found = _run(look(LOOK_S, iface))
    if code is not None:
        found = tuple(each for each in found if each.notice.number == code.number)
    if not found:
        hint = "Ask the host for the address that it shows. `kemps doctor` says why none may be found."
        raise CommandError(Exit.UNREACHABLE, "no table was found on this network", hint)
    if len(found) == 1:
        return found[0]
    for index, each in enumerate(found, start=1):
        say(f"{index}  {table_line(each)}", err=True)
    if not sys.stdin.isatty():
        raise CommandError(Exit.USAGE, f"{len(found)} tables were found", "Say which: kemps join TABLE")
    chosen: int = click.prompt("which one", type=click.IntRange(1, len(found)), err=True)
    return found[chosen - 1]


def _answering(found: Found) -> Place:
    """The address at which a table that was found answers. Raises `NotSeated`, `Unreachable`."""
    if found.version != PROTOCOL_VERSION:
        raise NotSeated(Unwelcome.OTHER_VERSION, str(found.version))
    return _run(place_of(found))


def _run(waiting: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(waiting)


def read_code_told(text: str) -> Code:
    """A code as somebody has typed it. Raises `CommandError`."""
    try:
        return read_code(text)
    except CodeError as error:
        raise CommandError(Exit.USAGE, str(error), "No guess was made with it.") from None


def code_for(place: Place, code: Code | None, told: SeatTold) -> Code:
    """The code that was told, or asked for. A wrong one is refused before anything else is asked."""
    code = asked_code() if code is None else code
    if told.must_ask:
        _run(proved(place, code))
    return code


def asked_code() -> Code:
    """Ask the person at the terminal for the code. Raises `CommandError` if there is none."""
    if not sys.stdin.isatty():
        text = "a table lets nobody in without its code"
        raise CommandError(Exit.REFUSED, text, "Ask its host, and say it: --code 3-cobalt-otter")
    return read_code_told(click.prompt("code of the table", err=True))
