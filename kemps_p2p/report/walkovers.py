"""What lies beside the logs of a match: walk-overs, for people and for programs.

They change no verdict: a log that they end is incomplete, and they are the word of those who signed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kemps_p2p.codec import frame
from kemps_p2p.errors import PeerFault
from kemps_p2p.report.audit_text import longest
from kemps_p2p.session.audit import JointAudit
from kemps_p2p.session.messages import WalkOver, read_message
from kemps_p2p.session.walkover import Silence, Standing, read_walk_over, standings
from kemps_p2p.wording.audits import people_in
from kemps_p2p.wording.people import counted
from kemps_p2p.wording.walkovers import standing_text


@dataclass(frozen=True, slots=True)
class WalkOvers:
    """What walk-overs come to. `unread_count`: so much beside the logs is no walk-over of this match."""

    standings: tuple[Standing, ...]
    unread_count: int


def walk_overs_of(joint: JointAudit, files: Iterable[bytes]) -> WalkOvers:
    """Read what lies beside the logs of a match."""
    best = longest(joint)
    if best.founding is None:
        return WalkOvers((), 0)
    said: list[Silence] = []
    unread_count = 0
    for file in files:
        framed = frame(file)
        unread_count += bool(framed.rest)
        for data in framed.objects:
            try:
                message = read_message(data)
                if not isinstance(message, WalkOver):
                    unread_count += 1
                    continue
                said.append(read_walk_over(message, best.founding))
            except PeerFault:
                unread_count += 1
    held = 0 if best.head is None else best.head.index
    digests = [item.digest for item in best.entries[:held] if item is not None]
    return WalkOvers(standings(best.founding, (best.founding.match, *digests), said), unread_count)


def walk_over_lines(joint: JointAudit, files: Iterable[bytes]) -> Iterator[str]:
    """A line for each team that has signed, and one for what cannot be read."""
    found = walk_overs_of(joint, files)
    people = people_in(joint)
    for standing in found.standings:
        yield standing_text(standing, people)
    if found.unread_count:
        yield f"beside the log: {counted(found.unread_count, 'object')} that no seat of this match has signed"


def walk_over_json(joint: JointAudit, files: Iterable[bytes]) -> list[dict[str, object]]:
    """The same for programs."""
    return [
        {
            "team": standing.team,
            "by": list(standing.by),
            "silent": list(standing.last.silent),
            "silent_ms": standing.last.silent_ms,
            "index": standing.last.head.index,
            "entry": standing.last.head.digest.hex(),
            "wall_ms": standing.last.wall_ms,
            "is_joint": standing.is_joint,
            "is_disputed": standing.is_disputed,
            "went_on": standing.went_on,
            "is_elsewhere": standing.is_elsewhere,
        }
        for standing in walk_overs_of(joint, files).standings
    ]
