"""A seat that cheats at a table under faults: one of each kind, and whether it was found out or had its way.

A cheat that has struck is *detected* if an honest seat has found a fault that names it, which takes items
that it has signed, or if an entry of the chain blames it. Else it must have been *without effect* of the kind
that it aims at:

- nothing that it said falsely is carried, settled as done, drawn by, or an entry of the chain;
- of its exchanges against one head one counts at most;
- where it kept its coin back, its team's claims are behind all others in the draw;
- of two items that it showed to two parts of the table, no two honest seats hold different ones;
- and, whatever it kept back, the match has ended.

All else is *undetected*. Who gains by the time at which it speaks is not seen in one match: `lab fairness`
and `lab attack` measure it.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from kemps_p2p.codec import Digest, encode
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Cheat, CheatingPlay
from kemps_p2p.lab.lies_deck import (
    KEYS,
    REPLAYS,
    SHARES,
    TURNS,
    copied_commitment,
    false_key,
    false_seal,
    false_seed,
    false_share,
    false_turn,
    replayed,
)
from kemps_p2p.lab.lies_words import (
    CLAIMS,
    EARLY_SEED,
    ENTRIES,
    OF_NO_DEAL,
    SAID,
    changed_event,
    of_no_deal,
    once_playing,
)
from kemps_p2p.lab.networks import Fork, Withheld, at_number, is_claim, is_share
from kemps_p2p.lab.plots import (
    before_the_start,
    blind_to_the_next,
    cut_of_one,
    keeps_faces,
    other_order,
    reordered,
    with_a_later_coin,
)
from kemps_p2p.lab.timing import silent_witness, swap_of
from kemps_p2p.ledger.entry import Blamed, Carried, Drawn, Result, Ruled, Settled
from kemps_p2p.ledger.tape import NO_DIGEST, Deed, Head, TapeItem, claim_of
from kemps_p2p.runtime.sim import Sim, SimPeer
from kemps_p2p.session.fold import OpenRecord
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.play import Play


class Ending(Enum):
    """What came of a seat that was to cheat."""

    UNSTRUCK = auto()
    """It did not come to it."""
    DETECTED = auto()
    HARMLESS = auto()
    UNDETECTED = auto()


class _Holding:
    """A seat that keeps something back until it is told to let go."""

    def __init__(self) -> None:
        self.has_let_go = False
        self.cheat = Cheat(wait=lambda play, deed: not self.has_let_go and keeps_faces(play, deed))


@dataclass(frozen=True, slots=True)
class _How:
    """How a kind of cheat is made: by a machine, or by a network. `is_on_duty`: of a seat that orders.

    `may_count`: what it says is lawful, and only too much of it would be a gain.
    """

    cheat: Callable[[random.Random], Cheat] | None = None
    tamper: Callable[[int, Seat, frozenset[int], random.Random], Fork | Withheld] | None = None
    is_on_duty: bool = False
    may_count: bool = False


def _one_of(table: Iterable[Cheat]) -> Callable[[random.Random], Cheat]:
    cheats = tuple(table)
    return lambda rng: rng.choice(cheats)


def _entry(change: Callable[..., object]) -> _How:
    return _How(lambda _rng: changed_event(change), is_on_duty=True)


KINDS: dict[str, _How] = {
    "false-turn": _How(lambda rng: false_turn(rng.choice(list(TURNS.values()))[0], rng.randrange(2))),
    "hidden-false-turn": _How(
        lambda rng: replace(false_turn(rng.choice(list(TURNS.values()))[0]), hides=True), is_on_duty=True
    ),
    "false-key": _How(lambda rng: false_key(rng.choice(list(KEYS.values()))[0])),
    "copied-commitment": _How(lambda _rng: false_key(copied_commitment)),
    "false-share": _How(lambda rng: false_share(rng.choice(list(SHARES.values()))[0], rng.randrange(2))),
    "replayed-deed": _How(lambda rng: replayed(rng.choice(list(REPLAYS.values()))[0])),
    "false-seed": _How(lambda _rng: false_seed()),
    "early-seed": _How(lambda _rng: once_playing(Deed(payload=encode(EARLY_SEED)))),
    "false-seal": _How(lambda _rng: false_seal(), may_count=True),
    "old-heads": _How(_one_of([CLAIMS["claims against old heads"]]), may_count=True),
    "sprayed-claims": _How(_one_of([CLAIMS["sprayed claims"]]), may_count=True),
    "early-claim": _How(lambda _rng: Cheat(nuisance=before_the_start)),
    "nonsense": _How(lambda rng: once_playing(*rng.choice(list(SAID.values())))),
    "deed-of-no-deal": _How(lambda rng: of_no_deal(rng.choice(list(OF_NO_DEAL)))),
    "false-entry": _How(_one_of(how for how, _ in ENTRIES.values()), is_on_duty=True),
    "false-draw": _entry(other_order),
    "false-cut": _entry(cut_of_one),
    "false-order": _How(lambda _rng: Cheat(entry=reordered), is_on_duty=True),
    "pass-over": _How(lambda _rng: blind_to_the_next(), is_on_duty=True),
    "no-coin": _How(lambda _rng: Cheat(keeps_coins=True)),
    "false-coin": _How(lambda _rng: Cheat(coin=with_a_later_coin)),
    "silent-witness": _How(lambda _rng: silent_witness()),
    "held-share": _How(),
    "forked-tape": _How(
        tamper=lambda seed, seat, half, rng: Fork(seed, seat, at_number(rng.randrange(120)), half)
    ),
    "kept-claims": _How(tamper=lambda _seed, seat, half, _rng: Withheld(seat, half, is_claim)),
    "kept-shares": _How(tamper=lambda _seed, seat, half, _rng: Withheld(seat, half, is_share)),
}
"""Seats that end their own tape are not among them: what no item is, a stamp that leaps, a receipt of a claim
that nobody made. Whoever does that falls silent, which is a vanished seat and no gain.
"""


class Crook:
    """The cheat of one seed: which kind, which seat. `seat` is known once the match has begun."""

    def __init__(self, kind: str, seed: int, players: int) -> None:
        self.kind = kind
        self._how = KINDS[kind]
        self._rng = random.Random(f"kemps crook {seed}")
        self._place = self._rng.randrange(players)
        self._deal = self._rng.randrange(2)
        self._seats = players
        self._holding = _Holding()
        self.network: Fork | Withheld | None = None
        others = [seat for seat in range(players) if seat != self._place]
        half = frozenset(self._rng.sample(others, self._rng.randint(1, players // 2)))
        if self._how.tamper is not None:
            self.network = self._how.tamper(seed, Seat(self._place), half, self._rng)
        make = self._how.cheat
        self._cheat = self._holding.cheat if make is None else make(self._rng)

    def casting(self, seat: Seat, founding: Founding) -> Cheat | None:
        """How a seat cheats, for the machines of the table."""
        return self._cheat if self.network is None and seat == self.seat(founding) else None

    def seat(self, founding: Founding) -> Seat:
        """Who cheats."""
        if self._how.is_on_duty:
            return Seat((founding.first_dealer + self._deal) % self._seats)
        return Seat(self._place)

    def let_go(self) -> None:
        """All has healed: what it kept back for as long as it could, it says now."""
        self._holding.has_let_go = True

    def strikes(self, play: Play) -> int:
        """How often it has struck; `play`: that of its seat."""
        if isinstance(self.network, Fork):
            return int(self.network.has_forked)
        if self.network is not None:
            return int(self.network.count > 0)
        if not isinstance(play, CheatingPlay):
            return 0
        return len(play.forged) + bool(play.kept_back)

    def ending(self, sim: Sim, records: Sequence[OpenRecord]) -> Ending:
        """What came of it, by what the honest seats hold at the end; `records`: the chain."""
        founding = sim.peers[0].session.play.founding
        seat = self.seat(founding)
        play = sim.peers[seat].session.play
        if not self.strikes(play):
            return Ending.UNSTRUCK
        honest = [peer for other, peer in enumerate(sim.peers) if other != seat]
        if any(fault.culprit == seat for peer in honest for fault in peer.faults):
            return Ending.DETECTED
        items = honest[0].session.play.tapes.by_digest
        events = [(record, event) for record in records for event in record.entry.events]
        if any(isinstance(event, Blamed) and event.culprit == seat for _, event in events):
            return Ending.DETECTED
        forged = set(play.forged) if isinstance(play, CheatingPlay) else set()
        players = self._seats
        gains = (
            not self._how.may_count and any(record.item.digest in forged for record in records),
            not self._how.may_count and any(not forged.isdisjoint(_taken(event)) for _, event in events),
            took_twice(seat, events),
            self.kind == "no-coin" and any(won_a_draw(players, seat, event, items) for _, event in events),
            isinstance(self.network, Fork) and _is_forked(seat, honest),
        )
        return Ending.UNDETECTED if any(gains) else Ending.HARMLESS


def crook_of(seed: int, players: int) -> Crook | None:
    """Who cheats in a seed: in three of five somebody, each kind in its turn."""
    place = seed % 5 - 2
    if place < 0:
        return None
    kinds = list(KINDS)
    return Crook(kinds[(seed // 5 * 3 + place) % len(kinds)], seed, players)


def _taken(event: object) -> Iterator[Digest]:
    """The items that an event takes at their word."""
    match event:
        case Carried(item=item):
            yield item
        case Settled(claim=claim, result=Result.OK | Result.WAITING):
            yield claim
        case Drawn(order=order, coins=coins, results=results):
            yield from coins
            yield from (claim for claim, result in zip(order, results, strict=True) if result is Result.OK)
        case Ruled(order=order, results=results):
            yield from (claim for claim, result in zip(order, results, strict=True) if result is Result.OK)
        case _:
            return


def took_twice(seat: Seat, events: Sequence[tuple[OpenRecord, object]]) -> bool:
    """True if two of its exchanges against one head were carried out."""
    heads: Counter[Head] = Counter()
    for record, event in events:
        for name in () if isinstance(event, Carried) else _taken(event):
            item = record.items.get(name)
            claim = None if item is None or item.seat != seat else claim_of(item.item)
            if claim is not None and swap_of(claim) is not None:
                heads[claim.head] += 1
    return max(heads.values(), default=0) > 1


def won_a_draw(players: int, seat: Seat, drawn: object, items: Mapping[Digest, TapeItem]) -> bool:
    """True if a claim of the team of a seat that alone keeps its coin back goes before another's."""
    if not isinstance(drawn, Drawn) or drawn.coins.count(NO_DIGEST) != 1:
        return False
    seats = [items[name].seat for name in drawn.order]
    if sorted(set(seats))[drawn.coins.index(NO_DIGEST)] != seat:
        return False
    is_own = [(each - seat) % (players // 2) == 0 for each in seats]
    return is_own != sorted(is_own)


def _is_forked(seat: Seat, honest: Sequence[SimPeer]) -> bool:
    """True if honest seats hold different items at one number of its tape."""
    held: dict[int, Digest] = {}
    for peer in honest:
        for item in peer.session.play.tapes.of(seat):
            if held.setdefault(item.item.number, item.digest) != item.digest:
                return True
    return False
