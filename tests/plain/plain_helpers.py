"""A laid table as a line of text sees it: hands and middle by name, four seats with names."""

from kemps_p2p.game.actions import Go, Next
from kemps_p2p.game.cards import parse_cards
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rows import Row
from kemps_p2p.game.rules import deal_cards, load_rules, override
from kemps_p2p.game.table import Layout, Table
from kemps_p2p.game.views import SeatView, seat_view
from kemps_p2p.ids import Position, Seat
from kemps_p2p.plain.board import Board
from kemps_p2p.wording.people import People

NAMES = ("Anna", "Ben", "Carla", "Dan", "Eva", "Finn", "Anton", "Olga")
HANDS = ("2C 2D 2H 3C", "4C 4D 4H 5C", "6C 6D 6H 7C", "8C 8D 8H 9C")
POOL = "TC KH 9S 2S"


def laid(preset: str, hands: tuple[str, ...] = HANDS, pool: str = POOL, **changes: object) -> Table:
    """A table whose first deal lies as given and is open for play."""
    rules = override(load_rules(preset), changes)
    given, middle = tuple(parse_cards(hand) for hand in hands), parse_cards(pool)
    named = {card for hand in given for card in hand} | set(middle)
    rest = tuple(card for card in deal_cards(rules, len(hands)) if card not in named)
    layout = Layout(hands=given, pool=middle, stock=rest)
    table = Table.seated(rules, len(hands), Seat(0), lambda state: layout)
    table.act(Seat(0), Next())
    if table.state.phase is Phase.DEALT:
        table.act(Seat(0), Go())
    return table


def view_of(table: Table, seat: int = 0) -> SeatView:
    return seat_view(table.state, Seat(seat), table.hand(Seat(seat)))


def board_of(table: Table, seat: int = 0) -> Board:
    view = view_of(table, seat)
    people = People(view.players, NAMES[: view.players])
    return Board(view, Row().follow(view.state.pool), Row().follow(view.state.hands[seat]), people)


def pool_card(table: Table, place: int) -> Position:
    return table.state.pool[place - 1]


def hand_card(table: Table, place: int, seat: int = 0) -> Position:
    return table.state.hands[seat][place - 1]
