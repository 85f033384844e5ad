"""The facts of one disputed race or call: who asked for what, what each tape shows of it, what decided.

Takes apart what the fold has checked, and decides nothing. Invariants:

1. The facts depend on the chain alone, so that every seat's log of a match gives the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kemps_p2p.codec import Digest
from kemps_p2p.errors import Illegal
from kemps_p2p.game.actions import Kind, kind
from kemps_p2p.game.events import (
    Called,
    DealEnded,
    Discarded,
    Event,
    Gestured,
    MatchEnded,
    Swapped,
    Took,
    Verdicts,
)
from kemps_p2p.game.events import Settled as Late
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.scoring import named_seats
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import Carried, Drawn, Result, Ruled, Settled
from kemps_p2p.ledger.poll import needed_words
from kemps_p2p.ledger.tape import TapeItem, claim_of, shown
from kemps_p2p.report.contests import (
    NumberedCall,
    NumberedRace,
    intent_of,
    numbered_calls,
    numbered_races,
    settled_by,
    walked,
    why_refused,
)
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.chaincheck import Step
from kemps_p2p.session.deeds import offered
from kemps_p2p.session.draws import InOrder, in_drawn_order, in_ruled_order
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import ShareDeed
from kemps_p2p.session.races import Asked, asked_by
from kemps_p2p.session.seals import opened_intents

BEFORE_CALL_MS = 10_000
"""So long before a call gestures are told."""
EXCHANGES_MAX = 3
"""So many last exchanges of each named hand are told."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a claim: at which entry, with which result, and why the rules refused it if they did.

    `late`: what came in the end of one that had to wait, if the log goes on so far.
    """

    step: Step
    result: Result
    refused: Illegal | None
    late: Late | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """A claim as its author signed it. `head_ms`: the time of the entry it was made against."""

    asked: Asked
    item: TapeItem
    head: int
    head_ms: int
    outcome: Outcome | None
    """None if the log ends before the claim is settled."""


@dataclass(frozen=True, slots=True)
class Sight:
    """Where a tape shows a claim first: on which item. `is_own`: the claim is that item's."""

    wish: int
    item: TapeItem
    is_own: bool


@dataclass(frozen=True, slots=True)
class TapeView:
    """What one tape shows of some claims, the earliest first, as far as the evidence has it.

    `has_word`: it counts as a witness between two claims of others.
    """

    seat: Seat
    sights: tuple[Sight, ...]
    has_word: bool


@dataclass(frozen=True, slots=True)
class Ordered:
    """How claims that were together were put in order, and by which entry."""

    step: Step
    how: InOrder


@dataclass(frozen=True, slots=True)
class RaceFacts:
    """All that the log shows of one race.

    `need`: so many words make a claim first. `cut_by`: the entry that closed the tapes for it. `ordered`:
    for claims that were together; None of these if the log ends before the draw. `others`: further races of
    the same claims.
    """

    race: NumberedRace
    wishes: tuple[Wish, ...]
    tapes: tuple[TapeView, ...]
    need: int
    cut_by: int | None
    ordered: Ordered | None
    others: tuple[NumberedRace, ...]


def race_facts(audit: Audit, number: int) -> RaceFacts | None:
    """The facts of a race by its number; None if the log has no such race."""
    every = list(numbered_races(audit))
    return facts_of_race(audit, every[number - 1], every) if 0 < number <= len(every) else None


def facts_of_race(audit: Audit, race: NumberedRace, every: Sequence[NumberedRace] = ()) -> RaceFacts:
    """The facts of a race of this log. `every`: the races among which others of its claims are looked for."""
    contested = race.contested
    names = {claim.id for claim in contested.claims}
    items = {item.digest: item for item in contested.shown}
    outcomes = _outcomes(audit, names)
    wishes = tuple(_wish(audit, claim, items[claim.id], outcomes) for claim in contested.claims)
    cut = race.at.before.cut if any(each.by_cut for each in contested.races) else None
    return RaceFacts(
        race=race,
        wishes=wishes,
        tapes=tuple(_tape_views(race, wishes)),
        need=needed_words(race.at.before.seats, race.at.before.observer),
        cut_by=None if cut is None else cut.index,
        ordered=_ordered(audit, race) if contested.is_together else None,
        others=tuple(
            other
            for other in every
            if other is not race and not names.isdisjoint(claim.id for claim in other.contested.claims)
        ),
    )


def _wish(audit: Audit, claim: Asked, item: TapeItem, outcomes: Mapping[Digest, Outcome]) -> Wish:
    made = claim_of(item.item)
    assert made is not None, "a contested item makes a claim"
    head = made.head.index
    head_ms = audit.steps[head - 1].record.entry.elapsed_ms if 0 < head <= len(audit.steps) else 0
    return Wish(claim, item, head, head_ms, outcomes.get(claim.id))


