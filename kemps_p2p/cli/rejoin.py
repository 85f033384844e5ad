"""`kemps rejoin`: take the own seat of an unfinished match again."""

import sys
from datetime import UTC, datetime
from typing import Any

import click

from kemps_p2p.cli.ending import seat_kept
from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.options import end_on_terminate
from kemps_p2p.cli.saying import say
from kemps_p2p.cli.seat_options import SeatTold, returning_options
from kemps_p2p.cli.table_telling import TableReporter
from kemps_p2p.codec import Digest
from kemps_p2p.runtime.chair import Chair
from kemps_p2p.runtime.onlooker import Onlooker
from kemps_p2p.runtime.rejoining import Return, rejoin_table
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.table import played_by
from kemps_p2p.runtime.wayback import Left, Unfinished
from kemps_p2p.wording.people import counted, listed
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.words import words_of

REACH_S = 20.0
"""How long a bot tries to reach one of the others."""


@click.command(short_help="Take your seat of an unfinished match again, with your hand.")
@click.argument("which", required=False, metavar="[LOG|MATCH]")
@click.option("--stay", is_flag=True, help="With --bot: play rematches until the others end it.")
@returning_options
def rejoin(*, which: str | None, stay: bool, **seat: Any) -> Exit:
    """Take your seat of an unfinished match again, with the hand that you had.

    The match that was not played to its end; if there are several, you are asked which, or say its log or id.
    The others need to do nothing: they wait, and know this seat by its keys. What you may have missed is
    asked of them.
    """
    told = SeatTold(name=None, wish=-1, partner="", accepted=(), out=None, **seat)
    told.check()
    end_on_terminate()
    reporter = TableReporter(as_events=told.events, has_screen=not told.bot)

    def tell(found: Unfinished) -> None:
        match = None if found.journal is None else found.journal.founding.match.hex()
        if found.torn_bytes:
            text = f"{counted(found.torn_bytes, 'byte')} of something unfinished were cut off its files"
            reporter.say("torn", text, bytes=found.torn_bytes)
        others = [name for seat, name in enumerate(found.names) if seat != found.setup.seat]
        text = "back at a table whose match was about to begin"
        if match is not None:
            text = f"back at the table with {listed(list(map(plain, others)))}: match {match[:16]}"
        reporter.say("back", text, match=match, seat=found.setup.seat)

    seated, watching = (
        told.plays(reporter, stays=stay),
        played_by(lambda _chair, _chances: Onlooker(), reporter.watch),
    )

    async def plays(chair: Chair) -> Outcome:
        return await (watching if chair.seat == chair.players else seated)(chair)

    # A person sees who is missing, and leaves when they like.
    reach_s = REACH_S if told.bot else told.give_up_s
    coming = Return(
        home=told.kept, which=which, choose=_chosen, give_up_s=told.give_up_s, reach_s=reach_s,
        pace=told.bot_pace, stay=not told.bot,
    )  # fmt: skip
    with seat_kept(told.kept, told.back):
        outcome = rejoin_table(coming, plays, tell)
    return told.ended(reporter, outcome)


def _chosen(left: tuple[Left, ...]) -> Left:
    """The match that the person chooses. Raises `CommandError` if nobody can be asked."""
    for number, each in enumerate(left, start=1):
        others = listed([plain(name) for seat, name in enumerate(each.names) if seat != each.seat])
        when = datetime.fromtimestamp(each.at_s, UTC).astimezone().strftime("%d %b %H:%M")
        text = "a table whose match was about to begin"
        if each.match is not None:
            text = f"{each.match[:16]}  {words_of(Digest(bytes.fromhex(each.match)))}, with {others}"
        say(f"{number}  {text}, until {when}", err=True)
    if not sys.stdin.isatty():
        raise CommandError(
            Exit.USAGE, f"{len(left)} matches were not played to their end", "Say which: kemps rejoin MATCH"
        )
    number = click.prompt("which one", type=click.IntRange(1, len(left)), default=1, err=True)
    return left[int(number) - 1]
