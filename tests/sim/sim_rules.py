"""Rule sets drawn at random from all keys, and a recount of a match from what happened in it.

The recount shares nothing with the engine: it follows hands by events, reads cards from the opened seeds, and
counts by the rule pages.
"""

import random
from collections.abc import Iterator, Mapping

from kemps_p2p.game.actions import CallItem, Counter, Double, DoubleCounter, Partner
from kemps_p2p.game.cards import Card, rank
from kemps_p2p.game.events import (
    Called,
    DealEnded,
    Dealt,
    Discarded,
    Event,
    MatchEnded,
    Mulliganed,
    Swapped,
    Took,
    Verdicts,
)
from kemps_p2p.game.rules import RuleSet, load_rules, override
from kemps_p2p.ids import Position
from kemps_p2p.session.audit import Audit
from kemps_p2p.session.opening import opened_deals

PLAYERS = (4, 4, 4, 6, 8)
SORTS = ("partner", "counter", "double", "double-counter")


def random_rules(seed: int) -> RuleSet:
    """A rule set of every key, drawn by a seed, whose matches end: each has a limit of deals."""
    draw = random.Random(f"rules {seed}")
    pick = draw.choice
    players = pick(PLAYERS)
    calls = ["partner", *(sort for sort in SORTS[1:] if draw.random() < 0.6)]
    limit = pick((1, 2, 3, {str(players): 2}))
    mode = pick(("simultaneous", "simultaneous", "turns"))
    # Where nobody can hand on a turn, bots that want nothing wait for each other without end.
    sweep = "pass" if mode == "turns" else pick(("pass", "pass", "idle"))
    return override(
        load_rules("kemps"),
        {
            "players": [players],
            "two_decks_above": pick((0, 4, 6, 8)),
            "pool_size": pick((2, 3, 4, 4, 5, 6)),
            "mode": mode,
            "exchange": pick(("swap", "discard-first")),
            "exchange_limit": pick((1, 2, 4)),
            "start": pick(("last-card", "go")),
            "mulligan": pick((0, 2, 3, 4)),
            "sweep": sweep,
            "idle_seconds": pick((0.5, 1, 3)),
            "stock_out": pick(("void", "recycle")),
            "calls": calls,
            "combine_calls": pick((False, True)),
            "counter_target": pick(("player", "team")),
            "reveal": pick(("hand", "two-cards", "claim")),
            "wrong_call": pick(("ends-deal", "continue", "counter-continues")),
            "bar_after_wrong_counter": pick((False, True)),
            "scoring": pick(("letters", "points")),
            "word": pick(("K", "KE")),
            "points_right": {sort: pick((1, 2, 3)) for sort in SORTS},
            "points_wrong_caller": pick((-1, 0, 0)),
            "points_wrong_other": pick((0, 1)),
            "goal": pick((0, 1, 3)),
            "deal_limit": limit,
            "tie": pick(("playoff", "none")),
            "rotation": pick(("clockwise", "fixed")),
            "first_dealer": pick(("drawn", "seat-0", "rotates")),
            "simultaneous_calls": pick(("first", "both", "counter-first")),
            "poll_tie": pick(("lottery", "dealer")),
            "look_ms": pick((0, 100, 500)),
            "auto_pass_s": pick((0, 1, 20)),
            "signals": pick(("gestures", "once")),
            "speech": pick((False, True)),
            "words": {sort: sort.title() for sort in SORTS},
        },
    )


def happened(audit: Audit) -> Iterator[Event]:
    """Everything that happened by the rules, in order."""
    for step in audit.steps:
        for part in step.parts:
            yield from part.events


class Recount:
    """A match counted again. `scores`, `deals` and `winners` are what they should be."""

    def __init__(self, rules: RuleSet, players: int, faces: Mapping[int, Mapping[Position, Card]]) -> None:
        self.rules = rules
        self.teams = players // 2
        self.scores = [0] * self.teams
        self.deals = 0
        self.calls = 0
        self.winners: tuple[int, ...] | None = None
        self._faces = faces
        self._deal = -1
        self._hands: list[list[Position]] = []
        self._called: dict[int, frozenset[int]] = {}

    def follow(self, event: Event) -> None:
        match event:
            case Dealt(deal=deal):
                self._deal = deal
                places = range(2 * self.teams)
                self._hands = [[Position(4 * seat + card) for card in range(4)] for seat in places]
            case Swapped(seat=seat, took=took, gave=gave):
                self._hands[seat] = [*(set(self._hands[seat]) - set(gave)), *took]
            case Discarded(seat=seat, gave=card):
                self._hands[seat].remove(card)
            case Took(seat=seat, took=card):
                self._hands[seat].append(card)
            case Mulliganed(seat=seat, drew=drew):
                self._hands[seat] = list(drew)
            case Called(seat=seat):
                self._called[seat] = frozenset(self._quartets())
            case Verdicts(seat=seat, calls=calls, verdicts=verdicts):
                quartets = self._called.pop(seat)
                for item, said in zip(calls, verdicts, strict=True):
                    self.calls += 1
                    assert said.value == self._score(seat, item, quartets)
            case DealEnded(scores=scores):
                assert scores == tuple(self.scores)
                self.deals += 1
            case MatchEnded(winners=winners):
                self.winners = tuple(self._best())
                assert set(winners) == set(self.winners)
            case _:
                pass

    def _quartets(self) -> Iterator[int]:
        faces = self._faces[self._deal]
        for seat, hand in enumerate(self._hands):
            if len(hand) == 4 and len({rank(faces[card]) for card in hand}) == 1:
                yield seat

    def _score(self, caller: int, item: CallItem, quartets: frozenset[int]) -> str:
        """Count a call, and say what it was."""
        own, rules = caller % self.teams, self.rules
        against: list[int] = [team for team in range(self.teams) if team != own]
        match item:
            case Partner():
                named, sort, need = {(caller + self.teams) % (2 * self.teams)}, "partner", 1
            case Double():
                named, sort, need = {own, own + self.teams}, "double", 2
            case Counter(target=target):
                is_seat = rules.counter_target.value == "player"
                named, sort, need = {target} if is_seat else {target, target + self.teams}, "counter", 1
                against = [target % self.teams]
            case DoubleCounter(team=team):
                named, sort, need = {team, team + self.teams}, "double_counter", 2
                against = [team]
        count = len(named & quartets)
        is_right = count >= need
        if rules.scoring.value == "letters":
            for team in against if is_right else [own]:
                self.scores[team] += 1
        elif is_right:
            self.scores[own] += getattr(rules.points_right, sort)
        else:
            self.scores[own] += rules.points_wrong_caller
            for team in against:
                self.scores[team] += rules.points_wrong_other
        return "right" if is_right else "half" if need == 2 and count else "wrong"

    def _best(self) -> Iterator[int]:
        is_letters = self.rules.scoring.value == "letters"
        is_spelt = is_letters and max(self.scores) >= len(self.rules.word)
        best = min(self.scores) if is_letters else max(self.scores)
        for team, score in enumerate(self.scores):
            if score < len(self.rules.word) if is_spelt else score == best:
                yield team


def recounted(audit: Audit) -> Recount:
    """Count a whole match again from its log."""
    assert audit.match is not None
    assert audit.founding is not None
    recount = Recount(audit.founding.rules, audit.founding.seats, opened_deals(audit.match))
    for event in happened(audit):
        recount.follow(event)
    return recount
