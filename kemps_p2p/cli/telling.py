"""Telling what happens at one seat while a command runs, and how it ended."""

import json
import signal
from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from types import FrameType
from typing import Any

import click

from kemps_p2p.cli.errors import CommandError, Exit, let_go_of_output
from kemps_p2p.cli.saying import say
from kemps_p2p.errors import Fault
from kemps_p2p.runtime.process import deaf
from kemps_p2p.runtime.runner import FAULTS_KEPT, Outcome
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import Want
from kemps_p2p.session.session import Session
from kemps_p2p.wording.absence import absence_text
from kemps_p2p.wording.observing import struck_text
from kemps_p2p.wording.people import People
from kemps_p2p.wording.scores import result_line
from kemps_p2p.wording.words import words_of

STANDSTILL = "nothing has moved for too long"


def tell(told: str | Mapping[str, Any]) -> None:
    """Say a line for people, or an object for a program. Ctrl-C is heard even where nobody reads a pipe."""
    write = partial(say, told) if isinstance(told, str) else partial(click.echo, json.dumps(told))
    heard = signal.getsignal(signal.SIGINT)
    if not callable(heard):
        # In a shell's background, where SIGTERM alone ends it, at once.
        try:
            write()
        except KeyboardInterrupt:
            let_go_of_output()
            raise
        return

    def stop(number: int, frame: FrameType | None) -> None:
        heard(number, frame)
        # What the loop does about it waits until this gives way, which a write to a full pipe never does.
        raise _UnreadError

    try:
        try:
            # It may have come a moment ago, and what runs has not given way yet.
            if signal.signal(signal.SIGINT, stop) is deaf:
                signal.signal(signal.SIGINT, deaf)
            else:
                write()
        finally:
            if signal.getsignal(signal.SIGINT) is stop:
                signal.signal(signal.SIGINT, heard)
    except _UnreadError:
        let_go_of_output()


class _UnreadError(BaseException):
    """Ctrl-C came while a line was written. No `Exception`: those within `click.echo` go unheard."""


class Reporter:
    """Tells what happens at one seat: lines for people, or with `--events` one JSON object a line."""

    def __init__(self, *, as_events: bool) -> None:
        self._as_events = as_events
        self._faults: set[str] = set()

    @property
    def as_events(self) -> bool:
        """True if every line is an object for a program."""
        return self._as_events

    def say(self, event: str, line: str, **facts: Any) -> None:
        """One line, as text or as an object."""
        tell({"event": event, **facts} if self._as_events else line)

    def watch(self, session: Session, sight: fx.Sight) -> None:
        """Tell what happens in the match."""
        match sight:
            case fx.TableFormed(match=match_id, names=names, observer=observer):
                seated = ", ".join(names) + ("" if observer is None else f", watched by {observer}")
                words = words_of(match_id)
                self.say(
                    "formed",
                    f"match {match_id.hex()[:16]}: {seated}",
                    match=match_id.hex(),
                    names=names,
                    words=words,
                    observer=observer,
                )
                if not self._as_events:
                    tell(f"words: {words}. All screens of this table show the same three.")
            case fx.Happened(index=index):
                match = session.play.final
                game = match.game
                facts = {"entry": index, "deal": game.deal, "scores": game.scores, "phase": game.phase.value}
                facts["on_duty"] = match.on_duty
                if self._as_events:
                    self.say("moved", "", **facts)
            case fx.ObserverStruck(is_proven=is_proven):
                self.say("struck", struck_text(is_proven=is_proven), is_proven=is_proven)
            case fx.FaultFound(fault=fault) if str(fault) in self._faults or len(self._faults) == FAULTS_KEPT:
                # A lobby says what it has to say until it is heard, right or wrong; junk never ends.
                pass
            case fx.FaultFound(fault=fault):
                self._faults.add(str(fault))
                self.say(
                    "fault", f"fault: {fault}", culprit=fault.culprit, code=fault.code.value, text=str(fault)
                )
            case fx.MatchClosed(head=head):
                game, rules = session.play.final.game, session.play.founding.rules
                result = result_line(rules, game.scores, game.winners, people_of(session))
                self.say("closed", result, head=head.hex(), scores=list(game.scores))
            case fx.Wanted(want=Want.GONE) if session.has_begun and session.play.final.is_closed:
                # Everybody goes once all is done.
                pass
            case fx.Wanted(seat=seat, want=Want.GONE):
                who = people_of(session).seat(seat)
                self.say("left", f"{who} has left the table", seat=seat)
            case fx.VotedAbsent() | fx.SeatStruck() | fx.SeatBack() | fx.StandInOffered():
                self._absence(session, sight)
            case fx.StandInAgreed() | fx.SeatHeld() | fx.PlayerAsks():
                self._absence(session, sight)
            case fx.Known() | fx.Raced() | fx.GestureSeen() | fx.Whispered() | fx.Wanted():
                pass

    def _absence(self, session: Session, sight: fx.AbsenceSight) -> None:
        facts = {field.name: getattr(sight, field.name) for field in fields(sight)}
        self.say(_ABSENCE[type(sight)], absence_text(sight, people_of(session)), **facts)


_ABSENCE: dict[type[fx.AbsenceSight], str] = {
    fx.VotedAbsent: "voted",
    fx.SeatStruck: "absent",
    fx.SeatBack: "back",
    fx.StandInOffered: "stand-in-offered",
    fx.StandInAgreed: "stand-in-agreed",
    fx.SeatHeld: "stand-in",
    fx.PlayerAsks: "asked-back",
}
"""The names of these events."""


def people_of(session: Session) -> People:
    """What to call the seats; before the match has begun nobody has a name."""
    return People(len(session.wants), session.names if session.has_begun else ())


def stopped(outcome: Outcome, otherwise: str = STANDSTILL) -> CommandError:
    """Why a match did not end; `otherwise` if nobody is to blame."""
    for fault in outcome.faults:
        if fault.code is Fault.OTHER_RULES:
            text = f"seat {fault.culprit} plays by another rule set: {fault.text}"
            return CommandError(Exit.OTHER_VERSION, text, "Start all peers with the same --rules.")
    blamed = [fault for fault in outcome.faults if fault.culprit is not None]
    why = "all agreed" if outcome.is_abandoned else otherwise
    if outcome.is_walk_over:
        why = "walk-over: the others had fallen silent"
    if blamed:
        why = f"seat {blamed[0].culprit}: {blamed[0]}"
    beside = ", and what you have signed beside it" if outcome.is_walk_over else ""
    saved = f"What was played is in {outcome.log}{beside}." if outcome.log is not None else ""
    return CommandError(Exit.ABANDONED, f"match abandoned ({why})", saved)
