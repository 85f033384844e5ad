"""What a person's seat does by itself: it moves its face, and waits with what comes too soon."""

import stat
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from local_helpers import SHORT

from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Action, Gesture, Next, Pass
from kemps_p2p.game.gestures import FIDGETS, GESTURES, Intent
from kemps_p2p.game.rules import RuleSet, load_rules
from kemps_p2p.game.table import Table, pack_order
from kemps_p2p.game.views import SeatView, seat_view
from kemps_p2p.ids import Position, Seat
from kemps_p2p.runtime.files import SecretFile
from kemps_p2p.runtime.person import PAUSE_MS, Person

MINUTES = 60
NAMES = {kind.name for kind in GESTURES}
FIDGET_NAMES = {kind.name for kind in FIDGETS}


def view_of(rules: RuleSet = SHORT, *, is_dealt: bool = True) -> SeatView:
    table = Table.seated(rules, 4, Seat(0), lambda state: pack_order(rules, 4))
    if is_dealt:
        table.act(Seat(0), Next())
    return seat_view(table.state, Seat(0), table.hand(Seat(0)))


def person(reasons: dict[Action, Illegal | None] | None = None) -> Person:
    told: dict[Action, Illegal | None] = reasons if reasons is not None else {}
    return Person(Random(3), told.get, lambda action, reason: None)


def movements(player: Person, view: SeatView) -> list[tuple[int, str]]:
    """What the face does in an hour, and when."""
    found = []
    for now_ms in range(0, MINUTES * 60_000, 500):
        action = player.decide(view, now_ms)
        if action is not None:
            assert isinstance(action, Gesture)
            found.append((now_ms, action.name))
    return found


def test_a_face_moves_now_and_then() -> None:
    moved = movements(person(), view_of())
    times = [at_ms for at_ms, _ in moved]
    pauses = [later - sooner for sooner, later in pairwise(times)]
    assert PAUSE_MS[0] <= min(pauses)
    assert max(pauses) <= PAUSE_MS[1] + 500
    assert {name for _, name in moved} == FIDGET_NAMES


def test_what_the_program_makes_by_itself_is_sealed_as_a_decoy() -> None:
    player = person()
    assert player.intent(Gesture("wink")) is Intent.DECOY
    assert player.intent(Next()) is Intent.MEANT


def test_once_a_sign_is_agreed_on_the_others_are_made_as_well_but_never_that_one() -> None:
    player = person()
    assert player.whispered("signal: wink") is None
    player.said("agreed: wink, or ear tug")
    assert player.signal == "wink"
    names = {name for _, name in movements(player, view_of())}
    assert names == (FIDGET_NAMES | NAMES) - {"wink", "ear tug"}


def test_a_face_rests_between_deals_and_where_the_rules_have_no_gestures() -> None:
    assert movements(person(), view_of(is_dealt=False)) == []
    assert movements(person(), view_of(load_rules("cash"))) == []


def test_the_partners_last_word_counts_and_chatter_does_not() -> None:
    player = person()
    for text, signal in (
        ("hello", None),
        ("signal: yawn", "yawn"),
        ("how are you", "yawn"),
        ("wink or cough?", "yawn"),
        ("Agreed: COUGH", "cough"),
    ):
        player.whispered(text)
        assert player.signal == signal


@pytest.mark.parametrize("reason", [Illegal.TOO_SOON, Illegal.NOT_READY])
def test_what_comes_too_soon_is_done_later_the_last_of_a_kind(reason: Illegal) -> None:
    old, new, other = Pass(pool=(Position(1),)), Pass(pool=(Position(2),)), Next()
    reasons: dict[Action, Illegal | None] = {new: reason, other: reason}
    player = person(reasons)
    for action in (old, new, other):
        player.intend(action)
    view = view_of()
    assert player.decide(view, 0) is None
    reasons[new] = None
    assert player.decide(view, 0) == new
    assert player.decide(view, 0) is None
    reasons[other] = None
    assert player.decide(view, 0) == other
    assert player.decide(view, 0) is None


def test_what_cannot_be_done_any_more_is_told_and_dropped() -> None:
    told: list[tuple[Action, Illegal]] = []
    player = Person(Random(0), lambda action: Illegal.OTHER_POOL, lambda a, reason: told.append((a, reason)))
    late = Pass(pool=(Position(1),))
    player.intend(late)
    assert player.decide(view_of(), 0) is None
    assert player.decide(view_of(), 0) is None
    assert told == [(late, Illegal.OTHER_POOL)]


def test_what_is_agreed_on_outlives_the_process_for_its_owner_alone(tmp_path: Path) -> None:
    file = SecretFile(tmp_path / "sign")
    before = person()
    before.keep_in(file)
    assert before.signal is None
    before.said("signal: yawn")
    before.whispered("agreed: yawn")
    before.whispered("or a cough, or a smile?")
    after = person()
    after.keep_in(file)
    assert after.signal == "yawn"
    # Nor does the program ever make what was named.
    assert {name for _, name in movements(after, view_of())} == FIDGET_NAMES | (
        NAMES - {"yawn", "cough", "smile"}
    )
    if sys.platform != "win32":
        assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("left", [b"", b"\xff\xfe", b"\nyawn", b"a handstand\nyawn"])
def test_a_file_that_names_no_sign_agrees_on_none(tmp_path: Path, left: bytes) -> None:
    file = SecretFile(tmp_path / "sign")
    file.replace(left)
    after = person()
    after.keep_in(file)
    assert after.signal is None
