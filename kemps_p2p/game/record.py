"""The records of the game: the state, what waits in it, and what an input gives back.

The state holds only what the whole table knows: cards are positions, and a face is here only once it is
public. It knows no peers, keys, bytes or clocks. Invariants:

1. Every position of the deal lies in exactly one of hands, pool, stock and swept.
2. A hand has four cards; three between the halves of a `discard-first` exchange; none while its
   mulligan waits for the swept cards to be shuffled back.
3. The pool is what lies in the middle; a pool card without a face in `faces` lies face down.
4. Everything in a state is immutable by agreement: `faces` is a dict that nobody changes in place.
"""

from collections.abc import Mapping
from enum import Enum, StrEnum

import msgspec

from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Action, Admit, CallItem, Deny
from kemps_p2p.game.cards import Card
from kemps_p2p.game.events import DealEnd, Event
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.seating import seats
from kemps_p2p.ids import Position, Seat, Team


class Phase(StrEnum):
    """Where a match stands."""

    SEATED = "seated"
    """Nothing dealt yet."""
    DEALT = "dealt"
    """Cards lie, play has not opened; also after every sweep."""
    OPEN = "open"
    HALTED = "halted"
    PROVING = "proving"
    """The cards have stopped; denials must be proven before the deal is scored."""
    DEAL_OVER = "deal-over"
    MATCH_OVER = "match-over"


BETWEEN_DEALS = frozenset({Phase.SEATED, Phase.DEAL_OVER, Phase.MATCH_OVER})


class Recycle(Enum):
    """What waits for the swept cards to be shuffled back."""

    NOTHING = "nothing"
    POOL = "pool"
    MULLIGAN = "mulligan"


class Result(StrEnum):
    """What became of an input."""

    OK = "ok"
    MISSED = "missed"
    REFUSED = "refused"


class CalledHand(msgspec.Struct, frozen=True):
    """A hand as it was called."""

    seat: Seat
    cards: tuple[Position, ...]


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A declaration that waits for answers or faces."""

    seat: Seat
    calls: tuple[CallItem, ...]
    hands: tuple[CalledHand, ...]
    answers: Mapping[Seat, Admit | Deny] = {}
    unopened: frozenset[Seat] = frozenset()
    """Seats that did not open in time: a quartet for opponents' calls, none for their own team's."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A declaration of this deal that has been scored, with what is needed to score it anew."""

    seat: Seat
    calls: tuple[CallItem, ...]
    quartets: frozenset[Seat]
    denied: tuple[CalledHand, ...]
    """Hands whose denial was only stated."""
    group: int
    """Index of the first declaration that was settled as simultaneous with this one."""


class Waiting(msgspec.Struct, frozen=True):
    """An action whose turn has not come. `index` counts the members of its set; 0 begins another set."""

    index: int
    seat: Seat
    action: Action


class State(msgspec.Struct, frozen=True, kw_only=True):
    """A match as the whole table knows it."""

    rules: RuleSet
    players: int
    matches: int
    """Matches that this table finished before."""
    deal: int = -1
    """Index of the deal under way, or of the last one; -1 before the first."""
    deals: int = 0
    """Deals of this match that are over and count."""
    dealer: Seat
    """Of the deal under way, or of the last one; before the first deal, who will deal it."""
    phase: Phase = Phase.SEATED
    started: bool = False
    """Play has opened in this deal: no more mulligans."""
    scores: tuple[int, ...]
    deal_scores: tuple[int, ...]
    """The scores as this deal started."""
    playoff: bool = False
    """The deal under way, or the coming one, is a playoff."""
    winners: tuple[Team, ...] = ()
    hands: tuple[tuple[Position, ...], ...] = ()
    pool: tuple[Position, ...] = ()
    stock: tuple[Position, ...] = ()
    """Top card first."""
    swept: tuple[Position, ...] = ()
    faces: Mapping[Position, Card] = {}
    """Every face that has been public in this deal, wherever the card lies now."""
    shown: frozenset[Position] = frozenset()
    """Hand cards that lie face up since a call ended the deal."""
    next_position: Position = Position(0)
    passes: frozenset[Seat] = frozenset()
    turn: Seat | None = None
    barred: frozenset[Seat] = frozenset()
    signalled: frozenset[Seat] = frozenset()
    mulligans: tuple[Seat, ...] = ()
    """Seats whose hand is to be shown for a mulligan, in order."""
    recycle: Recycle = Recycle.NOTHING
    pending: Pending | None = None
    waiting: tuple[Waiting, ...] = ()
    group: int | None = None
    """While declarations score as simultaneous: the index of the first of them."""
    gathering: bool = False
    """More actions of a together-set are to come, one input each: its group is not closed yet."""
    ending: bool = False
    """A declaration of the group has ended the deal; the rest of the group is still scored."""
    judged: tuple[Judged, ...] = ()
    proving: DealEnd | None = None
    """Why the deal ends, once it does: denials are proven first."""
    unproven: frozenset[Seat] = frozenset()
    """Seats that did not prove a denial in time."""
    verdicts: tuple[Verdict, ...] = ()
    """Of the last declaration of this deal."""
    now_ms: int = 0
    idle_since_ms: int = 0
    turn_since_ms: int = 0


class Applied(msgspec.Struct, frozen=True):
    """What an input gives back: the state after it, and what happened, in order."""

    state: State
    result: Result
    reason: Illegal | None
    events: tuple[Event, ...]


class Together(Applied, frozen=True):
    """What a set of actions gives back. `results` by action; None for one that waits behind a call."""

    results: tuple[Result | None, ...]


replace = msgspec.structs.replace


def new_match(rules: RuleSet, players: int, first_dealer: Seat, matches: int = 0) -> State:
    """A table before its first deal; the first `Next` by `first_dealer` starts deal 0."""
    scores = (0,) * (players // 2)
    return State(
        rules=rules, players=players, matches=matches, dealer=first_dealer, scores=scores, deal_scores=scores
    )


def face_down(state: State) -> frozenset[Position]:
    """The pool cards that nobody has seen yet."""
    faces = state.faces
    return frozenset(card for card in state.pool if card not in faces)


def is_running(state: State) -> bool:
    """True from the start of a deal until its end is decided."""
    return state.phase not in BETWEEN_DEALS


def all_seats(state: State) -> tuple[Seat, ...]:
    """All seats of the table, clockwise from 0."""
    return seats(state.players)
