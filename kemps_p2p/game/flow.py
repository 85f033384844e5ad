"""How a deal goes: its start, the pool and its sweeps, mulligans, halts.

The reasons given here presume that the phase allows the action; `state` sees to that. Invariant:

1. Every position of the deal is dealt, swept and shuffled back here, and nowhere else.
"""

from collections.abc import Mapping
from typing import assert_never

from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Pass
from kemps_p2p.game.cards import QUARTET_CARDS, Card, alike
from kemps_p2p.game.denials import end_play
from kemps_p2p.game.events import (
    DealEnd,
    Dealt,
    Event,
    Halted,
    MulliganAsked,
    Mulliganed,
    MulliganFailed,
    Passed,
    PlayStarted,
    PoolDealt,
    PoolShown,
    Recycled,
    Shown,
    Swept,
)
from kemps_p2p.game.exchange import end_turn
from kemps_p2p.game.record import Phase, Recycle, State, face_down, new_match, replace
from kemps_p2p.game.rules import FirstDealer, Mode, Rotation, RuleSet, Start, StockOut, Sweep, deal_cards
from kemps_p2p.game.seating import left_of
from kemps_p2p.ids import Position, Seat


def dealer_of_first_deal(rules: RuleSet, players: int, matches: int, drawn: Seat) -> Seat:
    """Who deals the first deal of a match; `drawn` counts only where the rules have the dealer drawn."""
    match rules.first_dealer:
        case FirstDealer.DRAWN:
            return drawn
        case FirstDealer.SEAT_0:
            return Seat(0)
        case FirstDealer.ROTATES:
            return Seat(matches % players)
        case _:
            assert_never(rules.first_dealer)


def next_dealer(state: State, drawn: Seat) -> Seat:
    """Who deals the coming deal."""
    match state.phase:
        case Phase.SEATED:
            return state.dealer
        case Phase.MATCH_OVER:
            return dealer_of_first_deal(state.rules, state.players, state.matches + 1, drawn)
        case Phase.DEALT | Phase.OPEN | Phase.HALTED | Phase.PROVING | Phase.DEAL_OVER:
            if state.rules.rotation is Rotation.FIXED:
                return state.dealer
            return left_of(state.dealer, state.players)
        case _:
            assert_never(state.phase)


def against_next(state: State, seat: Seat) -> Illegal | None:
    """Only the dealer of the coming deal starts it."""
    return None if next_dealer(state, seat) == seat else Illegal.NOT_DEALER


def begin(state: State, dealer: Seat, events: list[Event]) -> State:
    """The coming deal, its cards lying as the deck has them: hands, then the pool, the rest is stock."""
    if state.phase is Phase.MATCH_OVER:
        state = replace(
            new_match(state.rules, state.players, dealer, state.matches + 1),
            waiting=state.waiting,
            group=state.group,
            gathering=state.gathering,
            now_ms=state.now_ms,
        )
    rules, players = state.rules, state.players
    cards = tuple(Position(index) for index in range(len(deal_cards(rules, players))))
    in_hands = players * QUARTET_CARDS
    pool_end = in_hands + rules.pool_size
    deal = state.deal + 1
    events += [Dealt(deal, dealer), PoolDealt(cards[in_hands:pool_end])]
    return State(
        rules=rules,
        players=players,
        matches=state.matches,
        deal=deal,
        deals=state.deals,
        dealer=dealer,
        phase=Phase.DEALT,
        scores=state.scores,
        deal_scores=state.scores,
        playoff=state.playoff,
        hands=tuple(cards[4 * seat : 4 * seat + 4] for seat in range(players)),
        pool=cards[in_hands:pool_end],
        stock=cards[pool_end:],
        next_position=Position(len(cards)),
        turn=left_of(dealer, players) if rules.mode is Mode.TURNS else None,
        waiting=state.waiting,
        # A set that starts a deal goes on in it, with none of its declarations judged yet.
        group=None if state.group is None else 0,
        gathering=state.gathering,
        now_ms=state.now_ms,
    )


