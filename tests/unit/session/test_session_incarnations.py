"""A seat whose player has lost its files, played by hand: given to a new incarnation, and played on."""

from collections import deque

from session_helpers import (
    RULES,
    WALL_MS,
    Table,
    cut_off,
    formed,
    heal,
    identity,
    next_of,
    opened,
    setup,
)

from kemps_p2p.codec import derive
from kemps_p2p.errors import Fault
from kemps_p2p.game.actions import Call, Gesture, Next, Partner
from kemps_p2p.game.events import DealEnd, DealEnded
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import override
from kemps_p2p.game.state import next_dealer
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.sitting import Sitting, sign_sitting
from kemps_p2p.ledger.tape import NO_DIGEST, Unheard
from kemps_p2p.session import effects as fx
from kemps_p2p.session.journal import read_journal, setup_from
from kemps_p2p.session.match import MISSING_SEED
from kemps_p2p.session.messages import Batch, Plea, pack
from kemps_p2p.session.overdue import OVERDUE_MS
from kemps_p2p.session.seating import ENDS_MAX, PLEAS_MAX, Pen, Seating
from kemps_p2p.session.session import Session

LOST = Seat(1)
"""Not the dealer of the first deals."""
OTHERS = (0, 2, 3)
WINK = Gesture(name="wink")


def journal_of(table: Table, seat: int) -> list[bytes]:
    return [effect.data for effect in table.appended[seat] if effect.file is fx.File.JOURNAL]


def log_of(table: Table, seat: int) -> list[bytes]:
    return [effect.data for effect in table.appended[seat] if effect.file is fx.File.LOG]


def forgetful(table: Table, seat: int = LOST, what: bytes = b"fresh", source: int = 0) -> Table:
    """The seat's program begins again without its files: others tell it how the match began."""
    heading = read_journal(journal_of(table, source)[:2])
    setup = setup_from(heading, identity(seat), derive("test/secret", what)[:32])
    begin_again(table, seat, Session.restored(setup, heading, [], table.now_ms, WALL_MS + table.now_ms))
    return table


def restarted(table: Table, seat: int, secret: bytes) -> Table:
    """The seat's program begins again with its files."""
    journal = read_journal(journal_of(table, seat))
    setup = setup_from(journal, identity(seat), derive("test/secret", secret)[:32])
    logged = log_of(table, seat)
    session = Session.restored(setup, journal, logged, table.now_ms, WALL_MS + table.now_ms)
    table.sessions[seat] = session
    table.carry_out(seat, session.start(table.now_ms))
    return table


def begin_again(table: Table, seat: int, session: Session) -> None:
    kept = deque(
        (sender, receiver, data) for sender, receiver, data in table._queue if seat not in (sender, receiver)
    )
    table._queue = kept
    table.appended[seat] = [effect for effect in table.appended[0] if effect.file is fx.File.JOURNAL][:2]
    table.sights[seat] = []
    table.sessions[seat] = session
    table.carry_out(seat, session.start(table.now_ms))


def seated(table: Table) -> Table:
    """Until the new incarnation sits."""
    table.settle().wait(3000)
    for seat in range(4):
        assert table.play(seat).final.absent == {}
        assert len(table.play(seat).final.signers[LOST]) > 1
        assert table.faults(seat) == []
    assert not table.play(LOST).is_recovering
    return table


def dealt(table: Table) -> Table:
    game = table.play().final.game
    return table.submit(next_dealer(game, game.dealer), Next()).settle().wait(600)


def ends(table: Table) -> list[DealEnd]:
    sights = (sight for sight in table.sights[0] if isinstance(sight, fx.Happened))
    return [event.end for sight in sights for event in sight.events if isinstance(event, DealEnded)]


def test_who_has_lost_its_files_gets_its_seat_and_plays_on() -> None:
    table = seated(forgetful(opened()))
    assert ends(table) == [DealEnd.VOID]
    final = table.play().final
    assert final.game.phase is Phase.DEAL_OVER
    assert final.attempt == 1
    assert final.decks[1, 0].table.attempt == 1
    dealt(table)
    for seat in range(4):
        game = table.play(seat).final.game
        assert (game.deal, game.phase) == (1, Phase.OPEN)
        assert len(table.sessions[seat].view().hand) == 4
    table.submit(LOST, WINK).settle().wait(300)
    item = table.play(0).tapes.of(LOST)[-1]
    assert item.item.incarnation == 1
    assert len({table.play(seat).final.head for seat in range(4)}) == 1


