"""What a home keeps, and what is said where it does not hold: identity, players, the way back to a table."""

import errno
import os
from pathlib import Path

import pytest

from kemps_p2p.codec import encode
from kemps_p2p.errors import Refused, RuntimeFault
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.files import SecretFile, make_directory, write_new
from kemps_p2p.runtime.known import FILE_BYTES_MAX, KnownPlayers
from kemps_p2p.runtime.meeting import Table
from kemps_p2p.runtime.profile import MatchFiles, home_held, new_match_files, own_identity
from kemps_p2p.runtime.store import AppendFile
from kemps_p2p.runtime.transport import Mesh, PublicKey
from kemps_p2p.runtime.wayback import Came, KeptSeat, WayBack, log_name, unfinished
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.logfile import ANNEX_LEAD, header_of
from protocol_table import identity, match_secret, table

ANN, BEN = (Identity.derived(b"kept", name) for name in ("Ann", "Ben"))

# The way back


@pytest.fixture
def left(tmp_path: Path) -> MatchFiles:
    """A lobby that was left before its match, in a home."""
    mesh = Mesh(message_bytes_max=4096)
    files, back = new_match_files(tmp_path), WayBack(mesh.keys, "tcp://127.0.0.1:5368")
    curves = (mesh.public_key, PublicKey(bytes(32)))
    place = Table((ANN.public, bytes(32)), curves, dict.fromkeys(curves, "tcp://127.0.0.1:1"))
    back.keep(
        files,
        Setup(
            identity=ANN, seat=Seat(0), roster=place.roster, meeting=place.digest, name="Ann",
            rules=load_rules("kemps"), group="stub", secret=files.secret,
        ),
        place,
        tmp_path,
    )  # fmt: skip
    return files


def kept(files: MatchFiles) -> SecretFile:
    return SecretFile(files.seat)


def test_a_lobby_that_was_left_is_come_back_to_by_its_own_peer(tmp_path: Path, left: MatchFiles) -> None:
    found = unfinished(tmp_path, ANN)
    assert (found.setup.seat, found.setup.secret, found.journal) == (0, left.secret, None)
    with pytest.raises(RuntimeFault, match="is of another identity"):
        unfinished(tmp_path, BEN)


def test_a_way_back_that_cannot_be_read_is_one_line(tmp_path: Path, left: MatchFiles) -> None:
    kept(left).replace(b"\xc1")
    with pytest.raises(RuntimeFault, match="cannot be read"):
        unfinished(tmp_path, ANN)


def test_a_way_back_of_another_version_is_one_line(tmp_path: Path, left: MatchFiles) -> None:
    data = kept(left).read()
    assert data is not None
    fields = {name: getattr(unfinished(tmp_path, ANN).kept, name) for name in KeptSeat.__struct_fields__}
    kept(left).replace(encode(KeptSeat(**{**fields, "version": 1})))
    with pytest.raises(RuntimeFault, match="another version"):
        unfinished(tmp_path, ANN)


def test_there_may_be_nothing_to_come_back_to(tmp_path: Path, left: MatchFiles) -> None:
    for which, why in (("nonsense", "is no match id"), ("12345678", "has no match 12345678")):
        with pytest.raises(Refused, match=why):
            unfinished(tmp_path, ANN, which)
    left.seat.unlink()
    left.journal.write_bytes(b"")
    with pytest.raises(Refused, match="no match was begun"):
        unfinished(tmp_path, ANN)


def without_journal(home: Path, *, is_anew: bool = False) -> Path:
    """A home of seat 1 of the examples whose journal is gone; returns where the log of the match lies."""
    files = MatchFiles(home / "matches" / "gone", match_secret(Seat(1)))
    make_directory(files.directory)
    SecretFile(files.directory / "secret").write(files.secret)
    curves = tuple(PublicKey(bytes([seat]) * 32) for seat in range(4))
    roster = table().founding.keys
    setup = Setup(
        identity=identity(Seat(1)), seat=Seat(1), roster=roster, meeting=bytes(range(32)), name="Ben",
        rules=load_rules("kemps"), group="ristretto255", secret=files.secret,
    )  # fmt: skip
    place = Table(roster, curves, dict.fromkeys(curves, "tcp://127.0.0.1:1"))
    WayBack(Mesh(message_bytes_max=4096).keys, "tcp://127.0.0.1:2").keep(
        files, setup, place, home, Came.ANEW if is_anew else Came.FROM_THE_LOBBY
    )
    return home / log_name(table().founding.match.hex(), Seat(1), 4)


