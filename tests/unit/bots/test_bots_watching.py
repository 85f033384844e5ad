"""Calls: what a bot makes of the partner's signal, of others' gestures and of cards taken in public.

Views are of laid tables, and luck is scripted: with `Eager` every chance comes true at once, with `Numb`
none does.
"""

from random import Random

import pytest
from bots_helpers import Eager, Numb, laid, swap, view_of

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.game.actions import Action, Call, Counter, Gesture, Next, Partner
from kemps_p2p.game.events import Verdicts
from kemps_p2p.game.gestures import FIDGETS
from kemps_p2p.game.record import replace
from kemps_p2p.game.rules import override
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.table import Table
from kemps_p2p.ids import Seat

QUARTET = "2C 3C 4C 5C;2D 3D 4D 5D;8C 8D 8H 8S;2H 3H 4H 5H"
POOL = "9C TC JC AC"
PARTNER = Call(calls=(Partner(),))


def bot(rng: Random, pace: Pace = Pace.FAST, seat: int = 0) -> Bot:
    made = Bot(Seat(seat), 4, rng, pace)
    made.whispered("signal: wink" if seat >= 2 else "agreed: wink")
    return made


Calls = list[tuple[int, Call]]


def calls(player: Bot, table: Table, from_ms: int, to_ms: int | None = None, seat: int = 0) -> Calls:
    """The calls proposed from one time to another, with their times; nothing that is proposed is settled."""
    found = []
    now_ms = from_ms
    while True:
        action = player.decide(view_of(table, seat), now_ms)
        if isinstance(action, Call):
            found.append((now_ms, action))
        wake_at_ms = player.wake_at_ms
        if wake_at_ms is None or wake_at_ms > (from_ms if to_ms is None else to_ms):
            return found
        now_ms = max(now_ms, wake_at_ms)


def declared(found: Calls) -> list[Action]:
    return [call for _, call in found]


def test_the_partners_signal_is_called() -> None:
    player, table = bot(Random(3)), laid(QUARTET, POOL)
    assert calls(player, table, 0) == []
    for now_ms in (100, 300, 500):
        player.gestured(Seat(2), "wink", now_ms)
    assert calls(player, table, 500) == [(500, PARTNER)]


def test_a_signal_can_be_overlooked() -> None:
    player, table = bot(Numb(3)), laid(QUARTET, POOL)
    player.gestured(Seat(2), "wink", 100)
    assert calls(player, table, 100, 5000) == []


def test_people_take_a_while_to_call() -> None:
    times: set[int] = set()
    for seed in range(40):
        player, table = bot(Random(seed), Pace.RELAXED), laid(QUARTET, POOL)
        calls(player, table, 0)
        player.gestured(Seat(2), "wink", 1000)
        found = calls(player, table, 1000, 9000)
        assert declared(found)[:1] in ([], [PARTNER])
        times.update(found[0][0] - 1000 for _ in found[:1])
    assert 20 <= len(times) <= 40
    assert min(times) >= 700
    assert max(times) <= 2400


def test_another_gesture_of_the_partner_is_no_signal() -> None:
    heard = 0
    for seed in range(60):
        player, table = bot(Random(seed)), laid(QUARTET, POOL)
        player.gestured(Seat(2), "cough", 100)
        heard += len(calls(player, table, 100))
    assert 0 < heard < 12


@pytest.mark.parametrize(
    ("name", "verdict", "regret"),
    [
        ("yawn", Verdict.WRONG, "sorry: I took your yawn for the sign"),
        ("yawn", Verdict.RIGHT, None),
        # That was the sign; if there was no quartet, it is not for this side to be sorry.
        ("wink", Verdict.WRONG, None),
    ],
)
def test_who_was_misled_by_a_face_says_so_once(name: str, verdict: Verdict, regret: str | None) -> None:
    table = laid(QUARTET, POOL)
    player = bot(Eager(3))
    calls(player, table, 0)
    player.gestured(Seat(2), name, 100)
    found = calls(player, table, 100, 5000)
    assert declared(found)[:1] == [PARTNER]
    assert player.regret() is None
    player.happened((Verdicts(seat=Seat(0), calls=(Partner(),), verdicts=(verdict,)),), 6000)
    assert player.regret() == regret
    assert player.regret() is None
    # Another bot makes no proposal of it.
    other = bot(Random(4), seat=2)
    assert other.whispered(regret or "") is None
    assert other.book(0) == ("wink",)


@pytest.mark.parametrize("mover", [1, 2])
def test_a_signal_is_about_the_hand_it_was_made_with(mover: int) -> None:
    player, table = bot(Eager(3), Pace.RELAXED), laid(QUARTET, POOL)
    calls(player, table, 0)
    player.gestured(Seat(2), "wink", 1000)
    given = {1: "2D", 2: "8C"}[mover]
    player.happened(swap(table, mover, "9C", given).events, 1100)
    assert declared(calls(player, table, 1100, 9000))[:1] == ([PARTNER] if mover == 1 else [])


@pytest.mark.parametrize("is_new_deal", [False, True])
def test_a_new_deal_forgets(is_new_deal: bool) -> None:
    player, table = bot(Eager(3), Pace.RELAXED), laid(QUARTET, POOL)
    calls(player, table, 0)
    player.gestured(Seat(2), "wink", 1000)
    if is_new_deal:
        table.act(Seat(1), PARTNER)
        player.happened(table.act(Seat(0), Next()).events, 1100)
    assert declared(calls(player, table, 1100, 9000))[:1] == ([] if is_new_deal else [PARTNER])


