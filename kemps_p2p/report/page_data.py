"""What the page of a match is fed with: its timeline as plain data, every text and every state once.

The page shows a card only if this data says that the chosen eyes see its position at that moment; it knows no
rule. Invariants:

1. A position is among those that a seat sees only if that seat's `SeatView` shows its face.
2. A text that a seat is told is the one that `Timeline.text` has for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kemps_p2p.game.actions import CallKind, Kind
from kemps_p2p.game.record import Phase
from kemps_p2p.game.seating import team_of, teams
from kemps_p2p.ids import Seat
from kemps_p2p.report.timeline import Moment, Timeline
from kemps_p2p.wording.cards import card_text
from kemps_p2p.wording.eyes import Whose, Wide, eyes_text
from kemps_p2p.wording.races import WHO_IS_FIRST
from kemps_p2p.wording.rules_calls import applied_points, split_points, together_points
from kemps_p2p.wording.scores import score_text

MARKS: Mapping[str, tuple[str, str]] = {
    "swapped": ("S", "swap"),
    "discarded": ("D", "card put down"),
    "took": ("T", "card picked up"),
    "missed": ("M", "missed: another was first"),
    "refused": ("X", "refused by the rules"),
    "passed": ("P", "pass"),
    "auto-passed": ("P", "pass"),
    "gestured": ("G", "gesture"),
    "signalled": ("Y", "public sign"),
    "said": ("W", "words"),
    "called": ("C", "call"),
    "answered": ("A", "answer to a call"),
    "unopened": ("A", "answer to a call"),
    "shown": ("H", "hand shown"),
    "mulligan-asked": ("U", "new hand asked for"),
    "race": ("R", "race"),
    "together": ("R", "race"),
    "blamed": ("F", "proven fault"),
    "struck": ("K", "observer struck"),
    "absent": ("Q", "voted absent"),
    "back": ("J", "back at the table"),
    "stand-in": ("L", "a program stands in"),
    "taken-over": ("N", "ordering taken over"),
    "seeds-missing": ("I", "seeds missing"),
    "play-started": ("O", "play opens"),
    "swept": ("E", "middle swept"),
    "halted": ("B", "halt"),
    "verdicts": ("V", "verdict"),
    "deal-ended": ("Z", "end of the deal"),
}
"""The letter of each kind of mark on the lanes, and what it means. Kinds that are not here have no mark."""

PHASES: Mapping[Phase, str] = {
    Phase.SEATED: "before the first deal",
    Phase.DEALT: "cards lie, play is not open",
    Phase.OPEN: "play is open",
    Phase.HALTED: "the table is halted",
    Phase.PROVING: "denials are being proven",
    Phase.DEAL_OVER: "the deal is over",
    Phase.MATCH_OVER: "the match is over",
}


def page_data(timeline: Timeline, focus: int, whose: Whose = Wide.ALL) -> dict[str, Any]:
    """The data of the page; `focus`, `whose`: the moment that it opens at, and the eyes."""
    people, seats = timeline.people, timeline.seats
    texts = _Once()
    states = _Once()
    moments = [_moment(timeline, moment, texts, states) for moment in timeline.moments]
    return {
        "seats": [{"name": people.seat(seat), "team": team_of(Seat(seat), seats)} for seat in range(seats)],
        "teams": [people.team(team) for team in teams(seats)],
        "marks": {event: {"letter": mark[0], "word": mark[1]} for event, mark in MARKS.items()},
        "cards": _cards(timeline),
        "texts": texts.values,
        "states": states.values,
        "moments": moments,
        "calls": [call_data(timeline, mark.index) for mark in timeline.calls],
        "races": [race_data(timeline, mark.index) for mark in timeline.races],
        "deals": [mark.index for mark in timeline.deals],
        "focus": focus,
        "eyes": whose.value if isinstance(whose, Wide) else whose,
        "lookers": [eyes_text(each, people) for each in timeline.everybody],
    }


class _Once:
    """Values, each kept once, by place."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._places: dict[str, int] = {}

    def place(self, value: object) -> int:
        """The place of a value."""
        key = repr(value)
        if key not in self._places:
            self._places[key] = len(self.values)
            self.values.append(value)
        return self._places[key]


