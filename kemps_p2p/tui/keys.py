"""Which key does what: one map for the keyboard, the mouse and the help page.

Pure. Invariants:

1. No key has two meanings on one page.
2. Every card, seat and call that can be named has a key, at every table that the rule sets allow; cards of a
   pool beyond the row of keys come within reach by turning the row on.
"""

from collections.abc import Mapping

from kemps_p2p.game.actions import CallKind
from kemps_p2p.game.gestures import GESTURES
from kemps_p2p.ids import Seat

POOL_KEYS = "1234567890-="
HAND_KEYS = "asdf"
SEAT_KEYS = "zxvbm,.;'[]\\/`h"
"""For the others, clockwise from the own left."""
CALL_KEYS: Mapping[CallKind, str] = {
    CallKind.PARTNER: "k",
    CallKind.COUNTER: "c",
    CallKind.DOUBLE: "j",
    CallKind.DOUBLE_COUNTER: "o",
}
SEVERAL = "+"
DECLINE = "space"
ASKED = "enter"
CANCEL = "escape"
SIGN = "g"
EXPRESS = "e"
ADMIT = "y"
DENY = "n"
MULLIGAN = "u"
TALK = "t"
WHISPER = "w"
SEAL = "s"
STORY = "l"
BREAK = "p"
HELP = "?"
QUIT = "q"
REMATCH = "r"
ABANDON = "x"
VOTE = "v"
HOLD = "h"
WALK_OVER = "o"
BELL = "b"
FLASH = "f"
WATCH_NEXT = "tab"
WATCH_LAST = "shift+tab"
WATCH_PARTNER = "up"
WATCH_LEFT = "left"
WATCH_RIGHT = "right"
TURN_ON = "down"
"""Let the keys of the pool mean the next cards of a long row."""

GESTURE_KEYS: Mapping[str, str] = dict(zip("WRENTCYSHPMG", (kind.name for kind in GESTURES), strict=True))
"""Capital letters, so that one press makes a gesture; they are those of its name where that can be."""

SHOWN: Mapping[str, str] = {
    DECLINE: "Space",
    ASKED: "Enter",
    CANCEL: "Esc",
    WATCH_NEXT: "Tab",
    WATCH_LEFT: "Left",
    WATCH_RIGHT: "Right",
    WATCH_PARTNER: "Up",
    TURN_ON: "Down",
}


def shown(key: str) -> str:
    """A key as it is written on a screen."""
    return SHOWN.get(key, key)


def others(seat: Seat, players: int) -> tuple[Seat, ...]:
    """Everybody else, clockwise from the own left; the partner is in the middle."""
    return tuple(Seat((seat + step) % players) for step in range(1, players))


def seat_keys(seat: Seat, players: int) -> dict[Seat, str]:
    """The key of each other seat."""
    return dict(zip(others(seat, players), SEAT_KEYS, strict=False))


def seat_of_key(key: str, seat: Seat, players: int) -> Seat | None:
    """The seat that a key means."""
    place = SEAT_KEYS.find(key) if len(key) == 1 else -1
    all_others = others(seat, players)
    return all_others[place] if 0 <= place < len(all_others) else None
