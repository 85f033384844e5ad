import asyncio
import signal

import pytest

from kemps_p2p.runtime.process import play_through


def test_a_good_bye_is_not_cut_short_by_more_of_what_asked_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kemps_p2p.runtime.process.favour_play", lambda: None)
    before = signal.getsignal(signal.SIGINT)
    done: list[str] = []

    async def main() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(0)
            done.append("said good-bye")

    with pytest.raises(KeyboardInterrupt):
        play_through(main())
    assert done == ["said good-bye"]
    assert signal.getsignal(signal.SIGINT) is before
