"""What every writer of files needs: whole writes, directories, locks, and secrets that are written once.

Knows nothing of what is in a file. Invariants:

1. A secret is in its file whole or not at all, for its owner only, and is written over only by `replace`.
2. Every failure of the machine is a `RuntimeFault` of one line that names the file, except where a function
   says that it raises `OSError`.

Section "Journal and log" of protocol.md.
"""

import contextlib
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

from kemps_p2p.errors import RuntimeFault

_LOCK_OFFSET = 1 << 62


def file_fault(path: Path, doing: str, error: OSError) -> RuntimeFault:
    """The one line that says what could not be done to which file, and why."""
    return RuntimeFault(f"cannot {doing} {path}: {error.strerror or error}")


def make_directory(path: Path) -> None:
    """Make `path` and what is missing above it, open to the own user only; one that is there stays as it is.

    Raises `RuntimeFault`.
    """
    missing = [path, *path.parents]
    try:
        for directory in reversed([each for each in missing if not each.exists()]):
            with contextlib.suppress(FileExistsError):
                directory.mkdir(mode=0o700)
                sync_directory(directory.parent)
        if not path.is_dir():
            raise RuntimeFault(f"cannot make directory {path}: a file is there")
    except OSError as error:
        raise file_fault(path, "make directory", error) from None


def sync_directory(path: Path) -> None:
    """Put the names in a directory on disk. Raises `OSError`. Windows has no such call and needs none."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock(descriptor: int) -> None:
    """Take the file for this process until it is closed; `OSError` if another has it."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, _LOCK_OFFSET, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def read_all(descriptor: int) -> bytes:
    """Everything in the file, from its beginning. Raises `OSError`."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    pieces = []
    while piece := os.read(descriptor, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def write_all(descriptor: int, data: bytes) -> None:
    """One write; more only where the system took a part of it. Raises `OSError`, perhaps after a part."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, data[written:])


def write_new(path: Path, data: bytes) -> None:
    """Write a file of the own user that is not there yet. Raises `RuntimeFault`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileExistsError:
        raise RuntimeFault(f"{path} is there already, and is not written over") from None
    except OSError as error:
        raise file_fault(path, "write", error) from None
    try:
        write_all(descriptor, data)
    except OSError as error:
        raise file_fault(path, "write", error) from None
    finally:
        os.close(descriptor)


class SecretFile:
    """A small file that only its owner can read, whole or not at all; written once unless it is replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, secret: bytes) -> None:
        """Put `secret` on disk, with the name that leads to it, before returning.

        Raises `RuntimeFault` if the file is there already or cannot be written.
        """
        self._write(secret, self._name)

    def replace(self, secret: bytes) -> None:
        """Put `secret` in the place of what the file held, whole or not at all. Raises `RuntimeFault`."""
        self._write(secret, lambda draft: os.replace(draft, self.path))

    def _write(self, secret: bytes, name: Callable[[Path], None]) -> None:
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.draft")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            with contextlib.suppress(FileNotFoundError):
                draft.unlink()
            descriptor = os.open(draft, flags, 0o600)
            try:
                write_all(descriptor, secret)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            name(draft)
            sync_directory(self.path.parent)
        except FileExistsError:
            raise RuntimeFault(f"{self.path} is there already and is written only once") from None
        except OSError as error:
            raise file_fault(self.path, "write", error) from None
        finally:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)

    def _name(self, draft: Path) -> None:
        # A second name fails if the file is there, where a POSIX rename would silently replace it. On Windows
        # it is the rename that fails. Some file systems have no second names.
        if sys.platform == "win32":
            os.rename(draft, self.path)
            return
        try:
            os.link(draft, self.path)
        except PermissionError as error:
            if self.path.exists():
                raise FileExistsError from error
            os.rename(draft, self.path)

    def read(self) -> bytes | None:
        """The secret, or None if there is none yet. Raises `RuntimeFault`, also where others may read it."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise file_fault(self.path, "read", error) from None
        try:
            if sys.platform != "win32" and stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o077:
                raise RuntimeFault(f"{self.path} is a secret that others can read: chmod 600 it")
            return read_all(descriptor)
        except OSError as error:
            raise file_fault(self.path, "read", error) from None
        finally:
            os.close(descriptor)
