"""A match told from its log: one line an event, for people and as JSON.

Works from what an audit has folded and derives nothing by itself. Where the seeds of a deal were opened,
every hand is visible from its start; otherwise only what was shown. Told with other eyes than those that see
everything, the lines are the same, and cards that these eyes have not seen are hidden.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from kemps_p2p.codec import Digest, Record
from kemps_p2p.game.actions import Kind, kind
from kemps_p2p.game.cards import Card, format_card
from kemps_p2p.game.events import Called, Dealt, Event, Gestured, Missed, Verdicts
from kemps_p2p.game.events import Settled as TogetherSettled
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.record import Result as JudgedResult
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import (
    Blamed,
    Carried,
    Drawn,
    Note,
    Readmitted,
    Result,
    Seated,
    Settled,
    Struck,
    TakeOver,
)
from kemps_p2p.ledger.sitting import sitting_in
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.report.contests import Contested, Contests, intent_of, settled_by, why_refused
from kemps_p2p.report.knowledge import AllEyes, Deals, Eyes, can_see, shown_deals
from kemps_p2p.report.witnesses import words_json
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.chaincheck import Step
from kemps_p2p.session.deeds import offered
from kemps_p2p.session.effects import SeatStruck
from kemps_p2p.session.findings import Verdict
from kemps_p2p.session.match import Match, begin, is_over
from kemps_p2p.session.messages import AutoPassed, NoteBody, Overdue, TurnDeed, read_note
from kemps_p2p.session.races import Asked, asked_by
from kemps_p2p.session.replay import Part
from kemps_p2p.session.seals import opened_intents
from kemps_p2p.session.standin import is_held
from kemps_p2p.wording.absence import absence_text, back_text, given_text
from kemps_p2p.wording.actions import action_text
from kemps_p2p.wording.audits import people_of
from kemps_p2p.wording.cards import clock_text, day_text
from kemps_p2p.wording.duty import taken_over_text
from kemps_p2p.wording.events import INTENTS, event_text
from kemps_p2p.wording.faults import sentence
from kemps_p2p.wording.observing import struck_text
from kemps_p2p.wording.people import People, counted
from kemps_p2p.wording.races import drawn_text, race_text, ruled_text, together_text
from kemps_p2p.wording.refusals import refusal_text
from kemps_p2p.wording.scene import Scene
from kemps_p2p.wording.scores import result_line

POSITIONS = frozenset({"took", "gave", "drew", "cards", "take", "give", "show", "pool"})
"""The fields of events and actions that hold positions."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened. `facts`: the same in data, for JSON."""

    entry: int
    at_ms: int
    event: str
    text: str
    facts: Mapping[str, object] = field(default_factory=dict)
    match: Match | None = field(default=None, compare=False, repr=False)
    """The match as it was when this was told: after it, for what happened; None beyond the entries."""

    def shown(self) -> str:
        """The line for people."""
        return f"{clock_text(self.at_ms):>10}  {self.text}"

    @property
    def is_hidden(self) -> bool:
        """True of a hand whose cards these eyes do not see: a line that tells people nothing."""
        cards = self.facts.get("cards")
        return self.event == "hand" and isinstance(cards, list) and not any(cards)

    def as_json(self) -> dict[str, object]:
        """The line for programs."""
        said = self.text.strip()
        return {"entry": self.entry, "at_ms": self.at_ms, "event": self.event, "text": said, **self.facts}


