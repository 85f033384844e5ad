"""How long it takes from a key to the repaint, with four peers at normal pace; it prints figures.

`python tests/tui/measure_repaint.py [RULES]`. Not a test. A key is handed to Textual as a
terminal does; the time ends when the rows that have changed are handed to the driver.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from textual import events

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.game.rules import load_rules
from kemps_p2p.runtime.local import SoloPlan, chairs, play_on, play_with
from kemps_p2p.runtime.process import favour_play
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.runtime.transport import new_event_loop
from kemps_p2p.tui.app import TableApp
from kemps_p2p.tui.desk import Page
from kemps_p2p.wording.look import Look

PRESSES = 300
KEYS = ("left", "1", "e", "right", "1", "e")
"""Each changes what is shown: the face that is watched, a card that is chosen, gestures laid out."""


async def press(app: TableApp, key: str) -> float:
    """One press, in milliseconds until it is written out."""
    driver = app._driver
    assert driver is not None
    written: asyncio.Future[float] = asyncio.get_running_loop().create_future()
    display = app._display

    def watch(screen: object, renderable: object) -> None:
        display(screen, renderable)  # type: ignore[arg-type]
        if not written.done():
            written.set_result(time.perf_counter())

    app._display = watch  # type: ignore[method-assign]
    began = time.perf_counter()
    driver.send_message(events.Key(key, key if len(key) == 1 else None))
    try:
        return (await asyncio.wait_for(written, 2) - began) * 1000
    finally:
        app._display = display  # type: ignore[method-assign]


async def measure(app: TableApp) -> list[float]:
    """Presses at the pace of quick fingers, whenever cards are in play."""
    took: list[float] = []
    chances = Random(1)
    while len(took) < PRESSES:
        await asyncio.sleep(chances.uniform(0.05, 0.15))
        if app.desk.page() is not Page.TABLE:
            app.desk.press("enter", 0)
            await asyncio.sleep(0.2)
            if app.desk.page() is Page.END:
                break
            continue
        took.append(await press(app, KEYS[len(took) % len(KEYS)]))
    return took


def main() -> None:
    """Measure, and print the figures."""
    favour_play()
    rules = load_rules(sys.argv[1] if len(sys.argv) > 1 else "kemps")
    took: list[float] = []

    async def screen(sitting: Sitting) -> None:
        look = Look(is_plain=False, is_ascii=False, colours=4, has_tutorial=False)
        app = TableApp(sitting, look, has_colour=True)
        async with app.run_test(size=(80, 24)):
            took.extend(await measure(app))

    async def run() -> None:
        with tempfile.TemporaryDirectory() as home:
            plan = SoloPlan(name="Mia", players=4, rules=rules, home=Path(home), seed=1)
            own, others = chairs(plan)
            bots = [
                play_on(chair, lambda seat, rng: Bot(seat, 4, rng, Pace.NORMAL), Random(int(chair.seat)))
                for chair in others
            ]
            await play_with(own, bots, screen)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(run())
    took.sort()
    shares = {share: took[min(int(len(took) * share / 100), len(took) - 1)] for share in (50, 90, 95, 99)}
    told = ", ".join(f"p{share} {value:.1f} ms" for share, value in shares.items())
    sys.stdout.write(f"{len(took)} presses: {told}, longest {took[-1]:.1f} ms\n")


if __name__ == "__main__":
    main()
