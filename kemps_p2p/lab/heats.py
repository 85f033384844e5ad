"""Which races are run for a measurement of fairness, one match after another, and how each went.

The seat on duty is one of the two in half of all races. Same seed, same races.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat
from kemps_p2p.lab.cheats import Casting, Cheat
from kemps_p2p.lab.nets import net_named
from kemps_p2p.lab.policies import policy_named
from kemps_p2p.lab.timing import (
    Trick,
    Witness,
    front_runner,
    late_witness,
    liar,
    silent_witness,
    stale_claimant,
)
from kemps_p2p.lab.track import Heat, Outcome, Race, Track
from kemps_p2p.ledger.poll import Contender, Order, compare, places_in

LEADS_MS = (5, 10, 20, 40)
HUMAN_SPREAD_MS = 50.0
"""Standard deviation of the lead between two people who want the same."""
ROUNDS_A_MATCH = 200
CHEAT_LEAD_MEDIANS = 3.0
"""An accomplice acts up to so many medians of the net after its rival: later, it loses whatever is lied."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure. `trials`: dead heats; of the other races there are fewer, as `counts` says."""

    policy: str = "poll"
    net: str = "lan"
    players: int = 4
    trials: int = 2000
    race: Race = Race.EXCHANGE
    trick: Trick | None = None
    seed: int = 1
    is_observed: bool = False

    def counts(self) -> Mapping["Sort", int]:
        """How many races of each sort."""
        if self.trick is not None:
            return dict.fromkeys(_CHEATED, self.trials)
        quarter = min(self.trials // 4, 2000)
        return {
            Sort.DEAD_HEAT: self.trials,
            Sort.HUMAN: quarter,
            Sort.LEAD: quarter,
            Sort.ALONE: max(2, min(self.trials // 8, 500)),
            Sort.FRONT_RUN: quarter if self.race is Race.EXCHANGE else 0,
        }


class Sort(Enum):
    """The sorts of races. `LEAD`: by one of `LEADS_MS`. Beside a cheat its accomplice is a little late, or
    both are people, as without it.
    """

    DEAD_HEAT = "dead heat"
    HUMAN = "human"
    LEAD = "lead"
    ALONE = "alone"
    FRONT_RUN = "front-run"
    CHEAT = "beside a cheat"
    NO_CHEAT = "without it"
    HUMAN_CHEAT = "human, beside a cheat"
    HUMAN_NO_CHEAT = "human, without it"


_CHEATED = (Sort.CHEAT, Sort.NO_CHEAT, Sort.HUMAN_CHEAT, Sort.HUMAN_NO_CHEAT)


@dataclass(frozen=True, slots=True)
class Trial:
    """One race as it is counted. `first` acted first, or is called so in a dead heat.

    `turned`: what a liar's words made of its accomplice's loss, if it was one by honest words.
    """

    sort: Sort
    lead_ms: float | None
    dealer: Seat
    first: Seat
    second: Seat | None
    winners: tuple[Seat, ...]
    is_together: bool
    known_ms: float | None
    final_ms: float | None
    turned: "Turned | None" = None
    accomplice: Seat | None = None


class Turned(Enum):
    """What became of a race that honest words would have lost."""

    STILL_LOST = "still lost"
    TO_COIN = "to a coin"
    TO_WIN = "to a win"


@dataclass(slots=True)
class _Lot:
    """Races that fit in one match: who cheats there, and what is run."""

    casting: Casting
    sorts: list[Sort]
    witnesses: dict[Seat, Witness] = field(default_factory=dict)
    accomplice: Seat | None = None
    liars: frozenset[Seat] = frozenset()


def run_trials(plan: Plan, progress: Callable[[str], None] = lambda text: None) -> Iterator[Trial]:
    """Every race of a plan, as it is run."""
    total = sum(plan.counts().values())
    done = 0
    for sorts in _portions(plan):
        left = list(sorts)
        # Beside a cheat and without it the same matches are begun.
        seed = plan.seed * 1_000_000 + (500_000 if Sort.FRONT_RUN in sorts else 0)
        while left:
            seed += 1
            lot = _lot(plan, left, random.Random(f"kemps lot {plan.seed} {len(left)}"))
            for trial in _run_match(plan, lot, seed):
                done += 1
                if done % 50 == 0:
                    progress(f"race {done} of {total}")
                yield trial
            left = lot.sorts


def _portions(plan: Plan) -> Iterator[list[Sort]]:
    """The sorts that share matches. All that is honest is mixed, so that nothing depends on when it runs."""
    honest: list[Sort] = []
    for sort, count in plan.counts().items():
        if sort is Sort.FRONT_RUN or sort in _CHEATED:
            yield [sort] * count
        else:
            honest += [sort] * count
    random.Random(f"kemps mix {plan.seed}").shuffle(honest)
    yield honest


def _lot(plan: Plan, sorts: list[Sort], rng: random.Random) -> _Lot:
    if sorts[0] is Sort.FRONT_RUN:
        return _Lot(_dealer_only(front_runner), sorts)
    if sorts[0] not in _CHEATED:
        return _Lot(_nobody, sorts)
    accomplice = Seat(rng.randrange(plan.players))
    partner = partner_of(accomplice, plan.players)
    others = [Seat(seat) for seat in range(plan.players) if seat not in (accomplice, partner)]
    liars = {partner, rng.choice(others)} if plan.trick is Trick.TWO_LIARS else {partner}
    lot = _Lot(_nobody, sorts, accomplice=accomplice, liars=frozenset(liars))
    if sorts[0] in (Sort.CHEAT, Sort.HUMAN_CHEAT):
        lot.casting = _cast_trick(plan, lot)
    return lot


def _cast_trick(plan: Plan, lot: _Lot) -> Casting:
    cheats: dict[Seat, Cheat] = {}
    accomplice = lot.accomplice
    assert accomplice is not None, "a trick is for somebody"
    match plan.trick:
        case Trick.LIAR | Trick.TWO_LIARS:
            for seat in sorted(lot.liars):
                lot.witnesses[seat] = liar(accomplice)
                cheats[seat] = lot.witnesses[seat].cheat
        case Trick.LATE:
            cheats = {seat: late_witness().cheat for seat in lot.liars}
        case Trick.SILENT:
            cheats = {seat: silent_witness() for seat in lot.liars}
        case Trick.STALE:
            cheats = {accomplice: stale_claimant()}
        case Trick.FRONT_RUN | None:
            return _dealer_only(front_runner)
    return lambda seat, _founding: cheats.get(seat)


def _nobody(_seat: Seat, _founding: object) -> Cheat | None:
    return None


def _dealer_only(make: Callable[[], Cheat]) -> Casting:
    return lambda seat, founding: make() if seat == founding.first_dealer else None


def _run_match(plan: Plan, lot: _Lot, seed: int) -> Iterator[Trial]:
    """Run races of a lot until the match is over, or long enough; what is left stays in the lot."""
    track = Track(
        players=plan.players,
        seed=seed,
        net=net_named(plan.net),
        race=plan.race,
        policy=policy_named(plan.policy),
        casting=lot.casting,
        is_observed=plan.is_observed,
    )
    rng = random.Random(f"kemps heats {seed}")
    for _ in range(ROUNDS_A_MATCH):
        if not lot.sorts or track.is_over:
            return
        dealer = track.dealer
        sorts, heats = _next_heats(plan, lot, dealer, rng)
        for sort, outcome in zip(sorts, track.run(*heats), strict=True):
            yield _trial(plan, lot, sort, dealer, outcome)


def _next_heats(plan: Plan, lot: _Lot, dealer: Seat, rng: random.Random) -> tuple[list[Sort], list[Heat]]:
    """The next race, or two of exchanges side by side, one of them with the seat on duty."""
    sort = lot.sorts.pop()
    seats = [Seat(seat) for seat in range(plan.players)]
    if sort is Sort.ALONE:
        return [sort], [Heat(rng.choice(seats), None)]
    if sort is Sort.FRONT_RUN:
        victim = rng.choice([seat for seat in seats if seat != dealer])
        return [sort], [Heat(victim, dealer, None)]
    if lot.accomplice is not None:
        return [sort], [_heat_of_accomplice(plan, lot, sort, dealer, rng)]
    if plan.race is not Race.EXCHANGE:
        pair = _rivals(plan, dealer if rng.random() < 0.5 else None, dealer, rng)
        return [sort], [_heat(sort, pair, rng)]
    others = rng.sample([seat for seat in seats if seat != dealer], 3)
    pairs = [rng.sample([dealer, others[0]], 2), others[1:]]
    sorts: list[Sort] = [sort, lot.sorts.pop()] if lot.sorts and lot.sorts[-1] is not Sort.ALONE else [sort]
    if len(sorts) == 1:
        pairs = [rng.choice(pairs)]
    rng.shuffle(pairs)
    return sorts, [_heat(each, pair, rng) for each, pair in zip(sorts, pairs, strict=True)]


def _rivals(plan: Plan, wanted: Seat | None, dealer: Seat, rng: random.Random) -> list[Seat]:
    """Two seats of different teams, with the wanted one, or without the seat on duty."""
    teams = plan.players // 2
    seats = [Seat(seat) for seat in range(plan.players)]
    one = rng.choice([seat for seat in seats if seat != dealer]) if wanted is None else wanted
    others = [
        seat for seat in seats if seat % teams != one % teams and (wanted is not None or seat != dealer)
    ]
    return rng.sample([one, rng.choice(others)], 2)


def _heat_of_accomplice(plan: Plan, lot: _Lot, sort: Sort, dealer: Seat, rng: random.Random) -> Heat:
    accomplice = lot.accomplice
    assert accomplice is not None, "a trick is for somebody"
    teams = plan.players // 2
    rivals = [
        Seat(seat)
        for seat in range(plan.players)
        if seat != accomplice and seat not in lot.liars and seat % teams != accomplice % teams
    ]
    if plan.trick is Trick.FRONT_RUN:
        return Heat(rng.choice([seat for seat in rivals if seat != dealer] or rivals), dealer, None)
    rival = rng.choice(rivals)
    if sort in (Sort.CHEAT, Sort.NO_CHEAT):
        lead_ms = rng.uniform(0, CHEAT_LEAD_MEDIANS * net_named(plan.net).median_ms)
        return Heat(rival, accomplice, round(lead_ms * 1000))
    lead_us = round(rng.gauss(0, HUMAN_SPREAD_MS) * 1000)
    return Heat(rival, accomplice, lead_us) if lead_us > 0 else Heat(accomplice, rival, -lead_us)


def _heat(sort: Sort, pair: Sequence[Seat], rng: random.Random) -> Heat:
    match sort:
        case Sort.HUMAN:
            lead_ms = abs(rng.gauss(0, HUMAN_SPREAD_MS))
        case Sort.LEAD:
            lead_ms = float(rng.choice(LEADS_MS))
        case _:
            lead_ms = 0.0
    return Heat(pair[0], pair[1], round(lead_ms * 1000))


def _trial(plan: Plan, lot: _Lot, sort: Sort, dealer: Seat, outcome: Outcome) -> Trial:
    heat = outcome.heat
    return Trial(
        sort=sort,
        lead_ms=None if heat.lead_us is None or heat.second is None else heat.lead_us / 1000,
        dealer=dealer,
        first=heat.first,
        second=heat.second,
        winners=outcome.winners,
        is_together=outcome.is_together,
        known_ms=outcome.known_ms,
        final_ms=outcome.final_ms,
        turned=_turned(plan, lot, outcome) if lot.witnesses and sort is Sort.CHEAT else None,
        accomplice=lot.accomplice,
    )


def _turned(plan: Plan, lot: _Lot, outcome: Outcome) -> Turned | None:
    observer = Seat(plan.players) if plan.is_observed else None
    return turned(outcome, lot.witnesses, plan.race, plan.players, observer)


def turned(
    outcome: Outcome, liars: Mapping[Seat, Witness], race: Race, players: int, observer: Seat | None = None
) -> Turned | None:
    """What the liars' words made of the second's loss; None if honest words would not have lost it the race.

    The tapes of all seats are compared once more, with what each liar has heard in the place of what it said.
    """
    heat = outcome.heat
    assert heat.second is not None, "an accomplice has a rival"
    mine, its = outcome.claims.get(heat.second), outcome.claims.get(heat.first)
    if its is None:
        return None
    if mine is None:
        # It came so late that it saw the loss itself.
        return Turned.STILL_LOST
    names = frozenset((mine.digest, its.digest))
    tapes = places_in(outcome.items, names)
    for seat, witness in liars.items():
        heard = [name for name in witness.heard if name in names]
        tapes[seat] = {name: place for place, name in enumerate(heard)}
    one, other = (Contender(item.digest, item.seat, names - {item.digest}) for item in (mine, its))
    order, _ = compare(one, other, players, observer, tapes)
    if order is not Order.SECOND:
        return None
    if outcome.is_together and race in (Race.EXCHANGE, Race.CALL):
        return Turned.TO_COIN
    return Turned.TO_WIN if heat.second in outcome.winners else Turned.STILL_LOST