def test_no_call_that_public_cards_rule_out() -> None:
    table = laid("2C 3C 4C 5C;2D 3D 4D 5D;8C 8D 8H QC;2H 3H 4H 5H", "9C TC JC AC")
    swap(table, 2, "9C", "QC")
    player = bot(Eager(3))
    player.gestured(Seat(2), "wink", 100)
    assert PARTNER in declared(calls(player, table, 100))
    swap(table, 2, "TC", "8C")
    player = bot(Eager(3))
    player.gestured(Seat(2), "wink", 100)
    assert calls(player, table, 100) == []


def test_four_taken_in_public_are_called_by_all_who_see_it() -> None:
    table = laid("2C 3C 4C 5C;6C 6D 6H QC;2D 3D 4D 5D;2H 3H 4H 5H", "8C 8D 8H 8S")
    swap(table, 1, "8C 8D 8H 8S", "6C 6D 6H QC")
    assert declared(calls(bot(Eager(3)), table, 0)) == [Call(calls=(Counter(target=1),))]
    assert declared(calls(bot(Eager(3), seat=3), table, 0, seat=3)) == [PARTNER]
    assert calls(bot(Numb(3)), table, 0) == []


@pytest.mark.parametrize(("preset", "target"), [("kemps", 1), ("cash", 3)])
def test_a_counter_names_what_the_rules_want(preset: str, target: int) -> None:
    table = laid("2C 3C 4C 5C;2D 3D 4D 5D;2H 3H 4H 5H;6C 6D 6H QC", "8C 8D 8H 8S", preset="kemps")
    swap(table, 3, "8C 8D 8H 8S", "6C 6D 6H QC")
    if preset == "cash":
        rules = laid(QUARTET, POOL, preset=preset).state.rules
        table.state = replace(table.state, rules=rules, turn=Seat(0))
    assert declared(calls(bot(Eager(3)), table, 0)) == [Call(calls=(Counter(target=target),))]


def test_an_opponents_repeated_gesture_is_suspected() -> None:
    heard = {}
    for times in (1, 4, 12):
        heard[times] = 0
        for seed in range(100):
            player, table = bot(Random(seed)), laid(QUARTET, POOL)
            for index in range(times):
                player.gestured(Seat(1), "yawn", 100 + 200 * index)
            heard[times] += len(calls(player, table, 100 + 200 * times))
    assert heard[1] < heard[4] < heard[12]
    assert 0 < heard[4] < 60


def test_fidgets_and_own_gestures_mean_nothing() -> None:
    player, table = bot(Eager(3)), laid(QUARTET, POOL)
    before = declared(calls(player, table, 0))
    for fidget in FIDGETS:
        for seat in range(4):
            player.gestured(Seat(seat), fidget.name, 100)
    player.gestured(Seat(0), "wink", 100)
    assert calls(player, table, 100) == []
    assert before == []


def test_an_unagreed_gesture_means_something_once_it_is_repeated() -> None:
    player = Bot(Seat(2), 4, Random(4), Pace.FAST)
    table = laid("8C 8D 8H 8S;2C 3C 4C 5C;2D 3D 4D 5D;2H 3H 4H 5H", POOL)
    found = []
    for index in range(6):
        player.gestured(Seat(0), "cheek puff", 200 * index)
        found.append(bool(calls(player, table, 200 * index, seat=2)))
    assert found.index(True) == 2


def test_the_quartet_is_signalled_until_it_is_called() -> None:
    player, table = bot(Random(3), seat=2), laid(QUARTET, POOL)
    times = []
    now_ms = 0
    while now_ms < 2000:
        action = player.decide(view_of(table, 2), now_ms)
        if action == Gesture(name="wink"):
            times.append(now_ms)
        assert player.wake_at_ms is not None
        now_ms = max(now_ms, player.wake_at_ms)
    assert times == list(range(0, 2000, 200))
    table.act(Seat(0), PARTNER)
    assert player.decide(view_of(table, 2), 2000) is None


def test_a_wrong_counter_is_not_repeated_when_the_other_of_the_team_moves() -> None:
    table = laid("2C 3C 4C 5C;2D 3D 4D 5D;2H 3H 4H 5H;2S 3S 4S 5S", POOL)
    rules = override(table.state.rules, {"wrong_call": "continue", "reveal": "claim"})
    table.state = replace(table.state, rules=rules)
    player = bot(Eager(3))
    player.gestured(Seat(1), "yawn", 0)
    assert declared(calls(player, table, 0)) == [Call(calls=(Counter(target=1),))]
    player.happened(table.act(Seat(0), Call(calls=(Counter(target=1),))).events, 10)
    player.happened(swap(table, 3, "9C", "2S").events, 20)
    assert calls(player, table, 20) == []
    player.gestured(Seat(1), "yawn", 30)
    assert declared(calls(player, table, 30)) == [Call(calls=(Counter(target=1),))]


def test_the_more_there_are_to_watch_the_less_is_seen() -> None:
    suits = [f"{suit}{copy}" for copy in ("", "'") for suit in "CDHS"]
    cards = [f"{rank}{suit}" for suit in suits for rank in "23456789TJQKA"]
    heard = {}
    for players in (4, 10):
        hands = ";".join(" ".join(cards[4 * seat : 4 * seat + 4]) for seat in range(players))
        table = laid(hands, " ".join(cards[4 * players : 4 * players + 4]))
        heard[players] = 0
        for seed in range(100):
            player = Bot(Seat(0), players, Random(seed), Pace.FAST)
            for index in range(6):
                player.gestured(Seat(1), "yawn", index)
            heard[players] += len(calls(player, table, 6))
    assert heard[4] > 2 * heard[10] > 0
