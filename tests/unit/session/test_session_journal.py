"""What an earlier run has left: what does not hold in a journal, or in the log beside it, is found."""

from collections.abc import Sequence

import pytest
from msgspec import structs
from session_helpers import WALL_MS, Table, identity, opened, setup

from kemps_p2p.codec import decode, encode
from kemps_p2p.errors import Illegal, IllegalAction, RuntimeFault
from kemps_p2p.game.actions import Gesture
from kemps_p2p.session import effects as fx
from kemps_p2p.session.genesis import SignedGenesis
from kemps_p2p.session.journal import Remembered, read_journal, setup_from
from kemps_p2p.session.session import Session


@pytest.fixture(scope="module")
def left() -> Table:
    """A table that plays, of which seat 0 is to come back."""
    return opened()


def objects(table: Table, file: fx.File) -> list[bytes]:
    return [effect.data for effect in table.appended[0] if effect.file is file]


def with_object(table: Table, place: int, data: bytes) -> list[bytes]:
    found = objects(table, fx.File.JOURNAL)
    found[place] = data
    return found


def restored(table: Table, journal: Sequence[bytes], log: Sequence[bytes]) -> Session:
    read = read_journal(journal)
    mine = setup_from(read, identity(0), setup(0).secret)
    session = Session.restored(mine, read, log, table.now_ms, WALL_MS + table.now_ms)
    session.start(table.now_ms)
    return session


def test_a_seat_that_comes_back_stands_where_it_stood_and_says_nothing_yet(left: Table) -> None:
    session = restored(left, objects(left, fx.File.JOURNAL), objects(left, fx.File.LOG))
    assert session.play.tip.head == left.play(0).tip.head
    with pytest.raises(IllegalAction) as illegal:
        session.submit(Gesture("wink"), left.now_ms)
    assert illegal.value.reason is Illegal.COMING_BACK


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
