"""`kemps audit` as a tool: reports on a part of a log, logs of several matches, missing files, jobs."""

import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Here

from kemps_p2p.cli import auditing
from kemps_p2p.cli.auditing import audited, batches
from kemps_p2p.cli.errors import Exit
from kemps_p2p.runtime import crew
from kemps_p2p.runtime.crew import Crew
from kemps_p2p.runtime.store import split_objects
from kemps_p2p.session.audit import Verdict, audit, audit_all, prove_share
from kemps_p2p.session.provers import Proven, Share
from vectors.form import FOLDER, read

pytest_plugins = ("cli_fixtures",)

VECTORS = FOLDER / "logs"
GOLDEN = Path(__file__).parents[1] / "golden"
PATIENCE_S = 20
SIMULATED = "--allow-simulated"


def test_a_race_is_reported_alike_from_every_log(here: Here, logs: list[Path]) -> None:
    told = [here("audit", SIMULATED, log, "--race", 1) for log in logs]
    assert {ran.code for ran in told} == {0}
    assert len({ran.out for ran in told}) == 1
    for title in (
        "what they wanted:",
        "what each seat has signed, ",
        "what decided:",
        "what nobody can know",
    ):
        assert f"\n{title}" in told[0].out
    as_json = json.loads(here("audit", SIMULATED, logs[0], "--race", 1, "--json").out)
    assert as_json["race"] == 1
    assert as_json["summary"] in told[0].out
    replayed = [json.loads(line) for line in here("replay", "--json", logs[0]).out.splitlines()]
    first = next(line for line in replayed if line.get("race") == 1)
    assert (first["entry"], first["event"] == "together") == (as_json["entry"], as_json["rule"] != "poll")


def test_a_call_is_reported(here: Here, logs: list[Path]) -> None:
    ran = here("audit", SIMULATED, logs[3], "--call", 1, "--ascii")
    assert ran.code == 0
    assert ran.out.startswith("Call 1: ")
    assert ran.out.isascii()
    told = json.loads(here("audit", SIMULATED, logs[3], "--call", 1, "--json").out)
    assert told["call"] == 1
    assert told["verdicts"] == ["right" if " is right " in ran.out.splitlines()[0] else "wrong"]


def before_the_call(told: str) -> str:
    return told.partition("\ngestures before the call, and exchanges of ")[2].partition("\n\n")[0]


def test_a_call_that_ends_the_match_tells_who_won_and_what_gestures_were_for(here: Here) -> None:
    told = here("audit", GOLDEN / "kemps.kemps", "--call", 2).out
    came = told.partition("\nwhat came of it:\n")[2].partition("\n\n")[0]
    assert "Anna and Carla win the match" in came.splitlines()[-1]
    before = before_the_call(told)
    assert "raised eyebrow, as a decoy" in before
    assert "cough, and meant it" in before
    assert all(line.endswith("]") and " [stamp " in line for line in before.splitlines()[1:])


