"""Between deals on the screen: who is ready, who has left, what is said, what is explained."""

from dataclasses import replace
from pathlib import Path

import pytest
from test_tui_evening import to_the_table
from tui_helpers import Person, evening, glance_of, quick, table_of, view_of

from kemps_p2p.game.actions import Call, Next, Partner, Pass
from kemps_p2p.game.gestures import GESTURES
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.game.table import Table
from kemps_p2p.ids import Seat
from kemps_p2p.session.messages import Want
from kemps_p2p.session.presence import Away
from kemps_p2p.session.waiting import Waiting, What
from kemps_p2p.tui import keys
from kemps_p2p.tui.app import screen_ms
from kemps_p2p.tui.calling import AGAIN_MS
from kemps_p2p.tui.desk import Page
from kemps_p2p.tui.glance import Glance
from kemps_p2p.tui.lessons import ON_SCREEN
from kemps_p2p.tui.lines import LESSON_LINE_MS, asked_text, state_text
from kemps_p2p.tui.news import _ending
from kemps_p2p.tui.pages import Lobby, draw_end, draw_huddle, draw_lobby, draw_showdown
from kemps_p2p.tui.paint import Sheet, wrapped
from kemps_p2p.tui.recent import Line, Recent, Tone
from kemps_p2p.tui.table_page import draw_table
from kemps_p2p.wording.faces import glimpse
from kemps_p2p.wording.scores import winners_text
from kemps_p2p.wording.tutorial import Tutorial

KEMPS = load_rules("kemps")
HUDDLE, READY, BOT = Want.HUDDLE, Want.PLAY_ON, Want.AS_OTHERS
SMALL = pytest.mark.parametrize("size", [(60, 20), (80, 24)])


def ended_deal() -> Table:
    table = table_of(KEMPS, 4)
    table.act(Seat(0), Call(calls=(Partner(),)))
    assert table.state.phase is Phase.DEAL_OVER
    return table


def between_deals(seat: int, *wants: Want) -> Glance:
    """A look at a table whose first deal is over; its dealer deals again, and may."""
    table = ended_deal()
    dealer = table.state.dealer
    glance = glance_of(view_of(table, seat))
    waits = (Waiting(What.NEXT, (dealer,)),)
    is_held = wants[seat] is HUDDLE
    return replace(glance, waits=waits, wants=wants, is_held=is_held, can=frozenset({keys.ASKED}))


def drawn(glance: Glance, size: tuple[int, int], draw: object = draw_huddle) -> str:
    sheet = Sheet(*size, is_ascii=False)
    draw(sheet, glance)  # type: ignore[operator]
    return sheet.text()


def test_each_is_told_who_is_ready_and_who_is_not() -> None:
    assert view_of(ended_deal(), 0).dealer == 0
    dealer = between_deals(0, HUDDLE, HUDDLE, READY, BOT)
    assert asked_text(dealer) == "You are the dealer: Enter twice deals (Ben is not ready yet)"
    assert asked_text(between_deals(0, HUDDLE, READY, READY, BOT)) == "You are the dealer: Enter deals"
    told = asked_text(between_deals(1, HUDDLE, HUDDLE, READY, BOT))
    assert told == "A break, for as long as you like: Enter goes on (Carla is ready)"
    waiting = between_deals(2, BOT, HUDDLE, READY, HUDDLE)
    assert asked_text(waiting) is None
    assert state_text(waiting) == "Ben and Dan are not ready yet; Anna waits up to 2 minutes"
    told = "Ben and Dan are not ready yet; waiting for Anna to start the next deal"
    assert state_text(between_deals(2, READY, HUDDLE, READY, HUDDLE)) == told


@SMALL
@pytest.mark.parametrize("draw", [draw_huddle, draw_showdown], ids=["huddle", "showdown"])
def test_who_has_left_is_named_on_every_page_even_to_the_dealer(size: tuple[int, int], draw: object) -> None:
    away = tuple(Away(Seat(seat), 35_000, has_left=True) for seat in (1, 2, 3))
    screen = drawn(replace(between_deals(0, HUDDLE, *[Want.GONE] * 3), away=away), size, draw)
    assert "You are the dealer" not in screen
    last = " ".join(" ".join(screen.split("\n")[-2:]).split())
    assert last.startswith(
        "Esc, then x, ends the match once all agree: Ben, Carla and Dan left the table 35 s"
    )


