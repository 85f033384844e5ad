"""The verifier that knows protocol.md alone comes to the same as the audit."""

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kemps_p2p.codec import frame
from kemps_p2p.game.events import DealEnded
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.ledger.entry import Drawn, Result
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.runtime.simnet import PERFECT, ROUGH, Net
from kemps_p2p.session.audit import Audit, Verdict, audit
from vectors.form import FOLDER, read
from verifier import PATH, VERIFIER, first_of

LOGS = FOLDER / "logs"
INDEX = read("logs/index.json")
SIMULATED = "--allow-simulated"
OUTSIDE = {"msgpack", "rbcl", "cryptography"}
CODES = {Verdict.CLEAN: 0, Verdict.VIOLATED: 10, Verdict.UNDECIDABLE: 11}
OTHER_GAMES = {"denial.kemps"}
"""Logs of rule books that the verifier does not play."""


def code_of(found: Audit) -> int:
    """The exit code that goes with what the audit has found."""
    if found.verdict is Verdict.UNREADABLE:
        return 6 if found.findings[0].code.value == "newer-version" else 7
    return CODES[found.verdict]


def check_agrees(data: bytes, *, allow_stub: bool) -> Any:
    found, log = audit(data, allow_stub=allow_stub), VERIFIER.Reader(data, allow_stub)
    first = next(((one.index, one.code.value, one.culprit) for one in found.findings), None)
    assert (first_of(log), log.verdict.value) == (first, code_of(found))
    if found.verdict is Verdict.CLEAN:
        assert found.head is not None
        assert (log.match.index, log.match.head) == (found.head.index, found.head.digest)
        assert (log.match.game.scores, tuple(log.match.winners)) == (found.scores, found.winners)
    return log


def test_it_imports_nothing_of_the_package() -> None:
    names = set()
    for node in ast.walk(ast.parse(PATH.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module is not None
            names.add(node.module.partition(".")[0])
    assert names - sys.stdlib_module_names == OUTSIDE
    assert not names & {"importlib", "runpy"}


@pytest.mark.parametrize("vector", INDEX["vectors"], ids=lambda vector: str(vector["file"]))
def test_it_agrees_with_the_audit_on_every_log_of_the_vectors(vector: dict[str, Any]) -> None:
    data = (LOGS / vector["file"]).read_bytes()
    if vector["file"] in OTHER_GAMES:
        with pytest.raises(VERIFIER.OtherRules, match="discard-first"):
            VERIFIER.Reader(data, True)
        return
    log = check_agrees(data, allow_stub=vector["allow_stub"])
    if vector["verdict"] == "clean":
        seats = log.match.seats
        assert log.match.names[:seats] == (vector["names"] or [f"seat {seat}" for seat in range(seats)])


@pytest.mark.parametrize(
    "tail", [b"", b"\x93\x01", b"\x93\xc1", b"\x00\x00", b"\x05", b"\xdd\x00\xff\xff\xff"]
)
def test_it_says_the_same_of_a_log_that_ends_within_its_genesis(tail: bytes) -> None:
    header = frame((LOGS / "four-seats.kemps").read_bytes()).objects[0]
    check_agrees(header + tail, allow_stub=True)


@pytest.mark.parametrize(
    ("tail", "code"),
    [
        (b"\x94\xc4\x20", "torn"),
        (b"\xdd\x00\x00", "torn"),
        (b"\x94\xc5\xff\xff", "torn"),
        (b"\xdd\x00\xff\xff\xff", "malformed"),
        (b"\x94\xc6\xff\xff\xff\xff", "malformed"),
        (b"\x94\xc1", "malformed"),
        (b"\x80", "malformed"),
        (b"\x00\x00", "torn"),
        (b"\x00\x01", "malformed"),
    ],
)
def test_it_cuts_a_file_into_objects_as_the_audit_does(tail: bytes, code: str) -> None:
    """A length that no object may have is wrong even if the file ends before."""
    log = check_agrees((LOGS / "not-closed.kemps").read_bytes() + tail, allow_stub=True)
    assert log.first.code == code


def test_other_rules_are_another_game_only_if_all_have_signed_them() -> None:
    data = (LOGS / "denial.kemps").read_bytes()
    changed = data.replace(b'"discard-first"', b'"discard-frist"')
    assert changed != data
    assert VERIFIER.Reader(changed, True).verdict is VERIFIER.Verdict.VIOLATED


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    code = VERIFIER.main(arguments)
    return code, capsys.readouterr().out.splitlines()


def test_what_it_prints_of_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    log = str(LOGS / "four-seats-ristretto.kemps")
    code, said = run(capsys, log)
    assert code == 0
    assert said[0] == f"{log}:"
    assert said[-1] == "verified"
    text = "\n".join(said)
    assert "deal 0, dealt by Ann" in text
    assert "letters: Ann and Cleo K; Ben and Dora none" in text
    assert "closed: Ben and Dora won" in text


def test_what_it_prints_of_a_lie(capsys: pytest.CaptureFixture[str]) -> None:
    log = str(LOGS / "missed-claim-as-ok.kemps")
    code, said = run(capsys, SIMULATED, log)
    assert (code, said[-1]) == (10, "index 10: bad-verdict, by seat 0: another result")
    assert run(capsys, log)[1][-1] == "index 0: insecure-group: a simulation"


def test_two_stories_of_one_match(capsys: pytest.CaptureFixture[str]) -> None:
    for vector in INDEX["together"]:
        code, said = run(capsys, SIMULATED, *(str(LOGS / name) for name in vector["files"]))
        assert code == 12
        assert f" differ at index {vector['index']}: " in said[-1]
        assert all(head[:16] in said[-1] for head in vector["heads"])
        (culprit,) = vector["culprits"]
        assert said[-1].endswith(f"; seat {culprit} signed both")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["four-seats.kemps"], 10),
        ([SIMULATED, "four-seats.kemps", "six-seats.kemps"], 0),
        ([SIMULATED, "six-seats.kemps", "not-closed.kemps"], 11),
        ([SIMULATED, "denial.kemps"], 6),
        (["newer-version.kemps"], 6),
        (["not-a-log.kemps"], 7),
        (["there-is-no-such.kemps"], 7),
    ],
)
def test_exit_codes(arguments: list[str], code: int) -> None:
    assert VERIFIER.main([str(LOGS / one) if one.endswith(".kemps") else one for one in arguments]) == code


