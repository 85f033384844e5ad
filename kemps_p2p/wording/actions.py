"""What a seat wants to do, in words that follow "wants to" or "was first to"."""

from typing import assert_never

from kemps_p2p.game.actions import (
    Action,
    Admit,
    Call,
    Deny,
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
from kemps_p2p.ids import Seat
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.scene import Scene


def action_text(seat: Seat, action: Action, scene: Scene) -> str:
    """An action, as an infinitive without "to"."""
    match action:
        case Swap(take=take, give=give):
            return f"take {scene.cards(take)} for {scene.cards(give)}"
        case Discard(give=give):
            return f"put down {scene.cards(give)}"
        case Take(take=take):
            return f"pick up {scene.cards(take)}"
        case Pass():
            return "pass"
        case Signal():
            return "signal"
        case Gesture(name=name):
            return f"make a gesture: {plain(name)}"
        case Say(text=text):
            return f"say: {plain(text)}"
        case Call(calls=calls):
            return f"call {scene.calls(seat, calls)}"
        case Mulligan():
            return "show and redraw the hand"
        case Go():
            return "open play"
        case Halt():
            return "halt the table"
        case Resume():
            return "deal new cards after the halt"
        case Next():
            return "start the next deal"
        case Admit():
            return "admit a quartet"
        case Deny():
            return "deny a quartet"
        case _:
            assert_never(action)
