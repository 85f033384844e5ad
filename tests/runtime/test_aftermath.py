"""After a match: whoever wants a rematch is seen by those who have not left yet, and who leaves is named."""

import asyncio
from pathlib import Path
from random import Random

from local_helpers import LIMIT_S, SHORT, plan, quick, quick_bot, tried

from kemps_p2p.game.actions import Call, Next, Partner
from kemps_p2p.game.rules import override
from kemps_p2p.plain.voice import Voice
from kemps_p2p.runtime.aftermath import Aftermath, say_farewell
from kemps_p2p.runtime.huddle import Huddle
from kemps_p2p.runtime.local import chairs, play_on
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.runtime.transport import new_event_loop

RULES = override(SHORT, {"first_dealer": "seat-0"})


async def lost(sitting: Sitting) -> None:
    """Play until the match is over, by a wrong call if nobody is quicker."""
    async for _ in sitting.sights():
        tried(sitting, Next())
        tried(sitting, Call(calls=(Partner(),)))
    assert (await sitting.ended()).is_closed


async def until(holds: object) -> None:
    while not holds():  # type: ignore[operator]
        await asyncio.sleep(0.01)


async def one_wants_a_rematch_and_one_leaves(home: Path) -> None:
    own, others = chairs(plan(home, RULES))
    anna, ben = (Sitting(quick(chair), Random(1)).start() for chair in (own, others[1]))
    bots = [
        asyncio.ensure_future(play_on(quick(chair), quick_bot, Random(int(chair.seat))))
        for chair in (others[0], others[2])
    ]
    await asyncio.gather(lost(anna), lost(ben))
    voice = Voice(ben, Huddle(ben), is_ascii=False)
    assert (ben.wants_rematch(), ben.gone()) == ((), ())
    again = anna.rematch()
    # The bots sit down again as well, which nobody has to be told.
    await until(lambda: ben.wants_rematch() == (anna.seat,))
    assert list(voice.aftermath()) == ["Me wants a rematch: `rematch` joins."]
    assert list(voice.aftermath()) == []
    assert again.gone() == ()
    await ben.close()
    await until(lambda: again.gone() == (ben.seat,))
    assert not again.has_begun
    waiting = Voice(again, Huddle(again), is_ascii=False)
    (line,) = waiting.news()
    assert line.endswith(" left the table: there is no match without them; `quit` leaves.")
    await again.close()
    await anna.close()
    for bot in bots:
        bot.cancel()
    await asyncio.wait(bots)


def test_who_wants_a_rematch_and_who_has_left_is_told(tmp_path: Path) -> None:
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(asyncio.wait_for(one_wants_a_rematch_and_one_leaves(tmp_path), LIMIT_S))


def test_junk_and_strangers_change_nothing(tmp_path: Path) -> None:
    async def run() -> None:
        own, (other, third, _) = chairs(plan(tmp_path))
        aftermath = Aftermath(own, frozenset())
        other.carrier.send(own.carrier.public_key, b"\xff\xff")
        say_farewell(third)
        aftermath.look()
        assert aftermath.gone == {third.seat}
        assert aftermath.seated == frozenset()
        stranger = Aftermath(other, frozenset({third.seat}))
        stranger.look()
        assert stranger.gone == {third.seat}

    asyncio.run(run())
