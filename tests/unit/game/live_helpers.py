"""Hands to call on, and what applying an action came to."""

from kemps_p2p.errors import Illegal
from kemps_p2p.game.cards import Card
from kemps_p2p.game.events import Event, Settled, Verdicts
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.state import Applied, Result, State
from kemps_p2p.game.table import Table
from kemps_p2p.ids import Position

QUARTET = ["7S 7H 7D 7C", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"]
TRIO = ["7S 7H 7D KC", "2C 5D JS QH", "3C 6D 9S AH", "4C 8D TS KD"]


def ok(applied: Applied) -> State:
    assert applied.result is Result.OK, applied.reason
    return applied.state


def refused(applied: Applied, reason: Illegal) -> None:
    assert (applied.result, applied.reason) == (Result.REFUSED, reason)


def found(applied: Applied) -> list[tuple[Verdict, ...]]:
    return [event.verdicts for event in applied.events if isinstance(event, Verdicts)]


def of_kind(applied: Applied, kind: type[Event]) -> list[Event]:
    return [event for event in applied.events if isinstance(event, kind)]


def faces(table: Table, cards: object) -> dict[Position, Card]:
    return {card: table.faces[card] for card in cards}  # type: ignore[attr-defined]


def results(applied: Applied) -> dict[int, str]:
    return {event.index: event.result for event in applied.events if isinstance(event, Settled)}