@SMALL
def test_every_gesture_has_its_face_beside_its_name(size: tuple[int, int]) -> None:
    rows = drawn(replace(between_deals(0, *[HUDDLE] * 4), agreed="yawn"), size).split("\n")
    for key, name in keys.GESTURE_KEYS.items():
        (row,) = [row for row in rows if f" {key}  {name}" in row]
        assert glimpse(name, is_ascii=False) in row
        assert ("▶" in row) == (name == "yawn")


@SMALL
def test_a_sign_that_is_only_proposed_says_by_whom_and_how_to_agree(size: tuple[int, int]) -> None:
    look = between_deals(0, *[HUDDLE] * 4)
    agreed, offered = drawn(replace(look, agreed="yawn"), size), drawn(replace(look, offered="wink"), size)
    proposed = drawn(replace(look, agreed="yawn", proposed="wink"), size)
    assert "Your sign for four of a kind" in agreed
    assert "▷" not in agreed
    assert "▷ Carla asks: Shift+W agrees" in offered
    assert "▶" not in offered
    assert "▷ proposed by you, not agreed yet" in proposed
    for screen in (offered, proposed):
        (row,) = [row for row in screen.split("\n") if " W  wink" in row]
        assert "▷" in row
    assert "▶" in next(row for row in proposed.split("\n") if " Y  yawn" in row)


@SMALL
def test_whoever_came_back_is_not_told_that_nothing_was_said(size: tuple[int, int]) -> None:
    look = between_deals(0, *[HUDDLE] * 4)
    back = drawn(replace(look, has_returned=True, lost_books=(1,)), size)
    assert "Nothing was" in drawn(look, size)
    assert "Nothing was" not in back
    for word in ("whispered", "before", "kept.", "Your book", "stays", "lost", "files"):
        assert word in back


def test_no_two_gestures_look_alike_in_a_line() -> None:
    for is_ascii in (True, False):
        faces = [glimpse(kind.name, is_ascii=is_ascii) for kind in GESTURES]
        assert len(set(faces)) == len(faces)


@SMALL
def test_what_is_explained_lies_over_nothing_and_is_told_whole(size: tuple[int, int]) -> None:
    lessons = [line.removeprefix("lesson: ") for line in Tutorial(ON_SCREEN).welcome(KEMPS, "Carla")]
    huddle = replace(between_deals(0, *[HUDDLE] * 4), recent=Recent(lessons=lessons))
    table = replace(glance_of(view_of(table_of(KEMPS, 4), 0)), recent=Recent(lessons=lessons))
    for glance, draw in ((huddle, draw_huddle), (table, draw_table)):
        bare = drawn(replace(glance, recent=Recent()), size, draw).split("\n")
        seen: set[str] = set()
        for beat in range(20):
            rows = drawn(replace(glance, now_ms=beat * LESSON_LINE_MS), size, draw).split("\n")
            # Whatever was there without it is there beside it.
            assert all(before in now for before, now in zip(bare, rows, strict=True))
            seen.update(word for row in rows for word in row.split())
        assert {word for lesson in lessons for line in wrapped(lesson, 60) for word in line.split()} <= seen


@SMALL
def test_the_stock_is_told_after_a_sweep_too(size: tuple[int, int]) -> None:
    table = table_of(KEMPS, 4)
    for seat in range(4):
        table.act(Seat(seat), Pass(pool=table.state.pool))
    view = view_of(table, 0)
    assert view.swept_count == 4
    screen = drawn(glance_of(view), size, draw_table)
    assert "28 cards left, 4 swept" in screen if size[0] == 80 else "28 left" in screen
    assert "4 swept" in screen
    for seat in (*range(4), *range(4)):
        table.act(Seat(seat), Pass(pool=table.state.pool))
    screen = drawn(glance_of(view_of(table, 0)), size, draw_table)
    assert "20 left, 12 swept" in screen if size[0] == 80 else "12 swept" in screen


def test_a_short_screen_shows_the_verdict_before_who_has_won() -> None:
    verdict = "The call “Kemps!” (Bot Anna has a quartet) is wrong (called by Bot Carla)"
    lines = ("Carla calls", verdict, "Bot Ben and Dan win the match; Bot Anna and Bot Carla K, Bot Ben none")
    waits = (Waiting(What.SEEDS, tuple(map(Seat, range(4)))),)
    ending = [Line(text, Tone.LOUD) for text in lines]
    screen = drawn(
        replace(between_deals(0, *[READY] * 4), recent=Recent(ending=ending), waits=waits),
        (60, 20),
        draw_showdown,
    )
    assert verdict in " ".join(screen.split())
    assert "nothing for you to do" in screen


