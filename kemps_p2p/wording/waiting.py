"""For whom and what the table waits, in words."""

from collections.abc import Sequence

from kemps_p2p.ids import Seat
from kemps_p2p.session.waiting import Waiting, What
from kemps_p2p.wording.people import People

WAITS: dict[What, str] = {
    What.SEATING: "to sit down",
    What.ABSENT: "to come back, which the next deal waits for",
    What.SHUFFLE: "to shuffle",
    What.CARDS: "to help to turn up cards",
    What.ANSWER: "to admit or deny a quartet",
    What.COIN: "to show a coin for the draw",
    What.SEEDS: "to open the shuffles of this match; there is nothing for you to do",
    What.NEXT: "to start the next deal",
    What.GO: "to open play",
    What.RESUME: "to deal new cards",
    What.TURN: "to play",
    What.PASSES: "to pass or to take something",
}


def waiting_text(waiting: Waiting, people: People) -> str:
    """One thing that is waited for, without a full stop."""
    return f"waiting for {people.all(waiting.seats)} {WAITS[waiting.what]}"


def unready_text(seats: Sequence[Seat], people: People, *, bot: Seat | None = None) -> str:
    """Who is not ready for the next deal. `bot`: the program that is to deal, and waits, but not for ever."""
    told = f"{people.all(seats)} {'is' if len(seats) == 1 else 'are'} not ready yet"
    return told if bot is None else f"{told}; {people.seat(bot)} waits up to 2 minutes"


OWN_UNREADY = "you are not ready yet: `ready` lets the next deal begin"
"""The same to whoever it is, where commands are typed."""


def ready_text(seats: Sequence[Seat], people: People) -> str:
    """Who is ready for the next deal, and waits for this seat."""
    return f"{people.all(seats)} {'is' if len(seats) == 1 else 'are'} ready"