def _outcomes(audit: Audit, names: set[Digest]) -> dict[Digest, Outcome]:
    """What came of claims, by name; those that the log does not settle are not there."""
    found: dict[Digest, Outcome] = {}
    for before, step, place in walked(audit):
        for name, item, result in settled_by(before, step, step.record.entry.events[place]):
            if name in names:
                refused = why_refused(before, step, item) if result is Result.REFUSED else None
                late = _late(audit, step, item) if result is Result.WAITING else None
                found[name] = Outcome(step, result, refused, late)
    return found


def _late(audit: Audit, since: Step, item: TapeItem) -> Late | None:
    """What came of a claim that had to wait: told by the rules once the call before it is judged."""
    asked = asked_by(item)
    return next(
        (
            told.event
            for told in _happened(audit)
            if isinstance(told.event, Late)
            and told.step.record.entry.index >= since.record.entry.index
            and (told.event.seat, told.event.action) == (asked.seat, asked.action)
        ),
        None,
    )


def _tape_views(race: NumberedRace, wishes: tuple[Wish, ...]) -> Iterator[TapeView]:
    """The tape of everybody who is asked: the claimants' first, an observer's last."""
    match = race.at.before
    cut = match.cut if any(each.by_cut for each in race.contested.races) else None
    asked = (*map(Seat, range(match.seats)), *(() if match.observer is None else (match.observer,)))
    places: dict[Seat, dict[int, tuple[int, Sight]]] = {}
    index_of = {wish.asked.id: index for index, wish in enumerate(wishes)}
    for item in race.contested.shown:
        if item.seat not in asked or (cut is not None and item.item.number >= cut.lengths[item.seat]):
            continue
        for name, place in shown(item):
            if name in index_of:
                index = index_of[name]
                sight = Sight(index, item, name == item.digest)
                seen = places.setdefault(item.seat, {})
                seen[index] = min(seen.get(index, (place, sight)), (place, sight), key=lambda at: at[0])
    claimants = tuple(dict.fromkeys(wish.asked.seat for wish in wishes))
    for seat in (*claimants, *(seat for seat in asked if seat not in claimants)):
        ordered = sorted(places.get(seat, {}).values(), key=lambda at: at[0])
        has_word = len(set(claimants) - {seat}) >= 2
        yield TapeView(seat, tuple(sight for _, sight in ordered), has_word)


def _ordered(audit: Audit, race: NumberedRace) -> Ordered | None:
    """How the claims of a set came in order: at once by a ruling, or later by a draw."""
    races = race.contested.races
    first = race.at.step.record.entry.index
    event = race.at.step.record.entry.events[race.at.event]
    if isinstance(event, Ruled):
        items = race.at.step.record.items
        return Ordered(race.at.step, in_ruled_order(race.at.before, items, event, races))
    for before, step, place in walked(audit):
        drawn = step.record.entry.events[place]
        if isinstance(drawn, Drawn) and drawn.index == first and _is_of(before, drawn, race):
            return Ordered(step, in_drawn_order(before, step.record.items, drawn, races))
    return None


def _is_of(before: Match, drawn: Drawn, race: NumberedRace) -> bool:
    """An entry may name two contests; a draw is of the one whose claims it orders."""
    names = {claim.id for claim in race.contested.claims}
    return any(contest.index == drawn.index for contest in before.contests) and set(drawn.order) == names


# Calls


@dataclass(frozen=True, slots=True)
class Told:
    """Something that happened, and the entry that it is in. `after`: the match behind it.

    `intent`: of a gesture, where it is open. `stamp`: of the claim that an entry settled by it.
    """

    step: Step
    event: Event
    after: Match
    intent: Intent | None = None
    stamp: int | None = None


@dataclass(frozen=True, slots=True)
class CallFacts:
    """All that the log shows of one call.

    `wish`: the claim that made it. `races`: those that it was in. `hands`: the cards of each named seat as
    it was called. `before`: gestures of everybody and the last exchanges of the named. `since`: all that
    happened until the deal was over, and the match if that ended it. `shares`: who published shares of these
    hands after the call, and in which entry.
    """

    call: NumberedCall
    wish: Wish
    races: tuple[RaceFacts, ...]
    hands: Mapping[Seat, tuple[Position, ...]]
    before: tuple[Told, ...]
    since: tuple[Told, ...]
    shares: Mapping[Seat, int]

    @property
    def rivals(self) -> tuple[Wish, ...]:
        """What others wanted in its races, each once."""
        met = {wish.asked.id: wish for facts in self.races for wish in facts.wishes}
        return tuple(wish for name, wish in met.items() if name != self.wish.asked.id)

    @property
    def judged(self) -> Verdicts | None:
        """What the call was found to be; None if the log does not go on so far."""
        return next((told.event for told in self.since if isinstance(told.event, Verdicts)), None)


