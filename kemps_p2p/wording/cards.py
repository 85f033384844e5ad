"""Cards and times, as people read them."""

from datetime import UTC, datetime, timedelta

from kemps_p2p.game.cards import PACK_CARDS, RANKS, SECOND_COPY, SUITS, Card, format_card, rank, suit

SYMBOLS = "♣♦♥♠"
HIDDEN = "a hidden card"
WALL_MS_MAX = 253_402_300_799_999
"""The last moment of the year 9999."""


def card_text(card: Card | None, *, is_ascii: bool = False) -> str:
    """A card, or what to call one that nobody has shown."""
    if card is None:
        return HIDDEN
    if is_ascii:
        return format_card(card)
    name = RANKS[rank(card)].replace("T", "10")
    return name + SYMBOLS[SUITS.index(SUITS[suit(card)])] + SECOND_COPY * (card // PACK_CARDS)


def clock_text(elapsed_ms: int) -> str:
    """Time since the match began: minutes, seconds and thousandths."""
    minutes, rest = divmod(elapsed_ms, 60_000)
    return f"{minutes}:{rest // 1000:02d}.{rest % 1000:03d}"


def day_text(wall_ms: int) -> str:
    """A time of day as somebody's clock had it."""
    if not 0 <= wall_ms <= WALL_MS_MAX:
        return "a day that no calendar has"
    day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=wall_ms)
    return day.strftime("%Y-%m-%d %H:%M:%S UTC")
