"""What a person's seat does by itself: it moves its face, and waits with what comes too soon."""

import stat
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from local_helpers import SHORT

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Action, Gesture, Next, Pass
from kemps_p2p.game.gestures import FIDGETS, GESTURES, Intent
from kemps_p2p.game.rules import RuleSet, load_rules
from kemps_p2p.game.table import Table, pack_order
from kemps_p2p.game.views import SeatView, seat_view
from kemps_p2p.ids import Position, Seat
from kemps_p2p.runtime.files import SecretFile
from kemps_p2p.runtime.person import PAUSE_MS, Person
from kemps_p2p.runtime.talk import Talk

MINUTES = 60
NAMES = {kind.name for kind in GESTURES}
FIDGET_NAMES = {kind.name for kind in FIDGETS}


def view_of(rules: RuleSet = SHORT, *, is_dealt: bool = True) -> SeatView:
    table = Table.seated(rules, 4, Seat(0), lambda state: pack_order(rules, 4))
    if is_dealt:
        table.act(Seat(0), Next())
    return seat_view(table.state, Seat(0), table.hand(Seat(0)))


def person(
    reasons: dict[Action, Illegal | None] | None = None, in_deal: Callable[[], bool] | None = None
) -> Person:
    told: dict[Action, Illegal | None] = reasons if reasons is not None else {}
    return Person(Random(3), told.get, lambda action, reason: None, in_deal or (lambda: False))


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
    player.said("agreed: wink")
    player.said("or an ear tug, or a cough?")
    assert player.accord.agreed == "wink"
    names = {name for _, name in movements(player, view_of())}
    assert names == (FIDGET_NAMES | NAMES) - {"wink", "ear tug", "cough"}


def test_a_face_rests_between_deals_and_where_the_rules_have_no_gestures() -> None:
    assert movements(person(), view_of(is_dealt=False)) == []
    assert movements(person(), view_of(load_rules("cash"))) == []


YOU, THEY = True, False


@pytest.mark.parametrize(
    ("said", "agreed", "offered", "proposed", "signal"),
    [
        ([(THEY, "hello")], None, None, None, None),
        ([(THEY, "wink or cough?")], None, None, None, None),
        # What is proposed tells who has to agree; a mere idea is never the sign.
        ([(THEY, "signal: yawn")], None, "yawn", None, "yawn"),
        ([(THEY, "perhaps: yawn")], None, "yawn", None, None),
        ([(THEY, "what about a yawn?")], None, "yawn", None, None),
        ([(YOU, "signal: yawn")], None, None, "yawn", None),
        # Both have named it.
        ([(THEY, "signal: yawn"), (YOU, "signal: yawn")], "yawn", None, None, "yawn"),
        ([(THEY, "perhaps: yawn"), (YOU, "agreed: yawn")], "yawn", None, None, "yawn"),
        ([(THEY, "perhaps: yawn"), (YOU, "ok")], "yawn", None, None, "yawn"),
        ([(YOU, "signal: yawn"), (THEY, "signal: yawn")], "yawn", None, None, "yawn"),
        ([(YOU, "signal: yawn"), (THEY, "Yes")], "yawn", None, None, "yawn"),
        ([(YOU, "signal: yawn"), (THEY, "Agreed: YAWN")], "yawn", None, None, "yawn"),
        ([(YOU, "ok"), (THEY, "ok")], None, None, None, None),
        # Nothing takes the place of what is agreed on but another agreement.
        ([(THEY, "agreed: yawn"), (THEY, "perhaps: wink")], "yawn", "wink", None, "yawn"),
        ([(THEY, "agreed: yawn"), (THEY, "signal: wink")], "yawn", "wink", None, "yawn"),
        ([(THEY, "agreed: yawn"), (YOU, "signal: wink")], "yawn", None, "wink", "yawn"),
        (
            [(THEY, "agreed: yawn"), (THEY, "sorry: I took your wink for the sign")],
            "yawn",
            None,
            None,
            "yawn",
        ),
        (
            [(THEY, "agreed: yawn"), (THEY, "perhaps: wink"), (YOU, "signal: wink")],
            "wink",
            None,
            None,
            "wink",
        ),
    ],
)
def test_a_sign_is_agreed_on_once_both_have_named_it(
    said: list[tuple[bool, str]],
    agreed: str | None,
    offered: str | None,
    proposed: str | None,
    signal: str | None,
) -> None:
    player = person()
    for is_own, text in said:
        if is_own:
            player.said(text)
        else:
            player.whispered(text)
    # What another process is told of it is the same.
    after = person()
    after.recall(player.kept())
    for each in (player.accord, after.accord):
        assert (each.agreed, each.offered, each.proposed, each.signal) == (agreed, offered, proposed, signal)


def test_no_whisper_changes_the_sign_while_a_deal_is_on() -> None:
    is_on = True
    player = person(in_deal=lambda: is_on)
    player.recall("agreed: yawn\nnamed: yawn")
    for text in ("perhaps: wink", "signal: wink", "agreed: wink", "agreed: cough"):
        player.whispered(text)
        assert player.accord.signal == player.accord.agreed == "yawn"
        assert player.kept() == "agreed: yawn\nnamed: yawn"
    # What this side itself has proposed counts for both as soon as the partner agrees.
    player.said("signal: smile")
    player.whispered("agreed: smile")
    assert player.accord.signal == "smile"
    is_on = False
    assert player.accord.agreed == "cough"


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
    player = Person(
        Random(0),
        lambda action: Illegal.OTHER_POOL,
        lambda a, reason: told.append((a, reason)),
        lambda: False,
    )
    late = Pass(pool=(Position(1),))
    player.intend(late)
    assert player.decide(view_of(), 0) is None
    assert player.decide(view_of(), 0) is None
    assert told == [(late, Illegal.OTHER_POOL)]


def test_what_was_named_is_never_made_by_another_process_either() -> None:
    before, after = person(), person()
    before.said("signal: yawn")
    before.whispered("agreed: yawn")
    before.whispered("or a cough, or a smile?")
    after.recall(before.kept())
    assert after.accord.signal == "yawn"
    assert {name for _, name in movements(after, view_of())} == FIDGET_NAMES | (
        NAMES - {"yawn", "cough", "smile"}
    )


@pytest.mark.parametrize("left", ["", "\ufffd", "\nyawn", "agreed: a handstand", "agreed:", "wink: agreed"])
def test_words_that_name_no_sign_agree_on_none(left: str) -> None:
    after = person()
    after.recall(left)
    assert after.accord.signal is None


def test_what_is_kept_is_on_disk_before_the_answer_and_for_its_owner_alone(tmp_path: Path) -> None:
    file = SecretFile(tmp_path / "sign")
    bots = [Bot(Seat(2), 4, Random(seed), Pace.FAST, speaks_first=True) for seed in (1, 2, 3)]
    before, after, other = (Talk(bot, file) for bot in bots)
    before.begin()
    assert list(before.due()) == [bots[0].greet()]
    assert list(before.due()) == []
    assert before.heard("signal: yawn") == "agreed: yawn"
    assert file.read() == b"agreed: yawn"
    # Whoever goes on for it knows the sign, and begins no talk anew.
    after.begin()
    assert bots[1].book(3) == ("yawn",)
    assert list(after.due()) == []
    if sys.platform != "win32":
        assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    # One that had only an idea has the same again.
    file.replace(b"perhaps: cough")
    other.begin()
    assert list(other.due()) == ["perhaps: cough"]
