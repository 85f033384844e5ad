"""Four processes play over real sockets, and nothing that their peers heard and wrote tells too early."""

import stat
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from secrecy_check import Checked, checked, main
from secrecy_record import How, Piece, load
from secrecy_words import BEGINNING_BYTES, in_the_clear, overheard, whispered
from snoop import Kind

from kemps_p2p.codec import encode
from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat

pytestmark = pytest.mark.soak

SEATS = range(4)
ENDS = (0, 3)
"""Who shuffles first and who last; a simulated match is snooped on from every side."""
LIMIT_S = 120
NODE = Path(__file__).with_name("recorded_node.py")


@dataclass(frozen=True)
class Evening:
    """A match between processes: where their files are, and what was found in their records."""

    place: Path
    done: Checked

    def record(self, seat: int) -> Path:
        return _record(self.place, seat)

    def files(self, seat: int, name: str) -> list[Path]:
        """The files of a name in the home of a seat."""
        return list((self.place / f"home-{seat}").rglob(name))


def _record(place: Path, seat: int) -> Path:
    return place / f"record-{seat}"


def _started(place: Path, rules: Path, seat: int) -> "subprocess.Popen[bytes]":
    arguments = [
        str(NODE), str(_record(place, seat)), "node", "--meet", str(place / "meeting"), "--seat", str(seat),
        "--home", str(place / f"home-{seat}"), "--out", str(place / f"logs-{seat}"),
        "--name", f"Player {seat}", "--rules", str(rules), "--pace", "fast", "--events",
    ]  # fmt: skip
    with _printed(place, seat).open("wb") as printed:
        return subprocess.Popen([sys.executable, *arguments], stdout=printed, stderr=subprocess.STDOUT)


def _printed(place: Path, seat: int) -> Path:
    return place / f"printed-{seat}"


def played(place: Path, word: str, honest: Iterable[int] = ENDS) -> Evening:
    """A match between four node processes, in which some seats are snooped on by all others."""
    rules = place / "short.toml"
    rules.write_text(f'base = "kemps"\nlook_ms = 0\nword = "{word}"\n')
    nodes = [_started(place, rules, seat) for seat in SEATS]
    try:
        codes = [node.wait(LIMIT_S) for node in nodes]
    finally:
        for node in nodes:
            node.kill()
            node.wait()
    printed = [_printed(place, seat).read_bytes() for seat in SEATS]
    assert codes == [0, 0, 0, 0], printed
    trace = load(_record(place, seat) for seat in SEATS)
    for seat, lines in enumerate(printed):
        # When a line was printed is not known; no line may ever hold a secret.
        trace = trace.added(0, seat, How.PRINTED, lines)
    return Evening(place, checked(trace, honest))


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    return played(tmp_path_factory.mktemp("evening"), "K")


@pytest.mark.parametrize("honest", ENDS)
def test_nothing_is_known_before_it_is_due(evening: Evening, honest: int) -> None:
    assert evening.done.early(honest) == []


@pytest.mark.parametrize("honest", ENDS)
def test_the_snoop_reads_exactly_what_is_due(evening: Evening, honest: int) -> None:
    told, found = evening.done.dues[honest], evening.done.snoops.of(honest)
    assert told.over_at is not None
    due = {place for place, at in told.against(honest).items() if at < told.over_at}
    assert {(each.deal, each.position) for each in found if each.kind is Kind.SHARE} == due
    assert {(each.deal, each.position) for each in found if each.kind is Kind.SEED} == told.all_know.keys()
    assert {each.kind for each in found} == {Kind.SHARE, Kind.SEED}


@pytest.mark.parametrize("seat", SEATS)
def test_the_record_is_what_lies_on_the_disk(evening: Evening, seat: int) -> None:
    """Secret, journal and log: else something could have been written that was not looked at."""
    trace = evening.done.trace
    (secret,) = evening.files(seat, "secret")
    (journal,) = evening.files(seat, "journal")
    (log,) = (evening.place / f"logs-{seat}").iterdir()
    assert secret.read_bytes() == trace.secret(seat)
    assert journal.read_bytes() == b"".join(piece.data for piece in trace.of(seat, How.JOURNAL))
    assert log.read_bytes() == b"".join(piece.data for piece in trace.of(seat, How.LOG))
    kept = {path.name for path in (evening.place / f"home-{seat}").rglob("*") if path.is_file()}
    assert kept == {"identity", "secret", "journal", "sign", "in-use"}
    # What partners have agreed on lies with both of them, for nobody else on the machine.
    (sign,), (partners,) = (
        evening.files(each, "sign") for each in (seat, partner_of(Seat(seat), len(SEATS)))
    )
    assert sign.read_text().startswith("agreed: ")
    assert sign.read_text() == partners.read_text()
    assert stat.S_IMODE(sign.stat().st_mode) == 0o600
    (lock,) = evening.files(seat, "in-use")
    assert lock.read_bytes() == b""


@pytest.mark.parametrize("seat", SEATS)
def test_what_was_heard_came_over_the_sockets(evening: Evening, seat: int) -> None:
    trace = evening.done.trace
    others = {piece.data for other in SEATS if other != seat for piece in trace.of(other, How.SAID)}
    heard = [piece.data for piece in trace.of(seat, How.HEARD)]
    assert len(heard) > 50
    assert set(heard) <= others


def test_no_third_seat_no_file_and_no_outsider_knows_what_partners_whisper(evening: Evening) -> None:
    trace = evening.done.trace
    words = whispered(trace)
    assert {each.seat for each in words} == set(SEATS)
    assert list(overheard(trace, words, len(SEATS))) == []


def test_an_outsider_records_everything_and_reads_nothing(evening: Evening) -> None:
    """All that passes on the network is noise, as far as anybody can tell who knows what was said."""
    trace = evening.done.trace
    for seat in SEATS:
        wire = sum(len(piece.data) for piece in trace.of(seat, How.WIRE))
        heard = sum(len(piece.data) for piece in trace.of(seat, How.HEARD))
        assert wire > heard, "the outsider was there"
    assert in_the_clear(trace) == []
    said = next(piece for piece in trace.ordered() if piece.how is How.SAID)
    assert in_the_clear(trace.added(0, 1, How.WIRE, b"frame" + said.data)) == [said.data[:BEGINNING_BYTES]]


def test_the_script_says_what_it_finds(evening: Evening, capsys: pytest.CaptureFixture[str]) -> None:
    """As a command, on the records alone; and again once a seed lies in another peer's record."""
    records = [str(evening.record(seat)) for seat in SEATS]
    assert main(records) == 0
    assert "0 too early" in capsys.readouterr().out
    secret = evening.done.trace.secret(1)
    leak = evening.place / "leak"
    leak.write_bytes(encode(Piece(at=1, seat=0, how=How.PRINTED, data=secret.hex().encode())))
    assert main([*records, str(leak)]) == 1
    assert "the secret of the match" in capsys.readouterr().out


def test_a_longer_match(tmp_path: Path) -> None:
    done = played(tmp_path, "KEM", SEATS).done
    assert max(deal for deal, _ in done.dues[0].decks) >= 3
    assert [done.early(seat) for seat in SEATS] == [[], [], [], []]
