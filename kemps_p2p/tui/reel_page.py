"""A replay on a sheet: all hands that the chosen eyes see, the middle, what is told, and where it is.

Invariants:

1. A card is drawn with a face only if the story says that these eyes see it.
2. No words of a later moment are shown to anybody but those who see all hands.
"""

from kemps_p2p.game.cards import Card, suit
from kemps_p2p.game.seating import team_of
from kemps_p2p.ids import Seat
from kemps_p2p.tui.buttons import Button, draw_buttons, rows_of
from kemps_p2p.tui.cards import SUIT_INKS
from kemps_p2p.tui.paint import Area, Ink, Run, Sheet, cells, clipped, wrapped
from kemps_p2p.tui.reel import HELP, SPEEDS, Reel
from kemps_p2p.tui.scores import short_score
from kemps_p2p.wording.cards import card_text
from kemps_p2p.wording.eyes import Wide, eyes_text
from kemps_p2p.wording.people import counted

NAME_COLUMNS = 16
CARD_COLUMNS = 5
HAND_COLUMNS = 4 * (CARD_COLUMNS + 1)
TOLD_ROWS = 4
ROOMY_FROM = 28
VERDICT_ROWS = 2
VERDICT_FROM = 16
"""With so many rows beside those of the seats, a long verdict has two."""


def draw_reel(sheet: Sheet, reel: Reel, verdict: str, *, is_sound: bool) -> None:
    """The whole page. `verdict`: what the audit of the log comes to; loud unless it `is_sound`."""
    _title(sheet, reel)
    has_rows = sheet.height - reel.story.people.seats >= VERDICT_FROM
    rows = list(wrapped(verdict, sheet.width - 2))[: VERDICT_ROWS if has_rows else 1]
    for y, text in enumerate([reel.told] if reel.told else rows, start=1):
        sheet.clip(1, y, sheet.width - 2, text, Ink.GOOD if is_sound and not reel.told else Ink.ALARM)
    y = 1 + len(rows)
    y = _hands(sheet, reel, y + (sheet.height >= ROOMY_FROM))
    y = _middle(sheet, reel, y) + (1 if sheet.height >= ROOMY_FROM else 0)
    y = _told(sheet, reel, y)
    buttons = rows_of(_buttons(reel), sheet.width - 2)
    bottom = sheet.height - len(buttons)
    draw_buttons(sheet, buttons, 1, bottom, sheet.width - 2)
    _bar(sheet, reel, bottom - 1)
    _story(sheet, reel, Area(1, y, sheet.width - 2, bottom - 1 - y))
    if reel.is_helped:
        _help(sheet)


def _title(sheet: Sheet, reel: Reel) -> None:
    moment = reel.moment
    sheet.fill(0, 0, sheet.width, 1, Ink.TITLE)
    right = sheet.width
    for key, label in (("q", "leave"), ("?", "keys")):
        text = f" {key} {label} "
        right -= len(text)
        sheet.put(right, 0, text, Ink.TITLE, key)
    deal = moment.game.deal
    where = f"Deal {deal + 1} of {len(reel.story.deals)}" if deal >= 0 else "Before the first deal"
    entry, day = f"entry {moment.line.entry}", moment.day
    texts = [
        "   ".join((where, moment.clock, entry, day)),
        "  ".join((where, moment.clock, entry, day)),
        "  ".join((where, moment.clock, day)),
        "  ".join((where, moment.clock, entry)),
    ]
    fitting = [text for text in texts if cells(text) <= right - 2]
    sheet.clip(1, 0, right - 2, (fitting or texts[-1:])[0], Ink.TITLE)


def _hands(sheet: Sheet, reel: Reel, y: int) -> int:
    """A row a seat: name, score, cards, what it has done. The row below them."""
    game, people = reel.moment.game, reel.story.people
    faces = reel.story.faces(reel.index, reel.whose)
    for seat in map(Seat, range(people.seats)):
        is_own = reel.whose == seat
        key = str(seat + 1) if seat < 9 else ""
        if key:
            sheet.put(1, y, key, Ink.KEY)
        name = f"{'▶' if game.turn == seat else ' '}{people.seat(seat)}"
        sheet.clip(2, y, NAME_COLUMNS, name, Ink.WATCHED if is_own else Ink.STRONG)
        x = NAME_COLUMNS + 3
        if game.hands:
            for position in game.hands[seat]:
                x = _card(sheet, x, y, faces.get(position))
        x = NAME_COLUMNS + 4 + HAND_COLUMNS
        score = short_score(reel.story.rules, game.scores[team_of(seat, people.seats)]) or "·"
        notes = [
            *(["your eyes"] if is_own else []),
            *(["dealer"] if game.dealer == seat else []),
            *(["passed"] if seat in game.passes else []),
            *(["barred"] if seat in game.barred else []),
            # As files, reports and `--seat` count them; keys begin with 1.
            f"seat {seat}",
        ]
        sheet.clip(x, y, sheet.width - x - 1, "  ".join([score, *notes]), Ink.DIM)
        if key:
            sheet.zone(1, y, sheet.width - 2, 1, key)
        y += 1
    return y


