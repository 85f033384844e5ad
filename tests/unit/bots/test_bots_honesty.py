"""A bot knows what its seat sees, and nothing else; and it plays the same again from the same seed."""

import os
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from random import Random

import pytest
from bots_helpers import Evening

from kemps_p2p.bots.bot import Level, Pace
from kemps_p2p.game.actions import Gesture
from kemps_p2p.game.views import SeatView, seat_view
from kemps_p2p.ids import Seat


@pytest.mark.parametrize(
    ("preset", "level", "pace"),
    [
        ("kemps", Level.NORMAL, Pace.FAST),
        pytest.param("kemps", Level.SHARP, Pace.RELAXED, marks=pytest.mark.soak),
        ("chaulcer", Level.SHARP, Pace.FAST),
        pytest.param("kems", Level.EASY, Pace.NORMAL, marks=pytest.mark.soak),
        ("cash", Level.NORMAL, Pace.NORMAL),
    ],
)
def test_hidden_cards_do_not_matter(preset: str, level: Level, pace: Pace) -> None:
    evening = Evening(11, preset=preset, level=level, pace=pace)
    luck = Random(1)
    compared = moved = 0

    def compare(seat: Seat, view: SeatView) -> None:
        nonlocal compared, moved
        table = evening.table.fork()
        own = table.hand(seat)
        hidden = [card for card in table.faces if card not in table.state.faces and card not in own]
        faces = [table.faces[card] for card in hidden]
        luck.shuffle(faces)
        table.faces.update(zip(hidden, faces, strict=True))
        other = seat_view(table.state, seat, table.hand(seat))
        bot, twin = deepcopy(evening.bots[seat]), deepcopy(evening.bots[seat])
        action = bot.decide(view, evening.now_ms)
        assert twin.decide(other, evening.now_ms) == action
        assert twin.wake_at_ms == bot.wake_at_ms
        compared += table.faces != evening.table.faces
        moved += action is not None

    evening.on_ask = compare
    evening.play_deals(1)
    assert compared > 50
    assert moved > 10


@pytest.mark.parametrize("pace", list(Pace))
def test_the_same_seed_plays_the_same_deals(pace: Pace) -> None:
    first, again = (Evening(21, 6, pace=pace).play_deals(3) for _ in range(2))
    assert first.log == again.log
    assert first.log != Evening(22, 6, pace=pace).play_deals(3).log


@pytest.mark.parametrize("pace", list(Pace))
def test_asking_more_often_changes_nothing(pace: Pace) -> None:
    calm = Evening(31, pace=pace).play_deals(2)
    nervous = Evening(31, pace=pace)

    def ask_again(seat: Seat, view: SeatView) -> None:
        # What was asked last answered None, or this is its first question now.
        bot = deepcopy(nervous.bots[seat])
        if bot.decide(view, nervous.now_ms) is None:
            for _ in range(3):
                assert nervous.bots[seat].decide(view, nervous.now_ms) is None

    nervous.on_ask = ask_again
    assert nervous.play_deals(2).log == calm.log


def test_an_unsettled_action_is_not_repeated() -> None:
    evening = Evening(41)
    asked = 0

    def ask_twice(seat: Seat, view: SeatView) -> None:
        nonlocal asked
        bot = deepcopy(evening.bots[seat])
        first = bot.decide(view, evening.now_ms)
        if first is None:
            return
        rest = []
        while (action := bot.decide(view, evening.now_ms)) is not None:
            rest.append(action)
        assert first not in rest or isinstance(first, Gesture)
        assert len(rest) <= 3
        asked += 1

    evening.on_ask = ask_twice
    evening.play_deals(3)
    assert asked > 30


def test_hashes_do_not_matter() -> None:
    code = "from bots_helpers import Evening; print(Evening(51, 6).play_deals(3).log)"
    logs = set()
    for seed in ("1", "2"):
        here = str(Path(__file__).parent)
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([here, *sys.path])}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        logs.add(done.stdout)
    assert len(logs) == 1
    assert "Swap" in logs.pop()
