"""When this peer is ready to ack an entry that rests on time: its own clock, and the claims that it holds.

The fold checks an entry's times against each other; here they meet a clock that the sequencer does not hold.
Nothing is refused for it: an ack waits. Invariants:

1. No look, idle time or time to pass is cut short by more than `CLOCK_SLACK_MS` by the clocks of a quorum.
2. What no claim brings about waits while a claim is held that it would affect, until that claim is logged, if
   only by a later entry; for good, if the sequencer itself has given a receipt for the claim before.

Section "Time" of protocol.md.
"""

from collections.abc import Collection, Iterable, Iterator

from kemps_p2p.codec import Digest
from kemps_p2p.errors import PeerFault
from kemps_p2p.game.actions import Action, Go, Pass, Resume
from kemps_p2p.game.events import Event as GameEvent
from kemps_p2p.game.events import Halted, Swept
from kemps_p2p.game.state import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.claimbook import ClaimBook, HeldClaim
from kemps_p2p.ledger.entry import Contest, CutOff, Drawn, Entry, Note, Ruled, Settled
from kemps_p2p.ledger.tape import TapeItem
from kemps_p2p.session.holding import asked
from kemps_p2p.session.match import Match, do_conflict
from kemps_p2p.session.messages import (
    AutoPassed,
    Checkpoint,
    Closed,
    NoteBody,
    Overdue,
    PlayStarted,
    read_note,
)
from kemps_p2p.session.overdue import OVERDUE_MS

CLOCK_SLACK_MS = 250
AHEAD_SLACK_MS = 5000
"""How far an entry's elapsed time may be ahead of the own: seats do not see genesis at the same moment."""
HEARD_MS = 2000
"""Whoever has not been heard of for so long is not there, and nobody is passed for meanwhile."""


def stands_for(match: Match, note: NoteBody) -> tuple[Seat, Action] | None:
    """The action whose effect a note has, which may not commute with claims; None if it has none."""
    match note:
        case PlayStarted():
            return match.game.dealer, Go()
        case AutoPassed(seat=seat):
            return Seat(seat), Pass(pool=match.game.pool)
        case Checkpoint() | Closed() | Overdue():
            return None


def affected(match: Match, note: NoteBody, book: ClaimBook) -> Iterator[HeldClaim]:
    """The undecided claims whose outcome a note may change."""
    act = stands_for(match, note)
    if act is not None:
        for held in book.undecided.values():
            if not held.is_refused and do_conflict(match, act, asked(held)):
                yield held


