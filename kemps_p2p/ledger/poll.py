"""The order of conflicting claims: causality, then the table's poll, then together.

`decide` is a pure function of the claims and of what the tapes show: no clock, no sequencer. It knows of a
claim its author and its rivals, never what it asks for. Invariants:

1. Confluence: a set decided on part of the evidence is the same set in the whole, and nothing that
   conflicts with it comes newly before it.
2. Relabelling the seats relabels the verdict and changes nothing else.

Section "Who was first" of protocol.md.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from msgspec import Struct

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import priority
from kemps_p2p.ledger.tape import TapeItem, first_place, shown

Places = Mapping[Digest, int]
"""What one tape shows: claims on it (own or receipted) and their order; lower is earlier."""


class Contender(Struct, frozen=True, gc=False):
    """An undecided claim: whose it is, and which undecided claims it conflicts with."""

    id: Digest
    seat: Seat
    rivals: frozenset[Digest]


@dataclass(frozen=True, slots=True)
class Cut:
    """A contest that has waited too long: its claims, and the tapes as they were when it was closed.

    What the closed tapes do not show of a named claim is not waited for.
    """

    claims: frozenset[Digest]
    tapes: Mapping[Seat, Places]


class Order(Enum):
    """How two conflicting claims stand to each other."""

    FIRST = auto()
    SECOND = auto()
    TOGETHER = auto()
    OPEN = auto()


class DecidedSet(Struct, frozen=True, gc=False):
    """Claims that may be logged now: one, or several that are together.

    `causal` holds the pairs (earlier, later) that causality orders inside a set of several.
    """

    claims: tuple[Digest, ...]
    causal: frozenset[tuple[Digest, Digest]]

    @property
    def digest(self) -> Digest:
        """Names the set; the draw hashes it."""
        return tagged_hash("kemps/v1/set", *self.claims)


class Decide(Protocol):
    """How a table orders conflicting claims: by `decide`, except in experiments with other policies."""

    def __call__(
        self,
        claims: Collection[Contender],
        seats: int,
        observer: Seat | None,
        tapes: Mapping[Seat, Places],
        cut: Cut | None = None,
    ) -> tuple[DecidedSet, ...]:
        """The sets that may be logged now; empty means wait."""


def needed_words(seats: int, observer: Seat | None) -> int:
    """`need`: the words out of all *expected* ones that make a claim first."""
    witnesses = seats - 2 + (observer is not None)
    return witnesses // 2 + 1


def decide(
    claims: Collection[Contender],
    seats: int,
    observer: Seat | None,
    tapes: Mapping[Seat, Places],
    cut: Cut | None = None,
) -> tuple[DecidedSet, ...]:
    """The sets that may be logged now, in no order among themselves (they commute); empty means wait.

    What waits behind one of them is decided by the next call, without the claims logged in between. Of the
    claims that a `cut` names the closed tapes alone are asked, and what else conflicts with them is behind.
    """
    need = needed_words(seats, observer)
    return first_sets(
        claims,
        lambda a, b: compare(a, b, seats, observer, tapes, cut=cut),
        lambda claim: _is_witnessed(claim, need, tapes, cut),
    )


def first_sets(
    claims: Collection[Contender],
    compared: Callable[[Contender, Contender], tuple[Order, bool]],
    is_ready: Callable[[Contender], bool],
) -> tuple[DecidedSet, ...]:
    """The smallest sets that nothing outside goes before, without those that hold an open pair or wait.

    `compared(a, b)`: how two conflicting claims stand, and whether causality says so. `is_ready`: whether a
    claim may be logged at all.
    """
    if len(claims) == 1:
        # Most claims meet no other.
        return tuple(DecidedSet((claim.id,), frozenset()) for claim in claims if is_ready(claim))
    if not any(is_ready(claim) for claim in claims):
        return ()
    by_id = {claim.id: claim for claim in claims}
    ahead: dict[Digest, set[Digest]] = {claim.id: set() for claim in claims}
    unsettled: set[frozenset[Digest]] = set()
    causal: set[tuple[Digest, Digest]] = set()
    for a in by_id.values():
        for rival in a.rivals:
            if rival <= a.id or rival not in by_id:
                continue
            b = by_id[rival]
            order, by_cause = compared(a, b)
            if order is not Order.SECOND:
                ahead[b.id].add(a.id)
            if order is not Order.FIRST:
                ahead[a.id].add(b.id)
            if order is Order.OPEN:
                unsettled.add(frozenset((a.id, b.id)))
            if by_cause:
                causal.add((a.id, b.id) if order is Order.FIRST else (b.id, a.id))
    closed = {claim: _closure(claim, ahead) for claim in ahead}
    found: dict[frozenset[Digest], None] = {}
    for members in closed.values():
        if all(closed[member] == members for member in members):
            found[members] = None
    return tuple(
        DecidedSet(
            tuple(sorted(members)),
            frozenset(pair for pair in causal if pair[0] in members and pair[1] in members),
        )
        for members in sorted(found, key=min)
        if not any(pair <= members for pair in unsettled)
        and all(is_ready(by_id[member]) for member in members)
    )


def _closure(start: Digest, ahead: Mapping[Digest, set[Digest]]) -> frozenset[Digest]:
    """The claim and all that are not behind it, directly or through others."""
    reached = {start}
    todo = [start]
    while todo:
        for claim in ahead[todo.pop()] - reached:
            reached.add(claim)
            todo.append(claim)
    return frozenset(reached)


def _is_witnessed(claim: Contender, need: int, tapes: Mapping[Seat, Places], cut: Cut | None) -> bool:
    if cut is not None and claim.id in cut.claims:
        return True
    return sum(claim.id in places for seat, places in tapes.items() if seat != claim.seat) >= need


def compare(
    a: Contender,
    b: Contender,
    seats: int,
    observer: Seat | None,
    tapes: Mapping[Seat, Places],
    *,
    cut: Cut | None = None,
) -> tuple[Order, bool]:
    """How two conflicting claims stand, and whether causality says so."""
    named = () if cut is None else tuple(claim.id for claim in (a, b) if claim.id in cut.claims)
    if len(named) == 1:
        return Order.FIRST if named[0] == a.id else Order.SECOND, False
    is_closed = len(named) == 2
    if cut is not None and is_closed:
        tapes = cut.tapes
    for late, early, order in ((b, a, Order.FIRST), (a, b, Order.SECOND)):
        places = tapes.get(late.seat, {})
        if early.id in places and late.id in places and places[early.id] < places[late.id]:
            return order, True
    first = second = expected = 0
    for seat in range(seats):
        if seat in (a.seat, b.seat):
            continue
        expected += 1
        word = _word(a.id, b.id, tapes.get(Seat(seat), {}))
        first += word is Order.FIRST
        second += word is Order.SECOND
    if observer is not None:
        expected += 1
        word = _word(a.id, b.id, tapes.get(observer, {}))
        first += word is Order.FIRST
        second += word is Order.SECOND
    need = needed_words(seats, observer)
    if first >= need:
        return Order.FIRST, False
    if second >= need:
        return Order.SECOND, False
    # Neither can reach `need` any more, whatever the words still out say.
    if is_closed or (expected - second < need and expected - first < need):
        return Order.TOGETHER, False
    return Order.OPEN, False


def _word(a: Digest, b: Digest, places: Places) -> Order:
    """One witness's word; a tape that holds one and not the other says that one is first."""
    if a in places:
        return Order.FIRST if b not in places or places[a] < places[b] else Order.SECOND
    return Order.SECOND if b in places else Order.OPEN


