"""Walk-overs beside logs: an audit shows them as what they are, and its verdict is that of the log."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_helpers import Here

from kemps_p2p.cli.errors import Exit
from kemps_p2p.codec import derive, frame
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import Head
from kemps_p2p.session.audit import audit
from kemps_p2p.session.messages import Whisper, pack
from kemps_p2p.session.walkover import SUFFIX, Silence, others, sign_silence

pytest_plugins = ("cli_fixtures",)

KEEP = 40
"""So many objects of the log: the match stands still then."""
KEYS = [
    Identity.derived(derive("kemps/v1/sim", (17).to_bytes(16, "big", signed=True)), f"seat {seat}")
    for seat in range(4)
]

Sign = Callable[..., bytes]


@pytest.fixture
def stopped(logs: list[Path], tmp_path: Path) -> Path:
    """A log that ends in the middle of the match."""
    path = tmp_path / "stopped.kemps"
    path.write_bytes(b"".join(frame(logs[0].read_bytes()).objects[:KEEP]))
    return path


@pytest.fixture
def sign(stopped: Path) -> Sign:
    """A walk-over of a seat, after the last entry of that log or an earlier one."""
    told = audit(stopped.read_bytes(), allow_stub=True)
    assert told.founding is not None
    founding = told.founding

    def signed(seat: int, back: int = 0) -> bytes:
        item = told.entries[-1 - back]
        assert item is not None
        said = Silence(
            match=founding.match,
            seat=seat,
            head=Head(index=len(told.entries) - back, digest=item.digest),
            silent=others(Seat(seat), 4),
            silent_ms=61_500,
            wall_ms=1_700_000_000_000,
        )
        return pack(sign_silence(KEYS[seat], said))

    return signed


def told_of(here: Here, log: Path) -> tuple[list[str], list[dict[str, object]]]:
    """What an audit says of walk-overs, in lines and as objects; its verdict is that of the log."""
    lines = here("audit", "--allow-simulated", log)
    objects = here("audit", "--allow-simulated", "--json", log)
    assert lines.code == objects.code == Exit.UNDECIDABLE
    found = [line for line in lines.out.splitlines() if line.startswith(("walk-over", "beside the log"))]
    return found, json.loads(objects.out)["walk_overs"]


def test_a_log_without_any(here: Here, stopped: Path) -> None:
    assert told_of(here, stopped) == ([], [])


def test_a_walk_over_of_a_team(here: Here, stopped: Path, sign: Sign) -> None:
    stopped.with_suffix(SUFFIX).write_bytes(sign(0) + sign(2) + sign(0))
    (line,), (told,) = told_of(here, stopped)
    index = KEEP - 2
    assert line == (
        "walk-over: seat 0 and seat 2 have signed that nothing was heard of seat 1 and seat 3 for 61 s "
        f"after entry {index}, at 2023-11-14 22:13:20 UTC; nothing proves a silence, so it is their word"
    )
    assert told | {"by": [0, 2], "silent": [1, 3], "silent_ms": 61_500, "index": index} == told
    assert (told["is_joint"], told["is_disputed"], told["went_on"]) == (True, False, False)


def test_what_speaks_against_it(here: Here, stopped: Path, sign: Sign) -> None:
    beside = stopped.with_suffix(SUFFIX)
    beside.write_bytes(sign(1))
    assert told_of(here, stopped)[0][0].endswith("; their partner has not signed")
    beside.write_bytes(sign(0) + sign(2) + sign(1) + sign(3))
    lines, objects = told_of(here, stopped)
    assert len(lines) == 2
    assert all(line.endswith("; disputed: the others have signed the same of them") for line in lines)
    assert [(each["by"], each["is_disputed"]) for each in objects] == [([0, 2], True), ([1, 3], True)]
    beside.write_bytes(sign(0, back=3) + sign(2, back=3))
    assert told_of(here, stopped)[0][0].endswith("; but the match went on after that")


def test_what_is_none_is_counted(here: Here, stopped: Path, sign: Sign) -> None:
    good = sign(0)
    stopped.with_suffix(SUFFIX).write_bytes(good[:-1] + b"x" + pack(Whisper(text="Hi")) + good + good[:5])
    lines, _ = told_of(here, stopped)
    assert lines[1:] == ["beside the log: 3 objects that no seat of this match has signed"]


def test_two_logs_of_two_teams_are_read_together(here: Here, stopped: Path, sign: Sign) -> None:
    other = stopped.with_name("other.kemps")
    other.write_bytes(stopped.read_bytes())
    stopped.with_suffix(SUFFIX).write_bytes(sign(0) + sign(2))
    other.with_suffix(SUFFIX).write_bytes(sign(1) + sign(3))
    done = here("audit", "--allow-simulated", stopped, other)
    assert done.code == Exit.UNDECIDABLE
    assert done.out.count("; disputed: ") == 2


def test_a_bundle_has_what_lies_beside_the_log(here: Here, stopped: Path, sign: Sign, tmp_path: Path) -> None:
    stopped.with_suffix(SUFFIX).write_bytes(sign(0))
    out = tmp_path / "bundle.zip"
    assert here("log", "bundle", stopped, "--out", out, "--home", tmp_path / "home").code == Exit.DONE
    with zipfile.ZipFile(out) as bundled:
        assert bundled.read("logs/1.walkover") == sign(0)
