"""Walk-overs: who can sign one and when, what of them is believed, and what several come to."""

import pytest
from session_helpers import WALL_MS, Table, formed, identity

from kemps_p2p.codec import Digest, decode, encode
from kemps_p2p.errors import Fault, Illegal, IllegalAction, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.tape import Head
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import WalkOver, Want, pack
from kemps_p2p.session.presence import Away
from kemps_p2p.session.session import STATUS_MS
from kemps_p2p.session.walkover import (
    WALK_OVER_LABEL,
    WALK_OVER_MS,
    WALK_OVERS_MAX,
    Silence,
    read_walk_over,
    sign_silence,
    silent_teams,
    standings,
)

FOUNDING = formed().play().founding


def split(table: Table) -> None:
    """Cut the two teams of a table apart."""
    table.drops = lambda sender, receiver, data: sender % 2 != receiver % 2


def heal(table: Table) -> None:
    table.drops = lambda sender, receiver, data: False


def sign(table: Table, seat: int) -> None:
    session = table.sessions[seat]
    table.carry_out(seat, session.walk_over(table.now_ms, WALL_MS + table.now_ms))
    table.settle()


def kept(table: Table, seat: int) -> list[WalkOver]:
    """What lies beside the log of a seat."""
    written = [each.data for each in table.appended[seat] if each.file is fx.File.WALK_OVERS]
    return [decode(data, WalkOver) for data in written]


def silence(seat: int = 0, index: int = 0, **changes: object) -> Silence:
    said = {
        "match": FOUNDING.match,
        "seat": seat,
        "head": Head(index=index, digest=Digest(bytes(32))),
        "silent": tuple(other for other in range(4) if (other - seat) % 2),
        "silent_ms": WALK_OVER_MS,
        "wall_ms": WALL_MS,
    }
    return Silence(**(said | changes))  # type: ignore[arg-type]


def test_a_team_that_is_left_alone_for_a_minute_signs_and_is_done() -> None:
    table = formed()
    split(table)
    table.wait(WALK_OVER_MS - 2 * STATUS_MS, STATUS_MS)
    assert table.sessions[0].silent_teams(table.now_ms) == ()
    with pytest.raises(IllegalAction) as caught:
        sign(table, 0)
    assert caught.value.reason is Illegal.NO_WALK_OVER
    table.wait(3 * STATUS_MS, STATUS_MS)
    assert table.sessions[0].silent_teams(table.now_ms) == (1, 3)
    sign(table, 0)
    assert [table.sessions[seat].is_walked_over for seat in (0, 2)] == [False, False]
    assert table.sessions[0].agreed(table.now_ms) is Want.PLAY_ON
    sign(table, 2)
    for seat in (0, 2):
        assert table.sessions[seat].is_walked_over
        assert table.sessions[seat].agreed(table.now_ms) is Want.WALK_OVER
        said = [read_walk_over(each, table.play().founding) for each in kept(table, seat)]
        assert {(each.seat, each.silent, each.head) for each in said} == {
            (0, (1, 3), table.play().final.head),
            (2, (1, 3), table.play().final.head),
        }
        assert all(each.silent_ms >= WALK_OVER_MS for each in said)


def test_a_word_that_was_lost_comes_again() -> None:
    table = formed()
    split(table)
    table.wait(WALK_OVER_MS + STATUS_MS, STATUS_MS)
    table.drops = lambda sender, receiver, data: True
    sign(table, 0)
    assert kept(table, 2) == []
    split(table)
    table.wait(2 * STATUS_MS)
    assert len(kept(table, 2)) == 1


def test_both_halves_of_a_table_may_sign_and_then_it_is_disputed() -> None:
    table = formed()
    split(table)
    table.wait(WALK_OVER_MS + STATUS_MS, STATUS_MS)
    for seat in range(4):
        sign(table, seat)
    heal(table)
    table.wait(2 * STATUS_MS)
    founding = table.play().founding
    for seat in range(4):
        assert len(kept(table, seat)) == 4
        # They hear each other again, so nothing has come of it.
        assert table.sessions[seat].silent_teams(table.now_ms) == ()
        said = [read_walk_over(each, founding) for each in kept(table, seat)]
        found = standings(founding, (founding.match,), said)
        assert [(each.team, each.by, each.is_joint, each.is_disputed) for each in found] == [
            (0, (0, 2), True, True),
            (1, (1, 3), True, True),
        ]


