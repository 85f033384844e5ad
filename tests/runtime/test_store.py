import asyncio
import errno
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_p2p.codec import encode
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime import store
from kemps_p2p.runtime.store import AppendFile, Found, SecretFile, make_directory, split_objects
from kemps_p2p.runtime.transport import new_event_loop

HEADER = encode([1, "kemps", b"header"])
OBJECTS = [encode([n, b"x" * n, {"a": [n], "b": None}]) for n in (0, 1, 31, 32, 255, 256, 70_000)]

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)
containers = st.binary() | st.lists(values, max_size=5) | st.dictionaries(st.text(), values, max_size=5)


def write(path: Path, *objects: bytes) -> None:
    file = AppendFile.open(path, header=HEADER)
    for each in objects:
        file.append(each)
    file.close()


def reopen(path: Path) -> Found:
    file = AppendFile.open(path, header=HEADER)
    file.close()
    return file.found


# What is in a file.


@settings(max_examples=60)
@given(st.lists(containers, max_size=5), st.data())
def test_any_objects_are_found_again_and_any_cut_tears_only_the_last(
    contents: list[object], data: st.DataObject
) -> None:
    encoded = [encode(each) for each in contents]
    whole = b"".join(encoded)
    assert split_objects(whole) == Found(tuple(encoded), b"")
    cut = data.draw(st.integers(0, len(whole)))
    found = split_objects(whole[:cut])
    assert b"".join(found.objects) + found.torn == whole[:cut]
    assert list(found.objects) == encoded[: len(found.objects)]
    assert len(found.torn) < len(encoded[len(found.objects)]) if found.torn else True


def test_what_is_appended_is_there_before_any_sync(tmp_path: Path) -> None:
    file = AppendFile.open(tmp_path / "journal", header=HEADER)
    for each in OBJECTS:
        file.append(each)
        assert (tmp_path / "journal").read_bytes().endswith(each)
    assert file.size == len(HEADER) + sum(map(len, OBJECTS))
    file.close()
    assert reopen(tmp_path / "journal") == Found((HEADER, *OBJECTS), b"")


