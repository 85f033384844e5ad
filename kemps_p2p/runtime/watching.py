"""Watching a table: as its observer if it has none yet, else by the log that its host shows.

Knows nothing of screens: what everybody may see is told. Invariants:

1. Whoever watches is told what is final, and holds no hidden card, whisper or secret of the match.
2. A log that is shown is checked entry by entry before anything of it is told.

Section "Observer" of protocol.md.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from kemps_p2p.codec import Digest
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.events import Event, Gestured
from kemps_p2p.game.record import State
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.ledger.entry import Readmitted, Seated, Struck
from kemps_p2p.ledger.sitting import sitting_in
from kemps_p2p.runtime.chair import Chair
from kemps_p2p.runtime.joining import watch
from kemps_p2p.runtime.onlooker import Onlooker
from kemps_p2p.runtime.process import play_through
from kemps_p2p.runtime.profile import home_held, own_identity
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.store import AppendFile, make_directory
from kemps_p2p.runtime.table import Invitation, SeatPlan, Tell, seat_played
from kemps_p2p.session import effects as fx
from kemps_p2p.session.chaincheck import Step
from kemps_p2p.session.following import Following
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.session import Session
from kemps_p2p.session.standin import is_held


class Onlooking(Protocol):
    """Whatever tells a person, or a program, what there is to see."""

    def formed(self, match: Digest, rules: RuleSet, names: tuple[str, ...], observer: str | None) -> None:
        """The match begins, or is found under way. `names`: by seat; empty where one is not known."""

    def moved(self, index: int, events: tuple[Event, ...], game: State) -> None:
        """An entry is final; `game` is the state after it."""

    def gesture(self, seat: int, name: str) -> None:
        """A gesture was made: just now, or, where a log is shown, as soon as it was final."""

    def struck(self, *, is_proven: bool) -> None:
        """The observer is not asked any more."""

    def absent(self, seat: int) -> None:
        """The others have voted a seat absent."""

    def back(self, seat: int) -> None:
        """A seat that was absent is back."""

    def held(self, seat: int) -> None:
        """A bot plays for a seat that was absent."""

    def fault(self, fault: PeerFault) -> None:
        """Somebody did what no honest program does."""

    def ended(self) -> None:
        """The log is complete."""


def watch_table(invitation: Invitation, seat: SeatPlan, eyes: Onlooking, tell: Tell) -> Outcome:
    """Watch a table to the end, in this process. `seat`: who comes; its wish is to watch.

    Raises `KempsError`.
    """
    return play_through(_watched(invitation, seat, eyes, tell))


async def _watched(invitation: Invitation, seat: SeatPlan, eyes: Onlooking, tell: Tell) -> Outcome:
    with home_held(seat.home):
        me = seat.newcomer(own_identity(seat.home))
        shown = ShownLog(seat.logs, eyes)
        try:
            gathered = await watch(invitation.place, invitation.code, me, tell, shown.see)
            if gathered is None:
                return shown.outcome
            try:
                return await seat_played(gathered, me, seat, lambda chair: _observed(chair, eyes), tell)
            finally:
                await gathered.mesh.close()
        finally:
            shown.close()


async def _observed(chair: Chair, eyes: Onlooking) -> Outcome:
    """Be the observer of a match."""

    def look(session: Session, sight: fx.Sight) -> None:
        match sight:
            case fx.TableFormed(match=match, names=names, observer=observer):
                eyes.formed(match, chair.rules, names, observer)
            case fx.Happened(index=index, events=events, game=game):
                eyes.moved(index, events, game)
            case fx.GestureSeen(seat=seat, name=name):
                eyes.gesture(seat, name)
            case fx.ObserverStruck(is_proven=is_proven):
                eyes.struck(is_proven=is_proven)
            case fx.FaultFound(fault=fault):
                eyes.fault(fault)
            case fx.MatchClosed():
                eyes.ended()
            case fx.SeatStruck(seat=seat):
                eyes.absent(seat)
            case fx.SeatBack(seat=seat):
                eyes.back(seat)
            case fx.SeatHeld(seat=seat):
                eyes.held(seat)
            case fx.Known() | fx.Raced() | fx.Whispered() | fx.Wanted() | fx.VotedAbsent():
                # An observer claims nothing and has no partner; what seats want beside the game is theirs.
                pass
            case fx.StandInOffered() | fx.StandInAgreed() | fx.PlayerAsks():
                # So is what comes of a seat that is absent, until it has.
                pass

    _, runner = chair.sit(Onlooker(), look)
    return await runner.run()


class ShownLog:
    """A log that a host shows: checked, told, and kept in a file of one's own."""

    def __init__(self, logs: Path, eyes: Onlooking) -> None:
        self._logs = logs
        self._eyes = eyes
        self._following = Following()
        self._early = b""
        self._file: AppendFile | None = None
        self.outcome = Outcome()

    def see(self, data: bytes, names: Mapping[bytes, str]) -> bool:
        """Take in the next bytes; True once the log is complete. `names`: by identity key.

        Raises `PeerFault` if the log does not hold.
        """
        was_known = self._following.founding is not None
        steps = self._following.feed(data)
        founding = self._following.founding
        self._early += data
        if founding is not None:
            if not was_known:
                self._begin(founding, names)
            assert self._file is not None, "a log without a file"
            self._file.append(self._early)
            self._early = b""
        for step in steps:
            self._tell(step)
        if self._following.has_ended and not self.outcome.is_closed:
            self.outcome.is_closed = True
            self._eyes.ended()
        return self.outcome.is_closed

    def close(self) -> None:
        """Nothing more is shown."""
        if self._file is not None:
            self._file.close()

    def _begin(self, founding: Founding, names: Mapping[bytes, str]) -> None:
        called = tuple(names.get(key, "") for key in founding.keys)
        observer = None if founding.observer is None else called[founding.observer]
        make_directory(self._logs)
        self.outcome.log = _free(self._logs / f"{founding.match.hex()[:16]}-watched.kemps")
        self._file = AppendFile.open(self.outcome.log)
        self._eyes.formed(founding.match, founding.rules, called[: founding.seats], observer)

    def _tell(self, step: Step) -> None:
        events = tuple(event for part in step.parts for event in part.events)
        entry = step.record.entry
        for happened in events:
            if isinstance(happened, Gestured):
                self._eyes.gesture(happened.seat, happened.name)
        if events:
            self._eyes.moved(entry.index, events, step.match.game)
        strikes = [event.seat for event in entry.events if isinstance(event, Struck)]
        if step.strikes:
            self._eyes.struck(is_proven=step.match.founding.observer not in strikes)
        for seat in strikes:
            if seat < step.match.seats:
                self._eyes.absent(seat)
        for event in entry.events:
            match event:
                case Readmitted(seat=seat):
                    self._eyes.back(seat)
                case Seated(raw=raw):
                    seat = sitting_in(raw).seat
                    (self._eyes.held if is_held(step.match, seat) else self._eyes.back)(seat)
                case _:
                    pass


def _free(path: Path) -> Path:
    """The path, or the first like it at which nothing lies."""
    count, free = 1, path
    while free.exists():
        count += 1
        free = path.with_stem(f"{path.stem}-{count}")
    return free
