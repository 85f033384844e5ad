"""What only some rule books have: changed hands, double and combined calls, the one public signal, halts."""

from dataclasses import dataclass
from random import Random

import pytest
from bots_helpers import Eager, Evening, Middling, Numb, laid, swap, view_of

from kemps_p2p.bots.bot import Bot, Level, Pace
from kemps_p2p.bots.level import skill_of
from kemps_p2p.bots.mood import IDLE_POOLS_MAX
from kemps_p2p.game.actions import (
    Action,
    Call,
    CallItem,
    CallKind,
    Counter,
    Discard,
    Double,
    DoubleCounter,
    Gesture,
    Mulligan,
    Partner,
    Signal,
    Swap,
    Take,
)
from kemps_p2p.game.events import Dealt, MulliganFailed, PoolDealt, Signalled, Verdicts
from kemps_p2p.game.record import Phase, Result, replace
from kemps_p2p.game.rules import load_rules, override, rule_names
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.table import Table
from kemps_p2p.ids import Seat

OTHERS = "2D 3D 4D 5D;2H 3H 4H 5H;2S 3S 4S 5S"
POOL = "9C TC JC AC"


def proposals(player: Bot, table: Table, seat: int = 0, now_ms: int = 0, for_ms: int = 0) -> list[Action]:
    """What a bot proposes from one time on; nothing of it is settled."""
    found = []
    end_ms = now_ms + for_ms
    while True:
        action = player.decide(view_of(table, seat), now_ms)
        if action is not None:
            found.append(action)
            assert len(found) < 50
        elif player.wake_at_ms is None or player.wake_at_ms > end_ms:
            return found
        else:
            now_ms = player.wake_at_ms


def calls(player: Bot, table: Table, seat: int = 0, now_ms: int = 0, for_ms: int = 0) -> list[Action]:
    return [each for each in proposals(player, table, seat, now_ms, for_ms) if isinstance(each, Call)]


# Mulligans.


@pytest.mark.parametrize(
    ("hand", "luck", "changes"),
    [
        ("8C 8D 8H KC", Eager(1), True),
        ("8C 8D 8H KC", Numb(1), False),
        ("8C 8D 8H 8S", Eager(1), False),
        ("8C 8D KH KC", Eager(1), False),
    ],
)
def test_a_hand_with_three_alike_is_changed_by_those_who_like_to(
    hand: str, luck: Random, changes: bool
) -> None:
    table = laid(f"{hand};{OTHERS}", POOL, preset="kems")
    assert table.state.phase is Phase.DEALT
    made = proposals(Bot(Seat(0), 4, luck, Pace.FAST), table)
    assert (Mulligan() in made) == changes


def test_a_dead_hand_is_always_changed_where_swept_cards_stay_away() -> None:
    """The fourth card went with somebody else's changed hand."""
    for fourth, changes in (("8S", True), ("9S", False)):
        table = laid(f"8C 8D 8H KC;TD TH TS {fourth};2D 3D 4D 5D;2H 3H 4H 5H", POOL, preset="kems")
        table.state = replace(table.state, rules=override(table.state.rules, {"stock_out": "void"}))
        assert table.act(Seat(1), Mulligan()).result is Result.OK
        made = proposals(Bot(Seat(0), 4, Numb(1), Pace.FAST), table)
        assert (Mulligan() in made) == changes


def test_a_mulligan_is_not_asked_for_twice() -> None:
    table = laid(f"8C 8D 8H KC;{OTHERS}", POOL, preset="kems")
    player = Bot(Seat(0), 4, Eager(1), Pace.FAST)
    assert proposals(player, table, for_ms=900).count(Mulligan()) == 1
    player.happened((MulliganFailed(Seat(1)),), 950)
    assert Mulligan() not in proposals(player, table, now_ms=950)


# Calls on several hands.


@dataclass
class Heard:
    """A chaulcer table at which seat 0 has heard everybody signal."""

    table: Table
    player: Bot


