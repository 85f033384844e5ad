"""One peer as a machine: submit, receive, computed, tick; out come effects, to be carried out in order.

From the first word in the lobby to the annex of the log. It draws nothing, reads no clock and does no IO.
Section "Session" of protocol.md.
"""

from collections import deque
from collections.abc import Sequence

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault, Illegal, IllegalAction, PeerFault, RuntimeFault
from kemps_p2p.game.actions import Action
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.seating import partner_of
from kemps_p2p.game.views import PublicView, SeatView, public_view
from kemps_p2p.ids import Seat
from kemps_p2p.session import effects as fx
from kemps_p2p.session.beside import Beside
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.journal import Journal, Remembered
from kemps_p2p.session.lobby import Lobby, Setup
from kemps_p2p.session.logfile import ANNEX_LEAD, header_of, logged_entries, signed_annex
from kemps_p2p.session.match import MISSING_SEED, is_over
from kemps_p2p.session.messages import (
    BATCH_BYTES,
    WHISPER_CHARACTERS_MAX,
    Batch,
    LobbyWords,
    Moved,
    Offer,
    Openings,
    Plea,
    Status,
    WalkOver,
    Want,
    Whisper,
    Wish,
    batches,
    pack,
    read_message,
)
from kemps_p2p.session.play import Play
from kemps_p2p.session.presence import AWAY_MS
from kemps_p2p.session.standin import annex_keys

STATUS_MS = 200
RESEND_AGE_MS = 150
EARLY_BYTES_MAX = 8 << 20
"""What is kept of items that come before the table is formed; a faster peer sends them again."""


