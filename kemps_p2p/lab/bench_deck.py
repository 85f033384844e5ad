"""What the blind deck costs: each step, and the whole shuffle of a table whose seats have a core each."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter
from typing import TypeVar

from kemps_p2p.codec import encode
from kemps_p2p.deck.context import Secrets
from kemps_p2p.deck.deal import (
    Deck,
    Table,
    add_key,
    add_turn,
    check_shares,
    check_turn,
    list_digest,
    make_key,
    make_shares,
    make_turn,
    new_deck,
)
from kemps_p2p.deck.group import RISTRETTO, card_point, generators
from kemps_p2p.deck.shuffle import reblind, reblinding
from kemps_p2p.deck.state import joint_key_of, list_before
from kemps_p2p.ids import Position, Seat

REPEATS = 3
HAND_CARDS = 4
POOL_CARDS = 4
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DeckBench:
    """Medians over seats and repeats. Shares are those of a deal's start: all other hands and the pool."""

    players: int
    cards: int
    shuffle_ms: float
    prove_ms: float
    verify_ms: float
    shares_ms: float
    verify_shares_ms: float
    critical_path_ms: float
    critical_path_mults: int
    bytes_per_seat: int
    scalar_mult_us: float


def _timed(act: Callable[[], T]) -> tuple[T, float]:
    began = perf_counter()
    result = act()
    return result, (perf_counter() - began) * 1000


def scalar_mult_us() -> float:
    """What one multiplication of a point by a scalar costs here and now."""
    point, count = card_point(RISTRETTO, 0), 400
    scalar = int.from_bytes(os.urandom(31), "little")
    runs = [_timed(lambda: [RISTRETTO.mul(scalar, point) for _ in range(count)])[1] for _ in range(REPEATS)]
    return median(runs) * 1000 / count


def bench_deck(players: int, cards: int, progress: Callable[[str], None]) -> DeckBench:
    """Deal `REPEATS` decks with real proofs and time every step."""
    generators(RISTRETTO, cards)
    shuffles: list[float] = []
    turns: list[float] = []
    checks: list[float] = []
    makes: list[float] = []
    share_checks: list[float] = []
    mult_us: list[float] = []
    size = 0
    for repeat in range(REPEATS):
        progress(f"deal {repeat + 1} of {REPEATS}")
        mult_us.append(scalar_mult_us())
        seeds = [os.urandom(32) for _ in range(players)]
        deck = _keyed(Table(RISTRETTO, os.urandom(32), repeat, 0, players), cards, seeds)
        for seat in map(Seat, range(players)):
            shuffles.append(_shuffle_alone_ms(deck, seat, seeds[seat]))
            turn, took = _timed(partial(make_turn, deck, seat, seeds[seat]))
            turns.append(took)
            checks.append(_timed(partial(check_turn, deck, seat, turn))[1])
            deck = add_turn(deck, seat, turn)
            size = len(encode(turn))
        for seat in map(Seat, range(players)):
            owed = [Position(p) for p in range((players + 1) * HAND_CARDS) if p // HAND_CARDS != seat]
            shares, took = _timed(partial(make_shares, deck, seat, seeds[seat], owed))
            makes.append(took)
            share_checks.append(_timed(partial(check_shares, deck, seat, shares))[1])
        total = size + len(encode(deck.keys[0])) + len(encode(shares))
    turn_ms, check_ms, mult = median(turns), median(checks), median(mult_us)
    path_ms = critical_path_ms(players, turn_ms, check_ms)
    return DeckBench(
        players=players,
        cards=cards,
        shuffle_ms=round(median(shuffles), 2),
        prove_ms=round(turn_ms - median(shuffles), 2),
        verify_ms=round(check_ms, 2),
        shares_ms=round(median(makes), 2),
        verify_shares_ms=round(median(share_checks), 2),
        critical_path_ms=round(path_ms, 1),
        critical_path_mults=round(path_ms * 1000 / mult),
        bytes_per_seat=total,
        scalar_mult_us=round(mult, 1),
    )


def _keyed(table: Table, cards: int, seeds: list[bytes]) -> Deck:
    deck = new_deck(table, tuple(range(cards)))
    for seat in map(Seat, range(table.seats)):
        deck = add_key(deck, seat, make_key(table, seat, seeds[seat]))
    return deck


def _shuffle_alone_ms(deck: Deck, seat: Seat, seed: bytes) -> float:
    """The turn without its proof."""
    inputs = list_before(deck, seat)
    secret = reblinding(Secrets(seed, list_digest(deck)), len(deck.cards))
    return _timed(lambda: reblind(RISTRETTO, joint_key_of(deck), inputs, secret))[1]


def critical_path_ms(players: int, turn_ms: float, check_ms: float) -> float:
    """From the first turn to the last verification, a core for each seat and no network.

    It follows the order in which a peer works: the own turn as soon as its list is there, before any check
    that has not begun, and checks in order of arrival.
    """
    made = [0.0] * players
    free = [0.0] * players
    pending: list[list[int]] = [[] for _ in range(players)]
    for taker in range(players):
        ready = made[taker - 1] if taker else 0.0
        # Until its list is there, the taker checks what has come; a check that has begun is finished.
        queue = pending[taker]
        while queue and max(free[taker], made[queue[0]]) < ready:
            free[taker] = max(free[taker], made[queue.pop(0)]) + check_ms
        made[taker] = free[taker] = max(ready, free[taker]) + turn_ms
        for other in range(players):
            if other != taker:
                pending[other].append(taker)
    for seat in range(players):
        for turn in pending[seat]:
            free[seat] = max(free[seat], made[turn]) + check_ms
    return max(free)