def heard(hand: str, preset: str = "chaulcer", seats: tuple[int, ...] = (1, 2, 3), **keys: object) -> Heard:
    table = laid(f"{hand};{OTHERS}", POOL, preset=preset)
    table.state = replace(
        table.state, phase=Phase.OPEN, started=True, rules=override(table.state.rules, keys)
    )
    player = Bot(Seat(0), 4, Eager(1), Pace.FAST)
    player.whispered("agreed: wink")
    for seat in seats:
        player.gestured(Seat(seat), "wink" if seat == 2 else "yawn", 0)
    return Heard(table, player)


QUARTET, TRIPLE, DULL = "8C 8D 8H 8S", "8C 8D 8H KC", "8C 7C 6C KC"


@pytest.mark.parametrize(
    ("hand", "preset", "seats", "items"),
    [
        (DULL, "chaulcer", (2,), (Partner(),)),
        (QUARTET, "chaulcer", (2,), (Double(),)),
        (QUARTET, "kems", (2,), (Double(),)),
        (QUARTET, "kemps", (2,), (Partner(),)),
        (DULL, "chaulcer", (1, 2), (Counter(target=1), Partner())),
        (QUARTET, "chaulcer", (1, 2, 3), (DoubleCounter(team=1), Double())),
        (DULL, "chaulcer", (1, 3), (DoubleCounter(team=1),)),
        (DULL, "kemps", (1, 3), (Counter(target=1),)),
        (DULL, "kemps", (1, 2), (Counter(target=1),)),
    ],
)
def test_what_is_called_is_as_much_as_the_rules_know(
    hand: str, preset: str, seats: tuple[int, ...], items: tuple[CallItem, ...]
) -> None:
    at = heard(hand, preset, seats)
    found = calls(at.player, at.table)[:1]
    assert found == [Call(calls=items)]
    assert at.table.act(Seat(0), found[0]).result is Result.OK


def test_a_double_that_the_rules_do_not_know_is_not_called() -> None:
    at = heard(QUARTET, calls=["partner", "counter"])
    (call,) = calls(at.player, at.table)
    assert isinstance(call, Call)
    assert set(call.calls) == {Partner(), Counter(target=1), Counter(target=3)}


@pytest.mark.parametrize("is_barred", [False, True])
def test_a_call_that_is_forbidden_does_not_take_others_with_it(is_barred: bool) -> None:
    """Counters that the rules do not know, or that the seat has forfeited."""
    at = heard(DULL, calls=["partner", "counter" if is_barred else "double"])
    if is_barred:
        at.table.state = replace(at.table.state, barred=frozenset({Seat(0)}))
    assert calls(at.player, at.table) == [Call(calls=(Partner(),))]


def test_a_partner_may_wait_while_the_own_hand_could_double() -> None:
    for hand, waits in ((TRIPLE, True), (DULL, False)):
        at = heard(hand, seats=(2,))
        assert (calls(at.player, at.table) == []) == waits
        assert calls(at.player, at.table, now_ms=700)[:1] == ([Call(calls=(Partner(),))] if waits else [])


# The one public signal.


def at_turn(hands: str, pool: str = POOL) -> Table:
    table = laid(hands, pool, preset="cash")
    table.state = replace(table.state, turn=Seat(0))
    return table


def test_a_false_signal_is_given_only_where_cards_taken_in_public_show_it() -> None:
    for taken, is_given in (("9C TC", True), ("9C", False), ("", False)):
        table = laid(f"8C 7C 6C KC;{OTHERS}", POOL)
        rules = load_rules("cash")
        for card, given in zip(taken.split(), ("8C", "7C"), strict=False):
            swap(table, 0, card, given)
        table.state = replace(table.state, rules=rules, turn=Seat(0))
        assert (Signal() in proposals(Bot(Seat(0), 4, Eager(1), Pace.FAST), table)) == is_given
        assert Signal() not in proposals(Bot(Seat(0), 4, Numb(1), Pace.FAST), table)


def test_the_partner_is_not_taken_in_by_a_false_signal() -> None:
    for taken, is_called in (("9C TC", False), ("", True)):
        table = laid(f"8C 7C 6C KC;{OTHERS}", POOL)
        for card, given in zip(taken.split(), ("8C", "7C"), strict=False):
            swap(table, 0, card, given)
        table.state = replace(table.state, rules=load_rules("cash"), turn=Seat(2))
        for seed in range(20):
            partner = Bot(Seat(2), 4, Random(seed), Pace.FAST, Level.EASY)
            partner.happened((Signalled(Seat(0)),), 0)
            found = calls(partner, table, seat=2)[:1]
            assert found == ([Call(calls=(Partner(),))] if is_called else [])


