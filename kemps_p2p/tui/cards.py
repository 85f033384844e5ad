"""Cards on a sheet: those of the middle and the own ones, each with the key that takes it."""

from dataclasses import dataclass, replace

from kemps_p2p.game.cards import SUITS, Card, suit
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position
from kemps_p2p.tui.glance import Glance
from kemps_p2p.tui.keys import HAND_KEYS, POOL_KEYS, TURN_ON, shown
from kemps_p2p.tui.paint import Area, Ink, Sheet, cells
from kemps_p2p.wording.cards import SYMBOLS, card_text

SUIT_INKS = (Ink.CLUBS, Ink.DIAMONDS, Ink.HEARTS, Ink.SPADES)
FACE_CELLS = 3
"""The widest name of a card, 10♠; a second pack adds a stroke."""
GAP_MAX = 4


@dataclass(frozen=True, slots=True)
class Frame:
    """A row of cards: where it begins, how wide it may be, and how high a card is."""

    x: int
    y: int
    width: int
    card_width: int
    card_height: int


HIGH_CARD = 5
LOW_CARD = 3


def card_width(view: SeatView) -> int:
    """How wide a low card is; a high one takes two columns more."""
    return FACE_CELLS + 2 + (view.rules.packs(view.players) > 1)


def draw_card(sheet: Sheet, area: Area, card: Card | None, edge: Ink, *, is_strong: bool = False) -> None:
    """One card, face down if it has no face."""
    x, y, width, height = area
    if card is None:
        sheet.fill(x, y, width, height, Ink.BACK)
        sheet.box(x, y, width, height, Ink.BACK)
        for row in range(y + 1, y + height - 1):
            sheet.put(x + 1, row, ":" * (width - 2) if sheet.is_ascii else "░" * (width - 2), Ink.BACK)
        return
    ink = SUIT_INKS[suit(card)]
    name = card_text(card, is_ascii=sheet.is_ascii)
    sheet.fill(x, y, width, height, ink)
    sheet.box(x, y, width, height, edge, is_strong=is_strong)
    if height < HIGH_CARD:
        sheet.put(x + (width - cells(name)) // 2, y + height // 2, name, ink)
        return
    # A large card has its name in two corners, and its suit in the middle.
    sheet.put(x + 1, y + 1, name, ink)
    sheet.put(x + width - 1 - cells(name), y + height - 2, name, ink)
    sheet.put(x + width // 2, y + height // 2, card_suit(card, is_ascii=sheet.is_ascii), ink)


def card_suit(card: Card, *, is_ascii: bool) -> str:
    """The suit of a card, as one character."""
    return SUITS[suit(card)] if is_ascii else SYMBOLS[suit(card)]


def pool_page(view: SeatView, count: int, turn: int, columns: int) -> tuple[int, int]:
    """The places of the middle that have keys now: from, to. All of them, where they fit."""
    size = min(len(POOL_KEYS), max(columns // card_width(view), 1))
    pages = max(-(-count // size), 1)
    first = turn % pages * size
    return first, min(first + size, count)


def draw_pool(sheet: Sheet, glance: Glance, frame: Frame) -> None:
    """The middle: who left a card, the cards, their keys. Two rows more than a card is high."""
    first, last = pool_page(glance.view, len(glance.pool), glance.switches.pool_turn, frame.width)
    faces = {lying.position: lying.card for lying in glance.view.pool}
    places = glance.pool[first:last]
    if not places:
        sheet.centre(frame.y + 2, "No cards lie in the middle.", Ink.DIM, x=frame.x, columns=frame.width)
        return
    pitch = min(frame.card_width + GAP_MAX, frame.width // len(places))
    x = frame.x + (frame.width - pitch * len(places)) // 2
    for key, position in zip(POOL_KEYS, places, strict=False):
        if position is not None:
            held = position, faces.get(position)
            _pool_card(sheet, glance, held, replace(frame, x=x, width=pitch), key)
        x += pitch
    if last - first < len(glance.pool):
        text = f"{first + 1} to {last} of {len(glance.pool)}; {shown(TURN_ON)}: others"
        sheet.put(frame.x, frame.y, text, Ink.LABEL, TURN_ON)


def _pool_card(
    sheet: Sheet, glance: Glance, held: tuple[Position, Card | None], frame: Frame, key: str
) -> None:
    """One card of the middle. The frame begins a row above the card."""
    position, card = held
    y, pitch, width, height = frame.y, frame.width, frame.card_width, frame.card_height
    left = frame.x + (pitch - width) // 2
    is_chosen = position in glance.take
    fresh = glance.recent.fresh.get(position)
    is_fresh = fresh is not None and fresh.is_on(glance.now_ms)
    edge = Ink.CHOSEN if is_chosen else Ink.FRESH if is_fresh else Ink.EDGE
    if fresh is not None and is_fresh:
        sheet.clip(left, y, max(pitch - 1, width), fresh.text, Ink.ALARM)
    draw_card(sheet, Area(left, y + 1, width, height), card, edge, is_strong=is_chosen)
    if card is not None:
        _key(sheet, Area(left, y + 1 + height, width, 1), key, is_chosen=is_chosen)
        sheet.zone(left, y + 1, width, height + 1, key)


def draw_hand(sheet: Sheet, glance: Glance, frame: Frame) -> None:
    """The own cards and their keys. One row more than a card is high."""
    faces = {held.position: held.card for held in glance.view.hand}
    width, height = frame.card_width, frame.card_height
    pitch = min(width + 2, frame.width // len(HAND_KEYS))
    x = frame.x + (frame.width - pitch * len(HAND_KEYS)) // 2
    for key, position in zip(HAND_KEYS, glance.hand, strict=False):
        if position is not None:
            is_chosen = position in glance.give
            edge = Ink.CHOSEN if is_chosen else Ink.EDGE
            draw_card(sheet, Area(x, frame.y, width, height), faces.get(position), edge, is_strong=is_chosen)
            _key(sheet, Area(x, frame.y + height, width, 1), key, is_chosen=is_chosen)
            sheet.zone(x, frame.y, width, height + 1, key)
        x += pitch


def _key(sheet: Sheet, area: Area, key: str, *, is_chosen: bool) -> None:
    text = f"[{key}]" if is_chosen else f" {key} "
    ink = Ink.CHOSEN if is_chosen else Ink.KEY
    sheet.put(area.x + (area.width - len(text)) // 2, area.y, text, ink)