def _cards(timeline: Timeline) -> list[dict[str, str]]:
    """By deal: the name of the card at each position that the log shows."""
    found: dict[int, dict[str, str]] = {}
    for moment in timeline.moments:
        if moment.game.deal >= 0 and moment.game.deal not in found:
            faces = timeline.faces(moment.index)
            found[moment.game.deal] = {
                str(position): card_text(card, is_ascii=timeline.is_ascii) for position, card in faces.items()
            }
    return [found[deal] for deal in sorted(found)]


def _moment(timeline: Timeline, moment: Moment, texts: _Once, states: _Once) -> dict[str, Any]:
    line = moment.line
    told = [texts.place(timeline.text(moment.index, whose)) for whose in timeline.everybody]
    data: dict[str, Any] = {
        "entry": line.entry,
        "clock": moment.clock,
        "ms": line.at_ms,
        "day": moment.day,
        "kind": line.event,
        "who": _who(line.facts),
        # One number if everybody is told the same, else one for each, in the order of the lookers.
        "text": told[0] if len(set(told)) == 1 else told,
        "state": states.place(_state(timeline, moment)),
    }
    for key in ("call", "race"):
        if key in line.facts:
            data[key] = line.facts[key]
    return data


def _who(facts: Mapping[str, Any]) -> list[int]:
    """The seats that a line is about."""
    if "claims" in facts:
        return list(dict.fromkeys(claim["seat"] for claim in facts["claims"]))
    seat = facts.get("seat")
    return [seat] if isinstance(seat, int) else []


def _state(timeline: Timeline, moment: Moment) -> dict[str, Any]:
    game = moment.game
    seen = timeline.faces(moment.index, Wide.TABLE)
    return {
        "deal": game.deal,
        "phase": PHASES[game.phase],
        "dealer": game.dealer,
        "turn": game.turn,
        "scores": [score_text(timeline.rules, score) for score in game.scores],
        "hands": [list(hand) for hand in game.hands],
        "pool": list(game.pool),
        "stock": len(game.stock),
        "swept": len(game.swept),
        "passes": sorted(game.passes),
        "barred": sorted(game.barred),
        "seen": sorted(seen),
        "own": [
            sorted(timeline.faces(moment.index, Seat(seat)).keys() - seen.keys())
            for seat in range(timeline.seats)
        ],
    }


def call_data(timeline: Timeline, index: int) -> dict[str, Any]:
    """A call: where it is made and judged (`end`), and the rules that it is judged by."""
    facts = timeline.moments[index].line.facts
    items: Any = facts["calls"]
    kinds = {CallKind(item["kind"]) for item in items}
    return {
        "number": facts["call"],
        "at": index,
        "end": _next(timeline, index, "verdicts", "call"),
        "rules": list(applied_points(timeline.rules, kinds)),
    }


def race_data(timeline: Timeline, index: int) -> dict[str, Any]:
    """A race: where it is told and, if it is drawn, settled (`end`); and what each witness said."""
    line = timeline.moments[index].line
    facts = line.facts
    kinds = [claim["kind"] for claim in facts["claims"]]  # type: ignore[attr-defined]
    return {
        "number": facts["race"],
        "at": index,
        "end": _next(timeline, index, "drawn", "race"),
        "words": list(timeline.words(index)),
        "rules": list(_race_rules(timeline, kinds) if line.event == "together" else WHO_IS_FIRST),
    }


def _race_rules(timeline: Timeline, kinds: Sequence[str]) -> Iterable[str]:
    """The rules for claims that are together, by their kinds."""
    between_calls = kinds.count(Kind.CALL.value) > 1
    return together_points(timeline.rules) if between_calls else split_points(timeline.rules)


def _next(timeline: Timeline, index: int, event: str, key: str) -> int | None:
    """Where what was begun at a moment goes on; None if the log ends before."""
    number = timeline.moments[index].line.facts[key]
    for moment in timeline.moments[index:]:
        if moment.line.event == event and moment.line.facts.get(key) == number:
            return moment.index
    return None
