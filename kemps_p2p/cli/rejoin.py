"""`kemps rejoin`: take the own seat of an unfinished match again."""

from typing import Any

import click

from kemps_p2p.cli.options import end_on_terminate
from kemps_p2p.cli.seat_options import SeatTold, returning_options
from kemps_p2p.cli.table_telling import TableReporter
from kemps_p2p.cli.telling import stopped
from kemps_p2p.runtime.chair import Chair
from kemps_p2p.runtime.onlooker import Onlooker
from kemps_p2p.runtime.rejoining import Return, rejoin_table
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.table import played_by
from kemps_p2p.runtime.wayback import Unfinished
from kemps_p2p.wording.people import counted, listed
from kemps_p2p.wording.plain import plain

REACH_S = 20.0
"""How long a bot tries to reach one of the others."""


@click.command(short_help="Take your seat of an unfinished match again, with your hand.")
@click.argument("which", required=False, metavar="[LOG|MATCH]")
@returning_options
def rejoin(*, which: str | None, **seat: Any) -> None:
    """Take your seat of an unfinished match again, with the hand that you had.

    The last match that was not played to its end, or the one whose log or id is told. The others need to do
    nothing: they wait, and know this seat by its keys. What you may have missed is asked of them.
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

    seated, watching = told.plays(reporter), played_by(lambda _chair, _chances: Onlooker(), reporter.watch)

    async def plays(chair: Chair) -> Outcome:
        return await (watching if chair.seat == chair.players else seated)(chair)

    # A person sees who is missing, and leaves when they like.
    reach_s = REACH_S if told.bot else told.give_up_s
    outcome = rejoin_table(Return(told.kept, which, told.give_up_s, reach_s), plays, tell)
    if not outcome.is_closed:
        raise stopped(outcome, told.why_stopped)
    reporter.say("log", f"log: {outcome.log}", log=str(outcome.log))
