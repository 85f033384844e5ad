"""`kemps find`: list the tables on the network."""

import asyncio
import json
from collections.abc import Sequence

import click

from kemps_p2p.cli.options import SECONDS, end_on_terminate, with_iface
from kemps_p2p.cli.saying import say
from kemps_p2p.runtime.discovery import LOOK_S, Found, browsing, look
from kemps_p2p.runtime.transport import new_event_loop
from kemps_p2p.session.messages import PROTOCOL_VERSION


def table_line(found: Found) -> str:
    """A table in one line. All texts of it are harmless by now."""
    notice = found.notice
    free = notice.players - notice.taken
    other = "" if found.version == PROTOCOL_VERSION else f", version {found.version} of the protocol"
    seats = f"{free} of {notice.players} seats free"
    where = f"host {notice.host}, {found.places[0]}{other}"
    return f"{notice.number:2}  {notice.table}  {seats}, rules: {notice.rules}, {where}"


def _as_json(found: Found) -> dict[str, object]:
    notice = found.notice
    return {
        "table": notice.table,
        "number": notice.number,
        "players": notice.players,
        "taken": notice.taken,
        "rules": notice.rules,
        "rules_digest": notice.rules_digest,
        "host": notice.host,
        "version": found.version,
        "addresses": [str(place) for place in found.places],
    }


@click.command(short_help="List the tables that are announced on the network.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; with --watch one a line.")
@click.option("--watch", is_flag=True, help="Go on, and tell whenever a table changes.")
@click.option("--wait", "wait_s", default=LOOK_S, show_default=True, type=SECONDS, help="Seconds to look.")
@with_iface
def find(*, as_json: bool, watch: bool, wait_s: float, iface: str | None) -> None:
    """List the tables that are announced on the network: number, name, free seats, rules, host, address.

    What is listed is what somebody says. Only the code, known to both sides, proves that a table is the right
    one.
    """
    end_on_terminate()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        if watch:
            runner.run(_watch(iface, as_json=as_json))
        else:
            _tell(runner.run(look(wait_s, iface)), as_json=as_json)


async def _watch(iface: str | None, *, as_json: bool) -> None:
    told: tuple[Found, ...] | None = None
    async with browsing(iface) as browser:
        while True:
            browser.changed.clear()
            if browser.tables != told:
                told = browser.tables
                _tell(told, as_json=as_json)
            await browser.changed.wait()


def _tell(tables: Sequence[Found], *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"tables": [_as_json(found) for found in tables]}))
    elif not tables:
        say("no table is announced on this network")
    else:
        for found in tables:
            say(table_line(found))
