"""What happens by time: passes for those who do nothing, and clocks that must agree."""

from dataclasses import replace

import pytest
from msgspec import structs
from session_helpers import Table, next_entry, next_of, opened
from session_records import entries, forged, happened, ordered, refold, refused, rules_of

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Halt, Pass, Swap
from kemps_p2p.game.events import Halted, Swept
from kemps_p2p.game.record import Phase
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Drawn, Entry, Note, Result, Settled, entry_of
from kemps_p2p.ledger.entry import Event as LedgerEvent
from kemps_p2p.ledger.tape import Append, Claim, Head, Receipt, Statement, TapeItem
from kemps_p2p.session.fold import Proofs
from kemps_p2p.session.match import Match, begin
from kemps_p2p.session.messages import AutoPassed, Batch, NoteBody, PlayStarted, pack, read_note
from kemps_p2p.session.pacing import AHEAD_SLACK_MS, CLOCK_SLACK_MS, HEARD_MS, Pacing
from kemps_p2p.session.replay import step


def passed_by_all_but_one(**changes: object) -> tuple[Table, int]:
    """A table at which one seat, not that on duty, has done nothing."""
    table = opened(rules_of("kemps", **changes))
    idle = (table.play().final.on_duty + 1) % 4
    pool = table.play().final.game.pool
    for other in range(4):
        if other != idle:
            table.submit(other, Pass(pool=pool)).settle()
    assert len(table.play().final.game.passes) == 3
    return table, idle


def entry_with(table: Table, note: NoteBody) -> Entry:
    wanted = Note(payload=encode(note))
    return next(entry for entry in entries(table) if wanted in entry.events)


def auto_passes(table: Table) -> list[int]:
    notes = [read_note(event.payload) for event in ordered(table, Note)]
    return [note.seat for note in notes if isinstance(note, AutoPassed)]


def test_who_does_nothing_is_passed_for_in_time_and_not_before() -> None:
    table, idle = passed_by_all_but_one(auto_pass_s=3)
    idle_since_ms = table.play().final.game.idle_since_ms
    table.wait(2000)
    assert auto_passes(table) == []
    table.wait(1000)
    assert auto_passes(table) == [idle]
    assert entry_with(table, AutoPassed(seat=idle)).elapsed_ms >= idle_since_ms + 3000
    assert any(isinstance(event, Swept) for event in happened(table))
    assert all(table.faults(seat) == [] for seat in range(4))


def test_nobody_is_passed_for_where_the_rules_say_never() -> None:
    table, idle = passed_by_all_but_one(auto_pass_s=0)
    table.wait(30_000, step_ms=1000)
    assert auto_passes(table) == []
    assert table.play().final.game.passes == set(range(4)) - {idle}


def test_nobody_is_passed_for_while_a_seat_is_not_heard_of() -> None:
    table, idle = passed_by_all_but_one(auto_pass_s=3)
    table.drops = lambda sender, receiver, data: sender == idle
    table.wait(10_000)
    assert auto_passes(table) == []
    table.drops = lambda sender, receiver, data: False
    table.wait(600)
    assert auto_passes(table) == [idle]


def test_in_turns_the_seat_whose_turn_it_is_is_passed_for() -> None:
    table = opened(rules_of("cash", auto_pass_s=1))
    turn = table.play().final.game.turn
    assert turn is not None
    table.wait(1400)
    assert auto_passes(table) == [turn]
    table.wait(1400)
    assert auto_passes(table)[:2] == [turn, (turn + 1) % 4]


def test_a_pass_by_time_is_checked_by_the_fold() -> None:
    table, idle = passed_by_all_but_one(auto_pass_s=3)
    table.wait(3200)
    assert auto_passes(table) == [idle]
    match, record = refold(table, entry_with(table, AutoPassed(seat=idle)).index)

    def note(seat: int) -> tuple[Note]:
        return (Note(payload=encode(AutoPassed(seat=seat))),)

    after, _ = step(match, forged(match, record, events=note(idle)), Proofs(is_eager=True))
    assert after.game.phase is not Phase.OPEN
    early = match.game.idle_since_ms + 2999
    refused(match, forged(match, record, events=note(idle), elapsed_ms=early), Fault.BAD_TIME)
    for seat in ((idle + 1) % 4, 4, -1):
        refused(match, forged(match, record, events=note(seat)), Fault.BAD_ENTRY)


