"""What has just happened, for as long as it is worth showing: the story, moves, faces, words, notices.

Fed with sights; the game itself is in the view, and nothing here is asked about it. Invariants:

1. A gesture is never put into words: it is a movement of a face, for as long as it lasts.
2. What the partner whispers while cards are in play is held back until they are not.
3. Only the last lines of a story are kept.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Call
from kemps_p2p.game.events import (
    Answered,
    Called,
    DealEnd,
    DealEnded,
    DealLost,
    Dealt,
    Discarded,
    Event,
    FalseDenial,
    Gestured,
    MatchEnded,
    Missed,
    Passed,
    PlayoffAhead,
    PlayStarted,
    PoolDealt,
    PoolShown,
    Said,
    Scored,
    Settled,
    Signalled,
    Swapped,
    Took,
    TurnedUp,
    TurnMoved,
    Unopened,
    Verdicts,
)
from kemps_p2p.game.gestures import length_ms
from kemps_p2p.game.record import Result, is_running
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import Result as Outcome
from kemps_p2p.runtime.sights import Refused, Sight, StandInFailed
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import Want
from kemps_p2p.session.presence import Away
from kemps_p2p.tui.recent import Line, Recent, Tone, Until, Words
from kemps_p2p.wording.absence import absence_text, failed_text
from kemps_p2p.wording.actions import action_text
from kemps_p2p.wording.events import ENDS, event_text
from kemps_p2p.wording.faults import FAULTS
from kemps_p2p.wording.observing import struck_text
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.presence import away_text
from kemps_p2p.wording.races import met_text
from kemps_p2p.wording.refusals import refusal_text
from kemps_p2p.wording.scene import Scene
from kemps_p2p.wording.scores import winners_text
from kemps_p2p.wording.tutorial import Tutorial
from kemps_p2p.wording.waiting import ready_text

MOVE_MS = 1300
SPEECH_MS = 6000
NOTICE_MS = 4000
FLASH_MS = 350
RACE_MS = 1500
"""Who was first, and who saw it, is not pushed away by the bare word that it was too late."""
UNSEEN_MAX = 24


_SILENT = (Gestured, TurnedUp, PoolDealt, PoolShown, TurnMoved)
"""What is seen on the table, and would only push what matters out of the story."""
_LOUD = (Called, Verdicts, Scored, DealEnded, DealLost, PlayoffAhead, MatchEnded)


_Exchange = Swapped | Discarded | Took


@dataclass(frozen=True, slots=True)
class _Unseen:
    """What was told of an exchange before its cards were face up, and how to tell it anew."""

    shown: Line | Until
    tell: Callable[[Scene], str]


class News:
    """What one sitting has told lately. The clock is the screen's own."""

    def __init__(self, sitting: Sitting, *, is_ascii: bool, tutorial: Tutorial | None = None) -> None:
        self._sitting = sitting
        self._is_ascii = is_ascii
        self._tutorial = tutorial
        self.recent = Recent()
        self._refusal: Until | None = None
        self._held: list[Words] = []
        self._raced_ms = -RACE_MS
        self._unseen: list[_Unseen] = []
        self._faults: set[tuple[Fault, int | None]] = set()
        self._silent: set[Seat] = set()

    def tell(self, text: str, now_ms: int, tone: Tone = Tone.PLAIN) -> None:
        """Say something at once, and keep it in the story."""
        text = text[:1].upper() + text[1:]
        self.recent.story.append(Line(text, tone))
        self.notify(text, now_ms)

    def notify(self, text: str, now_ms: int) -> None:
        """Say something for a moment."""
        self.recent.notice = Until(text[:1].upper() + text[1:], now_ms, now_ms + NOTICE_MS)

    def refuse(self, text: str, now_ms: int) -> None:
        """Say for a moment why something cannot be done; no longer than until the seat acts or play opens."""
        self.notify(text, now_ms)
        self._refusal = self.recent.notice

    def _forget_refusal(self) -> None:
        if self._refusal is not None and self.recent.notice is self._refusal:
            self.recent.notice = None
        self._refusal = None

    def whispered(self, text: str) -> None:
        """The person has whispered."""
        self.recent.talk.append(Words(self._sitting.seat, plain(text)))

    def hear(self, sight: Sight, now_ms: int) -> None:
        """Take in a sight."""
        sitting = self._sitting
        people = sitting.people
        match sight:
            case fx.TableFormed():
                if self._tutorial is not None:
                    self._teach(self._tutorial.welcome(sitting.rules, people.seat(sitting.partner)))
            case fx.MatchClosed():
                return
            case fx.Happened(events=events):
                self._events(events, sitting.scene(sight.game, is_ascii=self._is_ascii), now_ms)
            case fx.Known(action=action, result=Outcome.REFUSED) if not is_running(sitting.view().state):
                text = action_text(sitting.seat, action, self._scene())
                self.tell(f"too late to {text}: the deal is over", now_ms)
            case fx.Known(action=action, result=Outcome.REFUSED):
                text = action_text(sitting.seat, action, self._scene())
                self.tell(f"too late to {text}: the table has moved on", now_ms)
            case fx.Known():
                # What was done or missed is told by its event, some milliseconds later.
                return
            case fx.Raced(race=race):
                self.tell(met_text(race, people), now_ms, Tone.LOUD)
                self._raced_ms = now_ms
            case fx.GestureSeen(seat=seat, name=name):
                self.recent.gestures[seat] = Until(name, now_ms, now_ms + length_ms(name))
            case fx.Whispered(text=text):
                self._held.append(Words(sitting.partner, plain(text)))
            case fx.Wanted(seat=seat, want=want, did=did):
                self._wanted(seat, want, did, now_ms)
            case fx.ObserverStruck(is_proven=is_proven):
                self.tell(struck_text(is_proven=is_proven), now_ms)
            case fx.VotedAbsent() | fx.SeatStruck() | fx.SeatBack() | fx.StandInOffered():
                self.tell(absence_text(sight, sitting.owners), now_ms, Tone.LOUD)
            case fx.StandInAgreed() | fx.SeatHeld() | fx.PlayerAsks():
                self.tell(absence_text(sight, sitting.owners), now_ms, Tone.LOUD)
            case fx.FaultFound(fault=fault):
                if (fault.code, fault.culprit) not in self._faults:
                    self._faults.add((fault.code, fault.culprit))
                    who = "somebody" if fault.culprit is None else people.seat(fault.culprit)
                    self.tell(f"fault of {who}: {FAULTS[fault.code]}", now_ms, Tone.LOUD)
            case StandInFailed(seat=seat, text=text):
                self.tell(failed_text(seat, text, sitting.owners), now_ms, Tone.LOUD)
            case Refused(action=action, reason=reason):
                text = action_text(sitting.seat, action, self._scene())
                self.tell(f"you cannot {text}: {refusal_text(reason)}", now_ms)
            case _:
                assert_never(sight)

    def release(self) -> None:
        """Show what was whispered while cards were in play."""
        self.recent.talk += self._held
        self._held.clear()

    def watch(self, watched: Seat, sight: Sight) -> None:
        """What the face that is watched teaches."""
        if self._tutorial is None or not isinstance(sight, fx.GestureSeen):
            return
        sitting = self._sitting
        if watched == sight.seat == sitting.partner and sight.name == sitting.signal:
            self._teach(self._tutorial.signal_seen(self._scene()))

    def _teach(self, lines: Iterable[str]) -> None:
        """Show a lesson in place of the last one, if there is any."""
        told = [line.removeprefix("lesson: ") for line in lines]
        if told:
            self.recent.lessons = [line[:1].upper() + line[1:] for line in told]

    def _scene(self) -> Scene:
        return self._sitting.scene(is_ascii=self._is_ascii)

    def notice_away(self, away: Sequence[Away], now_ms: int) -> None:
        """Tell who has fallen silent, and who is back; who has said that it leaves was told when it did."""
        silent = {each.seat: each for each in away if not each.has_left}
        people = self._sitting.people
        for seat in silent.keys() - self._silent:
            self.tell(away_text(silent[seat], people), now_ms, Tone.LOUD)
        # Who stands in is heard from now on, and that was told.
        for seat in self._silent - {each.seat for each in away} - self._sitting.held():
            self.tell(f"{people.seat(seat)} is back", now_ms)
        self._silent = set(silent)

    def _wanted(self, seat: Seat, want: Want, did: Want, now_ms: int) -> None:
        who = self._sitting.people.seat(seat)
        if seat == self._sitting.seat:
            return
        match want:
            case Want.PAUSE:
                self.tell(f"{who} wants a break", now_ms)
            case Want.ABANDON:
                self.tell(f"{who} wants to abandon the match", now_ms, Tone.LOUD)
            case Want.WALK_OVER:
                self.tell(f"{who} has signed a walk-over", now_ms, Tone.LOUD)
            case Want.PLAY_ON if did is Want.HUDDLE:
                if self._sitting.has_begun and not is_running(self._sitting.view().state):
                    self.notify(ready_text((seat,), self._sitting.people), now_ms)
            case Want.PLAY_ON if did is Want.GONE:
                self.tell(f"{who} is back", now_ms)
            case Want.PLAY_ON:
                self.tell(f"{who} wants to play on", now_ms)
            case Want.GONE:
                back = ", and may come back (kemps rejoin)" if self._sitting.has_begun else ""
                self.tell(f"{who} has left the table{back}", now_ms, Tone.LOUD)
            case Want.AS_OTHERS | Want.HUDDLE:
                # Who is not ready is told in the last row for as long as it matters.
                return

    def _events(self, events: Iterable[Event], scene: Scene, now_ms: int) -> None:
        for event in events:
            self._show(event, scene, now_ms)
            if self._tutorial is not None:
                view = self._sitting.view()
                self._teach(self._tutorial.lesson(event, view, scene))
                self._teach(self._tutorial.hand(view, self._sitting.signal))
            for line in _lines(event, scene, self._sitting.seat):
                self.recent.story.append(line)
                self._note_unseen(event, line, partial(_sentence, event))
            if self.recent.ending or isinstance(event, Called | DealEnded | DealLost):
                self.recent.ending += _ending(event, scene)

    def _show(self, event: Event, scene: Scene, now_ms: int) -> None:
        """What an event looks like on the table, beside its line."""
        is_own = isinstance(event, _Exchange | Passed) and event.seat == self._sitting.seat
        if is_own or isinstance(event, Dealt | PlayStarted):
            self._forget_refusal()
        match event:
            case Dealt():
                self._unseen.clear()
                self.recent.lessons.clear()
                self.recent.moves.clear()
                self.recent.fresh.clear()
                self.recent.ending.clear()
            case TurnedUp():
                self._see(scene)
            case Swapped(seat=seat, gave=gave):
                self._exchanged(event, seat, scene, now_ms)
                self._left(seat, gave, scene, now_ms)
            case Discarded(seat=seat, gave=card):
                self._exchanged(event, seat, scene, now_ms)
                self._left(seat, (card,), scene, now_ms)
            case Took(seat=seat):
                self._exchanged(event, seat, scene, now_ms)
            case Missed(seat=seat) if seat == self._sitting.seat and now_ms - self._raced_ms > RACE_MS:
                self.notify(event_text(event, scene), now_ms)
            case Called():
                # A wrong call lets some deals go on; what is shown at the end began with the last one.
                self.recent.ending.clear()
                self.notify(event_text(event, scene), now_ms)
                self.recent.flash = Until("", now_ms, now_ms + FLASH_MS)
                self.recent.rings += 1
            case Verdicts():
                self.notify(event_text(event, scene), now_ms)
            case DealEnded():
                # The showdown tells how it ended, and has not room to tell it twice.
                self.recent.notice = None
            case Said(seat=seat, text=text):
                self.recent.speech[seat] = Until(plain(text), now_ms, now_ms + SPEECH_MS)
                if not is_running(self._sitting.view().state):
                    self.recent.talk.append(Words(seat, plain(text), is_public=True))
                    self.notify(f"{scene.people.seat(seat)}: “{plain(text)}”", now_ms)
            case Gestured(seat=seat, name=name) if seat == self._sitting.seat:
                # The own face, also when the program has moved it; others' are seen when they arrive.
                self.recent.gestures[seat] = Until(name, now_ms, now_ms + length_ms(name))
            case Signalled(seat=seat):
                self._moved(seat, "ready!", now_ms)
            case _:
                return

    def _moved(self, seat: Seat, text: str, now_ms: int) -> None:
        self.recent.moves[seat] = Until(text, now_ms, now_ms + MOVE_MS)

    def _exchanged(self, event: _Exchange, seat: Seat, scene: Scene, now_ms: int) -> None:
        self._moved(seat, _signs(event, scene), now_ms)
        self._note_unseen(event, self.recent.moves[seat], partial(_signs, event))

    def _note_unseen(self, event: Event, shown: Line | Until, tell: Callable[[Scene], str]) -> None:
        """A card that is left is turned up some milliseconds later: then it is told what it was."""
        if isinstance(event, _Exchange):
            self._unseen = [*self._unseen, _Unseen(shown, tell)][-UNSEEN_MAX:]

    def _see(self, scene: Scene) -> None:
        for unseen in self._unseen:
            unseen.shown.text = unseen.tell(scene)

    def _left(self, seat: Seat, cards: Iterable[Position], scene: Scene, now_ms: int) -> None:
        for card in cards:
            self.recent.fresh[card] = Until(scene.people.seat(seat), now_ms, now_ms + MOVE_MS)


