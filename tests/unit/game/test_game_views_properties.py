"""What a seat sees does not depend on cards that it has not seen, in every rule set and at every table.

A deal is played by a script, move by move, and then again with all cards that one seat has never seen lying
in another order. Up to where hidden cards must show, in an answer to a call, that seat sees the same.
"""

import random
from collections.abc import Sequence

import pytest
from game_helpers import TABLES, Script, begin_next, scripted, scripts, shuffled
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_p2p.game.actions import Action, Deny, Mulligan, Next
from kemps_p2p.game.cards import Card
from kemps_p2p.game.events import Answered, Event
from kemps_p2p.game.rules import load_rules
from kemps_p2p.game.table import Layout, Outcome, Table
from kemps_p2p.game.views import PublicView, SeatView, options, public_view, seat_view
from kemps_p2p.ids import Position, Seat

STEP_MS = 250
ASK_THE_HAND = (Mulligan, Deny)
"""Whether these are lawful depends on the hand of who acts."""

Move = tuple[Seat, Action]
Seen = tuple[PublicView, SeatView, tuple[Action, ...], tuple[Event, ...]]


def sight(table: Table, seat: Seat, events: Sequence[Event]) -> Seen:
    """All that a seat may know now: its view, what it may do, and what has just happened."""
    view = seat_view(table.state, seat, table.hand(seat))
    return public_view(table.state), view, tuple(options(view)), tuple(events)


def moves_of(table: Table, seat: Seat, script: Script) -> tuple[list[Move], list[Seen], set[Position]]:
    """Play a script within a deal: the moves, what the seat sees after each, and all cards that it saw."""
    moves: list[Move] = []
    sights: list[Seen] = []
    start = table.state.next_position
    saw = {*table.state.faces, *table.state.hands[seat]}
    for number, sort, a, b in script:
        doer = Seat(number)
        action = scripted(table, doer, sort, a, b)
        if isinstance(action, (*ASK_THE_HAND, Next)):
            continue
        table.wait(STEP_MS)
        done = table.act(doer, action)
        # Recycled cards have new positions, which the other layout knows nothing of.
        if table.state.next_position != start:
            break
        moves.append((doer, action))
        sights.append(sight(table, seat, done.events))
        saw |= {*table.state.faces, *table.state.hands[seat]}
    return moves, sights, saw


def otherwise(table: Table, start: dict[Position, Card], saw: set[Position], draw: random.Random) -> Layout:
    """The deal as it lay at the start, but for the cards that were never seen."""
    hidden = [position for position in start if position not in saw]
    cards = [start[position] for position in hidden]
    draw.shuffle(cards)
    lying = {**start, **dict(zip(hidden, cards, strict=True))}
    order = [lying[position] for position in sorted(lying)]
    players, pool_end = table.state.players, 4 * table.state.players + table.state.rules.pool_size
    hands = tuple(tuple(order[4 * seat : 4 * seat + 4]) for seat in range(players))
    return Layout(hands=hands, pool=tuple(order[4 * players : pool_end]), stock=tuple(order[pool_end:]))


def has_answered_otherwise(done: Outcome, expected: Sequence[Event]) -> bool:
    """True if a called seat, which knows its hand, had to say something else."""
    said, should = (
        [event for event in events if isinstance(event, Answered)] for events in (done.events, expected)
    )
    return said != should


def check(name: str, players: int, seed: int, script: Script) -> int:
    """Play twice and compare; return how many moves were compared."""
    rules, seat = load_rules(name), Seat(seed % players)
    first = shuffled(rules, players, seed)
    begin_next(first)
    start = dict(first.faces)
    before = sight(first, seat, ())
    moves, sights, saw = moves_of(first, seat, script)
    layout = otherwise(first, start, saw, random.Random(seed))
    second = Table.seated(rules, players, Seat(0), lambda state: layout)
    begin_next(second)
    assert sight(second, seat, ()) == before
    for count, ((doer, action), expected) in enumerate(zip(moves, sights, strict=True)):
        second.wait(STEP_MS)
        done = second.act(doer, action)
        if has_answered_otherwise(done, expected[3]):
            return count
        assert sight(second, seat, done.events) == expected
    return len(moves)


@settings(max_examples=120, derandomize=True, database=None)
@given(st.sampled_from(TABLES), st.integers(0, 2**32), scripts)
def test_hidden_cards_change_nothing_that_a_seat_sees(
    table: tuple[str, int], seed: int, script: Script
) -> None:
    check(*table, seed, script)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "players"), TABLES)
@settings(max_examples=300, database=None)
@given(st.integers(0, 2**32), scripts)
def test_hidden_cards_change_nothing_at_length(name: str, players: int, seed: int, script: Script) -> None:
    check(name, players, seed, script)


def test_games_go_on_for_a_while_before_hidden_cards_must_show() -> None:
    """Else the property would hold of nothing."""
    draw = random.Random(3)
    compared = []
    for seed in range(20):
        name, players = TABLES[seed * len(TABLES) // 20]
        script = [
            (draw.randrange(players), draw.randrange(14), draw.randrange(999), draw.randrange(999))
            for _ in range(40)
        ]
        compared.append(check(name, players, seed, script))
    assert sum(compared) > 200
