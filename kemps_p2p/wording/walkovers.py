"""Walk-overs in words: whom it is offered against, and what those beside a log say and come to."""

from collections.abc import Iterable

from kemps_p2p.ids import Seat
from kemps_p2p.session.walkover import Standing
from kemps_p2p.wording.cards import day_text
from kemps_p2p.wording.people import People


def silent_text(silent: Iterable[Seat], people: People) -> str:
    """Of whom nothing has been heard for so long that a walk-over can be signed."""
    return f"nothing has been heard of {people.all(silent)} for a minute"


def standing_text(standing: Standing, people: People) -> str:
    """What the walk-overs of one team say, and what speaks against them."""
    said = standing.last
    who = people.all(standing.by)
    has = "have" if len(standing.by) > 1 else "has"
    gone = people.all(map(Seat, said.silent))
    text = (
        f"walk-over: {who} {has} signed that nothing was heard of {gone} for {said.silent_ms // 1000} s "
        f"after entry {said.head.index}, at {day_text(said.wall_ms)}"
    )
    if standing.is_elsewhere:
        return f"{text}; but this log has another entry {said.head.index}"
    if standing.went_on:
        return f"{text}; but the match went on after that"
    if standing.is_disputed:
        return f"{text}; disputed: the others have signed the same of them"
    if not standing.is_joint:
        return f"{text}; their partner has not signed"
    return f"{text}; nothing proves a silence, so it is their word"
