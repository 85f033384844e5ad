"""Check the record of a match: run `python tests/secrecy/secrecy_check.py RECORD...`, one file or one a peer.

Each seat in turn is taken for honest while all others put together what they hold. Held is more than they
need be given: also the honest seat's journal and log, which are no place for a secret, and all it said.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from secrecy_dues import Dues, dues
from secrecy_record import How, Trace, load
from snoop import Finding, Snoops, early
from snoop_table import Public


@dataclass(frozen=True)
class Checked:
    """A snooped match. `dues`: by seat, as far as its own log says."""

    trace: Trace
    dues: Mapping[int, Dues]
    snoops: Snoops

    def early(self, seat: int, snoops: Snoops | None = None) -> list[Finding]:
        """What others know of a seat before it is due."""
        return early((snoops or self.snoops).of(seat), self.dues[seat].against(seat))


def held(trace: Trace) -> list[tuple[int, bytes]]:
    """Everything that peers hold but the files of secrets; what is on the wire is held where it arrives."""
    apart = (How.SECRET, How.WIRE)
    return [(piece.at, piece.data) for piece in trace.ordered() if piece.how not in apart]


def public(told: Dues) -> Public:
    """What everybody knows of a match."""
    founding = told.founding
    nonces = {record.nonce: seat for seat, record in enumerate(founding.genesis.seats)}
    return Public(founding.group, founding.seats, told.decks, nonces)


def checked(trace: Trace, honest: Iterable[int] | None = None) -> Checked:
    """Snoop on some seats of a match, or on all."""
    secrets = {piece.seat: piece.data for piece in trace.pieces if piece.how is How.SECRET}
    seats = tuple(secrets if honest is None else honest)
    told = {seat: dues(trace, seat) for seat in seats}
    widest = max(told.values(), key=lambda each: len(each.decks))
    return Checked(trace, told, Snoops(public(widest), held(trace), secrets, seats))


def main(paths: list[str]) -> int:
    """Say what was found out too early; 1 if anything was."""
    done = checked(load(map(Path, paths)))
    code = 0
    for seat in done.dues:
        found, leaks = done.snoops.of(seat), done.early(seat)
        print(f"seat {seat}: {len(found)} findings, {len(leaks)} too early")  # noqa: T201
        for leak in leaks:
            code = 1
            print(f"  {leak}")  # noqa: T201
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
