"""The rules a second time, to compare the engine with: plain, slow, on cards by name.

Written from the rule pages alone. It shares nothing with the engine: rules are plain values as TOML has
them, cards are texts, and everything is recounted from the cards that lie on the table.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

RANKS = "23456789TJQKA"
BETWEEN_DEALS = {"seated", "deal-over", "match-over"}
COUNTERS = {"counter", "double-counter"}


def pack_order(card: str) -> tuple[int, int, int]:
    return len(card), "CDHS".index(card[1]), RANKS.index(card[0])


def whole_pack(copies: int) -> list[str]:
    return [rank + suit + "'" * copy for copy in range(copies) for suit in "CDHS" for rank in RANKS]


@dataclass
class Lay:
    """The cards of a deal; what is in no pile was swept before."""

    hands: list[list[str]]
    pool: list[str]
    stock: list[str]
    swept: list[str]


@dataclass(frozen=True)
class Step:
    """An action by card names. `calls` are pairs of a sort and a target, -1 for none."""

    seat: int
    do: str
    take: tuple[str, ...] = ()
    give: tuple[str, ...] = ()
    calls: tuple[tuple[str, int], ...] = ()


class _Refused(Exception):
    pass


class _Missed(Exception):
    pass


def _demand(holds: bool) -> None:
    if not holds:
        raise _Refused


@dataclass
class Book:
    """A table that is played by the book. `lay` gives the cards of a deal, `shuffle` an order of cards."""

    rules: Mapping[str, Any]
    players: int
    dealer: int
    lay: Callable[[int, int], Lay]
    shuffle: Callable[[list[str]], list[str]]
    phase: str = "seated"
    hands: list[list[str]] = field(default_factory=list)
    pool: list[str] = field(default_factory=list)
    stock: list[str] = field(default_factory=list)
    swept: list[str] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    passed: set[int] = field(default_factory=set)
    barred: set[int] = field(default_factory=set)
    signalled: set[int] = field(default_factory=set)
    winners: list[int] = field(default_factory=list)
    opened: bool = False
    playoff: bool = False
    turn: int | None = None
    deals_over: int = 0
    deals_begun: int = 0
    matches: int = 0
    now_ms: int = 0
    idle_since_ms: int = 0
    verdicts: list[str] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)
    _up: set[str] = field(default_factory=set)
    """Hand cards that lie face up since the end of the deal."""
    _set: bool = False
    """Declarations are being settled as simultaneous, and all of them score."""
    _ends: bool = False

    def __post_init__(self) -> None:
        self.teams = self.players // 2
        self.scores = [0] * self.teams

    # What a test does with it.

    def wait(self, ms: int) -> None:
        self.now_ms += ms

    def step(self, step: Step) -> str:
        """Do it, and say what became of it; `verdicts` and `shown` are of this step."""
        self.verdicts, self.shown = [], set()
        before = self._face_up()
        result = self._try(step)
        self.shown -= before
        return result

    def together(self, steps: Sequence[Step]) -> list[str]:
        """Settle these as simultaneous."""
        self.verdicts, self.shown = [], set()
        before = self._face_up()
        order = list(range(len(steps)))
        if self.rules["simultaneous_calls"] == "counter-first":
            places = [index for index in order if steps[index].do == "call"]
            first = [index for index in places if self._has_counter(steps[index])]
            for place, index in zip(places, [*first, *(i for i in places if i not in first)], strict=True):
                order[place] = index
        self._set = self.rules["simultaneous_calls"] == "both"
        results, verdicts = [""] * len(steps), [[""] for _ in steps]
        for index in order:
            self.verdicts = []
            results[index] = self._try(steps[index])
            verdicts[index] = self.verdicts
        self._set = False
        self._decide()
        self.verdicts = [one for each in verdicts for one in each]
        self.shown -= before
        return results

    @staticmethod
    def _has_counter(step: Step) -> bool:
        return any(sort in COUNTERS for sort, _ in step.calls)

    # Steps.

    def _try(self, step: Step) -> str:
        try:
            _demand(0 <= step.seat < self.players)
            getattr(self, "_" + step.do.replace("-", "_"))(step)
        except _Refused:
            return "refused"
        except _Missed:
            return "missed"
        return "ok"

    def _demand_play(self, step: Step) -> None:
        _demand(self.phase == "open" and not self._is_stopped())
        _demand(self.turn is None or self.turn == step.seat)

    def _swap(self, step: Step) -> None:
        self._demand_play(step)
        take, give, hand = step.take, step.give, self.hands[step.seat]
        _demand(self.rules["exchange"] == "swap")
        _demand(0 < len(take) == len(give) <= self.rules["exchange_limit"])
        _demand(len({*take, *give}) == len(take) + len(give))
        _demand(set(give) <= set(hand))
        if not set(take) <= set(self.pool):
            raise _Missed
        self.hands[step.seat] = [card for card in hand if card not in give] + list(take)
        self.pool = [card for card in self.pool if card not in take] + list(give)
        self._pool_changed(give)
        self._turn_used(step.seat)

    def _discard(self, step: Step) -> None:
        self._demand_play(step)
        hand = self.hands[step.seat]
        _demand(self.rules["exchange"] == "discard-first" and len(hand) == 4 and len(step.give) == 1)
        _demand(step.give[0] in hand)
        hand.remove(step.give[0])
        self.pool.append(step.give[0])
        self._pool_changed(step.give)

    def _take(self, step: Step) -> None:
        self._demand_play(step)
        hand = self.hands[step.seat]
        _demand(self.rules["exchange"] == "discard-first" and len(hand) == 3 and len(step.take) == 1)
        if step.take[0] not in self.pool:
            raise _Missed
        self.pool.remove(step.take[0])
        hand.append(step.take[0])
        self._pool_changed(())
        self._turn_used(step.seat)

    def _pool_changed(self, put_down: Sequence[str]) -> None:
        self.passed = set()
        self.idle_since_ms = self.now_ms
        self.shown |= set(put_down)

    def _turn_used(self, seat: int) -> None:
        if self.turn is not None:
            self.turn = (seat + 1) % self.players

    def _pass(self, step: Step) -> None:
        self._demand_play(step)
        _demand(self.rules["sweep"] == "pass")
        _demand(len(self.hands[step.seat]) == 4 and step.seat not in self.passed)
        self.passed.add(step.seat)
        self._turn_used(step.seat)
        if len(self.passed) == self.players:
            if self._nothing_left():
                self._end_deal()
            else:
                self._sweep()

    def _nothing_left(self) -> bool:
        return self.rules["stock_out"] == "void" and not self.stock

    def _halt(self, step: Step) -> None:
        _demand(self.phase == "open" and not self._is_stopped() and self.rules["sweep"] == "idle")
        _demand(step.seat == self.dealer and all(len(hand) == 4 for hand in self.hands))
        _demand(self.now_ms - self.idle_since_ms >= round(self.rules["idle_seconds"] * 1000))
        if self._nothing_left():
            self._end_deal()
        else:
            self.phase = "halted"

    def _resume(self, step: Step) -> None:
        _demand(self.phase == "halted" and step.seat == self.dealer)
        self._sweep()

    def _sweep(self) -> None:
        size = self.rules["pool_size"]
        self.swept += self.pool
        if len(self.stock) < size and self.rules["stock_out"] == "recycle":
            self._recycle()
        self.pool, self.stock = self.stock[:size], self.stock[size:]
        self.shown |= set(self.pool)
        self._pool_lies()

    def _recycle(self) -> None:
        self.stock += self.shuffle(sorted(self.swept, key=pack_order))
        self.swept = []

    def _pool_lies(self) -> None:
        self.passed = set()
        self.phase = "dealt"
        if self.rules["start"] == "last-card":
            self._open()

    def _open(self) -> None:
        self.phase, self.opened, self.idle_since_ms = "open", True, self.now_ms

    def _go(self, step: Step) -> None:
        _demand(self.phase == "dealt" and self.rules["start"] == "go" and step.seat == self.dealer)
        self._open()

    def _mulligan(self, step: Step) -> None:
        hand, least = self.hands[step.seat] if self.hands else [], self.rules["mulligan"]
        _demand(self.phase == "dealt" and not self.opened and least > 0)
        ranks = [card[0] for card in hand]
        _demand(max(map(ranks.count, ranks)) >= least)
        _demand(len(self.stock) >= 4 or self.rules["stock_out"] == "recycle")
        self.shown |= set(hand)
        self.swept += hand
        if len(self.stock) < 4:
            self._recycle()
        self.hands[step.seat], self.stock = self.stock[:4], self.stock[4:]

    def _signal(self, step: Step) -> None:
        _demand(self.rules["signals"] == "once" and step.seat not in self.signalled)
        _demand(self.phase in {"dealt", "open", "halted"} and not self._is_stopped())
        if self.turn is not None:
            _demand(self.turn == step.seat and self.phase != "dealt")
        self.signalled.add(step.seat)

    def _gesture(self, step: Step) -> None:
        _demand(self.rules["signals"] == "gestures")

    def _say(self, step: Step) -> None:
        _demand(self.rules["speech"] or self.phase in BETWEEN_DEALS)

    def _next(self, step: Step) -> None:
        _demand(self.phase in BETWEEN_DEALS)
        if self.phase == "match-over":
            first = {"drawn": step.seat, "seat-0": 0, "rotates": (self.matches + 1) % self.players}
            _demand(step.seat == first[self.rules["first_dealer"]])
            self.matches += 1
            self.scores, self.deals_over, self.deals_begun, self.winners = [0] * self.teams, 0, 0, []
        elif self.phase == "deal-over":
            moved = self.rules["rotation"] == "clockwise"
            _demand(step.seat == (self.dealer + moved) % self.players)
        else:
            _demand(step.seat == self.dealer)
        self.dealer = step.seat
        lay = self.lay(self.matches, self.deals_begun)
        self.deals_begun += 1
        self.hands, self.pool, self.stock, self.swept = lay.hands, lay.pool, lay.stock, lay.swept
        self.barred, self.signalled, self._up, self.opened = set(), set(), set(), False
        self.turn = (self.dealer + 1) % self.players if self.rules["mode"] == "turns" else None
        self._pool_lies()

    # Calls.

    def _call(self, step: Step) -> None:
        _demand(self.phase == "open")
        _demand(self.turn is None or self.turn == step.seat)
        _demand(len(step.calls) == 1 or (len(step.calls) > 1 and self.rules["combine_calls"]))
        named = [self._named(step.seat, sort, target) for sort, target in step.calls]
        called = [seat for seats in named for seat in seats]
        _demand(len(set(called)) == len(called))
        found = [self._verdict(sort, seats) for (sort, _), seats in zip(step.calls, named, strict=True)]
        for (sort, target), seats, verdict in zip(step.calls, named, found, strict=True):
            self._score(step.seat % self.teams, sort, target, right=verdict == "right")
            for seat in seats:
                self._show(seat, verdict)
            if sort in COUNTERS and verdict != "right" and self.rules["bar_after_wrong_counter"]:
                self.barred.add(step.seat)
        self.verdicts += found
        self.shown |= self._up
        self._turn_used(step.seat)
        if self.turn is not None:
            # "In a row": whoever calls has not passed.
            self.passed = set()
        self._ends = self._ends or self._is_ending(step, found)
        if not self._set:
            self._decide()

    def _named(self, seat: int, sort: str, target: int) -> list[int]:
        _demand(sort in self.rules["calls"])
        partner = (seat + self.teams) % self.players
        if sort in {"partner", "double"}:
            return [partner] if sort == "partner" else [seat, partner]
        _demand(seat not in self.barred)
        is_one = sort == "counter" and self.rules["counter_target"] == "player"
        _demand(0 <= target < (self.players if is_one else self.teams))
        _demand(target % self.teams != seat % self.teams)
        return [target] if is_one else [target, target + self.teams]

    def _has_quartet(self, seat: int) -> bool:
        return len(self.hands[seat]) == 4 and len({card[0] for card in self.hands[seat]}) == 1

    def _verdict(self, sort: str, seats: Sequence[int]) -> str:
        held = [self._has_quartet(seat) for seat in seats]
        if sort in {"double", "double-counter"}:
            return "right" if all(held) else "half" if any(held) else "wrong"
        return "right" if any(held) else "wrong"

    def _score(self, own: int, sort: str, target: int, *, right: bool) -> None:
        is_counter = sort in COUNTERS
        others = [target % self.teams] if is_counter else [t for t in range(self.teams) if t != own]
        if self.rules["scoring"] == "letters":
            for team in others if right else [own]:
                self.scores[team] += 1
        elif right:
            self.scores[own] += self.rules["points_right"][sort]
        else:
            self.scores[own] += self.rules["points_wrong_caller"]
            for team in others:
                self.scores[team] += self.rules["points_wrong_other"]

    def _show(self, seat: int, verdict: str) -> None:
        hand = self.hands[seat]
        if self.rules["reveal"] == "hand" or self._has_quartet(seat):
            self._up |= set(hand)
        elif self.rules["reveal"] == "two-cards" and verdict != "right" and len(hand) == 4:
            first, *rest = sorted(hand, key=pack_order)
            self._up |= {first, next(card for card in rest if card[0] != first[0])}

    def _is_ending(self, step: Step, found: Sequence[str]) -> bool:
        if set(found) != {"wrong"} or self.rules["wrong_call"] == "ends-deal":
            return True
        if self.rules["wrong_call"] == "continue":
            return False
        return not all(sort in COUNTERS for sort, _ in step.calls)

    # Ends.

    def _reached(self) -> bool:
        if self.rules["scoring"] == "letters":
            return any(score >= len(self.rules["word"]) for score in self.scores)
        return self.rules["goal"] > 0 and any(score >= self.rules["goal"] for score in self.scores)

    def _is_stopped(self) -> bool:
        """The deal is over but for the other declarations that are settled as simultaneous."""
        return self._ends or (self._set and self.phase == "open" and self._reached() and not self.playoff)

    def _decide(self) -> None:
        if self.phase == "open" and (self._ends or (self._reached() and not self.playoff)):
            self._end_deal()
        elif self.phase not in BETWEEN_DEALS:
            self._up = set()

    def _end_deal(self) -> None:
        self._ends = False
        self.deals_over += 1
        self.passed = set()
        self.phase = "deal-over"
        limit = self.rules["deal_limit"]
        if isinstance(limit, Mapping):
            limit = limit.get(str(self.players), 0)
        letters = self.rules["scoring"] == "letters"
        if letters and self._reached():
            self._end_match([t for t in range(self.teams) if self.scores[t] < len(self.rules["word"])])
            return
        if not (self._reached() or self.playoff or 0 < limit <= self.deals_over):
            return
        best = min(self.scores) if letters else max(self.scores)
        ahead = [team for team in range(self.teams) if self.scores[team] == best]
        if len(ahead) > 1 and self.rules["tie"] == "playoff":
            self.playoff = True
        else:
            self._end_match(ahead)

    def _end_match(self, winners: list[int]) -> None:
        self.phase, self.winners, self.playoff = "match-over", winners, False

    def _face_up(self) -> set[str]:
        return {*self.pool, *self._up}
