"""What can be done now, as buttons that name their keys: calls, and whatever else the rules have.

Invariants:

1. A call is never shown as more or less possible than the rules alone make it: its button is the same
   whatever anybody holds.
2. Every button is the press of the key that it names.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kemps_p2p.game.actions import CallKind, call_kind
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import RuleSet, Signals, Sweep
from kemps_p2p.session.waiting import What
from kemps_p2p.tui import keys
from kemps_p2p.tui.glance import Glance
from kemps_p2p.tui.paint import Ink, Sheet, cells
from kemps_p2p.wording.plain import plain

CALL_NAMES = {
    CallKind.PARTNER: "call",
    CallKind.COUNTER: "counter",
    CallKind.DOUBLE: "double",
    CallKind.DOUBLE_COUNTER: "double counter",
}


@dataclass(frozen=True, slots=True)
class Button:
    """A key, what it does, and how its label looks."""

    key: str
    label: str
    ink: Ink = Ink.LABEL

    @property
    def width(self) -> int:
        """Columns with the gap behind it."""
        return cells(keys.shown(self.key)) + cells(self.label) + 5


def call_name(rules: RuleSet, sort: CallKind) -> str:
    """What a sort of call is named."""
    word = rules.words.of(sort)
    return plain(word) if word else CALL_NAMES[sort]


def call_buttons(glance: Glance) -> Iterator[Button]:
    """The calls of the rules, in the order of their kinds."""
    draft = glance.draft
    drafted = {keys.CALL_KEYS[call_kind(item)] for item in draft.items} if draft is not None else set()
    if draft is not None and draft.choosing is not None:
        drafted.add(keys.CALL_KEYS[draft.choosing])
    for sort in CallKind:
        if sort in glance.rules.calls:
            key = keys.CALL_KEYS[sort]
            yield Button(key, call_name(glance.rules, sort), Ink.ARMED if key in drafted else Ink.LABEL)
    if glance.rules.combine_calls:
        is_on = draft is not None and draft.is_several
        yield Button(keys.SEVERAL, "several", Ink.ARMED if is_on else Ink.LABEL)


def act_buttons(glance: Glance) -> Iterator[Button]:
    """Everything else that can be of use now."""
    rules, can = glance.rules, glance.can
    if glance.is_asked(What.ANSWER):
        yield Button(keys.ADMIT, "admit a quartet", Ink.ASKED)
        yield Button(keys.DENY, "deny it", Ink.ASKED)
    if keys.ASKED in can:
        yield Button(keys.ASKED, _asked_label(glance), Ink.ASKED)
    if rules.sweep is Sweep.PASS:
        yield Button(keys.DECLINE, "pass", Ink.LABEL if keys.DECLINE in can else Ink.DIM)
    elif glance.view.dealer == glance.seat:
        yield Button(keys.DECLINE, "halt", Ink.LABEL if keys.DECLINE in can else Ink.DIM)
    if keys.MULLIGAN in can:
        yield Button(keys.MULLIGAN, "new hand", Ink.ASKED)
    if rules.signals is Signals.GESTURES:
        yield Button(keys.SIGN, glance.signal or "your sign")
        is_open = glance.switches.is_expressing
        yield Button(keys.EXPRESS, "closes" if is_open else "gestures", Ink.ARMED if is_open else Ink.LABEL)
    else:
        yield Button(keys.SIGN, "ready!", Ink.LABEL if keys.SIGN in can else Ink.DIM)
    if rules.speech:
        yield Button(keys.TALK, "talk")


def _asked_label(glance: Glance) -> str:
    if glance.view.phase is Phase.HALTED:
        return "deal new cards"
    return "go: open play" if glance.view.phase is Phase.DEALT else "deal"


def gesture_buttons() -> Iterator[Button]:
    """The gestures that a player can make."""
    return (Button(key, name) for key, name in keys.GESTURE_KEYS.items())


def rows_of(buttons: Sequence[Button], columns: int) -> list[list[Button]]:
    """Buttons in rows, as many in each as fit."""
    rows: list[list[Button]] = []
    room = 0
    for button in buttons:
        if not rows or button.width - 1 > room:
            rows.append([])
            room = columns
        rows[-1].append(button)
        room -= button.width
    return rows


def draw_buttons(sheet: Sheet, rows: Sequence[Sequence[Button]], x: int, y: int, columns: int) -> None:
    """Rows of buttons, each row in the middle."""
    for row in rows:
        left = x + max(columns - sum(button.width for button in row) + 1, 0) // 2
        for button in row:
            _draw(sheet, button, left, y)
            left += button.width
        y += 1


def _draw(sheet: Sheet, button: Button, x: int, y: int) -> None:
    is_loud = button.ink in (Ink.ARMED, Ink.ASKED)
    end = sheet.put(x, y, f" {keys.shown(button.key)} ", button.ink if is_loud else Ink.KEY)
    sheet.put(end, y, f" {button.label} ", button.ink)
    sheet.zone(x, y, button.width - 1, 1, button.key)
