"""Where a replay stands: the moment, the eyes, whether it runs and how fast. Keys in; knows no sheet.

The match comes as a `Story`, which somebody else has made from a log. Pure: the time comes in. Invariants:

1. Every moment and every perspective can be reached by keys alone.
2. Time moves it only while it runs, and never beyond the last moment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from kemps_p2p.game.cards import Card
from kemps_p2p.game.record import State
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.ids import Position, Seat
from kemps_p2p.wording.eyes import Whose, Wide, everybody
from kemps_p2p.wording.people import People

SEAT_KEYS = "123456789"
LEAP = 10
WAIT_MS_MAX = 5000


class Told(Protocol):
    """What happened at a moment."""

    @property
    def entry(self) -> int:
        """The entry of the log."""

    @property
    def at_ms(self) -> int:
        """Since the match began."""

    @property
    def event(self) -> str:
        """Its kind."""


class Moment(Protocol):
    """One thing that happened, and the table as it was then."""

    @property
    def line(self) -> Told:
        """What."""

    @property
    def game(self) -> State:
        """The table."""

    @property
    def clock(self) -> str:
        """When, in words."""

    @property
    def day(self) -> str:
        """The time of day by one clock."""


class Mark(Protocol):
    """Where a numbered thing is."""

    @property
    def number(self) -> int:
        """Counts from 1."""

    @property
    def index(self) -> int:
        """Its moment."""


class Story(Protocol):
    """A match from its log, moment by moment."""

    @property
    def people(self) -> People:
        """Who sits where."""

    @property
    def rules(self) -> RuleSet:
        """Of the match."""

    @property
    def moments(self) -> Sequence[Moment]:
        """In order; at least one."""

    @property
    def calls(self) -> Sequence[Mark]:
        """Where each call is made."""

    @property
    def races(self) -> Sequence[Mark]:
        """Where each race is told."""

    @property
    def deals(self) -> Sequence[Mark]:
        """Where each deal starts."""

    def faces(self, index: int, whose: Whose) -> Mapping[Position, Card]:
        """The faces that are seen at a moment."""

    def text(self, index: int, whose: Whose) -> str:
        """A moment in words."""

    def words(self, index: int) -> Sequence[str]:
        """What each witness said of the race told at a moment."""


@dataclass(frozen=True, slots=True)
class Speed:
    """`times` as fast as it was played, or a step every `step_ms`."""

    label: str
    times: int = 0
    step_ms: int = 0


SPEEDS = (
    Speed("as played", times=1),
    Speed("4 times as played", times=4),
    Speed("a step a second", step_ms=1000),
    Speed("4 steps a second", step_ms=250),
)


@dataclass(slots=True)
class Reel:
    """A replay under way."""

    story: Story
    index: int = 0
    whose: Whose = Wide.ALL
    speed: int = 2
    is_running: bool = False
    is_helped: bool = False
    told: str = ""
    """Why the last key did nothing."""
    due_ms: int = 0

    @property
    def last(self) -> int:
        """The last moment."""
        return len(self.story.moments) - 1

    @property
    def moment(self) -> Moment:
        """Where it stands."""
        return self.story.moments[self.index]

    def go(self, index: int) -> None:
        """Go to a moment, or to the first or last one beyond them."""
        self.index = min(max(index, 0), self.last)

    def tick(self, now_ms: int) -> bool:
        """Step on as often as it is time; true if anything has changed."""
        before = self.index
        while self.is_running and now_ms >= self.due_ms:
            self.go(self.index + 1)
            self._await_next(self.due_ms)
        return self.index != before

    def _await_next(self, now_ms: int) -> None:
        if self.index == self.last:
            self.is_running = False
            return
        speed = SPEEDS[self.speed]
        wait_ms = speed.step_ms
        if speed.times:
            apart = self.story.moments[self.index + 1].line.at_ms - self.moment.line.at_ms
            wait_ms = min(apart, WAIT_MS_MAX) // speed.times
        self.due_ms = now_ms + max(wait_ms, 1)

    def press(self, key: str, now_ms: int) -> bool:
        """Do what a key says; false if it says to leave."""
        self.told = ""
        if self.is_helped:
            self.is_helped = False
            return True
        match key:
            case "q" | "escape":
                return False
            case "?":
                self.is_helped = True
            case "space":
                self._run(now_ms)
            case "+" | "=":
                self._set_speed(self.speed + 1, now_ms)
            case "-" | "_":
                self._set_speed(self.speed - 1, now_ms)
            case "tab" | "shift+tab" | "0" | "t" | "T":
                self._look(key)
            case _ if len(key) == 1 and key in SEAT_KEYS:
                if int(key) <= self.story.people.seats:
                    self.whose = Seat(int(key) - 1)
            case _:
                self._move(key)
        return True

    def _move(self, key: str) -> None:
        marks = {"c": self.story.calls, "r": self.story.races, "d": self.story.deals}
        match key:
            case "right":
                self.go(self.index + 1)
            case "left":
                self.go(self.index - 1)
            case "pagedown":
                self.go(self.index + LEAP)
            case "pageup":
                self.go(self.index - LEAP)
            case "home":
                self.go(0)
            case "end":
                self.go(self.last)
            case "c" | "r" | "d":
                self._jump(key, [mark.index for mark in marks[key] if mark.index > self.index][:1])
            case "C" | "R" | "D":
                self._jump(key, [mark.index for mark in marks[key.lower()] if mark.index < self.index][-1:])
            case _:
                pass

    def _jump(self, key: str, found: Sequence[int]) -> None:
        if found:
            self.go(found[0])
            return
        sort = {"c": "call", "r": "race", "d": "deal"}[key.lower()]
        self.told = f"There is no {'earlier' if key.isupper() else 'later'} {sort}"

    def _look(self, key: str) -> None:
        if key == "0":
            self.whose = Wide.ALL
        elif key in "tT":
            self.whose = Wide.TABLE
        else:
            eyes = everybody(self.story.people)
            step = 1 if key == "tab" else -1
            self.whose = eyes[(eyes.index(self.whose) + step) % len(eyes)]

    def _run(self, now_ms: int) -> None:
        if self.is_running:
            self.is_running = False
            return
        if self.index == self.last:
            self.go(0)
        self.is_running = True
        self._await_next(now_ms)

    def _set_speed(self, speed: int, now_ms: int) -> None:
        self.speed = min(max(speed, 0), len(SPEEDS) - 1)
        if self.is_running:
            self._await_next(now_ms)


HELP = (
    ("Left, Right", "one step back, one step on"),
    ("PgUp, PgDn", "ten steps; Home, End: the first and the last moment"),
    ("Space", "play, and pause"),
    ("+ -", "faster and slower"),
    ("c C", "the next call, the one before"),
    ("r R", "the next race, the one before"),
    ("d D", "the next deal, the one before"),
    ("0", "see all hands, as far as the seeds were opened"),
    ("t", "see what all saw"),
    ("1 to 9", "see as a seat could; 1: seat 0; Tab, Shift+Tab: the next"),
    ("?", "these keys"),
    ("q", "leave"),
)
"""Every key, and what it does."""