def _lines(event: Event, scene: Scene, own: Seat) -> Iterator[Line]:
    if isinstance(event, _SILENT) or (isinstance(event, Settled) and event.result == Result.OK):
        return
    if isinstance(event, Settled) and event.seat != own and not isinstance(event.action, Call):
        return
    tone = Tone.LOUD if isinstance(event, _LOUD) else Tone.QUIET if isinstance(event, Passed) else Tone.PLAIN
    yield Line(_sentence(event, scene), tone)


def _sentence(event: Event, scene: Scene) -> str:
    text = event_text(event, scene)
    return text[:1].upper() + text[1:]


def _signs(event: _Exchange, scene: Scene) -> str:
    """An exchange in few columns: what came and what went."""
    match event:
        case Swapped(took=took, gave=gave):
            return " ".join((_all("+", took, scene), _all("−", gave, scene)))
        case Discarded(gave=card):
            return _all("−", (card,), scene)
        case Took(took=card):
            return _all("+", (card,), scene)


def _all(sign: str, cards: Iterable[Position], scene: Scene) -> str:
    return " ".join(sign + (scene.card(card) if card in scene.faces else "?") for card in cards)


def _ending(event: Event, scene: Scene) -> Iterator[Line]:
    """What of the end of a deal is to be said beside the hands and scores that are there to be seen."""
    match event:
        case MatchEnded(winners=winners):
            text = winners_text(winners, scene.people)
            yield Line(text[:1].upper() + text[1:], Tone.LOUD)
        case Called() | Verdicts() | FalseDenial() | Unopened() | DealLost() | PlayoffAhead():
            yield Line(_sentence(event, scene), Tone.LOUD)
        case Answered():
            yield Line(_sentence(event, scene), Tone.PLAIN)
        case DealEnded(end=end) if end is not DealEnd.CALL:
            yield Line(f"The deal is over: {ENDS[end]}", Tone.LOUD)
        case _:
            return
