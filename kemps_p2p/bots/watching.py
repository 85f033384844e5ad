"""What a bot makes of the others: the partner's signal, opponents' gestures, cards taken, hands at rest.

Each observation is noticed or not and judged once; what comes of it is a call planned for later. Knows no
cards but those a reading shows. Invariants:

1. How often it is asked changes nothing: only a new observation draws.
2. A plan against a seat lapses when that seat exchanges cards, and is not acted on while public cards
   rule a quartet out.
3. The same hands are not called twice.
"""

from collections.abc import Sequence
from random import Random

import msgspec

from kemps_p2p.bots.learning import READY, Book
from kemps_p2p.bots.level import Skill
from kemps_p2p.bots.pace import Manners
from kemps_p2p.bots.pact import REGRET, Pact
from kemps_p2p.bots.reading import Reading
from kemps_p2p.game.actions import (
    Call,
    CallItem,
    CallKind,
    Counter,
    Double,
    DoubleCounter,
    Partner,
    call_kind,
)
from kemps_p2p.game.cards import QUARTET_CARDS
from kemps_p2p.game.events import Verdicts
from kemps_p2p.game.gestures import FIDGETS
from kemps_p2p.game.rules import CounterTarget, RuleSet
from kemps_p2p.game.scoring import Verdict, is_counter, named_seats
from kemps_p2p.game.seating import partner_of, seats, team_of
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position, Seat

UNKNOWN_SIGNAL_TIMES = 3
"""Without an agreement, a gesture that the partner makes so often is taken for the signal."""
ONE_PAIR_OF_OPPONENTS = 2

SEEN_ODDS = {2: 0.3, 3: 2.0, 4: 1000.0}
"""Odds of a quartet by the cards of one rank that a seat took for all to see, just after the last of them."""
GESTURE_ODDS = (0.25, 0.5, 2.0)
"""Odds of a quartet by how often an opponent made the same gesture with this hand; the last for more."""
SEEN_FACTOR = {0: 1.0, 1: 2.5, 2: 9.0, 3: 40.0, 4: 1000.0}
"""How much likelier cards taken for all to see make the quartet that a gesture speaks for."""
READY_ODDS = {0: 0.25, 1: 0.6, 2: 1.0, 3: 2.0, 4: 1000.0}
"""Odds of a quartet after the one public signal, by such cards: it costs nothing to give it falsely."""
REST_ODDS = (0.1, 0.3, 0.7, 1.5, 4.0)
"""Odds of a quartet of a seat that has no signal left, by the pools in a row that it let pass."""

_MEANINGLESS = frozenset(fidget.name for fidget in FIDGETS)

Hands = tuple[tuple[Position, ...], ...]


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """A call on a seat's hand: when it came to mind, and when to make it."""

    seat: Seat
    noticed_ms: int
    due_ms: int
    is_held_back: bool
    """It may wait for the own hand to double it."""
    misread: str | None
    """A gesture of the partner that may mean nothing, and was taken for the signal."""


class Declaration(msgspec.Struct, frozen=True):
    """What to call, and when."""

    due_ms: int
    call: Call


