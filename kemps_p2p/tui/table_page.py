"""The table while cards are in play, for any size of terminal.

Invariants:

1. From 60 columns and 20 rows on everything is there; what is larger gets larger cards and a longer story.
2. What is waited for is always in the last row, and the story gives way before anything else does.
"""

from dataclasses import dataclass

from kemps_p2p.tui.buttons import Button, act_buttons, call_buttons, draw_buttons, gesture_buttons, rows_of
from kemps_p2p.tui.cards import HIGH_CARD, LOW_CARD, Frame, card_width, draw_hand, draw_pool
from kemps_p2p.tui.glance import Glance
from kemps_p2p.tui.keys import ADMIT, ASKED, DECLINE, DENY, EXPRESS, HAND_KEYS
from kemps_p2p.tui.lines import (
    draw_notice,
    draw_story,
    draw_title,
    draw_waiting,
    heading,
    lesson_lines,
    stock_texts,
)
from kemps_p2p.tui.paint import Area, Ink, Sheet, cells, wrapped
from kemps_p2p.tui.plates import Seating, draw_plates, draw_self, draw_watched, seating

COLUMNS_MIN = 60
ROWS_MIN = 20
SIDE_STORY_FROM = 124
"""From so many columns on the story has the right side to itself."""
TABLE_COLUMNS_MAX = 116
GAP_MAX = 2
STORY_ROWS = 3
"""So many rows of the story are there before cards grow and gaps open."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where things are: the columns of the table, how large a card is, and how many rows stay free."""

    seats: Seating
    x: int
    top: int
    columns: int
    card_width: int
    card_height: int
    gap: int
    story_x: int
    """Where the story at the side begins; 0 if it is below."""


def draw_too_small(sheet: Sheet, what: str) -> None:
    """Instead of a page: what it needs and what is here, though a sentence may not fit into a row."""
    needed = f"{what} needs {COLUMNS_MIN} columns and {ROWS_MIN} rows;"
    here = f"here are {sheet.width} and {sheet.height}."
    rows = [row for text in (needed, here) for row in wrapped(text, sheet.width)]
    top = max((sheet.height - len(rows)) // 2, 0)
    for y, row in enumerate(rows, top):
        sheet.centre(y, row, Ink.STRONG)


def draw_table(sheet: Sheet, glance: Glance) -> None:
    """The whole page."""
    plan, buttons = _laid_out(sheet, glance)
    draw_title(sheet, glance, heading(glance))
    y = draw_plates(sheet, glance, plan.seats, (plan.x, plan.top, plan.columns)) + plan.gap
    draw_pool(sheet, glance, Frame(plan.x, y, plan.columns, plan.card_width, plan.card_height))
    _stock(sheet, glance, plan, y)
    y += plan.card_height + 2
    notice_y = y
    y += 1 + plan.gap
    _own(sheet, glance, plan, y)
    y += plan.card_height + 1 + plan.gap
    draw_buttons(sheet, buttons, plan.x, y, plan.columns)
    y += len(buttons)
    end = draw_waiting(sheet, glance)
    if plan.story_x:
        area = Area(plan.story_x, 2, sheet.width - plan.story_x - 1, end - 3)
    else:
        area = Area(plan.x + 1, y, plan.columns - 2, max(end - y, 0))
    draw_story(sheet, glance, area)
    is_told = len(lesson_lines(glance, area.width)) < area.height
    draw_notice(sheet, glance, Area(plan.x, notice_y, plan.columns, 1), has_lesson=not is_told)


def table_columns(columns: int) -> int:
    """How wide the table is on a sheet of so many columns."""
    side = columns // 3 if columns >= SIDE_STORY_FROM else 0
    return min(columns - side, TABLE_COLUMNS_MAX)


def _laid_out(sheet: Sheet, glance: Glance) -> tuple[Plan, list[list[Button]]]:
    """Where things are, and the rows of buttons; where gestures are laid out, the plates make room first."""
    columns = table_columns(sheet.width)
    calls, acts = tuple(call_buttons(glance)), tuple(act_buttons(glance))
    seats = seating(glance.players, columns)
    if not glance.switches.is_expressing:
        buttons = [*rows_of(calls, columns), *rows_of(acts, columns)]
        return _plan(sheet, glance, seats, len(buttons)), buttons
    gestures = rows_of(tuple(gesture_buttons()), columns)
    buttons = [*rows_of(calls, columns), *rows_of(acts, columns), *gestures]
    if _spare(sheet, seats, len(buttons)) < 0:
        # What has no button meanwhile can still be done with its key.
        kept = [act for act in acts if act.key in (ASKED, ADMIT, DENY, DECLINE, EXPRESS)]
        buttons = [*rows_of([*calls, *kept], columns), *gestures]
    if _spare(sheet, seats, len(buttons)) < 0:
        seats = seating(glance.players, columns, is_low=True)
    return _plan(sheet, glance, seats, len(buttons)), buttons


def _spare(sheet: Sheet, seats: Seating, button_rows: int) -> int:
    """The rows that are left beside low cards and everything that must be there."""
    # The title, plates, two rows around the middle, the notice, a row of keys, buttons, and the last row.
    return sheet.height - (1 + seats.height + 2 + 1 + 1 + button_rows + 1 + 2 * LOW_CARD)


def _plan(sheet: Sheet, glance: Glance, seats: Seating, button_rows: int) -> Plan:
    has_side = sheet.width >= SIDE_STORY_FROM
    columns = table_columns(sheet.width)
    low = card_width(glance.view)
    spare = _spare(sheet, seats, button_rows) - (0 if has_side else STORY_ROWS)
    growth = 2 * (HIGH_CARD - LOW_CARD)
    is_high = spare >= growth and len(glance.pool) * (low + 3) <= columns
    spare -= growth if is_high else 0
    gap = min(max(spare, 0) // 5, GAP_MAX)
    # Beside a story at the side, the table has the whole height to itself, and stands in its middle.
    top = 1 + gap + (max(spare - 4 * gap, 0) // 2 if has_side else 0)
    return Plan(
        seats=seats,
        x=0 if has_side else (sheet.width - columns) // 2,
        top=top,
        columns=columns,
        card_width=low + 2 if is_high else low,
        card_height=HIGH_CARD if is_high else LOW_CARD,
        gap=gap,
        story_x=columns + 2 if has_side else 0,
    )


def _stock(sheet: Sheet, glance: Glance, plan: Plan, y: int) -> None:
    """What is left of the cards, beside those of the middle if there is room."""
    room = (plan.columns - len(glance.pool) * (plan.card_width + GAP_MAX * 2)) // 2 + GAP_MAX - 2
    for rows in stock_texts(glance):
        if max(map(cells, rows)) <= room:
            for row, text in enumerate(rows, y + plan.card_height // 2 + 1 - len(rows) // 2):
                sheet.put(plan.x + 1, row, text, Ink.DIM)
            return


def _own(sheet: Sheet, glance: Glance, plan: Plan, y: int) -> None:
    """The own cards in the middle; whom one watches on their left, oneself on their right."""
    hand = len(HAND_KEYS) * (plan.card_width + 2)
    side = (plan.columns - hand) // 2 - 1
    draw_hand(sheet, glance, Frame(plan.x + side + 1, y, hand, plan.card_width, plan.card_height))
    if not plan.seats.is_framed:
        draw_watched(sheet, glance, plan.x + 1, y, side - 1)
    draw_self(sheet, glance, plan.x + side + hand + 2, y, side - 1)
