"""Rules that a session carries out: what waits behind a call, the dealer's word, time, answers, rematches."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import TypeVar

import pytest
from msgspec import structs
from session_helpers import RULES, Table, formed, identity, next_of, opened, setup

from kemps_p2p.codec import Digest, encode
from kemps_p2p.errors import Fault, Illegal, IllegalAction, PeerFault
from kemps_p2p.game.actions import Action, Admit, Call, Counter, Deny, Halt, Partner, Pass, Swap
from kemps_p2p.game.cards import is_quartet, rank
from kemps_p2p.game.events import Answered, Called, Event, Halted, Shown, Swept
from kemps_p2p.game.events import Settled as GameSettled
from kemps_p2p.game.record import Phase, Waiting
from kemps_p2p.game.rules import KEYS, RuleSet, canonical_text, load_rules, override
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import (
    Contest,
    Drawn,
    Entry,
    LogRecord,
    Note,
    Result,
    Ruled,
    Settled,
    entry_of,
    named_items,
)
from kemps_p2p.ledger.entry import Event as LedgerEvent
from kemps_p2p.ledger.tape import (
    Append,
    Claim,
    Head,
    Receipt,
    Statement,
    TapeItem,
    claim_of,
    open_item,
    tape_writer,
)
from kemps_p2p.session import effects as fx
from kemps_p2p.session.answers import CHOICE_MS
from kemps_p2p.session.fold import OpenRecord, Proofs, open_record
from kemps_p2p.session.genesis import NO_MATCH, Genesis, found
from kemps_p2p.session.lobby import Lobby
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.match import Match, action_of, begin
from kemps_p2p.session.messages import (
    AutoPassed,
    Batch,
    LobbyWords,
    NoteBody,
    PlayStarted,
    pack,
    read_message,
    read_note,
)
from kemps_p2p.session.pacing import AHEAD_SLACK_MS, CLOCK_SLACK_MS, HEARD_MS, Pacing
from kemps_p2p.session.replay import step

Sort = TypeVar("Sort")


def rules_of(name: str, **changes: object) -> RuleSet:
    return override(load_rules(name), {"look_ms": 0, **changes})


def records(table: Table) -> list[LogRecord]:
    """The final entries at seat 0."""
    objects = [read_object(effect.data) for effect in table.appended[0] if effect.file is fx.File.LOG]
    return [found for found in objects if isinstance(found, LogRecord)]


def entries(table: Table) -> list[Entry]:
    founding = table.play().founding
    found = [entry_of(open_item(record.entry, founding.match, founding.keys)) for record in records(table)]
    return [entry for entry in found if entry is not None]


def ordered(table: Table, sort: type[Sort]) -> list[Sort]:
    return [event for entry in entries(table) for event in entry.events if isinstance(event, sort)]


def happened(table: Table) -> list[Event]:
    return [event for sight in table.sights[0] if isinstance(sight, fx.Happened) for event in sight.events]


def known(table: Table, seat: int) -> list[str]:
    return [sight.result.name for sight in table.sights[seat] if isinstance(sight, fx.Known)]


# Behind a call


def has_claim(data: bytes, table: Table, seat: int) -> bool:
    """True for a message with a claim of this seat."""
    message = read_message(data)
    play = table.play(seat)
    return isinstance(message, Batch) and any(
        item.seat == seat and claim_of(item.item) is not None
        for item in (open_item(signed, play.founding.match, play.founding.keys) for signed in message.items)
    )


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_claim_behind_a_call_is_judged_once_the_call_is(goes_on: bool) -> None:
    """The called seat's answer is late, and another seat has not heard of the call when it swaps."""
    wrong = "continue" if goes_on else "ends-deal"
    table = opened(rules_of("chaulcer", exchange="swap", idle_seconds=60, wrong_call=wrong))
    duty = int(table.play().final.on_duty)
    called = (duty + 2) % 4
    caller, swapper = (seat for seat in range(4) if seat % 2 != duty % 2)
    table.drops = lambda sender, receiver, data: (
        receiver == swapper or (sender == called and has_claim(data, table, called))
    )
    table.submit(caller, Call(calls=(Counter(target=called),))).settle()
    assert table.play(duty).final.game.pending is not None
    game = table.play(swapper).final.game
    swap = Swap(take=(game.pool[0],), give=(game.hands[swapper][0],))
    table.submit(swapper, swap)
    table.drops = lambda sender, receiver, data: sender == called and has_claim(data, table, called)
    table.settle().wait(1000)
    assert known(table, swapper)[-1] == "WAITING"
    assert table.play(duty).final.game.waiting == (Waiting(0, Seat(swapper), swap),)
    assert swap.take[0] in table.play(duty).final.game.pool
    table.drops = lambda sender, receiver, data: False
    table.wait(1000)
    after = table.play(duty).final.game
    (told,) = (event for event in happened(table) if isinstance(event, GameSettled))
    assert (told.seat, told.result) == (swapper, "ok" if goes_on else "refused")
    assert (swap.take[0] in after.hands[swapper]) is goes_on
    assert after.waiting == ()
    assert all(table.faults(seat) == [] for seat in range(4))


