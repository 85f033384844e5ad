"""For whom and what the table waits, in words."""

from kemps_p2p.session.waiting import Waiting, What
from kemps_p2p.wording.people import People

WAITS: dict[What, str] = {
    What.SEATING: "to sit down",
    What.ABSENT: "to come back, which the next deal waits for",
    What.SHUFFLE: "to shuffle",
    What.CARDS: "to help to turn up cards",
    What.ANSWER: "to admit or deny a quartet",
    What.COIN: "to show a coin for the draw",
    What.SEEDS: "to open the shuffles of this match",
    What.NEXT: "to start the next deal",
    What.GO: "to open play",
    What.RESUME: "to deal new cards",
    What.TURN: "to play",
    What.PASSES: "to pass or to take something",
}


def waiting_text(waiting: Waiting, people: People) -> str:
    """One thing that is waited for, without a full stop."""
    return f"waiting for {people.all(waiting.seats)} {WAITS[waiting.what]}"
