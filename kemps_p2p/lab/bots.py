"""What matches between bots look like: how long, how many calls, how many of them right, who wins.

Played without a network (see `evening`); a test holds the figures against whole simulated tables.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from kemps_p2p.bots.level import Level
from kemps_p2p.bots.pace import Pace
from kemps_p2p.game.events import DealEnd
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.seating import seats, team_of, teams
from kemps_p2p.lab.evening import DealRecord, Evening, Judgement

MS_A_MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class BotFigures:
    """Figures of many matches. Shares are between 0 and 1.

    `levels`: of the team under test and of the others. `wins`: the share of matches that the first of them
    won, a shared win counting in part. `wrong`: for each level, the share of its calls that were not right;
    a call that was half right is among them.
    """

    rules: str
    players: int
    matches: int
    pace: str
    levels: str
    deals_a_match: float
    seconds_a_deal: float
    calls_a_deal: float
    right: float
    by_partner: float
    """The share of calls that were on the own team."""
    unscored: float
    """The share of deals that nobody called and that ended without a score."""
    minutes: float
    """The length of a match in the middle of all."""
    minutes_least: float
    minutes_most: float
    wins: float
    wrong: dict[str, float]


@dataclass(slots=True)
class _Sums:
    deals: list[DealRecord] = field(default_factory=list)
    calls: dict[Level, list[Judgement]] = field(default_factory=dict)
    minutes: list[float] = field(default_factory=list)
    wins: float = 0.0


def measure_bots(
    name: str,
    rules: RuleSet,
    players: int,
    matches: int,
    *,
    levels: tuple[Level, Level] = (Level.NORMAL, Level.NORMAL),
    pace: Pace = Pace.NORMAL,
    first_seed: int = 0,
    progress: Callable[[str], None] = lambda _text: None,
) -> BotFigures:
    """Play so many matches: one team of the first level, at each place in turn, the others of the second."""
    sums = _Sums()
    places = teams(players)
    for index in range(matches):
        progress(f"{name}: match {index + 1} of {matches}")
        team = places[index % len(places)]
        seated = [levels[0] if team_of(seat, players) == team else levels[1] for seat in seats(players)]
        evening = Evening(first_seed + index, rules, players, pace=pace, levels=seated)
        _add(sums, evening, seated)
        winners = evening.table.state.winners
        sums.wins += (team in winners) / len(winners)
    calls = [call for each in sums.calls.values() for call in each]
    deals = sums.deals
    return BotFigures(
        rules=name,
        players=players,
        matches=matches,
        pace=pace.value,
        levels=f"{levels[0].value}:{levels[1].value}",
        deals_a_match=round(len(deals) / matches, 2),
        seconds_a_deal=round(sum(deal.ended_ms - deal.started_ms for deal in deals) / 1000 / len(deals), 2),
        calls_a_deal=round(len(calls) / len(deals), 2),
        right=_share_right(calls),
        by_partner=_share([call.kind in ("partner", "double") for call in calls]),
        unscored=_share([deal.end is DealEnd.EXHAUSTED for deal in deals]),
        minutes=round(median(sums.minutes), 2),
        minutes_least=round(min(sums.minutes), 2),
        minutes_most=round(max(sums.minutes), 2),
        wins=round(sums.wins / matches, 3),
        wrong={level.value: round(1 - _share_right(made), 3) for level, made in sums.calls.items()},
    )


def _add(sums: _Sums, evening: Evening, seated: Sequence[Level]) -> None:
    deals = evening.play_match().deals
    sums.deals += deals
    sums.minutes.append(evening.now_ms / MS_A_MINUTE)
    for deal in deals:
        for call in deal.calls:
            sums.calls.setdefault(seated[call.seat], []).append(call)


def _share_right(calls: Sequence[Judgement]) -> float:
    return _share([call.verdict is Verdict.RIGHT for call in calls])


def _share(found: Sequence[bool]) -> float:
    return round(sum(found) / len(found), 3) if found else 0.0
