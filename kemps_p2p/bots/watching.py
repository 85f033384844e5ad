"""What a bot makes of the others: the partner's signal, opponents' gestures, cards taken in public.

Each observation is judged once, with one draw; what comes of it is a call planned for later. Knows no
cards but those a reading shows. Invariants:

1. How often it is asked changes nothing: only a new observation draws.
2. A plan against a seat lapses when that seat exchanges cards, and is not acted on while public cards
   rule a quartet out.
3. The same hands are not called twice.
"""

from random import Random

import msgspec

from kemps_p2p.bots.pace import Manners
from kemps_p2p.bots.pact import Pact
from kemps_p2p.bots.reading import Reading
from kemps_p2p.game.actions import Call, Counter, Partner
from kemps_p2p.game.cards import QUARTET_CARDS
from kemps_p2p.game.gestures import FIDGETS
from kemps_p2p.game.rules import CounterTarget
from kemps_p2p.game.scoring import named_seats
from kemps_p2p.game.seating import partner_of, team_of
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position, Seat

UNKNOWN_SIGNAL_TIMES = 3
"""Without an agreement, a gesture that the partner makes so often is taken for the signal."""
ONE_PAIR_OF_OPPONENTS = 2

_MEANINGLESS = frozenset(fidget.name for fidget in FIDGETS)

Hands = tuple[tuple[Position, ...], ...]


class Planned(msgspec.Struct, frozen=True):
    """A call on a seat's hand, and when to make it."""

    due_ms: int
    seat: Seat


class Watch:
    """One seat's attention during a deal."""

    def __init__(self, seat: Seat, players: int, rng: Random, manners: Manners, pact: Pact) -> None:
        self._seat = seat
        self._players = players
        self._rng = rng
        self._manners = manners
        self._pact = pact
        self._partner = partner_of(seat, players)
        self._attention = ONE_PAIR_OF_OPPONENTS / (players - 2)
        self.begin_deal()

    def begin_deal(self) -> None:
        """A new deal: whatever was seen before means nothing now."""
        self._plans: dict[Seat, Planned] = {}
        self._gestures: dict[tuple[Seat, str], int] = {}
        self._judged: set[tuple[Seat, int, int]] = set()
        self._called: set[tuple[Call, Hands]] = set()
        self._calling: tuple[Call, Hands] | None = None
        self._accused: tuple[Seat, ...] = ()

    def exchanged(self, seat: Seat) -> None:
        """A seat changed its hand: what its face said before is about another hand."""
        self._plans.pop(seat, None)
        self._gestures = {key: count for key, count in self._gestures.items() if key[0] != seat}

    def gestured(self, seat: Seat, name: str, now_ms: int) -> None:
        """Somebody made a gesture."""
        if seat == self._seat or name in _MEANINGLESS:
            return
        before = self._gestures.get((seat, name), 0)
        self._gestures[seat, name] = before + 1
        if seat == self._partner:
            chance = self._chance_of_partner(name, before)
        else:
            chances = self._manners.suspects_gestures
            chance = chances[min(before, len(chances) - 1)] * self._attention
        self._consider(seat, chance, now_ms)

    def signalled(self, seat: Seat, now_ms: int) -> None:
        """A seat gave the one public signal that some rules have: it says so to the whole table."""
        if seat == self._seat:
            return
        is_partner = seat == self._partner
        self._consider(seat, 1.0 if is_partner else self._manners.suspects_three, now_ms)

    def _chance_of_partner(self, name: str, before: int) -> float:
        is_signal = self._pact.means_quartet(name)
        if is_signal is None:
            is_signal = before + 1 >= UNKNOWN_SIGNAL_TIMES
        return self._manners.notices_signal if is_signal else self._manners.misreads

    def look(self, reading: Reading, now_ms: int) -> None:
        """Judge what the seats have collected in public."""
        chances = {
            2: self._manners.suspects_two * self._attention,
            3: self._manners.suspects_three * self._attention,
            4: self._manners.suspects_four,
        }
        for index, seen in enumerate(reading.seen):
            most = max(seen)
            if most < min(chances):
                continue
            seat, which = Seat(index), seen.index(most)
            if (seat, which, most) in self._judged or not reading.could_hold(seat, which):
                continue
            self._judged.add((seat, which, most))
            # A partner with a quartet that is not there for all to see is sure to signal.
            if seat != self._partner or most == QUARTET_CARDS:
                self._consider(seat, chances[most], now_ms)

    def _consider(self, seat: Seat, chance: float, now_ms: int) -> None:
        if self._rng.random() >= chance:
            return
        due_ms = now_ms + self._manners.notice.draw(self._rng) + self._manners.speak.draw(self._rng)
        standing = self._plans.get(seat)
        if standing is None or due_ms < standing.due_ms:
            self._plans[seat] = Planned(due_ms, seat)

    def plans(self, view: SeatView, reading: Reading) -> tuple[Planned, ...]:
        """The calls to make, the earliest first."""
        plans = [
            plan
            for seat, plan in self._plans.items()
            if reading.could_hold_any(seat)
            and self._about(view, self.call_on(view, seat)) not in self._called
        ]
        return tuple(sorted(plans, key=lambda plan: (plan.due_ms, plan.seat)))

    def call_on(self, view: SeatView, seat: Seat) -> Call:
        """The declaration that a seat's hand is a quartet."""
        if seat == self._partner:
            return Call(calls=(Partner(),))
        names_team = view.rules.counter_target is CounterTarget.TEAM
        return Call(calls=(Counter(target=team_of(seat, self._players) if names_team else seat),))

    def calling(self, view: SeatView, call: Call) -> None:
        """The own call is under way."""
        self._calling = self._about(view, call)
        self._accused = self._named(view, call)

    def called(self) -> None:
        """The own call stands. If play goes on after it, what led to it is not evidence once more."""
        if self._calling is None:
            return
        self._called.add(self._calling)
        for seat in self._accused:
            self._plans.pop(seat, None)

    def _about(self, view: SeatView, call: Call) -> tuple[Call, Hands]:
        """A call with the hands it is about."""
        return call, tuple([view.state.hands[seat] for seat in self._named(view, call)])

    def _named(self, view: SeatView, call: Call) -> tuple[Seat, ...]:
        return tuple(
            [seat for item in call.calls for seat in named_seats(view.rules, self._players, self._seat, item)]
        )
