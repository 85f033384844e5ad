"""Networks that cheat for a seat: what its own machine would not do, a network does for it.

Each is a `Tamper` of `runtime.sim`: it sits between one seat and the others, and may hold the seat's key.
"""

from collections.abc import Callable

from msgspec import structs

from kemps_p2p.codec import decode, derive, encode
from kemps_p2p.deck.deal import Deck, Turn, make_turn
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Cheat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import ITEM_LABEL, Append, Claim, CoinReveal, Deed, Item, Signed, Statement
from kemps_p2p.session.messages import Batch, ShareDeed, TurnDeed, pack, read_deed, read_message


def sim_identity(seed: int, name: str) -> Identity:
    """A key of a simulated match; `seat N` is that of a seat, any other name is a stranger's."""
    return Identity.derived(derive("kemps/v1/sim", seed.to_bytes(16, "big", signed=True)), name)


def with_a_word_more(item: Item) -> tuple[Statement, ...]:
    """The same and a word that means nothing."""
    return (*item.body, CoinReveal(index=0, coin=b"other"))


class Fork:
    """A network that shows two halves of the table two different items at one number of a seat's tape.

    `wants` picks the item: the first of the seat's tape for which it is true. `change`: what the other half
    is shown.
    """

    def __init__(
        self,
        seed: int,
        cheat: int,
        wants: Callable[[Item], bool],
        half: frozenset[int],
        change: Callable[[Item], tuple[Statement, ...]] = with_a_word_more,
    ) -> None:
        self._key = sim_identity(seed, f"seat {cheat}")
        self._cheat, self._wants, self._half, self._change = cheat, wants, half, change
        self._other: dict[bytes, Signed] = {}

    def __call__(self, sender: Seat, receiver: Seat, data: bytes) -> bytes:
        """What arrives of a message."""
        message = read_message(data)
        if sender != self._cheat or receiver not in self._half or not isinstance(message, Batch):
            return data
        return pack(Batch(items=tuple(map(self._shown, message.items))))

    def _shown(self, signed: Signed) -> Signed:
        if signed.raw in self._other:
            return self._other[signed.raw]
        item = decode(signed.raw, Item)
        is_entry = isinstance(item.body[0], Append)
        if self._other or item.seat != self._cheat or is_entry or not self._wants(item):
            return signed
        raw = encode(structs.replace(item, body=self._change(item)))
        self._other[signed.raw] = Signed(raw=raw, signature=self._key.sign(ITEM_LABEL, raw))
        return self._other[signed.raw]

    @property
    def has_forked(self) -> bool:
        """True once the halves have been shown different items."""
        return bool(self._other)


def at_number(number: int) -> Callable[[Item], bool]:
    """The item with this number."""
    return lambda item: item.number == number


def turn_in(item: Item, deal: int) -> TurnDeed | None:
    """The turn of the first round of a deal that an item says."""
    deeds = [read_deed(said.payload) for said in item.body if isinstance(said, Deed)]
    found = [deed for deed in deeds if isinstance(deed, TurnDeed) and (deed.deal, deed.round) == (deal, 0)]
    return found[0] if found else None


def with_turn(deal: int) -> Callable[[Item], bool]:
    """The item with the seat's turn in the first round of a deal."""
    return lambda item: turn_in(item, deal) is not None


class TwoTurns:
    """A seat that takes one turn twice, each time truly and truly proven, from different randomness."""

    def __init__(self, deal: int) -> None:
        self._deal = deal
        self._second: Turn | None = None
        self.cheat = Cheat(turn=self._keep_second)

    def _keep_second(self, deck: Deck, seat: Seat, _seed: bytes) -> Turn | None:
        if deck.table.deal == self._deal and deck.round == 0:
            self._second = make_turn(deck, seat, b"\x55" * 32)
        return None

    def change(self, item: Item) -> tuple[Statement, ...]:
        """The item with the second turn in the place of the first."""
        told, second = turn_in(item, self._deal), self._second
        assert told is not None
        assert second is not None
        other = Deed(payload=encode(structs.replace(told, turn=second)))
        return tuple(other if said == Deed(payload=encode(told)) else said for said in item.body)


class Withheld:
    """A network on which some of a seat's items never reach a part of the table from the seat itself."""

    def __init__(self, cheat: int, half: frozenset[int], wants: Callable[[Statement], bool]) -> None:
        self._cheat, self._half, self._wants = cheat, half, wants
        self.count = 0

    def __call__(self, sender: Seat, receiver: Seat, data: bytes) -> bytes | None:
        """What arrives of a message."""
        message = read_message(data)
        if sender != self._cheat or receiver not in self._half or not isinstance(message, Batch):
            return data
        kept = tuple(signed for signed in message.items if not self._is_wanted(signed))
        self.count += len(message.items) - len(kept)
        return pack(Batch(items=kept))

    def _is_wanted(self, signed: Signed) -> bool:
        item = decode(signed.raw, Item)
        return item.seat == self._cheat and any(map(self._wants, item.body))


def is_claim(said: Statement) -> bool:
    """True for a claim."""
    return isinstance(said, Claim)


def is_share(said: Statement) -> bool:
    """True for shares."""
    return isinstance(said, Deed) and isinstance(read_deed(said.payload), ShareDeed)