def test_nobody_claims_what_has_to_wait_for_a_call_that_is_known() -> None:
    table = opened(rules_of("kems", start="last-card"))
    duty = int(table.play().final.on_duty)
    caller = (duty + 1) % 4
    table.submit(caller, Call(calls=(Partner(),))).settle()
    game = table.play().final.game
    assert game.pending is not None
    with pytest.raises(IllegalAction) as illegal:
        table.submit(duty, Pass(pool=game.pool))
    assert illegal.value.reason is Illegal.CALL_PENDING


# Claims that are together


def together(table: Table, one: tuple[int, Action], other: tuple[int, Action], ahead: int) -> Table:
    """Two claims of which the witnesses see now the one, now the other first; `ahead` sees the one first."""
    (a, _), (b, _) = one, other
    (late,) = (seat for seat in range(4) if seat not in (a, b, ahead))
    table.drops = lambda sender, receiver, data: (sender, receiver) in ((a, late), (b, ahead))
    for seat, action in (one, other):
        table.submit(seat, action)
    table.settle()
    table.drops = lambda sender, receiver, data: False
    return table.settle().wait(1500)


@pytest.mark.parametrize("first", [0, 1])
def test_the_dealers_tape_orders_what_is_together(first: int) -> None:
    table = opened(rules_of("kemps", poll_tie="dealer"))
    game = table.play().final.game
    seats = [seat for seat in range(4) if seat % 2 != game.dealer % 2]
    acts = [(seat, Swap(take=(game.pool[0],), give=(game.hands[seat][0],))) for seat in seats]
    together(table, acts[first], acts[1 - first], ahead=game.dealer)
    (ruled,) = ordered(table, Ruled)
    assert ruled.results == (Result.OK, Result.MISSED)
    assert game.pool[0] in table.play().final.game.hands[seats[first]]
    assert ordered(table, Contest) == []
    assert all(table.faults(seat) == [] for seat in range(4))


def test_the_dealer_orders_nothing_of_its_own_team() -> None:
    table = opened(rules_of("kemps", poll_tie="dealer"))
    game = table.play().final.game
    seats = [int(game.dealer + 1) % 4, int(game.dealer + 2) % 4]
    acts = [(seat, Swap(take=(game.pool[0],), give=(game.hands[seat][0],))) for seat in seats]
    together(table, acts[0], acts[1], ahead=game.dealer)
    assert ordered(table, Ruled) == []
    assert len(ordered(table, Contest)) == len(ordered(table, Drawn)) == 1


@pytest.mark.parametrize(("how", "results", "scores"), [
    ("first", {Result.OK, Result.WAITING}, {(-1, 0), (0, -1)}),
    ("both", {Result.OK, Result.WAITING}, {(-1, -1)}),
])  # fmt: skip
def test_two_calls_at_once_both_score_where_the_rules_say_so(
    how: str, results: set[Result], scores: set[tuple[int, int]]
) -> None:
    """Both are wrong and end the deal; the second is scored only where both are."""
    table = opened(rules_of("chaulcer", simultaneous_calls=how, poll_tie="lottery", wrong_call="ends-deal"))
    call = Call(calls=(Partner(),))
    together(table, (0, call), (1, call), ahead=2)
    (drawn,) = ordered(table, Drawn)
    assert set(drawn.results) == results
    after = table.play().final.game
    assert after.phase is Phase.DEAL_OVER
    assert after.scores in scores


@pytest.mark.parametrize("first", [0, 1])
def test_a_counter_goes_before_a_partner_call_that_is_together_with_it(first: int) -> None:
    table = opened(rules_of("kent"))
    acts: list[tuple[int, Action]] = [(0, Call(calls=(Partner(),))), (1, Call(calls=(Counter(target=0),)))]
    together(table, acts[first], acts[1 - first], ahead=2)
    assert len(ordered(table, Drawn)) == 1
    called = [event for event in happened(table) if isinstance(event, Called)]
    assert [event.seat for event in called] == [1]


def refold(table: Table, index: int) -> tuple[Match, OpenRecord]:
    """The match before an entry, and that entry."""
    founding, proofs = table.play().founding, Proofs(is_eager=True)
    match = begin(founding)
    for record in records(table):
        opened_record = open_record(record, founding.match, founding.keys)
        if opened_record.entry.index == index:
            return match, opened_record
        match, _ = step(match, opened_record, proofs)
    raise AssertionError("no such entry")