def with_note(match: Match, note: NoteBody, elapsed_ms: int = 0) -> Entry:
    return next_entry(match, Note(payload=encode(note)), elapsed_ms=elapsed_ms)


def test_an_ack_waits_for_the_own_clock() -> None:
    match = opened(rules_of("kemps", auto_pass_s=3)).play().final
    shown = structs.replace(
        match, shown_ms=0, founding=replace(match.founding, rules=rules_of("kemps", look_ms=900))
    )
    me, other = ((match.on_duty + places) % 4 for places in (1, 2))
    pacing = Pacing(1000, Seat(me), 4)
    pacing.follow(begin(match.founding), shown, 2000)
    start = with_note(shown, PlayStarted())
    assert not pacing.is_timely(shown, start, 2900 - CLOCK_SLACK_MS - 1)
    assert pacing.is_timely(shown, start, 2900 - CLOCK_SLACK_MS)
    ahead = structs.replace(start, elapsed_ms=AHEAD_SLACK_MS + 2001)
    assert not pacing.is_timely(shown, ahead, 3000)
    assert pacing.is_timely(shown, ahead, 3001)
    due, passing = 5000 - CLOCK_SLACK_MS, with_note(match, AutoPassed(seat=other))
    assert not pacing.is_timely(match, passing, due - 1)
    assert pacing.is_timely(match, passing, due)
    # Of the other seat nothing has been heard since the match began; of itself nobody hears.
    later = 1000 + 2 * HEARD_MS + 1
    assert not pacing.is_timely(match, passing, later)
    assert pacing.is_timely(match, with_note(match, AutoPassed(seat=me)), later)
    pacing.heard(Seat(other), later)
    assert pacing.is_timely(match, passing, later)
    moved = structs.replace(match, game=structs.replace(match.game, pool=match.game.pool[::-1]))
    pacing.follow(match, moved, 9000)
    assert not pacing.is_timely(moved, passing, 9001)


def test_a_halt_waits_for_the_own_clock() -> None:
    match = opened(rules_of("chaulcer")).play().final
    pacing = Pacing(0, Seat((match.on_duty + 1) % 4), 4)
    pacing.follow(begin(match.founding), match, 1000)
    due = 4000 - CLOCK_SLACK_MS
    # Another turn is no exchange.
    turned = structs.replace(match, game=structs.replace(match.game, turn=Seat(1), turn_since_ms=1500))
    pacing.follow(match, turned, 1500)
    assert not pacing.is_idle(match, (Halted(),), due - 1)
    assert pacing.is_idle(match, (Halted(),), due)
    assert pacing.is_idle(match, (), 1000)


def test_a_sweep_waits_for_all_seats_unless_it_is_drawn() -> None:
    match = opened().play().final
    author, me, other, silent = (Seat((match.on_duty + places) % 4) for places in range(4))
    pacing, now_ms = Pacing(0, me, 4), 2 * HEARD_MS + 1
    for seat in (author, other):
        pacing.heard(seat, now_ms)
    swept = (Swept(match.game.pool),)
    entry = with_note(match, AutoPassed(seat=other))
    drawn = structs.replace(entry, events=(Drawn(index=1, coins=(), order=(), results=()),))
    assert not pacing.may_sweep(match, entry, swept, now_ms)
    assert pacing.may_sweep(match, entry, (), now_ms)
    assert pacing.may_sweep(match, drawn, swept, now_ms), "a draw is put off for nobody"
    pacing.heard(silent, now_ms)
    assert pacing.may_sweep(match, entry, swept, now_ms)


