"""Files that only grow.

An append-only file holds MessagePack objects back to back. What they mean is unknown here. Invariants:

1. `append` is one write of the whole object with no buffer of ours, so that what it wrote survives the death
   of this process. It leaves nothing half-written: a write that fails is cut back.
2. On opening, nothing is changed but a torn last object, which is cut off and handed to the caller.
   Anything else that is wrong raises, and the file stays as it was.
3. Two processes never hold one file open for writing.
4. After a failed fsync nothing is believed: the file takes no more.

Section "Journal and log" of protocol.md.
"""

import asyncio
import contextlib
import os
import stat
import threading
from dataclasses import dataclass
from pathlib import Path

from kemps_p2p.codec import OBJECT_BYTES_MAX, frame
from kemps_p2p.errors import RuntimeFault
from kemps_p2p.runtime.files import (
    SecretFile,
    file_fault,
    lock,
    make_directory,
    read_all,
    sync_directory,
    write_all,
)

__all__ = ["AppendFile", "Found", "SecretFile", "make_directory", "split_objects"]

SYNC_MS = 200
"""What was appended is on disk after this long at most, while an event loop runs."""

_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Found:
    """What was in a file when it was opened."""

    objects: tuple[bytes, ...]
    torn: bytes
    """The beginning of a last object that was never finished, now cut off; empty if there was none."""


def split_objects(data: bytes, *, object_bytes_max: int = OBJECT_BYTES_MAX) -> Found:
    """Cut `data` into its MessagePack objects; what is left of an unfinished last one is `torn`.

    Each object must be an array, a map or bytes, at most `object_bytes_max` long. Raises `RuntimeFault` with
    the offset of the first that is not.
    """
    framed = frame(data, object_bytes_max)
    if framed.flaw is not None:
        raise RuntimeFault(framed.flaw)
    return Found(framed.objects, framed.rest)


class AppendFile:
    """An append-only file, held open and locked. Make one with `open`.

    Under a running event loop, what is appended goes to disk in groups within `SYNC_MS`, off the loop.
    Without one, only `sync_now` and `close` put it there.
    """

    def __init__(self, path: Path, descriptor: int, found: Found, size: int) -> None:
        self.path = path
        self.found = found
        self._descriptor: int | None = descriptor
        self._size = size
        self._synced_size = size
        self._broken = ""
        self._timer: asyncio.TimerHandle | None = None
        self._syncing: asyncio.Future[None] | None = None
        # Held while fsync runs in another thread, so that closing cannot hand its descriptor to another file.
        self._guard = threading.Lock()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        header: bytes = b"",
        mode: int = 0o600,
        object_bytes_max: int = OBJECT_BYTES_MAX,
    ) -> "AppendFile":
        """Open or make `path`, lock it, and read what is in it into `found`.

        A new file gets `header` (objects), one that is there must begin with it. Raises `RuntimeFault`: no
        permission, read-only, disk full, held by another process, another header, or not a file of objects;
        in all these cases nothing in the file is changed.
        """
        descriptor, is_new = _open(path, mode)
        try:
            opened = cls._read(path, descriptor, header, object_bytes_max)
            os.fsync(descriptor)
            if is_new:
                sync_directory(path.parent)
        except OSError as error:
            os.close(descriptor)
            raise file_fault(path, "open", error) from None
        except BaseException:
            os.close(descriptor)
            raise
        return opened

    @classmethod
    def _read(cls, path: Path, descriptor: int, header: bytes, object_bytes_max: int) -> "AppendFile":
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise RuntimeFault(f"cannot open {path}: not a file")
        try:
            lock(descriptor)
        except OSError:
            raise RuntimeFault(f"cannot open {path}: another process has it open") from None
        data = read_all(descriptor)
        try:
            found = split_objects(data, object_bytes_max=object_bytes_max)
        except RuntimeFault as fault:
            raise RuntimeFault(f"{path}: {fault}") from None
        whole_bytes = len(data) - len(found.torn)
        if not (data.startswith(header) if whole_bytes else header.startswith(data) or not header):
            raise RuntimeFault(f"{path}: byte 0: begins with another header")
        if found.torn:
            os.ftruncate(descriptor, whole_bytes)
        opened = cls(path, descriptor, found, whole_bytes)
        if not whole_bytes and header:
            opened._write(header)
        return opened

    @property
    def size(self) -> int:
        """Bytes in the file, all of them whole objects."""
        return self._size

    @property
    def is_synced(self) -> bool:
        """Whether everything appended is on disk."""
        return self._synced_size == self._size

    def append(self, data: bytes) -> None:
        """Write one whole object, or several, at the end, at once.

        Raises `RuntimeFault` if it cannot be written in full; nothing of it is in the file then.
        """
        self._write(data)
        if self._timer is None and self._syncing is None:
            with contextlib.suppress(RuntimeError):
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(SYNC_MS / 1000, self._start_sync)

    async def sync(self) -> None:
        """Return once everything appended before the call is on disk; other tasks run meanwhile.

        Raises `RuntimeFault` if the disk failed; the file then takes no more.
        """
        wanted = self._size
        while self._synced_size < wanted:
            self._usable()
            self._start_sync()
            if self._syncing is not None:
                await asyncio.shield(self._syncing)
        self._usable()

    def sync_now(self) -> None:
        """Put everything appended on disk before returning. Raises like `sync`."""
        self._usable()
        self._fsync()
        self._usable()

    def close(self) -> None:
        """Put everything on disk, unlock and close; closed it is even where the disk fails.

        Raises `RuntimeFault` if anything appended may be lost.
        """
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._descriptor is None:
            return
        self._fsync()
        with self._guard:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)
        if self._broken:
            raise RuntimeFault(self._broken)

    def _usable(self) -> int:
        if self._broken:
            raise RuntimeFault(self._broken)
        if self._descriptor is None:
            raise RuntimeFault(f"{self.path} is closed")
        return self._descriptor

    def _write(self, data: bytes) -> None:
        descriptor = self._usable()
        try:
            write_all(descriptor, data)
        except OSError as error:
            fault = file_fault(self.path, "write", error)
            try:
                os.ftruncate(descriptor, self._size)
            except OSError:
                # A part of the object may be there; anything after it could not be read again.
                self._broken = str(fault)
            raise fault from None
        self._size += len(data)

    def _start_sync(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._syncing is None and not self.is_synced and not self._broken and self._descriptor is not None:
            loop = asyncio.get_running_loop()
            self._syncing = loop.run_in_executor(None, self._fsync)
            self._syncing.add_done_callback(self._sync_ended)

    def _sync_ended(self, done: "asyncio.Future[None]") -> None:
        self._syncing = None
        if not done.cancelled():
            done.result()
        # More may have been appended while the disk was busy.
        if not self.is_synced and self._timer is None and not self._broken:
            self._timer = done.get_loop().call_later(SYNC_MS / 1000, self._start_sync)

    def _fsync(self) -> None:
        with self._guard:
            if self._descriptor is None or self._broken:
                return
            size = self._size
            try:
                os.fsync(self._descriptor)
            except OSError as error:
                self._broken = str(file_fault(self.path, "sync", error))
                return
            self._synced_size = max(self._synced_size, size)


def _open(path: Path, mode: int) -> tuple[int, bool]:
    """The descriptor, and whether the file was made just now."""
    try:
        try:
            return os.open(path, _OPEN_FLAGS | os.O_CREAT | os.O_EXCL, mode), True
        except FileExistsError:
            return os.open(path, _OPEN_FLAGS), False
    except OSError as error:
        raise file_fault(path, "open", error) from None
