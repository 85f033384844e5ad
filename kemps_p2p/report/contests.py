"""What has a number in a report: the races and the calls of a log, counted alike wherever they are told.

Derives nothing that the fold has not checked already. Invariants:

1. Numbers depend on the chain alone, so that they are the same in the log of every seat.
2. They count what has been told by then, so that a log that ends sooner has the same numbers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.actions import Kind, kind
from kemps_p2p.game.events import Called
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.state import advance, check
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Contest, Drawn, Event, Result, Ruled, Settled
from kemps_p2p.ledger.poll import places_in
from kemps_p2p.ledger.tape import TapeItem, claim_of, shown
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.chaincheck import Step
from kemps_p2p.session.match import Match, begin, do_conflict, refusal
from kemps_p2p.session.races import Asked, Race, asked_by, race_between, races


@dataclass(frozen=True, slots=True)
class Contested:
    """Two claims of which one was first, in that order, or all claims of a set that is together.

    `races`: how they stand to each other. `shown`: the items that say so. `order`: of claims that are
    together, where the dealer has put them in order already.
    """

    claims: tuple[Asked, ...]
    races: tuple[Race, ...]
    shown: tuple[TapeItem, ...]
    is_together: bool
    order: tuple[Asked, ...] = ()


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


@dataclass(frozen=True, slots=True)
class _Won:
    """A claim that counted: the match as it was before, and the entry."""

    asked: Asked
    before: Match
    index: int


@dataclass(slots=True)
class Contests:
    """Finds the races of a log, event by event."""

    _deal: int = -1
    _won: list[_Won] = field(default_factory=list)
    _items: dict[Digest, TapeItem] = field(default_factory=dict)
    _told: set[frozenset[Digest]] = field(default_factory=set)

    def follow(self, match: Match, step: Step, event: Event) -> Iterator[Contested]:
        """What an event of an entry says of who was first; each has a number. `match`: as it was before."""
        items = step.record.items
        if match.game.deal != self._deal:
            self._deal = match.game.deal
            self._won, self._items, self._told = [], {}, set()
        self._items.update(items)
        for found in _contested(match, items, event):
            pairs = {frozenset((race.first.id, race.second.id)) for race in found.races}
            if found.is_together or self._told.isdisjoint(pairs):
                self._told |= pairs
                yield found
        for _, item, result in settled_by(match, step, event):
            if result is Result.OK:
                self._won.append(_Won(asked_by(item), match, step.record.entry.index))
            else:
                yield from self._lost(item)

    def _lost(self, item: TapeItem) -> Iterator[Contested]:
        """Whom a claim met that came to nothing: who counted meanwhile, and does not commute with it.

        Not of a pass, which loses nothing by coming too late.

        The entry that settles a claim carries what it takes to decide it, which need not be all that the
        tapes say of its rivals: so the words on the two are looked up in all that the deal has carried.
        """
        claim, mine = claim_of(item.item), asked_by(item)
        assert claim is not None, "a settled item makes a claim"
        if kind(mine.action) is Kind.PASS:
            return
        for won in self._won:
            pair = frozenset((won.asked.id, mine.id))
            if won.index <= claim.head.index or won.asked.seat == mine.seat or pair in self._told:
                continue
            if not do_conflict(won.before, (won.asked.seat, won.asked.action), (mine.seat, mine.action)):
                continue
            said = tuple(one for one in self._items.values() if any(name in pair for name, _ in shown(one)))
            race = race_between(won.before, won.asked, mine, places_in(said, pair))
            if race.first == won.asked and not race.is_together:
                self._told.add(pair)
                yield Contested((race.first, race.second), (race,), said, False)


def _contested(match: Match, items: Mapping[Digest, TapeItem], event: Event) -> Iterator[Contested]:
    match event:
        case Settled(claim=claim, evidence=evidence):
            said = tuple(items[name] for name in (claim, *evidence))
            for race in races(match, items, (claim,), evidence):
                if not race.is_together and race.first.id == claim:
                    yield Contested((race.first, race.second), (race,), said, False)
        case Contest(claims=claims, evidence=evidence) | Ruled(claims=claims, evidence=evidence):
            found = tuple(
                race
                for race in races(match, items, claims, evidence)
                if race.first.id in claims and race.second.id in claims
            )
            said = tuple(items[name] for name in (*claims, *evidence))
            order = event.order if isinstance(event, Ruled) else ()
            in_order = tuple(asked_by(items[name]) for name in order)
            yield Contested(tuple(asked_by(items[name]) for name in claims), found, said, True, in_order)
        case _:
            return


def settled_by(before: Match, step: Step, event: Event) -> Iterator[tuple[Digest, TapeItem, Result]]:
    """The claims that an event settles, in order."""
    items = step.record.items
    match event:
        case Settled(claim=claim, result=result):
            yield claim, items[claim], result
        case Drawn(index=index, order=order, results=results):
            opened = next(contest for contest in before.contests if contest.index == index)
            for name, result in zip(order, results, strict=True):
                yield name, opened.claims[name], result
        case Ruled(order=order, results=results):
            for name, result in zip(order, results, strict=True):
                yield name, items[name], result
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
    number, contests = 0, Contests()
    for before, step, place in walked(audit):
        for found in contests.follow(before, step, step.record.entry.events[place]):
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