def places_in(items: Iterable[TapeItem], claims: Collection[Digest]) -> dict[Seat, dict[Digest, int]]:
    """What a handful of items shows of their tapes about some claims: a claim's place is its first showing.

    A mention names the undecided rivals before it, so that a rival without a mention of its own among the
    items still has its place: just before the first mention that names it.
    """
    tapes: dict[Seat, dict[Digest, int]] = {}
    for item in items:
        places = tapes.setdefault(item.seat, {})
        for claim, place in shown(item):
            if claim in claims:
                places[claim] = min(place, places.get(claim, place))
    return tapes


def closed_at(tapes: Mapping[Seat, Places], lengths: Sequence[int]) -> dict[Seat, dict[Digest, int]]:
    """What the first items of each tape show, as many as `lengths` says, by seat."""
    return {
        seat: {claim: place for claim, place in places.items() if place < first_place(lengths[seat])}
        for seat, places in tapes.items()
    }


Precedes = Callable[[Digest, Digest], bool]
"""(a, b) -> the rules put a before b where causality leaves a choice."""


def order_together(
    decided: DecidedSet, precedes: Precedes, coins: tuple[bytes, ...], last: Set[Digest] = frozenset()
) -> tuple[Digest, ...]:
    """The order of a set that is together, where the coins of the claimants, by seat, draw what is left.

    `last`: the claims of whoever withheld its coin, behind all others whatever the rules put first.
    """
    draw = {claim: priority(decided.digest, coins, claim) for claim in decided.claims}

    def is_preferred(a: Digest, b: Digest) -> bool:
        return precedes(a, b) if (a in last) == (b in last) else b in last

    return order_by(decided, is_preferred, draw.__getitem__)


def order_by(
    decided: DecidedSet, precedes: Precedes, rank: Callable[[Digest], tuple[int, Digest] | Digest]
) -> tuple[Digest, ...]:
    """The order of a set that is together: causality, then what the rules put first, then the lower rank."""
    left = set(decided.claims)
    order: list[Digest] = []
    while left:
        free = [claim for claim in left if not any((other, claim) in decided.causal for other in left)]
        preferred = [
            claim for claim in free if not any(precedes(other, claim) for other in free if other != claim)
        ]
        chosen = min(preferred or free, key=rank)
        left.remove(chosen)
        order.append(chosen)
    return tuple(order)