def test_a_sequencer_whose_clock_runs_ahead_cannot_cut_the_idle_time_short() -> None:
    """It logs a halt with the time that the rules want; nobody acks it until that time has passed here."""
    table = opened(rules_of("chaulcer", idle_seconds=3))
    duty = int(table.play().final.on_duty)
    sequencer = table.play(duty)
    ahead_ms = 2000
    sequencer.pacing._begun_ms -= ahead_ms
    table.wait(1200)
    assert table.play().final.game.dealer == duty
    moved_at = sequencer.pacing._idle_at_ms
    table.submit(duty, Halt()).settle()
    assert sequencer.tip.game.phase is Phase.HALTED
    honest = [seat for seat in range(4) if seat != duty]
    assert all(table.play(seat).tip.game.phase is Phase.OPEN for seat in honest)
    while table.now_ms < moved_at + 3000 - CLOCK_SLACK_MS - 50:
        table.wait(50)
        assert all(table.play(seat).tip.game.phase is Phase.OPEN for seat in honest)
    table.wait(200)
    assert all(table.play(seat).final.game.phase is Phase.HALTED for seat in range(4))
    assert all(table.faults(seat) == [] for seat in range(4))


class Forger:
    """Writes on the tapes of all seats but one, to which it hands what was written."""

    def __init__(self, table: Table, me: int) -> None:
        self.table, self.me = table, me
        self.duty = int(table.play(me).final.on_duty)
        self.pens = {seat: next_of(seat, table) for seat in range(4) if seat != me}
        self.head = table.play(me).tip.head

    def say(self, seat: int, *body: Statement) -> TapeItem:
        made = self.pens[seat].write(body)
        for pen in self.pens.values():
            pen.see(made.item.lamport)
        self.table.hear(self.me, seat, pack(Batch(items=(made.signed,))))
        self.table.settle()
        return made

    def entry(self, event: LedgerEvent) -> TapeItem:
        tip = self.table.play(self.me).tip
        place = {"index": self.head.index + 1, "prev": self.head.digest}
        entry = next_entry(tip, event, elapsed_ms=tip.game.idle_since_ms + 5000, **place)
        made = self.say(self.duty, Append(entry=encode(entry)))
        self.head = Head(index=entry.index, digest=made.digest)
        return made


def almost_due() -> tuple[Table, int, Forger]:
    """A moment before a seat is passed for, seen by one that hears nobody but a forger."""
    table, idle = passed_by_all_but_one(auto_pass_s=5)
    me = (idle + 1) % 4
    due_ms = table.play(me).pacing.pass_due_ms(table.play(me).tip)
    assert due_ms is not None
    table.wait(due_ms - 200 - table.now_ms)
    assert auto_passes(table) == []
    table.drops = lambda sender, receiver, data: True
    return table, idle, Forger(table, me)


def index_of(item: TapeItem) -> int:
    entry = entry_of(item)
    assert entry is not None
    return entry.index


@pytest.mark.parametrize("has_word", [False, True])
def test_a_pass_by_time_waits_for_the_claims_that_it_would_affect(has_word: bool) -> None:
    """What the sequencer may not have known is logged right after; what it knew it cannot pass over."""
    table, idle, forger = almost_due()
    duty, me = forger.duty, forger.me
    (other,) = set(range(4)) - {idle, duty, me}
    final = table.play(me).final
    swap = Swap(take=(final.game.pool[0],), give=(final.game.hands[idle][0],))
    claim = forger.say(idle, Claim(head=final.head, action=encode(swap), rivals=()))
    receipt = Receipt(claim=claim.digest, rivals=())
    words = [forger.say(duty, receipt)] if has_word else []
    table.now_ms += 300
    passing = forger.entry(Note(payload=encode(AutoPassed(seat=idle))))
    assert table.play(me).tip.head.index == index_of(passing) - 1
    words += [forger.say(seat, receipt) for seat in ((other,) if has_word else (other, duty))]
    assert table.play(me).tip.head.index == index_of(passing) - 1
    evidence = tuple(word.digest for word in words)
    after = forger.entry(Settled(claim=claim.digest, result=Result.REFUSED, evidence=evidence))
    assert (table.play(me).tip.head.digest == after.digest) is not has_word
    assert table.faults(me) == []


def test_a_pass_by_time_that_affects_nothing_is_acked_at_once() -> None:
    table, idle, forger = almost_due()
    table.now_ms += 300
    passing = forger.entry(Note(payload=encode(AutoPassed(seat=idle))))
    assert table.play(forger.me).tip.head.digest == passing.digest
