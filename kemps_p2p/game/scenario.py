"""Running a scenario: the engine of play, driven by a table that knows every face.

`run_scenario` gives findings: the first step that differs, or none. Invariant:

1. A scenario is judged by the state and the events of the engine alone; nothing here knows a rule.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from kemps_p2p.game.actions import (
    Action,
    Call,
    Discard,
    Gesture,
    Go,
    Halt,
    Mulligan,
    Next,
    Pass,
    Resume,
    Say,
    Signal,
    Swap,
    Take,
)
from kemps_p2p.game.cards import Card, format_cards
from kemps_p2p.game.conflicts import order_of_calls
from kemps_p2p.game.events import Event, Shown, TurnedUp, Verdicts
from kemps_p2p.game.record import BETWEEN_DEALS, Phase, replace
from kemps_p2p.game.rules import Mode
from kemps_p2p.game.scenario_file import Act, Scenario, ScenarioError, Start, Step, parse_scenario
from kemps_p2p.game.seating import left_of, teams
from kemps_p2p.game.state import State, new_match
from kemps_p2p.game.table import Layout, Outcome, Table, pack_order
from kemps_p2p.ids import Position


class Difference(msgspec.Struct, frozen=True):
    """The first thing that is not as the scenario says; steps count from 1."""

    step: int
    key: str
    expected: str
    actual: str


class Findings(msgspec.Struct, frozen=True):
    """What running a scenario found."""

    title: str
    steps: int
    difference: Difference | None

    @property
    def holds(self) -> bool:
        """True if every step was as expected."""
        return self.difference is None


def _set_up(scenario: Scenario) -> Table:
    remaining = list(scenario.deals)

    def lay(state: State) -> Layout:
        return remaining.pop(0) if remaining else pack_order(state.rules, state.players)

    start: Start = scenario.start
    rules, players = scenario.rules, scenario.players
    seated = new_match(rules, players, start.dealer, start.matches)
    turn = left_of(start.dealer, players) if start.turn is None else start.turn
    table = Table(
        replace(
            seated,
            deal=start.deals,
            deals=start.deals,
            phase=start.phase,
            started=start.phase is not Phase.DEALT,
            scores=start.scores,
            deal_scores=start.scores,
            playoff=start.playoff,
            turn=turn if rules.mode is Mode.TURNS else None,
        ),
        lay,
    )
    table.place(start.layout)
    table.opens_itself = start.phase is not Phase.DEALT
    table.settle()
    return table


def _cards(table: Table, cards: tuple[Card, ...]) -> tuple[Position, ...]:
    where = table.positions()
    return tuple(where[card] for card in cards)


def _action(table: Table, act: Act) -> Action:
    match act.do:
        case "swap":
            return Swap(take=_cards(table, act.take), give=_cards(table, act.give))
        case "discard":
            return Discard(_cards(table, act.give))
        case "take":
            return Take(_cards(table, act.take))
        case "pass":
            return Pass(table.state.pool)
        case "signal":
            return Signal()
        case "gesture":
            return Gesture(act.name)
        case "say":
            return Say(act.text)
        case "call":
            return Call(act.calls)
        case "mulligan":
            return Mulligan()
        case "go":
            return Go()
        case "halt":
            return Halt()
        case "resume":
            return Resume()
        case "next":
            return Next()
        case _:
            raise AssertionError(act.do)


class _Ran(msgspec.Struct, frozen=True):
    """What a step did: results and verdicts act by act, as listed, and all events."""

    results: tuple[str, ...]
    verdicts: tuple[str, ...]
    events: tuple[Event, ...]


def _verdicts(events: tuple[Event, ...]) -> tuple[str, ...]:
    given = [event.verdicts for event in events if isinstance(event, Verdicts)]
    return tuple(verdict.value for verdicts in given for verdict in verdicts)


def _run_together(table: Table, step: Step) -> _Ran:
    """Settle the acts as simultaneous; each finds the table as the one before it left it."""
    listed = [(act.seat, _action(table, act)) for act in step.acts]
    done: dict[int, Outcome] = {}
    events: tuple[Event, ...] = ()
    table.open_set()
    for index in order_of_calls(table.state.rules, listed):
        act = step.acts[index]
        done[index] = table.act(act.seat, _action(table, act))
        events += done[index].events
    events += table.close_set()
    outcomes = [done[index] for index in range(len(listed))]
    return _Ran(
        tuple(outcome.result.value for outcome in outcomes),
        tuple(verdict for outcome in outcomes for verdict in _verdicts(outcome.events)),
        events,
    )


def _run(table: Table, step: Step) -> _Ran:
    match step.do:
        case "wait":
            table.wait(step.wait_ms)
            return _Ran((), (), ())
        case "together":
            return _run_together(table, step)
        case _:
            (act,) = step.acts
            outcome = table.act(act.seat, _action(table, act))
            return _Ran((outcome.result.value,), _verdicts(outcome.events), outcome.events)


def _face_up(table: Table) -> frozenset[Card]:
    state = table.state
    return frozenset(table.faces[card] for card in (*state.shown, *state.pool) if card in state.faces)


def _shown(table: Table, before: frozenset[Card], events: tuple[Event, ...]) -> tuple[Card, ...]:
    """The cards that a step turned face up and that did not lie so before it.

    By cards, not positions: one that is swept and shuffled back into the next pool lay face up before.
    """
    shown: set[Card] = set()
    for event in events:
        if isinstance(event, Shown | TurnedUp):
            shown.update(table.faces[card] for card in event.cards)
    return tuple(sorted(shown - before))


def _hands(table: Table) -> dict[str, tuple[Card, ...]]:
    faces = table.faces
    return {
        str(seat): tuple(sorted(faces[card] for card in hand)) for seat, hand in enumerate(table.state.hands)
    }


def _actual(table: Table, ran: _Ran, before: frozenset[Card]) -> Mapping[str, Any]:
    """Everything that a step can expect, as it is."""
    state = table.state
    is_over = state.phase is Phase.MATCH_OVER
    losers = [team for team in teams(state.players) if team not in state.winners]
    return {
        "result": ran.results[0] if len(ran.results) == 1 else None,
        "results": ran.results,
        "verdicts": ran.verdicts,
        "scores": state.scores,
        "hands": _hands(table),
        "pool": tuple(sorted(table.faces[card] for card in state.pool)),
        "stock_left": len(state.stock),
        "shown": _shown(table, before, ran.events),
        "turn": state.turn,
        "dealer": state.dealer,
        "phase": state.phase.value,
        "deal_over": state.phase in BETWEEN_DEALS,
        "match_over": is_over,
        "winners": state.winners if is_over else None,
        "losers": tuple(losers) if is_over else None,
        "playoff": state.playoff,
        "barred": tuple(sorted(state.barred)),
    }


_CARD_KEYS = frozenset({"pool", "shown"})


def _said(key: str, value: Any) -> str:
    if key in _CARD_KEYS:
        return format_cards(value) or "no cards"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(str(item) for item in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _difference(number: int, step: Step, actual: Mapping[str, Any]) -> Difference | None:
    for key, expected in step.expect.items():
        if key == "hands":
            for seat, hand in expected.items():
                held = actual[key][seat]
                if hand != held:
                    return Difference(number, f"hands.{seat}", format_cards(hand), format_cards(held))
        elif expected != actual[key]:
            return Difference(number, key, _said(key, expected), _said(key, actual[key]))
    return None


def run_scenario(text: str) -> Findings:
    """Run a scenario file; `ScenarioError` if the text is none."""
    scenario = parse_scenario(text)
    table = _set_up(scenario)
    for number, step in enumerate(scenario.steps, 1):
        before = _face_up(table)
        ran = _run(table, step)
        difference = _difference(number, step, _actual(table, ran, before))
        if difference is not None:
            return Findings(scenario.title, len(scenario.steps), difference)
    return Findings(scenario.title, len(scenario.steps), None)


__all__ = ["Difference", "Findings", "ScenarioError", "run_scenario"]
