"""Single nodes as processes: what they say when something is wrong, and what they leave."""

import json
import signal
import socket
from contextlib import ExitStack
from pathlib import Path

from join_helpers import contact, newcomer
from process_helpers import kemps, node

from kemps_p2p.runtime.meeting import contact_left
from kemps_p2p.runtime.wayback import begun_matches


def test_a_node_that_nobody_joins_says_so(tmp_path: Path) -> None:
    alone = node(tmp_path, 0, "--wait", "0.5")
    _, said = alone.communicate(timeout=30)
    assert alone.returncode == 3
    assert said.splitlines()[0].startswith("kemps: only 1 of 4 peers came")
    assert "Traceback" not in said


def test_a_node_where_a_table_plays_already_is_told_that_its_own_has_not_begun(
    tmp_path: Path,
) -> None:
    """Without the files of a match nobody can come back to it by its meeting place."""
    place = tmp_path / "meeting"
    with ExitStack() as others:
        for number in range(1, 4):
            other = newcomer(str(number), Path("none")).identity
            others.enter_context(contact_left(place, other, contact(number)))
        alone = node(tmp_path, 0, "--give-up", "1")
        _, said = alone.communicate(timeout=30)
    assert alone.returncode == 8
    assert said.splitlines() == [
        f"kemps: match abandoned (it has not begun: others whose contacts lie in {place} play already, "
        "or are gone)"
    ]


def test_nodes_with_different_rules_name_the_key(tmp_path: Path) -> None:
    nodes = [node(tmp_path, seat, "--give-up", "3") for seat in range(3)]
    nodes.append(node(tmp_path, 3, "--rules", "kemps/go", "--give-up", "3"))
    ends = [peer.communicate(timeout=60) for peer in nodes]
    assert [peer.returncode for peer in nodes] == [6, 6, 6, 6]
    assert all("start" in said for _, said in ends)


def test_a_node_that_is_interrupted_leaves_a_readable_log(tmp_path: Path) -> None:
    # Long enough for a busy machine: a peer that gives up before the interruption ends the match for all.
    nodes = [node(tmp_path, seat, "--events", "--pace", "normal", "--give-up", "6") for seat in range(4)]
    first = nodes[0]
    assert first.stdout is not None
    for line in first.stdout:
        if json.loads(line)["event"] == "moved" and json.loads(line)["entry"] >= 12:
            break
    first.send_signal(signal.SIGINT)
    _, said = first.communicate(timeout=30)
    assert first.returncode == 130
    home = tmp_path / "home-0"
    ((match, begun),) = begun_matches(home).items()
    assert (len(begun.names), begun.has_way_back) == (4, True)
    assert "kemps: interrupted; your seat in this match is kept" in said
    assert f" rejoin --bot --home {home}` takes it again, with your hand. What was played is in " in said
    assert f"{tmp_path / 'logs' / match[:16]}-seat" in said
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
    nodes = [node(tmp_path, seat, "--players", n, "--wait", "2") for seat, n in enumerate(("4", "6"))]
    ends = [peer.communicate(timeout=30)[1] for peer in nodes]
    # Who finds out first leaves, and takes its contact away; the other may only see that nobody came.
    codes = {peer.returncode for peer in nodes}
    assert 4 in codes
    assert codes <= {3, 4}
    assert any("table of" in said for said in ends)
