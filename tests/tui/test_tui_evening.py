"""Whole evenings at a terminal, on a real table: each screen by keys alone, and by mouse alone."""

from pathlib import Path

import pytest
from tui_helpers import Person, evening

from kemps_p2p.game.actions import CallKind
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.tui import keys
from kemps_p2p.tui.desk import Page
from kemps_p2p.tui.overlays import Overlay

BOTH = pytest.mark.parametrize(
    "has_mouse", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["keys", "mouse"]
)
CHAULCER = override(load_rules("chaulcer"), {"look_ms": 0, "first_dealer": "seat-0", "idle_seconds": 0})
CASH = load_rules("cash")


async def to_the_table(person: Person) -> None:
    """From sitting down until play is open."""
    await person.until_page(Page.HUDDLE)
    await person.until(lambda: "ready: go on" in person.screen)
    await person.do(keys.ASKED)
    await person.until_page(Page.TABLE)
    await until_open(person)


async def until_open(person: Person) -> None:
    await person.until(lambda: person.sitting.view().phase is Phase.OPEN)
    await person.until(lambda: len(person.sitting.view().hand) == 4)
    person.app.paint()


@BOTH
def test_a_match_and_its_rematch(tmp_path: Path, has_mouse: bool) -> None:
    async def script(person: Person) -> None:
        await person.until_page(Page.HUDDLE)
        await person.until(lambda: "ready: go on" in person.screen)
        assert "Anna: signal: yawn" in person.screen
        assert person.sitting.words in person.screen
        await person.do("W")
        await person.until(lambda: "Anna: agreed: wink" in person.screen)
        assert person.sitting.signal_agreed == "wink"
        await person.do(keys.ASKED)
        await person.until_page(Page.TABLE)
        await until_open(person)

        view = person.sitting.view()
        wanted, given = view.state.pool[1], view.state.hands[view.seat][2]
        await person.do("2")
        await person.do("d")
        await person.until(lambda: wanted in person.sitting.view().state.hands[view.seat])
        assert given in person.sitting.view().state.pool
        assert "Mia took" in person.screen

        await person.do(keys.CALL_KEYS[CallKind.PARTNER])
        assert "again calls it" in person.screen
        assert person.sitting.view().phase is Phase.OPEN
        await person.do(keys.CALL_KEYS[CallKind.PARTNER])
        await person.until_page(Page.SHOWDOWN)
        assert "Mia calls" in person.screen
        assert "(+1 letter)" in person.screen
        await person.do(keys.ASKED)
        await person.until_page(Page.END)
        assert "You have lost." in person.screen
        await person.until(lambda: "kemps audit" in person.screen)
        first = person.sitting
        await person.do(keys.REMATCH)
        assert person.sitting is first.next
        await person.until_page(Page.HUDDLE)
        assert person.sitting.match != first.match
        await person.do(keys.CANCEL)
        assert person.app.desk.overlay is Overlay.MENU
        await person.do(keys.QUIT)
        await person.until(lambda: not person.app.is_running)

    outcome = evening(tmp_path, script, has_mouse=has_mouse)
    # The rematch had begun, and was left.
    assert not outcome.is_closed
    assert outcome.log is not None


@BOTH
def test_put_down_first_and_several_calls_in_one(tmp_path: Path, has_mouse: bool) -> None:
    async def script(person: Person) -> None:
        await to_the_table(person)
        view = person.sitting.view()
        mine = view.state.hands[view.seat]
        wanted = view.state.pool[0]
        await person.do("a")
        await person.until(lambda: len(person.sitting.view().state.hands[view.seat]) == 3)
        await person.until(lambda: "You have put a card down" in person.screen)
        await person.do("1")
        await person.until(lambda: wanted in person.sitting.view().state.hands[view.seat])

        # Chosen before a card is put down, it is picked up right after.
        second = person.sitting.pool_row()[1]
        await person.do("2")
        await person.do("s")
        await person.until(lambda: second in person.sitting.view().state.hands[view.seat])
        assert set(person.sitting.view().state.hands[view.seat]) != set(mine)

        for key in (keys.SEVERAL, "k", "c", "z"):
            await person.do(key)
        assert "+ again calls all" in person.screen
        await person.do(keys.SEVERAL)
        await person.until(lambda: person.sitting.view().call is not None or person.sitting.view().verdicts)

        # One name alone is a whole call.
        await person.until(lambda: person.sitting.view().call is None)
        before = len(person.sitting.view().state.judged)
        await person.do("c")
        assert "On whom?" in person.screen
        await person.do("v")
        await person.until(lambda: len(person.sitting.view().state.judged) > before)

    evening(tmp_path, script, rules=CHAULCER, has_mouse=has_mouse)


@BOTH
def test_turns_and_the_public_signal(tmp_path: Path, has_mouse: bool) -> None:
    async def script(person: Person) -> None:
        await to_the_table(person)
        view = person.sitting.view()
        if view.turn is not None and view.turn != view.seat:
            assert person.sitting.people.seat(view.turn) in person.screen.split("\n")[-1]
        await person.until(lambda: person.sitting.view().turn == view.seat)
        assert "It is your turn" in person.screen
        await person.do(keys.SIGN)
        await person.until(lambda: view.seat in person.sitting.view().signalled)
        await person.do(keys.DECLINE)
        # All others pass as well, as soon as it is their turn.
        await person.until(lambda: person.sitting.view().swept_count)

    evening(tmp_path, script, rules=CASH, has_mouse=has_mouse)
