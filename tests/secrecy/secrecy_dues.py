"""When each card becomes due to be known, and what is public of a deck: read off one seat's log.

The moments come from what the rules say has happened (who was dealt what, what was put down, which hands a
call named), not from what the program thinks that it owes. A seat's log holds what is final at that seat,
which is all that this seat may go by.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from secrecy_record import Trace, log_objects

from kemps_p2p.game import events as happened
from kemps_p2p.game.actions import Admit, Deny
from kemps_p2p.game.rules import Reveal, deal_cards
from kemps_p2p.game.scoring import named_seats
from kemps_p2p.game.state import Phase, State
from kemps_p2p.ids import Position
from kemps_p2p.ledger.entry import LogRecord
from kemps_p2p.session.fold import Proofs, open_record
from kemps_p2p.session.genesis import Founding, SignedGenesis, found
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.match import Match, begin
from kemps_p2p.session.replay import step_by_event

ROUND_0 = 0


@dataclass
class Dues:
    """What a table knows of the cards, as far as one seat has got.

    `decks`: by deal and round, the cards in pack order and the first position. `all_know`, `hand_of`: by deal
    and position, when its face is due to everybody, and from when on it lay in whose hands.
    """

    founding: Founding
    decks: dict[tuple[int, int], tuple[tuple[int, ...], int]] = field(default_factory=dict)
    all_know: dict[tuple[int, int], int] = field(default_factory=dict)
    hand_of: dict[tuple[int, int], dict[int, int]] = field(default_factory=dict)
    over_at: int | None = None

    def against(self, honest: int) -> dict[tuple[int, int], int]:
        """When each card is due to the others together: face up, or in a hand of one of them."""
        due = dict(self.all_know)
        for place, owners in self.hand_of.items():
            for owner, at in owners.items():
                if owner != honest:
                    due[place] = min(at, due.get(place, at))
        return due


def dues(trace: Trace, seat: int) -> Dues:
    """Fold what `seat` has logged. Its proofs are not verified here: the session did."""
    objects = [(at, read_object(data)) for at, data in log_objects(trace, seat)]
    (genesis,) = [body for _, body in objects if isinstance(body, SignedGenesis)]
    founding = found(genesis.raw)
    told = Dues(founding)
    match, proofs = begin(founding), _Trusting(is_eager=True)
    for at, body in objects:
        if isinstance(body, LogRecord):
            record = open_record(body, founding.match, founding.signers)
            before = match.game
            match, parts = step_by_event(match, record, proofs)
            for part in parts:
                _follow(told, at, before, part.match, part.events)
                before = part.match.game
    return told


class _Trusting(Proofs):
    """Takes every proof for good: this seat has logged what rests on it."""

    def require(self, proof: object, check: object) -> None:
        return


def _follow(told: Dues, at: int, before: State, match: Match, events: Iterable[happened.Event]) -> None:
    game = match.game
    for deal in range(match.coming_deal + 1):
        told.decks.setdefault((deal, ROUND_0), (deal_cards(match.founding.rules, match.seats), 0))
    for (deal, round_), deck in match.decks.items():
        told.decks.setdefault((deal, round_), (deck.cards, deck.first))
    if game.deal < 0:
        return
    for owner, hand in enumerate(game.hands):
        for position in hand:
            told.hand_of.setdefault((game.deal, position), {}).setdefault(owner, at)
    _show(told, at, game.deal, game.pool)
    for event in events:
        _show(told, at, game.deal, _named(before, game, event))
    if game.phase is Phase.MATCH_OVER and told.over_at is None:
        told.over_at = at
        for deal, round_ in told.decks:
            if deal <= game.deal and deal not in match.spoilt:
                cards, first = told.decks[deal, round_]
                _show(told, at, deal, map(Position, range(first, first + len(cards))))


def _show(told: Dues, at: int, deal: int, positions: Iterable[Position]) -> None:
    for position in positions:
        told.all_know.setdefault((deal, position), at)


def _named(before: State, after: State, event: happened.Event) -> Sequence[Position]:
    """The hand cards that an event makes everybody's business."""
    hands = before.hands
    match event:
        case happened.MulliganAsked(seat=seat):
            return hands[seat]
        case happened.Called(seat=seat, calls=calls) if before.rules.reveal is Reveal.HAND:
            named = [each for item in calls for each in named_seats(before.rules, before.players, seat, item)]
            return tuple(position for each in named for position in hands[each])
        case happened.Answered(seat=seat, answer=Admit()):
            return hands[seat]
        case happened.Answered(answer=Deny(show=show)):
            return show
        case happened.ProofsOwed():
            judged = after.judged
            return tuple(position for each in judged for hand in each.denied for position in hand.cards)
        case _:
            return ()
