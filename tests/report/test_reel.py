"""A replay on the terminal: keys and time, and what is drawn for whose eyes."""

import asyncio

import pytest
from report_helpers import CARD, Memory, Seen, short_rules, watched_match

from kemps_p2p.ids import Seat
from kemps_p2p.report.timeline import Timeline
from kemps_p2p.tui.paint import Sheet
from kemps_p2p.tui.reel import HELP, SPEEDS, Reel
from kemps_p2p.tui.reel_app import ReelApp
from kemps_p2p.tui.reel_page import draw_reel
from kemps_p2p.wording.cards import card_text
from kemps_p2p.wording.eyes import Whose, Wide

pytest_plugins = ("report_fixtures",)


def text_of(sheet: Sheet) -> str:
    return "\n".join("".join(text for text, _ in sheet.row(y)) for y in range(sheet.height))


def drawn(reel: Reel, width: int = 80, height: int = 24, *, is_ascii: bool = False) -> str:
    sheet = Sheet(width, height, is_ascii=is_ascii)
    draw_reel(sheet, reel, "clean", is_sound=True)
    return text_of(sheet)


@pytest.fixture
def reel(timeline: Timeline) -> Reel:
    return Reel(timeline)


def press(reel: Reel, *keys: str) -> None:
    for key in keys:
        assert reel.press(key, 0)


def test_steps_and_their_ends(reel: Reel) -> None:
    press(reel, "left")
    assert reel.index == 0
    press(reel, "right", "right", "pagedown")
    assert reel.index == 12
    press(reel, "pageup", "left")
    assert reel.index == 1
    press(reel, "end", "right")
    assert reel.index == reel.last
    press(reel, "home")
    assert reel.index == 0


@pytest.mark.parametrize(("key", "marks"), [("c", "calls"), ("r", "races"), ("d", "deals")])
def test_jumps_go_through_every_mark_and_back(reel: Reel, timeline: Timeline, key: str, marks: str) -> None:
    places = [mark.index for mark in getattr(timeline, marks)]
    found = []
    for _ in places:
        press(reel, key)
        found.append(reel.index)
    assert found == places
    press(reel, key)
    assert reel.index == places[-1], "there is no further one"
    assert f"There is no later {marks.removesuffix('s')}" in drawn(reel)
    press(reel, "end")
    for place in reversed(places):
        press(reel, key.upper())
        assert reel.index == place


def test_a_key_says_that_there_is_nothing_to_jump_to_until_the_next(reel: Reel) -> None:
    press(reel, "home", "C")
    assert "There is no earlier call" in drawn(reel)
    press(reel, "right")
    assert "There is no" not in drawn(reel)


def test_the_list_tells_every_sentence_to_its_end(reel: Reel, timeline: Timeline) -> None:
    press(reel, "c", "right")
    for index in range(reel.index, reel.last + 1):
        reel.go(index)
        rows = drawn(reel, 80, 40).split("\n")
        below = " ".join(" ".join(row.strip() for row in rows[15:]).split())
        assert " ".join(timeline.text(index, Wide.ALL).split()) in below


@pytest.mark.parametrize("width", [60, 80])
def test_what_stands_above_is_not_cut(reel: Reel, width: int) -> None:
    verdict = (
        "clean: everything in this log holds, and so does each of the nine deals and all the calls in it"
    )
    for key in ("d", "end"):
        press(reel, key)
        sheet = Sheet(width, 24, is_ascii=False)
        draw_reel(sheet, reel, verdict, is_sound=True)
        rows = text_of(sheet).split("\n")
        assert "…" not in "".join(rows[:3])
        assert " ".join(" ".join(rows[1:3]).split()) == verdict
        assert width < 80 or reel.moment.day in rows[0]


def test_marks_on_the_bar_are_explained(reel: Reel) -> None:
    press(reel, "?")
    assert "● is the moment, ┼ a deal, ◆ a call" in drawn(reel)
    assert "O is the moment, | a deal, C a call" in drawn(reel, is_ascii=True)


def test_a_hand_that_has_not_been_looked_at_yet_is_told_as_face_down(timeline: Timeline) -> None:
    (index, *_) = [moment.index for moment in timeline.moments if moment.line.event == "hand"]
    assert timeline.text(index, Seat(0)).endswith(": face down")
    assert timeline.text(index, Wide.TABLE).endswith(": face down")
    assert "face down" not in timeline.text(index, Wide.ALL)


def test_eyes_by_number_and_in_turn(reel: Reel) -> None:
    everybody: list[Whose] = [Wide.ALL, Wide.TABLE, *map(Seat, range(4))]
    for whose in (*everybody[1:], everybody[0]):
        press(reel, "tab")
        assert reel.whose == whose
    press(reel, "shift+tab")
    assert reel.whose == Seat(3)
    for key, whose in (("2", Seat(1)), ("t", Wide.TABLE), ("0", Wide.ALL), ("9", Wide.ALL)):
        press(reel, key)
        assert reel.whose == whose
    for key, seat in (("1", 0), ("4", 3)):
        press(reel, key)
        rows = [line for line in drawn(reel).splitlines() if "your eyes" in line]
        assert [(row.split()[0], f"seat {seat}" in row) for row in rows] == [(key, True)]