def test_a_new_file_is_private_and_begins_with_its_header(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    write(path)
    assert path.read_bytes() == HEADER
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    AppendFile.open(tmp_path / "log", mode=0o640).close()
    assert (tmp_path / "log").read_bytes() == b""


@pytest.mark.parametrize("last", [OBJECTS[2], OBJECTS[5]])
def test_a_tail_torn_at_any_byte_is_cut_off_and_reported(tmp_path: Path, last: bytes) -> None:
    path = tmp_path / "journal"
    whole = HEADER + OBJECTS[1]
    for length in range(1, len(last)):
        path.write_bytes(whole + last[:length])
        file = AppendFile.open(path, header=HEADER)
        assert file.found == Found((HEADER, OBJECTS[1]), last[:length])
        file.append(OBJECTS[3])
        file.close()
        assert path.read_bytes() == whole + OBJECTS[3]


def test_a_torn_header_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for length in range(len(HEADER)):
        path.write_bytes(HEADER[:length])
        assert reopen(path) == Found((), HEADER[:length])
        assert path.read_bytes() == HEADER


@pytest.mark.parametrize(
    ("tail", "reason"),
    [
        (b"\xc1", "not the start of an object"),
        (b"\x00" * 4096, "not the start of an object"),
        (b"hello", "not the start of an object"),
        (b"\xc0", "not the start of an object"),
        (b"\xa1x", "not the start of an object"),
        (b"\xd4\x01x", "not the start of an object"),
        (b"\x92\x01\xc1", "not an object"),
        (b"\xc6\xff\xff\xff\xff" + bytes(100), "longer than 65536"),
        (b"\xc6\x00\x00\xff\xfc", "longer than 65536"),
        (b"\xdd\xff\xff\xff\xff" + bytes(100), "longer than 65536"),
        (b"\xdf\x00\x00\x80\x00" + bytes(100), "longer than 65536"),
        (b"\x93\x01\xdb\x80\x00\x00\x00", "longer than 65536"),
        (b"\x91\xc9\x00\x01\x00\x00", "longer than 65536"),
        (b"\x91\xc6\x00\x01\x86\xa0" + bytes(100_000), "longer than 65536"),
        (b"\xdc\xff\xfe" + bytes(65534) + b"\x01" * 10, "longer than 65536"),
        (b"\x92" + b"\xc5\x80\x00" + bytes(32768) + b"\xc5\x80\x00" + bytes(32768), "longer than 65536"),
    ],
)
def test_anything_else_wrong_names_its_offset_and_changes_nothing(
    tmp_path: Path, tail: bytes, reason: str
) -> None:
    path = tmp_path / "journal"
    path.write_bytes(HEADER + OBJECTS[1] + tail)
    before = path.read_bytes()
    offset = len(HEADER) + len(OBJECTS[1])
    with pytest.raises(RuntimeFault) as caught:
        AppendFile.open(path, header=HEADER, object_bytes_max=65536)
    text = str(caught.value)
    assert text.startswith(f"{path}: byte {offset}: ")
    assert "\n" not in text
    assert path.read_bytes() == before
    assert reason in text


@pytest.mark.parametrize("content", [encode([2, "other"]), b"\x93\x02\xa1", OBJECTS[3] + HEADER])
def test_a_file_with_another_header_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal"
    path.write_bytes(content)
    with pytest.raises(RuntimeFault, match="another header"):
        AppendFile.open(path, header=HEADER)
    assert path.read_bytes() == content


def test_the_size_limit_of_objects_is_exact() -> None:
    data = encode([b"x" * 1000])
    assert split_objects(data, object_bytes_max=len(data)).objects == (data,)
    with pytest.raises(RuntimeFault, match=f"longer than {len(data) - 1}"):
        split_objects(data, object_bytes_max=len(data) - 1)


def test_every_kind_of_value_is_measured_as_an_independent_reader_does() -> None:
    bodies = [bytes([lead]) + bytes(40) for lead in range(256) if lead != 0xC1]
    for body in bodies:
        # The reader stops after one value; what it took of the body is the length to find.
        unpacker = msgpack.Unpacker(raw=True, strict_map_key=False, object_pairs_hook=list)
        unpacker.feed(b"\x91" + body)
        unpacker.skip()
        whole = (b"\x91" + body)[: unpacker.tell()]
        assert split_objects(whole) == Found((whole,), b"")
        assert split_objects(whole[:-1]) == Found((), whole[:-1])


# Failures of this machine.


def child(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, timeout=20
    )
    return done.stdout


FULL_DISK = """
import resource, sys
from pathlib import Path
from kemps_p2p.codec import encode
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.store import AppendFile, split_objects

path = Path(sys.argv[1])
file = AppendFile.open(path)
file.append(encode([b"a" * 500]))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    file.append(encode([b"b" * 900]))
except RuntimeFault as fault:
    print(fault)
print(file.size, path.stat().st_size)
file.append(encode([b"c" * 100]))
file.close()
print([len(each) for each in split_objects(path.read_bytes()).objects])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on file sizes to run into")
def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    said = child(FULL_DISK, str(path)).splitlines()
    first = len(encode([b"a" * 500]))
    assert said == [
        f"cannot write {path}: File too large",
        f"{first} {first}",
        f"[{first}, {len(encode([b'c' * 100]))}]",
    ]


def test_short_writes_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_once = os.write
    sizes: list[int] = []

    def write_little(descriptor: int, data: bytes) -> int:
        sizes.append(len(data))
        return write_once(descriptor, data[: max(1, len(data) // 2)])

    file = AppendFile.open(tmp_path / "journal")
    monkeypatch.setattr(os, "write", write_little)
    file.append(OBJECTS[4])
    monkeypatch.undo()
    file.close()
    assert sizes[0] == len(OBJECTS[4])
    assert len(sizes) > 2
    assert reopen_plain(tmp_path / "journal") == (OBJECTS[4],)


def reopen_plain(path: Path) -> tuple[bytes, ...]:
    file = AppendFile.open(path)
    file.close()
    return file.found.objects


def test_one_append_is_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_once = os.write
    calls: list[bytes] = []

    def note(descriptor: int, data: bytes) -> int:
        calls.append(bytes(data))
        return write_once(descriptor, data)

    file = AppendFile.open(tmp_path / "journal")
    monkeypatch.setattr(os, "write", note)
    file.append(OBJECTS[6])
    monkeypatch.undo()
    file.close()
    assert calls == [OBJECTS[6]]


def test_a_part_that_cannot_be_cut_back_ends_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    file = AppendFile.open(tmp_path / "journal")
    monkeypatch.setattr(os, "write", fail)
    monkeypatch.setattr(os, "ftruncate", fail)
    with pytest.raises(RuntimeFault, match="Input/output error"):
        file.append(OBJECTS[0])
    monkeypatch.undo()
    with pytest.raises(RuntimeFault, match="Input/output error"):
        file.append(OBJECTS[0])
    with pytest.raises(RuntimeFault, match="Input/output error"):
        file.close()
    assert (tmp_path / "journal").read_bytes() == b""


READ_ONLY = """
import os, sys
from pathlib import Path
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.store import AppendFile, SecretFile, make_directory

if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
directory = Path(sys.argv[1])
for attempt in (
    lambda: AppendFile.open(directory / "new"),
    lambda: AppendFile.open(directory / "old"),
    lambda: SecretFile(directory / "secret").write(b"x"),
    lambda: make_directory(directory / "below" / "it"),
):
    try:
        attempt()
        print("no fault")
    except RuntimeFault as fault:
        print(fault)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps permissions elsewhere")
def test_a_read_only_directory_is_one_clear_line() -> None:
    # Not below `tmp_path`, which is closed to the user that the child becomes where the tests run as root.
    with tempfile.TemporaryDirectory() as made:
        directory = Path(made)
        (directory / "old").write_bytes(b"")
        (directory / "old").chmod(0o444)
        directory.chmod(0o555)
        said = child(READ_ONLY, str(directory)).splitlines()
        directory.chmod(0o755)
    assert said == [
        f"cannot open {directory}/new: Permission denied",
        f"cannot open {directory}/old: Permission denied",
        f"cannot write {directory}/secret: Permission denied",
        f"cannot make directory {directory}/below/it: Permission denied",
    ]


SECOND = """
import sys
from pathlib import Path
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.store import AppendFile

try:
    AppendFile.open(Path(sys.argv[1])).close()
    print("opened")
except RuntimeFault as fault:
    print(fault)
"""


def test_a_second_process_is_locked_out_until_the_first_closes(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(OBJECTS[1] + OBJECTS[2][:5])
    file = AppendFile.open(path)
    file.append(OBJECTS[3])
    before = path.read_bytes()
    assert child(SECOND, str(path)) == f"cannot open {path}: another process has it open\n"
    assert path.read_bytes() == before
    file.close()
    assert child(SECOND, str(path)) == "opened\n"


def test_what_is_no_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(RuntimeFault, match=r"^cannot open .*: Is a directory$"):
        AppendFile.open(tmp_path)
    with pytest.raises(RuntimeFault, match=r"^cannot open .*: No such file or directory$"):
        AppendFile.open(tmp_path / "missing" / "journal")


def test_a_closed_file_takes_nothing(tmp_path: Path) -> None:
    file = AppendFile.open(tmp_path / "journal")
    file.close()
    file.close()
    with pytest.raises(RuntimeFault, match="is closed"):
        file.append(OBJECTS[0])
    with pytest.raises(RuntimeFault, match="is closed"):
        file.sync_now()


# Group fsync.


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


# Secrets and directories.


def test_a_secret_is_written_once_for_its_owner_only(tmp_path: Path) -> None:
    secret = SecretFile(tmp_path / "seed")
    assert secret.read() is None
    secret.write(b"s" * 32)
    assert secret.read() == b"s" * 32
    assert stat.S_IMODE((tmp_path / "seed").stat().st_mode) == 0o600
    with pytest.raises(RuntimeFault, match="there already"):
        secret.write(b"t" * 32)
    assert secret.read() == b"s" * 32
    assert os.listdir(tmp_path) == ["seed"]


def test_a_secret_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(RuntimeFault, match=r"^cannot write .*seed: No space left on device$"):
        SecretFile(tmp_path / "seed").write(b"s" * 32)
    assert os.listdir(tmp_path) == []


def test_a_secret_is_kept_where_files_have_one_name_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    secret = SecretFile(tmp_path / "seed")
    secret.write(b"s")
    with pytest.raises(RuntimeFault, match="there already"):
        secret.write(b"t")
    assert secret.read() == b"s"
    assert os.listdir(tmp_path) == ["seed"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps permissions elsewhere")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_secret_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    secret = SecretFile(tmp_path / "seed")
    secret.write(b"s")
    (tmp_path / "seed").chmod(mode)
    with pytest.raises(RuntimeFault, match="chmod 600"):
        secret.read()


def test_directories_are_made_private_and_old_ones_stay(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir(mode=0o755)
    make_directory(tmp_path / "old" / "a" / "b")
    make_directory(tmp_path / "old" / "a" / "b")
    modes = [stat.S_IMODE((tmp_path / each).stat().st_mode) for each in ("old", "old/a", "old/a/b")]
    assert modes == [0o755, 0o700, 0o700]
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(RuntimeFault, match=r"^cannot make directory .*file"):
        make_directory(tmp_path / "file")
