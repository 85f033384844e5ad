"""A process while it plays: an event loop, short pauses, and what Ctrl-C does.

1. A first Ctrl-C cancels what runs, which says good-bye: files closed, sockets closed, bots ended.
2. Further ones are not heard until then: good-byes have limits of their own, and half of one helps nobody.
"""

import asyncio
import gc
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, TypeVar

from kemps_p2p.runtime.transport import new_event_loop

T = TypeVar("T")
Heard = Callable[[int, FrameType | None], object]
"""What is done about a signal."""

SWITCH_S = 0.0005
GC_THRESHOLDS = (20_000, 20, 100)


def play_through(main: Coroutine[Any, Any, T]) -> T:
    """Run a match, and whatever belongs to it, to its end. Raises what it raises."""
    favour_play()
    before = signal.getsignal(signal.SIGINT)
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            return runner.run(_interrupted_once(main))
    finally:
        main.close()
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def favour_play() -> None:
    """Keep pauses short: the proofs' thread hands over at once, and what has been imported is no garbage."""
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


async def _interrupted_once(main: Coroutine[Any, Any, T]) -> T:
    cancel = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is threading.main_thread() and callable(cancel):

        def once(number: int, frame: FrameType | None) -> None:
            signal.signal(signal.SIGINT, deaf)
            cancel(number, frame)

        signal.signal(signal.SIGINT, once)
    return await main


def deaf(_number: int, _frame: FrameType | None) -> None:
    """What is done about Ctrl-C during a good-bye. `SIG_IGN` is what a shell's background has."""
