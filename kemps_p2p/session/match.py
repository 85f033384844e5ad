"""The state of a match at one head: what the fold carries from entry to entry, and what follows from it.

Frozen: a step makes a new one, so that a state at an earlier head stays what it was. It knows which positions
are whose and never a hidden card. Section "State" of protocol.md.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from msgspec import Struct

from kemps_p2p.codec import Digest, decode
from kemps_p2p.deck.deal import Deck, Table, is_shuffled, new_deck
from kemps_p2p.errors import Fault, Illegal, IllegalAction, PeerFault
from kemps_p2p.game.actions import Action, Kind, Next, kind
from kemps_p2p.game.conflicts import conflicts
from kemps_p2p.game.denials import proof_cards
from kemps_p2p.game.rules import deal_cards
from kemps_p2p.game.state import Phase, State, check, new_match, owed_faces
from kemps_p2p.ids import Position, Seat, Team
from kemps_p2p.ledger.entry import TapeEnd
from kemps_p2p.ledger.poll import DecidedSet, Places
from kemps_p2p.ledger.tape import Claim, Head, Signers, TapeItem
from kemps_p2p.session.genesis import Founding

PAST_ENTRIES = 256
ATTEMPT = 0
"""The first attempt at a deal. There is another for each seat that is given to a new incarnation."""
MISSING_SEED = b""
"""Stands for a seed that was not opened in time."""
JUDGED_LATER = frozenset({Illegal.NOT_IN_POOL, Illegal.NOT_IDLE})
"""What the rules say when a claim is applied: a card that is gone is missed, which is no offence; how long
the table has been idle is a matter of the time of the entry, not of the head.
"""


@dataclass(frozen=True, slots=True)
class Past:
    """What a claim may cite: a head with the rules' state there. `is_ready`: the coming deal is shuffled."""

    head: Head
    lamport: int
    game: State
    is_ready: bool


@dataclass(frozen=True, slots=True)
class Logged:
    """The last logged claim of a seat and kind: its number on the tape, and the entry that logged it."""

    number: int
    index: int


@dataclass(frozen=True, slots=True)
class OpenContest:
    """Claims found together by the entry at `index`, not yet drawn."""

    index: int
    decided: DecidedSet
    claims: Mapping[Digest, TapeItem]

    def claimants(self) -> tuple[Seat, ...]:
        """The seats that owe a coin, ascending."""
        return tuple(sorted({item.seat for item in self.claims.values()}))


@dataclass(frozen=True, slots=True)
class OpenCut:
    """Claims whose order the tapes give as the entry at `index` has closed them: `ends`, by seat."""

    index: int
    claims: Mapping[Digest, TapeItem]
    ends: tuple[TapeEnd, ...]

    @property
    def lengths(self) -> tuple[int, ...]:
        """How many items of each tape count."""
        return tuple(end.length for end in self.ends)


@dataclass(frozen=True, slots=True)
class SealedGesture:
    """A lawful gesture of the chain: the number of its item, and its seal."""

    number: int
    seal: bytes


