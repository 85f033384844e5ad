"""How many actions a second the rule engine checks and applies, with every card turned up at once."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from kemps_p2p.game.actions import Action, Next, Pass, Swap
from kemps_p2p.game.record import Phase, State
from kemps_p2p.game.rules import deal_cards, load_rules
from kemps_p2p.game.state import Result
from kemps_p2p.game.table import Layout, Table, layout_of
from kemps_p2p.ids import Seat

ACTIONS = 40_000


@dataclass(frozen=True, slots=True)
class GameBench:
    """`ok`: how many of the actions were neither missed nor refused."""

    players: int
    actions: int
    ok: int
    actions_per_s: int


def bench_game(players: int, progress: Callable[[str], None]) -> GameBench:
    """Play a fixed number of random swaps and passes by the rule book `kemps`. Choosing them is not timed."""
    rng = random.Random("kemps bench game")
    rules = load_rules("kemps")
    cards = list(deal_cards(rules, players))

    def lay(_state: State) -> Layout:
        rng.shuffle(cards)
        return layout_of(tuple(cards), players, rules.pool_size)

    table = Table.seated(rules, players, Seat(0), lay)
    ok = 0
    spent = 0.0
    for count in range(ACTIONS):
        if count % 10_000 == 0:
            progress(f"{count} of {ACTIONS} actions")
        seat, action = _choose(table.state, players, rng)
        began = perf_counter()
        outcome = table.act(seat, action)
        spent += perf_counter() - began
        ok += outcome.result is Result.OK
    return GameBench(players=players, actions=ACTIONS, ok=ok, actions_per_s=round(ACTIONS / spent))


def _choose(state: State, players: int, rng: random.Random) -> tuple[Seat, Action]:
    seat = Seat(rng.randrange(players))
    if state.phase is not Phase.OPEN:
        return state.dealer, Next()
    if rng.random() < 0.7:
        return seat, Swap(take=(rng.choice(state.pool),), give=(rng.choice(state.hands[seat]),))
    return seat, Pass(pool=state.pool)