def test_what_gestures_were_for_is_not_told_before_that_is_open(here: Here, tmp_path: Path) -> None:
    objects = split_objects((GOLDEN / "kems.kemps").read_bytes()).objects
    begun = tmp_path / "begun.kemps"
    begun.write_bytes(b"".join(objects[: len(objects) * 2 // 3]))
    *_, gesture, last = before_the_call(here("audit", begun, "--call", 1).out).splitlines()
    assert " made a gesture: " in gesture
    assert last == "  Which gestures were meant is opened at the end of a match; this log does not show it."


def test_a_race_of_a_log_that_is_not_clean_exits_as_its_audit(
    here: Here, logs: list[Path], tmp_path: Path
) -> None:
    torn = tmp_path / "torn.kemps"
    torn.write_bytes(logs[0].read_bytes()[:-100])
    ran = here("audit", SIMULATED, torn, "--race", 1)
    assert ran.code == Exit.UNDECIDABLE
    assert ran.out.startswith("This log is undecidable: ")
    assert here("audit", logs[0], "--race", 1).code == Exit.VIOLATED, "a simulation"


def test_a_report_on_a_log_that_was_changed_says_so_before_all_else(here: Here, tmp_path: Path) -> None:
    whole = (GOLDEN / "kemps.kemps").read_bytes()
    changed = tmp_path / "changed.kemps"
    changed.write_bytes(whole[:-5] + bytes((whole[-5] ^ 1,)) + whole[-4:])
    ran = here("audit", changed, "--call", 2)
    assert ran.code == Exit.VIOLATED
    first, second, *_ = ran.out.splitlines()
    assert first.startswith("This log is violated: something in it does not hold (entry ")
    assert second == "What is told here lies before that and holds."
    assert "names stand at the end of a log" in here("audit", changed).out
    # The match id in the header is beside what the seats have signed.
    changed.write_bytes(whole[:20] + bytes((whole[20] ^ 1,)) + whole[21:])
    first, second, *_ = here("audit", changed, "--call", 2).out.splitlines()
    assert first == "This log is violated: something in it does not hold (its header)."
    assert second == "What is told here rests on what the seats have signed, and not on that, and holds."


def test_nothing_is_told_as_proven_where_the_founding_does_not_hold(here: Here, tmp_path: Path) -> None:
    whole = (GOLDEN / "kemps.kemps").read_bytes()
    place = len(b"".join(split_objects(whole).objects[:2])) - 5
    changed, page = tmp_path / "changed.kemps", tmp_path / "page.html"
    changed.write_bytes(whole[:place] + bytes((whole[place] ^ 1,)) + whole[place + 1 :])
    said = "What is told here comes after that: this log does not prove it."
    ran = here("audit", changed, "--race", 1)
    assert ran.code == Exit.VIOLATED
    first, second, *_ = ran.out.splitlines()
    assert first.endswith("something in it does not hold (entry 0).")
    assert second.startswith(said)
    whole_report = here("audit", changed).out
    assert "would hold if the founding did, up to " in whole_report
    assert "  Nothing: the founding of the match does not hold" in whole_report
    assert "Every seat shuffled" not in whole_report
    assert here("audit", changed, "--call", 1, "--html", page).code == Exit.VIOLATED
    assert f"<p>{said}" in page.read_text()
    assert "Every seat shuffled" not in page.read_text()


def test_each_of_several_logs_has_its_own_verdict(here: Here, tmp_path: Path) -> None:
    whole = (GOLDEN / "kemps.kemps").read_bytes()
    changed, kept = tmp_path / "changed.kemps", tmp_path / "kept.kemps"
    changed.write_bytes(whole[:-5] + bytes((whole[-5] ^ 1,)) + whole[-4:])
    kept.write_bytes(whole)
    lines = here("audit", changed, kept).out.splitlines()
    assert f"{kept} (as Anna kept it): clean" in lines
    assert any(line.startswith(f"{changed}") and line.endswith(": violated") for line in lines)
    assert "  this log is as Anna kept it" in here("audit", kept).out.splitlines()


def test_of_several_logs_the_report_is_told_from_one_that_holds(here: Here, tmp_path: Path) -> None:
    whole = (GOLDEN / "kemps.kemps").read_bytes()
    changed, kept = tmp_path / "changed.kemps", tmp_path / "kept.kemps"
    changed.write_bytes(whole[:-5] + bytes((whole[-5] ^ 1,)) + whole[-4:])
    kept.write_bytes(whole)
    ran = here("audit", changed, kept, "--call", 2)
    assert ran.code == Exit.VIOLATED
    first, *logs, empty, told = ran.out.splitlines()[:5]
    assert first.startswith("Violated: 1 of these 2 logs does not hold.")
    assert logs == [
        f"  {changed} is violated",
        f"  {kept} (as Anna kept it) is clean: what follows is told from this one",
    ]
    assert not empty
    assert told.startswith("Call 2: ")
    assert "(called by Anna)" in told


def test_what_came_of_a_call_behind_another_is_told(here: Here) -> None:
    log = GOLDEN / "late-call.kemps"
    (line,) = (one for one in here("replay", "--text", log).out.splitlines() if "which was refused" in one)
    assert line.endswith(": the deal is over, or has not begun (race 2)")
    told = here("audit", log, "--race", 2).out
    assert (
        "waited for the verdict on the call that came first, and then was refused, since that one ended"
        in told
    )


def test_what_a_changed_log_does_not_hold_is_no_mistake_of_whoever_asks(here: Here, tmp_path: Path) -> None:
    whole = (GOLDEN / "kemps.kemps").read_bytes()
    changed = tmp_path / "changed.kemps"
    changed.write_bytes(whole[:60000] + bytes((whole[60000] ^ 1,)) + whole[60001:])
    ran = here("audit", changed, "--call", 2)
    assert (ran.code, ran.out) == (Exit.VIOLATED, "")
    assert "does not hold: " in ran.err.splitlines()[0]
    assert "Any other player's log of this match can stand in for it." in ran.err


def test_an_audit_says_how_many_races_there_are(here: Here) -> None:
    log = GOLDEN / "kent.kemps"
    told = here("replay", "--json", log).out
    assert "\n  1 race: `--race 1` says who was first\n" in here("audit", log).out
    assert '"race": 1' in told
    assert '"race": 2' not in told


def test_every_card_that_somebody_was_too_late_for_has_a_race(here: Here) -> None:
    late = 0
    for log in (GOLDEN / f"{name}.kemps" for name in ("kent", "restarted", "six")):
        told = [json.loads(line) for line in here("replay", "--json", log).out.splitlines()]
        races = {line["race"] for line in told if line["event"] in ("race", "together")}
        assert races == set(range(1, len(races) + 1)), "numbered without gaps"
        missed = [line for line in told if line["event"] == "missed"]
        assert all(line["race"] in races for line in missed), log
        late += len(missed)
    assert late >= 6


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--race", "99"), "and no race 99"),
        (("--call", "99"), "and no call 99"),
        (("--deal", "99"), "this log has 1 deal, and no deal 99"),
        (("--seat", "Bo\x1bb"), "nobody in this log is called Bo\\x1bb"),
        (
            ("--race", "1", "--call", "1"),
            "one of --race, --call, --signals, and --deal with --seat",
        ),
        (
            ("--race", "1", "--seat", "1"),
            "one of --race, --call, --signals, and --deal with --seat",
        ),
        (("--race", "0"), "0 is not in the range"),
        (("--jobs", "0"), "0 is not in the range"),
    ],
)
def test_what_is_not_there_is_one_line_and_a_hint(
    here: Here, logs: list[Path], options: tuple[str, str], says: str
) -> None:
    ran = here("audit", SIMULATED, logs[0], *options)
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert says in ran.err
    assert len(ran.err.splitlines()) == 2


def test_a_deal_and_a_player_are_reported(here: Here, logs: list[Path]) -> None:
    told = here("audit", SIMULATED, logs[0], "--deal", 1, "--seat", "bot 2")
    assert told.out.startswith("Bot 2 (seat 2), deal 1: entries 12 to ")
    assert "  proven: 1 key, 1 shuffle turn, " in told.out
    by_number = here("audit", SIMULATED, logs[0], "--deal", 1, "--seat", "2")
    assert by_number.out == told.out
    as_json = json.loads(here("audit", SIMULATED, logs[0], "--seat", "2", "--json").out)
    assert (as_json["deal"], as_json["seat"], as_json["findings"]) == (None, 2, [])
    assert as_json["proven"]["seed"] == 1


# Several matches


def archive(logs: list[Path]) -> list[Path]:
    """Logs of two matches, and more that is none."""
    return [logs[0], VECTORS / "spoilt-deal.kemps", logs[1]]


def test_logs_of_two_matches_are_said_to_be(here: Here, logs: list[Path]) -> None:
    ran = here("audit", SIMULATED, *archive(logs))
    first, second, *others = ran.out.splitlines()
    assert ran.code == 0
    assert first == (
        "clean: everything in these 3 logs holds, of 2 matches, and those of one match agree on every entry."
    )
    assert (
        second
        == "These are logs of 2 different matches: only logs of one match are compared with each other."
    )
    assert [line.split(":")[0] for line in others[:2]] == ["clean", "clean"]
    assert f"({logs[0]} and 1 more)" in others[0]
    told = json.loads(here("audit", SIMULATED, "--json", *archive(logs)).out)
    assert len(told["matches"]) == 2
    assert [each["log"] for each in told["logs"]] == [
        str(path) for path in (logs[0], logs[1], archive(logs)[1])
    ]


def test_the_worst_of_several_matches_is_the_verdict(here: Here, logs: list[Path], tmp_path: Path) -> None:
    missing = tmp_path / "missing.kemps"
    lie = VECTORS / "draw-in-another-order.kemps"
    ran = here("audit", SIMULATED, logs[0], missing, lie)
    assert ran.code == Exit.VIOLATED
    assert ran.out.startswith("violated: 1 of these 3 logs does not hold. At fault: seat 0.\n")
    assert f"\nviolated: {lie}\n" in ran.out
    assert f"\nunreadable: {missing}\n    entry 0: there is no file that can be read" in ran.out
    told = json.loads(here("audit", SIMULATED, "--json", logs[0], missing, lie).out)
    assert told["verdict"] == "violated"
    assert {(found["log"], found["code"]) for found in told["findings"]} == {
        (str(missing), "no-file"),
        (str(lie), "bad-order"),
    }


def test_faults_of_several_matches_are_not_told_as_of_one(here: Here) -> None:
    """A seat or a name means another player in each."""
    lies = ("entry-of-a-seat-not-on-duty.kemps", "receipt-of-an-observer-beside-an-ack.kemps")
    ran = here("audit", SIMULATED, *(VECTORS / name for name in lies))
    assert ran.code == Exit.VIOLATED
    first = ran.out.splitlines()[0]
    assert first == "violated: 2 of these 2 logs do not hold. Culprits are named with each of 2 matches."


def test_a_newer_log_among_others_is_told_to_be_so(here: Here, tmp_path: Path) -> None:
    ran = here("audit", VECTORS / "newer-version.kemps", tmp_path / "missing.kemps")
    assert ran.code == Exit.OTHER_VERSION
    assert ran.out.startswith(
        "unreadable: 2 of these 2 are no logs of a match, or of a newer version of this program.\n"
    )


def test_one_missing_file_is_told_as_json_too(here: Here, tmp_path: Path) -> None:
    ran = here("audit", "--json", tmp_path / "missing.kemps")
    assert ran.code == Exit.UNREADABLE
    told = json.loads(ran.out)
    assert told["verdict"] == told["logs"][0]["verdict"] == "unreadable"
    assert told["findings"][0]["code"] == "no-file"
    assert "No such file" in told["findings"][0]["text"]


def test_a_report_is_on_one_match(here: Here, logs: list[Path]) -> None:
    ran = here("audit", SIMULATED, *archive(logs), "--race", 1)
    assert (ran.code, ran.out) == (Exit.USAGE, "")
    assert "these are logs of 2 matches; this is a report on one" in ran.err


def test_a_fork_is_told_with_both_heads_and_who_signed_both(here: Here) -> None:
    (pair,) = read("logs/index.json")["together"]
    one, other = (VECTORS / name for name in pair["files"])
    ran = here("audit", SIMULATED, one, other)
    assert ran.code == Exit.CONTRADICT
    index = pair["index"]
    assert f"{one} and {other} are one log up to entry {index - 1} (" in ran.out
    assert f"), and two from entry {index} on:\n" in ran.out
    for head in pair["heads"]:
        assert (
            f"entry {index} is {head[:16]}, by seat {pair['culprits'][0]}; holds up to {index} {head[:16]}"
            in ran.out
        )
    assert f"signed both: seat {pair['culprits'][0]}\n" in ran.out
    told = json.loads(here("audit", SIMULATED, "--json", one, other).out)
    assert {"fork", "equivocation"} <= {finding["code"] for finding in told["findings"]}


def test_only_one_match_is_kept_at_a_time(logs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the archive is: the next match is read after the last one has been told."""
    paths = [logs[0], *(VECTORS / name for name in ("spoilt-deal.kemps", "observer.kemps", "denial.kemps"))]
    read_so_far: list[Path] = []

    def watched(path: Path) -> bytes:
        read_so_far.append(path)
        return path.read_bytes()

    monkeypatch.setattr(auditing, "read_log", watched)
    found = audited(paths, allow_stub=True, helpers=None)
    for count, one in enumerate(found, start=1):
        assert len(read_so_far) == count
        assert one.joint.verdict is Verdict.CLEAN


def test_logs_are_put_together_by_their_genesis(logs: list[Path], tmp_path: Path) -> None:
    """A header can say anything; a file that is no log is by itself."""
    no_log = tmp_path / "no.kemps"
    no_log.write_bytes(b"hello")
    missing = tmp_path / "missing.kemps"
    paths = [logs[0], no_log, logs[1], missing, tmp_path]
    assert [batch.paths for batch in batches(paths)] == [
        (logs[0], logs[1]),
        (no_log,),
        (missing,),
        (tmp_path,),
    ]


def test_how_far_it_has_come_is_shown_over_all_matches(
    logs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[int, int]] = []

    @contextmanager
    def watched(_label: str) -> Iterator[Callable[[int, int], None]]:
        yield lambda done, total: calls.append((done, total))

    monkeypatch.setattr(auditing, "progress", watched)
    list(audited([logs[0], VECTORS / "spoilt-deal.kemps"], allow_stub=True, helpers=None))
    assert calls == sorted(calls)
    assert calls[-1] == (2000, 2000)
    assert {total for _, total in calls} == {2000}


# Jobs


class Inline:
    """Helpers that verify their shares here, and what they have done."""

    def __init__(self, others: int, spoil: Callable[[Proven], Proven] = lambda proven: proven) -> None:
        self.others = others
        self.spoil = spoil
        self.proven: list[Proven] = []

    def start(self, log: bytes) -> list[Callable[[], Proven]]:
        return [lambda index=index: self._prove(log, index) for index in range(1, self.others + 1)]  # type: ignore[misc]

    def _prove(self, log: bytes, index: int) -> Proven:
        proven = self.spoil(prove_share(log, Share(index, self.others + 1)))
        self.proven.append(proven)
        return proven


NAMES = (
    "four-seats", "spoilt-deal", "false-seal", "key-that-is-not-proven", "turn-with-a-card-twice",
    "share-under-another-key", "another-seed", "torn-entry", "not-a-log",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_helpers_change_nothing_that_is_found(name: str) -> None:
    others = 2
    log = (VECTORS / f"{name}.kemps").read_bytes()
    alone = audit(log, allow_stub=True)
    helpers = Inline(others)
    (helped,) = audit_all([log], allow_stub=True, helpers=helpers).audits
    assert (helped.verdict, helped.findings, helped.head) == (alone.verdict, alone.findings, alone.head)
    assert len(helped.steps) == len(alone.steps)
    assert len(helpers.proven) == others


def test_each_helper_verifies_its_share_and_no_more() -> None:
    log = (VECTORS / "four-seats.kemps").read_bytes()
    shares = [prove_share(log, Share(index, 3)) for index in range(3)]
    whole = prove_share(log, Share(0, 1))
    assert frozenset[Any]().union(*(share.good for share in shares)) == whole.good
    assert sum(len(share.good) for share in shares) == len(whole.good)
    assert max(len(share.good) for share in shares) <= len(whole.good) // 3 + 1


def test_what_no_helper_has_verified_is_verified_all_the_same() -> None:
    """A helper that dies, or lies about what it has done, costs time and nothing else."""
    log = (VECTORS / "turn-with-a-card-twice.kemps").read_bytes()
    alone = audit(log, allow_stub=True)
    dead = Inline(1, lambda _: Proven(frozenset(), {}))
    (helped,) = audit_all([log], allow_stub=True, helpers=dead).audits
    assert helped.findings == alone.findings


def test_a_crew_of_processes_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "LOG_BYTES_MIN", 0)
    logs = [
        (VECTORS / f"{name}.kemps").read_bytes()
        for name in ("four-seats-ristretto", "key-that-is-not-proven")
    ]
    with Crew(2) as helpers:
        helped = audit_all(logs, allow_stub=True, helpers=helpers)
    alone = audit_all(logs, allow_stub=True)
    assert [one.findings for one in helped.audits] == [one.findings for one in alone.audits]
    assert [one.verdict for one in helped.audits] == [Verdict.CLEAN, Verdict.VIOLATED]


def test_helpers_that_are_at_work_do_not_outlive_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "LOG_BYTES_MIN", 0)
    log = (VECTORS / "four-seats-ristretto.kemps").read_bytes()
    before = set(multiprocessing.active_children())

    def interrupted() -> None:
        with Crew(2) as helpers:
            for _ in range(50):
                helpers.start(log)
            assert set(multiprocessing.active_children()) > before
            raise KeyboardInterrupt

    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert set(multiprocessing.active_children()) == before
    assert time.perf_counter() - began < PATIENCE_S, "nobody waits for fifty logs"


def test_a_crew_of_one_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "LOG_BYTES_MIN", 0)
    with Crew(1) as alone:
        assert alone.start(b"") == ()
    with Crew(2) as small:
        monkeypatch.setattr(crew, "LOG_BYTES_MIN", 10)
        assert small.start(b"123") == ()


def test_nothing_is_shown_where_stderr_is_no_terminal(here: Here, logs: list[Path]) -> None:
    assert not sys.stderr.isatty()
    assert here("audit", SIMULATED, *archive(logs)).err == ""
