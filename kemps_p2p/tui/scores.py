"""Scores as the rule book counts them: letters of a word, or points towards a goal."""

from kemps_p2p.game.rules import RuleSet, Scoring
from kemps_p2p.game.seating import members, teams
from kemps_p2p.ids import Team
from kemps_p2p.tui.glance import Glance
from kemps_p2p.tui.paint import cells
from kemps_p2p.wording.plain import plain

TEAMS_IN_LINE_MAX = 2


def long_score(rules: RuleSet, score: int) -> str:
    """A team's letters with room for those that are missing, or its points."""
    if rules.scoring is Scoring.LETTERS:
        word = plain(rules.word)
        return "-".join(word[:score] + "·" * max(len(word) - score, 0))
    return f"{score} of {rules.goal}" if rules.goal else str(score)


def short_score(rules: RuleSet, score: int) -> str:
    """The same in few columns."""
    return plain(rules.word)[:score] if rules.scoring is Scoring.LETTERS else str(score)


def team_name(glance: Glance, team: Team) -> str:
    """A team, in few columns."""
    first, second = members(team, glance.players)
    return f"{glance.people.seat(first)}+{glance.people.seat(second)}"


def scores_line(glance: Glance, columns: int) -> str:
    """All scores, the own team's first, by names if they fit; the own alone where plates show the others'.

    What is missing of the word, and the goal, give way where there is too little room.
    """
    shown = [glance.team, *(team for team in teams(glance.players) if team != glance.team)]
    if len(shown) > TEAMS_IN_LINE_MAX:
        shown = shown[:1]
    rules, scores = glance.rules, glance.view.scores
    counted = [
        long_score(rules, scores[team]) if rules.scoring is Scoring.LETTERS else str(scores[team])
        for team in shown
    ]
    goal = [f"(to {rules.goal})"] if rules.scoring is Scoring.POINTS and rules.goal else []
    names = [team_name(glance, team) for team in shown]
    lines = [_told(names, counted, goal)]
    if len(shown) == TEAMS_IN_LINE_MAX:
        lines.append(_told(["you", "they"], counted, goal))
        lines.append(_told(["you", "they"], [short_score(rules, scores[team]) or "·" for team in shown], []))
    return next((line for line in lines if cells(line) <= columns), lines[-1])


def _told(names: list[str], scores: list[str], goal: list[str]) -> str:
    return "   ".join([*(f"{name} {score}" for name, score in zip(names, scores, strict=False)), *goal])
