"""What seats that put everything together know of the decks: lists, keys, and their own permutations.

The honest seat is the one whose secret they lack. Everything here is read off messages, or computed from the
others' secrets; nothing is asked of the program.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from snoop_formulas import (
    Cards,
    Place,
    card_weights,
    clear_list,
    factor_of,
    key_of,
    list_name,
    order_of,
    seed_of_deal,
)
from snoop_reading import Reading, SeenTurn

from kemps_p2p.deck.group import IDENTITY, Group, Point


@dataclass(frozen=True)
class Public:
    """What everybody knows of a match: its group, its seats, and the cards of each round of each deal.

    `decks`: by deal and round, cards in pack order and the first position. `nonces`: seats by the nonce that
    each showed in the genesis, which comes from the same secret as its deal seeds.
    """

    group: Group
    seats: int
    decks: Mapping[tuple[int, int], tuple[tuple[int, ...], int]]
    nonces: Mapping[bytes, int]


@dataclass(frozen=True)
class LinkedTurn:
    """A turn with the list that it names, and the joint key."""

    turn: SeenTurn
    place: Place
    key: Point
    inputs: Cards

    @cached_property
    def weights(self) -> list[int]:
        """The challenges u of its proof."""
        outputs, p = self.turn.outputs, self.turn.proof.p
        return card_weights(self.place, self.key, self.inputs, outputs, p)


@dataclass(frozen=True)
class Chain:
    """A round that all seats have shuffled: the turns in their order, and where and what its cards are."""

    deal: int
    round: int
    cards: tuple[int, ...]
    first: int
    turns: tuple[LinkedTurn, ...]

    @property
    def at(self) -> int:
        """When its last turn was known."""
        return max(turn.turn.at for turn in self.turns)

    @property
    def last(self) -> Cards:
        """The list that shares are of."""
        return self.turns[-1].turn.outputs


class Decks:
    """All turns and rounds that a reading holds."""

    def __init__(self, public: Public, reading: Reading) -> None:
        self.public = public
        self.reading = reading
        self.linked = [linked for turn in reading.turns if (linked := self._linked(turn)) is not None]
        self.unlinked = len(reading.turns) - len(self.linked)
        self.chains = [chain for place in public.decks for chain in self._chains(*place)]

    def place(self, deal: int, seat: int, stage: str, round_: int = 0) -> Place:
        public = self.public
        return Place(public.group, self.reading.match, public.seats, deal, seat, stage, round_)

    def joint_key(self, deal: int) -> Point | None:
        keys = [self.reading.keys.get((deal, seat)) for seat in range(self.public.seats)]
        points = [key.key for key in keys if key is not None]
        return self.public.group.total(points) if len(points) == len(keys) else None

    def _linked(self, turn: SeenTurn) -> LinkedTurn | None:
        """Find the list that a turn was taken on among those that the seat before left."""
        key = self.joint_key(turn.deal)
        deck = self.public.decks.get((turn.deal, turn.round))
        if key is None or deck is None:
            return None
        if turn.seat == 0:
            before = [clear_list(self.public.group, deck[0])]
        else:
            spot = (turn.deal, turn.round, turn.seat - 1)
            before = [
                other.outputs for other in self.reading.turns if (other.deal, other.round, other.seat) == spot
            ]
        place = self.place(turn.deal, turn.seat, "turn", turn.round)
        for inputs in before:
            if list_name(place, key, inputs) == turn.input:
                return LinkedTurn(turn, place, key, inputs)
        return None

    def _chains(self, deal: int, round_: int) -> Iterator[Chain]:
        cards, first = self.public.decks[deal, round_]
        for turns in self._paths(deal, round_, clear_list(self.public.group, cards), 0):
            yield Chain(deal, round_, cards, first, turns)

    def _paths(self, deal: int, round_: int, inputs: Cards, seat: int) -> Iterator[tuple[LinkedTurn, ...]]:
        if seat == self.public.seats:
            yield ()
            return
        for linked in self.linked:
            turn = linked.turn
            if (turn.deal, turn.round, turn.seat) == (deal, round_, seat) and linked.inputs == inputs:
                for rest in self._paths(deal, round_, turn.outputs, seat + 1):
                    yield (linked, *rest)


class Colluders:
    """All seats but `honest`, with their secrets of the match."""

    def __init__(self, decks: Decks, honest: int, secrets: Mapping[int, bytes]) -> None:
        self.decks = decks
        self.honest = honest
        self._group = decks.public.group
        self._secrets = {seat: secret for seat, secret in secrets.items() if seat != honest}
        self._keys: dict[tuple[int, int], int] = {}
        self._orders: dict[bytes, Sequence[int]] = {}

    def own_key(self, deal: int, seat: int) -> int:
        """The x of a colluder in a deal; it must be the one that its key was made of."""
        if (deal, seat) not in self._keys:
            x = key_of(self.decks.place(deal, seat, "key"), seed_of_deal(self._secrets[seat], deal))
            said = self.decks.reading.keys[deal, seat].key
            assert self._group.base_mul(x) == said, f"the key of seat {seat} is made otherwise than described"
            self._keys[deal, seat] = x
        return self._keys[deal, seat]

    def own_part(self, deal: int) -> int:
        """The sum of the colluders' x in a deal."""
        return sum(self.own_key(deal, seat) for seat in self._secrets)

    def without_own(self, deal: int, cards: Cards) -> tuple[Point, ...]:
        """A list with all layers taken off but the honest seat's: D + M, for a share D and a card M."""
        own, group = self.own_part(deal), self._group
        return tuple(group.sub(c, group.mul(own, a)) for a, c in zip(cards.a, cards.c, strict=True))

    def own_order(self, linked: LinkedTurn) -> Sequence[int]:
        """The permutation of a colluder's turn; it must be the one that the turn was made with."""
        turn = linked.turn
        if turn.input not in self._orders:
            seed = seed_of_deal(self._secrets[turn.seat], turn.deal)
            count = len(turn.outputs.a)
            order = order_of(seed, turn.input, count)
            for i in (0, count - 1):
                mask = self._group.base_mul(factor_of(seed, turn.input, i))
                source = linked.inputs.a[order[i]]
                made = mask if source == IDENTITY else self._group.add(source, mask)
                assert made == turn.outputs.a[i], f"turn of seat {turn.seat}: made otherwise than described"
            self._orders[turn.input] = order
        return self._orders[turn.input]

    def honest_turn(self, chain: Chain) -> LinkedTurn:
        return chain.turns[self.honest]

    def inputs_of(self, chain: Chain) -> list[int]:
        """The card at each place of the list that the honest seat took its turn on."""
        found = list(chain.cards)
        for linked in chain.turns[: self.honest]:
            found = [found[source] for source in self.own_order(linked)]
        return found

    def outputs_of(self, chain: Chain) -> list[int]:
        """By place of the last list, the place that the honest seat's turn had put it to."""
        found = list(range(len(chain.cards)))
        for linked in chain.turns[self.honest + 1 :]:
            found = [found[source] for source in self.own_order(linked)]
        return found
