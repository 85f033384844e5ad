"""The engine against the rules written a second time: under every rule set, and house rules nobody chose."""

import random
import tomllib
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import pytest
from game_helpers import PRESETS, TABLES
from game_rulebook import BETWEEN_DEALS, COUNTERS, Book, Lay, Step, whole_pack
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_p2p.game.actions import (
    Action,
    Call,
    CallItem,
    Counter,
    Discard,
    Double,
    DoubleCounter,
    Gesture,
    Go,
    Halt,
    Mulligan,
    Next,
    Partner,
    Pass,
    Resume,
    Say,
    Signal,
    Swap,
    Take,
)
from kemps_p2p.game.cards import format_card, parse_card
from kemps_p2p.game.conflicts import order_of_calls
from kemps_p2p.game.events import Event, Shown, TurnedUp, Verdicts
from kemps_p2p.game.record import replace
from kemps_p2p.game.rules import RuleSet, canonical_text, load_rules, override
from kemps_p2p.game.state import State, apply_together
from kemps_p2p.game.table import Layout, Outcome, Table
from kemps_p2p.ids import Position, Seat

Choices = tuple[int, int, int, int]
Script = list[Choices]
scripts = st.lists(
    st.tuples(st.integers(0, 63), st.integers(0, 63), st.integers(0, 999), st.integers(0, 999)),
    min_size=5,
    max_size=120,
)


def stacked(rules: Mapping[str, Any], players: int, seed: int) -> Lay:
    """A deal in which quartets and trios are common and the stock is often short."""
    draw = random.Random(seed)
    above = rules["two_decks_above"]
    cards = whole_pack(2 if above and players > above else 1)
    draw.shuffle(cards)
    hands: list[list[str]] = []
    for _ in range(players):
        rank, alike = draw.choice(cards)[0], draw.choice((1, 3, 4))
        hand = [card for card in cards if card[0] == rank][:alike]
        hand += [card for card in cards if card not in hand][: 4 - len(hand)]
        cards = [card for card in cards if card not in hand]
        hands.append(hand)
    pool, rest = cards[: rules["pool_size"]], cards[rules["pool_size"] :]
    size = draw.choice((0, 3, 7, len(rest), len(rest)))
    return Lay(hands, pool, rest[:size], rest[size:])


EXCHANGES = {"swap", "discard", "take"}
STILL = {"call", "gesture", "say", "signal", "go"}
"""Steps for which it makes no difference whether a card put down in the same set has been turned up."""