def test_a_restart_behind_that_is_of_the_new_incarnation() -> None:
    table = dealt(seated(forgetful(opened())))
    table.submit(LOST, WINK).settle().wait(300)
    before = table.play(LOST).tapes.of(LOST)
    restarted(table, LOST, b"fresh").settle().wait(1000)
    play = table.play(LOST)
    assert not play.is_recovering
    assert play.tapes.of(LOST)[: len(before)] == before
    assert len(table.sessions[LOST].view().hand) == 4
    table.submit(LOST, WINK).settle().wait(300)
    assert table.play(0).tapes.of(LOST)[-1].item.incarnation == 1
    assert table.faults(0) == table.faults(LOST) == []


def test_all_that_restart_behind_that_stand_where_their_logs_end() -> None:
    """Whether the new incarnation or another wrote what is last in the log, and before they hear anybody."""
    table = dealt(seated(forgetful(opened())))
    while table.play().final.on_duty != LOST:
        cut_off(table, table.play().final.on_duty)
        table.wait(3000)
        heal(table)
        table.wait(1000)
    table.submit(LOST, WINK).settle().wait(300)
    for seat in range(4):
        final = table.play(seat).final
        restarted(table, seat, b"fresh" if seat == LOST else bytes([seat]))
        assert table.play(seat).final.head == final.head
        assert table.play(seat).tapes.of(LOST)[-1].item.incarnation == 1
    table.wait(1000).submit(LOST, WINK).settle()
    assert all(table.faults(seat) == [] for seat in range(4))


def test_whoever_holds_the_seat_lets_another_peer_restart_too() -> None:
    """Items of both incarnations lie in the journals of the others."""
    table = dealt(seated(forgetful(opened())))
    table.submit(LOST, WINK).settle().wait(300)
    table.sights[0].clear()
    journal = read_journal(journal_of(table, 0))
    assert {item.item.incarnation for item in journal.items if item.seat == LOST} == {0, 1}
    own = Session.restored(
        setup_from(journal, identity(0), setup(0).secret), journal, log_of(table, 0), table.now_ms, WALL_MS
    )
    table.sessions[0] = own
    table.carry_out(0, own.start(table.now_ms))
    table.settle().wait(1000)
    assert not table.play(0).is_recovering
    assert table.play(0).tapes.of(LOST) == table.play(LOST).tapes.of(LOST)
    assert table.faults(0) == []


def test_who_loses_its_files_twice_is_the_third_incarnation() -> None:
    table = seated(forgetful(opened()))
    seated(forgetful(table, what=b"fresher"))
    final = table.play().final
    assert [signer.first for signer in final.signers[LOST]] == sorted(
        signer.first for signer in final.signers[LOST]
    )
    assert (len(final.signers[LOST]), final.attempt, final.seated) == (3, 2, {LOST: 2})
    dealt(table)
    assert len(table.sessions[LOST].view().hand) == 4


def test_between_deals_nothing_is_lost_but_the_deck() -> None:
    table = formed()
    assert (0, 0) in table.play().final.decks
    seated(forgetful(table))
    assert table.play().final.voids == frozenset()
    assert table.play().final.decks[0, 0].table.attempt == 1
    dealt(table)
    assert table.play().final.game.phase is Phase.OPEN


def test_what_the_old_incarnation_said_last_is_dropped_once_the_seat_is_given() -> None:
    """An item that one peer alone holds is no part of the tape that the others close."""
    table = opened()
    late = next_of(LOST, table).write((Unheard(seat=3, length=0, last=NO_DIGEST),))
    seated(forgetful(table))
    length = table.play(0).tapes.end(LOST)[0]
    table.hear(0, LOST, pack(Batch(items=(late.signed,))))
    table.settle().wait(500)
    assert table.play(0).tapes.end(LOST)[0] == length
    assert table.faults(0) == []


def test_a_seat_that_holds_more_of_the_tape_follows_and_drops_it() -> None:
    table = opened(players=6)
    others = [seat for seat in range(6) if seat != LOST]
    late = next_of(LOST, table).write((Unheard(seat=3, length=0, last=NO_DIGEST),))
    alone = others[-1]
    # Nobody else gets to know of it: who holds it neither votes nor acks, and a quorum is left without it.
    table.drops = lambda sender, receiver, data: sender == alone and late.signed.raw in data
    table.hear(alone, LOST, pack(Batch(items=(late.signed,))))
    table.settle()
    assert late.digest in table.play(alone).tapes.by_digest
    forgetful(table).settle().wait(4000)
    for seat in range(6):
        assert len(table.play(seat).final.signers[LOST]) == 2
        assert late.digest not in table.play(seat).tapes.by_digest
    assert table.play(alone).tapes.of(LOST) == table.play(LOST).tapes.of(LOST)
    assert all(table.faults(seat) == [] for seat in range(6))


