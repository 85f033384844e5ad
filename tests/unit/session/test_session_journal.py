"""What an earlier run has left: what does not hold in a journal, or in the log beside it, is found."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from msgspec import structs
from session_helpers import WALL_MS, Table, appends, cut_off, heal, identity, next_of, opened, setup

from kemps_p2p.codec import decode, encode
from kemps_p2p.errors import Fault, Illegal, IllegalAction, PeerFault, RuntimeFault
from kemps_p2p.game.actions import Gesture
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Event, Note, Result, Settled
from kemps_p2p.ledger.tape import NO_DIGEST, Ack, Append, Head
from kemps_p2p.session import effects as fx
from kemps_p2p.session.following import Following
from kemps_p2p.session.genesis import SignedGenesis
from kemps_p2p.session.handover import SILENCE_MS
from kemps_p2p.session.journal import Remembered, read_journal, setup_from
from kemps_p2p.session.messages import LobbyWords, PlayStarted, read_message
from kemps_p2p.session.ordering import entry_after
from kemps_p2p.session.session import Session


@pytest.fixture(scope="module")
def left() -> Table:
    """A table that plays, of which seat 0 is to come back."""
    return opened()


def is_of_lobby(data: bytes) -> bool:
    return isinstance(read_message(data), LobbyWords)


def objects(table: Table, file: fx.File, seat: int = 0) -> list[bytes]:
    return [effect.data for effect in table.appended[seat] if effect.file is file]


def with_object(table: Table, place: int, data: bytes) -> list[bytes]:
    found = objects(table, fx.File.JOURNAL)
    found[place] = data
    return found


def restored(table: Table, journal: Sequence[bytes], log: Sequence[bytes], seat: int = 0) -> Session:
    read = read_journal(journal)
    mine = setup_from(read, identity(seat), setup(seat).secret)
    session = Session.restored(mine, read, log, table.now_ms, WALL_MS + table.now_ms)
    session.start(table.now_ms)
    return session


def test_a_seat_that_comes_back_stands_where_it_stood_and_says_nothing_yet(left: Table) -> None:
    session = restored(left, objects(left, fx.File.JOURNAL), objects(left, fx.File.LOG))
    assert session.play.tip.head == left.play(0).tip.head
    with pytest.raises(IllegalAction) as illegal:
        session.submit(Gesture("wink"), left.now_ms)
    assert illegal.value.reason is Illegal.COMING_BACK


def test_a_seat_that_comes_back_knows_what_its_book_says() -> None:
    table = opened()
    table.carry_out(0, table.sessions[0].seal_book(("ear tug",), table.now_ms))
    table.settle()
    session = restored(table, objects(table, fx.File.JOURNAL), objects(table, fx.File.LOG))
    assert session.play.tip.books[Seat(0)].keys() == {1}
    assert session.play.books.last == ("ear tug",)
    assert session.play.books.lost == ()


def test_what_does_not_hold_in_a_journal_is_named_by_its_place(left: Table) -> None:
    genesis, remembered, *_ = objects(left, fx.File.JOURNAL)
    signed, known = decode(genesis, SignedGenesis), decode(remembered, Remembered)
    unsigned = structs.replace(signed, signatures=(bytes(64), *signed.signatures[1:]))
    names = (("Eve", known.names[0][1]), *known.names[1:])
    for journal, why in (
        ([genesis], "ends before its match began"),
        (with_object(left, 0, encode(unsigned)), "object 0 of the journal: bad-signature"),
        (with_object(left, 1, encode(structs.replace(known, names=names))), "object 1 .*: names"),
        (with_object(left, 2, b"\xc1"), "object 2 of the journal: malformed"),
    ):
        with pytest.raises(RuntimeFault, match=why):
            read_journal(journal)


def test_a_journal_is_of_one_identity(left: Table) -> None:
    with pytest.raises(RuntimeFault, match="another identity"):
        setup_from(read_journal(objects(left, fx.File.JOURNAL)), identity(9), bytes(32))


def test_a_log_that_is_not_that_of_the_journal_is_not_gone_on_with(left: Table) -> None:
    journal, log = objects(left, fx.File.JOURNAL), objects(left, fx.File.LOG)
    with pytest.raises(RuntimeFault, match="the log cannot be read"):
        restored(left, journal, [*log[:-1], b"\xc1"])
    with pytest.raises(RuntimeFault, match="not the one that the journal makes"):
        restored(left, journal, [log[0], log[1], log[3], log[2], *log[4:]])


def told_later(left: Table, *events: Event) -> list[bytes]:
    """The journal with one more entry of the seat on duty, and the ack of the own seat."""
    tip = left.play(0).tip
    duty = int(tip.on_duty)
    pen = next_of(duty, left)
    entry = entry_after(tip, tip.term, events, tip.elapsed_ms, WALL_MS)
    said = pen.write((Append(entry=encode(entry)),))
    own = pen if duty == 0 else next_of(0, left)
    own.see(said.item.lamport)
    ack = own.write((Ack(epoch=tip.epoch, term=tip.term, head=Head(index=entry.index, digest=said.digest)),))
    return [*objects(left, fx.File.JOURNAL), encode(said.signed), encode(ack.signed)]


def test_an_entry_that_was_acked_and_does_not_hold_is_said_to_be_in_the_journal(left: Table) -> None:
    journal = told_later(left, Note(payload=encode(PlayStarted())))
    with pytest.raises(RuntimeFault, match="was acked and does not hold"):
        restored(left, journal, objects(left, fx.File.LOG))


def test_a_seat_whose_acked_entry_rests_on_what_is_not_here_stays_silent(left: Table) -> None:
    """A power cut has taken an item that the entry names; the others still hold it, and show it."""
    journal = told_later(left, Settled(claim=NO_DIGEST, result=Result.OK, evidence=()))
    session = restored(left, journal, objects(left, fx.File.LOG))
    play = session.play
    assert play.tip.head == left.play(0).tip.head
    for seat in (1, 2, 3):
        play.hear_length(Seat(seat), play.tapes.lengths()[0])
    assert play.flush(left.now_ms) == []
    assert play.is_recovering


def test_who_stood_for_what_a_later_term_left_out_comes_back_where_its_log_ends() -> None:
    """A power cut has taken its words in that term, but neither the others' nor the log."""
    table = opened()
    duty = int(table.play().tip.on_duty)
    table.drops = lambda sender, _receiver, data: sender == duty and appends(data)
    other = (duty + 1) % 4
    for seat in (duty, other):
        table.submit(seat, Gesture("wink")).settle()
    lone = table.play(duty).tip.head
    cut_off(table, duty)
    table.wait(SILENCE_MS + 600)
    final = table.play(other).final
    assert (final.term, final.head.index) == (1, lone.index)
    journal, told = (objects(table, fx.File.JOURNAL, seat) for seat in (duty, other))
    journal += [data for data in told if data not in journal]
    session = restored(table, journal, objects(table, fx.File.LOG, other)[:-1], duty)
    assert session.play.final.head == session.play.tip.head == final.head


