"""When what was appended is on disk."""

import asyncio
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from store_helpers import OBJECTS, reopen_plain

from kemps_p2p.codec import encode
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime import store
from kemps_p2p.runtime.store import AppendFile
from kemps_p2p.runtime.transport import new_event_loop


class Disk:
    """Counts fsyncs in place of the disk, and fails on demand; an event tells the loop of each."""

    def __init__(self) -> None:
        self.count = 0
        self.fails = False
        self.loop = asyncio.get_running_loop()
        self.synced = asyncio.Event()

    def fsync(self, _descriptor: int) -> None:
        self.count += 1
        self.loop.call_soon_threadsafe(self.synced.set)
        if self.fails:
            raise OSError(errno.EIO, os.strerror(errno.EIO))


def run_with_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, main: object) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(10):
            file = AppendFile.open(tmp_path / "journal")
            disk = Disk()
            monkeypatch.setattr(os, "fsync", disk.fsync)
            assert callable(main)
            await main(file, disk)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(bounded())


def test_appends_are_synced_in_a_group_by_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(file: AppendFile, disk: Disk) -> None:
        start_s = disk.loop.time()
        for each in OBJECTS:
            file.append(each)
        assert not file.is_synced
        assert disk.count == 0
        await disk.synced.wait()
        assert disk.loop.time() - start_s + 0.01 >= store.SYNC_MS / 1000
        await file.sync()
        assert (disk.count, file.is_synced) == (1, True)
        disk.synced.clear()
        file.append(OBJECTS[0])
        await disk.synced.wait()
        assert disk.count == 2
        file.close()

    run_with_disk(tmp_path, monkeypatch, main)


def test_sync_on_demand_is_at_once_and_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(file: AppendFile, disk: Disk) -> None:
        monkeypatch.setattr(store, "SYNC_MS", 3_600_000)
        for each in OBJECTS:
            file.append(each)
        await asyncio.gather(*(file.sync() for _ in range(10)))
        assert (disk.count, file.is_synced) == (1, True)
        await file.sync()
        assert disk.count == 1
        file.append(OBJECTS[0])
        file.sync_now()
        assert (disk.count, file.is_synced) == (2, True)
        file.close()

    run_with_disk(tmp_path, monkeypatch, main)


def test_what_is_appended_while_the_disk_is_busy_is_not_taken_for_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main(file: AppendFile, disk: Disk) -> None:
        def slow(descriptor: int) -> None:
            # Runs in the thread of the fsync, as an append does that comes in the middle of it.
            if disk.count == 0:
                file._write(OBJECTS[1])
            disk.fsync(descriptor)

        monkeypatch.setattr(os, "fsync", slow)
        file.append(OBJECTS[0])
        await file.sync()
        assert (disk.count, file.is_synced) == (1, False)
        await file.sync()
        assert (disk.count, file.is_synced) == (2, True)
        file.close()

    run_with_disk(tmp_path, monkeypatch, main)


def test_after_a_failed_fsync_the_file_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(file: AppendFile, disk: Disk) -> None:
        disk.fails = True
        file.append(OBJECTS[0])
        with pytest.raises(RuntimeFault, match=r"^cannot sync .*: Input/output error$"):
            await file.sync()
        disk.fails = False
        with pytest.raises(RuntimeFault, match=r"^cannot sync "):
            file.append(OBJECTS[1])
        with pytest.raises(RuntimeFault, match=r"^cannot sync "):
            file.sync_now()
        with pytest.raises(RuntimeFault, match=r"^cannot sync "):
            file.close()
        assert (tmp_path / "journal").read_bytes() == OBJECTS[0]

    run_with_disk(tmp_path, monkeypatch, main)


def test_a_failed_fsync_in_the_background_shows_at_the_next_append(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main(file: AppendFile, disk: Disk) -> None:
        disk.fails = True
        file.append(OBJECTS[0])
        await disk.synced.wait()
        with pytest.raises(RuntimeFault, match=r"^cannot sync "):
            await file.sync()
        with pytest.raises(RuntimeFault, match=r"^cannot sync "):
            file.append(OBJECTS[1])
        with pytest.raises(RuntimeFault, match=r"^cannot sync "):
            file.close()

    run_with_disk(tmp_path, monkeypatch, main)


KILLED = """
import os, signal, sys
from pathlib import Path
from kemps_p2p.codec import encode
from kemps_p2p.runtime.store import AppendFile

file = AppendFile.open(Path(sys.argv[1]))
for number in range(100):
    file.append(encode([number, b"x" * 1000]))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_what_was_appended_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=20)
    assert done.returncode == -9
    assert reopen_plain(path) == tuple(encode([number, b"x" * 1000]) for number in range(100))
