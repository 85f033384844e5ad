"""The options of `host` and `join` that say who comes to a table and how its seat is played."""

import asyncio
import getpass
import sys
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from random import Random

import click

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.cli.ending import rejoin_command, told_end
from kemps_p2p.cli.errors import Exit
from kemps_p2p.cli.homes import home_directory
from kemps_p2p.cli.options import (
    PACES,
    F,
    with_ascii,
    with_colours,
    with_events,
    with_give_up,
    with_home,
    with_out,
    with_wish,
)
from kemps_p2p.cli.play import asked_name, called, keep_name
from kemps_p2p.cli.screens import screen_for
from kemps_p2p.cli.table_telling import TableReporter
from kemps_p2p.cli.telling import STANDSTILL
from kemps_p2p.errors import NotSeated, PeerFault, Unwelcome
from kemps_p2p.runtime.chair import Chair, Plays
from kemps_p2p.runtime.gathering import Came
from kemps_p2p.runtime.guests import BOT, PERSON, folded
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.settings import remembered_name
from kemps_p2p.runtime.table import SeatPlan, TableNews, Tell, kept_by, played_by, shown_on
from kemps_p2p.session.lobby import check_name
from kemps_p2p.session.messages import NAME_CHARACTERS_MAX
from kemps_p2p.wording.look import Look
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.words import fingerprint


def check_name_option(_ctx: click.Context, _option: click.Parameter, name: str | None) -> str | None:
    """The name of a player, if one is told. Raises `click.BadParameter`."""
    if name is None:
        return None
    try:
        check_name(name)
    except PeerFault as fault:
        raise click.BadParameter(fault.text) from None
    return name


def check_bind_option(_ctx: click.Context, _option: click.Parameter, bind: str | None) -> str | None:
    """An IP address of this machine. Raises `click.BadParameter`."""
    try:
        return None if bind is None else str(ip_address(bind))
    except ValueError:
        raise click.BadParameter(f"{plain(bind or '')!r} is no IP address; 0.0.0.0 stands for all") from None


