"""Verdicts, points, letters, the end of a match. Pure functions of rules, calls and who has a quartet.

Knows no state, positions or faces.
"""

from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import assert_never

import msgspec

from kemps_p2p.game.actions import CallItem, Counter, Double, DoubleCounter, Partner, call_kind
from kemps_p2p.game.rules import CounterTarget, RuleSet, Scoring, Tie, WrongCall
from kemps_p2p.game.seating import members, partner_of, team_of, teams
from kemps_p2p.ids import Seat, Team


class Verdict(StrEnum):
    """What a call was found to be; `HALF` is one of two quartets, and scores as wrong."""

    RIGHT = "right"
    WRONG = "wrong"
    HALF = "half"


def accused(rules: RuleSet, players: int, item: CallItem) -> Team | None:
    """The team that a counter or double counter names; None for a call on the own team."""
    match item:
        case Partner() | Double():
            return None
        case Counter():
            if rules.counter_target is CounterTarget.TEAM:
                return Team(item.target)
            return team_of(Seat(item.target), players)
        case DoubleCounter():
            return Team(item.team)
        case _:
            assert_never(item)


def is_at_table(rules: RuleSet, players: int, item: CallItem) -> bool:
    """True if there is such a seat or team as a call names."""
    match item:
        case Counter():
            places = players if rules.counter_target is CounterTarget.PLAYER else players // 2
            return 0 <= item.target < places
        case DoubleCounter():
            return 0 <= item.team < players // 2
        case Partner() | Double():
            return True
        case _:
            assert_never(item)


def named_seats(rules: RuleSet, players: int, caller: Seat, item: CallItem) -> tuple[Seat, ...]:
    """The seats whose hands a call names; its target must be at the table."""
    match item:
        case Partner():
            return (partner_of(caller, players),)
        case Double():
            return (caller, partner_of(caller, players))
        case Counter():
            if rules.counter_target is CounterTarget.TEAM:
                return members(Team(item.target), players)
            return (Seat(item.target),)
        case DoubleCounter():
            return members(Team(item.team), players)
        case _:
            assert_never(item)


def verdict(
    rules: RuleSet, players: int, caller: Seat, item: CallItem, quartets: AbstractSet[Seat]
) -> Verdict:
    """The verdict on one call, given who holds a quartet."""
    named = named_seats(rules, players, caller, item)
    found = sum(seat in quartets for seat in named)
    match item:
        case Partner() | Counter():
            return Verdict.RIGHT if found else Verdict.WRONG
        case Double() | DoubleCounter():
            if found == len(named):
                return Verdict.RIGHT
            return Verdict.HALF if found else Verdict.WRONG
        case _:
            assert_never(item)


def verdicts(
    rules: RuleSet, players: int, caller: Seat, calls: tuple[CallItem, ...], quartets: AbstractSet[Seat]
) -> tuple[Verdict, ...]:
    """The verdicts on a declaration, call by call."""
    return tuple(verdict(rules, players, caller, item, quartets) for item in calls)


def _call_changes(rules: RuleSet, players: int, caller: Seat, item: CallItem, found: Verdict) -> list[int]:
    changes = [0] * (players // 2)
    own = team_of(caller, players)
    target = accused(rules, players, item)
    others = [team for team in teams(players) if team != own] if target is None else [target]
    is_right = found is Verdict.RIGHT
    if rules.scoring is Scoring.LETTERS:
        for team in others if is_right else [own]:
            changes[team] += 1
    elif is_right:
        changes[own] += rules.points_right.of(call_kind(item)) or 0
    else:
        changes[own] += rules.points_wrong_caller
        for team in others:
            changes[team] += rules.points_wrong_other
    return changes


def changes(
    rules: RuleSet, players: int, caller: Seat, calls: tuple[CallItem, ...], found: tuple[Verdict, ...]
) -> tuple[int, ...]:
    """What a declaration does to each team's score, its calls added up."""
    each = [_call_changes(rules, players, caller, item, one) for item, one in zip(calls, found, strict=True)]
    return tuple(sum(column) for column in zip(*each, strict=True))


def loss(rules: RuleSet, players: int, team: Team) -> tuple[int, ...]:
    """What losing a deal by fault does: a letter, or the largest value at stake to each other team."""
    at_stake = max((rules.points_right.of(kind) or 0 for kind in rules.calls), default=0)
    if rules.scoring is Scoring.LETTERS:
        return tuple(int(each == team) for each in teams(players))
    return tuple(0 if each == team else at_stake for each in teams(players))


def add(scores: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    """Scores, team by team."""
    return tuple(one + other for one, other in zip(scores, more, strict=True))


def is_counter(item: CallItem) -> bool:
    """True for the calls on another team."""
    return isinstance(item, Counter | DoubleCounter)


def is_deal_over(rules: RuleSet, calls: tuple[CallItem, ...], found: tuple[Verdict, ...]) -> bool:
    """True if a declaration ends the deal."""
    if any(one is not Verdict.WRONG for one in found):
        return True
    match rules.wrong_call:
        case WrongCall.ENDS_DEAL:
            return True
        case WrongCall.CONTINUE:
            return False
        case WrongCall.COUNTER_CONTINUES:
            return not all(is_counter(item) for item in calls)
        case _:
            assert_never(rules.wrong_call)


def is_decisive(rules: RuleSet, scores: tuple[int, ...]) -> bool:
    """True if a team has completed the word or reached the goal."""
    if rules.scoring is Scoring.LETTERS:
        return max(scores) >= len(rules.word)
    return 0 < rules.goal <= max(scores)


def leaders(rules: RuleSet, scores: tuple[int, ...]) -> tuple[Team, ...]:
    """The teams with most points or fewest letters."""
    best = min(scores) if rules.scoring is Scoring.LETTERS else max(scores)
    return tuple(Team(index) for index, score in enumerate(scores) if score == best)


class GoesOn(msgspec.Struct, frozen=True):
    """Another deal of the match follows."""


class Playoff(msgspec.Struct, frozen=True):
    """The match would end with a shared lead: one more deal."""


class Won(msgspec.Struct, frozen=True):
    """The match is over."""

    winners: tuple[Team, ...]


def outcome(
    rules: RuleSet, players: int, scores: tuple[int, ...], deals: int, *, playoff: bool
) -> GoesOn | Playoff | Won:
    """What follows a deal that counts; `deals` includes it, `playoff` says whether it was one."""
    decisive = is_decisive(rules, scores)
    if decisive and rules.scoring is Scoring.LETTERS:
        whole = len(rules.word)
        return Won(tuple(Team(index) for index, score in enumerate(scores) if score < whole))
    limit = rules.deals(players)
    if not (decisive or playoff or 0 < limit <= deals):
        return GoesOn()
    ahead = leaders(rules, scores)
    if len(ahead) > 1 and rules.tie is Tie.PLAYOFF:
        return Playoff()
    return Won(ahead)
