"""Who wins dead heats and races, honest or not, by which policy and on which net: `kemps lab fairness`.

Everything is run on real sessions; a share is counted, never computed. Same seed, same figures.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kemps_p2p.lab.figures import Share, Spread, share, spread
from kemps_p2p.lab.heats import LEADS_MS, Plan, Sort, Trial, Turned, run_trials
from kemps_p2p.lab.timing import Trick
from kemps_p2p.lab.track import Race


@dataclass(frozen=True, slots=True)
class Gain:
    """What a cheat brings its accomplice, which acts a little later than its rival.

    `wins` with the cheat and without; the same between two people (`human`). Of the late races that honest
    words would have lost: the shares that a coin decides, and that are won for sure.
    """

    trick: str
    wins: Share | None
    wins_without: Share | None
    human_wins: Share | None
    human_wins_without: Share | None
    losses: int
    lost_to_coin: Share | None
    lost_to_win: Share | None


@dataclass(frozen=True, slots=True)
class Fairness:
    """The figures of one table. Shares that were not measured are None."""

    policy: str
    net: str
    players: int
    observer: bool
    race: str
    trials: int
    seed: int
    dealer_edge: Share | None
    true_first: Mapping[str, Share | None]
    human_true_first: Share | None
    front_run_wins: Share | None
    together: Share | None
    known_ms: Spread | None
    final_ms: Spread | None
    cheat: Gain | None = None


def measure_fairness(
    plan: Plan,
    progress: Callable[[str], None] = lambda text: None,
    each: Callable[[Trial], None] = lambda trial: None,
) -> Fairness:
    """Run a plan and count; `each` is told of every race."""
    trials: list[Trial] = []
    for trial in run_trials(plan, progress):
        trials.append(trial)
        each(trial)
    return figures(plan, trials)


def figures(plan: Plan, trials: Sequence[Trial]) -> Fairness:
    """The figures of some races."""
    by_sort = {sort: [trial for trial in trials if trial.sort is sort] for sort in Sort}
    dead = by_sort[Sort.DEAD_HEAT]
    of_dealer = [trial for trial in dead if trial.dealer in (trial.first, trial.second)]
    true_first = {"0": _true_first(dead)}
    for lead_ms in LEADS_MS:
        true_first[str(lead_ms)] = _true_first(
            [trial for trial in by_sort[Sort.LEAD] if trial.lead_ms == lead_ms]
        )
    alone = by_sort[Sort.ALONE]
    known = [trial.known_ms for trial in alone if trial.known_ms is not None]
    final = [trial.final_ms for trial in alone if trial.final_ms is not None]
    return Fairness(
        policy=plan.policy,
        net=plan.net,
        players=plan.players,
        observer=plan.is_observed,
        race=plan.race.value,
        trials=len(dead) if plan.trick is None else len(by_sort[Sort.CHEAT]),
        seed=plan.seed,
        dealer_edge=share(sum(t.winners[:1] == (t.dealer,) for t in of_dealer), len(of_dealer), less=0.5),
        true_first=true_first if plan.trick is None else {},
        human_true_first=_true_first(by_sort[Sort.HUMAN]),
        front_run_wins=_second_wins(by_sort[Sort.FRONT_RUN]),
        together=share(sum(trial.is_together for trial in dead), len(dead)),
        known_ms=spread(known) if len(known) > 1 else None,
        final_ms=spread(final) if len(final) > 1 else None,
        cheat=None if plan.trick is None else _gain(plan.trick, by_sort),
    )


def _true_first(trials: Sequence[Trial]) -> Share | None:
    return share(sum(trial.winners[:1] == (trial.first,) for trial in trials), len(trials))


def _second_wins(trials: Sequence[Trial]) -> Share | None:
    return share(sum(trial.second in trial.winners for trial in trials), len(trials))


def _accomplice_wins(trick: Trick, trials: Sequence[Trial]) -> Share | None:
    if trick is Trick.FRONT_RUN:
        return _second_wins(trials)
    return share(sum(trial.accomplice in trial.winners for trial in trials), len(trials))


def _gain(trick: Trick, by_sort: Mapping[Sort, Sequence[Trial]]) -> Gain:
    turned = Counter(trial.turned for trial in by_sort[Sort.CHEAT] if trial.turned is not None)
    losses = turned.total()
    return Gain(
        trick=trick.value,
        wins=_accomplice_wins(trick, by_sort[Sort.CHEAT]),
        wins_without=_accomplice_wins(trick, by_sort[Sort.NO_CHEAT]),
        human_wins=_accomplice_wins(trick, by_sort[Sort.HUMAN_CHEAT]),
        human_wins_without=_accomplice_wins(trick, by_sort[Sort.HUMAN_NO_CHEAT]),
        losses=losses,
        lost_to_coin=share(turned[Turned.TO_COIN], losses),
        lost_to_win=share(turned[Turned.TO_WIN], losses),
    )


EDGE_MAX = 0.01
HUMAN_TRUE_FIRST_MIN = 0.98
FRONT_RUN_WINS_MAX = {4: 0.03, 6: 0.01}
FRONT_RUN_WINS_MAX_ABOVE = 0.005
FINAL_MS_MAX = 20.0
"""What the program promises of the poll on a LAN."""


def bars_missed(plan: Plan, found: Fairness) -> tuple[str, ...]:
    """The promises that the figures break, even at the kinder end of what they are known to; in words.

    Promises are made of the poll on a LAN, and of cheats that a real table's rules leave no room for.
    """
    if (plan.policy, plan.net) != ("poll", "lan"):
        return ()
    missed: list[str] = []
    edge, human, front = found.dealer_edge, found.human_true_first, found.front_run_wins
    if edge is not None and min(abs(edge.low), abs(edge.high)) > EDGE_MAX and edge.low * edge.high > 0:
        missed.append(f"the edge of the seat on duty is beyond {EDGE_MAX}")
    if human is not None and human.high < HUMAN_TRUE_FIRST_MIN:
        missed.append(f"the first of two people wins in less than {HUMAN_TRUE_FIRST_MIN:.0%}")
    front_max = FRONT_RUN_WINS_MAX.get(plan.players, FRONT_RUN_WINS_MAX_ABOVE)
    if front is not None and front.low > front_max:
        missed.append(f"front-running wins in more than {front_max:.1%}")
    if found.final_ms is not None and found.final_ms.p50 > FINAL_MS_MAX:
        missed.append(f"a claim takes longer than {FINAL_MS_MAX:.0f} ms to be final")
    gain = found.cheat
    if gain is not None and plan.trick is Trick.LIAR and plan.race in (Race.EXCHANGE, Race.CALL):
        # Of an odd number of witnesses, with an observer, one may be the one that tips the scales.
        if gain.lost_to_win is not None and gain.lost_to_win.value > 0 and not plan.is_observed:
            missed.append("one liar turns a loss into a win")
        with_it, without = gain.human_wins, gain.human_wins_without
        if plan.is_observed and with_it is not None and without is not None and with_it.low > without.high:
            missed.append("one liar gains between two people, though there is an observer")
    return tuple(missed)
