"""Why claims that were together came in the order they did: what put each before the next.

Derives nothing that the fold has not checked already; it only takes apart what a draw or a ruling put
together. Section "Coins" of protocol.md.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from kemps_p2p.codec import Digest
from kemps_p2p.game.actions import Kind, kind
from kemps_p2p.game.conflicts import precedes_when_together
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import priority
from kemps_p2p.ledger.entry import Drawn, Ruled
from kemps_p2p.ledger.tape import NO_DIGEST, TapeItem
from kemps_p2p.session.claims import coin_in
from kemps_p2p.session.match import Match, OpenContest
from kemps_p2p.session.races import Asked, Race, asked_by


class Why(Enum):
    """What puts a claim before the next one of its set."""

    CAUSE = "cause"
    """The later claimant had seen the earlier claim."""
    WITHHELD = "withheld"
    """The later claimant, or its partner, did not show its coin in time."""
    OWN_EXCHANGE = "own-exchange"
    """The exchange of a team goes before the call of the same team."""
    COUNTER_FIRST = "counter-first"
    """The rule book puts a counter before a call."""
    COINS = "coins"
    DEALER = "dealer"
    """The order on the dealer's tape."""


@dataclass(frozen=True, slots=True)
class InOrder:
    """Claims that were together, as they were settled. `whys`: between each and the next.

    `numbers`: what the coins gave, by claim, lower first; empty if the dealer gave the order. `coins`: by
    claimant, the entry's item with its coin, or None for one that was withheld.
    """

    claims: tuple[Asked, ...]
    whys: tuple[Why, ...]
    numbers: Mapping[Digest, Digest]
    coins: Mapping[Seat, TapeItem | None]


def in_drawn_order(
    match: Match, items: Mapping[Digest, TapeItem], event: Drawn, races: Sequence[Race]
) -> InOrder:
    """How a draw came to its order. `match`: as it was before; `races`: between the claims of the contest."""
    opened = next(contest for contest in match.contests if contest.index == event.index)
    shown = [None if name == NO_DIGEST else items[name] for name in event.coins]
    coins = dict(zip(opened.claimants(), shown, strict=True))
    asked = tuple(asked_by(opened.claims[name]) for name in event.order)
    late = {match.team_of(seat) for seat, item in coins.items() if item is None}
    last = {claim.id for claim in asked if match.team_of(claim.seat) in late}
    numbers = _numbers(opened, tuple(coins.values()))
    return InOrder(asked, _whys(match, asked, races, last, Why.COINS), numbers, coins)


def in_ruled_order(
    match: Match, items: Mapping[Digest, TapeItem], event: Ruled, races: Sequence[Race]
) -> InOrder:
    """How a ruling of the dealer came to its order. `match`: as it was before."""
    asked = tuple(asked_by(items[name]) for name in event.order)
    return InOrder(asked, _whys(match, asked, races, frozenset(), Why.DEALER), {}, {})


def _numbers(opened: OpenContest, coins: tuple[TapeItem | None, ...]) -> Mapping[Digest, Digest]:
    taken = tuple(b"" if item is None else coin_in(item, opened.index) or b"" for item in coins)
    return {name: priority(opened.decided.digest, taken, name) for name in opened.decided.claims}


def _whys(
    match: Match, asked: Sequence[Asked], races: Sequence[Race], last: Set[Digest], otherwise: Why
) -> tuple[Why, ...]:
    causal = {(race.first.id, race.second.id) for race in races if race.by_cause}
    return tuple(
        Why.CAUSE if (one.id, other.id) in causal else _why(match, one, other, last) or otherwise
        for one, other in pairwise(asked)
    )


def _why(match: Match, one: Asked, other: Asked, last: Set[Digest]) -> Why | None:
    if (one.id in last) != (other.id in last):
        return Why.WITHHELD
    acts = (one.seat, one.action), (other.seat, other.action)
    if not precedes_when_together(match.founding.rules, match.seats, *acts):
        return None
    return Why.OWN_EXCHANGE if kind(one.action) is Kind.EXCHANGE else Why.COUNTER_FIRST
