"""Between deals: a bot that deals waits until every person is ready, whatever shows the table to them."""

import asyncio
import os
from pathlib import Path
from random import Random

from local_helpers import LIMIT_S, SHORT, evening, plan, played, quick, quick_bot, still_bot

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.errors import IllegalAction
from kemps_p2p.game.actions import Action, Next, Pass
from kemps_p2p.game.events import DealEnded, Dealt, Event
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import override
from kemps_p2p.ids import Seat
from kemps_p2p.plain.lines import Lines
from kemps_p2p.plain.screen import LineMode
from kemps_p2p.runtime.courtesy import HUDDLE_MS_MAX, Courtesy
from kemps_p2p.runtime.huddle import Huddle
from kemps_p2p.runtime.local import chairs, play_on
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.runtime.transport import new_event_loop
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import Want
from kemps_p2p.session.waiting import What

BOT_DEALS = override(SHORT, {"first_dealer": "seat-0"})
W = Want


def may(courtesy: Courtesy, wants: tuple[Want, ...], now_ms: int, action: Action | None = None) -> bool:
    try:
        courtesy.check(action or Next(), wants, now_ms)
    except IllegalAction:
        return False
    return True


def test_a_program_waits_to_deal_until_all_are_ready_but_not_for_ever_if_somebody_is() -> None:
    courtesy = Courtesy(is_person=False)
    one_talks = (W.AS_OTHERS, W.HUDDLE, W.PLAY_ON, W.AS_OTHERS)
    nobody_is_ready = (W.AS_OTHERS, W.HUDDLE, W.HUDDLE, W.AS_OTHERS)
    assert may(courtesy, (W.AS_OTHERS, W.PLAY_ON, W.PLAY_ON, W.AS_OTHERS), 0)
    assert not may(courtesy, nobody_is_ready, 0)
    assert not may(courtesy, nobody_is_ready, 10 * HUDDLE_MS_MAX)
    assert not may(courtesy, one_talks, 10 * HUDDLE_MS_MAX)
    assert not may(courtesy, one_talks, 11 * HUDDLE_MS_MAX - 1)
    assert may(courtesy, one_talks, 11 * HUDDLE_MS_MAX)
    # The next huddle begins anew.
    assert not may(courtesy, nobody_is_ready, 12 * HUDDLE_MS_MAX)
    assert not may(courtesy, one_talks, 12 * HUDDLE_MS_MAX)


def test_nothing_but_a_deal_waits_and_a_person_deals_when_they_like() -> None:
    one_talks = (W.AS_OTHERS, W.HUDDLE, W.PLAY_ON, W.AS_OTHERS)
    assert may(Courtesy(is_person=False), one_talks, 0, Pass(pool=()))
    assert may(Courtesy(is_person=True), one_talks, 0)


async def followed(sitting: Sitting, huddle: Huddle) -> None:
    async for _ in sitting.sights():
        huddle.follow()


async def until_dealer_is_waited_for(sitting: Sitting) -> None:
    while not (sitting.has_begun and any(wait.what is What.NEXT for wait in sitting.waiting_for())):
        await asyncio.sleep(0.01)


async def two_people_at_a_table_where_a_bot_deals(home: Path) -> None:
    own, others = chairs(plan(home, BOT_DEALS))
    people = [Sitting(quick(chair), Random(1)).start() for chair in (own, others[1])]
    huddles = [Huddle(sitting) for sitting in people]
    tasks = [
        asyncio.ensure_future(play_on(quick(chair), quick_bot, Random(int(chair.seat))))
        for chair in (others[0], others[2])
    ]
    tasks += [asyncio.ensure_future(followed(*pair)) for pair in zip(people, huddles, strict=True)]
    own_view = people[0].view
    await until_dealer_is_waited_for(people[0])
    # The bot would have dealt by now many times over.
    await asyncio.sleep(0.3)
    assert own_view().phase is Phase.SEATED
    assert [people[0].wants[sitting.seat] for sitting in people] == [W.HUDDLE] * 2
    huddles[0].end()
    await asyncio.sleep(0.3)
    assert own_view().phase is Phase.SEATED
    assert people[1].wants[people[0].seat] is W.PLAY_ON
    huddles[1].end()
    while own_view().phase is Phase.SEATED:
        await asyncio.sleep(0.01)
    for sitting in people:
        await sitting.close()
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def test_a_bot_does_not_deal_before_both_of_two_people_are_ready(tmp_path: Path) -> None:
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(asyncio.wait_for(two_people_at_a_table_where_a_bot_deals(tmp_path), LIMIT_S))


def test_whoever_types_lines_says_when_they_are_ready(tmp_path: Path) -> None:
    told: list[str] = []

    async def screen(sitting: Sitting) -> None:
        reading, typing = os.pipe()
        answers = {
            "Take your time": b"ready\n",
            "No sign is agreed with Anna": b"waiting\npass\ncheek puff\nready\n",
            "Deal 1 starts": b"ready\nquit\n",
        }

        def write(line: str) -> None:
            told.append(line)
            for start, answer in answers.items():
                if line.startswith(start):
                    os.write(typing, answer)

        with os.fdopen(reading, "rb", buffering=0) as stream:
            lines = Lines(stream, asyncio.get_running_loop())
            await LineMode(lines, write, is_ascii=False, takes_time=True).run(sitting)
            os.close(typing)

    evening(tmp_path, screen, still_bot, BOT_DEALS)
    order = [
        told.index(line)
        for line in (
            "Take your time: `ready` lets the next deal begin.",
            "No sign is agreed with Anna: say it again to go on.",
            "You are not ready yet: `ready` lets the next deal begin.",
            "You make a gesture: cheek puff.",
            "Me is ready.",
            "The deal is on already: `ready` is for the time between deals.",
        )
    ]
    assert order == sorted(order)
    assert any(line.startswith("The next deal waits for you: `ready` lets") for line in told[: order[3]])
    assert any(line.startswith("Deal 1 starts") for line in told[order[-2] : order[-1]])


class Chatterer(Bot):
    """Would speak whenever it is asked to; it notes whether a deal is on when it is."""

    def __init__(self, seat: Seat, asked: list[bool]) -> None:
        super().__init__(seat, 4, Random(int(seat)), Pace.FAST)
        self._asked = asked
        self._is_dealt = False

    def happened(self, events: tuple[Event, ...], now_ms: int) -> None:
        super().happened(events, now_ms)
        for event in events:
            if isinstance(event, Dealt | DealEnded):
                self._is_dealt = isinstance(event, Dealt)

    def greet(self) -> str | None:
        self._asked.append(self._is_dealt)
        return super().greet()

    def regret(self) -> str | None:
        self._asked.append(self._is_dealt)
        return "sorry: I took your wink for the sign"


def test_a_player_speaks_by_itself_only_between_deals(tmp_path: Path) -> None:
    asked: list[bool] = []
    heard: list[str] = []

    async def screen(sitting: Sitting) -> None:
        heard.extend(sight.text for sight in await played(sitting) if isinstance(sight, fx.Whispered))

    evening(tmp_path, screen, lambda seat, chances: Chatterer(seat, asked), override(SHORT, {"word": "KE"}))
    assert len(asked) > 6
    assert not any(asked)
    # Its sign is proposed once, and an excuse is no other sign.
    assert [text.partition(":")[0] for text in heard].count("signal") == 1
    assert heard.count("sorry: I took your wink for the sign") > 1