def _card(sheet: Sheet, x: int, y: int, card: Card | None) -> int:
    """One card in a row; the column behind it and its gap."""
    if card is None:
        sheet.put(x, y, (":" if sheet.is_ascii else "░") * CARD_COLUMNS, Ink.BACK)
    else:
        ink = SUIT_INKS[suit(card)]
        name = card_text(card, is_ascii=sheet.is_ascii)
        sheet.put(x, y, " " * CARD_COLUMNS, ink)
        sheet.put(x + (CARD_COLUMNS - cells(name)) // 2, y, name, ink)
    return x + CARD_COLUMNS + 1


def _middle(sheet: Sheet, reel: Reel, y: int) -> int:
    game = reel.moment.game
    faces = reel.story.faces(reel.index, reel.whose)
    sheet.put(3, y + 1, "in the middle", Ink.DIM)
    x = first = NAME_COLUMNS + 3
    y += 1
    for position in game.pool:
        if x + CARD_COLUMNS >= sheet.width:
            x, y = first, y + 1
        x = _card(sheet, x, y, faces.get(position))
    if game.deal >= 0:
        swept = f", {len(game.swept)} swept" if game.swept else ""
        text = f"{counted(len(game.stock), 'card')} left{swept}"
        left = max(x + 1, NAME_COLUMNS + 4 + HAND_COLUMNS)
        sheet.clip(left, y, sheet.width - left - 1, text, Ink.DIM)
    return y + 1


def _told(sheet: Sheet, reel: Reel, y: int) -> int:
    """The moment in words, and the words of witnesses on a race; the row below."""
    story, columns = reel.story, sheet.width - 4
    text = story.text(reel.index, reel.whose).strip()
    rows = list(wrapped(text, columns))
    if len(rows) > TOLD_ROWS:
        rows = [*rows[: TOLD_ROWS - 1], clipped(" ".join(rows[TOLD_ROWS - 1 :]), columns, sheet.tail)]
    for row in rows:
        y += 1
        sheet.put(2, y, row, Ink.ALARM)
    for word in story.words(reel.index):
        y += 1
        sheet.clip(4, y, columns - 2, word, Ink.TEXT)
    return y + 2


def _story(sheet: Sheet, reel: Reel, area: Area) -> None:
    """The moments around this one; later ones only for those who see all."""
    x, y, columns, height = area
    if height <= 0:
        return
    ahead = height // 2 if reel.whose is Wide.ALL else 0
    rows: list[Run] = []
    ends: list[int] = []
    room = height
    for index in range(max(reel.index - height + 1, 0), min(reel.index + ahead, reel.last) + 1):
        is_now = index == reel.index
        ink = Ink.STRONG if is_now else Ink.TEXT if index < reel.index else Ink.DIM
        clock = f"{reel.story.moments[index].clock:>10} {'▶' if is_now else ' '} "
        # How a sentence ends matters: that of a verdict says whether the call was right.
        for text in wrapped(reel.story.text(index, reel.whose).strip(), columns - cells(clock)):
            rows.append((clock + text, ink))
            clock = " " * cells(clock)
        ends.append(len(rows))
        if is_now:
            room = max(len(rows) + ahead, height)
    # What comes later is told whole or not at all.
    end = max(end for end in ends if end <= room)
    for row, (text, ink) in enumerate(rows[max(end - height, 0) : end]):
        sheet.clip(x, y + row, columns, text, ink)


def _bar(sheet: Sheet, reel: Reel, y: int) -> None:
    """Where the moment is in the match; calls and deals are marked."""
    columns = sheet.width - 2
    line, done = ("-", "=") if sheet.is_ascii else ("─", "━")
    call, deal, here = _signs(sheet)

    def column(index: int) -> int:
        return 1 + index * (columns - 1) // max(reel.last, 1)

    now = column(reel.index)
    sheet.put(1, y, done * (now - 1) + line * (columns - now + 1), Ink.DIM)
    for mark, sign in ((reel.story.deals, deal), (reel.story.calls, call)):
        for each in mark:
            sheet.put(column(each.index), y, sign, Ink.LABEL if sign == deal else Ink.ALARM)
    sheet.put(now, y, here, Ink.WATCHED)


def _signs(sheet: Sheet) -> tuple[str, str, str]:
    """What marks a call, a deal and the moment on the bar."""
    return ("C", "|", "O") if sheet.is_ascii else ("◆", "┼", "●")


def _buttons(reel: Reel) -> list[Button]:
    running = "pause" if reel.is_running else "play"
    return [
        Button("left", "back"),
        Button("right", "on"),
        Button("space", running, Ink.ASKED if reel.is_running else Ink.LABEL),
        Button("+", SPEEDS[reel.speed].label),
        Button("c", "call"),
        Button("r", "race"),
        Button("d", "deal"),
        Button("tab", f"shown: {eyes_text(reel.whose, reel.story.people)}"),
    ]


def _help(sheet: Sheet) -> None:
    sheet.close_zones()
    call, deal, here = _signs(sheet)
    rows = [*HELP, ("", f"On the bar: {here} is the moment, {deal} a deal, {call} a call")]
    width, height = min(sheet.width - 4, 76), len(rows) + 4
    x, y = (sheet.width - width) // 2, max((sheet.height - height) // 2, 0)
    sheet.fill(x, y, width, height, Ink.FELT)
    sheet.box(x, y, width, height, Ink.WATCHED, is_strong=True)
    sheet.put(x + 2, y, " Keys of a replay ", Ink.WATCHED)
    for row, (key, text) in enumerate(rows, start=y + 2):
        if key:
            sheet.put(x + 3, row, f" {key} ", Ink.KEY)
        sheet.clip(x + 18, row, width - 20, text, Ink.TEXT)
    sheet.zone(0, 0, sheet.width, sheet.height, "escape")
