"""The table drawn for every rule set and number of players, in every size: all is there, and within reach."""

from dataclasses import replace

import pytest
from tui_helpers import SIZES, glance_of, table_of, view_of

from kemps_p2p.game.rules import load_rules, override, rule_names
from kemps_p2p.tui import keys
from kemps_p2p.tui.buttons import call_name
from kemps_p2p.tui.paint import Sheet, cells
from kemps_p2p.tui.table_page import draw_table, table_columns
from kemps_p2p.wording.cards import card_text

TABLES = [(name, players) for name in rule_names() for players in load_rules(name).players]


def drawn(name: str, players: int, size: tuple[int, int], *, is_ascii: bool = False) -> Sheet:
    sheet = Sheet(*size, is_ascii=is_ascii)
    view = view_of(table_of(load_rules(name), players), players // 2)
    draw_table(sheet, glance_of(view, is_ascii=is_ascii))
    return sheet


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_card_seat_and_call_is_shown_with_its_key(
    name: str, players: int, size: tuple[int, int]
) -> None:
    rules = load_rules(name)
    view = view_of(table_of(rules, players), players // 2)
    sheet = Sheet(*size, is_ascii=False)
    draw_table(sheet, glance_of(view))
    text = sheet.text()
    zones = {zone.key for zone in sheet.zones}
    for lying in view.pool:
        assert card_text(lying.card) in text
    for held in view.hand:
        assert card_text(held.card) in text
    assert zones >= set(keys.POOL_KEYS[: len(view.pool)])
    assert zones >= set(keys.HAND_KEYS)
    assert zones >= set(keys.SEAT_KEYS[: players - 1])
    assert zones >= {keys.CALL_KEYS[sort] for sort in rules.calls}
    assert zones >= {keys.CANCEL, keys.HELP, keys.SIGN}
    for sort in rules.calls:
        assert call_name(rules, sort) in text
    for y in range(sheet.height):
        assert sum(cells(run) for run, _ in sheet.row(y)) == sheet.width
    assert "waits for" in text.split("\n")[-1] or "Play is open" in text.split("\n")[-1]


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_ascii_is_ascii(name: str, players: int) -> None:
    sheet = drawn(name, players, (80, 24), is_ascii=True)
    assert sheet.text().isascii()


def test_zones_of_cards_do_not_overlap() -> None:
    sheet = drawn("chaulcer/five-up", 8, (60, 20))
    for zone in sheet.zones:
        for x in range(zone.x, zone.x + zone.width):
            for y in range(zone.y, zone.y + zone.height):
                assert sheet.key_at(x, y) == zone.key


def test_thirteen_cards_are_all_within_reach() -> None:
    """Discard-first with eight players: five cards in the middle, and eight that were put down."""
    rules = override(load_rules("chaulcer/five-up"), {"pool_size": 13})
    view = view_of(table_of(rules, 8), 4)
    glance = glance_of(view)
    reached = set()
    for turn in range(2):
        glance.switches.pool_turn = turn
        sheet = Sheet(80, 24, is_ascii=False)
        draw_table(sheet, replace(glance))
        text = sheet.text()
        reached |= {lying.card for lying in view.pool if card_text(lying.card) in text}
        assert keys.TURN_ON in {zone.key for zone in sheet.zones}
    assert reached >= {lying.card for lying in view.pool}


def test_the_side_takes_the_story_where_there_is_room() -> None:
    assert table_columns(80) == 80
    assert table_columns(200) < 200 - 40
