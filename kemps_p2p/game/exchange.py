"""Swap, discard, take: what forbids them and what they do.

The reasons given here presume that the phase allows an exchange; `state` sees to that.
"""

from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Discard, Swap, Take
from kemps_p2p.game.cards import QUARTET_CARDS
from kemps_p2p.game.events import Discarded, Event, Swapped, Took, TurnedUp, TurnMoved
from kemps_p2p.game.record import State, replace
from kemps_p2p.game.rules import Exchange, Mode
from kemps_p2p.game.seating import left_of
from kemps_p2p.ids import Position, Seat


def against_swap(state: State, seat: Seat, action: Swap) -> Illegal | None:
    """Why the rules forbid a swap; `NOT_IN_POOL` alone makes it a miss."""
    take, give = action.take, action.give
    rules = state.rules
    if rules.exchange is not Exchange.SWAP:
        return Illegal.NOT_IN_RULES
    if not take or not give:
        return Illegal.NO_CARD
    if len(take) != len(give):
        return Illegal.UNEVEN
    if len(give) > rules.exchange_limit:
        return Illegal.TOO_MANY_CARDS
    if len(give) == 1:
        if take == give:
            return Illegal.NAMED_TWICE
    elif len({*take, *give}) != len(take) + len(give):
        return Illegal.NAMED_TWICE
    hand = state.hands[seat]
    for card in give:
        if card not in hand:
            return Illegal.NOT_IN_HAND
    return _against_taking(state, take)


def against_discard(state: State, seat: Seat, action: Discard) -> Illegal | None:
    """Why the rules forbid to put a card down."""
    if state.rules.exchange is not Exchange.DISCARD_FIRST:
        return Illegal.NOT_IN_RULES
    hand = state.hands[seat]
    if len(hand) < QUARTET_CARDS:
        return Illegal.HALF_EXCHANGE
    if len(action.give) != 1:
        return Illegal.TOO_MANY_CARDS if action.give else Illegal.NO_CARD
    return None if action.give[0] in hand else Illegal.NOT_IN_HAND


def against_take(state: State, seat: Seat, action: Take) -> Illegal | None:
    """Why the rules forbid to pick a card up; `NOT_IN_POOL` alone makes it a miss."""
    if state.rules.exchange is not Exchange.DISCARD_FIRST:
        return Illegal.NOT_IN_RULES
    if len(state.hands[seat]) == QUARTET_CARDS:
        return Illegal.NO_HALF_EXCHANGE
    if len(action.take) != 1:
        return Illegal.TOO_MANY_CARDS if action.take else Illegal.NO_CARD
    return _against_taking(state, action.take)


def _against_taking(state: State, take: tuple[Position, ...]) -> Illegal | None:
    missing = None
    pool = state.pool
    for card in take:
        if card not in pool:
            missing = Illegal.NOT_IN_POOL
        elif card not in state.faces:
            return Illegal.FACE_DOWN
    return missing


def swap(state: State, seat: Seat, action: Swap, events: list[Event]) -> State:
    """Each card given lies where the one taken for it lay, in the pool and in the hand."""
    take, give = action.take, action.give
    if len(take) == 1:
        taken, given = take[0], give[0]
        hand = tuple([taken if card == given else card for card in state.hands[seat]])
        pool = tuple([given if card == taken else card for card in state.pool])
    else:
        down = dict(zip(take, give, strict=True))
        up = dict(zip(give, take, strict=True))
        hand = tuple([up.get(card, card) for card in state.hands[seat]])
        pool = tuple([down.get(card, card) for card in state.pool])
    events.append(Swapped(seat, take, give))
    _put_down(state, give, events)
    return _exchanged(state, seat, hand, pool, events)


def discard(state: State, seat: Seat, action: Discard, events: list[Event]) -> State:
    """The pool of a `discard-first` game is kept sorted, so that two discards commute."""
    given = action.give[0]
    hand = tuple([card for card in state.hands[seat] if card != given])
    pool = tuple(sorted((*state.pool, given)))
    events.append(Discarded(seat, given))
    _put_down(state, action.give, events)
    return _exchanged(state, seat, hand, pool, events)


def take_up(state: State, seat: Seat, action: Take, events: list[Event]) -> State:
    """The card taken joins the hand at its end."""
    taken = action.take[0]
    hand = (*state.hands[seat], taken)
    pool = tuple([card for card in state.pool if card != taken])
    events.append(Took(seat, taken))
    return _exchanged(state, seat, hand, pool, events)


def _put_down(state: State, given: tuple[Position, ...], events: list[Event]) -> None:
    """A card that everybody has seen before lies face up as soon as it lies."""
    known = tuple([card for card in given if card in state.faces])
    if known:
        events.append(TurnedUp(known))


def _exchanged(
    state: State, seat: Seat, hand: tuple[Position, ...], pool: tuple[Position, ...], events: list[Event]
) -> State:
    """A changed pool: every pass lapses, the idle time starts anew."""
    hands = state.hands
    state = replace(
        state,
        hands=(*hands[:seat], hand, *hands[seat + 1 :]),
        pool=pool,
        passes=frozenset(),
        idle_since_ms=state.now_ms,
    )
    return end_turn(state, seat, events) if len(hand) == QUARTET_CARDS else state


def end_turn(state: State, seat: Seat, events: list[Event]) -> State:
    """In turns mode, the seat on the left of one that has used its turn is next."""
    if state.rules.mode is not Mode.TURNS:
        return state
    turn = left_of(seat, state.players)
    events.append(TurnMoved(turn))
    return replace(state, turn=turn, turn_since_ms=state.now_ms)