def forged(match: Match, record: OpenRecord, **changes: object) -> OpenRecord:
    """The entry with other contents, signed by the seat on duty."""
    entry = structs.replace(record.entry, **changes)
    pen = tape_writer(match.founding.match, match.on_duty, identity(match.on_duty))
    pen.number, pen.prev, pen.lamport = 900, record.item.digest, record.item.item.lamport
    item = pen.write((Append(entry=encode(entry)),))
    return OpenRecord(item, entry, {name: record.items[name] for name in named_items(entry)})


def refused(match: Match, record: OpenRecord, code: Fault) -> None:
    with pytest.raises(PeerFault) as fault:
        step(match, record, Proofs(is_eager=True))
    assert (fault.value.code, fault.value.culprit) == (code, match.on_duty)


def test_a_false_ruling_is_refused() -> None:
    table = opened(rules_of("kemps", poll_tie="dealer"))
    game = table.play().final.game
    seats = [seat for seat in range(4) if seat % 2 != game.dealer % 2]
    acts = [(seat, Swap(take=(game.pool[0],), give=(game.hands[seat][0],))) for seat in seats]
    together(table, acts[0], acts[1], ahead=game.dealer)
    index = next(
        entry.index for entry in entries(table) if any(isinstance(event, Ruled) for event in entry.events)
    )
    match, record = refold(table, index)
    (event,) = record.entry.events
    assert isinstance(event, Ruled)
    step(match, forged(match, record), Proofs(is_eager=True))
    drawn_instead = Contest(claims=event.claims, evidence=event.evidence)
    refused(match, forged(match, record, events=(drawn_instead,)), Fault.BAD_ORDER)
    turned = structs.replace(event, order=event.order[::-1])
    refused(match, forged(match, record, events=(turned,)), Fault.BAD_ORDER)
    praised = structs.replace(event, results=event.results[::-1])
    refused(match, forged(match, record, events=(praised,)), Fault.BAD_VERDICT)
    words = tuple(name for name in event.evidence if record.items[name].seat != game.dealer)
    silenced = structs.replace(event, evidence=words)
    refused(match, forged(match, record, events=(silenced,)), Fault.BAD_ORDER)
    lottery = override(match.founding.rules, {"poll_tie": "lottery"})
    other = structs.replace(match, founding=replace(match.founding, rules=lottery))
    refused(other, forged(match, record), Fault.BAD_ORDER)


# Time


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
    return Entry(
        index=match.head.index + 1,
        prev=match.head.digest,
        epoch=0,
        term=0,
        elapsed_ms=elapsed_ms,
        wall_ms=0,
        events=(Note(payload=encode(note)),),
    )


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
        entry = Entry(
            index=self.head.index + 1,
            prev=self.head.digest,
            epoch=tip.epoch,
            term=tip.term,
            elapsed_ms=tip.game.idle_since_ms + 5000,
            wall_ms=0,
            events=(event,),
        )
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


# Answers


def called(table: Table, caller: int) -> tuple[int, bool]:
    """Call on the partner: who is called, and whether that is right."""
    seat = (caller + 2) % 4
    hand = [held.card for held in table.sessions[seat].view().hand]
    table.submit(caller, Call(calls=(Partner(),))).settle()
    return seat, is_quartet(hand)


def answers(table: Table) -> list[Answered]:
    return [event for event in happened(table) if isinstance(event, Answered)]


def test_a_stated_denial_needs_no_player() -> None:
    table = opened(rules_of("chaulcer"))
    seat, is_right = called(table, 0)
    assert not is_right
    assert answers(table) == [Answered(Seat(seat), Deny())]
    table.wait(300)
    assert table.play().final.game.pending is None


def test_which_two_cards_to_show_is_the_players_choice_for_a_while() -> None:
    table = opened(rules_of("kems", start="last-card"))
    seat, is_right = called(table, 0)
    assert not is_right
    table.wait(CHOICE_MS - 200)
    assert answers(table) == []
    assert table.play().final.game.pending is not None
    table.wait(400)
    (answer,) = answers(table)
    assert isinstance(answer.answer, Deny)
    table.wait(300)
    (shown,) = (event for event in happened(table) if isinstance(event, Shown))
    assert shown == Shown(Seat(seat), answer.answer.show)
    faces = table.play().final.game.faces
    assert len({rank(faces[card]) for card in shown.cards}) == 2
    assert len([card for card in table.play().final.game.hands[seat] if card in faces]) == 2


def test_a_player_may_choose_and_nothing_else_is_said_for_it() -> None:
    table = opened(rules_of("kems", start="last-card"))
    seat, _ = called(table, 0)
    hand = table.sessions[seat].view().hand
    first = hand[-1]
    other = next(held for held in reversed(hand) if rank(held.card) != rank(first.card))
    choice = Deny(show=(first.position, other.position))
    table.submit(seat, choice).settle().wait(2 * CHOICE_MS)
    assert [event.answer for event in answers(table)] == [choice]
    claims = [
        item
        for item in table.play(seat).tapes.by_digest.values()
        if item.seat == seat and (claim := claim_of(item.item)) is not None
        and isinstance(action_of(item, claim), Deny | Admit)
    ]  # fmt: skip
    assert len(claims) == 1


