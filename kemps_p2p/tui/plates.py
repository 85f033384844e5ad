"""The others at the table: a plate for each, with name, face, cards, and what was last done.

Invariants:

1. Only the face that is watched is drawn as it is; of the others one sees that they move, and where.
2. What is known of a seat is known to all: plates show nothing else.
"""

from dataclasses import dataclass

from kemps_p2p.game.cards import QUARTET_CARDS
from kemps_p2p.game.seating import team_of
from kemps_p2p.ids import Seat
from kemps_p2p.tui.glance import Glance
from kemps_p2p.tui.keys import SEAT_KEYS, others
from kemps_p2p.tui.paint import Ink, Sheet, cells
from kemps_p2p.tui.scores import TEAMS_IN_LINE_MAX, short_score
from kemps_p2p.wording.faces import COLUMNS, REST, ROWS, Face, face_at

FRAMED_MAX = 7
"""Up to so many plates have frames and whole faces; more are two rows high."""
FRAMED_HEIGHT = ROWS + 2
BARE_HEIGHT = 2
PLATE_WIDTH_MAX = 28
_BLUR = Face("  ~ ~  ", "( ~ ~ )", "   ~   ")
"""What of a face is seen while one looks elsewhere: each row either rests or moves."""


@dataclass(frozen=True, slots=True)
class Seating:
    """How the plates are laid out in so many columns."""

    per_row: int
    rows: int
    width: int
    is_framed: bool

    @property
    def height(self) -> int:
        """Rows of the sheet that all plates take."""
        return self.rows * (FRAMED_HEIGHT if self.is_framed else BARE_HEIGHT)


