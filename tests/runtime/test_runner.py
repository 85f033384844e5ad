"""What carries a machine's effects out: what it leaves alone, how it ends. Nobody else is at the table."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from local_helpers import Still, plan, quick

from kemps_p2p.errors import Illegal, IllegalAction, RuntimeFault
from kemps_p2p.game.actions import Next
from kemps_p2p.runtime import sitting
from kemps_p2p.runtime.local import chairs
from kemps_p2p.runtime.runner import Outcome, Runner, _call_in
from kemps_p2p.runtime.sitting import OWN_CARDS_FORBID, Sitting
from kemps_p2p.runtime.transport import Arrival, PublicKey


def alone(home: Path, do: Callable[[Runner], None]) -> Outcome:
    """Let one seat run, do something to it once it waits, and let it leave."""

    async def run() -> Outcome:
        own, _ = chairs(plan(home))
        _, runner = quick(own).sit(Still(), lambda session, sight: None)
        running = asyncio.ensure_future(runner.run())
        await asyncio.sleep(0)
        do(runner)
        runner.leave()
        return await running

    return asyncio.run(run())


def test_what_a_stranger_says_and_work_that_was_called_off_change_nothing(tmp_path: Path) -> None:
    def do(runner: Runner) -> None:
        runner._on_arrivals([Arrival(PublicKey(bytes(32)), b"anything", 0)])
        called_off = Future[object]()
        assert called_off.cancel()
        runner._on_computed(1, called_off)
        timer = runner._timer
        assert timer is not None
        runner._wake_at(runner._timer_ms + 10, runner.now_ms())
        assert runner._timer is timer, "one that is due before is kept"

    assert alone(tmp_path, do) == Outcome()


def test_work_that_breaks_ends_the_run_and_nothing_is_done_after_an_end(tmp_path: Path) -> None:
    broken, done = Future[object](), list[int]()
    broken.set_exception(ZeroDivisionError("as told"))

    def do(runner: Runner) -> None:
        runner._on_computed(1, broken)
        runner._guarded(lambda: done.append(1))

    with pytest.raises(ZeroDivisionError, match="as told"):
        alone(tmp_path, do)
    assert done == []


def test_a_table_that_never_forms_is_given_up(tmp_path: Path) -> None:
    async def run() -> Outcome:
        own, _ = chairs(plan(tmp_path))
        _, runner = replace(quick(own), give_up_ms=-1).sit(Still(), lambda session, sight: None)
        return await asyncio.wait_for(runner.run(), 10)

    assert asyncio.run(run()) == Outcome()


def test_a_result_is_handed_to_a_loop_that_runs_or_has_ended() -> None:
    class Deaf(asyncio.SelectorEventLoop):
        def call_soon_threadsafe(self, *_args: object, **_named: object) -> asyncio.Handle:
            raise RuntimeError("not now")

    loop = Deaf()
    with pytest.raises(RuntimeFault, match="not now"):
        _call_in(loop, lambda: None)
    loop.close()
    _call_in(loop, lambda: None)


def test_before_a_match_nothing_can_be_done_at_a_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, _ = chairs(plan(tmp_path))
    seat = Sitting(quick(own), Random(1))
    assert seat.legal() == ()
    assert not seat.can_seal_book
    assert not seat.seal_book()
    assert seat.against(Next()) is Illegal.DEAL_OVER
    # What the machine would find only once cards are shown is refused before anything is sent.
    for reason in OWN_CARDS_FORBID:
        monkeypatch.setattr(sitting.Sitting, "against", lambda self, action, reason=reason: reason)
        with pytest.raises(IllegalAction) as refused:
            seat.act(Next())
        assert refused.value.reason is reason