def test_an_answer_under_way_is_not_given_twice() -> None:
    table = opened(rules_of("chaulcer"))
    table.drops = lambda sender, receiver, data: sender == 2 and has_claim(data, table, 2)
    called(table, 0)
    for again in (Admit(), Deny()):
        with pytest.raises(IllegalAction) as illegal:
            table.submit(2, again)
        assert illegal.value.reason is Illegal.TOO_SOON


# Rule sets and rematches

OTHERS: Mapping[str, object] = {
    "players": [4],
    "two_decks_above": 4,
    "pool_size": 5,
    "mode": "turns",
    "exchange": "discard-first",
    "exchange_limit": 1,
    "start": "go",
    "mulligan": 3,
    "sweep": "idle",
    "idle_seconds": 4,
    "stock_out": "recycle",
    "calls": ["partner"],
    "combine_calls": True,
    "counter_target": "player",
    "reveal": "claim",
    "wrong_call": "continue",
    "bar_after_wrong_counter": True,
    "scoring": "points",
    "word": "KENT",
    "points_right": {"partner": 1, "counter": 2},
    "points_wrong_caller": -1,
    "points_wrong_other": 1,
    "goal": 7,
    "deal_limit": {"4": 12},
    "tie": "playoff",
    "rotation": "clockwise",
    "first_dealer": "rotates",
    "simultaneous_calls": "both",
    "poll_tie": "dealer",
    "look_ms": 801,
    "auto_pass_s": 0,
    "signals": "once",
    "speech": True,
    "words": {"partner": "Cut!", "counter": "Stop!"},
}


@cache
def seated_lobby() -> Lobby:
    """It refuses whatever comes, so that one is enough."""
    lobby = Lobby(setup(0))
    lobby.start()
    return lobby


@pytest.mark.parametrize("key", KEYS)
def test_a_rule_set_that_differs_in_any_key_is_told_by_that_key(key: str) -> None:
    lobby, other = seated_lobby(), Lobby(setup(2, rules=override(RULES, {key: OTHERS[key]})))
    (message, *_) = other.start()
    words = read_message(message)
    assert isinstance(words, LobbyWords)
    with pytest.raises(PeerFault) as fault:
        lobby.receive(words, 0)
    assert (fault.value.code, fault.value.culprit) == (Fault.OTHER_RULES, 2)
    assert fault.value.text == f"the key {key} differs"


@cache
def first_genesis() -> Genesis:
    return formed().play().founding.genesis


def rematch(matches: int, how: str) -> Match:
    """The start of a match at a table that has finished some."""
    rules = canonical_text(rules_of("kemps", first_dealer=how))
    genesis = structs.replace(first_genesis(), rules=rules)
    previous = Digest(bytes([7]) * 32) if matches else NO_MATCH
    return begin(found(encode(structs.replace(genesis, matches=matches, previous=previous))))


@pytest.mark.parametrize(("how", "dealers"), [("rotates", [0, 1, 2, 3, 0]), ("seat-0", [0] * 5)])
def test_the_first_dealer_of_each_match_of_a_table(how: str, dealers: list[int]) -> None:
    matches = [rematch(number, how) for number in range(5)]
    assert [match.game.dealer for match in matches] == dealers
    assert [match.on_duty for match in matches] == dealers
    assert [match.game.matches for match in matches] == list(range(5))


def test_a_drawn_dealer_follows_from_all_nonces_alone() -> None:
    matches = [rematch(number, "drawn") for number in range(5)]
    assert {match.game.dealer for match in matches} == {matches[0].founding.drawn_dealer}


@pytest.mark.parametrize(("matches", "previous"), [(1, 0), (0, 7), (-1, 7)])
def test_a_rematch_names_the_match_before(matches: int, previous: int) -> None:
    forged_genesis = structs.replace(
        first_genesis(), matches=matches, previous=Digest(bytes([previous]) * 32)
    )
    with pytest.raises(PeerFault) as fault:
        found(encode(forged_genesis))
    assert fault.value.code is Fault.BAD_GENESIS


def test_who_comes_from_another_match_sits_at_another_table() -> None:
    one, other = Lobby(setup(0)), Lobby(replace(setup(2), matches=1, previous=Digest(bytes([7]) * 32)))
    one.start()
    (message, *_) = other.start()
    words = read_message(message)
    assert isinstance(words, LobbyWords)
    with pytest.raises(PeerFault) as fault:
        one.receive(words, 0)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_GENESIS, None)
