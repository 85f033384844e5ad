"""`kemps audit` and `kemps replay`: output, exit codes, JSON."""

import json
from pathlib import Path

import pytest
from cli_helpers import Here, kemps

from kemps_p2p.codec import encode, frame
from kemps_p2p.session.logfile import LOG_MAGIC
from kemps_p2p.session.messages import PROTOCOL_VERSION

pytest_plugins = ("cli_fixtures",)

VECTORS = Path(__file__).parents[1] / "vectors" / "logs"
ONE_JSON_OBJECT = {
    "verdict",
    "match",
    "head",
    "entries",
    "deals",
    "winners",
    "scores",
    "names",
    "stand_ins",
    "walk_overs",
    "matches",
    "findings",
    "remarks",
    "logs",
    "splits",
}


def changed(log: Path, to: Path, place: int) -> Path:
    data = bytearray(log.read_bytes())
    data[place] ^= 1
    to.write_bytes(data)
    return to


def test_clean_logs_are_said_to_agree(logs: list[Path]) -> None:
    ran = kemps("audit", "--allow-simulated", *logs)
    assert ran.code == 0
    assert ran.out.startswith("clean: everything in these 4 logs holds, and they agree on every entry.\n")
    assert "what no log can prove:" in ran.out
    assert "\n  1 call: `--call 1` says who was right, and why\n" in ran.out
    assert ran.err == ""


def test_json_is_one_object_of_the_promised_shape(here: Here, logs: list[Path]) -> None:
    ran = here("audit", "--allow-simulated", "--json", logs[0])
    assert ran.code == 0
    told = json.loads(ran.out)
    assert told.keys() == ONE_JSON_OBJECT
    assert told["verdict"] == "clean"
    assert told["findings"] == []
    assert told["entries"] > 20
    assert told["names"] == ["Bot 0", "Bot 1", "Bot 2", "Bot 3"]
    assert sorted(told["scores"]) == [0, 1]
    assert told["scores"][told["winners"][0]] == 0, "with letters, whoever has fewer wins"
    assert len(bytes.fromhex(told["head"])) == len(bytes.fromhex(told["match"])) == 32
    assert told["stand_ins"] == told["logs"][0]["stand_ins"] == []


def test_json_has_who_sat_in_for_whom(here: Here) -> None:
    ran = here("audit", "--allow-simulated", "--json", VECTORS / "held-and-back.kemps")
    (log,) = (told := json.loads(ran.out))["logs"]
    assert told["stand_ins"] == log["stand_ins"] == [{"seat": 3, "since": 8, "until": 19}]


def test_a_simulated_log_is_violated_where_that_is_not_allowed(here: Here, logs: list[Path]) -> None:
    ran = here("audit", "--json", logs[0])
    assert ran.code == 10
    assert json.loads(ran.out)["findings"] == [
        {
            "index": 0,
            "code": "insecure-group",
            "culprit": None,
            "text": "this log is of a simulation, whose cards are not hidden at all",
        }
    ]


def test_a_changed_byte_exits_with_10_and_names_the_entry(
    here: Here, logs: list[Path], tmp_path: Path
) -> None:
    objects = frame(logs[0].read_bytes()).objects
    place = sum(map(len, objects[:12])) + 50
    ran = here("audit", "--allow-simulated", changed(logs[0], tmp_path / "changed.kemps", place))
    assert ran.code == 10
    assert ran.out.startswith("violated: this log does not hold.")
    assert "\n  entry 11: " in ran.out


def test_a_torn_log_exits_with_11(here: Here, logs: list[Path], tmp_path: Path) -> None:
    torn = tmp_path / "torn.kemps"
    torn.write_bytes(logs[0].read_bytes()[:60_000])
    ran = here("audit", "--allow-simulated", "--json", torn)
    assert ran.code == 11
    told = json.loads(ran.out)
    assert told["verdict"] == "undecidable"
    assert {finding["code"] for finding in told["findings"]} == {"torn", "not-closed"}
    assert all(finding["culprit"] is None for finding in told["findings"])


