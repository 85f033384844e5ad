import pytest

from kemps_p2p.game.actions import CallKind, Counter, Double, DoubleCounter, Partner
from kemps_p2p.game.rules import load_rules, rule_names
from kemps_p2p.game.seating import team_of
from kemps_p2p.ids import Seat
from kemps_p2p.tui.calling import AGAIN_MS, Caller

ME = Seat(2)


def caller(name: str = "kemps", players: int = 4) -> Caller:
    return Caller(load_rules(name), ME, players)


def test_the_second_press_calls() -> None:
    fingers = caller()
    assert fingers.press(CallKind.PARTNER, 0) is None
    assert fingers.press(CallKind.PARTNER, AGAIN_MS) == (Partner(),)
    assert fingers.draft(AGAIN_MS) is None
    assert fingers.press(CallKind.PARTNER, AGAIN_MS) is None


def test_a_press_that_comes_too_late_begins_anew() -> None:
    fingers = caller()
    fingers.press(CallKind.PARTNER, 0)
    assert fingers.draft(AGAIN_MS + 1) is None
    assert fingers.press(CallKind.PARTNER, AGAIN_MS + 1) is None
    assert fingers.press(CallKind.PARTNER, AGAIN_MS + 2) == (Partner(),)


def test_another_call_is_no_second_press() -> None:
    fingers = caller()
    fingers.press(CallKind.PARTNER, 0)
    assert fingers.press(CallKind.COUNTER, 1) is None
    assert fingers.press(CallKind.COUNTER, 2) == (Counter(target=1),)


def test_where_there_is_but_one_other_team_nobody_is_named() -> None:
    fingers = caller("kemps", 4)
    assert fingers.press(CallKind.COUNTER, 0) is None
    draft = fingers.draft(0)
    assert draft is not None
    assert draft.choosing is None


@pytest.mark.parametrize(("name", "players", "target"), [("chaulcer", 4, 3), ("kemps", 8, 3), ("kems", 6, 2)])
def test_a_name_is_the_second_press(name: str, players: int, target: int) -> None:
    fingers = caller(name, players)
    assert fingers.press(CallKind.COUNTER, 0) is None
    assert fingers.press_seat(Seat(3), 100) == (Counter(target=target if name != "kems" else 0),)


def test_nobody_is_named_without_a_call() -> None:
    fingers = caller("chaulcer")
    assert fingers.press_seat(Seat(3), 0) is None
    fingers.press(CallKind.COUNTER, 0)
    assert fingers.press_seat(Seat(3), AGAIN_MS + 1) is None


def test_the_own_team_cannot_be_named() -> None:
    fingers = caller("chaulcer")
    fingers.press(CallKind.COUNTER, 0)
    assert fingers.press_seat(Seat(0), 1) is None
    assert fingers.press_seat(ME, 2) is None
    assert fingers.press_seat(Seat(1), 3) == (Counter(target=1),)


def test_several_calls_are_made_by_the_key_that_began_them() -> None:
    fingers = caller("chaulcer")
    assert fingers.press_several(0) is None
    assert fingers.press(CallKind.PARTNER, 1) is None
    assert fingers.press(CallKind.COUNTER, 2) is None
    assert fingers.press_seat(Seat(3), 3) is None
    assert fingers.press(CallKind.COUNTER, 4) is None
    assert fingers.press_seat(Seat(1), 5) is None
    assert fingers.press_several(6) == (Partner(), Counter(target=3), Counter(target=1))


def test_what_is_chosen_twice_is_taken_back() -> None:
    fingers = caller("chaulcer")
    fingers.press_several(0)
    fingers.press(CallKind.DOUBLE, 1)
    fingers.press(CallKind.DOUBLE, 2)
    fingers.press(CallKind.DOUBLE_COUNTER, 3)
    assert fingers.press_several(4) == (DoubleCounter(team=1),)


def test_several_calls_of_none_are_forgotten() -> None:
    fingers = caller("chaulcer")
    fingers.press_several(0)
    assert fingers.press_several(1) is None
    assert fingers.draft(1) is None


def test_what_was_begun_can_be_forgotten() -> None:
    fingers = caller("kems")
    fingers.press(CallKind.DOUBLE, 0)
    fingers.cancel()
    assert fingers.press(CallKind.DOUBLE, 1) is None
    assert fingers.press(CallKind.DOUBLE, 2) == (Double(),)


@pytest.mark.parametrize("name", rule_names())
def test_all_opponents_and_only_they_can_be_named(name: str) -> None:
    rules = load_rules(name)
    for players in rules.players:
        fingers = Caller(rules, ME, players)
        named = set(fingers.targets(CallKind.COUNTER))
        assert named == {
            Seat(seat) for seat in range(players) if team_of(Seat(seat), players) != team_of(ME, players)
        }
        assert not fingers.targets(CallKind.PARTNER)
