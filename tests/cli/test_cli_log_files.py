"""`kemps log show`, `export`, `redact` and `bundle`: what is in them, and what is not."""

import base64
import json
import os
import zipfile
from pathlib import Path

import pytest
from cli_helpers import Here

from kemps_p2p.codec import frame
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.runtime.bundle import bundle, machine
from kemps_p2p.runtime.profile import new_match_files, own_identity
from kemps_p2p.runtime.settings import remember_name
from kemps_p2p.session.audit import Verdict, audit

pytest_plugins = ("cli_fixtures",)

NAME = "Bot 0"
GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.fixture
def home(tmp_path: Path, logs: list[Path]) -> Path:
    """A home with an identity, the secret of a match, a name, and one log."""
    home = tmp_path / "home"
    own_identity(home)
    new_match_files(home)
    remember_name(home, "Zacharias")
    (home / "logs").mkdir()
    (home / "logs" / "feed-seat0.kemps").write_bytes(logs[0].read_bytes())
    return home


def test_show_says_what_a_log_says_of_itself(home: Path, here: Here) -> None:
    told = json.loads(here("log", "show", "--json", "--home", home).out)
    found = audit((home / "logs" / "feed-seat0.kemps").read_bytes(), allow_stub=True)
    assert found.founding is not None
    assert told["match"] == found.founding.match.hex()
    assert (told["entries"], told["deals"], told["kept_by"]) == (len(found.steps), found.deals, 0)
    assert told["names"] == list(found.names)
    assert told["rules"] is None, "the rules of this table are its own"
    assert told["finished"] is True
    lines = here("log", "show", "feed", "--home", home).out.splitlines()
    assert any(
        line.startswith("  Bot 0, Bot 1, Bot 2 and Bot 3; rules “kemps”, changed in ") for line in lines
    )
    assert "  a simulation: its cards are not hidden (stub-insecure)" in lines


def test_show_of_no_log_says_so(tmp_path: Path, here: Here) -> None:
    path = tmp_path / "no.kemps"
    path.write_bytes(b"hello")
    ran = here("log", "show", path)
    assert ran.code == 7
    assert "is no log of a match" in ran.err


def test_show_of_a_log_with_an_observer(here: Here) -> None:
    told = json.loads(here("log", "show", "--json", GOLDEN / "observed.kemps").out)
    assert (told["players"], told["names"][-1]) == (4, "Zoe")
    exported = [
        json.loads(line) for line in here("log", "export", GOLDEN / "observed.kemps").out.splitlines()
    ]
    assert exported[1]["raw"]["observer"]["record"] == "SeatRecord"


@pytest.mark.parametrize("command", ["show", "redact"])
def test_a_log_of_a_later_version_is_told_to_be_so(tmp_path: Path, here: Here, command: str) -> None:
    path = tmp_path / "later.kemps"
    path.write_bytes((GOLDEN.parent / "vectors" / "logs" / "newer-version.kemps").read_bytes())
    ran = here("log", command, path)
    assert ran.code == 6
    assert "later.kemps was written by a newer version of this program" in ran.err


def test_export_has_every_object_and_everything_in_it(logs: list[Path], here: Here) -> None:
    ran = here("log", "export", logs[0])
    told = [json.loads(line) for line in ran.out.splitlines()]
    objects = frame(logs[0].read_bytes()).objects
    assert [each["bytes"] for each in told] == [len(data) for data in objects]
    assert [each["record"] for each in told[:2]] == ["Header", "SignedGenesis"]
    assert told[-1]["record"] == "Annex"
    assert told[1]["match"] == told[0]["match"]
    found = audit(logs[0].read_bytes(), allow_stub=True)
    assert [each["entry"]["digest"] for each in told[2:-1]] == [
        step.record.item.digest.hex() for step in found.steps
    ]
    claims = [
        word["action"]["record"]
        for each in told[2:-1]
        for item in each["items"]
        for word in item["body"]
        if word["record"] == "Claim"
    ]
    assert {"Swap", "Call", "Next"} <= set(claims)
    assert "unread" not in ran.out


def test_export_of_what_cannot_be_read_has_its_bytes(tmp_path: Path, logs: list[Path], here: Here) -> None:
    path = tmp_path / "torn.kemps"
    data = logs[0].read_bytes()[:-5]
    path.write_bytes(data)
    last = json.loads(here("log", "export", path).out.splitlines()[-1])
    assert data.endswith(bytes.fromhex(last["unread"]))
    assert last["bytes"] == len(bytes.fromhex(last["unread"]))