@pytest.mark.parametrize("data", [b"", b"hello", b"\x00\x01"])
def test_what_is_no_log_exits_with_7(here: Here, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "no.kemps"
    path.write_bytes(data)
    ran = here("audit", path)
    assert ran.code == 7
    assert ran.out.startswith("unreadable: this is no log")


def test_a_newer_log_exits_with_6(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "newer.kemps"
    path.write_bytes(encode((0, LOG_MAGIC, PROTOCOL_VERSION + 1, b"more")))
    ran = here("audit", path)
    assert ran.code == 6
    assert "newer version" in ran.out


def test_a_file_that_is_not_there_is_one_line_and_a_hint(here: Here, tmp_path: Path) -> None:
    ran = here("audit", tmp_path / "nothing.kemps")
    assert ran.code == 7
    assert ran.out == ""
    lines = ran.err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("kemps: ")


def test_a_directory_is_no_log(here: Here, tmp_path: Path) -> None:
    assert here("audit", tmp_path).code == 7


def test_replay_tells_the_match(here: Here, logs: list[Path]) -> None:
    ran = here("replay", logs[0])
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert sum("shuffles the cards of deal 1" in line for line in lines) == 4
    assert sum(" hand of Bot " in line for line in lines) == 4
    assert sum("hidden" in line for line in lines) == 0
    assert any("Call 1: " in line for line in lines)
    assert any("Race " in line and " was first: " in line and " saw " in line for line in lines)
    assert any("the draw of coins puts" in line for line in lines)
    assert any(" took " in line and "♠" in ran.out for line in lines)
    assert "end of the log: 1 deal; " in lines[-1]


def test_replay_in_ascii_is_ascii(here: Here, logs: list[Path]) -> None:
    ran = here("replay", "--ascii", logs[0])
    assert ran.code == 0
    assert ran.out.isascii()


def test_replay_json_is_one_object_a_line(here: Here, logs: list[Path]) -> None:
    ran = here("replay", "--json", logs[0])
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert {"match", "shuffled", "dealt", "hand", "swapped", "race", "drawn", "called", "scored", "end"} <= {
        line["event"] for line in told
    }
    assert all({"entry", "at_ms", "event", "text"} <= line.keys() for line in told)
    assert [line["entry"] for line in told] == sorted(line["entry"] for line in told)
    hands = [line["cards"] for line in told if line["event"] == "hand"]
    assert len({card for hand in hands for card in hand}) == 16
    last = told[-1]
    assert last["event"] == "end"
    assert last["verdict"] == "clean"


def test_replay_of_a_torn_log_goes_as_far_as_it_can(here: Here, logs: list[Path], tmp_path: Path) -> None:
    torn = tmp_path / "torn.kemps"
    torn.write_bytes(logs[0].read_bytes()[:-40_000])
    ran = here("replay", "--json", torn)
    assert ran.code == 11
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert {line["code"] for line in told if line["event"] == "finding"} == {"torn", "not-closed"}
    hands = [line for line in told if line["event"] == "hand"]
    # Without seeds only cards that were turned up are known.
    assert sum(hand["cards"].count(None) for hand in hands) > 4


def test_replay_of_no_log_says_so(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "no.kemps"
    path.write_bytes(b"hello")
    ran = here("replay", path)
    assert ran.code == 7
    assert ran.out == ""
    assert "no log" in ran.err


def test_a_terminal_without_the_letters_gets_escapes_not_a_traceback(logs: list[Path]) -> None:
    ran = kemps("replay", logs[0], env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"})
    assert ran.code == 0
    assert "\\u26" in ran.out


def test_what_gestures_were_worth(here: Here, logs: list[Path]) -> None:
    ran = here("audit", "--allow-simulated", "--signals", *logs[:2])
    assert ran.code == 0
    assert ran.out.startswith("Bot 0\n  book from deal 1: ")
    assert "how to read this:" in ran.out
    told = json.loads(here("audit", "--allow-simulated", "--signals", "--json", logs[0]).out)
    assert [seat["seat"] for seat in told["seats"]] == [0, 1, 2, 3]
    assert here("audit", "--signals", "--race", "1", logs[0]).code == 2
