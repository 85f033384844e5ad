"""`kemps id`: the own identity, and the players that are known."""

import json
from pathlib import Path

import click

from kemps_p2p.cli.errors import CommandError, Exit
from kemps_p2p.cli.homes import home_directory
from kemps_p2p.cli.options import with_home, with_json
from kemps_p2p.cli.saying import say
from kemps_p2p.runtime.known import KnownPlayers
from kemps_p2p.runtime.profile import own_identity
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.words import fingerprint


@click.command(name="id", short_help="Show the own key, and whom this machine knows.")
@click.option("--forget", default=None, metavar="NAME", help="Forget a player, so that any key is new again.")
@with_home("Where the identity is kept; KEMPS_HOME by default.")
@with_json
def own_id(*, forget: str | None, home: Path | None, as_json: bool) -> None:
    """Show the fingerprint of the own identity key, and those of the players that are known.

    A player who comes with another key than before is not let in until you say so. Compare fingerprints on
    another way, by telephone for one.
    """
    kept = home if home is not None else home_directory()
    identity = own_identity(kept)
    known = KnownPlayers(kept)
    if forget is not None and not known.forget(forget):
        raise CommandError(Exit.USAGE, f"nobody called {plain(forget)} is known", "`kemps id` lists who is.")
    players = [(player.name, bytes.fromhex(player.key)) for player in known.players]
    if as_json:
        told = [{"name": name, "fingerprint": fingerprint(key), "key": key.hex()} for name, key in players]
        own = {"fingerprint": fingerprint(identity.public), "key": identity.public.hex(), "home": str(kept)}
        click.echo(json.dumps({**own, "known": told}))
        return
    say(f"{fingerprint(identity.public)}  you, in {kept}")
    for name, key in players:
        say(f"{fingerprint(key)}  {plain(name)}")