def call_facts(audit: Audit, number: int) -> CallFacts | None:
    """The facts of a call by its number; None if the log has no such call."""
    found = next((call for call in numbered_calls(audit) if call.at.number == number), None)
    return None if found is None else facts_of_call(audit, found)


def facts_of_call(audit: Audit, call: NumberedCall) -> CallFacts:
    """The facts of a call of this log."""
    match, called = call.at.before, call.called
    item = _item_of(call)
    outcomes = _outcomes(audit, {item.digest})
    races = tuple(
        facts_of_race(audit, race)
        for race in numbered_races(audit)
        if any(claim.id == item.digest for claim in race.contested.claims)
    )
    hands = {
        seat: match.game.hands[seat]
        for each in called.calls
        for seat in named_seats(match.founding.rules, match.seats, called.seat, each)
    }
    since = tuple(_since(audit, call))
    return CallFacts(
        call=call,
        wish=_wish(audit, asked_by(item), item, outcomes),
        races=races,
        hands=hands,
        before=tuple(_before(audit, call, frozenset(hands))),
        since=since,
        shares=_shares(audit, call, since, frozenset(card for hand in hands.values() for card in hand)),
    )


def _item_of(call: NumberedCall) -> TapeItem:
    """The item whose claim is the call."""
    event = call.at.step.record.entry.events[call.at.event]
    settled = settled_by(call.at.before, call.at.step, event)
    return next(
        item
        for _, item, _ in settled
        if item.seat == call.called.seat and kind(asked_by(item).action) is Kind.CALL
    )


def _happened(audit: Audit) -> Iterator[Told]:
    intents = {} if audit.match is None else opened_intents(audit.match)
    for _, step, place in walked(audit):
        cause = step.record.entry.events[place]
        stamp = step.record.items[cause.claim].item.lamport if isinstance(cause, Settled) else None
        for event in step.parts[place].events:
            intent = intent_of(step, cause, intents) if isinstance(event, Gestured) else None
            yield Told(step, event, step.parts[place].match, intent, stamp)


def _before(audit: Audit, call: NumberedCall, named: frozenset[Seat]) -> Iterator[Told]:
    """Gestures shortly before a call, and the last exchanges of the hands that it names."""
    entry, deal = call.at.step.record.entry, call.at.before.game.deal
    kept: list[Told] = []
    exchanged: dict[Seat, int] = {}
    told = [
        each
        for each in _happened(audit)
        if each.step.record.entry.index < entry.index and each.after.game.deal == deal
    ]
    for each in reversed(told):
        match each.event:
            case Gestured() if each.step.record.entry.elapsed_ms >= entry.elapsed_ms - BEFORE_CALL_MS:
                kept.append(each)
            case Swapped(seat=seat) | Took(seat=seat) | Discarded(seat=seat) if seat in named:
                exchanged[seat] = exchanged.get(seat, 0) + 1
                if exchanged[seat] <= EXCHANGES_MAX:
                    kept.append(each)
            case _:
                continue
    return reversed(kept)


def _since(audit: Audit, call: NumberedCall) -> Iterator[Told]:
    """From a call to the end of its deal, and of the match if that ends it, or to the next call."""
    is_on = has_ended = False
    for told in _happened(audit):
        if told.event is call.called:
            is_on = True
            continue
        is_end = isinstance(told.event, MatchEnded)
        if (is_on and isinstance(told.event, Called)) or (has_ended and not is_end):
            return
        if is_on:
            yield told
            has_ended |= isinstance(told.event, DealEnded)


def _shares(
    audit: Audit, call: NumberedCall, since: tuple[Told, ...], cards: frozenset[Position]
) -> dict[Seat, int]:
    """Who published shares of these cards since a call, and in which entry first."""
    found: dict[Seat, int] = {}
    last = since[-1].step.record.entry.index if since else 0
    for step in audit.steps[call.at.step.record.entry.index - 1 : last]:
        for event in step.record.entry.events:
            if not isinstance(event, Carried):
                continue
            for deed in offered(step.record.items[event.item]):
                if isinstance(deed.body, ShareDeed) and not cards.isdisjoint(deed.body.shares.positions):
                    found.setdefault(deed.seat, step.record.entry.index)
    return found
