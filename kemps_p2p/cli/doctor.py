"""`kemps doctor`: say why tables are not found or reached."""

import asyncio
import json

import click

from kemps_p2p.cli.errors import Exit
from kemps_p2p.cli.options import end_on_terminate, with_json
from kemps_p2p.cli.saying import say
from kemps_p2p.runtime.addresses import PORT, read_place
from kemps_p2p.runtime.doctor import Complaint, Examined, examine
from kemps_p2p.runtime.handshake import Notice
from kemps_p2p.runtime.transport import new_event_loop
from kemps_p2p.wording.ailments import Ailment, ailment_text
from kemps_p2p.wording.people import listed
from kemps_p2p.wording.plain import plain


@click.command(short_help="Say why tables are not found or reached.")
@click.argument("address", required=False, metavar="[ADDRESS[:PORT]]")
@click.option(
    "--port", default=PORT, show_default=True, type=click.IntRange(1, 65535), help="The own join port."
)
@click.option("--iface", default=None, metavar="NAME", help="The one network interface to look at.")
@with_json
@click.pass_context
def doctor(ctx: click.Context, *, address: str | None, port: int, iface: str | None, as_json: bool) -> None:
    """Look at this machine, and from here at the address of a table, and name what keeps tables apart.

    \b
    Exit codes:
      0   nothing is the matter
      3   something keeps this machine from finding or reaching tables
      6   the other side speaks another version
    """
    place = None if address is None else read_place(address)
    if address is not None and place is None:
        raise click.BadParameter(f"{plain(address)} is no address", param_hint="ADDRESS")
    end_on_terminate()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        found = runner.run(examine(place, port, iface))
    complaints = found.complaints
    if as_json:
        click.echo(json.dumps({"complaints": [_as_json(each) for each in complaints]}))
    else:
        if found.table is not None:
            say(f"a table answers at {place}: {_table_text(found.table)}")
        if not complaints:
            say(f"nothing is the matter: {_health_text(found)}")
        for each in complaints:
            text, hint = _text(each)
            say(f"{text}\n  {hint}")
    ctx.exit(_exit_of(complaints))


def _table_text(table: Notice) -> str:
    """What a table says of itself."""
    seats = f"{table.players - table.taken} of {table.players} seats free" if table.is_open else "it plays"
    return f"{plain(table.table)}, {seats}"


def _health_text(found: Examined) -> str:
    """What was looked at on this machine, where nothing is the matter with it."""
    number, own = found.port
    port = f"port {number} is free" if own is None else f"at port {number} listens {_table_text(own)}"
    names = listed([plain(name) for name in found.interfaces])
    verb = "is" if len(found.interfaces) == 1 else "are"
    return f"{names} {verb} up, tables can be found there, and {port}"


def _as_json(complaint: Complaint) -> dict[str, str]:
    text, hint = _text(complaint)
    return {"code": complaint.ailment.value, "detail": complaint.detail, "text": text, "hint": hint}


def _text(complaint: Complaint) -> tuple[str, str]:
    return ailment_text(complaint.ailment, plain(complaint.detail))


def _exit_of(complaints: tuple[Complaint, ...]) -> Exit:
    if not complaints:
        return Exit.DONE
    if any(each.ailment is Ailment.OTHER_VERSION for each in complaints):
        return Exit.OTHER_VERSION
    return Exit.UNREACHABLE
