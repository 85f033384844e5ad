"""All that one repaint draws: what the seat sees, what is chosen, and what has just happened.

Taken anew from the sitting for every repaint; knows no sheet and no terminal.
"""

from dataclasses import dataclass
from pathlib import Path

from kemps_p2p.game.rules import RuleSet
from kemps_p2p.game.seating import team_of
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position, Seat, Team
from kemps_p2p.session.messages import Want
from kemps_p2p.session.presence import Away
from kemps_p2p.session.standin import ReadOffer
from kemps_p2p.session.waiting import Waiting, What
from kemps_p2p.tui.calling import Draft
from kemps_p2p.tui.recent import Recent
from kemps_p2p.wording.people import People
from kemps_p2p.wording.scene import Scene


@dataclass(slots=True)
class Switches:
    """What the person has switched on."""

    has_bell: bool = True
    has_flash: bool = True
    is_expressing: bool = False
    """The gestures are laid out to choose from."""
    pool_turn: int = 0
    """How often the keys of the pool were turned on to the next cards of a long row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """One look at a match that has begun. `can`: keys that would do something now."""

    seat: Seat
    partner: Seat
    people: People
    owners: People
    """Whose the seats are, whoever plays there now."""
    words: str
    view: SeatView
    pool: tuple[Position | None, ...]
    hand: tuple[Position | None, ...]
    scene: Scene
    waits: tuple[Waiting, ...]
    wants: tuple[Want, ...]
    away: tuple[Away, ...]
    can_vote_absent: tuple[Seat, ...]
    can_offer: tuple[Seat, ...]
    """For whom this person may offer a bot."""
    offers: tuple[ReadOffer, ...]
    """What bots others offer, and this person has not agreed to."""
    silent_teams: tuple[Seat, ...]
    """Against whom a walk-over can be signed now."""
    is_looking_on: bool
    """A bot still plays this deal for the person, who is back."""
    is_paused: bool
    is_held: bool
    """The break is this seat's own: it talks to its partner, and goes on when it is ready."""
    signal: str | None
    """The gesture that tells of a quartet: it is agreed on, or the partner has proposed it."""
    agreed: str | None
    offered: str | None
    """What the partner has proposed, or asked, and this seat not agreed to."""
    proposed: str | None
    """What this seat has proposed, and the partner not agreed to."""
    has_returned: bool
    """An earlier process of this seat has seen the match begin."""
    book: tuple[str, ...] | None
    """The signals that this seat has sealed last."""
    lost_books: tuple[int, ...]
    """From which deals own books are in force that cannot be opened any more."""
    can_seal: bool
    has_bots: bool
    """Bots of this person's own sit at the table, and leave it with the person."""
    rematch: tuple[Seat, ...]
    """Who has sat down for another match, once this one is over."""
    gone: tuple[Seat, ...]
    """Who has left the table, before the match was over or after it."""
    is_closed: bool
    log: Path | None
    take: tuple[Position, ...]
    give: tuple[Position, ...]
    draft: Draft | None
    targets: tuple[Seat, ...]
    watched: Seat
    can: frozenset[str]
    recent: Recent
    switches: Switches
    now_ms: int

    @property
    def players(self) -> int:
        """How many sit at the table."""
        return self.view.players

    @property
    def rules(self) -> RuleSet:
        """The rules of the table."""
        return self.view.rules

    @property
    def team(self) -> Team:
        """The own team."""
        return team_of(self.seat, self.players)

    def is_asked(self, what: What) -> bool:
        """True if the table waits for this seat to do that."""
        return any(wait.what is what and self.seat in wait.seats for wait in self.waits)
