"""Peers that are killed in a running match, or sleep, and come back: real processes, sockets and files."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from process_helpers import KEMPS, kemps, node

from kemps_p2p.codec import decode, encode
from kemps_p2p.errors import Refused
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.chair import Chair
from kemps_p2p.runtime.meeting import Table
from kemps_p2p.runtime.onlooker import Onlooker
from kemps_p2p.runtime.profile import own_identity
from kemps_p2p.runtime.transport import Mesh, PublicKey
from kemps_p2p.runtime.wayback import KeptSeat, WayBack, unfinished
from kemps_p2p.session.messages import MESSAGE_BYTES_MAX

RULES = 'base = "kemps"\nword = "KE"\nlook_ms = 0\n'


def told(peer: "subprocess.Popen[str]") -> Iterator[dict[str, Any]]:
    assert peer.stdout is not None
    for line in peer.stdout:
        yield json.loads(line)


def wait_until(peer: "subprocess.Popen[str]", is_it: Callable[[dict[str, Any]], bool]) -> None:
    assert any(is_it(event) for event in told(peer)), "the match ended before"


def nodes_of(tmp_path: Path, *more: str, text: str = RULES) -> "list[subprocess.Popen[str]]":
    rules = tmp_path / "short.toml"
    rules.write_text(text)
    return [node(tmp_path, seat, "--events", "--rules", str(rules), *more) for seat in range(4)]


def rejoin(home: Path, *more: str) -> "subprocess.Popen[str]":
    arguments = ["rejoin", "--bot", "--pace", "fast", "--events", "--home", str(home), *more]
    return subprocess.Popen([*KEMPS, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check_all_end(peers: "list[subprocess.Popen[str]]", logs: Path, *elsewhere: Path) -> None:
    for peer in peers:
        _, said = peer.communicate(timeout=120)
        assert peer.returncode == 0, said
    files = [*sorted(logs.iterdir()), *elsewhere]
    assert len(files) == len(peers)
    audited = kemps("audit", "--json", *map(str, files))
    assert audited.returncode == 0, audited.stdout
    assert len({log["head"] for log in json.loads(audited.stdout)["logs"]}) == 1


def test_a_peer_that_is_killed_in_a_deal_comes_back_to_its_seat(tmp_path: Path) -> None:
    peers = nodes_of(tmp_path, text=RULES.replace("KE", "K"))
    victim = peers[2]
    wait_until(victim, lambda event: event["event"] == "moved" and event["entry"] >= 25)
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate(timeout=30)
    time.sleep(1)
    (place,) = (tmp_path / "home-2" / "matches").iterdir()
    shutil.copytree(place, place.with_name("another"))
    unclear = kemps("rejoin", "--bot", "--home", str(tmp_path / "home-2"), limit_s=30)
    assert unclear.returncode == 2
    assert re.findall(r"^(\d)  [0-9a-f]{16}  \w+ \w+ \w+, with \w+, ", unclear.stderr, re.MULTILINE) == [
        "1",
        "2",
    ]
    assert "Say which: kemps rejoin MATCH" in unclear.stderr
    shutil.rmtree(place.with_name("another"))
    # Another program listens where it did, so it listens elsewhere, and the others follow.
    bind = decode((place / "seat").read_bytes(), KeptSeat).bind
    with socket.create_server(("127.0.0.1", int(bind.rpartition(":")[2]))):
        peers[2] = rejoin(tmp_path / "home-2")
        check_all_end(peers, tmp_path / "logs")
    again = kemps("rejoin", "--bot", "--home", str(tmp_path / "home-2"), limit_s=30)
    assert again.returncode == 4
    assert "all its matches have ended" in again.stderr


def test_a_peer_whose_journal_alone_is_deleted_says_nothing_twice(tmp_path: Path) -> None:
    peers = nodes_of(tmp_path, text=RULES.replace("KE", "K"))
    victim, home = peers[1], tmp_path / "home-1"
    wait_until(victim, lambda event: event["event"] == "moved" and event["entry"] >= 25)
    os.kill(victim.pid, signal.SIGKILL)
    victim.communicate(timeout=30)
    (journal,) = home.glob("matches/*/journal")
    journal.unlink()
    peers[1] = rejoin(home)
    check_all_end(peers, tmp_path / "logs")


def test_there_may_be_nothing_to_come_back_to(tmp_path: Path) -> None:
    done = kemps("rejoin", "--bot", "--home", str(tmp_path), limit_s=30)
    assert done.returncode == 4
    assert "no match was begun" in done.stderr
    done = kemps("rejoin", "nonsense", "--bot", "--home", str(tmp_path), limit_s=30)
    assert done.returncode == 4
    assert "is no match id" in done.stderr


def test_a_peer_that_is_killed_in_the_lobby_goes_through_it_once_more(tmp_path: Path) -> None:
    rules, identity = load_rules("kemps"), own_identity(tmp_path)
    mesh = Mesh(message_bytes_max=MESSAGE_BYTES_MAX)
    curves = (PublicKey(bytes(32)), mesh.public_key)
    table = Table((bytes(32), identity.public), curves, dict.fromkeys(curves, "tcp://127.0.0.1:1"))
    chair = Chair(
        identity=identity, seat=Seat(1), table=table, name="Ben",
        carrier=mesh, rules=rules, home=tmp_path, logs=tmp_path / "logs", give_up_ms=1000,
        way_back=WayBack(mesh.keys, "tcp://127.0.0.1:2"),
    )  # fmt: skip
    session, _ = chair.sit(Onlooker(), lambda _session, _sight: None)
    said = session.start(0)
    found = unfinished(tmp_path, identity)
    assert found.journal is None
    assert (found.keys, found.table(), found.names) == (mesh.keys, table, ())
    with pytest.raises(Refused, match="has no match"):
        unfinished(tmp_path, identity, "0123456789abcdef")
    # Of a genesis that was written, and nothing after it, nothing was said.
    found.files.journal.write_bytes(encode((b"raw", ())))
    session, _ = replace(chair, returning=unfinished(tmp_path, identity)).sit(Onlooker(), lambda *_: None)
    assert session.start(0) == said
    assert not found.files.journal.exists()


@pytest.mark.soak
@pytest.mark.parametrize("seat", range(4))
def test_a_real_lobby_goes_on_after_a_kill(tmp_path: Path, seat: int) -> None:
    peers = nodes_of(tmp_path)
    home = tmp_path / f"home-{seat}"
    while not any(home.glob("matches/*/seat")):
        time.sleep(0.002)
    os.kill(peers[seat].pid, signal.SIGKILL)
    peers[seat].communicate(timeout=30)
    peers[seat] = rejoin(home)
    check_all_end(peers, tmp_path / "logs")


@pytest.mark.soak
@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("entry", [1, 8, 40])
def test_any_peer_may_be_killed_at_any_time(tmp_path: Path, seat: int, entry: int) -> None:
    peers = nodes_of(tmp_path)
    wait_until(peers[seat], lambda event: event["event"] == "moved" and event["entry"] >= entry)
    os.kill(peers[seat].pid, signal.SIGKILL)
    peers[seat].communicate(timeout=30)
    time.sleep(1)
    peers[seat] = rejoin(tmp_path / f"home-{seat}")
    check_all_end(peers, tmp_path / "logs")


@pytest.mark.soak
@pytest.mark.parametrize("seat", [0, 3])
def test_a_peer_that_slept_for_long_catches_up_by_itself(tmp_path: Path, seat: int) -> None:
    peers = nodes_of(tmp_path, "--pace", "normal")
    wait_until(peers[seat], lambda event: event["event"] == "moved" and event["entry"] >= 20)
    os.kill(peers[seat].pid, signal.SIGSTOP)
    time.sleep(20)
    os.kill(peers[seat].pid, signal.SIGCONT)
    check_all_end(peers, tmp_path / "logs")