def _login_name() -> str:
    """What this person is called on this machine, as far as that can be a player's name."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "Player"
    name = "".join(filter(str.isprintable, name)).strip()[:NAME_CHARACTERS_MAX].strip()
    return name.capitalize() or "Player"


_COMING = (
    click.option(
        "--name",
        default=None,
        callback=check_name_option,
        help="The name others see, of 1 to 24 characters; remembered, and asked for only once.",
    ),
    with_wish,
    click.option("--partner", default="", metavar="NAME", help="Who should sit opposite; else lots decide."),
    click.option(
        "--accept-key",
        "accepted",
        multiple=True,
        metavar="NAME",
        help="Let NAME come with another key than before. Ask NAME first.",
    ),
    with_out,
)

_PLAYING = (
    click.option(
        "--plain",
        is_flag=True,
        help="Lines of text, for screen readers and scripts; own bots play relaxed then, or slow by --pace.",
    ),
    with_ascii,
    with_colours,
    click.option("--bot", is_flag=True, help="Let a bot play your seat, and say so to the others."),
    click.option(
        "--pace",
        type=click.Choice(PACES),
        default=None,
        show_default="normal; relaxed with --plain",
        help="How fast a bot plays.",
    ),
    with_home("Where identity and journals are kept, one for each peer; KEMPS_HOME by default."),
    with_give_up(1800.0, "the match is abandoned"),
    with_events,
)


def seat_options(command: F) -> F:
    """Add the options that `SeatTold` takes."""
    return _with(command, (*_COMING, *_PLAYING))


def returning_options(command: F) -> F:
    """Add those that matter to a seat which was taken before."""
    return _with(command, _PLAYING)


def _with(command: F, options: tuple[Callable[[F], F], ...]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTold:
    """What was told about the own seat on the command line."""

    name: str | None
    wish: int
    partner: str
    plain: bool
    is_ascii: bool
    colours: str
    bot: bool
    pace: str | None
    accepted: tuple[str, ...]
    home: Path | None
    out: Path | None
    give_up_s: float
    events: bool

    def check(self) -> None:
        """Raise `click.BadParameter` for options that do not go together."""
        if self.events and not self.bot:
            raise click.BadParameter("goes with --bot; a person sees a screen", param_hint="--events")

    @property
    def bot_pace(self) -> str:
        """How fast the own bots play: slower for whoever has to read it line by line."""
        return self.pace or ("relaxed" if self.plain else "normal")

    @property
    def kept(self) -> Path:
        """The home: what is kept of this player."""
        return self.home if self.home is not None else home_directory()

    def called(self) -> str:
        """The name to come under: told, or remembered, or asked for if a person is there to answer.

        See `keep`.
        """
        if self.name is None and not self.has_person:
            return remembered_name(self.kept) or _login_name()
        return called(self.name, self.kept)

    def keep(self, name: str) -> None:
        """Remember the name that was come under, now that nobody else at the table has it."""
        if self.name is not None or self.has_person:
            keep_name(self.kept, name)

    def coming(self, tell: Tell, come: Callable[[str, Tell], Outcome]) -> Outcome:
        """Come to a table. If the name is in use there, another is asked for, where somebody can be.

        `come` is given the name, and whom to tell what happens. Raises what it raises.
        """
        name = self.called()

        def news(each: TableNews) -> None:
            if isinstance(each, Came) and each.guest.name == name:
                self.keep(name)
            tell(each)

        while True:
            try:
                return come(name, news)
            except NotSeated as why:
                if why.reason is not Unwelcome.NAME_TAKEN or not self.has_person:
                    raise
                name = asked_name(f"Somebody called {plain(why.detail)} sits there already. Your name here")

    @property
    def has_person(self) -> bool:
        """True if somebody is there to answer questions."""
        return not self.bot and not self.events and sys.stdin.isatty()

    @property
    def must_ask(self) -> bool:
        """True if `called` will ask for the name."""
        return self.name is None and self.has_person and remembered_name(self.kept) is None

    def plan(self, name: str, *, bind: str | None, port: int | None) -> SeatPlan:
        """Who comes under this name, for the table."""
        home = self.kept
        return SeatPlan(
            name=name,
            wish=self.wish,
            partner=self.partner,
            player=BOT if self.bot else PERSON,
            trusts=self._trusts,
            bind=bind,
            port=port,
            home=home,
            logs=self.out if self.out is not None else home / "logs",
            give_up_s=self.give_up_s,
            pace=self.bot_pace,
        )

    def plays(self, reporter: TableReporter, *, stays: bool = False) -> Plays:
        """Who plays the seat: a bot, which may stay for rematches, or the person at a screen."""
        if self.bot:
            return (kept_by if stays else played_by)(self._made_bot, reporter.watch)
        look = Look(
            is_plain=self.plain, is_ascii=self.is_ascii, colours=int(self.colours), has_tutorial=False
        )
        return shown_on(screen_for(look))

    @property
    def back(self) -> str:
        """What takes this seat again."""
        return rejoin_command(self.home, is_bot=self.bot)

    def ended(self, reporter: TableReporter, outcome: Outcome) -> Exit:
        """Say how the match ended; the exit code. Raises `CommandError`."""
        left = None
        if not self.bot:
            kept = f" Your seat is kept: `{self.back}` takes it again, with your hand."
            left = f"You have left the table.{kept if outcome.log is not None else ''}"
        return told_end(reporter, outcome, left=left, otherwise=STANDSTILL)

    def _made_bot(self, chair: Chair, chances: Random) -> Bot:
        return Bot(chair.seat, chair.players, chances, Pace(self.bot_pace), speaks_first=True)

    async def _trusts(self, name: str, was: bytes, now: bytes) -> bool:
        """Ask the person at the terminal, unless the command line has said it."""
        if folded(name) in map(folded, self.accepted):
            return True
        if self.events or not sys.stdin.isatty():
            return False
        question = (
            f"{plain(name)} was known with the key {fingerprint(was)} and comes with {fingerprint(now)} now. "
            f"Somebody else may use the name. Go on with the new key?"
        )
        return await asyncio.to_thread(click.confirm, question, default=False, err=True)
