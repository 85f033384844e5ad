"""What lies over a screen for a while: the help page, the story so far, the menu.

Invariant:

1. The help page names every key that does something at this table, and no other.
"""

from collections.abc import Iterator
from enum import Enum, auto

from kemps_p2p.game.actions import CallKind
from kemps_p2p.game.rules import CounterTarget, Exchange, Mode, RuleSet, Signals, Start, Sweep
from kemps_p2p.session.messages import Want
from kemps_p2p.tui import keys
from kemps_p2p.tui.buttons import Button, call_name
from kemps_p2p.tui.glance import Glance
from kemps_p2p.tui.lines import TONES
from kemps_p2p.tui.paint import Ink, Sheet, wrapped
from kemps_p2p.wording.faces import glimpse

KEY_COLUMNS = 14


class Overlay(Enum):
    """What can lie over a screen."""

    HELP = auto()
    STORY = auto()
    MENU = auto()


def draw_overlay(sheet: Sheet, glance: Glance, overlay: Overlay, scroll: int) -> None:
    """Draw it over what is there; nothing below can be clicked."""
    sheet.close_zones()
    match overlay:
        case Overlay.HELP:
            _draw_text(
                sheet,
                "Keys at this table",
                list(_help_rows(glance, sheet.width - 8, is_ascii=sheet.is_ascii)),
                scroll,
            )
        case Overlay.STORY:
            rows = [
                ("", text, TONES[line.tone])
                for line in glance.recent.story
                for text in wrapped(line.text, sheet.width - 8)
            ]
            # The newest lines first in sight.
            _draw_text(sheet, "The story so far", rows, len(rows) - 1 - scroll)
        case Overlay.MENU:
            _draw_menu(sheet, glance)


Row = tuple[str, str, Ink]
"""A key, a text and its ink."""


def _draw_text(sheet: Sheet, title: str, rows: list[Row], scroll: int) -> None:
    """Rows in a frame that fills the sheet; as many as fit, from the one that is scrolled to."""
    width, height = sheet.width - 2, sheet.height - 2
    _frame(sheet, title, (1, 1, width, height))
    room = height - 3
    top = min(max(scroll, 0), max(len(rows) - room, 0))
    for y, (key, text, ink) in enumerate(rows[top : top + room], start=2):
        sheet.put(3, y, key, Ink.KEY if key else ink)
        sheet.clip(3 + (KEY_COLUMNS if _has_keys(rows) else 0), y, width - 4, text, ink)
    more = f" {top + 1} to {min(top + room, len(rows))} of {len(rows)} "
    if len(rows) > room:
        end = sheet.put(3, height - 1, more, Ink.DIM)
        end = sheet.put(end + 1, height - 1, " Up ", Ink.KEY, key=keys.WATCH_PARTNER)
        sheet.put(end + 1, height - 1, " Down ", Ink.KEY, key=keys.TURN_ON)
    close = " Esc closes "
    sheet.put(width - len(close), height - 1, close, Ink.LABEL, key=keys.CANCEL)


def _has_keys(rows: list[Row]) -> bool:
    return any(key for key, _, _ in rows)


def _frame(sheet: Sheet, title: str, where: tuple[int, int, int, int]) -> None:
    x, y, width, height = where
    sheet.fill(x, y, width, height, Ink.FELT)
    sheet.box(x, y, width, height, Ink.WATCHED, is_strong=True)
    sheet.put(x + 2, y, f" {title} ", Ink.WATCHED)


def _help_rows(glance: Glance, columns: int, *, is_ascii: bool) -> Iterator[Row]:
    for key, text in help_keys(glance.rules, glance.players, is_ascii=is_ascii):
        room = columns - KEY_COLUMNS
        for index, line in enumerate(wrapped(text, room)):
            yield (f" {key} " if not index and key else "", line, Ink.TEXT)


