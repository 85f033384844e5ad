"""What has a number in a report: the races and the calls of a log, counted alike wherever they are told.

Derives nothing that the fold has not checked already. Invariants:

1. Numbers depend on the chain alone, so that they are the same in the log of every seat.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.events import Called
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.state import advance, check
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Contest, Event, Ruled, Settled
from kemps_p2p.ledger.tape import TapeItem, claim_of
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.chaincheck import Step
from kemps_p2p.session.match import Match, begin, refusal
from kemps_p2p.session.races import Asked, Race, asked_by, races


@dataclass(frozen=True, slots=True)
class Contested:
    """Two claims of which one was first, in that order, or all claims of a set that is together.

    `races`: how they stand to each other. `shown`: the items that say so.
    """

    claims: tuple[Asked, ...]
    races: tuple[Race, ...]
    shown: tuple[TapeItem, ...]
    is_together: bool


@dataclass(frozen=True, slots=True)
class Place:
    """An event of an entry, and the match as it was before: that of `number`, which counts from 1."""

    number: int
    step: Step
    event: int
    before: Match


@dataclass(frozen=True, slots=True)
class NumberedRace:
    """A race and where it was decided, or found together."""

    at: Place
    contested: Contested


@dataclass(frozen=True, slots=True)
class NumberedCall:
    """A call and where it was logged."""

    at: Place
    called: Called


def contested(match: Match, items: Mapping[Digest, TapeItem], event: Event) -> Iterator[Contested]:
    """What an event of an entry says of who was first; each has a number. `match`: as it was before."""
    match event:
        case Settled(claim=claim, evidence=evidence):
            shown = tuple(items[name] for name in (claim, *evidence))
            for race in races(match, items, (claim,), evidence):
                if not race.is_together and race.first.id == claim:
                    yield Contested((race.first, race.second), (race,), shown, False)
        case Contest(claims=claims, evidence=evidence) | Ruled(claims=claims, evidence=evidence):
            found = tuple(
                race
                for race in races(match, items, claims, evidence)
                if race.first.id in claims and race.second.id in claims
            )
            shown = tuple(items[name] for name in (*claims, *evidence))
            yield Contested(tuple(asked_by(items[name]) for name in claims), found, shown, True)
        case _:
            return


def walked(audit: Audit) -> Iterator[tuple[Match, Step, int]]:
    """Every event that holds: the match before it, its entry, and its place there."""
    if audit.founding is None:
        return
    match = begin(audit.founding)
    for step in audit.steps:
        for place, part in enumerate(step.parts):
            yield match, step, place
            match = part.match
        match = step.match


def intent_of(step: Step, cause: object, intents: Mapping[tuple[Seat, int], Intent]) -> Intent | None:
    """What the gesture that an event of an entry settled was made for; None while its seed is not open.

    `intents`: by the seat and the number of the item, as `opened_intents` gives them.
    """
    if not isinstance(cause, Settled):
        return None
    item = step.record.items[cause.claim]
    return intents.get((item.seat, item.item.number))


def numbered_races(audit: Audit) -> Iterator[NumberedRace]:
    """The races of a log, in order."""
    number = 0
    for before, step, place in walked(audit):
        for found in contested(before, step.record.items, step.record.entry.events[place]):
            number += 1
            yield NumberedRace(Place(number, step, place, before), found)


def numbered_calls(audit: Audit) -> Iterator[NumberedCall]:
    """The calls of a log, in order."""
    number = 0
    for before, step, place in walked(audit):
        for event in step.parts[place].events:
            if isinstance(event, Called):
                number += 1
                yield NumberedCall(Place(number, step, place, before), event)


def why_refused(match: Match, step: Step, item: TapeItem) -> Illegal | None:
    """Why a logged claim was refused: at the head it cites, or when its turn came. `match`: before that."""
    claim = claim_of(item.item)
    if claim is None:
        return None
    reason = refusal(match, item, claim)
    if reason is not None:
        return reason
    try:
        check(advance(match.game, step.record.entry.elapsed_ms), item.seat, asked_by(item).action)
    except IllegalAction as illegal:
        return illegal.reason
    return None