@dataclass(slots=True)
class _Teller:
    """Tells a match entry by entry; keeps count of races and calls."""

    people: People
    eyes: Eyes
    deals: Deals
    is_ascii: bool
    match: Match
    intents: Mapping[tuple[Seat, int], Intent]
    contests: Contests = field(default_factory=Contests)
    race_count: int = 0
    call_count: int = 0
    pending_call: dict[Seat, int] = field(default_factory=dict)
    drawn: dict[int, tuple[int, dict[Digest, Asked]]] = field(default_factory=dict)
    lost: dict[tuple[Seat, Kind], int] = field(default_factory=dict)
    """The last race that a seat lost with a claim of a kind, until that claim has come to its end."""
    unseen: dict[int, tuple[Position, ...]] = field(default_factory=dict)
    """The hands of the running deal as they were dealt, of the seats that cannot see theirs yet."""

    def scene(self, match: Match) -> Scene:
        """What sentences need to know at a state of the match."""
        return Scene(self.people, match.founding.rules, self.eyes.faces(match), self.is_ascii)

    def step(self, step: Step) -> Iterator[Line]:
        """Tell one entry."""
        entry = step.record.entry
        for event, part in zip(entry.events, step.parts, strict=True):
            before = self.match
            for each in self.contests.follow(before, step, event):
                yield (self._together if each.is_together else self._race)(before, step, each)
            match event:
                case Settled(claim=name, result=Result.REFUSED):
                    yield self._refused(before, step, name)
                case Note(payload=payload):
                    yield from self._noted(step, read_note(payload))
                case Drawn(index=index, order=order):
                    yield self._draw(before, step, index, order)
                case Carried(item=name):
                    yield from self._turns(before, step, step.record.items[name])
                case Blamed(culprit=culprit):
                    who = self.people.seat(culprit)
                    text = f"{who} is proven to have broken the protocol"
                    yield self._line(step, "blamed", text, {"seat": culprit})
                    if culprit == before.founding.observer:
                        yield self._line(step, "struck", struck_text(is_proven=True), {"seat": culprit})
                case TakeOver(items=items):
                    seat, other = step.record.item.seat, before.on_duty
                    text = taken_over_text(self.people, seat, other, len(items))
                    yield self._line(step, "taken-over", text, {"seat": seat, "from": other})
                case Struck(seat=seat) if seat < before.seats:
                    struck = SeatStruck(Seat(seat), is_stand_in=is_held(before, seat))
                    yield self._line(step, "absent", absence_text(struck, self.people), {"seat": seat})
                case Readmitted(seat=seat):
                    yield self._line(step, "back", back_text(seat, self.people), {"seat": seat})
                case Seated(raw=raw):
                    sitting = sitting_in(raw)
                    is_player = sitting.key == before.founding.keys[sitting.seat]
                    text = given_text(sitting.seat, self.people, is_player=is_player)
                    facts = {"seat": sitting.seat, "incarnation": sitting.incarnation}
                    yield self._line(step, "back" if is_player else "stand-in", text, facts)
                case Struck(seat=seat):
                    yield self._line(step, "struck", struck_text(is_proven=False), {"seat": seat})
                case _:
                    pass
            self.match = part.match
            yield from self._happened(step, part, event)
            yield from self._hands_seen(step, part.match)
            for _, item, result in settled_by(before, step, event):
                if result is not Result.WAITING:
                    self.lost.pop((item.seat, kind(asked_by(item).action)), None)
        # After the last event the entry itself is the head that later claims may cite.
        self.match = step.match

    def _noted(self, step: Step, note: NoteBody) -> Iterator[Line]:
        if isinstance(note, AutoPassed):
            text = f"{self.people.seat(note.seat)} has done nothing for too long, and is passed for"
            yield self._line(step, "auto-passed", text, {"seat": note.seat})
        if isinstance(note, Overdue) and is_over(self.match):
            text = f"{self.people.seat(note.seat)} has not opened its seeds in time: some hands stay closed"
            yield self._line(step, "seeds-missing", text, {"seat": note.seat})

    def _line(self, step: Step, event: str, text: str, facts: Mapping[str, object]) -> Line:
        entry = step.record.entry
        return Line(entry.index, entry.elapsed_ms, event, text, facts, self.match)

    def _race(self, match: Match, step: Step, found: Contested) -> Line:
        """Two claims of which one was first."""
        (race,) = found.races
        self.race_count += 1
        self._is_lost((race.second,), self.race_count)
        ahead, behind, asked = race.words
        facts: dict[str, object] = {
            "race": self.race_count, "first": race.first.seat, "second": race.second.seat,
            "by_cause": race.by_cause, "words_first": ahead, "words_second": behind, "witnesses": asked,
            **words_json(match, found),
        }  # fmt: skip
        text = f"Race {self.race_count}: {race_text(race, self.scene(match))}"
        return self._line(step, "race", text, facts)

    def _is_lost(self, claims: tuple[Asked, ...], race: int) -> None:
        for claim in claims:
            self.lost.setdefault((claim.seat, kind(claim.action)), race)

    def _together(self, match: Match, step: Step, found: Contested) -> Line:
        """Claims that are together, and what decides them."""
        then = "A draw of coins will decide"
        if found.order:
            then = ruled_text(found.order, match.game.dealer, self.scene(match))
            self._is_lost(found.order[1:], self.race_count + 1)
        self.race_count += 1
        asks = {claim.id: claim for claim in found.claims}
        self.drawn[step.record.entry.index] = self.race_count, asks
        text = f"{together_text(found.claims, found.races, self.scene(match))}. {then}"
        seats = [ask.seat for ask in found.claims]
        facts = {"race": self.race_count, "seats": seats, **words_json(match, found)}
        return self._line(step, "together", f"Race {self.race_count}: {text}", facts)

    def _draw(self, match: Match, step: Step, index: int, order: tuple[Digest, ...]) -> Line:
        number, asks = self.drawn.pop(index)
        asked = tuple(asks[name] for name in order)
        self._is_lost(asked[1:], number)
        text = f"Race {number}: {drawn_text(asked, self.scene(match))}"
        return self._line(step, "drawn", text, {"race": number, "order": [ask.seat for ask in asked]})

    def _refused(self, match: Match, step: Step, name: Digest) -> Line:
        item = step.record.items[name]
        action = asked_by(item).action
        reason = why_refused(match, step, item)
        scene = self.scene(match)
        text = f"{self.people.seat(item.seat)} wanted to {action_text(item.seat, action, scene)}: refused"
        if reason is not None:
            text += f", {refusal_text(reason)}"
        facts = {"seat": item.seat, "reason": None if reason is None else reason.value}
        return self._line(step, "refused", text, facts)

    def _turns(self, match: Match, step: Step, item: TapeItem) -> Iterator[Line]:
        for deed in offered(item):
            if isinstance(deed.body, TurnDeed):
                again = " again" if deed.body.round else ""
                text = f"{self.people.seat(item.seat)} shuffles the cards of deal {deed.body.deal + 1}{again}"
                facts = {"seat": item.seat, "deal": deed.body.deal, "round": deed.body.round}
                yield self._line(step, "shuffled", text, facts)

    def _happened(self, step: Step, part: Part, cause: object) -> Iterator[Line]:
        scene = self.scene(part.match)
        for event in part.events:
            text = event_text(event, scene)
            facts = _facts(event, scene.faces)
            match event:
                case Called(seat=seat):
                    self.call_count += 1
                    self.pending_call[seat] = self.call_count
                    text, facts["call"] = f"Call {self.call_count}: {text}", self.call_count
                case Verdicts(seat=seat) if seat in self.pending_call:
                    number = self.pending_call[seat]
                    text, facts["call"] = f"Call {number}: {text}", number
                case Gestured(seat=seat) if self.eyes.is_told_intents_of(seat):
                    intent = intent_of(step, cause, self.intents)
                    if intent is not None:
                        text, facts["intent"] = f"{text}, {INTENTS[intent]}", intent.value
                case (
                    Missed(seat=seat, action=action)
                    | TogetherSettled(seat=seat, action=action, result=JudgedResult.REFUSED)
                ):
                    number = self.lost.pop((seat, kind(action)), 0)
                    if number:
                        text, facts["race"] = f"{text} (race {number})", number
                case _:
                    pass
            yield self._line(step, _kebab(type(event).__name__), text, facts)
            if isinstance(event, Dealt):
                self.unseen = dict(enumerate(part.match.game.hands))

    def _hands_seen(self, step: Step, match: Match) -> Iterator[Line]:
        """Each hand as it was dealt, once its seat can see it."""
        shown = self.deals.get(match.game.deal, {})
        for seat, hand in tuple(self.unseen.items()):
            if any(position in shown for position in hand) and all(
                can_see(match, Seat(seat), position) for position in hand
            ):
                del self.unseen[seat]
                scene = self.scene(match)
                is_seen = any(position in scene.faces for position in hand)
                told = scene.cards(hand) if is_seen else "face down"
                text = f"  hand of {self.people.seat(seat)}: {told}"
                yield self._line(step, "hand", text, {"seat": seat, "cards": _names(hand, scene.faces)})


