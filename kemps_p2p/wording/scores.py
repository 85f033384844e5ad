"""Scores and results in words."""

from collections.abc import Sequence

from kemps_p2p.game.rules import RuleSet, Scoring
from kemps_p2p.ids import Team
from kemps_p2p.wording.people import People, counted, listed
from kemps_p2p.wording.plain import plain


def score_text(rules: RuleSet, score: int) -> str:
    """A team's score: its letters, or its points."""
    match rules.scoring:
        case Scoring.LETTERS:
            return "-".join(plain(rules.word)[:score]) if score else "no letter"
        case Scoring.POINTS:
            return counted(score, "point")


def standing(rules: RuleSet, scores: tuple[int, ...], people: People) -> str:
    """Every team with its score."""
    return ", ".join(f"{people.team(team)} {score_text(rules, score)}" for team, score in enumerate(scores))


def letters_text(rules: RuleSet) -> str:
    """That letters are bad, for whoever does not know."""
    return f"whoever completes {score_text(rules, len(rules.word))} loses"


def changes_text(rules: RuleSet, changes: tuple[int, ...], people: People) -> str:
    """What every team got or lost."""
    what = "letter" if rules.scoring is Scoring.LETTERS else "point"
    moved = [
        f"{people.team(team)} {'get' if change > 0 else 'lose'} "
        f"{f'a {what}' if abs(change) == 1 else counted(abs(change), what)}"
        for team, change in enumerate(changes)
        if change
    ]
    return ", ".join(moved) or "nobody gets anything"


def winners_text(winners: Sequence[int], people: People) -> str:
    """Who has won the match."""
    teams = listed([people.team(Team(team)) for team in winners]) or "nobody"
    return f"{teams} {'win' if len(winners) < 2 else 'share'} the match"


def result_line(rules: RuleSet, scores: tuple[int, ...], winners: tuple[Team, ...], people: People) -> str:
    """Who has won, and the final scores; the scores alone while nobody has."""
    if not winners:
        return f"not over: {standing(rules, scores, people)}"
    teams = ", and ".join(people.team(team) for team in winners)
    verb = " win" if len(winners) == 1 else ", share the win"
    return f"{teams}{verb}: {standing(rules, scores, people)}"