class Watch:
    """One seat's attention during a deal."""

    def __init__(
        self, seat: Seat, players: int, rng: Random, *, manners: Manners, skill: Skill, pact: Pact
    ) -> None:
        self._seat = seat
        self._players = players
        self._rng = rng
        self._manners = manners
        self._skill = skill
        self._pact = pact
        self._book = Book(rng, skill)
        self._partner = partner_of(seat, players)
        self._misread: str | None = None
        self._regret: str | None = None
        self._attention = ONE_PAIR_OF_OPPONENTS / (players - 2)
        self.begin_deal()

    def begin_deal(self) -> None:
        """A new deal: whatever was seen before means nothing now."""
        self._plans: dict[Seat, Planned] = {}
        self._gestures: dict[tuple[Seat, str], int] = {}
        self._most_seen: dict[Seat, int] = {}
        self._judged: set[tuple[Seat, int, int]] = set()
        self._spent: dict[Seat, int] = {}
        self._rested: set[Seat] = set()
        self._called: set[tuple[CallItem, Hands]] = set()
        self._calling: tuple[tuple[CallItem, Hands], ...] = ()
        self._accused: tuple[Seat, ...] = ()

    def begin_pool(self) -> None:
        """Another pool lies. Who has no signal left to give can only let pools pass and hope."""
        self._spent = {seat: pools + 1 for seat, pools in self._spent.items()}
        self._rested = {seat for seat, pools in self._spent.items() if pools > 0}

    def exchanged(self, seat: Seat) -> None:
        """A seat changed its hand: what its face said before is about another hand."""
        self._rested.discard(seat)
        if (seat, READY) in self._gestures or seat in self._spent:
            # Until the coming pool this says nothing.
            self._spent[seat] = -1
        self._plans.pop(seat, None)
        self._gestures = {key: count for key, count in self._gestures.items() if key[0] != seat}

    def gestured(self, seat: Seat, name: str, now_ms: int) -> None:
        """Somebody made a gesture."""
        if seat == self._seat or name in _MEANINGLESS:
            return
        is_partner = seat == self._partner
        notices = self._skill.notices_signal if is_partner else self._skill.notices_others * self._attention
        if self._rng.random() >= notices:
            return
        times = self._gestures[seat, name] = self._gestures.get((seat, name), 0) + 1
        if is_partner:
            chance = self._chance_of_partner(name, times)
            is_sure = self._pact.means_quartet(name) is True
            self._consider(seat, chance, now_ms, misread=None if is_sure else name)
        else:
            odds = GESTURE_ODDS[min(times, len(GESTURE_ODDS)) - 1]
            odds *= self._book.odds(team_of(seat, self._players), name)
            odds *= SEEN_FACTOR[self._most_seen.get(seat, 0)]
            self._consider(seat, self._nerve(odds), now_ms)

    def signalled(self, seat: Seat, now_ms: int) -> None:
        """A seat gave the one public signal that some rules have: it says so to the whole table."""
        if seat == self._seat:
            return
        self._gestures[seat, READY] = 1
        chance = 1.0
        if seat != self._partner:
            odds = READY_ODDS[self._most_seen.get(seat, 0)]
            chance = self._nerve(odds * self._book.odds(team_of(seat, self._players), READY))
        self._consider(seat, chance, now_ms)

    def _chance_of_partner(self, name: str, times: int) -> float:
        is_signal = self._pact.means_quartet(name)
        if is_signal is None:
            is_signal = times >= UNKNOWN_SIGNAL_TIMES
        return 1.0 if is_signal else self._skill.misreads

    def _nerve(self, odds: float) -> float:
        """The chance to call on such odds."""
        belief = odds / (1 + odds)
        return max(self._skill.rash, min(1.0, 0.5 + (belief - 0.5) * self._skill.steepness))

    def look(self, reading: Reading, now_ms: int) -> None:
        """Judge what the seats have collected in public, and who seems to wait for a call."""
        for seat in seats(self._players):
            if seat == self._seat:
                continue
            seen = reading.seen[seat]
            most = self._most_seen[seat] = max(seen)
            if most in SEEN_ODDS:
                which = seen.index(most)
                if (seat, which, most) not in self._judged and reading.could_hold(seat, which):
                    self._judged.add((seat, which, most))
                    # A partner with a quartet that is not there for all to see is sure to signal.
                    if seat != self._partner or most == QUARTET_CARDS:
                        self._suspect(seat, SEEN_ODDS[most], now_ms)
            if seat in self._rested:
                self._rested.discard(seat)
                pools = min(self._spent[seat], len(REST_ODDS))
                if reading.could_hold_any(seat):
                    self._suspect(seat, REST_ODDS[pools - 1], now_ms)

    def _suspect(self, seat: Seat, odds: float, now_ms: int) -> None:
        """Draw whether something that lies open is noticed, and what comes of it."""
        is_noticed = self._rng.random() < self._skill.notices_others * self._attention
        if is_noticed or (seat == self._partner and odds >= 1):
            self._consider(seat, self._nerve(odds), now_ms)

    def _consider(self, seat: Seat, chance: float, now_ms: int, *, misread: str | None = None) -> None:
        if self._rng.random() >= chance:
            return
        noticed_ms = now_ms + self._manners.notice.draw(self._rng)
        due_ms = noticed_ms + self._manners.speak.draw(self._rng)
        is_held_back = seat == self._partner and self._rng.random() < self._skill.holds_back
        standing = self._plans.get(seat)
        if standing is None or due_ms < standing.due_ms:
            self._plans[seat] = Planned(
                seat=seat, noticed_ms=noticed_ms, due_ms=due_ms, is_held_back=is_held_back, misread=misread
            )

    def declarations(self, view: SeatView, reading: Reading, now_ms: int) -> tuple[Declaration, ...]:
        """The calls to make, the earliest first; the next alone where several can be made at once."""
        rules = view.rules
        plans = [
            plan
            for plan in self._plans.values()
            if reading.could_hold_any(plan.seat) and self._may_call(view, self._single(rules, plan.seat))
        ]
        plans.sort(key=lambda plan: (self._due_ms(rules, reading, plan), plan.seat))
        if not plans:
            return ()
        if rules.combine_calls:
            noticed = [plan.seat for plan in plans if plan is plans[0] or plan.noticed_ms <= now_ms]
            items = [self._item(rules, reading, seat, noticed) for seat in noticed]
            call = Call(calls=tuple(dict.fromkeys(items)))
            return (Declaration(self._due_ms(rules, reading, plans[0]), call),)
        named = [plan.seat for plan in plans]
        return tuple(
            [
                Declaration(
                    self._due_ms(rules, reading, plan),
                    Call(calls=(self._item(rules, reading, plan.seat, named),)),
                )
                for plan in plans
            ]
        )

    def _may_call(self, view: SeatView, item: CallItem) -> bool:
        """A forbidden call would have its whole declaration refused; the same hands are not called twice."""
        is_barred = is_counter(item) and self._seat in view.barred
        is_known = call_kind(item) in view.rules.calls
        return is_known and not is_barred and self._about(view, item) not in self._called

    def _due_ms(self, rules: RuleSet, reading: Reading, plan: Planned) -> int:
        """A partner's quartet may wait for a moment, if the own hand lacks one card to double it."""
        may_double = CallKind.DOUBLE in rules.calls and max(reading.own) == QUARTET_CARDS - 1
        return plan.due_ms + (self._manners.linger.low_ms if plan.is_held_back and may_double else 0)

    def _item(self, rules: RuleSet, reading: Reading, seat: Seat, named: Sequence[Seat]) -> CallItem:
        """What to call a seat's hand: beside another quartet, both together where the rules know that."""
        if seat == self._partner:
            doubles = reading.is_quartet and CallKind.DOUBLE in rules.calls
            return Double() if doubles else Partner()
        if CallKind.DOUBLE_COUNTER in rules.calls and partner_of(seat, self._players) in named:
            return DoubleCounter(team=team_of(seat, self._players))
        return self._single(rules, seat)

    def _single(self, rules: RuleSet, seat: Seat) -> CallItem:
        """The call on a seat's hand, or on its team's where the rules want that."""
        if seat == self._partner:
            return Partner()
        names_team = rules.counter_target is CounterTarget.TEAM
        return Counter(target=team_of(seat, self._players) if names_team else seat)

    def calling(self, view: SeatView, call: Call) -> None:
        """The own call is under way."""
        own = self._seat
        self._accused = tuple(
            [seat for item in call.calls for seat in self._named(view.rules, item) if seat != own]
        )
        self._calling = tuple([self._about(view, self._single(view.rules, seat)) for seat in self._accused])
        plan = self._plans.get(self._partner)
        self._misread = plan.misread if plan is not None and self._partner in self._accused else None

    def called(self) -> None:
        """The own call stands. If play goes on after it, what led to it is not evidence once more."""
        self._called.update(self._calling)
        for seat in self._accused:
            self._plans.pop(seat, None)

    def regret(self) -> str | None:
        """What the partner is told of a wrong call that a gesture led to, once."""
        name, self._regret = self._regret, None
        return None if name is None else f"{REGRET}: I took your {name} for the sign"

    def judged(self, rules: RuleSet, event: Verdicts) -> None:
        """Learn from what hands were found to be. Which of a team held the quartet is a guess."""
        if event.seat == self._seat and any(
            found is Verdict.WRONG and isinstance(item, Partner | Double)
            for item, found in zip(event.calls, event.verdicts, strict=True)
        ):
            self._regret, self._misread = self._misread, None
        for item, found in zip(event.calls, event.verdicts, strict=True):
            named = named_seats(rules, self._players, event.seat, item)
            if found is Verdict.HALF or team_of(named[0], self._players) == team_of(
                self._seat, self._players
            ):
                continue
            if found is Verdict.RIGHT and isinstance(item, Counter):
                named = (max(named, key=self._most_gestures),)
            for seat in named:
                team, names = team_of(seat, self._players), self._names(seat)
                if found is Verdict.RIGHT:
                    self._book.teach_quartet(team, names)
                else:
                    self._book.teach_bluff(team, names)

    def _names(self, seat: Seat) -> list[str]:
        return [name for other, name in self._gestures if other == seat]

    def _most_gestures(self, seat: Seat) -> int:
        return max((count for (other, _), count in self._gestures.items() if other == seat), default=0)

    def _about(self, view: SeatView, item: CallItem) -> tuple[CallItem, Hands]:
        """A call with the hands it is about."""
        return item, tuple([view.state.hands[seat] for seat in self._named(view.rules, item)])

    def _named(self, rules: RuleSet, item: CallItem) -> tuple[Seat, ...]:
        return named_seats(rules, self._players, self._seat, item)
