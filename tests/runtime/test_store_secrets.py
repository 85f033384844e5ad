"""Files for their owner only, and the directories that they lie in."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.store import SecretFile, make_directory


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