def _names(positions: tuple[Position, ...], faces: Mapping[Position, Card]) -> list[str | None]:
    return [format_card(faces[position]) if position in faces else None for position in positions]


def _facts(event: Event, faces: Mapping[Position, Card]) -> dict[str, object]:
    """The fields of an event as data, with cards instead of positions where they are known."""
    return {name: _fact(name, getattr(event, name), faces) for name in event.__struct_fields__}


def _fact(name: str, value: object, faces: Mapping[Position, Card]) -> object:
    if name in POSITIONS:
        return _names(value if isinstance(value, tuple) else (value,), faces)
    if isinstance(value, Record):
        fields = {field: _fact(field, getattr(value, field), faces) for field in value.__struct_fields__}
        return {"kind": _kebab(type(value).__name__), **fields}
    if isinstance(value, tuple) and any(isinstance(each, Record) for each in value):
        return [_fact(name, each, faces) for each in value]
    return msgspec.to_builtins(value)


def _kebab(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")


def tell(
    audit: Audit, *, is_ascii: bool = False, eyes: Eyes | None = None, deals: Deals | None = None
) -> Iterator[Line]:
    """Tell the entries of a log that hold, in order, and at last how it ended.

    `eyes`: whose; those that see everything by default. `deals`: what `shown_deals` says, if it is known.
    """
    founding = audit.founding
    if founding is None:
        return
    people = people_of(audit)
    deals = shown_deals(audit) if deals is None else deals
    start = begin(founding)
    intents = {} if audit.match is None else opened_intents(audit.match)
    teller = _Teller(people, AllEyes(deals) if eyes is None else eyes, deals, is_ascii, start, intents)
    seated = ", ".join(people.numbered(seat) for seat in range(people.seats))
    if founding.observer is not None:
        seated += f"; {people.seat(founding.observer)} watches"
    began = "" if not audit.steps else f", {day_text(audit.steps[0].record.entry.wall_ms)} by one clock"
    facts = {"match": founding.match.hex(), "names": list(audit.names), "players": people.seats}
    if founding.observer is not None:
        facts["observer"] = audit.observer_name
    yield Line(0, 0, "match", f"match {founding.match.hex()[:16]}{began}: {seated}", facts, start)
    for step in audit.steps:
        yield from teller.step(step)
    match = teller.match
    result = result_line(founding.rules, audit.scores or match.game.scores, audit.winners, people)
    last = {"verdict": audit.verdict.value, "scores": list(audit.scores), "winners": list(audit.winners)}
    text = f"end of the log: {counted(audit.deals, 'deal')}; {result}"
    yield Line(match.head.index, match.elapsed_ms, "end", text, last, match)
    for finding in audit.findings:
        text = f"the log {_STOPS[audit.verdict]}, entry {finding.index}: {sentence(finding, people)}"
        facts = {"code": finding.code.value, "culprit": finding.culprit}
        yield Line(finding.index, match.elapsed_ms, "finding", text, facts)


_STOPS = {
    Verdict.CLEAN: "holds",
    Verdict.UNDECIDABLE: "is incomplete",
    Verdict.VIOLATED: "does not hold",
    Verdict.CONTRADICT: "does not hold",
    Verdict.UNREADABLE: "cannot be read",
}
