from dataclasses import replace

import pytest
from tui_helpers import glance_of, table_of, view_of

from kemps_p2p.game.rules import Exchange, load_rules, rule_names
from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat
from kemps_p2p.tui import keys
from kemps_p2p.tui.overlays import Overlay, draw_overlay, help_keys, menu_buttons
from kemps_p2p.tui.paint import Sheet
from kemps_p2p.wording.faces import glimpse

TABLES = [(name, players) for name in rule_names() for players in load_rules(name).players]
ACTS = (
    keys.SEVERAL, keys.DECLINE, keys.ASKED, keys.CANCEL, keys.SIGN, keys.EXPRESS, keys.ADMIT, keys.DENY,
    keys.MULLIGAN, keys.TALK, keys.WHISPER, keys.STORY, keys.BREAK, keys.HELP, keys.QUIT, keys.WATCH_NEXT,
    keys.WATCH_LAST, keys.WATCH_PARTNER, keys.WATCH_LEFT, keys.WATCH_RIGHT, keys.TURN_ON,
)  # fmt: skip


@pytest.mark.parametrize("players", [4, 6, 8, 10, 12, 14, 16])
def test_no_key_at_the_table_has_two_meanings(players: int) -> None:
    all_keys = [
        *keys.POOL_KEYS,
        *keys.HAND_KEYS,
        *keys.seat_keys(Seat(0), players).values(),
        *keys.CALL_KEYS.values(),
        *keys.GESTURE_KEYS,
        *ACTS,
    ]
    assert len(all_keys) == len(set(all_keys))


@pytest.mark.parametrize("players", [4, 6, 8, 10, 12, 14, 16])
def test_everybody_else_has_a_key_and_the_partner_the_one_in_the_middle(players: int) -> None:
    me = Seat(players - 1)
    found = keys.seat_keys(me, players)
    assert set(found) == {Seat(seat) for seat in range(players - 1)}
    assert list(found)[players // 2 - 1] == partner_of(me, players)
    for seat, key in found.items():
        assert keys.seat_of_key(key, me, players) == seat
    assert keys.seat_of_key("k", me, players) is None


def test_a_key_beyond_the_table_means_nobody() -> None:
    assert keys.seat_of_key("b", Seat(0), 4) is None


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_help_page_names_the_keys_of_this_table(name: str, players: int) -> None:
    rules = load_rules(name)
    told = dict(help_keys(rules, players, is_ascii=False))
    for sort in keys.CALL_KEYS:
        pressed = f"{keys.CALL_KEYS[sort]} {keys.CALL_KEYS[sort]}"
        assert (pressed in told) == (sort in rules.calls)
    assert ("+" in told) == rules.combine_calls
    assert ("u" in told) == bool(rules.mulligan)
    assert ("e" in told) == (rules.signals == "gestures")
    assert ("W" in told) == (rules.signals == "gestures")
    assert told.get("W", glimpse("wink", is_ascii=False)).endswith(glimpse("wink", is_ascii=False))
    more = 0 if rules.exchange is Exchange.SWAP else players
    assert f"1 to {keys.POOL_KEYS[: rules.pool_size + more][-1]}" in told


@pytest.mark.parametrize("overlay", Overlay)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 60)], ids=str)
def test_below_an_overlay_nothing_can_be_clicked(overlay: Overlay, size: tuple[int, int]) -> None:
    glance = glance_of(view_of(table_of(load_rules("chaulcer"), 4), 2))
    sheet = Sheet(*size, is_ascii=False)
    sheet.zone(0, 0, *size, "k")
    draw_overlay(sheet, glance, overlay, 0)
    assert "k" not in {zone.key for zone in sheet.zones}
    assert keys.CANCEL in {zone.key for zone in sheet.zones}


def test_every_line_of_help_is_reached_by_scrolling() -> None:
    glance = glance_of(view_of(table_of(load_rules("chaulcer"), 8), 4))
    seen = ""
    for scroll in range(0, 60, 3):
        sheet = Sheet(60, 20, is_ascii=False)
        draw_overlay(sheet, glance, Overlay.HELP, scroll)
        seen += sheet.text()
    for _, text in help_keys(glance.rules, glance.players, is_ascii=False):
        for word in text.split():
            assert word in seen


def test_the_menu_says_who_leaves_with_whoever_leaves() -> None:
    glance = glance_of(view_of(table_of(load_rules("kemps"), 4), 2))
    for has_bots, told in ((True, "your bots leave with you"), (False, "the log is kept")):
        labels = [button.label for button in menu_buttons(replace(glance, has_bots=has_bots))]
        assert f"leave the table now; {told}" in labels


def test_the_menu_says_what_is_on() -> None:
    glance = glance_of(view_of(table_of(load_rules("kemps"), 4), 2))
    glance.switches.has_bell = False
    labels = [button.label for button in menu_buttons(glance)]
    assert "bell at calls: off" in labels
    assert "flash at calls: on" in labels