def test_a_redacted_log_is_as_clean_and_has_no_names(tmp_path: Path, logs: list[Path], here: Here) -> None:
    out = tmp_path / "shown.kemps"
    ran = here("log", "redact", logs[2], out)
    assert ran.code == 0
    data = out.read_bytes()
    assert NAME.encode() in logs[2].read_bytes()
    assert NAME.encode() not in data
    honest, found = audit(logs[2].read_bytes(), allow_stub=True), audit(data, allow_stub=True)
    assert (found.verdict, found.findings, found.annexed_by) == (Verdict.CLEAN, (), 2)
    assert found.head == honest.head
    assert found.names == ()
    told = here("audit", "--allow-simulated", out).out
    assert "seat 0, seat 1, seat 2, seat 3" in told
    assert here("audit", "--allow-simulated", out, logs[0]).code == 0, "it is the same chain"


def test_a_redacted_copy_overwrites_nothing(tmp_path: Path, logs: list[Path], here: Here) -> None:
    path = tmp_path / "a.kemps"
    path.write_bytes(logs[0].read_bytes())
    assert here("log", "redact", path).code == 0
    assert (tmp_path / "a-without-names.kemps").exists()
    again = here("log", "redact", path)
    assert again.code == 9
    assert "is there already" in again.err
    assert here("log", "redact", path, path).code == 9
    assert path.read_bytes() == logs[0].read_bytes()


def everything_in(archive: Path) -> list[bytes]:
    """The bytes of a zip, of every file in it, and the names of the files."""
    with zipfile.ZipFile(archive) as opened:
        members = [opened.read(name) for name in opened.namelist()]
        return [archive.read_bytes(), *members, *(name.encode() for name in opened.namelist())]


def spelled(secret: bytes) -> list[bytes]:
    """The ways in which a secret could be written down."""
    return [secret, secret.hex().encode(), secret.hex().upper().encode(), base64.b64encode(secret)[:-2]]


def test_a_bundle_has_what_a_report_needs_and_no_secret(tmp_path: Path, home: Path, here: Here) -> None:
    out = tmp_path / "report.zip"
    ran = here("log", "bundle", "--home", home, "--out", out)
    assert ran.code == 0, ran.err
    with zipfile.ZipFile(out) as archive:
        assert sorted(archive.namelist()) == ["audit.json", "logs/1.kemps", "machine.json", "settings.json"]
        told = json.loads(archive.read("machine.json"))
        audited = json.loads(archive.read("audit.json"))
        assert json.loads(archive.read("settings.json")) == {}
        assert audit(archive.read("logs/1.kemps"), allow_stub=True).verdict is Verdict.CLEAN
    assert {"program", "python", "platform", "packages"} <= told.keys()
    assert (audited["verdict"], audited["names"]) == ("clean", [])
    secrets = [path.read_bytes() for path in home.rglob("*") if path.name in ("identity", "secret")]
    assert len(secrets) == 2
    hidden = [spelling for secret in secrets for spelling in spelled(secret)]
    hidden += [b"Zacharias", NAME.encode(), str(home).encode(), os.fsencode(tmp_path)]
    for found in everything_in(out):
        assert not any(each in found for each in hidden)


def test_the_search_for_secrets_would_find_them(tmp_path: Path, home: Path) -> None:
    """What is not supposed to be in a bundle is found if it is."""
    secret = (home / "identity").read_bytes()
    assert Identity(secret).public == own_identity(home).public
    out = tmp_path / "leak.zip"
    out.write_bytes(bundle({}, home, {"secret": secret.hex()}, with_names=True))
    assert any(spelling in found for found in everything_in(out) for spelling in spelled(secret))
    assert any(b"Zacharias" in found for found in everything_in(out)), "names only if they are asked for"


def test_a_bundle_is_not_written_over_a_file(tmp_path: Path, home: Path, here: Here) -> None:
    out = tmp_path / "report.zip"
    out.write_bytes(b"mine")
    assert here("log", "bundle", "--home", home, "--out", out).code == 9
    assert out.read_bytes() == b"mine"


def test_versions_are_those_of_what_is_installed() -> None:
    told = machine()
    packages = told["packages"]
    assert isinstance(packages, dict)
    assert {"msgspec", "pyzmq"} <= packages.keys()
    assert "missing" not in packages.values()
