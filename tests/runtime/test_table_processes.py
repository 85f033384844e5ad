"""Tables between real processes, on loopback and on machines of their own (marker netns, as root)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from network import LATER_KEMPS, Machine, Running, end_all, loopback, machines

from kemps_p2p.wording.wordlist import WORDS

BOT = ("--bot", "--pace", "fast", "--give-up", "60", "--events")


@pytest.fixture(scope="module")
def short_rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("rules") / "short.toml"
    file.write_text('base = "kemps"\nword = "K"\nlook_ms = 0\n')
    return file


@pytest.fixture(scope="module")
def wired() -> Iterator[list[Machine]]:
    with machines(4) as made:
        yield made


@pytest.fixture
def network(wired: list[Machine]) -> Iterator[list[Machine]]:
    """Four machines on which nothing runs."""
    yield wired
    end_all(wired)


def host(on: Machine, rules: Path, *more: object) -> tuple[Running, str]:
    """Open a table called Friday; the command, and the code that it shows."""
    running = on.start("host", "Friday", "--name", "Anna", "--rules", rules, *BOT, *more)
    running.event("opened")
    return running, running.event("code")["code"]


def check_match(peers: list[Running], on: Machine) -> None:
    """Everybody saw the same match, names and words, and the logs hold."""
    assert [peer.ended() for peer in peers] == [0] * len(peers), [peer.err for peer in peers]
    formed = [next(each for each in peer.told if each["event"] == "formed") for peer in peers]
    assert len({json.dumps(each, sort_keys=True) for each in formed}) == 1
    words = formed[0]["words"].split()
    assert len(words) == 3
    assert set(words) <= set(WORDS)
    assert [each["event"] for peer in peers for each in peer.told].count("kept-out") == 0
    logs = [next(each["log"] for each in peer.told if each["event"] == "log") for peer in peers]
    audited = on.kemps("audit", *logs)
    assert audited.returncode == 0, audited.stdout


# On loopback


@pytest.mark.soak
def test_a_table_on_loopback_from_offer_to_audit(short_rules: Path) -> None:
    with loopback(3) as (anna, ben, carla):
        at, code = host(anna, short_rules, "--bind", "127.0.0.1", "--port", "0", "--bots", "1", "--no-mdns")
        place = at.event("opened")["places"][0]
        peers = [at]
        for machine, name in ((ben, "Ben"), (carla, "Carla")):
            peers.append(machine.start("join", place, "--code", code, "--name", name, *BOT))
        at.event("formed")
        # A table that plays takes nobody, whoever it is and whatever it knows.
        late = carla.kemps("join", place, "--code", code, "--name", "Eve", "--home", carla.home / "e", *BOT)
        assert late.returncode == 4
        assert "playing already" in late.stderr
        check_match(peers, anna)
        assert {"host": "127.0.0.1", "reason": "table-playing"}.items() <= at.event("sent-away").items()
        listed = json.loads(ben.kemps("log", "list", "--json").stdout)["logs"]
        assert [sorted(each["names"]) for each in listed] == [["Anna", "Ben", "Bot Anna", "Carla"]]
        known = json.loads(ben.kemps("id", "--json").stdout)["known"]
        # Bots are not remembered, whoever runs them.
        assert known == []


@pytest.mark.soak
def test_a_table_is_watched_by_an_observer_and_by_others_who_come_later(short_rules: Path) -> None:
    with loopback(4) as (anna, ben, zoe, yan):
        at, code = host(anna, short_rules, "--bind", "127.0.0.1", "--port", "0", "--bots", "2", "--no-mdns")
        place = at.event("opened")["places"][0]
        observer = zoe.start("watch", place, "--code", code, "--name", "Zoe", "--events")
        at.event("came", name="Zoe")
        peers = [at, ben.start("join", place, "--code", code, "--name", "Ben", *BOT)]
        at.event("formed")
        late = yan.start("watch", place, "--code", code, "--name", "Yan", "--events")
        assert [peer.ended() for peer in (*peers, observer, late)] == [0] * 4
        formed = [peer.event("formed") for peer in (at, observer, late)]
        assert {each["observer"] for each in formed} == {"Zoe"}
        assert len({(each["match"], each["words"], tuple(each["names"])) for each in formed}) == 1
        logs = [peer.event("log")["log"] for peer in (at, observer, late)]
        assert anna.kemps("audit", *logs).returncode == 0


@pytest.mark.soak
def test_an_observer_that_is_killed_is_struck_and_the_match_ends(tmp_path: Path) -> None:
    rules = tmp_path / "longer.toml"
    rules.write_text('base = "kemps"\nlook_ms = 0\n')
    with loopback(3) as (anna, ben, zoe):
        at, code = host(anna, rules, "--bind", "127.0.0.1", "--port", "0", "--bots", "2", "--no-mdns")
        place = at.event("opened")["places"][0]
        observer = zoe.start("watch", place, "--code", code, "--name", "Zoe", "--events")
        at.event("came", name="Zoe")
        guest = ben.start("join", place, "--code", code, "--name", "Ben", *BOT)
        observer.event("moved")
        observer.process.kill()
        assert at.event("struck")["is_proven"] is False
        assert guest.event("struck")["is_proven"] is False
        check_match([at, guest], anna)


@pytest.mark.soak
def test_a_host_that_is_interrupted_sends_everybody_home(short_rules: Path) -> None:
    with loopback(2) as (anna, ben):
        at, code = host(anna, short_rules, "--bind", "127.0.0.1", "--port", "0", "--bots", "2", "--no-mdns")
        guest = ben.start("join", at.event("opened")["places"][0], "--code", code, "--name", "Ben", *BOT)
        guest.event("came", name="Anna")
        at.process.terminate()
        assert at.ended() == 130
        assert guest.ended() == 3
        assert guest.err.startswith("kemps: Anna has closed the table")


@pytest.mark.soak
def test_a_guest_that_is_interrupted_in_play_is_named_to_the_others(short_rules: Path) -> None:
    with loopback(2) as (anna, ben):
        at, code = host(anna, short_rules, "--bind", "127.0.0.1", "--port", "0", "--bots", "2", "--no-mdns")
        place = at.event("opened")["places"][0]
        slow = ("--bot", "--pace", "relaxed", "--give-up", "60", "--events")
        guest = ben.start("join", place, "--code", code, "--name", "Ben", *slow)
        formed = guest.event("formed")
        guest.process.terminate()
        assert guest.ended() == 130
        left = at.event("left")
        assert formed["names"][left["seat"]] == "Ben"


@pytest.mark.soak
def test_a_host_that_is_killed_comes_back_to_its_table_and_its_bots_played_on(tmp_path: Path) -> None:
    rules = tmp_path / "longer.toml"
    rules.write_text('base = "kemps"\nword = "KE"\nlook_ms = 0\n')
    with loopback(2) as (anna, ben):
        at, code = host(anna, rules, "--bind", "127.0.0.1", "--port", "0", "--bots", "2", "--no-mdns")
        place = at.event("opened")["places"][0]
        guest = ben.start("join", place, "--code", code, "--name", "Ben", *BOT)
        at.wait_for(lambda told: any(each.get("entry", 0) >= 15 for each in told))
        at.process.kill()
        at.ended()
        back = anna.start("rejoin", *BOT)
        formed = back.event("formed")
        assert "Bot Anna" in formed["names"]
        check_match([back, guest], anna)


# On machines of their own


@pytest.mark.netns
def test_a_table_is_found_once_and_joined_by_code_by_name_and_by_address(
    network: list[Machine], short_rules: Path
) -> None:
    anna, ben, carla, dan = network
    at, code = host(anna, short_rules)
    assert set(at.event("opened")["places"]) == {"10.77.0.1:5367", "10.99.0.1:5367"}
    looking = [machine.start("find", "--json", "--wait", "4") for machine in (ben, carla, dan)]
    for each in looking:
        assert each.ended() == 0
        ((found,),) = [told["tables"] for told in each.told]
        told = found["table"], found["taken"], str(found["number"])
        assert told == ("Friday", 1, code.split("-")[0])
    peers = [
        at,
        ben.start("join", code, "--name", "Ben", *BOT),
        carla.start("join", "friday", "--code", code, "--name", "Carla", *BOT),
        dan.start("join", "10.77.0.1", "--code", code, "--name", "Dan", *BOT),
    ]
    check_match(peers, anna)


@pytest.mark.netns
def test_bots_of_the_host_are_reached_from_other_machines(network: list[Machine], short_rules: Path) -> None:
    anna, ben, *_ = network
    at, code = host(anna, short_rules, "--bots", "2", "--port", "5400", "--no-mdns")
    check_match([at, ben.start("join", "10.77.0.1:5400", "--code", code, "--name", "Ben", *BOT)], anna)


@pytest.mark.netns
def test_what_is_watched_comes_and_goes(network: list[Machine], short_rules: Path) -> None:
    anna, ben, *_ = network
    watching = ben.start("find", "--watch", "--json")
    watching.wait_for(lambda told: told == [{"tables": []}])
    at, _ = host(anna, short_rules)
    watching.wait_for(lambda told: [table["table"] for table in told[-1]["tables"]] == ["Friday"])
    at.kill()
    watching.wait_for(lambda told: told[-1] == {"tables": []})


@pytest.mark.netns
def test_without_mdns_a_table_is_not_found_and_an_address_works(
    network: list[Machine], short_rules: Path
) -> None:
    anna, ben, *_ = network
    _, code = host(anna, short_rules, "--no-mdns")
    missing = ben.kemps("join", code, "--name", "Ben", *BOT)
    assert missing.returncode == 3
    assert "was found on this network" in missing.stderr
    wrong = re.sub("-.*", "-acorn-acorn", code)
    refused = ben.kemps("join", "10.77.0.1", "--code", wrong, "--name", "Ben", *BOT)
    assert (refused.returncode, refused.stderr.splitlines()[0]) == (4, "kemps: the code is wrong")


# Doctor


def complaints(on: Machine, *more: object) -> tuple[int, list[str]]:
    done = on.kemps("doctor", "--json", *more)
    return done.returncode, [each["code"] for each in json.loads(done.stdout)["complaints"]]


@pytest.mark.netns
def test_the_doctor_finds_nothing_where_all_is_well(network: list[Machine], short_rules: Path) -> None:
    anna, ben, *_ = network
    host(anna, short_rules)
    for machine in (anna, ben):
        assert complaints(machine) == (0, [])
        assert complaints(machine, "10.77.0.1") == (0, [])


@pytest.mark.netns
def test_the_doctor_names_each_cause(short_rules: Path) -> None:
    with machines(2) as (anna, ben):
        assert complaints(ben, "10.77.0.1") == (3, ["not-running"])
        assert complaints(ben, "10.77.0.9") == (3, ["no-route"])
        assert complaints(ben, "10.1.2.3") == (3, ["no-route"])
        at, _ = host(anna, short_rules)
        # The bridge passes on no multicast any more, as some access points do: reached, and not found.
        hub = Machine(str(anna.namespace).removesuffix("m0") + "hub", "", Path(), [])
        for plug in ("eth0", "eth1"):
            hub.ip("link", "set", plug, "type", "bridge_slave", "mcast_flood", "off")
        assert complaints(ben, "10.77.0.1") == (3, ["not-heard"])
        # Answers from the port are swallowed.
        anna.ip("rule", "add", "priority", "9", "ipproto", "tcp", "sport", "5367", "blackhole")
        assert complaints(ben, "10.77.0.1") == (3, ["port-blocked"])
        at.kill()
        # Somebody who has another version: nothing is wrong with the network, and nothing else is named.
        anna.ip("rule", "delete", "priority", "9")
        later = anna.start(
            "host", "Friday", "--name", "Anna", "--rules", short_rules, *BOT, program=LATER_KEMPS
        )
        later.event("code")
        assert complaints(ben, "10.77.0.1") == (6, ["other-version"])
        later.kill()
        # The own machine hears nothing of what is said to all, on either interface.
        with ben.deaf_to_multicast():
            assert complaints(ben) == (3, ["multicast-blocked", "multicast-blocked"])
        assert complaints(ben) == (0, [])
        ben.ip("link", "set", "eth0", "multicast", "off")
        assert complaints(ben) == (3, ["multicast-off"])
        for name in ("eth0", "decoy0"):
            ben.ip("link", "set", name, "down")
        assert complaints(ben) == (3, ["no-interface"])


@pytest.mark.netns
def test_a_table_opens_without_any_interface_and_is_announced_once_there_is_one(short_rules: Path) -> None:
    with machines(2) as (anna, ben):
        for name in ("lo", "eth0", "decoy0"):
            anna.ip("link", "set", name, "down")
        at, code = host(anna, short_rules)
        at.event("not-announced")
        for name in ("lo", "eth0", "decoy0"):
            anna.ip("link", "set", name, "up")
        refused = ben.kemps("join", re.sub("-.*", "-acorn-acorn", code), "--name", "Ben", *BOT)
        while refused.returncode == 3:
            refused = ben.kemps("join", re.sub("-.*", "-acorn-acorn", code), "--name", "Ben", *BOT)
        assert refused.stderr.splitlines()[0] == "kemps: the code is wrong"