def test_no_exchange_ends_the_turn_of_somebody_about_to_call() -> None:
    table = at_turn(f"8C 8D 8H KC;{OTHERS}", "8S TC JC QC")
    player = Bot(Seat(0), 4, Middling(1), Pace.RELAXED)
    player.happened((Signalled(Seat(2)),), 0)
    made = proposals(player, table, for_ms=5000)
    assert [type(each) for each in made][:1] == [Call]
    calm = Bot(Seat(0), 4, Middling(1), Pace.RELAXED)
    assert [type(each) for each in proposals(calm, table, for_ms=5000)][:1] == [Swap]


def test_somebody_without_a_signal_left_is_called_in_the_end() -> None:
    """A seat that has given its signal falsely can only let pools pass."""
    called = {True: 0, False: 0}
    for has_signalled in called:
        for seed in range(30):
            table = laid("2C 3C 4C 5C;2D 3D 4D 5D;2H 3H 4H 5H;2S 3S 4S 5S", POOL)
            partner = Bot(Seat(2), 4, Random(seed), Pace.FAST)
            if has_signalled:
                partner.happened((Signalled(Seat(0)),), 0)
            partner.happened(swap(table, 0, "9C", "2C").events, 0)
            table.state = replace(table.state, rules=load_rules("cash"), turn=Seat(2))
            for pool in range(8):
                partner.happened((PoolDealt(table.state.pool),), pool)
                called[has_signalled] += len(calls(partner, table, seat=2, now_ms=pool))
    assert called[True] > 10 > called[False]


@pytest.mark.parametrize("hand", ["8C 7C 6C KC", "8C 8D 8H 8S"])
def test_at_the_own_turn_with_a_pass_that_stands_a_card_is_exchanged(hand: str) -> None:
    """Somebody called instead of passing, and the turn came round to those who had passed."""
    table = at_turn(f"{hand};{OTHERS}")
    table.state = replace(table.state, passes=frozenset({Seat(0), Seat(2)}), signalled=frozenset({Seat(0)}))
    (action,) = proposals(Bot(Seat(0), 4, Numb(1), Pace.FAST), table, for_ms=900)
    assert isinstance(action, Swap)
    assert table.act(Seat(0), action).result is Result.OK


# Learning.


def test_a_signal_that_was_called_is_known_again() -> None:
    heard_of = {}
    for verdict in (Verdict.RIGHT, Verdict.WRONG):
        heard_of[verdict] = 0
        for seed in range(60):
            table = laid("2C 3C 4C 5C;2D 3D 4D 5D;2H 3H 4H 5H;2S 3S 4S 5S", POOL)
            player = Bot(Seat(0), 4, Random(seed), Pace.FAST, Level.SHARP)
            player.decide(view_of(table, 0), 0)
            player.gestured(Seat(1), "sigh", 0)
            player.happened((Verdicts(Seat(3), (Partner(),), (verdict,)),), 10)
            player.gestured(Seat(1), "sigh", 20)
            heard_of[verdict] += len(calls(player, table, now_ms=20))
    assert heard_of[Verdict.RIGHT] > heard_of[Verdict.WRONG] + 5


# Cards.


@pytest.mark.parametrize(("level", "steals"), [(Level.SHARP, True), (Level.EASY, False)])
def test_a_card_is_stolen_that_an_opponent_collects(level: Level, steals: bool) -> None:
    table = laid("2C 3H 7S 6S;8C 8D 8H QC;2D 3D 4D 5D;2H 4H 5H 6H", "QD QH QS AC")
    swap(table, 1, "QD QH", "8C 8D")
    found = set()
    for seed in range(40):
        thief = Bot(Seat(0), 4, Random(seed), Pace.FAST, level)
        found |= {each.take for each in proposals(thief, table) if isinstance(each, Swap)}
    assert ((table.state.pool[2],) in found) == steals


