"""Peers that lose all files of a running match, and come back: what a host shows them, and real processes."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from network import loopback

from kemps_p2p.codec import encode
from kemps_p2p.errors import NotSeated, Unwelcome
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.again import curve_keys, is_of_table, read_again
from kemps_p2p.runtime.guests import PERSON, Again, Guest
from kemps_p2p.runtime.meeting import Contact, meeting_digest
from kemps_p2p.runtime.zap import PublicKey
from kemps_p2p.session.journal import Remembered
from kemps_p2p.wording.words import Code
from protocol_table import identity, table

CODE = Code(3, "cobalt", "otter")
CURVES = tuple(curve_keys(identity(Seat(seat)), CODE).public for seat in range(4))
PLACES = tuple(f"tcp://127.0.0.1:{5370 + seat}" for seat in range(4))
BEN = Seat(1)


@pytest.fixture(scope="module")
def again() -> Again:
    """What the host of the table in the examples of protocol.md shows."""
    remembered = Remembered(meeting=meeting_digest(CURVES), wall_ms=1, names=table().lobbies[0].name_openings)
    return Again(
        genesis=encode(table().signed), remembered=encode(remembered), curves=CURVES, addresses=PLACES
    )


def guest(seat: int, curve: bytes) -> Guest:
    contact = Contact(
        version=1, identity=identity(Seat(seat)).public, curve=curve, address=PLACES[0], players=4, wish=-1
    )
    return Guest(contact=contact, name="Ben", partner="", player=PERSON)


def test_the_keys_of_an_identity_at_a_table_are_found_again_by_nobody_else() -> None:
    keys = curve_keys(identity(BEN), CODE)
    assert curve_keys(identity(BEN), CODE) == keys
    others = [curve_keys(identity(Seat(2)), CODE), curve_keys(identity(BEN), replace(CODE, second="heron"))]
    assert len({keys.public, keys.secret, *(other.public for other in others)}) == 4


def test_a_host_knows_who_is_of_its_table_by_both_keys(again: Again) -> None:
    assert is_of_table(guest(1, CURVES[1]), again)
    assert not is_of_table(guest(1, CURVES[2]), again)
    assert not is_of_table(guest(1, bytes(32)), again)


def test_who_comes_again_finds_its_match_and_all_others(again: Again) -> None:
    journal, found = read_again(again, identity(BEN), CURVES[BEN])
    assert journal.founding.match == table().founding.match
    assert found.roster == table().founding.keys
    assert found.addresses == dict(zip(CURVES, PLACES, strict=True))
    assert found.observer is None


def test_what_is_no_match_of_ours_is_refused(again: Again) -> None:
    other = PublicKey(bytes(32))
    lies = {
        "no genesis": structs.replace(again, genesis=b"\x00"),
        "names of others": structs.replace(again, remembered=again.genesis),
        "another meeting": structs.replace(again, curves=(other, *CURVES[1:])),
        "a key twice": structs.replace(again, curves=(CURVES[1], *CURVES[1:])),
        "a key too few": structs.replace(again, curves=CURVES[:3], addresses=PLACES[:3]),
        "an address too few": structs.replace(again, addresses=PLACES[:3]),
        "no address": structs.replace(again, addresses=("udp://nowhere", *PLACES[1:])),
    }
    for name, lie in lies.items():
        with pytest.raises(NotSeated) as caught:
            read_again(lie, identity(BEN), CURVES[BEN])
        assert caught.value.reason is Unwelcome.BAD_WORDS, name
    for who, own in ((identity(Seat(2)), CURVES[1]), (identity(BEN), other)):
        with pytest.raises(NotSeated):
            read_again(again, who, own)


@pytest.mark.soak
def test_a_process_that_is_killed_and_loses_its_files_gets_its_seat_again(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('base = "kemps"\nword = "KEM"\nlook_ms = 0\n')
    bot = ("--bot", "--pace", "fast", "--give-up", "120", "--events")
    with loopback(3) as (anna, ben, carla):
        at = anna.start(
            "host", "Friday", "--name", "Anna", "--rules", rules, *bot, "--bind", "127.0.0.1", "--port", "0",
            "--bots", "1", "--no-mdns",
        )  # fmt: skip
        place, code = at.event("opened")["places"][0], at.event("code")["code"]
        peers = [at, ben.start("join", place, "--code", code, "--name", "Ben", *bot)]
        lost = carla.start("join", place, "--code", code, "--name", "Carla", *bot)
        lost.event("moved", phase="dealt")
        lost.process.kill()
        lost.ended()
        shutil.rmtree(carla.home / "matches")
        shutil.rmtree(carla.home / "logs")
        peers.append(carla.start("join", place, "--code", code, "--name", "Carla", *bot))
        assert [peer.ended() for peer in peers] == [0, 0, 0], [peer.err for peer in peers]
        logs = [next(each["log"] for each in peer.told if each["event"] == "log") for peer in peers]
        audited = anna.kemps("audit", *logs)
        assert audited.returncode == 0, audited.stdout
        seat = peers[-1].event("formed")["names"].index("Carla")
        told = [each for each in at.told if each["event"] in ("absent", "back")]
        assert [(each["event"], each["seat"]) for each in told[:2]] == [("absent", seat), ("back", seat)]
