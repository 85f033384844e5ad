"""The screens around the table: lobby, huddle, showdown, end.

Invariants:

1. A showdown shows what everybody has seen, and nothing that only this seat knows of others.
2. The huddle shows what partners whisper to each other; nobody else's screen does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kemps_p2p.game.cards import Card
from kemps_p2p.game.rules import Scoring, Signals
from kemps_p2p.game.seating import members, seats, team_of, teams
from kemps_p2p.ids import Seat
from kemps_p2p.session.waiting import Waiting, What
from kemps_p2p.tui import keys
from kemps_p2p.tui.buttons import Button, draw_buttons, rows_of
from kemps_p2p.tui.cards import card_width, draw_card
from kemps_p2p.tui.glance import Glance
from kemps_p2p.tui.lines import TONES, draw_notice, draw_title, draw_waiting, heading, lesson_lines
from kemps_p2p.tui.paint import Area, Ink, Sheet, cells, clipped, wrapped
from kemps_p2p.tui.scores import long_score
from kemps_p2p.wording.books import lost_text
from kemps_p2p.wording.faces import glimpse
from kemps_p2p.wording.people import People, counted, listed
from kemps_p2p.wording.presence import gone_text
from kemps_p2p.wording.scores import winners_text
from kemps_p2p.wording.waiting import waiting_text

ROOMY_FROM = 24
HUDDLE_COLUMNS_MAX = 110
TALK_ROWS_MIN = 4
PROPOSED = "▷"
"""Before a sign that is not agreed on yet."""
"""So many rows are left to what is said, beside what is explained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lobby:
    """A table that has not formed yet. `people`: who sat here before, if this is a rematch."""

    seat: Seat
    players: int
    people: People
    waits: tuple[Waiting, ...]
    gone: tuple[Seat, ...]
    """Who has left the table, and is waited for in vain."""
    beat: int
    """Counts on while one waits, so that a screen can show that it lives."""


