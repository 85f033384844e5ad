"""Other orders than the table's poll, for experiments alone: what each of them gives to whom.

A policy is made for one seat of a table, and what is made has the signature of `decide`. One of your own is
an entry point of the group `kemps_p2p.policies`; `examples/own_policy.py` shows how. Every policy logs a
claim only once it is decided by words that an entry can carry, since every seat decides again before it acks.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TypeAlias

from kemps_p2p.codec import Digest
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.poll import (
    Contender,
    Cut,
    Decide,
    DecidedSet,
    Order,
    Places,
    compare,
    decide,
    first_sets,
)

GROUP = "kemps_p2p.policies"


@dataclass(frozen=True, slots=True)
class Table:
    """What a policy may know of the table beside the tapes: who orders, and the stamp of a claim."""

    dealer: Callable[[], Seat]
    stamp: Callable[[Digest], int]


Tapes: TypeAlias = Mapping[Seat, Places]
Policy: TypeAlias = Callable[[Table], Decide]


class PolicyError(ValueError):
    """A name that no policy has, or an entry point that cannot be loaded."""


def poll(_table: Table) -> Decide:
    """What real tables do."""
    return decide


def arrival(table: Table) -> Decide:
    """First is what reached the dealer first, as the dealer says."""

    def by_arrival(
        claims: Collection[Contender],
        seats: int,
        observer: Seat | None,
        tapes: Tapes,
        cut: Cut | None = None,
    ) -> tuple[DecidedSet, ...]:
        del seats, observer
        dealer = table.dealer()

        def places(claim: Contender) -> Places:
            shown = cut.tapes if cut is not None and claim.id in cut.claims else tapes
            return shown.get(dealer, {})

        def compared(a: Contender, b: Contender) -> tuple[Order, bool]:
            one, other = places(a).get(a.id), places(b).get(b.id)
            if one is None and other is None:
                # What the dealer's closed tape does not show of the claims of a cut is not waited for.
                both = Order.TOGETHER if _is_cut(a, cut) else Order.OPEN
                return _named_first(a, b, cut) or both, False
            is_first = other is None or (one is not None and one < other)
            return Order.FIRST if is_first else Order.SECOND, False

        return first_sets(claims, compared, lambda claim: claim.id in places(claim) or _is_cut(claim, cut))

    return by_arrival


def once_everywhere(order: Callable[[Contender, Contender, Tapes], tuple[Order, bool]]) -> Decide:
    """A claim waits until every tape shows it, and what a cut names goes before what it does not."""

    def by_order(
        claims: Collection[Contender],
        seats: int,
        observer: Seat | None,
        tapes: Tapes,
        cut: Cut | None = None,
    ) -> tuple[DecidedSet, ...]:
        del observer

        def compared(a: Contender, b: Contender) -> tuple[Order, bool]:
            named = _named_first(a, b, cut)
            return order(a, b, tapes) if named is None else (named, False)

        return first_sets(claims, compared, lambda claim: _is_everywhere(claim, seats, tapes, cut))

    return by_order


def lamport(table: Table) -> Decide:
    """First is the smaller stamp, then the lower seat."""

    def by_stamp(a: Contender, b: Contender, _tapes: Tapes) -> tuple[Order, bool]:
        is_first = (table.stamp(a.id), a.seat) < (table.stamp(b.id), b.seat)
        return Order.FIRST if is_first else Order.SECOND, False

    return once_everywhere(by_stamp)


def lottery(_table: Table) -> Decide:
    """All that causality leaves is together, and drawn."""

    def by_lot(a: Contender, b: Contender, tapes: Tapes) -> tuple[Order, bool]:
        own = {seat: tapes.get(seat, {}) for seat in (a.seat, b.seat)}
        # Of these two tapes and no witness's only what causality says is of use.
        order, by_cause = compare(a, b, 0, None, own)
        return (order, True) if by_cause else (Order.TOGETHER, False)

    return once_everywhere(by_lot)


def _is_cut(claim: Contender, cut: Cut | None) -> bool:
    return cut is not None and claim.id in cut.claims


def _named_first(a: Contender, b: Contender, cut: Cut | None) -> Order | None:
    """What a cut names goes before what it does not."""
    if _is_cut(a, cut) == _is_cut(b, cut):
        return None
    return Order.FIRST if _is_cut(a, cut) else Order.SECOND


def _is_everywhere(claim: Contender, seats: int, tapes: Tapes, cut: Cut | None) -> bool:
    return _is_cut(claim, cut) or all(claim.id in tapes.get(Seat(seat), {}) for seat in range(seats))


POLICIES: Mapping[str, Policy] = {"poll": poll, "arrival": arrival, "lamport": lamport, "lottery": lottery}


def policy_names() -> tuple[str, ...]:
    """Those of the program, and those that are installed beside it."""
    return tuple(dict.fromkeys((*POLICIES, *(point.name for point in entry_points(group=GROUP)))))


def policy_named(name: str) -> Policy:
    """The policy of a name. Raises `PolicyError`."""
    if name in POLICIES:
        return POLICIES[name]
    for point in entry_points(group=GROUP, name=name):
        try:
            found = point.load()
        except (ImportError, AttributeError) as error:
            raise PolicyError(f"the policy {name} cannot be loaded: {error}") from None
        if not callable(found):
            raise PolicyError(f"the policy {name} is not a function")
        return found  # type: ignore[no-any-return]  # Whatever else it is shows when it is used.
    raise PolicyError(f"no policy {name!r}; there are {', '.join(policy_names())}")
