"""Who is away from the table, in words that begin in the middle of a sentence."""

from collections.abc import Sequence

from kemps_p2p.ids import Seat
from kemps_p2p.session.presence import Away
from kemps_p2p.wording.people import People

TOGETHER_MS = 5000
"""Whose silence began within this time is named in one breath."""


def away_text(away: Away, people: People) -> str:
    """Who is away, how that showed, and for how long by now."""
    return away_texts((away,), people)[0]


def away_texts(away: Sequence[Away], people: People) -> list[str]:
    """The same of several: those who went together are told together, with the time of the last."""
    told: list[str] = []
    rest = sorted(away, key=lambda each: (not each.has_left, each.for_ms, each.seat))
    while rest:
        last = rest[0]
        group = [
            each
            for each in rest
            if each.has_left is last.has_left and each.for_ms - last.for_ms < TOGETHER_MS
        ]
        rest = [each for each in rest if each not in group]
        who = people.all(sorted(each.seat for each in group))
        span = _span(last.for_ms)
        told.append(
            f"{who} left the table {span} ago"
            if last.has_left
            else f"nothing has been heard of {who} for {span}"
        )
    return told


def gone_text(seats: Sequence[Seat], people: People) -> str:
    """Who will play no other match at this table."""
    return f"{people.all(seats)} left the table: there is no match without them"


def rematch_text(seats: Sequence[Seat], people: People) -> str:
    """Who has sat down for another match."""
    return f"{people.all(seats)} {'wants' if len(seats) == 1 else 'want'} a rematch"


def _span(span_ms: int) -> str:
    minutes, seconds = divmod(span_ms // 1000, 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