def draw_lobby(sheet: Sheet, lobby: Lobby) -> None:
    """Who is there, and who is missing."""
    sheet.fill(0, 0, sheet.width, 1, Ink.TITLE)
    sheet.put(1, 0, "Sitting down", Ink.TITLE)
    text = f" {keys.shown(keys.QUIT)} leave "
    sheet.put(sheet.width - len(text), 0, text, Ink.TITLE, key=keys.QUIT)
    missing = {seat for wait in lobby.waits for seat in wait.seats}
    gone = [seat for seat in lobby.gone if seat in missing]
    top = max((sheet.height - lobby.players - 3) // 2, 2)
    sheet.centre(top, f"A table for {lobby.players}", Ink.STRONG)
    for row, seat in enumerate(seats(lobby.players)):
        who = lobby.people.seat(seat) + (" (you)" if seat == lobby.seat else "")
        is_there = seat not in missing
        absent = "× {} has left the table" if seat in gone else "… {} is still to come"
        text = f"✓ {who}" if is_there else absent.format(who)
        sheet.put(sheet.width // 2 - 12, top + 2 + row, text, Ink.GOOD if is_there else Ink.DIM)
    dots = "." * (lobby.beat % 4)
    told = [waiting_text(wait, lobby.people) for wait in lobby.waits] or ["the match is being founded"]
    sheet.fill(0, sheet.height - 1, sheet.width, 1, Ink.LABEL)
    line = f"{gone_text(gone, lobby.people)}; q leaves" if gone else f"{'; '.join(told)}{dots}"
    sheet.clip(1, sheet.height - 1, sheet.width - 2, line[:1].upper() + line[1:], Ink.LABEL)


def draw_huddle(sheet: Sheet, glance: Glance) -> None:
    """The private talk of partners before a deal."""
    draw_title(
        sheet, glance, "Huddle" if glance.view.deal < 0 else f"Huddle after deal {glance.view.deal + 1}"
    )
    partner = glance.people.seat(glance.partner)
    has_room = sheet.height >= ROOMY_FROM
    y = 2 if has_room else 1
    sheet.centre(y, f"Between you and {partner}: nobody else hears this", Ink.STRONG)
    y += 1
    end = draw_waiting(sheet, glance)
    if glance.view.deal < 0 and (has_room or end == sheet.height - 1):
        told = f"This match is called {glance.words}"
        full = f"{told}; all see these words"
        sheet.centre(y, full if cells(full) <= sheet.width else told, Ink.DIM)
        y += 1
    y += has_room
    margin = max(sheet.width - HUDDLE_COLUMNS_MAX, 0) // 2
    left = margin
    if glance.rules.signals is Signals.GESTURES:
        left = _gestures(sheet, glance, margin, y)
    else:
        sheet.put(margin + 3, y, "These rules have one public sign: your partner sees it,", Ink.TEXT)
        sheet.put(margin + 3, y + 1, "and so does everybody else.", Ink.TEXT)
        y += 2
    buttons = [Button(keys.WHISPER, f"whisper to {clipped(partner, 12)}")]
    if glance.can_seal:
        buttons.append(Button(keys.SEAL, "seal our book"))
    if not glance.is_paused:
        buttons.append(Button(keys.TALK, "say to all"))
    buttons.append(_go_on(glance))
    below = end - 2
    has_lesson = _talk(sheet, glance, Area(left + 2, y, sheet.width - left - 4, below - y - 2))
    draw_notice(sheet, glance, Area(0, below - 1, sheet.width, 1), has_lesson=not has_lesson)
    draw_buttons(sheet, rows_of(buttons, sheet.width), 0, below, sheet.width)


def _go_on(glance: Glance) -> Button:
    ink = Ink.ASKED if keys.ASKED in glance.can else Ink.DIM
    if glance.is_asked(What.NEXT):
        return Button(keys.ASKED, "deal", ink)
    return Button(keys.ASKED, "ready: go on" if glance.is_held else "ready", ink)


def _gestures(sheet: Sheet, glance: Glance, x: int, y: int) -> int:
    """The list of gestures; the column behind it."""
    columns = 37 if sheet.width < 100 else 44
    sheet.clip(x + 2, y, columns + 2, _sign_told(glance), Ink.TEXT)
    for row, (key, name) in enumerate(keys.GESTURE_KEYS.items(), start=1):
        is_agreed = name == glance.agreed
        ink = Ink.ASKED if is_agreed else Ink.LABEL
        mark = "▶" if is_agreed else PROPOSED if name in (glance.offered, glance.proposed) else " "
        sheet.put(x + 1, y + row, mark, Ink.GOOD)
        end = sheet.put(x + 2, y + row, f" {key} ", Ink.ASKED if is_agreed else Ink.KEY)
        end = sheet.put(end, y + row, f" {name:<14} ", ink)
        sheet.put(end + 1, y + row, glimpse(name, is_ascii=sheet.is_ascii), Ink.FACE)
        sheet.zone(x + 2, y + row, columns - 3, 1, key)
    return x + columns + 3


def _sign_told(glance: Glance) -> str:
    """How far the partners have come with their sign."""
    if glance.offered is not None:
        key = next(key for key, name in keys.GESTURE_KEYS.items() if name == glance.offered)
        return f"{PROPOSED} {clipped(glance.people.seat(glance.partner), 12)} asks: Shift+{key} agrees"
    if glance.proposed is not None:
        return f"{PROPOSED} proposed by you, not agreed yet"
    if glance.agreed is not None and glance.book == (glance.agreed,):
        return "Your sign, sealed in your book:"
    return "Your sign for four of a kind (Shift+):"


def _talk(sheet: Sheet, glance: Glance, area: Area) -> bool:
    """What was whispered, and said to all, since the deal; whether what is explained fits there too."""
    x, y, columns, height = area
    lines: list[tuple[str, Ink]] = []
    for words in glance.recent.talk:
        who = "you" if words.seat == glance.seat else glance.people.seat(words.seat)
        whom = " to all" if words.is_public else ""
        ink = Ink.TEXT if words.seat == glance.seat else Ink.STRONG
        lines += [(text, ink) for text in wrapped(f"{who}{whom}: {words.text}", columns)]
    if not lines:
        nothing = "What was whispered before you came back is not kept."
        nothing = nothing if glance.has_returned else "Nothing was whispered yet."
        lines = [(text, Ink.DIM) for text in wrapped(nothing, columns)]
    if glance.lost_books:
        lost = wrapped(lost_text(glance.lost_books).capitalize(), columns)
        lines = [*((text, Ink.DIM) for text in lost), *lines]
    lessons = lesson_lines(glance, columns)
    has_lesson = len(lessons) + TALK_ROWS_MIN <= height
    for row, text in enumerate(lessons if has_lesson else (), start=y + height - len(lessons)):
        sheet.put(x, row, text, Ink.GOOD)
    height -= len(lessons) if has_lesson else 0
    sheet.put(x, y, "Whispers", Ink.TEXT)
    for row, (text, ink) in enumerate(lines[-(height - 1) :], start=1):
        sheet.clip(x, y + row, columns, text, ink)
    return has_lesson


def draw_showdown(sheet: Sheet, glance: Glance) -> None:
    """What the last call showed, what it was found to be, and what it changed."""
    draw_title(sheet, glance, f"{heading(glance)} is over")
    y = 2
    columns = sheet.width - 4
    for line in glance.recent.ending[:1]:
        for text in wrapped(line.text, columns):
            sheet.centre(y, text, Ink.STRONG)
            y += 1
    end = draw_waiting(sheet, glance, asked=_dealer_asked(glance))
    y = _hands(sheet, glance, y + 1, end - 8 - len(glance.view.scores)) + 1
    for text, ink in _found(glance, columns, max(end - y - 3 - len(glance.view.scores), 1)):
        sheet.centre(y, text, ink)
        y += 1
    for row, (text, ink) in enumerate(_scores(glance), start=y + 1):
        sheet.centre(row, text, ink)
    draw_notice(sheet, glance, Area(0, end - 2, sheet.width, 1), has_lesson=True)
    draw_buttons(
        sheet,
        rows_of((Button(keys.STORY, "the whole story"), Button(keys.ASKED, "on", Ink.ASKED)), sheet.width),
        0,
        end - 1,
        sheet.width,
    )


def _dealer_asked(glance: Glance) -> str | None:
    """To the next dealer: what Enter does here, which deals on the page behind this one only."""
    if glance.is_asked(What.NEXT) and not glance.away and not glance.is_paused:
        return "Enter goes on; then you are the dealer"
    return None


def _found(glance: Glance, columns: int, height: int) -> list[tuple[str, Ink]]:
    """What was found, as far as there is room: the verdict first, and each sentence whole or not at all.

    Who has won stands on the next page too.
    """
    rows: list[tuple[str, Ink]] = []
    for line in glance.recent.ending[1:]:
        sentence = [(text, TONES[line.tone]) for text in wrapped(line.text, columns)]
        if rows and len(rows) + len(sentence) > height:
            break
        rows += sentence
    return rows[:height]


def _hands(sheet: Sheet, glance: Glance, y: int, height: int) -> int:
    """The hands that lie open; the row below them."""
    shown = [
        (Seat(seat), [lying.card for lying in hand])
        for seat, hand in enumerate(glance.view.hands)
        if any(lying.card is not None for lying in hand)
    ]
    if not shown:
        sheet.centre(y, "No hand was shown.", Ink.DIM)
        return y + 1
    width = card_width(glance.view) * 4 + 4
    per_row = max(min(sheet.width // width, len(shown)), 1)
    rows = -(-len(shown) // per_row)
    is_low = rows * 4 > height
    for index, (seat, cards) in enumerate(shown):
        row, place = divmod(index, per_row)
        in_row = min(per_row, len(shown) - row * per_row)
        x = (sheet.width - in_row * width) // 2 + place * width
        _hand(sheet, glance, seat, cards, (x, y + row * (2 if is_low else 4), width), is_low=is_low)
    return y + rows * (2 if is_low else 4)


def _hand(
    sheet: Sheet,
    glance: Glance,
    seat: Seat,
    cards: Sequence[Card | None],
    where: tuple[int, int, int],
    *,
    is_low: bool,
) -> None:
    x, y, width = where
    name = glance.people.seat(seat) + (" (you)" if seat == glance.seat else "")
    ink = Ink.GOOD if team_of(seat, glance.players) == glance.team else Ink.ALARM
    sheet.centre(y, name, ink, x=x, columns=width)
    size = card_width(glance.view)
    left = x + (width - size * len(cards)) // 2
    for place, card in enumerate(cards):
        if is_low:
            text = glance.scene.card(glance.view.hands[seat][place].position) if card is not None else "??"
            sheet.put(left + place * size, y + 1, text, Ink.STRONG)
        else:
            draw_card(sheet, Area(left + place * size, y + 1, size, 3), card, Ink.EDGE)


def _scores(glance: Glance) -> list[tuple[str, Ink]]:
    """Every team's score, and what this deal changed, a row each."""
    view = glance.view
    before = view.state.deal_scores
    rows: list[tuple[str, Ink]] = []
    for team in teams(glance.players):
        change = view.scores[team] - before[team]
        names = listed([glance.people.seat(seat) for seat in members(team, glance.players)])
        sort = "letter" if glance.rules.scoring is Scoring.LETTERS else "point"
        told = f"   ({change:+d} {sort}{'' if abs(change) == 1 else 's'})" if change else ""
        text = f"{names}: {long_score(glance.rules, view.scores[team])}{told}"
        rows.append((text, Ink.STRONG if team == glance.team else Ink.TEXT))
    return rows


def draw_end(sheet: Sheet, glance: Glance) -> None:
    """Who has won, and what is left of the match: its words, its log, and how to check it."""
    draw_title(sheet, glance, "The match is over")
    view = glance.view
    is_won = glance.team in view.winners
    winners = winners_text(view.winners, glance.people)
    parts = [
        [("You have won!" if is_won else "You have lost.", Ink.GOOD if is_won else Ink.ALARM)],
        [(text, Ink.STRONG) for text in wrapped(winners[:1].upper() + winners[1:], sheet.width - 6)],
        _scores(glance),
        [(f"This match was {glance.words}, {counted(view.deals, 'deal')}", Ink.TEXT)],
    ]
    if glance.is_closed and glance.log is not None:
        parts.append(
            [
                ("Everything is in its log. Check it, now or in a year, with", Ink.TEXT),
                (f"kemps audit {glance.log.name}", Ink.STRONG),
                *((text, Ink.DIM) for text in wrapped(f"in {glance.log.parent}", sheet.width - 2)),
            ]
        )
    end = draw_waiting(sheet, glance)
    height, room = sum(map(len, parts)), end - 3
    # With many teams the blank rows between the parts give way to what is told.
    blank = height + len(parts) - 1 <= room
    y = max((end - height - blank * (len(parts) - 1)) // 2, 1)
    for part in parts:
        for text, ink in part:
            sheet.centre(y, text, ink)
            y += 1
        y += blank
    buttons = [
        Button(keys.REMATCH, "rematch", Ink.ASKED if glance.is_closed else Ink.DIM),
        Button(keys.STORY, "the story"),
        Button(keys.QUIT, "leave"),
    ]
    draw_notice(sheet, glance, Area(0, end - 3, sheet.width, 1), has_lesson=False)
    draw_buttons(sheet, rows_of(buttons, sheet.width), 0, end - 1, sheet.width)