def is_pool_ready(state: State) -> bool:
    """True if the whole pool is face up and nothing that goes before play waits."""
    return (
        state.phase is Phase.DEALT
        and state.recycle is Recycle.NOTHING
        and not state.mulligans
        and not face_down(state)
    )


def may_start_play(state: State) -> bool:
    """True if only the time to look stands between the table and play that opens by itself."""
    return state.rules.start is Start.LAST_CARD and is_pool_ready(state)


def open_play(state: State, events: list[Event]) -> State:
    """Cards may be touched from here on."""
    events.append(PlayStarted())
    now = state.now_ms
    return replace(
        state, phase=Phase.OPEN, started=True, passes=frozenset(), idle_since_ms=now, turn_since_ms=now
    )


def against_go(state: State, seat: Seat) -> Illegal | None:
    """The dealer opens play, once the whole pool is face up."""
    if state.rules.start is not Start.GO:
        return Illegal.NOT_IN_RULES
    if seat != state.dealer:
        return Illegal.NOT_DEALER
    return None if is_pool_ready(state) else Illegal.FACE_DOWN


def against_mulligan(state: State, seat: Seat, known: Mapping[Position, Card]) -> Illegal | None:
    """Too few alike is found only where `known` has the whole hand."""
    rules = state.rules
    if not rules.mulligan:
        return Illegal.NOT_IN_RULES
    if state.started or seat in state.mulligans:
        return Illegal.NO_MULLIGAN
    if rules.stock_out is StockOut.VOID:
        ahead = QUARTET_CARDS * (len(state.mulligans) + 1)
        if len(state.stock) < ahead:
            return Illegal.NO_MULLIGAN
    cards = [known[card] for card in state.hands[seat] if card in known]
    if len(cards) == QUARTET_CARDS and alike(cards) < rules.mulligan:
        return Illegal.NO_MULLIGAN
    return None


def ask_mulligan(state: State, seat: Seat, events: list[Event]) -> State:
    """The hand is to be shown; the rest follows in `settle_mulligans`."""
    events.append(MulliganAsked(seat))
    return replace(state, mulligans=(*state.mulligans, seat))


def settle_mulligans(state: State, events: list[Event]) -> State:
    """Carry out the mulligans whose hands have been shown, in the order they were asked for."""
    while state.mulligans and state.recycle is Recycle.NOTHING:
        seat = state.mulligans[0]
        hand = state.hands[seat]
        if not all(card in state.faces for card in hand):
            break
        events.append(Shown(seat, hand))
        if alike([state.faces[card] for card in hand]) < state.rules.mulligan:
            state = drop_mulligan(state, seat, events)
            continue
        hands = (*state.hands[:seat], (), *state.hands[seat + 1 :])
        state = replace(state, hands=hands, swept=(*state.swept, *hand))
        if len(state.stock) < QUARTET_CARDS:
            return replace(state, recycle=Recycle.MULLIGAN)
        state = _redraw(state, events)
    return state


def drop_mulligan(state: State, seat: Seat, events: list[Event]) -> State:
    """A mulligan that does not happen: the hand stays."""
    events.append(MulliganFailed(seat))
    return replace(state, mulligans=tuple(each for each in state.mulligans if each != seat))


def _redraw(state: State, events: list[Event]) -> State:
    seat = state.mulligans[0]
    drew, stock = state.stock[:QUARTET_CARDS], state.stock[QUARTET_CARDS:]
    events.append(Mulliganed(seat, drew))
    hands = (*state.hands[:seat], drew, *state.hands[seat + 1 :])
    return replace(state, hands=hands, stock=stock, mulligans=state.mulligans[1:])