def test_it_runs_as_a_program_without_the_package(tmp_path: Path) -> None:
    """Where the package cannot be found."""
    copied = tmp_path / "verify_log.py"
    copied.write_bytes(PATH.read_bytes())
    log = LOGS / "four-seats.kemps"
    without = "import sys; sys.modules['kemps_p2p'] = None; import runpy; sys.argv = sys.argv[1:]; "
    program = f"{without}runpy.run_path(sys.argv[0], run_name='__main__')"
    ran = subprocess.run(
        [sys.executable, "-c", program, copied, SIMULATED, log],
        capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith("verified\n")
    assert subprocess.run([sys.executable, copied], capture_output=True, check=False).returncode == 2


def played(seed: int, players: int, net: Net, preset: str = "kemps", **changed: Any) -> bytes:
    rules = override(load_rules(preset), {"look_ms": 0, "word": "K", **changed})
    sim = Sim(rules=rules, players=players, seed=seed, group="stub-insecure", net=net)
    assert sim.run() is Stop.DONE
    return sim.peers[seed % players].log_bytes


def test_it_agrees_with_the_audit_on_a_fresh_match() -> None:
    assert check_agrees(played(1, 4, PERFECT), allow_stub=True).first is None


def test_a_drawn_call_on_cards_that_all_know_is_judged_before_the_next_claim() -> None:
    log = played(37, 4, Net(delay_ms=(5.0, 40.0)), word="KEM")
    drawn = [
        (event.results, [type(happened) for happened in part.events])
        for step in audit(log, allow_stub=True).steps
        for event, part in zip(step.record.entry.events, step.parts, strict=True)
        if isinstance(event, Drawn)
    ]
    assert any(results == (Result.OK, Result.REFUSED) and DealEnded in told for results, told in drawn)
    assert check_agrees(log, allow_stub=True).first is None


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 112))
def test_it_agrees_with_the_audit_on_many_matches(seed: int) -> None:
    players, preset = (4, 4, 6, 4, 8)[seed % 5], ("kemps", "kent")[seed % 7 == 0]
    net = (PERFECT, ROUGH, Net(delay_ms=(1, 200), loss=0.2, duplication=0.1))[seed % 3]
    log = played(seed, players, net, preset, word="KE", look_ms=(0, 800)[seed % 2])
    assert check_agrees(log, allow_stub=True).first is None


@pytest.mark.soak
def test_it_verifies_the_logs_of_real_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo = [sys.executable, "-m", "kemps_p2p", "demo", "--pace", "fast", "--out", str(tmp_path)]
    subprocess.run(demo, check=True, capture_output=True)
    logs = sorted(map(str, tmp_path.glob("*.kemps")))
    assert len(logs) == 4
    code, said = run(capsys, *logs)
    assert (code, said.count("verified")) == (0, 4)
    assert sum("“Kemps!”" in line or "“Stop Kemps!”" in line for line in said) >= 5 * 4
