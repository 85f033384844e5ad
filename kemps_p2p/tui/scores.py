"""Scores as the rule book counts them: letters of a word, or points towards a goal."""

from kemps_p2p.game.rules import RuleSet, Scoring
from kemps_p2p.game.seating import members, teams
from kemps_p2p.ids import Team
from kemps_p2p.tui.glance import Glance
from kemps_p2p.wording.plain import plain

TEAMS_IN_LINE_MAX = 3


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


def scores_line(glance: Glance) -> str:
    """All scores, the own team's first; the own alone where plates show the others'."""
    shown = [glance.team, *(team for team in teams(glance.players) if team != glance.team)]
    if len(shown) > TEAMS_IN_LINE_MAX:
        shown = shown[:1]
    scores = glance.view.scores
    return "   ".join(f"{team_name(glance, team)} {long_score(glance.rules, scores[team])}" for team in shown)