@pytest.mark.parametrize("speed", range(len(SPEEDS)))
def test_it_plays_at_every_speed_to_the_end(timeline: Timeline, speed: int) -> None:
    reel = Reel(timeline, speed=speed)
    assert reel.press("space", 1000)
    assert reel.is_running
    assert not reel.tick(999)
    moments = timeline.moments
    played_ms = moments[-1].line.at_ms - moments[0].line.at_ms
    least = {0: played_ms, 1: played_ms // 4 - len(moments), 2: 1000 * reel.last, 3: 250 * reel.last}[speed]
    assert least > 0
    reel.tick(1000 + least - 1)
    assert reel.index < reel.last
    reel.tick(1000 + least + 2 * len(moments))
    assert reel.index == reel.last
    assert not reel.is_running
    assert reel.press("space", 0)
    assert reel.index == 0, "from the end it plays again from the beginning"


def test_a_pause_stops_time_and_speed_has_two_ends(reel: Reel) -> None:
    press(reel, "space", "space")
    assert not reel.tick(10**9)
    press(reel, *"++++++")
    assert reel.speed == len(SPEEDS) - 1
    press(reel, *"------")
    assert reel.speed == 0


def test_the_keys_page_names_keys_that_work_and_any_key_closes_it(reel: Reel) -> None:
    press(reel, "?")
    shown = drawn(reel)
    for key, text in HELP:
        assert key in shown
        assert text in shown
    press(reel, "q")
    assert "Keys of a replay" not in drawn(reel)
    assert not reel.press("q", 0)


def test_cards_are_drawn_for_the_chosen_eyes_alone(timeline: Timeline) -> None:
    everybody: list[Whose] = [Wide.TABLE, *map(Seat, range(timeline.seats))]
    for whose in everybody:
        memory = Memory(timeline, whose)
        reel = Reel(timeline, whose=whose)
        for moment in timeline.moments:
            reel.go(moment.index)
            shown = drawn(reel)
            assert set(CARD.findall(shown)) <= memory.names(moment.index)
            faces = timeline.faces(moment.index, whose)
            assert {card_text(card) for card in faces.values()} <= set(CARD.findall(shown))
            lying = len(moment.game.pool) + sum(map(len, moment.game.hands))
            assert shown.count("░░░░░") == lying - len(faces)


def test_all_hands_are_drawn_for_all_eyes(timeline: Timeline) -> None:
    reel = Reel(timeline, timeline.calls[0].index)
    assert "░" not in drawn(reel)


def test_a_race_is_told_with_the_word_of_each_witness(timeline: Timeline) -> None:
    for mark in timeline.races:
        shown = drawn(Reel(timeline, mark.index), 160, 40)
        words = timeline.words(mark.index)
        assert words
        for word in words:
            assert word in shown


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 60)])
def test_every_moment_fits_every_size(timeline: Timeline, size: tuple[int, int]) -> None:
    reel = Reel(timeline)
    for moment in timeline.moments:
        reel.go(moment.index)
        shown = drawn(reel, *size)
        assert all(f" {timeline.people.seat(seat)} " in shown for seat in range(4))
        assert moment.clock in shown.split("\n")[0]
        assert "shown: all hands" in shown


def test_ascii_is_ascii(seen: Seen) -> None:
    reel = Reel(Timeline(seen.audit, is_ascii=True))
    for index in range(reel.last + 1):
        reel.go(index)
        assert drawn(reel, 60, 20, is_ascii=True).isascii()


@pytest.mark.soak
def test_more_seats_than_keys() -> None:
    reel = Reel(Timeline(watched_match(short_rules(), 3, 12).audit))
    for index in range(reel.last + 1):
        reel.go(index)
        shown = drawn(reel, 80, 30)
        assert all(f" {reel.story.people.seat(seat)} " in shown for seat in range(12))


def test_the_program_takes_keys_and_clicks_and_leaves(timeline: Timeline) -> None:
    async def script() -> None:
        app = ReelApp(Reel(timeline), "clean", is_sound=True, is_ascii=False, colours=4, has_colour=True)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("right", "c", "3", "tab")
            assert app.reel.index == timeline.calls[0].index
            assert app.reel.whose == Seat(3)
            sheet = app.stage.sheet
            assert sheet is not None
            assert f"shown: what {timeline.people.seat(3)} saw" in text_of(sheet)
            place = next(zone for zone in sheet.zones if zone.key == "left")
            await pilot.click(offset=(place.x, place.y))
            assert app.reel.index == timeline.calls[0].index - 1
            await pilot.resize_terminal(60, 20)
            await pilot.pause()
            sheet = app.stage.sheet
            assert sheet is not None
            assert (sheet.width, sheet.height) == (60, 20)
            await pilot.press("q")
            assert not app.is_running

    asyncio.run(script())
