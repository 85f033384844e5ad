"""`kemps watch`: look on at a table on the network, as its neutral observer if it has none."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from kemps_p2p.cli.ending import seat_kept, told_end
from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.join import code_for, place_told, read_code_told
from kemps_p2p.cli.options import (
    end_on_terminate,
    with_ascii,
    with_events,
    with_give_up,
    with_home,
    with_iface,
    with_out,
)
from kemps_p2p.cli.seat_options import SeatTold, check_bind_option, check_name_option
from kemps_p2p.cli.table_telling import TableReporter
from kemps_p2p.cli.telling import tell
from kemps_p2p.codec import Digest
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.events import Event
from kemps_p2p.game.record import State
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.plain.onlooking import PublicVoice
from kemps_p2p.runtime.meeting import WATCH
from kemps_p2p.runtime.table import Invitation
from kemps_p2p.runtime.watching import Onlooking, watch_table
from kemps_p2p.wording.words import is_like_code, words_of


class _Lines:
    """Tells it in lines of text."""

    def __init__(self, *, is_ascii: bool) -> None:
        self._voice = PublicVoice(is_ascii=is_ascii)

    @staticmethod
    def _say(lines: Iterator[str]) -> None:
        for line in lines:
            tell(line)

    def formed(self, match: Digest, rules: RuleSet, names: tuple[str, ...], observer: str | None) -> None:
        self._say(self._voice.formed(match, rules, names, observer))

    def moved(self, index: int, events: tuple[Event, ...], game: State) -> None:
        self._say(self._voice.moved(events, game))

    def gesture(self, seat: int, name: str) -> None:
        self._say(self._voice.gesture(seat, name))

    def struck(self, *, is_proven: bool) -> None:
        self._say(self._voice.struck(is_proven=is_proven))

    def absent(self, seat: int) -> None:
        self._say(self._voice.absent(seat))

    def back(self, seat: int) -> None:
        self._say(self._voice.back(seat))

    def held(self, seat: int) -> None:
        self._say(self._voice.held(seat))

    def fault(self, fault: PeerFault) -> None:
        self._say(self._voice.fault(fault))

    def ended(self) -> None:
        self._say(self._voice.ended())


class _Objects:
    """Tells it as JSON, an object a line."""

    @staticmethod
    def _say(event: str, **facts: object) -> None:
        tell({"event": event, **facts})

    def formed(self, match: Digest, rules: RuleSet, names: tuple[str, ...], observer: str | None) -> None:
        del rules
        self._say("formed", match=match.hex(), names=names, observer=observer, words=words_of(match))

    def moved(self, index: int, events: tuple[Event, ...], game: State) -> None:
        happened = [type(event).__name__ for event in events]
        facts = {"deal": game.deal, "scores": game.scores, "phase": game.phase.value}
        self._say("moved", entry=index, events=happened, **facts)

    def gesture(self, seat: int, name: str) -> None:
        self._say("gesture", seat=seat, name=name)

    def struck(self, *, is_proven: bool) -> None:
        self._say("struck", is_proven=is_proven)

    def absent(self, seat: int) -> None:
        self._say("absent", seat=seat)

    def back(self, seat: int) -> None:
        self._say("back", seat=seat)

    def held(self, seat: int) -> None:
        self._say("stand-in", seat=seat)

    def fault(self, fault: PeerFault) -> None:
        self._say("fault", culprit=fault.culprit, code=fault.code.value, text=str(fault))

    def ended(self) -> None:
        self._say("closed")


@click.command(short_help="Look on at a table, as its neutral observer if it has none.")
@click.argument("where", required=False, metavar="[CODE|TABLE|ADDRESS[:PORT]]")
@click.option("--code", "code_told", default=None, help="What the host has told you; - reads it from a pipe.")
@click.option(
    "--name", default=None, callback=check_name_option, help="The name others see, of 1 to 24 characters."
)
@with_ascii
@click.option(
    "--bind", default=None, metavar="IP", callback=check_bind_option, help="The own address to listen on."
)
@click.option("--port", default=None, type=click.IntRange(0, 65535), help="The own port, as an observer.")
@with_iface
@click.option(
    "--accept-key",
    "accepted",
    multiple=True,
    metavar="NAME",
    help="Believe that NAME comes with another key than before. Ask NAME first.",
)
@with_home("Where the identity is kept; another than that of a peer which plays here. KEMPS_HOME by default.")
@with_out
@with_give_up(1800.0, "an observer goes")
@with_events
def watch(
    *, where: str | None, code_told: str | None, name: str | None, is_ascii: bool, bind: str | None,
    port: int | None, iface: str | None, accepted: tuple[str, ...], home: Path | None, out: Path | None,
    give_up_s: float, events: bool,
) -> Exit:  # fmt: skip
    """Look on at a table on the network.

    Whoever comes first, before the match begins, is the table's observer: it has no seat and no hand, and its
    word counts where the players disagree about who was first. Everybody else just watches; that can be
    begun during a match too, at the address that the host shows. Nobody who watches sees a hidden card
    or what partners whisper.
    """
    told = SeatTold(
        name=name, wish=WATCH, partner="", plain=True, is_ascii=is_ascii, colours="4", bot=False,
        pace=None, accepted=accepted, home=home, out=out, give_up_s=give_up_s, events=events,
    )  # fmt: skip
    end_on_terminate()
    code = None
    if code_told is not None:
        code = read_code_told(sys.stdin.readline() if code_told == "-" else code_told)
    if where is not None and is_like_code(where):
        code = read_code_told(where)
    place = place_told(where, code, iface)
    code = code_for(place, code, told)
    reporter = TableReporter(as_events=events)
    eyes: Onlooking = _Objects() if events else _Lines(is_ascii=is_ascii)
    invitation = Invitation(place=place, code=code, expects=None)
    try:
        with seat_kept(told.kept, told.back):
            outcome = told.coming(
                reporter.news,
                lambda name, tell: watch_table(invitation, told.plan(name, bind=bind, port=port), eyes, tell),
            )
    except PeerFault as fault:
        raise CommandError(Exit.VIOLATED, f"the log that the host shows does not hold: {fault}") from None
    return told_end(reporter, outcome, otherwise="the host has gone, or nothing has moved for too long")
