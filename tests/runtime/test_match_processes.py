"""Whole matches between real processes: sockets, files, cryptography, and the commands that start them."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kemps_p2p.codec import frame

KEMPS = [sys.executable, "-m", "kemps_p2p"]
LIMIT_S = 170


def kemps(*arguments: str, limit_s: float = LIMIT_S) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*KEMPS, *arguments], capture_output=True, text=True, timeout=limit_s, check=False)


def play(players: int, out: Path, *more: str) -> dict[str, Any]:
    done = kemps("demo", "--players", str(players), "--pace", "fast", "--out", str(out), "--json", *more)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def short_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rule book kemps with a word of two letters, so that a match is short."""
    file = tmp_path_factory.mktemp("rules") / "short.toml"
    file.write_text('base = "kemps"\nword = "KE"\n')
    return file


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory, short_rules: Path) -> dict[str, Any]:
    """A match between four processes."""
    return play(4, tmp_path_factory.mktemp("logs"), "--rules", str(short_rules))


def test_four_processes_play_a_match_that_audits_clean(match: dict[str, Any]) -> None:
    assert match["players"] == 4
    assert match["audit"] == "clean"
    assert max(match["scores"]) == 2
    assert match["winners"] == [match["scores"].index(min(match["scores"]))]
    assert match["deals"] >= 2
    assert len({Path(log).name for log in match["logs"]}) == 4


def test_a_stranger_audits_each_log_and_all_of_them(match: dict[str, Any]) -> None:
    together = kemps("audit", "--json", *match["logs"])
    assert together.returncode == 0, together.stdout
    heads = {log["head"] for log in json.loads(together.stdout)["logs"]}
    assert len(heads) == 1
    for log in match["logs"]:
        alone = kemps("audit", "--json", log)
        assert alone.returncode == 0, alone.stdout
        assert json.loads(alone.stdout)["head"] in heads


def test_the_logs_hold_one_chain_byte_for_byte(match: dict[str, Any]) -> None:
    chains = {frame(Path(log).read_bytes()).objects[:-1] for log in match["logs"]}
    assert len(chains) == 1


def test_replay_tells_the_match(match: dict[str, Any]) -> None:
    told = kemps("replay", match["logs"][1])
    assert told.returncode == 0, told.stderr
    assert "Anna" in told.stdout


def test_the_rules_in_the_log_say_that_nobody_looked(match: dict[str, Any]) -> None:
    assert b"look_ms = 0" in Path(match["logs"][0]).read_bytes()


@pytest.mark.soak
@pytest.mark.parametrize("players", [6, 8, 10])
def test_more_players_finish_a_match(players: int, tmp_path: Path) -> None:
    told = play(players, tmp_path)
    assert told["audit"] == "clean"
    assert max(told["scores"]) == 5


def test_eight_players_finish_a_short_match(tmp_path: Path) -> None:
    file = tmp_path / "short.toml"
    file.write_text('base = "kemps"\nword = "K"\n')
    told = play(8, tmp_path, "--rules", str(file))
    assert told["audit"] == "clean"


def node(tmp_path: Path, seat: int, *more: str) -> "subprocess.Popen[str]":
    arguments = [
        "node", "--meet", str(tmp_path / "meeting"), "--seat", str(seat),
        "--home", str(tmp_path / f"home-{seat}"), "--out", str(tmp_path / "logs"), "--pace", "fast", *more,
    ]  # fmt: skip
    return subprocess.Popen([*KEMPS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_node_that_nobody_joins_says_so(tmp_path: Path) -> None:
    alone = node(tmp_path, 0, "--wait", "0.5")
    _, said = alone.communicate(timeout=30)
    assert alone.returncode == 3
    assert said.splitlines()[0].startswith("kemps: only 1 of 4 peers came")
    assert "Traceback" not in said


def test_nodes_with_different_rules_name_the_key(tmp_path: Path) -> None:
    nodes = [node(tmp_path, seat, "--give-up", "3") for seat in range(3)]
    nodes.append(node(tmp_path, 3, "--rules", "kemps/go", "--give-up", "3"))
    ends = [peer.communicate(timeout=60) for peer in nodes]
    assert [peer.returncode for peer in nodes] == [6, 6, 6, 6]
    assert all("start" in said for _, said in ends)


def test_a_node_that_is_interrupted_leaves_a_readable_log(tmp_path: Path) -> None:
    nodes = [node(tmp_path, seat, "--events", "--pace", "normal", "--give-up", "4") for seat in range(4)]
    first = nodes[0]
    assert first.stdout is not None
    for line in first.stdout:
        if json.loads(line)["event"] == "moved" and json.loads(line)["entry"] >= 12:
            break
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=30)
    assert first.returncode == 130
    for peer in nodes[1:]:
        peer.communicate(timeout=60)
        assert peer.returncode == 8
    logs = sorted((tmp_path / "logs").iterdir())
    assert len(logs) == 4
    audited = kemps("audit", "--json", *map(str, logs))
    told = json.loads(audited.stdout)
    assert audited.returncode == 11, told
    assert {finding["code"] for finding in told["findings"]} <= {"not-closed", "no-certificate", "torn"}


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = node(tmp_path, 0, "--bind", f"tcp://127.0.0.1:{port}")
        _, said = refused.communicate(timeout=30)
    assert refused.returncode == 3
    assert str(port) in said
    assert "Traceback" not in said


def test_nodes_that_share_a_home_are_told_so_at_once(tmp_path: Path) -> None:
    first = node(tmp_path, 0, "--wait", "20")
    meeting = tmp_path / "meeting"
    while not list(meeting.glob("*.contact")):
        assert first.poll() is None
    second = kemps("node", "--meet", str(meeting), "--home", str(tmp_path / "home-0"), limit_s=30)
    assert second.returncode == 4
    assert "is in use by another peer" in second.stderr
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=30)
    assert first.returncode == 130
    assert not list(meeting.glob("*.contact"))


def test_peers_of_tables_of_different_sizes_are_told_so(tmp_path: Path) -> None:
    nodes = [node(tmp_path, seat, "--players", n, "--wait", "4") for seat, n in enumerate(("4", "6"))]
    ends = [peer.communicate(timeout=30)[1] for peer in nodes]
    # Who finds out first leaves, and takes its contact away; the other may only see that nobody came.
    codes = {peer.returncode for peer in nodes}
    assert 4 in codes
    assert codes <= {3, 4}
    assert any("table of" in said for said in ends)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--name", "a\x1b[31mRED"), ("--name", ""), ("--name", "x" * 65), ("--seat", "4"), ("--wait", "nan"),
        ("--bind", "tcp://127.0.0.1:99999"), ("--bind", "foo"), ("--players", "5"), ("--rules", "no-such"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_refused_at_once(tmp_path: Path, wrong: tuple[str, str]) -> None:
    done = kemps("node", "--meet", str(tmp_path / "m"), "--home", str(tmp_path / "h"), *wrong, limit_s=20)
    assert done.returncode == 2, done.stderr
    assert not (tmp_path / "m").exists()


def test_nothing_is_left_in_the_temporary_directory(tmp_path: Path, match: dict[str, Any]) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    done = subprocess.run(
        [*KEMPS, "audit", match["logs"][0]], env={**os.environ, "TMPDIR": str(place)}, check=False
    )
    assert done.returncode == 0
    assert not list(place.iterdir())


def test_a_closed_output_is_no_bug_of_ours(match: dict[str, Any]) -> None:
    done = subprocess.run(
        f"{' '.join(KEMPS)} audit {match['logs'][0]} >&-",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
