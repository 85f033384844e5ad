"""Peers that get another address in a running match: machines of their own (marker netns, as root)."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from network import Machine, Running, end_all, machines

BOT = ("--bot", "--pace", "normal", "--give-up", "90", "--events")


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("rules") / "short.toml"
    file.write_text('base = "kemps"\nword = "KE"\nlook_ms = 0\n')
    return file


@pytest.fixture
def table(rules: Path) -> Iterator[tuple[list[Machine], list[Running]]]:
    """Four machines that play, the host first, in mid-deal."""
    with machines(4) as made:
        anna, *others = made
        at = anna.start("host", "Friday", "--name", "Anna", "--rules", rules, "--no-mdns", *BOT)
        code = at.event("code")["code"]
        peers = [at]
        for machine, name in zip(others, ("Ben", "Carla", "Dan"), strict=True):
            peers.append(machine.start("join", anna.address, "--code", code, "--name", name, *BOT))
            at.event("came", name=name)
        in_mid_deal(peers)
        yield made, peers
        end_all(made)


def in_mid_deal(peers: list[Running], entries: int = 15) -> None:
    for peer in peers:
        peer.wait_for(lambda told: any(each.get("entry", 0) >= entries for each in told))


def come_back(on: Machine) -> Running:
    return on.start("rejoin", *BOT)


def check_all_end(peers: list[Running], on: Machine) -> None:
    assert [peer.ended() for peer in peers] == [0] * len(peers), [peer.err for peer in peers]
    logs = [peer.event("log")["log"] for peer in peers]
    audited = on.kemps("audit", "--json", *logs)
    assert audited.returncode == 0, audited.stdout
    assert len({log["head"] for log in json.loads(audited.stdout)["logs"]}) == 1


def cut(peer: Running) -> None:
    peer.process.kill()
    peer.ended()


@pytest.mark.netns
def test_a_peer_that_is_killed_comes_back_with_another_address(
    table: tuple[list[Machine], list[Running]],
) -> None:
    made, peers = table
    cut(peers[2])
    made[2].move("10.77.0.33")
    peers[2] = come_back(made[2])
    check_all_end(peers, made[0])


@pytest.mark.netns
def test_a_peer_that_runs_on_gets_another_address(table: tuple[list[Machine], list[Running]]) -> None:
    made, peers = table
    made[1].move("10.77.0.22")
    time.sleep(3)
    # The host too, right after: whoever did not move passes on where each of the two is.
    made[0].move("10.77.0.11")
    check_all_end(peers, made[0])


@pytest.mark.netns
@pytest.mark.soak
def test_all_are_killed_at_once_and_all_have_other_addresses(
    table: tuple[list[Machine], list[Running]],
) -> None:
    made, peers = table
    for peer in peers:
        cut(peer)
    for number, machine in enumerate(made):
        machine.move(f"10.77.0.{50 + number}")
    peers = [come_back(machine) for machine in made]
    check_all_end(peers, made[0])
