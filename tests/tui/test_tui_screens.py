"""What screens do beside the game: sizes, colours, pages over them, words, breaks, news."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_tui_evening import to_the_table
from textual.widgets import Input
from tui_helpers import SHORT, Person, evening, glance_of, quick, table_of, view_of

from kemps_p2p.game.actions import Gesture
from kemps_p2p.game.events import Dealt, Passed, PlayStarted
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import Want
from kemps_p2p.session.presence import Away
from kemps_p2p.session.races import Asked, Race
from kemps_p2p.tui import keys
from kemps_p2p.tui.app import screen_ms
from kemps_p2p.tui.desk import Page
from kemps_p2p.tui.overlays import menu_buttons
from kemps_p2p.tui.paint import Sheet
from kemps_p2p.tui.table_page import draw_table
from kemps_p2p.wording.faces import REST, face_at
from kemps_p2p.wording.look import Look

ASCII = Look(is_plain=False, is_ascii=True, colours=2, has_tutorial=False)


def test_every_size_and_every_page_over_the_table(tmp_path: Path) -> None:
    async def script(person: Person) -> None:
        await to_the_table(person)
        for size in ((60, 20), (200, 60), (80, 24)):
            await person.pilot.resize_terminal(*size)
            await person.until(lambda: person.sheet.width == person.app.size.width == size[0])  # noqa: B023
            assert "Kemps!" in person.screen
            assert "Play is open" in person.screen.split("\n")[-1]
            # The gestures are all there to choose from, and hide neither the pass nor the way back.
            await person.do(keys.EXPRESS)
            can_press = {zone.key for zone in person.sheet.zones}
            assert {*keys.GESTURE_KEYS, keys.DECLINE, keys.EXPRESS} <= can_press
            assert "glance aside" in person.screen
            assert "e  closes" in person.screen
            await person.do(keys.EXPRESS)
        await person.pilot.resize_terminal(50, 15)
        await person.until(lambda: "The table needs 60 columns and 20 rows" in person.screen)
        await person.pilot.resize_terminal(30, 10)
        await person.until(lambda: "here are 30 and 10." in person.screen)
        assert "The table needs 60 columns and" in person.screen
        await person.pilot.resize_terminal(80, 24)
        await person.until(lambda: "Kemps!" in person.screen)

        await person.do(keys.HELP)
        assert "Keys at this table" in person.screen
        first = person.screen
        await person.do(keys.TURN_ON)
        assert person.screen != first
        await person.do(keys.CANCEL)
        await person.do(keys.STORY)
        assert "Deal 1 starts" in person.screen
        await person.do(keys.CANCEL)
        await person.do(keys.EXPRESS)
        assert "raised eyebrow" in person.screen

        # A break, for which the others go along, and on again.
        await person.do(keys.BREAK)
        await person.until(lambda: person.sitting.is_paused and "takes a break" in person.screen)
        await person.do("1")
        await person.do("a")
        assert "you cannot do that" in person.screen.lower()
        await person.do(keys.BREAK)
        await person.until(lambda: not person.sitting.is_paused)

        # A huddle is over once cards are dealt.
        person.app.desk._huddle.is_on = True
        person.sitting.want(Want.HUDDLE)
        await person.until(lambda: person.sitting.wants[person.sitting.seat] is Want.PLAY_ON)

        # Words are not allowed while cards are in play.
        await person.do(keys.TALK)
        assert "You cannot talk now" in person.screen

    evening(tmp_path, script)


def last_rows(sheet: Sheet) -> str:
    """The rows at the bottom as one text."""
    return " ".join(" ".join(sheet.text().split("\n")[-2:]).split())


@pytest.mark.parametrize("width", [60, 80])
def test_who_is_away_is_named_with_the_time_and_the_way_out(width: int) -> None:
    view = view_of(table_of(load_rules("kemps"), 4), 2)
    left, silent = Away(Seat(1), 42_500, has_left=True), Away(Seat(3), 61_000, has_left=False)
    also_left = Away(Seat(0), 40_000, has_left=True)
    for away, told in (
        ((), "Play is open for everybody"),
        ((left,), "Esc, then x, ends the match once all agree: Ben left the table 42 s ago"),
        ((left,), "Ben left the table 42 s ago; they may come back (kemps rejoin)"),
        ((silent,), "Esc, then x, ends the match once all agree: nothing has been heard of Dan for 1 min"),
        ((left, also_left, silent), "all agree: Anna and Ben left the table 40 s ago; nothing has been"),
    ):
        sheet = Sheet(width, 24, is_ascii=False)
        draw_table(sheet, replace(glance_of(view), away=away))
        assert told in last_rows(sheet)
    gone = replace(glance_of(view), away=(silent,), can_vote_absent=(Seat(3),))
    draw_table(sheet, gone)
    told = "Esc, then v, votes for a deal without them: nothing has been heard of Dan for 1 min 1 s"
    assert told in last_rows(sheet)
    assert [button.label for button in menu_buttons(gone) if button.key == keys.VOTE] == [
        "vote Dan absent: the deal is over once enough have"
    ]
    assert not any(button.key == keys.VOTE for button in menu_buttons(glance_of(view)))
    empty = replace(gone, can_vote_absent=(), can_offer=(Seat(3),))
    draw_table(sheet, empty)
    assert "Esc, then h, offers a bot for them: nothing has been heard of Dan" in last_rows(sheet)
    offer = SimpleNamespace(seat=Seat(3), by=Seat(1))
    offered = replace(empty, offers=(offer,))  # type: ignore[arg-type]  # of an offer no more is drawn
    draw_table(sheet, offered)
    assert "Esc, then h, agrees to the bot that is offered: nothing has" in last_rows(sheet)
    for glance, label in (
        (empty, "offer a bot to play for Dan"),
        (offered, "agree that a bot of Ben plays for Dan"),
    ):
        assert [button.label for button in menu_buttons(glance) if button.key == keys.HOLD] == [label]
    draw_table(sheet, replace(glance_of(view), is_looking_on=True))
    assert "A bot plays for you: you play again from the next deal on" in last_rows(sheet)
    alone = replace(gone, silent_teams=(Seat(1), Seat(3)))
    draw_table(sheet, alone)
    told = "Esc, then o, signs a walk-over: nothing has been heard of Dan for 1 min 1 s"
    assert told in last_rows(sheet)
    for glance, count in ((alone, 1), (gone, 0)):
        assert [button.key for button in menu_buttons(glance)].count(keys.WALK_OVER) == count
    wanted = replace(glance_of(view), away=(left,), wants=(Want.ABANDON, *[Want.AS_OTHERS] * 3))
    draw_table(sheet, wanted)
    assert "Anna wants to abandon the match (Esc, then x joins)" in last_rows(sheet)


def test_the_sign_can_be_sealed_in_the_huddle(tmp_path: Path) -> None:
    async def script(person: Person) -> None:
        await person.until_page(Page.HUDDLE)
        await person.until(lambda: "Anna asks: Shift+Y agrees" in person.screen)
        assert "seal our book" not in person.screen
        await person.do("Y")
        await person.until(lambda: "seal our book" in person.screen)
        assert "you: agreed: yawn" in person.screen
        assert "Your sign for four of a kind (Shift+):" in person.screen
        await person.do(keys.SEAL)
        await person.until(lambda: "Your sign, sealed in your book:" in person.screen)
        assert "our book is sealed: yawn; it is opened when the match is over" in person.screen
        assert "seal our book" not in person.screen
        await person.do(keys.SEAL)
        assert "our book for the next deal is sealed already" in person.screen
        # The whole table has it in the log before the deal.
        await person.until(lambda: person.sitting._session.play.final.books.keys() == {person.sitting.seat})

    evening(tmp_path, script)


def test_a_bot_for_who_is_absent_is_offered_or_agreed_to_in_the_menu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[Seat, ...]] = []

    async def script(person: Person) -> None:
        await person.until_page(Page.HUDDLE)
        gone, other = Seat((person.sitting.seat + 1) % 4), Seat((person.sitting.seat + 2) % 4)
        monkeypatch.setattr(Sitting, "can_offer", lambda sitting: (gone,))
        monkeypatch.setattr(Sitting, "offer_stand_in", lambda sitting, seat: done.append((seat,)))
        monkeypatch.setattr(Sitting, "agree_to_stand_in", lambda sitting, seat, by: done.append((seat, by)))
        for offers in ((), (SimpleNamespace(seat=gone, by=other), SimpleNamespace(seat=other, by=gone))):
            monkeypatch.setattr(Sitting, "offers", lambda sitting, offers=offers: offers)
            await person.pilot.press(keys.CANCEL)
            await person.do(keys.HOLD)
        assert done == [(gone,), (gone, other)]

    evening(tmp_path, script)


def test_words_are_written_in_a_line_of_their_own(tmp_path: Path) -> None:
    async def script(person: Person) -> None:
        await person.until_page(Page.HUDDLE)
        await person.do(keys.WHISPER)
        entry = person.app.query_one(Input)
        assert entry.display
        await person.pilot.press(*"kay", "enter")
        await person.until(lambda: "you: kay" in person.screen)
        assert not entry.display
        await person.do(keys.WHISPER)
        await person.pilot.press("x", "escape")
        assert not entry.display
        assert person.app.desk.overlay is None

        # With speech, everybody hears what is said at the table.
        await to_the_table(person)
        await person.do(keys.TALK)
        await person.pilot.press(*"hello", "enter")
        await person.until(lambda: "said: hello" in person.screen)

    evening(tmp_path, script, rules=override(SHORT, {"speech": True}))


@pytest.mark.parametrize("has_colour", [True, False])
def test_without_colours_and_beyond_ascii(tmp_path: Path, has_colour: bool) -> None:
    async def script(person: Person) -> None:
        await person.until_page(Page.HUDDLE)
        assert person.screen.isascii()
        await to_the_table(person)
        await person.do("1")
        assert "[1]" in person.screen
        assert person.screen.isascii()
        styles = [
            segment.style for y in range(24) for segment in person.app.stage.render_line(y) if segment.style
        ]
        assert any(style.bold for style in styles)
        assert has_colour == any(style.color or style.bgcolor for style in styles)

    evening(tmp_path, script, look=ASCII, has_colour=has_colour)


def test_news(tmp_path: Path) -> None:
    async def script(person: Person) -> None:
        await to_the_table(person)
        desk, sitting = person.app.desk, person.sitting
        me, ben = sitting.seat, Seat(1)
        now = screen_ms()

        # Who was first, and by what evidence.
        first = Asked(sitting.match, ben, Gesture(name="wink"))  # type: ignore[arg-type]
        second = Asked(sitting.match, me, Gesture(name="wink"))  # type: ignore[arg-type]
        race = Race(first, second, is_together=False, by_cause=False, words=(2, 0, 2))
        desk.hear(fx.Raced(race), now)
        person.app.paint()
        assert "Ben was first: 2 of 2 witnesses saw Ben before Mia" in person.screen

        # A gesture is seen as it is by whoever watches, by others only that there is one; never in words.
        desk.playing.watched = ben
        desk.hear(fx.GestureSeen(ben, "wink"), now)
        story = [line.text for line in desk.news.recent.story]
        person.app.paint()
        face = face_at("wink", 100)
        assert face != REST
        assert face.rows(is_ascii=False)[1].strip() in person.screen
        assert "wink" not in person.screen
        desk.playing.watched = sitting.partner
        person.app.paint()
        assert face.rows(is_ascii=False)[1].strip() not in person.screen
        assert "~" in person.screen
        assert story == [line.text for line in desk.news.recent.story]

        # Whoever had left is back, and wants nothing else; a lesson of the last deal is over with it.
        desk.hear(fx.Wanted(ben, Want.GONE), now)
        desk.hear(fx.Wanted(ben, Want.PLAY_ON, Want.GONE), now)
        told = [line.text for line in desk.news.recent.story][-2:]
        assert told == ["Ben has left the table, and may come back (kemps rejoin)", "Ben is back"]
        desk.news.recent.lessons = ["That was a whole deal"]
        desk.hear(fx.Happened(1, (Dealt(1, me),), sitting.view().state), now)
        assert not desk.news.recent.lessons

        # Why something could not be done is not said any more once it can.
        for event in (PlayStarted(), Passed(me)):
            desk.news.refuse("you cannot do that", now)
            desk.hear(fx.Happened(1, (Passed(ben),), sitting.view().state), now)
            assert desk.news.recent.notice is not None
            desk.hear(fx.Happened(1, (event,), sitting.view().state), now)
            assert desk.news.recent.notice is None
        desk.news.notify("something else", now)
        desk.hear(fx.Happened(1, (Passed(me),), sitting.view().state), now)
        assert desk.news.recent.notice is not None

        # What is whispered while cards are in play waits.
        desk.hear(fx.Whispered("psst"), now)
        assert not [words for words in desk.news.recent.talk if words.text == "psst"]

    evening(tmp_path, script)


def test_a_match_is_abandoned_once_all_want_it(tmp_path: Path) -> None:
    async def script(person: Person) -> None:
        await to_the_table(person)
        await person.do(keys.CANCEL)
        assert "abandon the match" in person.screen
        await person.do(keys.ABANDON)
        await person.until(lambda: not person.app.is_running)

    assert evening(tmp_path, script, has_mouse=True).is_abandoned


def test_a_match_that_ends_early_ends_the_screen(tmp_path: Path) -> None:
    async def script(person: Person) -> None:
        await to_the_table(person)
        person.sitting.leave()
        await person.until(lambda: not person.app.is_running)

    outcome = evening(tmp_path, script)
    assert not outcome.is_closed


@pytest.mark.soak
@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        ("kemps/go", {}),
        ("kems", {"goal": 2}),
        ("kent", {}),
        ("cash", {"goal": 2}),
        ("chaulcer/verbal", {"deal_limit": 2}),
    ],
)
def test_an_evening_among_quick_bots(tmp_path: Path, rules: str, changes: dict[str, object]) -> None:
    """Whatever happens at a busy table, the screen can be drawn, and the match ends."""
    changed = override(load_rules(rules), {"look_ms": 0, "auto_pass_s": 1, "idle_seconds": 1, **changes})

    async def script(person: Person) -> None:
        step = 0
        while person.app.desk.page() is not Page.END:
            step += 1
            # A table that is never idle is never cleared, so cards are moved now and then only.
            cards = ("1", "a", "2") if step % 130 < 13 else ("space", "tab", "space")
            key = (*cards, "space", "enter", "k", "k", "c", "z", "y", "n", "g", "l")[step % 13]
            await person.pilot.press(key)
        await person.until(lambda: "kemps audit" in person.screen)

    assert evening(tmp_path, script, rules=changed, seated=quick(4), limit_s=300).is_closed