def test_a_match_whose_journal_is_gone_is_known_by_its_log(tmp_path: Path) -> None:
    log, ben, match = without_journal(tmp_path), identity(Seat(1)), table().founding.match.hex()
    assert unfinished(tmp_path, ben).logged == ()
    other = tmp_path / log_name("0123456789abcdef", Seat(1), 4)
    other.write_bytes(encode(header_of(table().founding)))
    objects = (encode(header_of(table().founding)), encode(table().signed))
    log.write_bytes(b"".join(objects))
    found = unfinished(tmp_path, ben, str(log))
    assert (found.journal, found.logged, found.setup.has_sat) == (None, objects, True)
    for which in (other.name, match[:7] + "x"):
        with pytest.raises(Refused):
            unfinished(tmp_path, ben, which)
    log.write_bytes(b"".join((*objects, ANNEX_LEAD + encode(()) * 4)))
    with pytest.raises(Refused, match="has ended"):
        unfinished(tmp_path, ben, match)


def test_a_seat_taken_anew_does_not_sit_down_in_the_lobby_of_the_one_before(tmp_path: Path) -> None:
    without_journal(tmp_path, is_anew=True)
    with pytest.raises(RuntimeFault, match=r"gone/journal is gone; come back by the code of the table"):
        unfinished(tmp_path, identity(Seat(1)))


# Identity and home


def test_what_is_no_identity_is_not_used_as_one(tmp_path: Path) -> None:
    assert own_identity(tmp_path).public == own_identity(tmp_path).public
    SecretFile(tmp_path / "identity").replace(b"short")
    with pytest.raises(RuntimeFault, match="does not hold an identity key"):
        own_identity(tmp_path)


def test_a_home_is_held_once_and_has_to_be_a_directory(tmp_path: Path) -> None:
    with (
        home_held(tmp_path / "home"),
        pytest.raises(Refused, match="in use by another peer"),
        home_held(tmp_path / "home"),
    ):
        pass
    (tmp_path / "odd" / "in-use").mkdir(parents=True)
    with pytest.raises(RuntimeFault, match="cannot write into"), home_held(tmp_path / "odd"):
        pass


# Files that cannot be read or written


def test_files_that_are_something_else_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "known-players.json").mkdir()
    (tmp_path / "file").write_bytes(b"")
    below = tmp_path / "file" / "below"
    with pytest.raises(RuntimeFault, match=r"cannot read .*: Is a directory"):
        KnownPlayers(tmp_path)
    with pytest.raises(RuntimeFault, match=r"cannot read .*: Is a directory"):
        SecretFile(secret_directory(tmp_path)).read()
    with pytest.raises(RuntimeFault, match=r"cannot read .*: Not a directory"):
        SecretFile(below).read()
    with pytest.raises(RuntimeFault, match=r"cannot write .*: Not a directory"):
        write_new(below, b"")
    with pytest.raises(RuntimeFault, match="is there already"):
        write_new(tmp_path / "file", b"")
    with pytest.raises(RuntimeFault, match=r"cannot make directory .*: Not a directory"):
        make_directory(below)
    with pytest.raises(RuntimeFault, match=r"cannot open .*: not a file"):
        AppendFile.open(Path(os.devnull))


def secret_directory(below: Path) -> Path:
    (below / "secret").mkdir(mode=0o700)
    return below / "secret"


def test_known_players_that_cannot_be_kept_or_are_far_too_many(tmp_path: Path) -> None:
    known = KnownPlayers(tmp_path)
    known.path.mkdir()
    with pytest.raises(RuntimeFault, match="cannot write"):
        known.remember("Ben", BEN.public)
    known.path.rmdir()
    known.path.write_bytes(b"[" + b" " * FILE_BYTES_MAX + b"]")
    with pytest.raises(RuntimeFault, match="far too large"):
        KnownPlayers(tmp_path)


def test_a_full_disk_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(RuntimeFault, match="No space left"):
        write_new(tmp_path / "new", b"data")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RuntimeFault, match=r"cannot open .*No space left"):
        AppendFile.open(tmp_path / "journal")