class Pacing:
    """One peer's clock beside the table's: when things came about here."""

    def __init__(self, begun_ms: int, seat: Seat, seats: int) -> None:
        self._begun_ms = begun_ms
        self._seat = seat
        self._shown_at_ms: int | None = None
        self._idle_at_ms = begun_ms
        self._turn_at_ms = begun_ms
        self._owing_at_ms: dict[Seat, int] = {}
        self._heard_at_ms = [begun_ms] * seats

    def elapsed_ms(self, now_ms: int) -> int:
        """How long the match runs by the own clock."""
        return now_ms - self._begun_ms

    def reckon(self, elapsed_ms: int, now_ms: int) -> None:
        """The match runs for so long at this moment."""
        self._begun_ms = now_ms - elapsed_ms

    def keep_up(self, final_ms: int, now_ms: int) -> None:
        """A quorum has acked this elapsed time: an own clock that would not have stood still meanwhile.

        It goes on no more than that needs, so that no sequencer can drive the clocks of others.
        """
        if final_ms > self.elapsed_ms(now_ms) + AHEAD_SLACK_MS:
            self.reckon(final_ms - AHEAD_SLACK_MS, now_ms)

    def heard(self, seat: Seat, now_ms: int) -> None:
        """A message of this seat has come."""
        self._heard_at_ms[seat] = now_ms

    def is_there(self, seats: Iterable[int], within_ms: int, now_ms: int) -> bool:
        """True if all of some seats have been heard of lately; the own one need not be."""
        return all(seat == self._seat or now_ms - self._heard_at_ms[seat] <= within_ms for seat in seats)

    def silent_ms(self, seat: Seat, now_ms: int) -> int:
        """For how long nothing has been heard of a seat; of the own one there is nothing to hear."""
        return 0 if seat == self._seat else now_ms - self._heard_at_ms[seat]

    def follow(self, before: Match, after: Match, now_ms: int) -> None:
        """An entry has been accepted: note what begins with it."""
        if before.owing is not after.owing:
            self._owing_at_ms = {
                seat: self._owing_at_ms.get(seat, now_ms) if before.owing.get(seat) == since_ms else now_ms
                for seat, since_ms in after.owing.items()
            }
        if before.shown_ms is None and after.shown_ms is not None:
            self._shown_at_ms = now_ms
        if before.game is not after.game:
            if _lies(before) != _lies(after):
                self._idle_at_ms = now_ms
            if before.game.turn_since_ms != after.game.turn_since_ms or before.game.turn != after.game.turn:
                self._turn_at_ms = now_ms

    def play_due_ms(self, tip: Match) -> int | None:
        """When the look is over by the own clock; None while the pool is not complete."""
        if tip.shown_ms is None or self._shown_at_ms is None:
            return None
        return self._shown_at_ms + tip.founding.rules.look_ms

    def pass_due_ms(self, tip: Match) -> int | None:
        """When a seat that does nothing is passed for, by the own clock; None while nobody is."""
        wait_s = tip.founding.rules.auto_pass_s
        is_open = tip.game.phase is Phase.OPEN
        since_ms = max(self._idle_at_ms, self._turn_at_ms)
        return since_ms + int(wait_s * 1000) if wait_s and is_open else None

    @property
    def opening_due_ms(self) -> int | None:
        """When the first seat that is waited for has had its time, by the own clock; None if none is."""
        return min((at_ms + OVERDUE_MS for at_ms in self._owing_at_ms.values()), default=None)

    def is_timely(self, tip: Match, entry: Entry, now_ms: int) -> bool:
        """False while the own clock says that it is too early for the entry; the own ones went by it."""
        if tip.on_duty == self._seat:
            return True
        if entry.elapsed_ms > self.elapsed_ms(now_ms) + AHEAD_SLACK_MS:
            return False
        return all(self._is_note_timely(tip, note, now_ms) for note in notes_in(entry))

    def _is_note_timely(self, tip: Match, note: NoteBody, now_ms: int) -> bool:
        match note:
            case PlayStarted():
                due = self.play_due_ms(tip)
            case AutoPassed(seat=seat):
                due = self.pass_due_ms(tip)
                # More patience than the sequencer's, so that what it writes in good faith is acked.
                if 0 <= seat < tip.seats and not self.is_there((seat,), 2 * HEARD_MS, now_ms):
                    return False
            case Overdue(seat=seat):
                due = self._owing_at_ms.get(Seat(seat), now_ms) + OVERDUE_MS
            case Checkpoint() | Closed():
                return True
        return due is None or now_ms >= due - CLOCK_SLACK_MS

    def is_all_there(self, tip: Match, within_ms: int, now_ms: int) -> bool:
        """True if every seat has been heard of lately."""
        return self.is_there(range(tip.seats), within_ms, now_ms)

    def may_sweep(self, tip: Match, entry: Entry, events: Iterable[GameEvent], now_ms: int) -> bool:
        """False if an entry sweeps while a seat is silent; what coins or a dealer order is not put off."""
        is_drawn = any(isinstance(event, Drawn | Ruled) for event in entry.events)
        if tip.on_duty == self._seat or is_drawn or not has_swept(events):
            return True
        # More patience than the sequencer's, as for a pass.
        return self.is_all_there(tip, 2 * HEARD_MS, now_ms)

    def is_idle(self, tip: Match, events: Iterable[GameEvent], now_ms: int) -> bool:
        """False if an entry halts a table that has not been idle long enough by the own clock."""
        if tip.on_duty == self._seat or not any(isinstance(event, Halted) for event in events):
            return True
        idle_ms = int(tip.founding.rules.idle_seconds * 1000)
        return now_ms >= self._idle_at_ms + idle_ms - CLOCK_SLACK_MS


def has_swept(events: Iterable[GameEvent]) -> bool:
    """True if a pool was cleared away: everybody has to turn up the next one."""
    return any(isinstance(event, Swept) for event in events)


def held_back(tip: Match, pacing: Pacing, book: ClaimBook, now_ms: int) -> Iterator[Digest]:
    """The claims that a sequencer may leave undone for now: those that may sweep while a seat is silent."""
    if not pacing.is_all_there(tip, HEARD_MS, now_ms):
        for held in book.undecided.values():
            if isinstance(asked(held)[1], Pass | Resume):
                yield held.id


def _lies(match: Match) -> tuple[object, ...]:
    """What changes whenever the idle time begins anew, even within a millisecond."""
    game = match.game
    return game.deal, game.phase, game.pool, game.hands, game.idle_since_ms


def notes_in(entry: Entry) -> Iterator[NoteBody]:
    """The notes of an entry that can be read; what cannot is found by the fold."""
    for event in entry.events:
        if isinstance(event, Note):
            try:
                yield read_note(event.payload)
            except PeerFault:
                continue


def passes_over(
    match: Match, item: TapeItem, entry: Entry, later: Collection[Digest], book: ClaimBook
) -> bool:
    """True if a note in the entry affects a claim that is not logged by it, nor taken up later.

    `later`: the claims that the author's next entries order. What the author has given a receipt for before
    it wrote the entry, it has passed over knowingly, and ordering it later does not make up for that.
    """
    logged = set(ordered_in(entry))
    for note in notes_in(entry):
        for held in affected(match, note, book):
            if held.id in logged:
                continue
            word = book.mentions(held.id).get(item.seat)
            is_known = word is not None and word.item.number < item.item.number
            if is_known or held.id not in later:
                return True
    return False


def ordered_in(entry: Entry) -> Iterator[Digest]:
    """The claims that an entry orders, or names as a contest."""
    for event in entry.events:
        match event:
            case Settled(claim=claim):
                yield claim
            case Contest(claims=claims) | Drawn(order=claims) | Ruled(order=claims):
                yield from claims
            case _:
                continue


def cut_in(entry: Entry) -> Iterator[Digest]:
    """The claims that an entry is about to order, by closing the tapes for them."""
    for event in entry.events:
        if isinstance(event, CutOff):
            yield from event.claims