def against_pass(state: State, seat: Seat, action: Pass) -> Illegal | None:
    """A pass is about the cards that lie there, all of them seen."""
    if state.rules.sweep is not Sweep.PASS:
        return Illegal.NOT_IN_RULES
    if len(state.hands[seat]) < QUARTET_CARDS:
        return Illegal.HALF_EXCHANGE
    if seat in state.passes:
        return Illegal.ALREADY_PASSED
    if len(action.pool) != len(state.pool) or set(action.pool) != set(state.pool):
        return Illegal.OTHER_POOL
    return Illegal.FACE_DOWN if face_down(state) else None


def pass_pool(state: State, seat: Seat, events: list[Event]) -> State:
    """The last pass sweeps the pool, or ends the deal if nothing is left to deal."""
    events.append(Passed(seat))
    state = end_turn(replace(state, passes=state.passes | {seat}), seat, events)
    if len(state.passes) < state.players:
        return state
    return end_play(state, DealEnd.EXHAUSTED, events) if is_exhausted(state) else sweep(state, events)


def is_exhausted(state: State) -> bool:
    """True if a sweep would find nothing to deal; swept cards come back unless the rules end the deal."""
    return state.rules.stock_out is StockOut.VOID and not state.stock


def against_halt(state: State, seat: Seat) -> Illegal | None:
    """The dealer halts a table that has been idle long enough, with nobody in the middle of an exchange."""
    if state.rules.sweep is not Sweep.IDLE:
        return Illegal.NOT_IN_RULES
    if seat != state.dealer:
        return Illegal.NOT_DEALER
    if any(len(hand) < QUARTET_CARDS for hand in state.hands):
        return Illegal.HALF_EXCHANGE
    if face_down(state):
        return Illegal.FACE_DOWN
    idle_ms = state.now_ms - state.idle_since_ms
    return Illegal.NOT_IDLE if idle_ms < state.rules.idle_ms else None


def halt(state: State, events: list[Event]) -> State:
    """Everything stops; with nothing left to deal the deal is over."""
    events.append(Halted())
    if is_exhausted(state):
        return end_play(state, DealEnd.EXHAUSTED, events)
    return replace(state, phase=Phase.HALTED)


def against_resume(state: State, seat: Seat) -> Illegal | None:
    """The dealer ends a halt."""
    return None if seat == state.dealer else Illegal.NOT_DEALER


def sweep(state: State, events: list[Event]) -> State:
    """Clear the pool and deal the next, once the swept cards are shuffled back where the rules say so."""
    events.append(Swept(state.pool))
    state = replace(state, phase=Phase.DEALT, pool=(), swept=(*state.swept, *state.pool), passes=frozenset())
    short = len(state.stock) < state.rules.pool_size
    if short and state.rules.stock_out is StockOut.RECYCLE and state.swept:
        return replace(state, recycle=Recycle.POOL)
    return _deal_pool(state, events)


def _deal_pool(state: State, events: list[Event]) -> State:
    size = state.rules.pool_size
    pool = tuple(sorted(state.stock[:size]))
    events.append(PoolDealt(pool))
    return replace(state, pool=pool, stock=state.stock[size:])


def recycle(state: State, cards: tuple[Position, ...], events: list[Event]) -> State:
    """The swept cards lie beneath the stock, as these fresh positions; whatever waited for them goes on."""
    waited = state.recycle
    gone = frozenset(state.swept)
    events.append(Recycled(len(cards)))
    state = replace(
        state,
        stock=(*state.stock, *cards),
        swept=(),
        faces={card: face for card, face in state.faces.items() if card not in gone},
        next_position=Position(state.next_position + len(cards)),
        recycle=Recycle.NOTHING,
    )
    match waited:
        case Recycle.POOL:
            return _deal_pool(state, events)
        case Recycle.MULLIGAN:
            return _redraw(state, events)
        case Recycle.NOTHING:
            return state
        case _:
            assert_never(waited)


def note_pool(state: State, events: list[Event]) -> None:
    """Tell that the pool of a deal or sweep is complete."""
    if state.phase is Phase.DEALT and state.recycle is Recycle.NOTHING and not face_down(state):
        events.append(PoolShown())