def test_hands_that_wait_for_each_other_do_not_wait_for_ever() -> None:
    table = laid("QC QH 2D 4D;2C 7D 2H 2S;QD AD JH QS;JC TD JD JS", "3S 5D TC 9C")
    swaps = {True: 0, False: 0}
    for seed in range(20):
        player = Bot(Seat(0), 4, Random(seed), Pace.FAST)
        player.happened((Dealt(0, Seat(0)),), 0)
        for pool in range(IDLE_POOLS_MAX + 4):
            # Far enough apart for what was not settled to be forgotten.
            now_ms = 20_000 * pool
            player.happened((PoolDealt(table.state.pool),), now_ms)
            made = proposals(player, table, now_ms=now_ms, for_ms=90)
            swaps[pool >= IDLE_POOLS_MAX] += sum(isinstance(each, Swap) for each in made)
    assert swaps[True] > 20 > swaps[False]


def test_whoever_put_a_card_down_picks_one_up_whatever_was_overlooked() -> None:
    table = laid(f"8C 8D 8H KC;{OTHERS}", POOL, preset="chaulcer")
    player = Bot(Seat(0), 4, Eager(1), Pace.FAST)
    player.happened(table.act(Seat(0), Discard(give=(table.state.hands[0][3],))).events, 0)
    (up,) = [each for each in proposals(player, table) if isinstance(each, Take)]
    assert table.act(Seat(0), up).result is Result.OK


def test_several_signals_are_used_a_deal_each() -> None:
    lower, upper = (Bot(Seat(seat), 4, Random(seat), Pace.FAST, Level.SHARP) for seat in (0, 2))
    words = lower.greet()
    assert words is not None
    reply = upper.whispered(words)
    assert reply == words.replace("signal", "agreed")
    assert lower.whispered(reply) is None
    names = words.removeprefix("signal: ").split(", then ")
    assert len(set(names)) == skill_of(Level.SHARP).signals > 1
    table = laid(f"8C 8D 8H 8S;{OTHERS}", POOL)
    for deal in range(6):
        lower.happened((Dealt(deal, Seat(0)), PoolDealt(table.state.pool)), 1000 * deal)
        upper.happened((Dealt(deal, Seat(0)), PoolDealt(table.state.pool)), 1000 * deal)
        table.state = replace(table.state, deal=deal)
        made = [each for each in proposals(lower, table, now_ms=1000 * deal) if isinstance(each, Gesture)]
        signal = names[deal % len(names)]
        assert Gesture(name=signal) in made
        for _ in range(20):
            # Noticed in the end: a signal is made again and again.
            upper.gestured(Seat(0), signal, 1000 * deal)
        assert calls(upper, table, seat=2, now_ms=1000 * deal) == [Call(calls=(Partner(),))]


# Whole matches.


SMALL = [(name, 4) for name in rule_names()]
LARGE = [
    (name, players)
    for name in rule_names()
    for players in load_rules(name).players
    if players > 4 and "/" not in name
]


@pytest.mark.soak
@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize(("name", "players"), SMALL + LARGE)
def test_every_match_of_every_rule_book_ends(name: str, players: int, level: Level) -> None:
    for seed in range(5):
        evening = Evening(seed, players, preset=name, level=level, pace=Pace.NORMAL)
        evening.play_match()
        assert evening.table.state.winners


@pytest.mark.parametrize(("name", "players"), [("chaulcer", 8), ("kems", 6), ("kemps", 10), ("kent", 8)])
def test_a_deal_of_a_large_table_ends(name: str, players: int) -> None:
    (deal,) = Evening(1, players, preset=name, pace=Pace.NORMAL).play_deals(1).over()
    assert deal.end is not None


@pytest.mark.soak
def test_double_and_combined_calls_and_changed_hands_happen() -> None:
    kinds: set[CallKind] = set()
    combined = mulligans = 0

    def note(_seat: Seat, _view: object, action: Action) -> None:
        nonlocal combined, mulligans
        combined += isinstance(action, Call) and len(action.calls) > 1
        mulligans += isinstance(action, Mulligan)

    for seed in range(20):
        for name in ("chaulcer", "kems"):
            evening = Evening(seed, preset=name, pace=Pace.NORMAL)
            evening.on_action = note
            kinds |= {call.kind for deal in evening.play_match().deals for call in deal.calls}
    assert kinds == set(CallKind)
    assert combined > 0
    assert mulligans > 0