def test_a_seat_that_comes_back_speaks_once_others_hold_no_more_of_its_tape(left: Table) -> None:
    play = restored(left, objects(left, fx.File.JOURNAL), objects(left, fx.File.LOG)).play
    length = play.tapes.lengths()[0]
    assert play.seal_book(("wink",), left.now_ms) == []
    for seat, more in ((1, 0), (0, 0), (2, 0), (3, 1), (9, 0), (3, 0)):
        assert play.flush(left.now_ms) == []
        assert play.is_recovering
        play.hear_length(Seat(seat), length + more)
    play.flush(left.now_ms)
    assert not play.is_recovering


def test_who_has_lost_its_journal_waits_for_all_who_may_hold_the_last_of_its_tape() -> None:
    """One of six alone has heard it, and is slow; the quorum that has not would let it use a number twice."""
    table = opened(players=6)
    lost, alone = 1, 2
    table.drops = lambda sender, receiver, _data: sender == lost and receiver != alone
    table.submit(lost, Gesture("wink")).settle()
    said = table.play(alone).tapes.of(Seat(lost))[-1]
    log, journal = (objects(table, file, lost) for file in (fx.File.LOG, fx.File.JOURNAL))
    mine = setup(lost, players=6)
    bare = Session(replace(mine, has_sat=True))
    bare.go_on_with(log)
    behind = [
        Session.restored(mine, read_journal(journal[:kept]), log, table.now_ms, WALL_MS + table.now_ms)
        for kept in (2, len(journal) // 2)
    ]
    for session in (bare, *behind):
        table.drops = lambda sender, _receiver, data: sender == alone and not is_of_lobby(data)
        table.sessions[lost] = session
        table.carry_out(lost, session.start(table.now_ms))
        table.settle().wait(1000)
        assert session.play.is_recovering
        heal(table)
        table.wait(1000)
        assert not session.play.is_recovering
        assert said in session.play.tapes.of(Seat(lost))
    assert all(table.faults(seat) == [] for seat in range(6))


def test_a_log_that_is_followed_is_checked_as_it_comes(left: Table) -> None:
    header, genesis, *entries = objects(left, fx.File.LOG)
    log = b"".join((header, genesis, *entries))
    following = Following()
    assert len([*following.feed(log[:-1]), *following.feed(log[-1:])]) == len(entries)
    signed = decode(genesis, SignedGenesis)
    unsigned = encode(structs.replace(signed, signatures=(bytes(64), *signed.signatures[1:])))
    for data, code in (
        (b"\xc1", Fault.MALFORMED),
        (header + header, Fault.BAD_GENESIS),
        (header + unsigned, Fault.BAD_SIGNATURE),
        (genesis + genesis, Fault.BAD_GENESIS),
        (header + genesis + entries[1], Fault.BAD_ENTRY),
    ):
        with pytest.raises(PeerFault) as fault:
            Following().feed(data)
        assert fault.value.code is code