def help_keys(rules: RuleSet, players: int, *, is_ascii: bool) -> Iterator[tuple[str, str]]:
    """Every key of a table with these rules, and what it does."""
    if rules.exchange is Exchange.SWAP:
        several = "; as many above as below for several" if rules.exchange_limit > 1 else ""
        yield f"1 to {keys.POOL_KEYS[rules.pool_size - 1]}", "a card of the middle, to take it"
        yield " ".join(keys.HAND_KEYS), f"the card of yours that you give for it: 2, then a{several}"
    else:
        # What is put down lies there too.
        most = min(rules.pool_size + players, len(keys.POOL_KEYS))
        yield " ".join(keys.HAND_KEYS), "put a card down"
        told = "pick a card up; chosen before you put one down, it is taken right after"
        yield f"1 to {keys.POOL_KEYS[most - 1]}", told
    if rules.sweep is Sweep.PASS:
        yield "Space", "pass: you want none of these cards"
    else:
        yield "Space", "as the dealer: halt an idle table, to deal new cards"
    halt = ", new cards" if rules.sweep is Sweep.IDLE else ""
    opens = ", open play" if rules.start is Start.GO else ""
    yield "Enter", f"what the table waits for from you: deal{opens}{halt}; ready, after a huddle"
    yield "Enter Enter", "deal, though somebody is not ready"
    yield from _call_keys(rules)
    if rules.signals is Signals.GESTURES:
        yield "g", "make the gesture that you have agreed on with your partner"
        yield "e", "lay the gestures out, for the mouse; e again puts them away"
        yield "Capitals", "in the huddle your sign; at the table a gesture, for whoever watches, who sees:"
        for key, name in keys.GESTURE_KEYS.items():
            yield key, f"{name:<14} {glimpse(name, is_ascii=is_ascii)}"
    else:
        yield "g", "the one public sign of a hand: ready!"
    row = keys.SEAT_KEYS[: players - 1]
    yield "Left, Right", f"watch the next face; Up: your partner's. Or the keys of the names: {row}"
    yield "", "You see the gestures of the one whom you watch; of others only that they move"
    yield "y, n", "you are called: admit a quartet, or deny it"
    if rules.mulligan:
        yield "u", f"before play: show {rules.mulligan} of a kind or more, and draw a new hand"
    yield "w", "in the huddle: whisper to your partner"
    if rules.signals is Signals.GESTURES:
        yield "s", "in the huddle: seal your sign; it is opened after the match, and shows how honest it was"
    yield "t", f"say something to all{'' if rules.speech else ', between deals'}"
    yield "l", "the story so far"
    yield "p", "a break, once all want it; p again plays on"
    yield "Esc", "forget what is chosen; else the menu: leave, abandon, bell, flash"
    if rules.pool_size + players > len(keys.POOL_KEYS):
        yield "Down", "turn the keys of a long row on to the next cards"
    if rules.mode is Mode.TURNS:
        yield "", "Cards are taken, calls made and passes said on your own turn"


def _call_keys(rules: RuleSet) -> Iterator[tuple[str, str]]:
    whom = "their hand" if rules.counter_target is CounterTarget.PLAYER else "one hand of their team"
    texts = {
        CallKind.PARTNER: "your partner has four of a kind",
        CallKind.COUNTER: f"{whom} is four of a kind",
        CallKind.DOUBLE: "your partner and you have four of a kind each",
        CallKind.DOUBLE_COUNTER: "both of that team have four of a kind",
    }
    for sort in CallKind:
        if sort in rules.calls:
            key = keys.CALL_KEYS[sort]
            yield f"{key} {key}", f"{call_name(rules, sort)} {texts[sort]}"
    yield "", "A call needs a second press in time: the same key, or that of a name if one is to be named"
    if rules.combine_calls:
        yield "+", "several calls in one: +, then each, then + again"


def menu_buttons(glance: Glance) -> Iterator[Button]:
    """What the menu offers."""
    switches = glance.switches
    own = glance.wants[glance.seat]
    yield Button(keys.BREAK, "play on" if own is Want.PAUSE else "a break, once all want one")
    yield Button(keys.BELL, f"bell at calls: {'on' if switches.has_bell else 'off'}")
    yield Button(keys.FLASH, f"flash at calls: {'on' if switches.has_flash else 'off'}")
    yield Button(keys.HELP, "keys of this table")
    yield Button(keys.STORY, "the story so far")
    if glance.can_vote_absent:
        who = glance.people.all(glance.can_vote_absent)
        yield Button(keys.VOTE, f"vote {who} absent: the deal is over once enough have")
    if glance.offers:
        first = glance.offers[0]
        whose, whom = glance.owners.seat(first.by), glance.owners.seat(first.seat)
        yield Button(keys.HOLD, f"agree that a bot of {whose} plays for {whom}")
    elif glance.can_offer:
        yield Button(keys.HOLD, f"offer a bot to play for {glance.owners.all(glance.can_offer)}")
    yield Button(keys.ABANDON, "abandon the match, once all want it")
    if glance.silent_teams:
        yield Button(keys.WALK_OVER, "sign a walk-over: your opponents are gone", Ink.ARMED)
    along = "your bots leave with you" if glance.has_bots else "the log is kept"
    yield Button(keys.QUIT, f"leave the table now; {along}", Ink.ARMED)
    yield Button(keys.CANCEL, "back to the table")


def _draw_menu(sheet: Sheet, glance: Glance) -> None:
    buttons = tuple(menu_buttons(glance))
    width = max(button.width for button in buttons) + 6
    height = len(buttons) * 2 + 2 if sheet.height >= 22 else len(buttons) + 2
    x, y = (sheet.width - width) // 2, (sheet.height - height) // 2
    _frame(sheet, "Menu", (x, y, width, height))
    step = (height - 2) // len(buttons)
    for index, button in enumerate(buttons):
        row = y + 1 + index * step
        is_loud = button.ink is Ink.ARMED
        end = sheet.put(x + 3, row, f" {keys.shown(button.key)} ", button.ink if is_loud else Ink.KEY)
        sheet.put(end, row, f" {button.label} ", button.ink)
        sheet.zone(x + 1, row, width - 2, 1, button.key)
