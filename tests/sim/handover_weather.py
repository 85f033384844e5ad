"""The weather over the model of the hand-over: who stops, who hears whom, and when. A run is a seed.

Knows nothing of the rule: every variant goes through the same weather.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import TypeAlias

from handover_model import Acked, Broken, Fork, Kind, Message, Shown, Status, Table, Variant

from kemps_p2p.ids import Seat

SIZES = (4, 6, 8)

Span: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """How often what happens, beside 100 deliveries: each run draws its own between these bounds."""

    appends: Span = (1, 30)
    checkpoints: Span = (0, 6)
    suspicions: Span = (0, 20)
    showings: Span = (0, 10)
    failures: Span = (0, 4)
    splits: Span = (0, 4)
    black_outs: Span = (0, 0.2)
    meetings: Span = (0, 30)
    doubled: Span = (0, 0.1)
    lost: Span = (0, 0.2)
    unseen: Span = (0, 0.5)
    """Of take-overs, the share whose first words reach nobody."""
    unheard: Span = (0, 1)
    """Of acks, the share that does not arrive: what is final, hardly anybody knows."""


SQUALLS = Weather()
STUMBLES = Weather(
    suspicions=(0, 0), failures=(0, 1), splits=(0, 0), meetings=(5, 60), unseen=(0.9, 0.95), unheard=(0.9, 1)
)
"""One sequencer after the other takes over, and fails before it has said so."""
CRASHES = Weather(failures=(10, 25), splits=(0, 0), meetings=(10, 30), unheard=(0.9, 1))
WEATHERS = (SQUALLS, STUMBLES, CRASHES)


class Run:
    """One table of a seed in one kind of weather."""

    def __init__(self, seed: int, seats: int, variant: Variant, weather: Weather) -> None:
        self._rng = Random(seed)
        self.table = Table(seats, variant, self._send)
        self._seats = self.table.seats
        self._flight: list[tuple[Seat, Seat, Message]] = []
        # What is more is lost: else a run drowns in old messages and seldom comes to a second hand-over.
        self._flight_max = 3 * seats * (seats - 1)
        self._meeting: frozenset[Seat] = frozenset()
        self._talk: deque[tuple[Seat, Message]] = deque()
        self._cut_off: frozenset[Seat] = frozenset()
        moves = (
            (self._deliver, (100, 100)),
            (self._append, weather.appends),
            (self._checkpoint, weather.checkpoints),
            (self.table.suspect, weather.suspicions),
            (self.table.show, weather.showings),
            (self._fail, weather.failures),
            (self._split, weather.splits),
            (self._black_out, weather.black_outs),
            (self._meet, weather.meetings),
        )
        draw = self._rng.uniform
        self._moves: tuple[Callable[[Seat], None], ...] = tuple(move for move, _ in moves)
        self._weights = tuple(accumulate(draw(*span) for _, span in moves))
        self._doubled, self._lost = draw(*weather.doubled), draw(*weather.lost)
        self._unseen, self._unheard = draw(*weather.unseen), draw(*weather.unheard)

    def storm(self, moves: int) -> None:
        """Raises `Fork` or `Broken`."""
        for _ in range(moves):
            (move,) = self._rng.choices(self._moves, cum_weights=self._weights)
            move(self._rng.choice(self._seats))

    def calm(self) -> None:
        """All are up and hear each other. Raises `Broken` unless the table goes on and all know it."""
        self._unseen = self._unheard = 0.0
        self._flight.clear()
        for seat in self._seats:
            if not self.table.peers[seat].is_up:
                self.table.restart(seat)
        before = self.table.log[self.table.final].index
        for _ in range(4 * len(self._seats)):
            self._hold(self._seats, self.table.suspect)
            self._hold(self._seats, self._append)
            final = self.table.final
            if self.table.log[final].index > before + 1 and all(
                peer.status is Status.NORMAL and peer.final == final for peer in self.table.peers
            ):
                return
        raise Broken("a table that hears each other does not go on")

    # Moves

    def _deliver(self, _seat: Seat) -> None:
        if not self._flight:
            return
        chance = self._rng.random()
        at = self._rng.randrange(len(self._flight))
        sender, receiver, message = self._flight[at]
        if (sender in self._cut_off) != (receiver in self._cut_off):
            return
        if chance > self._doubled:
            # Else it stays in flight, and comes once more.
            self._flight[at] = self._flight[-1]
            self._flight.pop()
        if chance > self._lost and self.table.peers[receiver].is_up:
            self.table.hear(receiver, message)

    def _append(self, seat: Seat) -> None:
        self.table.append(seat, Kind.PLAIN)

    def _checkpoint(self, seat: Seat) -> None:
        self.table.append(seat, Kind.CHECKPOINT)

    def _fail(self, seat: Seat) -> None:
        (self.table.crash if self.table.peers[seat].is_up else self.table.restart)(seat)

    def _black_out(self, _seat: Seat) -> None:
        self._flight.clear()
        for seat in self._seats:
            self.table.restart(seat)

    def _split(self, _seat: Seat) -> None:
        """The network splits, otherwise than before, or heals."""
        count = self._rng.randrange(len(self._seats) // 2 + 1)
        self._cut_off = frozenset(self._rng.sample(self._seats, count))

    def _meet(self, _seat: Seat) -> None:
        """Just enough seats hear each other for a while, and suspect whoever is on duty."""
        self._hold(self._rng.sample(self._seats, self.table.quorum), self.table.suspect)

    def _hold(self, seats: list[Seat], move: Callable[[Seat], None]) -> None:
        """Among these seats everything arrives at once."""
        self._meeting = frozenset(seats)
        for seat in seats:
            move(seat)
        while self._talk:
            receiver, message = self._talk.popleft()
            if self.table.peers[receiver].is_up:
                self.table.hear(receiver, message)
        self._meeting = frozenset()

    def _is_lost(self, message: Message) -> bool:
        """Whether what a sequencer says first is heard by nobody."""
        if not isinstance(message, Shown) or self.table.log[message.head].kind is not Kind.TAKE_OVER:
            return False
        return self._rng.random() < self._unseen

    def _send(self, seat: Seat, message: Message) -> None:
        if self._is_lost(message):
            return
        for other in self._seats:
            if other == seat or (isinstance(message, Acked) and self._rng.random() < self._unheard):
                continue
            if seat in self._meeting and other in self._meeting:
                self._talk.append((other, message))
            elif len(self._flight) < self._flight_max:
                self._flight.append((seat, other, message))
            else:
                self._flight[self._rng.randrange(self._flight_max)] = seat, other, message


def play(seed: int, seats: int, variant: Variant = Variant.RULE, *, moves: int = 150) -> Table:
    """A storm, then calm. Raises `Fork` or `Broken`."""
    run = Run(seed, seats, variant, WEATHERS[seed % len(WEATHERS)])
    run.storm(moves)
    run.calm()
    return run.table


def first_fork(variant: Variant, seeds: range, seats: int) -> int | None:
    """The first seed that forks; None if none does."""
    for seed in seeds:
        try:
            play(seed, seats, variant)
        except Fork:
            return seed
        except Broken:
            # A naive table may also stop for ever: that is not what is looked for.
            continue
    return None
