"""Who is away from the table, in words that begin in the middle of a sentence."""

from kemps_p2p.session.presence import Away
from kemps_p2p.wording.people import People


def away_text(away: Away, people: People) -> str:
    """Who is away, how that showed, and for how long by now."""
    who = people.seat(away.seat)
    if away.has_left:
        return f"{who} left the table {_span(away.for_ms)} ago"
    return f"nothing has been heard of {who} for {_span(away.for_ms)}"


def _span(span_ms: int) -> str:
    minutes, seconds = divmod(span_ms // 1000, 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