class Session(Beside):
    """A peer at one table. `now_ms` is any clock that does not run backwards."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._lobby = Lobby(setup)
        self._early: list[Batch] = []
        self._early_bytes = 0
        self._peer_final = [0] * self._peers
        self._aside: dict[Seat, tuple[int, int]] = {}
        """Who looks on while another plays its seat: its last final entry, and when it was last heard of."""
        self._status_at_ms = 0
        self._annexed = False
        self._logged: deque[bytes] = deque()

    # What is known

    @property
    def names(self) -> tuple[str, ...]:
        """Names by seat, once revealed."""
        return self._lobby.names[: self._seats]

    @property
    def observer_name(self) -> str | None:
        """What the observer calls itself; None if there is none. Only once names are revealed."""
        return None if self._setup.observer is None else self._lobby.names[self._seats]

    def missing(self) -> frozenset[Seat]:
        """The seats that the lobby waits for."""
        return self._lobby.missing()

    def view(self) -> SeatView:
        """What this seat may see."""
        return self.play.view()

    def public_view(self) -> PublicView:
        """What everybody may see."""
        return public_view(self.play.final.game)

    @property
    def is_done(self) -> bool:
        """True once the log is complete here and every other peer has told that it is complete there.

        A struck observer is not waited for, nor a seat that was waited for in vain before. Who looks on is.
        """
        if self._play is None or not self._play.final.is_closed:
            return False
        last = self._play.final.head.index
        waited_for = self._peers if self._play.final.observer is not None else self._seats
        seeds = self._play.final.seeds.values()
        gone = {seat for opened in seeds for seat, seed in opened.items() if seed == MISSING_SEED}
        # What an incarnation has lost is missing, and its seat is there all the same.
        gone.difference_update(self._play.final.seated)
        finals = enumerate(self._peer_final[:waited_for])
        if any(index < last for index, _ in self._aside.values()):
            return False
        return all(index >= last or seat == self.seat or seat in gone for seat, index in finals)

    @property
    def is_busy(self) -> bool:
        """True while more follows from what has come in: then `tick` is due as soon as effects are out."""
        return self._play is not None and self._play.is_busy

    @property
    def wake_at_ms(self) -> int:
        """When `tick` has something to do at the latest."""
        if self._play is None:
            return self._lobby.wake_at_ms
        due = self._play.due_ms
        return self._status_at_ms if due is None else min(self._status_at_ms, due)

    # Verbs

    @classmethod
    def restored(
        cls, setup: Setup, journal: Journal, logged: Sequence[bytes], now_ms: int, wall_ms: int
    ) -> "Session":
        """The machine of a match that an earlier run has begun, as its journal shows it.

        `logged`: the objects of its log file. `start` returns what is missing there. Nothing is said before
        enough others have told how much of the own tape they hold. Raises `RuntimeFault` for a false journal.
        """
        session = cls(setup)
        remembered = journal.remembered
        session._lobby = Lobby.ended(setup, journal.signed, remembered.names)
        session.go_on_with(logged)
        session._play = session._make_play(journal.founding, now_ms, wall_ms)
        try:
            entries = logged_entries(session._logged)
        except PeerFault as fault:
            raise RuntimeFault(f"the log cannot be read: {fault}") from None
        session._play.recall(journal, entries, now_ms, wall_ms)
        return session

    def go_on_with(self, logged: Sequence[bytes]) -> None:
        """Go on where the log of an earlier run ends, by its objects."""
        self._annexed = bool(logged) and logged[-1].startswith(ANNEX_LEAD)
        self._logged.extend(logged[: len(logged) - self._annexed])

    def start(self, now_ms: int) -> list[fx.Effect]:
        """Sit down, or go on where an earlier run stood."""
        if self._play is not None:
            return self._after([*self._head_of_log(self._play.founding), *self._play.flush(now_ms)])
        return [fx.Send(message) for message in self._lobby.start()]

    def submit(self, action: Action, now_ms: int, intent: Intent = Intent.MEANT) -> list[fx.Effect]:
        """Claim an action. Raises `IllegalAction`; then nothing was sent and nothing has changed.

        `intent`: what a gesture is made for; it goes out sealed.
        """
        if self._play is None:
            raise IllegalAction(Illegal.DEAL_OVER)
        return self._after(self._play.submit(action, now_ms, intent))

    def seal_book(self, signals: tuple[str, ...], now_ms: int) -> list[fx.Effect]:
        """Seal which gestures mean a quartet from the coming deal on; nothing, if that cannot be sealed."""
        return self._after(self.play.seal_book(signals, now_ms))

    def receive(self, sender: Seat, data: bytes, now_ms: int, wall_ms: int) -> list[fx.Effect]:
        """Take in the bytes of one message. Raises nothing, whatever they are; faults become effects."""
        return self.receive_all([(sender, data)], now_ms, wall_ms)

    def receive_all(
        self, arrived: Sequence[tuple[Seat, bytes]], now_ms: int, wall_ms: int
    ) -> list[fx.Effect]:
        """Take in messages that arrived together, and say what follows once."""
        effects: list[fx.Effect] = []
        for sender, data in arrived:
            try:
                effects += self._hear(sender, data, now_ms, wall_ms)
            except PeerFault as fault:
                effects.append(fx.Show(fx.FaultFound(fault)))
        if self._play is not None:
            effects += self._after(self._play.flush(now_ms))
        return effects

    def receive_aside(self, seat: Seat, data: bytes, now_ms: int) -> list[fx.Effect]:
        """Take in a message of who plays a seat, or has, and does not sit there now.

        It is told what it lacks, and may bring items and ask for the seat. It has no word at the table.
        """
        try:
            message = read_message(data)
            match message:
                case Status() if self._play is not None:
                    effects = self._lacking(self._play, seat, message, now_ms)
                    self._aside[seat] = message.final, now_ms
                    return effects
                case Batch() if self._play is not None:
                    self._play.receive(message.items, now_ms)
                    return self._after(self._play.flush(now_ms))
                case Plea() | Offer():
                    return self._hear_request(message, seat, now_ms)
                case Openings() if self._play is not None and is_over(self._play.final):
                    # Who sits there has no way to it, and is to sign it.
                    return [fx.Send(data, seat, is_private=True)]
                case _:
                    return []
        except PeerFault as fault:
            return [fx.Show(fx.FaultFound(fault))]

    def computed(self, job_id: int, outcome: object, now_ms: int) -> list[fx.Effect]:
        """Take in what a `Compute` effect came to."""
        return self._after(self.play.computed(job_id, outcome, now_ms))

    def tick(self, now_ms: int) -> list[fx.Effect]:
        """Let time pass."""
        if self._play is None:
            return [fx.Send(message) for message in self._lobby.tick(now_ms)]
        effects = self._after(self._play.flush(now_ms))
        if now_ms >= self._status_at_ms:
            self._status_at_ms = now_ms + STATUS_MS
            self._aside = {seat: told for seat, told in self._aside.items() if now_ms - told[1] < AWAY_MS}
            play = self._play
            said = self._status(play), play.plea(), *play.offers.to_say(play.final)
            effects += [fx.Send(pack(each)) for each in said if each]
            effects += play.openings()
            if self._has_wished:
                effects.append(fx.Send(pack(Wish(want=self._wants[self.seat]))))
            if self._walk_overs.own and self._wants[self.seat] is Want.WALK_OVER:
                effects.append(fx.Send(pack(self._walk_overs.own)))
        return effects

    # Messages in

    def _hear(self, sender: Seat, data: bytes, now_ms: int, wall_ms: int) -> list[fx.Effect]:
        message = read_message(data)
        if self._play is not None:
            self._play.pacing.heard(sender, now_ms)
        match message:
            case LobbyWords(table=table) if self._annexed and not self._lobby.is_at(table):
                # Somebody sits down for a rematch already.
                return []
            case LobbyWords() if self._play is not None and self._play.is_stand_in:
                # What its player has said there, only that one can sign.
                return []
            case LobbyWords():
                return self._hear_lobby(message, now_ms, wall_ms)
            case Batch():
                if self._play is None:
                    if message.items and self._early_bytes + len(data) <= EARLY_BYTES_MAX:
                        self._early_bytes += len(data)
                        self._early.append(message)
                else:
                    self._play.receive(message.items, now_ms)
                return []
            case Status():
                return [*self._welcome_back(sender), *self._hear_status(sender, message, now_ms)]
            case Whisper(text=text):
                is_partner = self.is_seated and sender == partner_of(self.seat, self._seats)
                if not is_partner or len(text) > WHISPER_CHARACTERS_MAX:
                    raise PeerFault(Fault.MALFORMED, "a whisper that is too long, or not of the partner")
                return [fx.Show(fx.Whispered(text))]
            case Wish(want=want):
                return self._note_want(sender, want)
            case WalkOver():
                return self._hear_walk_over(message)
            case Plea() | Offer():
                return self._hear_request(message, sender, now_ms)
            case Openings():
                if self._play is not None:
                    self._play.hear_openings(message)
                return []
            case Moved():
                # The transport takes these out; where there are no addresses, they mean nothing.
                return []

    def _hear_request(self, message: Plea | Offer, sender: Seat, now_ms: int) -> list[fx.Effect]:
        if self._play is None:
            return []
        if isinstance(message, Plea):
            return self._after(self._play.hear_plea(message, sender, now_ms))
        return self._after(self._play.hear_offer(message, now_ms))

    def _hear_lobby(self, words: LobbyWords, now_ms: int, wall_ms: int) -> list[fx.Effect]:
        effects: list[fx.Effect] = [fx.Send(message) for message in self._lobby.receive(words, now_ms)]
        if self._play is None and self._lobby.signed is not None:
            effects += self._begin(now_ms, wall_ms)
        return effects

    def _begin(self, now_ms: int, wall_ms: int) -> list[fx.Effect]:
        founding, signed = self._lobby.founding, self._lobby.signed
        assert founding is not None, "a signed genesis has been checked"
        assert signed is not None, "begun before all have signed"
        self._play = self._make_play(founding, now_ms, wall_ms)
        remembered = Remembered(meeting=self._setup.meeting, wall_ms=wall_ms, names=self._lobby.name_openings)
        effects: list[fx.Effect] = [
            fx.Append(fx.File.JOURNAL, encode(signed), fx.Durability.NOW),
            fx.Append(fx.File.JOURNAL, encode(remembered), fx.Durability.NOW),
            *self._not_logged(self._head_of_log(founding)),
        ]
        for batch in self._early:
            self._play.receive(batch.items, now_ms)
        self._early.clear()
        return effects + self._after(self._play.flush(now_ms))

    def _head_of_log(self, founding: Founding) -> list[fx.Effect]:
        assert self._lobby.signed is not None, "begun before all have signed"
        return [
            fx.Append(fx.File.LOG, encode(header_of(founding))),
            fx.Append(fx.File.LOG, encode(self._lobby.signed), fx.Durability.NOW),
            fx.Show(fx.TableFormed(founding.match, self.names, self.observer_name)),
        ]

    def _make_play(self, founding: Founding, now_ms: int, wall_ms: int) -> Play:
        """The machine of the match itself; a cheating seat of an experiment has another one."""
        return Play(self._setup, founding, self._lobby.coins, now_ms, wall_ms)

    def _hear_status(self, sender: Seat, status: Status, now_ms: int) -> list[fx.Effect]:
        """Send what the other side lacks and should long have; what is new is still on its way to it."""
        if self._play is None:
            return []
        effects = self._lacking(self._play, sender, status, now_ms)
        self._peer_final[sender] = max(self._peer_final[sender], status.final)
        self._play.hear_length(sender, status.lengths[self.seat])
        return effects

    def _lacking(self, play: Play, sender: Seat, status: Status, now_ms: int) -> list[fx.Effect]:
        if {len(status.lengths), len(status.sums)} != {self._peers} or min(status.lengths) < 0:
            raise PeerFault(Fault.MALFORMED, "a status of another table")
        lacking = play.tapes.since(status.lengths, status.sums, now_ms - RESEND_AGE_MS, BATCH_BYTES)
        return [fx.Send(pack(Batch(items=items)), sender) for items in batches(i.signed for i in lacking)]

    @staticmethod
    def _status(play: Play) -> Status:
        return Status(lengths=play.tapes.lengths(), sums=play.tapes.sums(), final=play.final.head.index)

    def _after(self, effects: list[fx.Effect]) -> list[fx.Effect]:
        """Complete the log with the annex as soon as the close is final."""
        play = self.play
        self._forget_wants(effects)
        if self._annexed:
            # Terms that others begin to make the close final for them are behind the end of this log.
            return [effect for effect in self._not_logged(effects) if not _is_logged(effect)]
        if not play.final.is_closed:
            return self._not_logged(effects)
        self._annexed = True
        held = play.tapes.certificate(play.final.head), self._lobby.name_openings
        head = play.final.head.digest
        annex = signed_annex(self._setup.identity, play.founding.match, head, self.seat, held)
        # Everybody waits to hear that the close has arrived here, so say so at once.
        status = self._status(play)
        shown = [effect for effect in effects if not isinstance(effect, fx.Show)]
        sights = [effect for effect in effects if isinstance(effect, fx.Show)]
        # A program that has stood in, and does so no more, has no say in how the log of the seat ends.
        has_say = self._setup.identity.public in annex_keys(play.final, self.seat)
        appended = [fx.Append(fx.File.LOG, encode(annex), fx.Durability.NOW)] if has_say else []
        return self._not_logged([*shown, *appended, *sights, fx.Send(pack(status))])

    def _not_logged(self, effects: list[fx.Effect]) -> list[fx.Effect]:
        """Leave out what an earlier run has written to the log. Raises `RuntimeFault` if that was another."""
        if not self._logged:
            return effects
        left = []
        for effect in effects:
            if self._logged and isinstance(effect, fx.Append) and _is_logged(effect):
                if self._logged.popleft() != effect.data:
                    raise RuntimeFault("the log is not the one that the journal makes")
            else:
                left.append(effect)
        return left


def _is_logged(effect: fx.Effect) -> bool:
    return isinstance(effect, fx.Append) and effect.file is fx.File.LOG
