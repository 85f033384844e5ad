"""Append-only files where this machine fails: disk, rights, other processes."""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from store_helpers import OBJECTS, reopen_plain

from kemps_p2p.codec import encode
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.store import AppendFile


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
