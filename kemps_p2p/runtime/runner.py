"""Carries out the effects of one machine: sockets, files, clock, threads, and the player at the seat.

It adds no rule of its own. Effects are carried out in the order they come in; slow, pure work runs in a
thread (the group's library releases the interpreter while it multiplies).

A table that agrees on a pause stops its clock: no time passes for machine and player until it goes on.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from kemps_p2p.bots.player import Player
from kemps_p2p.errors import Fault, Illegal, IllegalAction, PeerFault, RuntimeFault
from kemps_p2p.game.actions import Action
from kemps_p2p.game.record import is_running
from kemps_p2p.runtime.carrier import Carrier
from kemps_p2p.runtime.courtesy import Courtesy
from kemps_p2p.runtime.profile import Paths
from kemps_p2p.runtime.store import AppendFile
from kemps_p2p.runtime.talk import Talk
from kemps_p2p.runtime.transport import Arrival, PublicKey, now_ms, wall_ms
from kemps_p2p.runtime.ways import LetIn, Ways, nobody_else
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import Want
from kemps_p2p.session.presence import unready
from kemps_p2p.session.session import Session
from kemps_p2p.session.walkover import SUFFIX

MOVES_AT_ONCE_MAX = 8
FAULTS_KEPT = 1000
FAREWELL_MS = 20_000
"""So long whoever has not told that its log is complete is waited for: as long as for an opening."""
PARTING_MS = 1500
REMIND_MS = 200


@dataclass(slots=True)
class Outcome:
    """How a run ended: the match was played to its end (`is_closed`), or all agreed not to, or neither."""

    log: Path | None = None
    is_closed: bool = False
    is_abandoned: bool = False
    is_walk_over: bool = False  # They agreed since the others had fallen silent, and signed that.
    is_relieved: bool = False  # This program has stood in for a player, who is back.
    result: str = ""  # Who has won, in words, where a person has played to the end.
    faults: list[PeerFault] = field(default_factory=list)


class Runner:
    """One machine at one carrier. `watch` is told every sight; `give_up_ms` bounds a stand-still.

    What `watch` does must not come back to the runner: it is told while effects are carried out.
    """

    def __init__(
        self,
        session: Session,
        carrier: Carrier,
        *,
        curves: tuple[PublicKey, ...],
        paths: Paths,
        player: Player,
        watch: Callable[[fx.Sight], None],
        give_up_ms: int,
        let_in: LetIn = nobody_else,
    ) -> None:
        self._session, self._carrier = session, carrier
        self._ways = Ways(session, curves, let_in)
        self._paths = paths
        self._player = player
        self._talk = Talk(player, paths.sign)
        self._courtesy = Courtesy(is_person=not player.goes_along)
        self._watch = watch
        self._give_up_ms = give_up_ms
        self._files: dict[fx.File, AppendFile] = {}
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="proofs")
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ms = self._moved_at_ms = 0
        self._ended: asyncio.Future[None] | None = None
        self._is_left = False
        self._signed_at_ms: int | None = None
        self._closed_at_ms: int | None = None
        self._paused_at_ms: int | None = None
        self._paused_ms = 0
        self._seen_index = -1
        self._player_due = True
        self.outcome = Outcome()

    async def run(self) -> Outcome:
        """Play until the log is complete everywhere, or nothing has moved for too long.

        Raises `RuntimeFault` if this machine fails; what was appended until then is kept.
        """
        self._ended = asyncio.get_running_loop().create_future()
        self._moved_at_ms = now_ms()
        try:
            self._talk.begin()
            self._carry_out(self._session.start(self.now_ms()))
            self._carrier.deliver(self._on_arrivals)
            self._after()
            if not self._is_left:
                await self._ended
        finally:
            if self._timer is not None:
                self._timer.cancel()
            self._carrier.deliver(None)
            self._take_leave()
            self._pool.shutdown(wait=True, cancel_futures=True)
            for file in self._files.values():
                file.close()
            if self._has_ended or not self._session.has_begun:
                self._paths.forget()
        return self.outcome

    def now_ms(self) -> int:
        """The clock of the table, in milliseconds: it stands still during a pause."""
        until_ms = now_ms() if self._paused_at_ms is None else self._paused_at_ms
        return until_ms - self._paused_ms

    @property
    def is_paused(self) -> bool:
        """True while all seats want a pause."""
        return self._paused_at_ms is not None

    # What a person does

    def act(self, action: Action) -> None:
        """Claim an action of the person at this seat, once what has already arrived is taken in.

        Raises `IllegalAction`; then nothing was sent. A failure of this machine ends the run instead.
        """

        def submit() -> None:
            self._take_arrived()
            if self.is_paused:
                raise IllegalAction(Illegal.PAUSED)
            self._carry_out(self._session.submit(action, self.now_ms()))

        self._do(submit)

    def whisper(self, text: str) -> None:
        """Say something to the partner alone. Raises `IllegalAction` if it is too long."""

        def say() -> None:
            self._carry_out(self._session.whisper(text))
            self._talk.said(text)

        self._do(say)

    def seal_book(self, signals: tuple[str, ...]) -> None:
        """Seal which gestures mean a quartet from the coming deal on, if they can be sealed."""
        self._do(lambda: self._carry_out(self._session.seal_book(signals, self.now_ms())))

    def want(self, want: Want) -> None:
        """Say what this seat wants of the table beside the game."""
        self._do(lambda: self._carry_out(self._session.want(want)))

    def beside(self, act: Callable[[Session, int], list[fx.Effect]]) -> None:
        """Do something at the table beside the game, by the clock of the table. Raises `IllegalAction`."""
        self._do(lambda: self._carry_out(act(self._session, self.now_ms())))

    def walk_over(self) -> None:
        """Sign that all of the other teams have fallen silent. Raises `IllegalAction` while they have not."""
        self._do(lambda: self._carry_out(self._session.walk_over(self.now_ms(), wall_ms())))

    def leave(self) -> None:
        """End the run, whatever the others do. What was played until now is in the log."""
        self._is_left = True
        self._finish()

    def _take_leave(self) -> None:
        """Whoever stops before the match is over tells the others, so that they need not wait to find out."""
        if self._session.has_begun and not self._has_ended:
            for effect in self._session.want(Want.GONE):
                if isinstance(effect, fx.Send):
                    self._send(effect)

    @property
    def _has_ended(self) -> bool:
        return self.outcome.is_closed or self.outcome.is_abandoned or self.outcome.is_relieved

    def _do(self, act: Callable[[], None]) -> None:
        if self._ended is None or self._ended.done():
            raise IllegalAction(Illegal.DEAL_OVER)
        try:
            act()
            self._after()
        except IllegalAction:
            raise
        except Exception as error:  # The future carries it to `run`, which raises it.
            self._fail(error)

    # Inputs

    def _on_arrivals(self, arrivals: list[Arrival]) -> None:
        self._guarded(lambda: self._receive(arrivals))

    def _receive(self, arrivals: list[Arrival]) -> None:
        came, aside = self._ways.heard(arrivals)
        if came:
            self._carry_out(self._session.receive_all(came, self.now_ms(), wall_ms()))
        for seat, data in aside:
            self._carry_out(self._session.receive_aside(seat, data, self.now_ms()))

    def _take_arrived(self) -> None:
        """The own click never overtakes what has already arrived."""
        waiting = self._carrier.arrived()
        if waiting:
            self._receive(waiting)

    def _on_computed(self, job_id: int, future: "Future[object]") -> None:
        if future.cancelled():
            return
        error = future.exception()
        if error is not None and not isinstance(error, PeerFault):
            self._fail(error)
            return
        outcome = future.result() if error is None else error
        self._guarded(lambda: self._carry_out(self._session.computed(job_id, outcome, self.now_ms())))

    def _on_timer(self) -> None:
        self._timer = None
        self._player_due = True
        self._guarded(self._tick)

    def _tick(self) -> None:
        if self.is_paused:
            # No time passes for the machine, so its reminders are on the runner.
            if self._session.is_seated:
                self._carry_out(self._session.want(self._session.wants[self._session.seat]))
        else:
            self._carry_out(self._session.tick(self.now_ms()))
            if self._player.goes_along:
                self._carry_out(self._session.go_along(self.now_ms()))

    def _guarded(self, act: Callable[[], None]) -> None:
        """Run an input's work; whatever fails ends the run with that error, once."""
        if self._ended is None or self._ended.done():
            return
        try:
            act()
            self._after()
        except Exception as error:  # The future carries it to `run`, which raises it.
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_exception(error)

    def _after(self) -> None:
        """Let the player move, end if all is done, and set the next timer."""
        self._ways.follow()
        self._heed_wants()
        self._let_play()
        now = now_ms()
        if self._session.is_relieved:
            self.outcome.is_relieved = True
            self._finish()
            return
        if self._closed_at_ms is not None:
            # Whoever is still behind is answered until it is done too, or for a while.
            if self._session.is_done or now - self._closed_at_ms > FAREWELL_MS:
                self._finish()
                return
        elif self.is_paused or unready(self._session.wants, self._session.away(self.now_ms())):
            self._moved_at_ms = now
        elif now - self._moved_at_ms > self._give_up_ms:
            self._finish()
            return
        now = self.now_ms()
        wake_ms = now + REMIND_MS if self.is_paused else self._session.wake_at_ms
        if not self.is_paused and self._session.has_begun and self._player.wake_at_ms is not None:
            wake_ms = min(wake_ms, self._player.wake_at_ms)
        self._wake_at(max(wake_ms, now + 1), now)

    def _heed_wants(self) -> None:
        """Do what all seats want of the table."""
        agreed = self._session.agreed(self.now_ms())
        if self._paused_at_ms is None and agreed is Want.PAUSE:
            self._paused_at_ms = now_ms()
        elif self._paused_at_ms is not None and agreed is not Want.PAUSE:
            self._paused_ms += now_ms() - self._paused_at_ms
            self._paused_at_ms = None
        if agreed is Want.ABANDON and self._closed_at_ms is None:
            self.outcome.is_abandoned = True
            self._finish()
        if agreed is Want.WALK_OVER and self._session.silent_teams(self.now_ms()):
            self._walk_over()
        else:
            self._signed_at_ms = None

    def _walk_over(self) -> None:
        """Somebody of the team has signed. A bot does too; once both have, this ends, after a moment."""
        if self._session.is_walked_over:
            self._signed_at_ms = self._signed_at_ms or now_ms()
            # The partner has to hear of it too, and the others may still be back.
            if now_ms() - self._signed_at_ms >= PARTING_MS:
                self.outcome.is_abandoned = self.outcome.is_walk_over = True
                self._finish()
        elif self._player.goes_along and self._session.wants[self._session.seat] is Want.AS_OTHERS:
            self._carry_out(self._session.walk_over(self.now_ms(), wall_ms()))

    def _wake_at(self, wake_ms: int, now: int) -> None:
        """Set the timer; one due before is kept: setting it costs more than waking once in vain."""
        if self._timer is not None:
            if self._timer_ms <= wake_ms:
                return
            self._timer.cancel()
        self._timer_ms = wake_ms
        self._timer = asyncio.get_running_loop().call_later((wake_ms - now) / 1000, self._on_timer)

    def _finish(self) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    # The player

    def _let_play(self) -> None:
        if not self._session.has_begun or self.is_paused:
            return
        index = self._session.play.final.head.index
        if index != self._seen_index:
            self._seen_index = index
            self._moved_at_ms = now_ms()
            self._player_due = True
        if not self._player_due or not self._session.is_seated:
            return
        self._player_due = False
        if not is_running(self._session.play.final.game) and not self._session.play.is_recovering:
            for text in self._talk.due():
                self._say(text)
        book = self._player.book(self._session.play.final.coming_deal)
        if book is not None:
            self._carry_out(self._session.seal_book(book, self.now_ms()))
        for _ in range(MOVES_AT_ONCE_MAX):
            self._take_arrived()
            action = self._player.decide(self._session.view(), self.now_ms())
            if action is None:
                return
            try:
                self._courtesy.check(action, self._session.wants, self.now_ms())
                intent = self._player.intent(action)
                self._carry_out(self._session.submit(action, self.now_ms(), intent))
            except IllegalAction:
                self._player.refused(action, self.now_ms())

    # Effects

    def _carry_out(self, effects: list[fx.Effect]) -> None:
        self._carry_out_all(effects)
        while self._session.is_busy:
            self._carry_out_all(self._session.tick(self.now_ms()))

    def _carry_out_all(self, effects: list[fx.Effect]) -> None:
        unwritten: dict[fx.File, list[bytes]] = {}
        for effect in effects:
            match effect:
                case fx.Append(file=file, data=data, durability=durability):
                    unwritten.setdefault(file, []).append(data)
                    if durability is fx.Durability.NOW:
                        self._write(unwritten)
                        self._file(file).sync_now()
                case fx.Send():
                    # What is said is in the journal before it is sent; objects in a row are one write.
                    self._write(unwritten)
                    self._send(effect)
                case fx.Compute(id=job_id, work=work):
                    self._compute(job_id, work)
                case fx.Show(sight=sight):
                    self._show(sight)
        self._write(unwritten)

    def _write(self, unwritten: dict[fx.File, list[bytes]]) -> None:
        for file, objects in unwritten.items():
            self._file(file).append(b"".join(objects))
        unwritten.clear()

    def _file(self, file: fx.File) -> AppendFile:
        opened = self._files.get(file)
        if opened is None:
            match file:
                case fx.File.JOURNAL:
                    path = self._paths.journal
                case fx.File.LOG:
                    path = self._paths.log_for(self._session.play.founding.match.hex())
                    self.outcome.log = path
                case fx.File.WALK_OVERS:
                    log = self._paths.log_for(self._session.play.founding.match.hex())
                    path = log.with_suffix(SUFFIX)
            opened = self._files[file] = AppendFile.open(path)
        return opened

    def _send(self, effect: fx.Send) -> None:
        for curve in self._ways.to(effect):
            # A full queue is a slow or dead peer: what it misses, it gets when it asks again.
            self._carrier.send(curve, effect.data)

    def _compute(self, job_id: int, work: Callable[[], object]) -> None:
        loop = asyncio.get_running_loop()
        future = self._pool.submit(work)
        future.add_done_callback(lambda done: _call_in(loop, lambda: self._on_computed(job_id, done)))

    def _show(self, sight: fx.Sight) -> None:
        match sight:
            case fx.TableFormed(match=match):
                self.outcome.log = self._paths.log_for(match.hex())
                if self._player.goes_along:
                    self._carry_out_all(self._session.want(Want.AS_OTHERS))
            case fx.Happened(events=events):
                self._player.happened(events, self.now_ms())
            case fx.GestureSeen(seat=seat, name=name):
                self._player.gestured(seat, name, self.now_ms())
                self._player_due = True
            case fx.Whispered(text=text):
                self._say(self._talk.heard(text))
            case fx.FaultFound(fault=fault):
                if len(self.outcome.faults) < FAULTS_KEPT:
                    self.outcome.faults.append(fault)
                if fault.code is Fault.OTHER_RULES:
                    # This table will never form; the others get a moment to hear why.
                    self._give_up_ms = min(self._give_up_ms, PARTING_MS)
            case fx.MatchClosed():
                self.outcome.is_closed = True
                self._closed_at_ms = now_ms()
            case _:
                pass  # The rest is for screens.
        self._watch(sight)

    def _say(self, text: str | None) -> None:
        if text is not None:
            # Said while other effects are carried out, so nothing else may come of it before they are done: a
            # tick here would write entries to the log ahead of those that wait their turn.
            self._carry_out_all(self._session.whisper(text))


def _call_in(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    """Hand a result to the loop, unless the loop has ended meanwhile."""
    try:
        loop.call_soon_threadsafe(act)
    except RuntimeError as error:
        if not loop.is_closed():
            raise RuntimeFault(f"a result could not be handed back: {error}") from None
