"""Contacts in a directory: which are refused, and when peers do not come together."""

import asyncio
from pathlib import Path

import pytest
from join_helpers import contact, newcomer

from kemps_p2p.codec import encode
from kemps_p2p.errors import Fault, PeerFault, Refused, RuntimeFault, Unreachable
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.meeting import (
    CONTACT_LABEL,
    WATCH,
    Contact,
    SignedContact,
    contact_left,
    meet,
    read_contact,
    seat_contacts,
    seat_of,
)


def identity(number: int) -> Identity:
    return newcomer(str(number), Path("none")).identity


def signed(of: Contact, by: Identity) -> bytes:
    raw = encode(of)
    return encode(SignedContact(raw=raw, signature=by.sign(CONTACT_LABEL, raw)))


FOUR = [contact(number) for number in range(4)]


def test_a_contact_is_read_as_it_was_signed() -> None:
    assert read_contact(signed(FOUR[0], identity(0))) == FOUR[0]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (signed(FOUR[0], identity(1)), Fault.BAD_SIGNATURE),
        (signed(contact(0, address="x" * 5000), identity(0)), Fault.TOO_LARGE),
        (signed(contact(0, version=2), identity(0)), Fault.NEWER_VERSION),
        (signed(contact(0, curve=b"short"), identity(0)), Fault.BAD_KEY),
        (signed(contact(0, identity=bytes(32)), identity(0)), Fault.BAD_KEY),
        (b"\xc1", Fault.MALFORMED),
    ],
)
def test_a_contact_that_is_none_is_refused(data: bytes, fault: Fault) -> None:
    with pytest.raises(PeerFault, match=f"^{fault.value}"):
        read_contact(data)


def test_peers_that_share_a_key_get_no_table() -> None:
    for other in (contact(9, identity=FOUR[1].identity), contact(9, curve=FOUR[1].curve)):
        with pytest.raises(PeerFault, match="two peers share a key"):
            seat_contacts([*FOUR[:3], other])


def test_who_is_not_at_the_table_has_no_seat_there() -> None:
    table = seat_contacts(FOUR)
    assert table.roster[seat_of(table, identity(2))] == identity(2).public
    with pytest.raises(Unreachable, match="not at the meeting place"):
        seat_of(table, identity(9))


def test_peers_that_do_not_come_together_are_told_why(tmp_path: Path) -> None:
    with contact_left(tmp_path, identity(0), FOUR[0]):
        with pytest.raises(Unreachable, match="only 1 of 4 peers"):
            asyncio.run(meet(tmp_path, 4, 0))
        with pytest.raises(Refused, match="somebody waits for a table of 4, not of 6"):
            asyncio.run(meet(tmp_path, 6, 0))
        with contact_left(tmp_path, identity(1), contact(1, players=6)), pytest.raises(Refused, match="of 6"):
            asyncio.run(meet(tmp_path, 4, 0))


def test_a_meeting_place_that_cannot_be_written_into_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with (
        pytest.raises(RuntimeFault, match="cannot write into the meeting place"),
        contact_left(tmp_path / "file", identity(0), FOUR[0]),
    ):
        pass


# Who comes to watch


def test_whoever_wishes_to_watch_gets_no_seat() -> None:
    watching = contact(5, wish=WATCH)
    table = seat_contacts([watching, *FOUR])
    assert len(table.roster) == 4
    assert (table.observer, table.curves[4]) == (watching.identity, watching.curve)


def test_a_table_has_one_observer_at_most() -> None:
    with pytest.raises(PeerFault, match="one observer at most"):
        seat_contacts([contact(1, wish=WATCH), contact(2, wish=WATCH), FOUR[3]])


def test_an_observer_that_nobody_expects_is_refused(tmp_path: Path) -> None:
    with (
        contact_left(tmp_path, identity(1), contact(1, wish=WATCH)),
        pytest.raises(Refused, match="1 peers came"),
    ):
        asyncio.run(meet(tmp_path, 4, 1.0))
