"""Processes that help an audit with its proofs. Knows nothing of what is verified; `session.audit` does.

Invariants:

1. Whatever becomes of a helper, the audit goes on: what it did not verify, the auditor verifies itself.
"""

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing.process import BaseProcess
from types import TracebackType

from kemps_p2p.session.audit import prove_share
from kemps_p2p.session.provers import Proven, Share

LOG_BYTES_MIN = 200_000
"""Smaller logs are done before a helper has started."""


class Crew:
    """So many processes as a context; this one is one of them, the others start with the first large log."""

    def __init__(self, jobs: int) -> None:
        self._helpers = jobs - 1
        self._pool: ProcessPoolExecutor | None = None
        self._processes: list[BaseProcess] = []

    def __enter__(self) -> "Crew":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is None:
            return
        if kind is not None:
            # Nobody waits for what they are at, which may take minutes.
            for process in self._processes:
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def start(self, log: bytes) -> Sequence[Callable[[], Proven]]:
        """Hand out the shares of a log, if it is worth it."""
        if self._helpers == 0 or len(log) < LOG_BYTES_MIN:
            return ()
        if self._pool is None:
            # Not forked: a process that has threads, or a screen, must not be doubled.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._helpers, mp_context=context, initializer=_leave_interrupts)
        count = self._helpers + 1
        others = multiprocessing.active_children()
        try:
            with _interrupts_left():
                futures = [
                    self._pool.submit(prove_share, log, Share(index, count)) for index in range(1, count)
                ]
        except BrokenProcessPool:
            return ()
        self._processes += [each for each in multiprocessing.active_children() if each not in others]
        return [partial(_result, future) for future in futures]


@contextmanager
def _interrupts_left() -> Iterator[None]:
    """Ctrl-C is left out of what starts meanwhile: it reaches every process of a terminal, and a helper that
    is just starting would complain of it. Whoever audits ends the helpers.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _leave_interrupts() -> None:
    """The same where what is ignored is not inherited."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _result(future: "Future[Proven]") -> Proven:
    try:
        return future.result()
    except BrokenProcessPool:
        return Proven(frozenset(), {})
