"""Tables for the tests of the rules: shuffled by a seed, driven by short scripts that shrink well."""

import random
from collections.abc import Sequence

from hypothesis import strategies as st

from kemps_p2p.game.actions import (
    Action,
    Call,
    CallItem,
    Counter,
    Deny,
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
from kemps_p2p.game.cards import Card, parse_cards
from kemps_p2p.game.rules import RuleSet, deal_cards, load_rules, override, rule_names
from kemps_p2p.game.state import Phase, State, legal_actions, next_dealer
from kemps_p2p.game.table import Layout, Outcome, Table, layout_of
from kemps_p2p.ids import Position, Seat

PRESETS = ("kemps", "chaulcer", "cash", "kems", "kent")
TABLES = tuple((name, players) for name in rule_names() for players in load_rules(name).players)
"""Every rule set with every number of players that it allows."""


def shuffled(rules: RuleSet, players: int, seed: int, dealer: int = 0) -> Table:
    """A table before its first deal; a shuffle depends on the seed, the deal and the cards alone."""

    def shuffle(cards: Sequence[Card], deal: int = -1) -> list[Card]:
        order = list(cards)
        random.Random(f"{seed} {deal} {order}").shuffle(order)
        return order

    def lay(state: State) -> Layout:
        cards = shuffle(deal_cards(rules, players), state.deal + 100 * state.matches)
        return layout_of(cards, players, rules.pool_size)

    return Table.seated(rules, players, Seat(dealer), lay, shuffle)


def dealt(name: str, players: int = 4, seed: int = 0, **changes: object) -> Table:
    """A table whose first deal lies, and is open for play where play opens by itself."""
    table = shuffled(override(load_rules(name), changes), players, seed)
    assert table.act(Seat(0), Next()).result == "ok"
    return table


def laid(name: str, hands: Sequence[str], pool: str, stock: str | None = None, **changes: object) -> Table:
    """A table whose first deal lies as given, opened by the dealer, seat 0, where somebody has to."""
    rules = override(load_rules(name), changes)
    players = len(hands)
    given = tuple(parse_cards(hand) for hand in hands)
    named = {card for hand in given for card in hand} | set(parse_cards(pool))
    rest = tuple(card for card in deal_cards(rules, players) if card not in named)
    top = rest if stock is None else parse_cards(stock)
    layout = Layout(
        hands=given,
        pool=parse_cards(pool),
        stock=top,
        swept=tuple(card for card in rest if card not in top),
    )
    table = Table.seated(rules, players, Seat(0), lambda state: layout)
    assert table.act(Seat(0), Next()).result == "ok"
    if table.state.phase is Phase.DEALT:
        assert table.act(Seat(0), Go()).result == "ok"
    return table


def where(table: Table, cards: str) -> tuple[Position, ...]:
    """The positions of cards by name."""
    positions = table.positions()
    return tuple(positions[card] for card in parse_cards(cards))


Script = list[tuple[int, int, int, int]]
"""Steps (seat, sort, first choice, second choice), each read modulo what there is to choose from."""

scripts = st.lists(
    st.tuples(st.integers(0, 16), st.integers(0, 19), st.integers(0, 999), st.integers(0, 999)), max_size=60
)


def _some(cards: Sequence[Position], choice: int, count: int) -> tuple[Position, ...]:
    pile = list(cards) or [Position(0)]
    return tuple(pile[(choice + step) % len(pile)] for step in range(count))


def _calls(a: int, b: int) -> tuple[CallItem, ...]:
    items: tuple[CallItem, ...] = (Partner(), Double(), Counter(b % 18), DoubleCounter(b % 9))
    return tuple(items[(a // 4**step) % 4] for step in range(1 + (a % 3 == 0)))


def scripted(table: Table, seat: Seat, sort: int, a: int, b: int) -> Action:
    """An action, legal or not, for one step of a script."""
    state = table.state
    hand = state.hands[seat % state.players] if state.hands else ()
    anywhere = tuple(Position(index) for index in range(state.next_position + 2))
    if sort < 8:
        legal = list(legal_actions(state, seat, table.hand(seat)))
        if legal:
            return legal[(a * 1000 + b) % len(legal)]
    simple: tuple[Action, ...] = (Signal(), Mulligan(), Go(), Halt(), Resume(), Next(), Deny(), Say("so"))
    match sort:
        case 8 | 9:
            return Pass(state.pool if a % 5 else hand)
        case 10:
            return Swap(take=_some(state.pool, a, 1 + b % 4), give=_some(hand, b, 1 + b % 4))
        case 11:
            return Swap(take=_some(anywhere, a, 1 + a % 2), give=_some(anywhere, b, 1 + b % 2))
        case 12:
            return Discard(_some(hand, a, 1 + (b % 7 == 0)))
        case 13:
            return Take(_some(anywhere if b % 2 else state.pool, a, 1 + (b % 7 == 0)))
        case 14:
            return Call(_calls(a, b) if a % 50 else ())
        case 15:
            return Gesture("wink" if a % 9 else "w" * (b % 60))
        case _:
            return simple[a % len(simple)]


def play(table: Table, script: Script) -> list[tuple[Seat, Action, Outcome]]:
    """Carry a script out; a quarter of a second passes with every step."""
    done = []
    for number, sort, a, b in script:
        seat = Seat(number)
        action = scripted(table, seat, sort, a, b)
        table.wait(250)
        done.append((seat, action, table.act(seat, action)))
    return done


def finish(table: Table, turns_max: int = 4000) -> None:
    """End the deal as quickly as the rules allow: nobody wants any card; if that never ends it, call."""
    for turn in range(turns_max):
        state = table.state
        if state.phase in {Phase.DEAL_OVER, Phase.MATCH_OVER}:
            return
        _end_sooner(table, turn > turns_max // 2)
    raise AssertionError("the deal does not end")


def _end_sooner(table: Table, calls: bool) -> None:
    state = table.state
    dealer = state.dealer
    if state.phase is Phase.DEALT:
        assert table.act(dealer, Go()).result == "ok"
        return
    if state.phase is Phase.HALTED:
        assert table.act(dealer, Resume()).result == "ok"
        return
    for seat, hand in enumerate(state.hands):
        if len(hand) == 3:
            assert table.act(Seat(seat), Take(state.pool[:1])).result == "ok"
            return
    table.wait(10_000)
    seats = range(state.players) if state.turn is None else (state.turn,)
    for seat in seats:
        action = Call((Partner(),)) if calls else Pass(state.pool)
        if table.act(Seat(seat), action).result == "ok":
            return
    assert table.act(dealer, Halt()).result == "ok"


def begin_next(table: Table) -> None:
    """Start the coming deal, or a new match by a drawn dealer, seat 1."""
    assert table.act(next_dealer(table.state, Seat(1)), Next()).result == "ok"