@SMALL
def test_a_showdown_tells_sentences_whole_or_not_at_all(size: tuple[int, int]) -> None:
    look = between_deals(0, *[READY] * 4)
    for count in range(1, 12):
        sentences = [
            f"Sentence {number} goes on " + "and on " * 12 + f"to end {number}" for number in range(count)
        ]
        ending = [Line(text, Tone.LOUD) for text in ("Carla calls", *sentences)]
        told = " ".join(drawn(replace(look, recent=Recent(ending=ending)), size, draw_showdown).split())
        assert "Sentence 0" in told
        assert [text in told for text in sentences] == [text[:11] in told for text in sentences]


def test_a_showdown_says_who_has_won_and_leaves_the_scores_to_the_rows_below() -> None:
    table = table_of(override(KEMPS, {"word": "K"}), 4)
    done = table.act(Seat(0), Call(calls=(Partner(),)))
    scene = glance_of(view_of(table, 0)).scene
    told = [line.text for event in done.events for line in _ending(event, scene)]
    assert told[-1] == "Ben and Dan win the match"


def test_enter_at_a_showdown_says_where_it_leads_even_to_the_dealer() -> None:
    dealer = between_deals(0, HUDDLE, HUDDLE, READY, BOT)
    assert drawn(dealer, (60, 20), draw_showdown).endswith("Enter goes on; then you are the dealer")
    assert "Enter twice deals" in drawn(dealer, (60, 20), draw_huddle)


@pytest.mark.parametrize("draw", [draw_huddle, draw_showdown], ids=["huddle", "showdown"])
def test_both_scores_stand_in_a_short_title(draw: object) -> None:
    title = drawn(between_deals(0, *[READY] * 4), (60, 20), draw).split("\n")[0]
    assert "you K   they ·  " in title


def test_small_letters_in_the_huddle_say_how_a_sign_is_chosen(tmp_path: Path) -> None:
    async def script(person: Person) -> None:
        await person.until_page(Page.HUDDLE)
        await person.until(lambda: "Anna: signal: yawn" in person.screen)
        await person.do("n")
        assert "Shift+N chooses nose scratch" in person.screen
        assert person.sitting.signal == "yawn"
        await person.do("N")
        await person.until(lambda: person.sitting.signal_agreed == "nose scratch")

    evening(tmp_path, script)


def test_a_dealer_deals_to_people_who_are_not_ready_with_a_second_press(tmp_path: Path) -> None:
    rules = override(KEMPS, {"look_ms": 0, "first_dealer": "seat-0"})

    async def script(person: Person) -> None:
        await person.until_page(Page.HUDDLE)
        await person.until(lambda: "Anna: signal: yawn" in person.screen)
        sitting, desk = person.sitting, person.app.desk
        sitting.waiting_for = lambda: (Waiting(What.NEXT, (sitting.seat,)),)  # type: ignore[method-assign]
        sitting._session._wants[Seat(1)] = HUDDLE
        dealt: list[object] = []
        sitting.act = dealt.append  # type: ignore[method-assign, assignment]
        now = screen_ms()
        for press_ms, count in ((0, 0), (AGAIN_MS + 1, 0), (AGAIN_MS + 2, 1)):
            desk.press(keys.ASKED, now + press_ms)
            assert len(dealt) == count
        person.app.paint()
        desk.press(keys.ASKED, now + AGAIN_MS + 3)
        assert len(dealt) == 1
        assert "Ben is not ready yet: Enter again deals" in str(desk.news.recent.notice)
        sitting._session._wants[Seat(1)] = READY
        desk.press(keys.ASKED, now + AGAIN_MS + 4)
        assert len(dealt) == 2

    evening(tmp_path, script, rules=rules)


def test_what_is_said_to_all_stands_in_the_huddle_at_once(tmp_path: Path) -> None:
    async def script(person: Person) -> None:
        await person.until_page(Page.HUDDLE)
        await person.until(lambda: "ready: go on" in person.screen)
        await person.do(keys.TALK)
        await person.pilot.press(*"hello", "enter")
        await person.until(lambda: "you to all: hello" in person.screen)
        assert person.app.desk.page() is Page.HUDDLE

    evening(tmp_path, script, seated=quick(4))


