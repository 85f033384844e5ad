"""`kemps log`: where the logs of past matches are."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.logs import read_log
from kemps_p2p.codec import frame
from kemps_p2p.errors import PeerFault
from kemps_p2p.runtime.profile import home_directory
from kemps_p2p.session.logfile import ANNEX_LEAD, Annex, Header, read_object
from kemps_p2p.wording.people import counted, listed
from kemps_p2p.wording.plain import plain

SUFFIX = ".kemps"


@dataclass(frozen=True, slots=True)
class _Log:
    """What a log says at its two ends; nothing of it is checked here."""

    path: Path
    match: str
    players: int
    names: tuple[str, ...]
    is_finished: bool
    at: datetime


_home = click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Whose logs; those in KEMPS_HOME by default.",
)


@click.group()
def log() -> None:
    """Logs of past matches. `kemps replay` tells one, `kemps audit` verifies it."""


@log.command(name="list")
@_home
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def list_logs(*, home: Path | None, as_json: bool) -> None:
    """List the logs of past matches, the latest first."""
    logs = _logs(home)
    if as_json:
        click.echo(json.dumps({"logs": [_as_json(each) for each in logs]}))
        return
    for each in logs:
        who = listed([plain(name) for name in each.names]) or counted(each.players, "player")
        ended = "" if each.is_finished else ", not finished"
        click.echo(f"{each.at:%Y-%m-%d %H:%M}  {each.path.name}  {who}{ended}")


@log.command()
@click.argument("match", default="")
@_home
def path(*, match: str, home: Path | None) -> None:
    """Print the path of the log of a match, by the beginning of its name; of the latest one by default."""
    fits = [each for each in _logs(home) if each.path.name.startswith(match)]
    if not fits:
        what = f"no log of a match {plain(match)}" if match else "no log"
        hint = "`kemps log list` lists them."
        raise CommandError(Exit.UNREADABLE, f"{what} is in {_directory(home)}", hint)
    if len({each.match for each in fits}) > 1 and match:
        raise CommandError(Exit.USAGE, f"{len(fits)} logs begin with {plain(match)}", "Say more of the name.")
    click.echo(str(fits[0].path))


def _directory(home: Path | None) -> Path:
    return (home if home is not None else home_directory()) / "logs"


def _logs(home: Path | None) -> list[_Log]:
    """Every log, the latest first. What is no log is passed over: other files may lie there."""
    found = [_read(file) for file in _directory(home).glob(f"*{SUFFIX}")]
    return sorted((each for each in found if each is not None), key=lambda each: each.at, reverse=True)


def _read(file: Path) -> _Log | None:
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
    return _Log(file, header.match.hex(), header.seats, names, last is not None, at)


def _as_json(each: _Log) -> dict[str, object]:
    return {
        "path": str(each.path),
        "match": each.match,
        "players": each.players,
        "names": list(each.names),
        "finished": each.is_finished,
        "at": each.at.isoformat(timespec="seconds"),
    }
