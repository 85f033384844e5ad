"""Replay a log from Python: check it, then follow the scores and count what the seats did.

Run it: python examples/read_log.py LOG
"""

import sys
from collections import Counter
from pathlib import Path

from kemps_p2p.game.events import Scored
from kemps_p2p.game.seating import members
from kemps_p2p.session.audit import audit


def main(path: str) -> None:
    checked = audit(Path(path).read_bytes(), allow_stub=True)
    print(f"{checked.verdict.value}: {checked.deals} deals, {len(checked.steps)} entries")
    happened: Counter[str] = Counter()
    for step in checked.steps:  # One step is one entry: the match after it, and what happened in it.
        for event in (event for part in step.parts for event in part.events):
            happened[type(event).__name__] += 1
            if isinstance(event, Scored):
                print(f"entry {step.match.head.index}: scores {event.scores}")
    print(", ".join(f"{count} {name}" for name, count in happened.most_common(5)))
    seats = [seat for team in checked.winners for seat in members(team, len(checked.names))]
    print("winners: " + ", ".join(checked.names[seat] for seat in seats))


if __name__ == "__main__":
    main(*sys.argv[1:])