def test_a_pair_without_a_sign_is_warned_once(tmp_path: Path) -> None:
    async def script(person: Person) -> None:
        await person.until_page(Page.HUDDLE)
        await person.until(lambda: "Anna: signal: yawn" in person.screen)
        person.sitting._person.accord.offered = None
        await person.do(keys.ASKED)
        assert "No sign is agreed with Anna: Enter again goes on" in person.screen
        assert person.sitting.wants[person.sitting.seat] is Want.HUDDLE
        await person.do(keys.ASKED)
        await person.until_page(Page.TABLE)

    evening(tmp_path, script)


def test_enter_says_why_nothing_is_dealt_if_somebody_has_left(tmp_path: Path) -> None:
    rules = override(KEMPS, {"look_ms": 0, "first_dealer": "seat-0"})

    async def script(person: Person) -> None:
        await person.until_page(Page.HUDDLE)
        person.sitting.away = lambda: (Away(Seat(1), 35_000, has_left=True),)  # type: ignore[method-assign]
        person.sitting.waiting_for = lambda: (Waiting(What.NEXT, (person.sitting.seat,)),)  # type: ignore[method-assign]
        person.sitting.against = lambda action: None  # type: ignore[method-assign]
        dealt: list[object] = []
        person.sitting.act = dealt.append  # type: ignore[method-assign, assignment]
        await person.until(lambda: "Anna: signal: yawn" in person.screen)
        await person.do(keys.ASKED)
        assert "No deal without them: Ben left the table 35 s ago" in person.screen
        assert dealt == [Next()]

    evening(tmp_path, script, rules=rules)


def test_an_open_table_is_reached_with_one_press_once_a_sign_is_agreed(tmp_path: Path) -> None:
    evening(tmp_path, to_the_table)


def test_whoever_waits_for_a_rematch_sees_who_has_left() -> None:
    people = glance_of(view_of(table_of(KEMPS, 4), 0)).people
    waits = (Waiting(What.SEATING, (Seat(1), Seat(2))),)
    lobby = Lobby(seat=Seat(0), players=4, people=people, waits=waits, gone=(Seat(2), Seat(3)), beat=0)
    sheet = Sheet(80, 24, is_ascii=False)
    draw_lobby(sheet, lobby)
    assert "… Ben is still to come" in sheet.text()
    assert "× Carla has left the table" in sheet.text()
    # Who has come again is there.
    assert "✓ Dan" in sheet.text()
    assert sheet.text().endswith("Carla left the table: there is no match without them; q leaves")


def test_the_end_says_who_wants_a_rematch_and_who_has_left() -> None:
    table = table_of(override(KEMPS, {"word": "K"}), 4)
    table.act(Seat(0), Call(calls=(Partner(),)))
    assert table.state.phase is Phase.MATCH_OVER
    glance = replace(glance_of(view_of(table, 0)), is_closed=True, rematch=(Seat(1),), gone=(Seat(3),))
    assert drawn(glance, (80, 24), draw_end).endswith(
        "Ben wants a rematch; Dan left the table: there is no match without them"
    )


@SMALL
@pytest.mark.parametrize("players", [4, 6, 16])
def test_the_end_is_told_whole_on_a_small_screen(size: tuple[int, int], players: int) -> None:
    table = table_of(override(KEMPS, {"word": "K"}), players)
    table.act(Seat(0), Call(calls=(Partner(),)))
    log = Path("/home/anna/some/rather/long/way/to/what/was/kept/logs/feed-seat0.kemps")
    glance = replace(glance_of(view_of(table, 0)), is_closed=True, log=log)
    rows = [row.strip() for row in drawn(glance, size, draw_end).split("\n")]
    winners = winners_text(glance.view.winners, glance.people)
    told = " ".join(" ".join(rows).split())
    for text in ("You have lost.", winners, f"This match was {glance.words}", f"kemps audit {log.name}"):
        assert text in told
    assert str(log.parent) in "".join(rows)
    for team, name in enumerate(map(glance.people.team, range(players // 2))):
        assert sum(row.startswith(f"{name}: {'·' if team else 'K'}") for row in rows) == 1
    assert "r  rematch   l  the story   q  leave" in rows