def test_nobody_else_gets_the_seat_by_asking() -> None:
    table = opened()
    match = table.play().founding.match
    for who, seat in ((identity(7), LOST), (identity(2), LOST), (identity(1), Seat(2))):
        sitting = Sitting(match=match, seat=seat, incarnation=1, key=who.public, coin=bytes(32))
        raw, signature = sign_sitting(who, sitting)
        table.hear(0, 2, pack(Plea(raw=raw, signature=signature)))
    table.settle().wait(1000)
    assert table.play().final.absent == {}
    assert table.play().final.game.phase is Phase.OPEN


def test_a_plea_that_is_none_is_nobodys_fault() -> None:
    table = opened()
    raw, _ = sign_sitting(
        identity(LOST),
        Sitting(
            match=table.play().founding.match,
            seat=LOST,
            incarnation=1,
            key=identity(LOST).public,
            coin=bytes(32),
        ),
    )
    table.hear(0, 2, pack(Plea(raw=raw, signature=bytes(64))))
    assert table.faults(0) == [(Fault.BAD_SIGNATURE, None)]


def test_of_two_programs_with_one_key_the_one_that_is_there_keeps_the_seat() -> None:
    table = opened()
    pen = Pen(identity(LOST), bytes(32), table.play().founding.match, LOST)
    plea = pack(pen.plea(1))
    length = table.play(0).tapes.end(LOST)[0]
    for _ in range(8):
        for seat in OTHERS:
            table.hear(seat, LOST, plea)
        table.settle().wait(1000)
    final = table.play().final
    assert (final.absent, len(final.signers[LOST])) == ({}, 1)
    assert table.play(0).tapes.end(LOST)[0] <= length + 2 * ENDS_MAX


def test_a_program_whose_seat_was_given_away_says_nothing_more_and_asks_for_it() -> None:
    """Once its seat is another incarnation's; it is heard, since its player's key is in the genesis."""
    table = opened()
    old = table.sessions[LOST]
    seated(forgetful(table))
    table.sessions[LOST] = old
    table.settle().wait(4000)
    final = table.play().final
    assert len(final.signers[LOST]) == 3
    assert not table.play(LOST).is_recovering
    assert table.faults(0) == []


def test_a_seed_is_opened_in_the_end_by_who_has_its_secret_and_else_waited_for_in_vain() -> None:
    for has_kept in (False, True):
        table = seated(forgetful(opened(override(RULES, {"word": "K"}))))
        if has_kept:
            # Its player finds the first files again.
            heading = read_journal(journal_of(table, 0)[:2])
            first = setup_from(heading, identity(LOST), setup(LOST).secret)
            session = Session.restored(first, heading, [], table.now_ms, WALL_MS + table.now_ms)
            begin_again(table, LOST, session)
            seated(table)
        dealt(table)
        table.submit(0, Call(calls=(Partner(),))).settle().wait(500)
        table.wait(OVERDUE_MS + 2000, 900)
        final = table.play().final
        assert final.is_closed
        assert (final.seeds[0][LOST] != MISSING_SEED) == has_kept
        assert all(final.seeds[1].values())
        assert final.forfeits == frozenset()
        # It is there, whatever it has lost: the others wait until its log is complete.
        assert table.sessions[0].is_done
        table.sessions[0]._peer_final[LOST] = 0
        assert not table.sessions[0].is_done


def test_pleas_are_heard_once_each_for_the_next_incarnation_and_not_without_end() -> None:
    play = Table().start().play()
    seating = Seating(Seat(0), play.founding, play.tapes)

    def is_news(secret: int, incarnation: int = 1) -> bool:
        pen = Pen(identity(LOST), bytes([secret]) * 32, play.founding.match, LOST)
        return seating.hear_plea(pen.plea(incarnation), LOST, play.final, 0)

    assert not is_news(0, 2)
    assert [is_news(0), is_news(0)] == [True, False]
    assert [is_news(secret) for secret in range(1, PLEAS_MAX + 1)] == [True] * (PLEAS_MAX - 1) + [False]
