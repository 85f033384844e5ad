"""Walk-overs: what a team signs when all others have fallen silent and no quorum is left to go on.

A statement beside the log, no entry of it: it is the word of those who sign it, since silence cannot be
proven. Pure. Invariants:

1. A walk-over is of one match, one last final entry, and all seats of the other teams.
2. What several come to is the same whoever reads them, in whatever order.

Section "Walk-over" of protocol.md.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from kemps_p2p.codec import Digest, Record, decode, encode
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.seating import members, seats, team_of
from kemps_p2p.ids import Seat, Team
from kemps_p2p.ledger.identity import Identity, verify
from kemps_p2p.ledger.tape import Head
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.messages import WalkOver
from kemps_p2p.session.presence import Away

WALK_OVER_LABEL = "kemps/v1/walk-over"
SUFFIX = ".walkover"
"""Of the file beside a log that holds the walk-overs, each as it is sent, back to back."""
WALK_OVERS_MAX = 32
"""How many of one seat are kept: each new one is written beside the log."""
WALK_OVER_MS = 60_000
"""How long nothing has been heard of the other teams before one signs."""


class Silence(Record, frozen=True):
    """What a walk-over says: of whom nothing was heard, for how long, and after which final entry.

    `wall_ms`: since 1970 by the clock of who signs.
    """

    match: bytes
    seat: int
    head: Head
    silent: tuple[int, ...]
    silent_ms: int
    wall_ms: int


def others(seat: Seat, players: int) -> tuple[Seat, ...]:
    """The seats of all teams but one's own."""
    own = team_of(seat, players)
    return tuple(other for other in seats(players) if team_of(other, players) != own)


def silent_teams(seat: Seat, players: int, away: Collection[Away]) -> tuple[Seat, ...]:
    """Against whom a seat can sign: all others, if nothing was heard of them for so long; else nobody.

    While its partner is away too, it has nobody to go by.
    """
    gone = {each.seat for each in away if each.for_ms >= WALK_OVER_MS}
    wanted = others(seat, players)
    partners = set(members(team_of(seat, players), players)) - {seat}
    is_one_sided = gone.issuperset(wanted) and not partners.intersection(each.seat for each in away)
    return wanted if is_one_sided else ()


def sign_silence(identity: Identity, silence: Silence) -> WalkOver:
    """A walk-over, as it is sent and kept."""
    raw = encode(silence)
    return WalkOver(raw=raw, signature=identity.sign(WALK_OVER_LABEL, raw))


def read_walk_over(walk_over: WalkOver, founding: Founding) -> Silence:
    """What a seat of this match has signed. Raises `PeerFault`, with the culprit once it is known."""
    silence = decode(walk_over.raw, Silence)
    if silence.match != founding.match:
        raise PeerFault(Fault.WRONG_MATCH, "a walk-over of another match")
    if not 0 <= silence.seat < founding.seats:
        raise PeerFault(Fault.WRONG_SEAT, "a walk-over of a seat that is not there")
    verify(founding.keys[silence.seat], WALK_OVER_LABEL, walk_over.raw, walk_over.signature)
    is_all_others = silence.silent == others(Seat(silence.seat), founding.seats)
    if not is_all_others or silence.head.index < 0 or silence.silent_ms < WALK_OVER_MS:
        raise PeerFault(Fault.MALFORMED, "a walk-over that nobody can sign", culprit=silence.seat)
    return silence


class WalkOvers:
    """Those that one peer has heard, its own among them."""

    def __init__(self, identity: Identity, seat: Seat) -> None:
        self._identity, self._seat = identity, seat
        self._said: dict[Seat, WalkOver] = {}
        self._count: Counter[Seat] = Counter()

    @property
    def own(self) -> WalkOver | None:
        """What the own seat has signed last."""
        return self._said.get(self._seat)

    def sign(self, founding: Founding, head: Head, away: Collection[Away], wall_ms: int) -> WalkOver | None:
        """Sign one after this last final entry; None while the others are not silent."""
        silent = silent_teams(self._seat, founding.seats, away)
        if not silent:
            return None
        span_ms = min(each.for_ms for each in away if each.seat in silent)
        silence = Silence(
            match=founding.match,
            seat=self._seat,
            head=head,
            silent=silent,
            silent_ms=span_ms,
            wall_ms=wall_ms,
        )
        return sign_silence(self._identity, silence)

    def is_news(self, said: WalkOver, founding: Founding) -> bool:
        """Take one in. Raises `PeerFault` for one that no honest seat signs."""
        seat = Seat(read_walk_over(said, founding).seat)
        if self._said.get(seat) == said or self._count[seat] >= WALK_OVERS_MAX:
            return False
        self._count[seat] += 1
        self._said[seat] = said
        return True

    def is_joint(self, founding: Founding) -> bool:
        """True once all of the own team have signed."""
        return self._said.keys() >= set(members(team_of(self._seat, founding.seats), founding.seats))


@dataclass(frozen=True, slots=True)
class Standing:
    """What the walk-overs of one team come to. `by`: who has signed; `last`: the latest of what they say.

    `is_joint`: all of the team have. `is_disputed`: another team has signed as well. `went_on`: the log has
    final entries after the one that it names, so it was not the end. `is_elsewhere`: the log has another
    entry there.
    """

    team: Team
    by: tuple[Seat, ...]
    last: Silence
    is_joint: bool
    is_disputed: bool
    went_on: bool
    is_elsewhere: bool


def standings(founding: Founding, heads: Sequence[Digest], said: Iterable[Silence]) -> tuple[Standing, ...]:
    """What walk-overs come to, by team. `heads`: the digests of the entries that hold, of genesis first."""
    by_team: dict[Team, dict[int, Silence]] = {}
    for silence in sorted(said, key=lambda each: (each.head.index, each.wall_ms)):
        by_team.setdefault(team_of(Seat(silence.seat), founding.seats), {})[silence.seat] = silence
    found = []
    for team, signed in sorted(by_team.items()):
        last = max(signed.values(), key=lambda each: (each.head.index, each.wall_ms))
        place = last.head.index
        found.append(
            Standing(
                team=team,
                by=tuple(map(Seat, sorted(signed))),
                last=last,
                is_joint=set(signed) == set(members(team, founding.seats)),
                is_disputed=len(by_team) > 1,
                went_on=len(heads) > place + 1,
                is_elsewhere=place < len(heads) and heads[place] != last.head.digest,
            )
        )
    return tuple(found)