class Pair:
    """One game twice: by the engine and by the book. Sets also the way that live tables apply them."""

    def __init__(self, rules: RuleSet, players: int, seed: int) -> None:
        plain = tomllib.loads(canonical_text(rules))
        self.rules, self.players = rules, players
        self.book = Book(
            plain,
            players,
            dealer=seed % players,
            lay=lambda match, deal: stacked(plain, players, seed + 1000 * match + deal),
            shuffle=lambda cards: random.Random(len(cards)).sample(cards, len(cards)),
        )

        def lay(state: State) -> Layout:
            given = stacked(plain, players, seed + 1000 * state.matches + state.deal)
            piles = [tuple(map(parse_card, pile)) for pile in (given.pool, given.stock, given.swept)]
            hands = tuple(tuple(map(parse_card, hand)) for hand in given.hands)
            return Layout(hands=hands, pool=piles[0], stock=piles[1], swept=piles[2])

        self.table = Table.seated(
            rules, players, Seat(seed % players), lay,
            lambda cards: random.Random(len(cards)).sample(cards, len(cards)),
        )  # fmt: skip

    def action(self, step: Step) -> Action:
        where = self.table.positions()

        def cards(names: Sequence[str]) -> tuple[Position, ...]:
            return tuple(where[parse_card(name)] for name in names)

        makers: dict[str, Callable[[int], CallItem]] = {
            "partner": lambda _: Partner(),
            "double": lambda _: Double(),
            "counter": Counter,
            "double-counter": DoubleCounter,
        }
        calls = tuple(makers[sort](target) for sort, target in step.calls)
        plain: dict[str, Action] = {
            "swap": Swap(take=cards(step.take), give=cards(step.give)),
            "discard": Discard(cards(step.give)),
            "take": Take(cards(step.take)),
            "pass": Pass(self.table.state.pool),
            "call": Call(calls),
            "signal": Signal(),
            "gesture": Gesture("wink"),
            "say": Say("so"),
            "mulligan": Mulligan(),
            "go": Go(),
            "halt": Halt(),
            "resume": Resume(),
            "next": Next(),
        }
        return plain[step.do]

    def both(self, steps: Sequence[Step]) -> None:
        """Do one step, or several as simultaneous ones, on both sides, and compare all that can be seen."""
        before, faces = self.table.state, dict(self.table.faces)
        lying = {faces[card] for card in (*before.shown, *before.pool)}
        said = [self.book.step(steps[0])] if len(steps) == 1 else self.book.together(steps)
        outcomes, events = self._alone(steps[0]) if len(steps) == 1 else self._together(steps)
        results = [outcome.result.value for outcome in outcomes]
        assert results == said, (results, said, steps)
        if "ok" not in results:
            assert self.table.state == before
        told = [event for outcome in outcomes for event in outcome.events if isinstance(event, Verdicts)]
        assert [one.value for event in told for one in event.verdicts] == self.book.verdicts
        self.compare()
        if all(step.do != "next" for step in steps):
            faces.update(self.table.faces)
            up = {
                faces[card] for event in events if isinstance(event, Shown | TurnedUp) for card in event.cards
            }
            assert {format_card(card) for card in up - lying} == self.book.shown, steps

    def _alone(self, step: Step) -> tuple[list[Outcome], tuple[Event, ...]]:
        outcome = self.table.act(Seat(step.seat), self.action(step))
        return [outcome], outcome.events

    def _together(self, steps: Sequence[Step]) -> tuple[list[Outcome], tuple[Event, ...]]:
        table = self.table
        listed = [(Seat(step.seat), self.action(step)) for step in steps]
        outcomes: dict[int, Outcome] = {}
        events: tuple[Event, ...] = ()
        order = order_of_calls(self.rules, listed)
        live = table.fork()
        live.state = apply_together(table.state, [listed[index] for index in order]).state
        live.settle()
        table.open_set()
        for index in order:
            outcomes[index] = table.act(Seat(steps[index].seat), self.action(steps[index]))
            events += outcomes[index].events
        events += table.close_set()
        moved = [step.do for step in steps if step.do not in STILL]
        if len(moved) < 2 and set(moved) <= EXCHANGES:
            assert replace(live.state, faces=table.state.faces) == table.state, steps
        return [outcomes[index] for index in range(len(steps))], events

    def compare(self) -> None:
        state, book = self.table.state, self.book

        def names(cards: Sequence[Position]) -> list[str]:
            return sorted(format_card(self.table.faces[card]) for card in cards)

        assert state.phase.value == book.phase
        assert list(state.scores) == book.scores
        assert [names(hand) for hand in state.hands] == [sorted(hand) for hand in book.hands]
        assert names(state.pool) == sorted(book.pool)
        assert names(state.stock) == sorted(book.stock)
        assert names(state.swept) == sorted(book.swept)
        assert (state.turn, state.dealer, state.matches) == (book.turn, book.dealer, book.matches)
        assert (list(state.winners), state.playoff, state.deals) == (
            book.winners,
            book.playoff,
            book.deals_over,
        )
        assert (sorted(state.barred), sorted(state.passes)) == (sorted(book.barred), sorted(book.passed))
        assert sorted(state.signalled) == sorted(book.signalled)

    # What is done.

    def chosen(self, choices: Choices) -> Step:
        """An action, often legal, by a seat that often may."""
        who, what, a, b = choices
        seat = who % (self.players + 1) if who > 56 else who % self.players
        if self.book.turn is not None and who % 4:
            seat = self.book.turn
        if self.book.phase != "open" and what % 3:
            return self.moving_on(seat, what)
        match what % 16:
            case 0 | 1 | 2 | 3 | 4 | 5:
                return self._exchange(seat, what % 16, a, b)
            case 6 | 7 | 8:
                return Step(seat, "pass")
            case 9 | 10 | 11 | 12:
                return self._declaration(seat, a, b)
            case 13:
                return Step(self.book.dealer if a % 3 else seat, "halt")
            case 14:
                return Step(seat, ("signal", "gesture", "say", "mulligan")[a % 4])
            case _:
                return Step(seat, ("go", "resume", "next", "call")[a % 4])

    def moving_on(self, seat: int, what: int = 2) -> Step:
        """What brings a table to play again; `seat` is the one drawn, if somebody has to be."""
        book, rules = self.book, self.rules
        if book.phase == "dealt":
            return Step(seat, "mulligan") if what % 3 == 1 else Step(book.dealer, "go")
        if book.phase == "halted":
            return Step(book.dealer, "resume")
        if book.phase == "match-over":
            first = {"drawn": seat, "seat-0": 0, "rotates": book.matches + 1}
            return Step(first[rules.first_dealer] % self.players, "next")
        return Step((book.dealer + (rules.rotation == "clockwise")) % self.players, "next")

    def _exchange(self, seat: int, sort: int, a: int, b: int) -> Step:
        mine, middle = self.book.hands[seat % self.players], self.book.pool
        everything = [*chain.from_iterable(self.book.hands), *middle, *self.book.stock[:2]]
        count = 1 if a % 3 else 1 + b % 3

        def some(pile: Sequence[str], start: int) -> tuple[str, ...]:
            return tuple(pile[(start + step) % len(pile)] for step in range(count)) if pile else ()

        if sort == 3:
            return Step(seat, "swap", some(everything, a), some(everything if a % 2 else mine, b))
        if sort == 4:
            return Step(seat, "discard", give=some(everything, b))
        if sort == 5:
            return Step(seat, "take", take=some(everything, a))
        if self.rules.exchange == "swap":
            return Step(seat, "swap", some(middle, a), some(mine, b))
        if len(mine) == 4:
            return Step(seat, "discard", give=some(mine, b)[:1])
        return Step(seat, "take", take=some(middle, a)[:1])

    def _declaration(self, seat: int, a: int, b: int) -> Step:
        every = ("partner", "counter", "double", "double-counter")
        sorts = tuple(map(str, self.rules.calls)) if a % 5 else every
        calls = []
        for step in range(1 + (b % 3 == 0) + (b % 9 == 0)):
            sort = sorts[(a + step) % len(sorts)]
            calls.append((sort, (b + step) % (self.players + 1) if sort in COUNTERS else -1))
        return Step(seat, "call", calls=tuple(calls))

    def wait(self, ms: int) -> None:
        self.book.wait(ms)
        self.table.wait(ms)

    def play(self, script: Script) -> None:
        """Carry a script out; some of its steps are settled as simultaneous with those after them."""
        self.both([Step(self.book.dealer, "next")])
        index = 0
        while index < len(script):
            _, _, a, b = script[index]
            self.wait((0, 500, 1200, 3000)[a % 4])
            count = 1 + (b % 6 == 5) + (b % 30 == 29)
            self.both([self.chosen(each) for each in script[index : index + count]])
            index += count

    def finish_deal(self, caller: int) -> None:
        """One call, then nobody wants any card; where that never ends a deal, another call does."""
        if self.book.phase == "dealt":
            self.both([Step(self.book.dealer, "go")])
        if self.book.turn is not None:
            caller = self.book.turn
        target = (caller + 1) % (self.players if self.rules.counter_target == "player" else self.players // 2)
        self.both([Step(caller, "call", calls=(("counter", target),))])
        for _ in range(400):
            if self.book.phase in BETWEEN_DEALS:
                return
            if self.book.phase != "open":
                self.both([self.moving_on(0)])
            elif self.rules.sweep == "idle":
                self.wait(10_000)
                self.both([Step(self.book.dealer, "halt")])
            elif self.book.stock or self.rules.stock_out == "void":
                turn = self.book.turn or 0
                for seat in range(self.players):
                    self.both([Step((turn + seat) % self.players, "pass")])
            else:
                seat = caller if self.book.turn is None else self.book.turn
                self.both([Step(seat, "call", calls=(("partner", -1),))])
        raise AssertionError("the deal does not end")


def small(name: str, players: int) -> RuleSet:
    """A rule set whose matches are short, so that a script sees their ends."""
    rules = load_rules(name)
    limit = min(rules.deals(players), 2)
    return override(rules, {"word": "KE", "goal": min(rules.goal, 3), "deal_limit": limit})


def drawn(draw: random.Random, steps: int) -> Script:
    """A long script at once: what hypothesis draws is short, and takes longer to draw than to play."""
    return [
        (draw.randrange(64), draw.randrange(64), draw.randrange(1000), draw.randrange(1000))
        for _ in range(steps)
    ]


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_rule_set(name: str, players: int) -> None:
    draw = random.Random(f"{name} {players}")
    for seed in range(3):
        Pair(small(name, players), players, seed).play(drawn(draw, 150))


@pytest.mark.soak
@pytest.mark.parametrize(("name", "players"), TABLES)
@settings(max_examples=300)
@given(seed=st.integers(0, 2**32), script=scripts)
def test_every_rule_set_at_length(name: str, players: int, seed: int, script: Script) -> None:
    Pair(small(name, players), players, seed).play(script)


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_match_ends(name: str, players: int) -> None:
    """With the scores of the book itself: one call a deal, by anybody, on the team at the left."""
    draw = random.Random(f"{name} {players}")
    pair = Pair(load_rules(name), players, seed=7)
    for _ in range(150):
        pair.both([pair.moving_on(0) if pair.book.phase != "seated" else Step(pair.book.dealer, "next")])
        pair.finish_deal(draw.randrange(players))
        if pair.book.phase == "match-over":
            break
    state = pair.table.state
    assert state.phase.value == "match-over"
    assert 0 < len(state.winners) < players // 2 or pair.rules.tie == "none"
    assert state.winners


sorts_of_calls = st.lists(
    st.sampled_from(["partner", "counter", "double", "double-counter"]), min_size=1, unique=True
)
points = st.integers(-2, 3)
house_rules = st.fixed_dictionaries(
    {},
    optional={
        "pool_size": st.integers(1, 6),
        "mode": st.sampled_from(["simultaneous", "turns"]),
        "exchange": st.sampled_from(["swap", "discard-first"]),
        "exchange_limit": st.integers(1, 4),
        "start": st.sampled_from(["last-card", "go"]),
        "mulligan": st.sampled_from([0, 2, 3, 4]),
        "sweep": st.sampled_from(["pass", "idle"]),
        "idle_seconds": st.sampled_from([0, 1, 2.2, 3]),
        "stock_out": st.sampled_from(["void", "recycle"]),
        "calls": sorts_of_calls,
        "combine_calls": st.booleans(),
        "counter_target": st.sampled_from(["player", "team"]),
        "reveal": st.sampled_from(["hand", "two-cards", "claim"]),
        "wrong_call": st.sampled_from(["ends-deal", "continue", "counter-continues"]),
        "bar_after_wrong_counter": st.booleans(),
        "scoring": st.sampled_from(["letters", "points"]),
        "word": st.sampled_from(["K", "KE", "KEM"]),
        "points_right": st.fixed_dictionaries(
            dict.fromkeys(["partner", "counter", "double", "double-counter"], points)
        ),
        "points_wrong_caller": points,
        "points_wrong_other": points,
        "goal": st.integers(0, 4),
        "deal_limit": st.one_of(st.integers(0, 3), st.just({"4": 1, "6": 2})),
        "tie": st.sampled_from(["playoff", "none"]),
        "rotation": st.sampled_from(["clockwise", "fixed"]),
        "first_dealer": st.sampled_from(["drawn", "seat-0", "rotates"]),
        "simultaneous_calls": st.sampled_from(["first", "both", "counter-first"]),
        "signals": st.sampled_from(["gestures", "once"]),
        "speech": st.booleans(),
    },
)
BASE: dict[str, object] = {
    "points_right": {"partner": 1, "counter": 1, "double": 3, "double-counter": 4},
    "word": "KE",
    "goal": 3,
}


house_games = st.fixed_dictionaries(
    {
        "base": st.sampled_from(PRESETS),
        "players": st.sampled_from([4, 6, 8]),
        "changes": house_rules,
        "seed": st.integers(0, 2**32),
        "script": scripts,
    }
)


def play_by_house_rules(game: dict[str, Any]) -> None:
    rules = override(load_rules(game["base"]), {**BASE, "players": [game["players"]], **game["changes"]})
    Pair(rules, game["players"], game["seed"]).play(game["script"])


@settings(max_examples=60)
@given(game=house_games)
def test_house_rules(game: dict[str, Any]) -> None:
    play_by_house_rules(game)


@pytest.mark.soak
@settings(max_examples=20_000)
@given(game=house_games)
def test_house_rules_at_length(game: dict[str, Any]) -> None:
    play_by_house_rules(game)
