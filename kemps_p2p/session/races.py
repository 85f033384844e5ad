"""Who was first, and why: what the evidence of an entry says of each pair of rival claims.

Derives nothing that the fold has not checked already; it only takes apart what `decide` put together.
Section "Who was first" of protocol.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from kemps_p2p.codec import Digest
from kemps_p2p.game.actions import Action, kind
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.poll import Contender, Cut, Order, closed_at, compare, places_in
from kemps_p2p.ledger.tape import TapeItem, claim_of
from kemps_p2p.session.match import Match, action_of, do_conflict, refusal


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim in words of the game."""

    id: Digest
    seat: Seat
    action: Action


@dataclass(frozen=True, slots=True)
class Race:
    """Two claims that do not commute. `first` is ahead, unless the two are together.

    `by_cause`: the later claimant had seen the earlier claim. `words`: witnesses for `first`, for `second`,
    and all who are asked. `by_cut`: what the tapes say once a cut has closed them, or that it names one claim
    and not the other.
    """

    first: Asked
    second: Asked
    is_together: bool
    by_cause: bool
    words: tuple[int, int, int]
    by_cut: bool = False


def asked_by(item: TapeItem) -> Asked:
    """The claim of an item that an entry has settled."""
    claim = claim_of(item.item)
    assert claim is not None, "a settled item makes a claim"
    return Asked(item.digest, item.seat, action_of(item, claim))


def asked(match: Match, item: TapeItem) -> Asked | None:
    """The claim of an item if it is undecided and lawful at this head; None otherwise."""
    claim = claim_of(item.item)
    if claim is None or any(item.digest in opened.claims for opened in match.contests):
        return None
    action = action_of(item, claim)
    last = match.logged.get((item.seat, kind(action)))
    if last is not None and last.number >= item.item.number:
        return None
    return None if refusal(match, item, claim) is not None else Asked(item.digest, item.seat, action)


def races(
    match: Match, items: Mapping[Digest, TapeItem], claims: Sequence[Digest], evidence: Sequence[Digest]
) -> Iterator[Race]:
    """The races that an event settles or names: each of its claims against each rival in the evidence.

    `match`: as it was before the event.
    """
    named = [items[name] for name in (*claims, *evidence)]
    asks = {ask.id: ask for ask in (asked(match, item) for item in named) if ask is not None}
    tapes = places_in(named, asks.keys())
    for a, b in combinations(asks.values(), 2):
        if a.id not in claims and b.id not in claims:
            continue
        if not do_conflict(match, (a.seat, a.action), (b.seat, b.action)):
            continue
        yield race_between(match, a, b, tapes)


def race_between(match: Match, a: Asked, b: Asked, tapes: Mapping[Seat, Mapping[Digest, int]]) -> Race:
    """How two claims that do not commute stand by what some tapes show of them, or by the open cut."""
    rivals = frozenset((a.id, b.id))
    one, other = Contender(a.id, a.seat, rivals - {a.id}), Contender(b.id, b.seat, rivals - {b.id})
    tapes = match.asked(tapes)
    opened = match.cut
    cut = None if opened is None else Cut(frozenset(opened.claims), closed_at(tapes, opened.lengths))
    by_cut = cut is not None and not rivals.isdisjoint(cut.claims)
    order, by_cause = compare(one, other, match.seats, match.observer, tapes, cut=cut)
    if cut is not None and by_cut:
        tapes = match.asked(cut.tapes)
    first, second = (b, a) if order is Order.SECOND else (a, b)
    is_together = order in (Order.TOGETHER, Order.OPEN)
    return Race(first, second, is_together, by_cause, _words(match, first, second, tapes), by_cut)


def _words(
    match: Match, first: Asked, second: Asked, tapes: Mapping[Seat, Mapping[Digest, int]]
) -> tuple[int, int, int]:
    witnesses = [Seat(seat) for seat in range(match.seats) if seat not in (first.seat, second.seat)]
    witnesses += [] if match.observer is None else [match.observer]
    ahead = behind = 0
    for witness in witnesses:
        places = tapes.get(witness, {})
        one, other = places.get(first.id), places.get(second.id)
        if one is not None and (other is None or one < other):
            ahead += 1
        elif other is not None:
            behind += 1
    return ahead, behind, len(witnesses)
