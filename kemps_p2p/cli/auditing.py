"""Auditing many logs for a command: match by match, so that memory does not grow with the archive."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from kemps_p2p.cli.errors import CommandError
from kemps_p2p.cli.logs import progress, read_log
from kemps_p2p.codec import Digest, frame
from kemps_p2p.errors import PeerFault
from kemps_p2p.session.audit import Audit, Finding, Flaw, JointAudit, Verdict, audit_all, worst
from kemps_p2p.session.chaincheck import Progress
from kemps_p2p.session.genesis import SignedGenesis, match_id
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.provers import Helpers
from kemps_p2p.session.walkover import SUFFIX

START_BYTES = 64 * 1024
"""A header and a genesis are well within this."""
STEPS = 1000
"""Of the progress of one batch."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Logs of one match, in the order in which they were named; or one file that begins no log."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Audited:
    """The audit of a batch, with what was read; `logs` are empty where a file could not be.

    `beside`: what lies beside the logs.
    """

    paths: tuple[Path, ...]
    logs: tuple[bytes, ...]
    joint: JointAudit
    beside: tuple[bytes, ...]

    @property
    def labels(self) -> list[str]:
        """What to call the logs."""
        return [str(path) for path in self.paths]


def batches(paths: Sequence[Path]) -> list[Batch]:
    """The logs by match, which is read off the genesis at their start; nothing is checked here."""
    found: dict[Digest | int, list[Path]] = {}
    for place, path in enumerate(paths):
        match = _match_at(path)
        found.setdefault(place if match is None else match, []).append(path)
    return [Batch(tuple(together)) for together in found.values()]


def _match_at(path: Path) -> Digest | None:
    """The match id of a log; None if the file cannot be read or does not begin as a log does."""
    try:
        with path.open("rb") as file:
            objects = frame(file.read(START_BYTES)).objects
        signed = read_object(objects[1]) if len(objects) > 1 else None
    except (OSError, PeerFault):
        return None
    return match_id(signed.raw) if isinstance(signed, SignedGenesis) else None


def audited(
    paths: Sequence[Path], *, allow_stub: bool, helpers: Helpers | None
) -> Generator[Audited, None, None]:
    """Audit all logs, match by match. On a terminal, stderr says how far it has come."""
    found = batches(paths)
    with progress("checking") as show:
        for place, batch in enumerate(found):
            part = None if show is None else partial(_part, show, place, len(found))
            yield _audit_batch(batch, part, allow_stub=allow_stub, helpers=helpers)


def _part(show: Progress, place: int, batch_count: int, done: int, total: int) -> None:
    """Show how far one of several batches has come, as a part of all of them."""
    show(place * STEPS + STEPS * done // max(total, 1), batch_count * STEPS)


def _audit_batch(
    batch: Batch, show: Progress | None, *, allow_stub: bool, helpers: Helpers | None
) -> Audited:
    """Audit the logs of a batch. A file that cannot be read is found to be so."""
    read = [_read(path) for path in batch.paths]
    logs = [log for log in read if isinstance(log, bytes)]
    joint = audit_all(logs, allow_stub=allow_stub, progress=show, helpers=helpers)
    if len(logs) == len(read):
        return Audited(batch.paths, tuple(logs), joint, _beside(batch.paths))
    able = iter(joint.audits)
    audits = tuple(next(able) if isinstance(one, bytes) else _unreadable(one) for one in read)
    verdict = worst((joint.verdict, Verdict.UNREADABLE) if logs else (Verdict.UNREADABLE,))
    every = tuple(one if isinstance(one, bytes) else b"" for one in read)
    # The places of its splits count readable logs only, and there are splits only between those.
    places = [place for place, one in enumerate(read) if isinstance(one, bytes)]
    splits = tuple(
        replace(split, first=places[split.first], second=places[split.second]) for split in joint.splits
    )
    return Audited(
        batch.paths, every, JointAudit(verdict, audits, splits, joint.findings), _beside(batch.paths)
    )


def _beside(paths: Sequence[Path]) -> tuple[bytes, ...]:
    """The walk-overs beside logs, where there are any. Raises `CommandError` if a file cannot be read."""
    files = (path.with_suffix(SUFFIX) for path in paths)
    return tuple(read_log(file) for file in files if file.is_file())


def _read(path: Path) -> bytes | str:
    """The bytes of a log, or why there are none."""
    try:
        return read_log(path)
    except CommandError as error:
        return error.text.removeprefix(f"{path} ")


def _unreadable(why: str) -> Audit:
    return Audit(Verdict.UNREADABLE, (Finding(0, Flaw.NO_FILE, None, why),))
