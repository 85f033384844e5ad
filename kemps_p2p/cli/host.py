"""`kemps host`: open a table and play at it."""

from typing import Any

import click

from kemps_p2p.cli.ending import seat_kept
from kemps_p2p.cli.errors import Exit
from kemps_p2p.cli.options import end_on_terminate, read_rule_option, with_players, with_rules
from kemps_p2p.cli.seat_options import SeatTold, check_bind_option, seat_options
from kemps_p2p.cli.table_telling import TableReporter, rules_label
from kemps_p2p.runtime.addresses import PORT, everywhere, interfaces
from kemps_p2p.runtime.guests import TABLE_CHARACTERS_MAX
from kemps_p2p.runtime.hosting import Plan
from kemps_p2p.runtime.table import TablePlan, host_table


def _check_table(_ctx: click.Context, _option: click.Parameter, table: str | None) -> str | None:
    if table is not None and not (table.isprintable() and 0 < len(table.strip()) <= TABLE_CHARACTERS_MAX):
        raise click.BadParameter(f"a table's name has 1 to {TABLE_CHARACTERS_MAX} printable characters")
    return None if table is None else table.strip()


@click.command(short_help="Open a table on the network, for people who know its code.")
@click.argument("table", required=False, callback=_check_table)
@with_players
@with_rules
@click.option(
    "--bots", default=0, show_default=True, type=click.IntRange(0, 15), help="Seats that bots take, at once."
)
@click.option(
    "--bind",
    default=None,
    metavar="IP",
    callback=check_bind_option,
    show_default="all addresses",
    help="The own address to listen on; :: for IPv6 too.",
)
@click.option(
    "--port",
    default=None,
    type=click.IntRange(0, 65535),
    show_default=f"{PORT}, or the next that is free",
    help="Where others knock.",
)
@click.option("--iface", default=None, metavar="NAME", help="The one network interface to use.")
@click.option("--no-mdns", is_flag=True, help="Do not announce the table on the network.")
@seat_options
def host(
    *, table: str | None, players: int, rules_option: str, bots: int, bind: str | None, port: int | None,
    iface: str | None, no_mdns: bool, **seat: Any,
) -> Exit:  # fmt: skip
    """Open a table on the network, and play at it.

    Shows a code, such as 3-cobalt-otter: tell it to those you invite, and to nobody else. The match begins
    when all seats are taken. Others come with `kemps join`; nothing but this machine is needed between you.
    """
    told = SeatTold(**seat)
    told.check()
    if bots >= players:
        raise click.BadParameter("one seat is yours", param_hint="--bots")
    if told.wish >= players:
        text = f"there is no seat {told.wish} at a table for {players}"
        raise click.BadParameter(text, param_hint="--seat")
    end_on_terminate()
    rules = read_rule_option(rules_option, players)
    if bind is None:
        bind = everywhere("0.0.0.0") if iface is None else _address_of(iface)
    reporter = TableReporter(as_events=told.events, has_screen=not told.bot, bots=bots)
    name = told.called()
    told.keep(name)
    plan = Plan(
        table=table if table is not None else f"{name}'s table",
        players=players,
        rules=rules,
        rules_name=rules_label(rules),
        bots=bots,
    )
    offer = TablePlan(plan=plan, bind=bind, port=port, announces=not no_mdns, only=iface, pace=told.bot_pace)
    seat_plan = told.plan(name, bind=bind, port=None)
    try:
        with seat_kept(told.kept, told.back):
            outcome = host_table(offer, seat_plan, told.plays(reporter), reporter.news)
    finally:
        reporter.release()
    return told.ended(reporter, outcome)


def _address_of(iface: str) -> str:
    """An address of an interface, IPv4 if it has one. Raises `RuntimeFault` if there is no such interface."""
    known = sorted(interfaces(iface), key=lambda each: (":" in each.ip, each.ip))
    return known[0].ip
