"""A first deal that explains itself: each thing in a line or two when it first happens.

Pure: events and views in, lines out. Invariant:

1. Every lesson is given once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from kemps_p2p.game.cards import alike, is_quartet
from kemps_p2p.game.events import (
    Called,
    DealEnded,
    Event,
    Missed,
    PlayStarted,
    PoolShown,
    Scored,
    Swapped,
    Swept,
)
from kemps_p2p.game.rules import CounterTarget, Exchange, RuleSet, Scoring, Signals, Sweep
from kemps_p2p.game.views import SeatView
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.scene import Scene

NEAR_CARDS = 3
ONE_OTHER_TEAM = 4
"""So many players have one team against them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """How things are done where the lesson is given, in words that it makes sentences of.

    `agree` and `gesture` may name the gesture, as `{}`. `counter_named`: where a call says whom it is on.
    """

    agree: str
    gesture: str
    ready: str
    call: str
    counter: str
    counter_named: str
    swap: str
    put: str
    decline: str


IN_LINES = Ways(
    agree="`signal {}` tells {partner} alone what it will mean",
    gesture="`{}`",
    ready="`signal`",
    call="Say `kemps` now",
    counter="say `stop`",
    counter_named="say `stop` and the name",
    swap="`take 2 give 3` swaps card 2 of the middle for card 3 of your hand",
    put="`put 3` puts card 3 of your hand down, then `take 2` picks card 2 of the middle up",
    decline="`pass`",
)


class Lesson(Enum):
    """What can be explained."""

    POOL = auto()
    PLAY = auto()
    SWAPPED = auto()
    MISSED = auto()
    SWEPT = auto()
    NEAR = auto()
    QUARTET = auto()
    SIGNAL_SEEN = auto()
    CALLED = auto()
    SCORED = auto()
    ENDED = auto()


class Tutorial:
    """What has been explained, and what comes next."""

    def __init__(self, ways: Ways = IN_LINES) -> None:
        self._ways = ways
        self._given: set[Lesson] = set()

    def welcome(self, rules: RuleSet, partner: str) -> Iterator[str]:
        """What the game is about."""
        yield "lesson: collect four cards of one rank, and let your partner know without words"
        yield f"if {partner} then calls in time, the other team is beaten; if they notice first, you are"
        if rules.signals is Signals.GESTURES:
            yield f"agree on a secret sign now: {self._ways.agree.format('wink', partner=partner)}"
            yield "or take the sign that your partner whispers"

    def lesson(self, event: Event, view: SeatView, scene: Scene) -> Iterator[str]:
        """What an event teaches, if it is the first of its sort."""
        match event:
            case PoolShown():
                yield from self._once(Lesson.POOL, *_of_pool(view, self._ways))
            case PlayStarted():
                yield from self._once(Lesson.PLAY, *_of_play(view, self._ways))
            case Swapped(seat=seat) if seat != view.seat:
                text = "everybody plays at once, and what a player takes all can see: remember it"
                yield from self._once(Lesson.SWAPPED, text)
            case Missed(seat=seat) if seat == view.seat:
                text = "somebody was quicker: the table votes on who was first, nobody decides it alone"
                yield from self._once(Lesson.MISSED, text)
            case Swept():
                yield from self._once(Lesson.SWEPT, "nobody wanted these cards, so new ones are dealt")
            case Called(seat=seat):
                text = f"{scene.people.seat(seat)} calls: now the named hand is opened and checked by all"
                yield from self._once(Lesson.CALLED, text)
            case Scored():
                yield from self._once(Lesson.SCORED, *_of_scores(view))
            case DealEnded():
                yield from self._once(Lesson.ENDED, "that was a whole deal; the dealer starts the next one")
            case _:
                return

    def hand(self, view: SeatView, signal: str | None) -> Iterator[str]:
        """What the own cards teach."""
        cards = [held.card for held in view.hand]
        if is_quartet(cards):
            is_public = view.rules.signals is Signals.ONCE
            how = self._ways.ready if is_public else self._ways.gesture.format(signal or "wink")
            yield from self._once(
                Lesson.QUARTET,
                f"four of a kind! Make your sign, {how}, and hope that your partner is watching",
            )
        elif alike(cards) == NEAR_CARDS:
            yield from self._once(
                Lesson.NEAR, "three of a kind: wait for the fourth, and watch who else takes it"
            )

    def signal_seen(self, scene: Scene) -> Iterator[str]:
        """What to do about the partner's sign."""
        word = scene.rules.words.partner
        called = f" That is “{plain(word)}”." if word and not scene.is_ascii else ""
        yield from self._once(Lesson.SIGNAL_SEEN, f"that is your sign! {self._ways.call}.{called}")

    def _once(self, lesson: Lesson, *texts: str) -> Iterator[str]:
        if lesson not in self._given:
            self._given.add(lesson)
            yield from (f"lesson: {text}" for text in texts)


def _of_pool(view: SeatView, ways: Ways) -> Iterator[str]:
    yield "these cards lie in the middle for everybody; in a moment all may take from them"
    if view.rules.exchange is Exchange.SWAP:
        yield ways.swap
    else:
        yield ways.put


def _of_play(view: SeatView, ways: Ways) -> Iterator[str]:
    if view.rules.sweep is Sweep.PASS:
        yield f"play is open. Take what helps you to four of a kind; {ways.decline} if you want none of it"
    else:
        yield "play is open. Take what helps you to four of a kind; the dealer clears what nobody wants"
    is_named = view.rules.counter_target is CounterTarget.PLAYER or view.players > ONE_OTHER_TEAM
    counter = ways.counter_named if is_named else ways.counter
    yield f"if you think that an opponent has four of a kind, {counter}"


def _of_scores(view: SeatView) -> Iterator[str]:
    rules = view.rules
    if rules.scoring is Scoring.LETTERS:
        yield f"whoever is beaten collects a letter of {plain(rules.word)}; the whole word loses the match"
    elif rules.goal:
        yield f"the first team with {rules.goal} points wins the match"
