"""What the tests of append-only files begin with."""

from pathlib import Path

from kemps_p2p.codec import encode
from kemps_p2p.runtime.store import AppendFile

OBJECTS = [encode([n, b"x" * n, {"a": [n], "b": None}]) for n in (0, 1, 31, 32, 255, 256, 70_000)]


def reopen_plain(path: Path) -> tuple[bytes, ...]:
    file = AppendFile.open(path)
    file.close()
    return file.found.objects
