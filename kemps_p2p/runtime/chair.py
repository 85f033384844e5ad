"""All that one peer needs to play at its seat of a table that has met, match after match.

A match and its rematches have the same peers, seats and carriers; only secrets and files are new each time.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kemps_p2p.bots.player import Player
from kemps_p2p.codec import Digest
from kemps_p2p.deck.group import RISTRETTO
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.carrier import Carrier
from kemps_p2p.runtime.meeting import Table
from kemps_p2p.runtime.profile import MatchFiles, Paths, new_match_files
from kemps_p2p.runtime.runner import Outcome, Runner
from kemps_p2p.runtime.standing import StandIns
from kemps_p2p.runtime.store import make_directory
from kemps_p2p.runtime.transport import now_ms, wall_ms
from kemps_p2p.runtime.wayback import Unfinished, WayBack, log_name
from kemps_p2p.runtime.ways import LetIn, nobody_else
from kemps_p2p.session import effects as fx
from kemps_p2p.session.genesis import NO_MATCH
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.session import Session

Watch = Callable[[Session, fx.Sight], None]


@dataclass(frozen=True, slots=True)
class Before:
    """The matches that a table has finished: how many, and the head at which the last one was closed."""

    matches: int
    head: Digest


FIRST = Before(0, NO_MATCH)


def after(session: Session) -> Before:
    """What a rematch of a finished match starts from."""
    match = session.play.final
    assert match.closing is not None, "a match that was not finished has no rematch"
    return Before(match.founding.genesis.matches + 1, match.closing.digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chair:
    """Who sits where, with whom and by which rules. `home` takes secrets and journals, `logs` the logs.

    `way_back`: how the others reach this process, for one that comes back after it; None at a table in one
    process. `returning`: what an earlier process has left here, to go on with.
    `came`: the names under which the peers came to the table, by seat, where they are known before the match.
    `has_bots`: bots of this process or of its own sit at the table, and end with it.
    `let_in`: lets in who stands in for a player; `stand_ins`: runs those of this seat, None where it cannot.
    `group`: what hides the cards; another than the default hides nothing, and no audit calls it clean.
    """

    identity: Identity
    seat: Seat
    table: Table
    carrier: Carrier
    name: str
    rules: RuleSet
    home: Path
    logs: Path
    give_up_ms: int
    group: str = RISTRETTO.name
    way_back: WayBack | None = None
    returning: Unfinished | None = None
    came: tuple[str, ...] = ()
    has_bots: bool = False
    let_in: LetIn = nobody_else
    stand_ins: StandIns | None = None

    @property
    def players(self) -> int:
        """How many sit at the table, without an observer."""
        return len(self.table.roster)

    def log_path(self, match: str) -> Path:
        """Where the log of a match goes; `match` is its id in hexadecimal digits."""
        return self.logs / log_name(match, self.seat, self.players)

    def sit(self, player: Player, watch: Watch, before: Before = FIRST) -> tuple[Session, Runner]:
        """The machine and the runner of one match; `before` says what came before if it is a rematch.

        The secret of the match is on disk when this returns. Raises `RuntimeFault`.
        """
        make_directory(self.logs)
        found = self.returning if before == FIRST else None
        if found is not None:
            if found.journal is None:
                session = Session(found.setup)
                session.go_on_with(found.logged)
            else:
                session = Session.restored(found.setup, found.journal, found.logged, now_ms(), wall_ms())
            return session, self._runner(session, found.files, player, watch)
        files = new_match_files(self.home)
        setup = Setup(
            identity=self.identity,
            seat=self.seat,
            roster=self.table.roster,
            meeting=self.table.digest,
            name=self.name,
            rules=self.rules,
            group=self.group,
            secret=files.secret,
            previous=before.head,
            matches=before.matches,
            # A rematch is among the seats alone: whoever watched need not stay for it.
            observer=self.table.observer if before == FIRST else None,
        )
        if self.way_back is not None:
            self.way_back.keep(files, setup, self.table, self.logs)
        session = Session(setup)
        return session, self._runner(session, files, player, watch)

    def _runner(self, session: Session, files: MatchFiles, player: Player, watch: Watch) -> Runner:
        return Runner(
            session,
            self.carrier,
            curves=self.table.curves,
            paths=Paths(
                files.journal, self.log_path, files.sign, partial(files.seat.unlink, missing_ok=True)
            ),
            player=player,
            watch=lambda sight: watch(session, sight),
            give_up_ms=self.give_up_ms,
            let_in=self.let_in,
        )


Plays = Callable[[Chair], Awaitable[Outcome]]
"""Whoever plays a seat: it sits down on the chair, plays, and tells how it went."""
