"""A table of bots in virtual time with everything at its default; scripted luck; tables that are laid."""

from random import Random

from kemps_p2p.bots.bot import Level, Pace
from kemps_p2p.game.actions import Next, Swap
from kemps_p2p.game.cards import format_cards, parse_cards
from kemps_p2p.game.record import Result
from kemps_p2p.game.rules import deal_cards, load_rules
from kemps_p2p.game.table import Layout, Outcome, Table
from kemps_p2p.game.views import SeatView, seat_view
from kemps_p2p.ids import Position, Seat
from kemps_p2p.lab import evening


class Evening(evening.Evening):
    """Quick bots of one level around four seats, unless told otherwise."""

    def __init__(
        self,
        seed: int,
        players: int = 4,
        *,
        pace: Pace = Pace.FAST,
        level: Level = Level.NORMAL,
        preset: str = "kemps",
        delay_ms: tuple[int, int] = (2, 12),
        whispers: bool = True,
    ) -> None:
        super().__init__(
            seed,
            load_rules(preset),
            players,
            pace=pace,
            levels=(level,) * players,
            delay_ms=delay_ms,
            whispers=whispers,
        )


class Eager(Random):
    """A luck with which every chance comes true, and every delay is the shortest."""

    def random(self) -> float:
        return 0.0

    def randint(self, a: int, b: int) -> int:
        return a


class Numb(Random):
    """A luck with which no chance comes true, and every delay is the longest."""

    def random(self) -> float:
        return 0.999999

    def randint(self, a: int, b: int) -> int:
        return b


class Middling(Random):
    """A luck with which what is likelier than not comes true, and nothing else does."""

    def random(self) -> float:
        return 0.5

    def randint(self, a: int, b: int) -> int:
        return b


def laid(hands: str, pool: str, *, preset: str = "kemps") -> Table:
    """A table in play: hands with semicolons between them, the rest of the pack is the stock."""
    rules = load_rules(preset)
    held = tuple(parse_cards(hand) for hand in hands.split(";"))
    middle = parse_cards(pool)
    used = {card for cards in (*held, middle) for card in cards}
    stock = tuple(card for card in deal_cards(rules, len(held)) if card not in used)
    layout = Layout(hands=held, pool=middle, stock=stock)
    table = Table.seated(rules, len(held), Seat(0), lambda state: layout)
    assert table.act(Seat(0), Next()).result is Result.OK
    return table


def view_of(table: Table, seat: int) -> SeatView:
    return seat_view(table.state, Seat(seat), table.hand(Seat(seat)))


def names(table: Table, cards: tuple[Position, ...]) -> str:
    return format_cards(sorted(table.faces[card] for card in cards))


def swap(table: Table, seat: int, take: str, give: str) -> Outcome:
    """A swap by the names of its cards."""
    where = table.positions()
    action = Swap(
        take=tuple(where[card] for card in parse_cards(take)),
        give=tuple(where[card] for card in parse_cards(give)),
    )
    outcome = table.act(Seat(seat), action)
    assert outcome.result is Result.OK
    return outcome
