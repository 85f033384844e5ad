"""`kemps log`: the logs of past matches: where they are, what they are, and copies of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.homes import home_directory
from kemps_p2p.cli.logs import SUFFIX, kept_log, log_directory, read_log, with_logs_home
from kemps_p2p.cli.options import with_json
from kemps_p2p.cli.saying import say
from kemps_p2p.codec import frame
from kemps_p2p.errors import PeerFault
from kemps_p2p.runtime.wayback import Begun, begun_matches
from kemps_p2p.session.logfile import ANNEX_LEAD, Annex, Header, read_object, version_of
from kemps_p2p.session.messages import PROTOCOL_VERSION
from kemps_p2p.wording.people import counted, listed
from kemps_p2p.wording.plain import plain

if TYPE_CHECKING:
    from kemps_p2p.report.log_card import LogCard


@dataclass(frozen=True, slots=True)
class _Log:
    """What a log says at its two ends; nothing of it is checked here.

    `begun`: what is remembered of its match besides.
    """

    path: Path
    match: str
    players: int
    names: tuple[str, ...]
    is_finished: bool
    begun: Begun | None
    at: datetime


@click.group()
def log() -> None:
    """Logs of past matches. `kemps replay` tells one, `kemps audit` verifies it.

    LOG is a file, or the beginning of the name of one that `kemps log list` lists; the latest one by default.
    """


@log.command(name="list")
@with_logs_home
@with_json
def list_logs(*, home: Path | None, as_json: bool) -> None:
    """List the logs of past matches, the latest first."""
    logs = _logs(home)
    if as_json:
        click.echo(json.dumps({"logs": [_as_json(each) for each in logs]}))
        return
    for each in logs:
        who = listed([plain(name) for name in each.names]) or counted(each.players, "player")
        say(f"{each.at:%Y-%m-%d %H:%M}  {each.path.name}  {who}{_ended_text(each)}")
    where = log_directory(home)
    if logs:
        say(f"in {where}; `kemps audit NAME` checks one, `kemps replay NAME` tells it")
    else:
        say(f"no logs yet in {where}")


@log.command()
@click.argument("match", default="")
@with_logs_home
def path(*, match: str, home: Path | None) -> None:
    """Print the path of the log of a match, by the beginning of its name; of the latest one by default."""
    click.echo(str(_kept(match, home)))


_log = click.argument("told", metavar="[LOG]", default="")


@log.command()
@_log
@with_logs_home
@with_json
def show(*, told: str, home: Path | None, as_json: bool) -> None:
    """Say what a log is: match, players, rules, length, end. Nothing is checked; `kemps audit` does that."""
    from kemps_p2p.report.log_card import card_json, card_lines

    file = _named(told, home)
    card = _card(file, read_log(file))
    if as_json:
        click.echo(json.dumps({"path": str(file), **card_json(card)}))
        return
    say(str(file))
    for line in card_lines(card):
        say(f"  {line}")
    say("  so the file says of itself: `kemps audit` checks it")


@log.command()
@_log
@with_logs_home
def export(*, told: str, home: Path | None) -> None:
    """Print every record of a log as JSON, an object a line, for programs that do not read MessagePack.

    Fields are those of protocol.md; bytes are hexadecimal. Nothing is checked.
    """
    from kemps_p2p.report.export import exported

    for record in exported(read_log(_named(told, home))):
        click.echo(json.dumps(record))


@log.command()
@_log
@click.argument("out", required=False, type=click.Path(dir_okay=False, path_type=Path))
@with_logs_home
def redact(*, told: str, out: Path | None, home: Path | None) -> None:
    """Write a copy of a log without the names of the players, for OUT or beside it: as clean as the log.

    Seats go by their numbers in it. Keys stay, and they are the same in every match of a player; so does what
    was said at the table.
    """
    from kemps_p2p.runtime.files import write_new
    from kemps_p2p.session.logfile import without_names

    file = _named(told, home)
    data = read_log(file)
    card = _card(file, data)
    to = out if out is not None else file.with_name(f"{file.stem}-without-names{SUFFIX}")
    write_new(to, without_names(data))
    say(f"{to}: without names; the keys of the players are still in it")
    if card.speech_count:
        say(f"{counted(card.speech_count, 'line')} of what was said at the table stay as they are")


@log.command()
@click.argument("told", metavar="[LOG]...", nargs=-1)
@with_logs_home
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("kemps-report.zip"),
    show_default=True,
    help="The file to write.",
)
@click.option("--names", "with_names", is_flag=True, help="Leave the names of the players in it.")
def bundle(*, told: tuple[str, ...], home: Path | None, out: Path, with_names: bool) -> None:
    """Write what a report of a bug needs into one zip file: logs, their audit, versions, platform, settings.

    No keys, no secrets of a match and no names of players are in it. Look into it before you send it.
    """
    from kemps_p2p.cli.logs import progress
    from kemps_p2p.report.audit_text import audit_json
    from kemps_p2p.runtime.bundle import bundle as bundled
    from kemps_p2p.runtime.files import write_new
    from kemps_p2p.session.audit import audit_all
    from kemps_p2p.session.logfile import without_names
    from kemps_p2p.session.walkover import SUFFIX as WALK_OVERS

    files = [_named(each, home) for each in told or ("",)]
    logs = {f"{place}{SUFFIX}": read_log(file) for place, file in enumerate(files, start=1)}
    kept = logs if with_names else {name: without_names(data) for name, data in logs.items()}
    sides = ((f"{place}{WALK_OVERS}", file.with_suffix(WALK_OVERS)) for place, file in enumerate(files, 1))
    beside = {name: read_log(side) for name, side in sides if side.is_file()}
    with progress("checking") as shown:
        joint = audit_all(list(kept.values()), allow_stub=True, progress=shown)
    where = home if home is not None else home_directory()
    write_new(out, bundled(kept | beside, where, audit_json(joint, list(kept)), with_names=with_names))
    say(f"{out}: {counted(len(kept), 'log')}, their audit ({joint.verdict.value}), versions, settings")
    say("no keys and no secrets are in it" + ("" if with_names else ", and no names of players"))


def _card(file: Path, data: bytes) -> "LogCard":
    """What a log says of itself. Raises `CommandError` if it is none, or of a later version."""
    from kemps_p2p.report.log_card import card_of

    card = card_of(data)
    if card is not None:
        return card
    if any((version_of(first) or 0) > PROTOCOL_VERSION for first in frame(data).objects[:1]):
        text = f"{file} was written by a newer version of this program"
        raise CommandError(Exit.OTHER_VERSION, text, "Update it and try again.")
    raise CommandError(Exit.UNREADABLE, f"{file} is no log of a match", "`kemps audit` says more.")


def _ended_text(each: _Log) -> str:
    if each.is_finished:
        return ""
    if each.begun is None:
        return ", not finished"
    return ", not finished: `kemps rejoin` goes on" if each.begun.has_way_back else ", abandoned"


def _named(told: str, home: Path | None) -> Path:
    """The file of this name, or the kept log whose name begins so. Raises `CommandError`."""
    return Path(told) if told and Path(told).is_file() else _kept(told, home)


def _kept(match: str, home: Path | None) -> Path:
    """The kept log whose name begins so, the latest without one. Raises `CommandError`."""
    kept = kept_log(match, home) if match else next((each.path for each in _logs(home)), None)
    if kept is None:
        what = f"no log of a match {plain(match)}" if match else "no log"
        file = Path(match + SUFFIX)
        hint = f"Is {file} meant, which is here?" if file.is_file() else "`kemps log list` lists them."
        raise CommandError(Exit.UNREADABLE, f"{what} is in {log_directory(home)}", hint)
    return kept


def _logs(home: Path | None) -> list[_Log]:
    """Every log, the latest first. What is no log is passed over: other files may lie there."""
    begun = begun_matches(home if home is not None else home_directory())
    found = [_read(file, begun) for file in log_directory(home).glob(f"*{SUFFIX}")]
    return sorted((each for each in found if each is not None), key=lambda each: each.at, reverse=True)


def _read(file: Path, begun: Mapping[str, Begun]) -> _Log | None:
    objects = frame(read_log(file)).objects
    if not objects:
        return None
    try:
        header = read_object(objects[0])
        last = read_object(objects[-1]) if objects[-1].startswith(ANNEX_LEAD) else None
    except PeerFault:
        return None
    if not isinstance(header, Header):
        return None
    # Behind the names of the seats may come that of an observer.
    names = tuple(name for name, _ in last.names)[: header.seats] if isinstance(last, Annex) else ()
    at = datetime.fromtimestamp(file.stat().st_mtime, UTC).astimezone()
    match = header.match.hex()
    known = begun.get(match)
    names = names or (() if known is None else known.names)
    return _Log(file, match, header.seats, names, last is not None, known, at)


def _as_json(each: _Log) -> dict[str, object]:
    return {
        "path": str(each.path),
        "match": each.match,
        "players": each.players,
        "names": list(each.names),
        "finished": each.is_finished,
        "at": each.at.isoformat(timespec="seconds"),
    }
