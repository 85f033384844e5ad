"""A table that knows every face and answers at once whatever the engine asks for.

The same engine as in play, driven omnisciently: for scenarios, property tests, benches and the lab. Real
tables never have one of these. Shuffles are the caller's: cards come in the order that it gives.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.actions import Action, Admit, Deny, Mulligan
from kemps_p2p.game.cards import QUARTET_CARDS, Card, is_quartet, rank
from kemps_p2p.game.events import Dealt, Event
from kemps_p2p.game.record import replace
from kemps_p2p.game.rules import Reveal, RuleSet, deal_cards
from kemps_p2p.game.state import (
    Applied,
    Result,
    State,
    advance,
    apply,
    check,
    close_set,
    may_start_play,
    new_match,
    open_set,
    owed_answers,
    owed_faces,
    owed_proofs,
    owed_recycle,
    recycled,
    start_play,
    turn_up,
)
from kemps_p2p.ids import Position, Seat


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Where every card of a deal lies: hands from seat 0 on, stock with its top card first."""

    hands: tuple[tuple[Card, ...], ...]
    pool: tuple[Card, ...]
    stock: tuple[Card, ...]
    swept: tuple[Card, ...] = ()


def layout_of(cards: Sequence[Card], players: int, pool_size: int) -> Layout:
    """The layout of a pack dealt in this order: four to each seat, then the pool, the rest is stock."""
    pool_end = players * QUARTET_CARDS + pool_size
    hands = tuple(tuple(cards[QUARTET_CARDS * seat : QUARTET_CARDS * (seat + 1)]) for seat in range(players))
    return Layout(
        hands=hands,
        pool=tuple(cards[players * QUARTET_CARDS : pool_end]),
        stock=tuple(cards[pool_end:]),
    )


def pack_order(rules: RuleSet, players: int) -> Layout:
    """The layout of an unshuffled deal."""
    return layout_of(deal_cards(rules, players), players, rules.pool_size)


class Outcome(msgspec.Struct, frozen=True):
    """What became of an action, with everything that followed from it at once."""

    result: Result
    reason: Illegal | None
    events: tuple[Event, ...]


def truthful_answer(rules: RuleSet, hand: Sequence[Position], faces: Mapping[Position, Card]) -> Admit | Deny:
    """The honest answer of a called hand.

    A denial shows the first card in pack order and the first after it of another rank.
    """
    if is_quartet(faces[card] for card in hand):
        return Admit()
    if rules.reveal is not Reveal.TWO_CARDS:
        return Deny()
    cards = sorted(hand, key=lambda card: faces[card])
    first = cards[0]
    other = next(card for card in cards if rank(faces[card]) != rank(faces[first]))
    return Deny(show=(first, other))


class Table:
    """A state and all faces. `lay` gives the next deal, `shuffle` the order of cards shuffled back.

    With `opens_itself` play opens as soon as the rules allow, without a time to look.
    """

    def __init__(
        self,
        state: State,
        lay: Callable[[State], Layout],
        shuffle: Callable[[tuple[Card, ...]], Sequence[Card]] = tuple,
    ) -> None:
        self.state = state
        self.faces: dict[Position, Card] = {}
        self.opens_itself = True
        self._lay = lay
        self._shuffle = shuffle

    @classmethod
    def seated(
        cls,
        rules: RuleSet,
        players: int,
        first_dealer: Seat,
        lay: Callable[[State], Layout],
        shuffle: Callable[[tuple[Card, ...]], Sequence[Card]] = tuple,
    ) -> "Table":
        """A table before its first deal."""
        return cls(new_match(rules, players, first_dealer), lay, shuffle)

    def fork(self) -> "Table":
        """A table in the same place, that goes its own way."""
        other = Table(self.state, self._lay, self._shuffle)
        other.faces = dict(self.faces)
        other.opens_itself = self.opens_itself
        return other

    def place(self, layout: Layout) -> None:
        """Lay the cards of the deal under way as given; what was swept is public."""
        faces: dict[Position, Card] = {}

        def put(cards: Iterable[Card]) -> tuple[Position, ...]:
            positions = []
            for card in cards:
                position = Position(len(faces))
                faces[position] = card
                positions.append(position)
            return tuple(positions)

        hands = tuple(put(hand) for hand in layout.hands)
        pool, stock, swept = put(layout.pool), put(layout.stock), put(layout.swept)
        self.faces = faces
        self.state = replace(
            self.state,
            hands=hands,
            pool=pool,
            stock=stock,
            swept=swept,
            faces={position: faces[position] for position in swept},
            next_position=Position(len(faces)),
        )

    def hand(self, seat: Seat) -> dict[Position, Card]:
        """A seat's own cards, as it sees them."""
        if not 0 <= seat < len(self.state.hands):
            return {}
        return {card: self.faces[card] for card in self.state.hands[seat]}

    def positions(self) -> dict[Card, Position]:
        """Where each card of the deal lies now."""
        state = self.state
        piles = (*state.hands, state.pool, state.stock, state.swept)
        return {self.faces[position]: position for pile in piles for position in pile}

    def act(self, seat: Seat, action: Action) -> Outcome:
        """Apply an action and answer whatever follows from it."""
        if isinstance(action, Mulligan | Deny):
            try:
                check(self.state, seat, action, self.hand(seat))
            except IllegalAction as error:
                return Outcome(Result.REFUSED, error.reason, ())
        return self._carry_on(apply(self.state, seat, action))

    def open_set(self) -> None:
        """What is done until `close_set` is settled as simultaneous, one after the other."""
        self.state = open_set(self.state)

    def close_set(self) -> tuple[Event, ...]:
        """The set is complete."""
        return self._carry_on(close_set(self.state)).events

    def wait(self, ms: int) -> None:
        """Let time pass."""
        self.state = advance(self.state, self.state.now_ms + ms)

    def settle(self) -> tuple[Event, ...]:
        """Answer whatever the state asks for now."""
        return self._carry_on(Applied(self.state, Result.OK, None, ())).events

    def _carry_on(self, applied: Applied) -> Outcome:
        events = list(applied.events)
        self.state = applied.state
        if any(isinstance(event, Dealt) for event in events):
            self.place(self._lay(self.state))
        while True:
            more = self._answer()
            if more is None:
                return Outcome(applied.result, applied.reason, tuple(events))
            self.state = more.state
            events += more.events

    def _answer(self) -> Applied | None:
        """The next thing that the engine asks for, None if it asks for nothing."""
        state = self.state
        owed = owed_faces(state)
        if owed:
            return turn_up(state, {card: self.faces[card] for card in owed})
        if may_start_play(state):
            return start_play(state) if self.opens_itself else None
        asked = owed_answers(state)
        if asked:
            seat = min(asked)
            return apply(state, seat, truthful_answer(state.rules, state.hands[seat], self.faces))
        proofs = owed_proofs(state)
        if proofs:
            unseen = {card for hand in proofs for card in hand.cards if card not in state.faces}
            return turn_up(state, {card: self.faces[card] for card in unseen})
        cards = owed_recycle(state)
        if cards is None:
            return None
        first = state.next_position
        fresh = tuple(Position(first + index) for index in range(len(cards)))
        self.faces.update(zip(fresh, self._shuffle(cards), strict=True))
        return recycled(state, fresh)