def seating(players: int, columns: int, *, is_low: bool = False) -> Seating:
    """The plates of everybody else; low ones have no frames."""
    count = players - 1
    if not is_low and count <= FRAMED_MAX and columns // count >= COLUMNS + 2:
        return Seating(count, 1, min(columns // count, PLATE_WIDTH_MAX), is_framed=True)
    rows = 1 if count <= FRAMED_MAX else 2
    per_row = -(-count // rows)
    return Seating(per_row, rows, min(columns // per_row, PLATE_WIDTH_MAX), is_framed=False)


def seen_face(glance: Glance, seat: Seat) -> Face:
    """A face as it is seen from here: as it is if it is watched, or the own one; else where it moves."""
    gesture = glance.recent.gestures.get(seat)
    if gesture is None or not gesture.is_on(glance.now_ms):
        return REST
    face = face_at(gesture.text, glance.now_ms - gesture.since_ms)
    if seat in (glance.watched, glance.seat):
        return face
    return Face(
        REST.brows if face.brows == REST.brows else _BLUR.brows,
        REST.eyes if face.eyes == REST.eyes else _BLUR.eyes,
        REST.mouth if face.mouth == REST.mouth else _BLUR.mouth,
    )


def draw_plates(sheet: Sheet, glance: Glance, plan: Seating, where: tuple[int, int, int]) -> int:
    """All plates, from a column and a row on, in so many columns; the row below them."""
    x, y, columns = where
    everybody = others(glance.seat, glance.players)
    for index, (key, seat) in enumerate(zip(SEAT_KEYS, everybody, strict=False)):
        row, place = divmod(index, plan.per_row)
        in_row = min(plan.per_row, len(everybody) - row * plan.per_row)
        left = x + (columns - plan.width * in_row) // 2 + place * plan.width
        if plan.is_framed:
            _framed(sheet, glance, seat, key, (left, y, plan.width))
        else:
            _bare(sheet, glance, seat, key, (left, y + row * BARE_HEIGHT, plan.width))
    return y + plan.height


def _framed(sheet: Sheet, glance: Glance, seat: Seat, key: str, where: tuple[int, int, int]) -> None:
    x, y, width = where
    is_watched = seat == glance.watched
    sheet.box(x, y, width, FRAMED_HEIGHT, Ink.WATCHED if is_watched else Ink.PLATE, is_strong=is_watched)
    _name(sheet, glance, seat, key, (x + 1, y, width - 2))
    side = width - 2 - COLUMNS
    face_x = x + 1 if side >= 5 else x + 1 + side // 2
    draw_face(sheet, face_x, y + 1, seen_face(glance, seat))
    told = _told(glance, seat)
    if side >= 5:
        for row, (text, ink) in enumerate(told[:ROWS]):
            sheet.clip(x + 1 + COLUMNS + 1, y + 1 + row, side - 1, text, ink)
    elif told:
        text, ink = told[-1]
        sheet.centre(y + FRAMED_HEIGHT - 1, text, ink, x=x + 1, columns=width - 2)
    if glance.players // 2 > TEAMS_IN_LINE_MAX:
        score = short_score(glance.rules, glance.view.scores[team_of(seat, glance.players)])
        sheet.clip(x + 1, y + FRAMED_HEIGHT - 1, width - 2, score, Ink.DIM)
    sheet.zone(x, y, width, FRAMED_HEIGHT, key)


def _bare(sheet: Sheet, glance: Glance, seat: Seat, key: str, where: tuple[int, int, int]) -> None:
    x, y, width = where
    _name(sheet, glance, seat, key, (x, y, width - 1))
    eyes = seen_face(glance, seat)
    is_moving = eyes != REST
    sheet.put(x, y + 1, "(~~)" if is_moving else "(oo)" if sheet.is_ascii else "(••)", Ink.FACE)
    told = _told(glance, seat)
    text, ink = told[-1]
    if len(told) == 1 and len(glance.view.hands[seat] if glance.view.hands else ()) == QUARTET_CARDS:
        # Whole hands go without saying where there is little room: the score does not.
        text = short_score(glance.rules, glance.view.scores[team_of(seat, glance.players)])
    sheet.clip(x + 4, y + 1, width - 5, text, ink)
    sheet.zone(x, y, width, BARE_HEIGHT, key)


def _name(sheet: Sheet, glance: Glance, seat: Seat, key: str, where: tuple[int, int, int]) -> None:
    x, y, width = where
    is_target = seat in glance.targets
    end = sheet.put(x, y, key, Ink.ARMED if is_target else Ink.KEY)
    marks = ("D" if seat == glance.view.dealer else "") + ("P" if seat == glance.partner else "")
    is_turn = glance.view.turn == seat
    ink = Ink.ASKED if is_turn else Ink.WATCHED if seat == glance.watched else Ink.STRONG
    name = f" {'▶' if is_turn else ''}{glance.people.seat(seat)} "
    room = width - 1 - (len(marks) + 1 if marks else 0)
    end = sheet.clip(end, y, max(room, 0), name, ink)
    if marks and x + width - len(marks) >= end:
        sheet.put(x + width - len(marks), y, marks, Ink.ALARM)


def _told(glance: Glance, seat: Seat) -> list[tuple[str, Ink]]:
    """What a plate says of a seat, the most lively last."""
    view, recent = glance.view, glance.recent
    count = len(view.hands[seat]) if view.hands else 0
    told = [("▮" * count, Ink.DIM)]
    if seat in view.barred:
        told.append(("barred", Ink.DIM))
    if seat in view.signalled:
        told.append(("ready!", Ink.ALARM))
    if seat in view.passes:
        told.append(("passed", Ink.GOOD))
    speech, move = recent.speech.get(seat), recent.moves.get(seat)
    if speech is not None and speech.is_on(glance.now_ms):
        told.append((f"“{speech.text}”", Ink.TEXT))
    if move is not None and move.is_on(glance.now_ms):
        told.append((move.text, Ink.ALARM))
    # Cards come first, then what is newest.
    return told if len(told) <= ROWS else [told[0], *told[-(ROWS - 1) :]]


def draw_face(sheet: Sheet, x: int, y: int, face: Face) -> None:
    """Three rows of a face."""
    for row, text in enumerate(face.rows(is_ascii=sheet.is_ascii)):
        sheet.put(x, y + row, text, Ink.FACE)


def draw_watched(sheet: Sheet, glance: Glance, x: int, y: int, columns: int) -> None:
    """The face that is watched, where plates have no room for one: four rows."""
    name = f"you watch {glance.people.seat(glance.watched)}"
    sheet.clip(x, y, columns, name, Ink.WATCHED)
    draw_face(sheet, x + 2, y + 1, seen_face(glance, glance.watched))


def draw_self(sheet: Sheet, glance: Glance, x: int, y: int, columns: int) -> None:
    """The own face, and how things stand for this seat: four rows."""
    view = glance.view
    marks = " D" if view.dealer == glance.seat else ""
    is_turn = view.turn == glance.seat
    name = f"{'▶' if is_turn else ''}{glance.people.seat(glance.seat)} (you){marks}"
    sheet.clip(x, y, columns, name, Ink.ASKED if is_turn else Ink.STRONG)
    draw_face(sheet, x, y + 1, seen_face(glance, glance.seat))
    told = [text for text, _ in _told(glance, glance.seat)[1:]]
    for row, text in enumerate(told[:ROWS]):
        if columns - COLUMNS - 1 >= min(cells(text), 6):
            sheet.clip(x + COLUMNS + 1, y + 1 + row, columns - COLUMNS - 1, text, Ink.GOOD)