def away(*seats: int, for_ms: int = WALK_OVER_MS) -> tuple[Away, ...]:
    return tuple(Away(Seat(seat), for_ms, has_left=False) for seat in seats)


def test_all_others_have_to_be_silent_and_the_partner_there() -> None:
    assert silent_teams(Seat(0), 4, away(1, 3)) == (1, 3)
    assert silent_teams(Seat(0), 4, away(1)) == ()
    assert silent_teams(Seat(0), 4, away(1, 2, 3)) == ()
    assert silent_teams(Seat(0), 4, (*away(1), *away(3, for_ms=WALK_OVER_MS - 1))) == ()
    assert silent_teams(Seat(0), 4, (*away(1, 3), *away(2, for_ms=1))) == ()
    assert silent_teams(Seat(1), 6, away(0, 2, 3, 5)) == (0, 2, 3, 5)
    assert silent_teams(Seat(1), 6, away(0, 3)) == ()


def forged(said: Silence, seat: int, label: str = WALK_OVER_LABEL) -> WalkOver:
    raw = encode(said)
    return WalkOver(raw=raw, signature=identity(seat).sign(label, raw))


@pytest.mark.parametrize(
    ("said", "fault", "culprit"),
    [
        (sign_silence(identity(0), silence(match=bytes(32))), Fault.WRONG_MATCH, None),
        (sign_silence(identity(0), silence(seat=4)), Fault.WRONG_SEAT, None),
        (forged(silence(0), 1), Fault.BAD_SIGNATURE, None),
        (forged(silence(0), 0, "kemps/v1/annex"), Fault.BAD_SIGNATURE, None),
        (sign_silence(identity(0), silence(silent=(1,))), Fault.MALFORMED, 0),
        (sign_silence(identity(0), silence(silent=(1, 2, 3))), Fault.MALFORMED, 0),
        (sign_silence(identity(0), silence(silent_ms=WALK_OVER_MS - 1)), Fault.MALFORMED, 0),
        (sign_silence(identity(0), silence(index=-1)), Fault.MALFORMED, 0),
        (WalkOver(raw=b"", signature=bytes(64)), Fault.MALFORMED, None),
    ],
    ids=[
        "match",
        "seat",
        "key",
        "label",
        "one of a team",
        "the own partner",
        "too soon",
        "no entry",
        "nothing",
    ],
)
def test_what_no_honest_seat_signs_is_refused(said: WalkOver, fault: Fault, culprit: int | None) -> None:
    with pytest.raises(PeerFault) as caught:
        read_walk_over(said, FOUNDING)
    assert (caught.value.code, caught.value.culprit) == (fault, culprit)
    table = formed()
    table.hear(2, 0, pack(said))
    assert table.faults(2) == [(fault, culprit)]
    assert kept(table, 2) == []


def test_what_the_log_says_about_a_walk_over() -> None:
    zero, one = Digest(bytes(32)), Digest(b"\x01" * 32)
    (alone,) = standings(FOUNDING, (zero,), [silence(0)])
    assert (alone.is_joint, alone.is_disputed, alone.went_on, alone.is_elsewhere) == (
        False,
        False,
        False,
        False,
    )
    (both,) = standings(FOUNDING, (zero, one), [silence(0), silence(2)])
    assert (both.is_joint, both.went_on, both.is_elsewhere) == (True, True, False)
    (other,) = standings(FOUNDING, (one,), [silence(0)])
    assert other.is_elsewhere
    # The last word of a seat counts, whatever the order in which they are read.
    words = [silence(0), silence(0, index=3), silence(2, index=3)]
    assert standings(FOUNDING, (zero,), words) == standings(FOUNDING, (zero,), words[::-1])
    assert standings(FOUNDING, (zero,), words)[0].last.head.index == 3


def test_walk_overs_without_end_do_not_fill_the_disk() -> None:
    table = formed()
    before = len(kept(table, 2))
    for turn in range(3 * WALK_OVERS_MAX):
        said = sign_silence(identity(0), silence(wall_ms=WALL_MS + turn))
        table.carry_out(2, table.sessions[2].receive(Seat(0), pack(said), table.now_ms, WALL_MS))
    assert len(kept(table, 2)) - before == WALK_OVERS_MAX
