"""What may be seen: by the whole table, and by one seat. The only way out for hidden cards.

A `SeatView` is all that a screen or a bot gets. Knows no peers. Invariants:

1. A view holds no face but the public ones and, in a seat's own view, that seat's own hand.
2. Cards of hands show a face only while they lie face up; a pool card none while it lies face down.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from kemps_p2p.game.actions import Action, CallItem, Sort
from kemps_p2p.game.cards import Card
from kemps_p2p.game.flow import next_dealer
from kemps_p2p.game.record import Phase, State
from kemps_p2p.game.rules import FirstDealer, RuleSet
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.state import is_running, legal_actions, legal_of, may_start_play, owed_answers
from kemps_p2p.ids import Position, Seat, Team


class Lying(msgspec.Struct, frozen=True):
    """A card where it lies, with its face if that can be seen."""

    position: Position
    card: Card | None


class Held(msgspec.Struct, frozen=True):
    """A card of the own hand."""

    position: Position
    card: Card


class Standing(msgspec.Struct, frozen=True):
    """A declaration that waits to be judged."""

    seat: Seat
    calls: tuple[CallItem, ...]
    owes_answer: frozenset[Seat]


class PublicView(msgspec.Struct, frozen=True, kw_only=True):
    """What everybody sees."""

    rules: RuleSet
    players: int
    matches: int
    deal: int
    deals: int
    phase: Phase
    dealer: Seat
    next_dealer: Seat | None
    """Who starts the coming deal; None while a deal runs, or if that seat is still to be drawn."""
    turn: Seat | None
    scores: tuple[int, ...]
    playoff: bool
    winners: tuple[Team, ...]
    hands: tuple[tuple[Lying, ...], ...]
    pool: tuple[Lying, ...]
    stock_count: int
    swept_count: int
    passes: frozenset[Seat]
    barred: frozenset[Seat]
    signalled: frozenset[Seat]
    call: Standing | None
    verdicts: tuple[Verdict, ...]
    """Of the last declaration of this deal."""
    looking: bool
    """The pool is complete and play opens after `look_ms`."""
    state: State
    """All of it is public. Its `faces` also remember cards that have gone into a hand since."""


class SeatView(PublicView, frozen=True, kw_only=True):
    """What one seat sees."""

    seat: Seat
    hand: tuple[Held, ...]


def _lying(cards: Iterable[Position], faces: Mapping[Position, Card]) -> tuple[Lying, ...]:
    return tuple(Lying(card, faces.get(card)) for card in cards)


def _coming_dealer(state: State) -> Seat | None:
    if is_running(state):
        return None
    if state.phase is Phase.MATCH_OVER and state.rules.first_dealer is FirstDealer.DRAWN:
        return None
    return next_dealer(state, state.dealer)


def _standing(state: State) -> Standing | None:
    if state.pending is None:
        return None
    return Standing(state.pending.seat, state.pending.calls, owed_answers(state))


def public_view(state: State) -> PublicView:
    """What everybody sees of a match."""
    face_up = {card: state.faces[card] for card in state.shown if card in state.faces}
    return PublicView(
        rules=state.rules,
        players=state.players,
        matches=state.matches,
        deal=state.deal,
        deals=state.deals,
        phase=state.phase,
        dealer=state.dealer,
        next_dealer=_coming_dealer(state),
        turn=state.turn,
        scores=state.scores,
        playoff=state.playoff,
        winners=state.winners,
        hands=tuple(_lying(hand, face_up) for hand in state.hands),
        pool=_lying(state.pool, state.faces),
        stock_count=len(state.stock),
        swept_count=len(state.swept),
        passes=state.passes,
        barred=state.barred,
        signalled=state.signalled,
        call=_standing(state),
        verdicts=state.verdicts,
        looking=may_start_play(state),
        state=state,
    )


def seat_view(state: State, seat: Seat, own: Mapping[Position, Card]) -> SeatView:
    """What one seat sees; `own` are faces of its hand, as far as it knows them yet.

    Faces in `own` that are not of this hand are left out, so that a view cannot leak another's.
    """
    hand = state.hands[seat] if state.hands else ()
    known = {**{card: state.faces[card] for card in hand if card in state.faces}, **own}
    held = tuple(Held(card, known[card]) for card in hand if card in known)
    return SeatView(**msgspec.structs.asdict(public_view(state)), seat=seat, hand=held)


def options(view: SeatView) -> Iterator[Action]:
    """What the seat may do now: `legal_actions` with its own hand known."""
    return legal_actions(view.state, view.seat, {held.position: held.card for held in view.hand})


def options_of(view: SeatView, sort: type[Sort]) -> Iterator[Sort]:
    """Those of the `options` that are of one sort."""
    return legal_of(view.state, view.seat, {held.position: held.card for held in view.hand}, sort)