class Match(Struct, frozen=True, kw_only=True):
    """A match at `head`. `observer`: whose word counts beside those of the seats; None once it is struck.

    `head_term`: the term of the entry at the head; `term`: that of the next, but for a take-over.
    `turned`: the item with the last logged turn of a round. `spoilt`: who loses a deal as it starts.
    `gestures`: by deal and seat, in the order of the chain. `books`: the commitments of signal books, by seat
    and by the deal that they are in force from; `opened_books`: what they hold, None for a false opening.
    `owing`: since what elapsed time each seat is waited for, for an opening or its seeds.
    `blamed`: items that have proven a fault once and do not do so again.
    `absent`: the seats that are struck, with the index of the entry that did; `voids`: the teams that have
    had a deal made void by that. `signers`: of each tape, with all incarnations so far; `seated`: the seats
    that were given to another one, with the attempt from which decks are made with its secrets; `given`: the
    largest stamp of the words that gave them. `closing`: the entry that closed the match; terms that begin
    behind it are not the same in all logs.
    """

    founding: Founding
    head: Head
    head_term: int
    lamport: int
    past: tuple[Past, ...]
    game: State
    decks: Mapping[tuple[int, int], Deck]
    turned: Mapping[tuple[int, int], Digest]
    spoilt: Mapping[int, Team]
    forfeits: frozenset[Team]
    blamed: frozenset[Digest]
    seeds: Mapping[int, Mapping[Seat, bytes | None]]
    gestures: Mapping[tuple[int, Seat], tuple[SealedGesture, ...]]
    books: Mapping[Seat, Mapping[int, Digest]]
    opened_books: Mapping[Seat, Mapping[int, tuple[str, ...] | None]]
    epoch: int
    term: int
    on_duty: Seat
    logged: Mapping[tuple[Seat, Kind], Logged]
    contests: tuple[OpenContest, ...]
    cut: OpenCut | None
    coins: tuple[bytes, ...]
    observer: Seat | None
    owing: Mapping[Seat, int]
    absent: Mapping[Seat, int]
    voids: frozenset[Team]
    signers: Signers
    seated: Mapping[Seat, int]
    given: Mapping[Seat, int]
    elapsed_ms: int
    shown_ms: int | None
    is_closed: bool
    closing: Head | None

    @property
    def seats(self) -> int:
        """How many play."""
        return self.founding.seats

    @property
    def attempt(self) -> int:
        """Which attempt at a deal begins now: one more for each incarnation that was let in."""
        return sum(len(known) - 1 for known in self.signers)

    @property
    def coming_deal(self) -> int:
        """The number of the next deal to start."""
        return self.game.deal + 1

    def asked(self, tapes: Mapping[Seat, Places]) -> dict[Seat, Places]:
        """Of some tapes those that have a word here: a struck observer's has none."""
        return {seat: places for seat, places in tapes.items() if seat < self.seats or seat == self.observer}

    def team_of(self, seat: int) -> Team:
        """The team of a seat."""
        return Team(seat % (self.seats // 2))


def begin(founding: Founding) -> Match:
    """The state at genesis."""
    dealer = founding.first_dealer
    game = new_match(founding.rules, founding.seats, dealer, founding.genesis.matches)
    head = Head(index=0, digest=founding.match)
    return Match(
        founding=founding,
        head=head,
        head_term=0,
        lamport=0,
        past=(Past(head, 0, game, False),),
        game=game,
        decks={},
        turned={},
        spoilt={},
        forfeits=frozenset(),
        blamed=frozenset(),
        seeds={},
        gestures={},
        books={},
        opened_books={},
        epoch=0,
        term=0,
        on_duty=dealer,
        logged={},
        contests=(),
        cut=None,
        coins=tuple(seat.coin for seat in founding.genesis.seats),
        observer=founding.observer,
        owing={},
        absent={},
        voids=frozenset(),
        signers=founding.signers,
        seated={},
        given={},
        elapsed_ms=0,
        shown_ms=None,
        is_closed=False,
        closing=None,
    )


def fresh_deck(match: Match, deal: int) -> Deck:
    """The deck of a deal before any key."""
    table = Table(match.founding.group, match.founding.match, deal, match.attempt, match.seats)
    return new_deck(table, deal_cards(match.founding.rules, match.seats))


def attempt_of(match: Match, deal: int) -> int:
    """The attempt of a deal: that of its deck, or the one that would begin now."""
    deck = match.decks.get((deal, 0))
    return match.attempt if deck is None else deck.table.attempt


def rounds(match: Match, deal: int) -> list[Deck]:
    """The decks of a deal, by round."""
    found: list[Deck] = []
    while (deck := match.decks.get((deal, len(found)))) is not None:
        found.append(deck)
    return found


def deck_of(match: Match, position: Position) -> Deck | None:
    """The deck in which a position of the running deal lies; None if there is none."""
    round_ = 0
    while (deck := match.decks.get((match.game.deal, round_))) is not None:
        if position in deck.positions:
            return deck
        round_ += 1
    return None


def owed_public(game: State) -> frozenset[Position]:
    """The positions whose faces everybody must be able to see now, to show them or to prove a denial."""
    return owed_faces(game) | proof_cards(game)


def is_ready(match: Match) -> bool:
    """True if the coming deal can start: all are there, and its deck is shuffled, or lost already."""
    if is_over(match) or match.absent:
        return False
    if match.coming_deal in match.spoilt:
        return True
    deck = match.decks.get((match.coming_deal, 0))
    return deck is not None and is_shuffled(deck)


def is_over(match: Match) -> bool:
    """True if the rules or a forfeit have ended the match."""
    return match.game.phase is Phase.MATCH_OVER


def action_of(item: TapeItem, claim: Claim) -> Action:
    """What a claim asks for. Raises `PeerFault` BAD_CLAIM with the claimant as culprit."""
    try:
        return _read_action(claim.action)
    except PeerFault as fault:
        raise PeerFault(Fault.BAD_CLAIM, fault.text, culprit=item.seat) from None


@lru_cache(maxsize=1024)
def _read_action(data: bytes) -> Action:
    """A claim is asked what it wants by everything that touches it: its bytes are read once."""
    return decode(data, Action)  # type: ignore[arg-type]  # a union is no type object


def past_at(match: Match, index: int) -> Past | None:
    """What the match was at an earlier head; None if that is longer ago than a claim may cite."""
    first = match.past[0].head.index
    return match.past[index - first] if first <= index <= match.head.index else None


def first_citable(match: Match) -> int:
    """The index of the oldest head that a claim may cite: of the running deal, and not too long ago.

    Positions come again with every deal, so that a claim made in one would touch other cards in the next.
    """
    first = bisect_left(match.past, match.game.deal, key=lambda past: past.game.deal)
    return match.past[first].head.index if first < len(match.past) else match.head.index + 1


def is_stale(match: Match, claim: Claim) -> bool:
    """True if the head that a claim cites is too old by now: it is refused and holds nothing up."""
    return claim.head.index < first_citable(match)


def refusal(match: Match, item: TapeItem, claim: Claim) -> Illegal | None:
    """Why the claim is refused at the head it cites; None if it is a lawful wish.

    Raises `PeerFault` BAD_CLAIM if it cites an entry of another chain or one that does not exist.
    """
    action = action_of(item, claim)
    if claim.head.index > match.head.index:
        raise PeerFault(Fault.BAD_CLAIM, "a claim against an entry that is not there", culprit=item.seat)
    past = past_at(match, claim.head.index)
    if past is None:
        return Illegal.STALE
    if past.head.digest != claim.head.digest:
        raise PeerFault(Fault.BAD_CLAIM, "a claim against another chain", culprit=item.seat)
    if item.item.lamport <= past.lamport:
        raise PeerFault(Fault.BAD_STAMP, "a claim is stamped before the entry it cites", culprit=item.seat)
    if is_stale(match, claim):
        return Illegal.STALE
    if kind(action) is not Kind.FREE:
        last = match.logged.get((item.seat, kind(action)))
        if last is not None and last.index > claim.head.index:
            return Illegal.TOO_SOON
    if isinstance(action, Next) and not past.is_ready:
        return Illegal.NOT_READY
    try:
        check(past.game, item.seat, action)
    except IllegalAction as illegal:
        return None if illegal.reason in JUDGED_LATER else illegal.reason
    return None


def do_conflict(match: Match, a: tuple[Seat, Action], b: tuple[Seat, Action]) -> bool:
    """True if the rules do not let the two claims commute."""
    return conflicts(match.founding.rules, match.seats, a, b)
