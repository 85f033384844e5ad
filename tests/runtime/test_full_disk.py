"""A disk that is full in mid-match: a real one, which needs root to be mounted (marker netns)."""

import errno
import io
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from process_helpers import node
from test_rejoin import RULES, check_all_end, rejoin, wait_until

from kemps_p2p.session.audit import Flaw, audit

pytestmark = [pytest.mark.netns]

ENTRY = 25
"""In the middle of the first deal."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "kemps-test", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def pour(out: io.FileIO, size: int) -> NoReturn:
    while True:
        out.write(bytes(size))


def filled(place: Path) -> Path:
    """Fill a file system to the last byte, with this file."""
    file = place / "filler"
    with file.open("wb", buffering=0) as out:
        for size in (1 << 16, 1):
            with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
                pour(out, size)
    return file


def test_a_peer_whose_disk_is_full_says_so_and_comes_back_when_there_is_room(
    tmp_path: Path, small_disk: Path
) -> None:
    rules = tmp_path / "short.toml"
    rules.write_text(RULES)
    logs = small_disk / "logs"
    peers = [node(tmp_path, seat, "--events", "--rules", str(rules)) for seat in range(3)]
    home = small_disk / "home"
    peers.append(
        node(tmp_path, 3, "--events", "--rules", str(rules), "--home", str(home), "--out", str(logs))
    )
    wait_until(peers[3], lambda event: event["event"] == "moved" and event["entry"] >= ENTRY)
    filler = filled(small_disk)
    _, err = peers[3].communicate(timeout=60)
    assert peers[3].returncode == 9, err
    lines = err.splitlines()
    assert len(lines) == 1
    assert os.strerror(errno.ENOSPC) in lines[0]

    (log,) = logs.iterdir()
    read = audit(log.read_bytes())
    assert [finding.code for finding in read.findings] == [Flaw.NOT_CLOSED]
    assert len(read.steps) >= ENTRY
    # The others order, or pass the duty on, without it.
    wait_until(peers[0], lambda event: event.get("entry", 0) > len(read.steps))

    filler.unlink()
    peers[3] = rejoin(home)
    check_all_end(peers, tmp_path / "logs", log)
