"""Whole matches by seed on a network that loses, repeats and reorders: safety always, progress in the end."""

import os
import subprocess
import sys

import pytest
from sim_helpers import STUB, honest_faults, play_match, short_rules

from kemps_p2p.deck.group import RISTRETTO
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import load_rules, override, rule_names
from kemps_p2p.ids import Seat
from kemps_p2p.lab.referee import check_whole_match, describe, entries_of
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.runtime.simnet import PERFECT, ROUGH, Net
from kemps_p2p.session.audit import Verdict, audit_all

STORM = Net(delay_ms=(1.0, 400.0), loss=0.25, duplication=0.25)
BOOKS = ("cash", "chaulcer", "kems", "kent")


def check_match(seed: int, players: int = 4, net: Net = ROUGH, word: str = "KE") -> Sim:
    sim = play_match(seed, players=players, net=net, rules=short_rules(word))
    match = check_whole_match(sim)
    assert match.game.phase is Phase.MATCH_OVER
    assert match.is_closed
    assert honest_faults(sim) == [[]] * players
    return sim


@pytest.mark.parametrize("seed", range(2))
def test_every_peer_ends_with_the_same_chain(seed: int) -> None:
    check_match(seed)


@pytest.mark.soak
def test_six_players() -> None:
    # Here a contest grows while it is closed, and claims between are logged before the second cut.
    check_match(129, 6, word="K")


@pytest.mark.soak
def test_ten_players_with_two_packs() -> None:
    sim = check_match(3, 10, net=PERFECT, word="K")
    assert len(sim.peers[0].session.play.final.decks[0, 0].cards) == 104


@pytest.mark.soak
def test_a_short_match_on_ristretto() -> None:
    sim = play_match(4, rules=short_rules(word="K"), group="ristretto255")
    check_whole_match(sim)


@pytest.mark.soak
def test_a_storm_only_slows_the_table_down() -> None:
    check_match(5, net=STORM, word="K")


@pytest.mark.parametrize("book", BOOKS)
def test_every_rule_book(book: str) -> None:
    sim = play_match(
        11,
        rules=override(
            load_rules(book), {"look_ms": 0, "goal": 1} if book != "kent" else {"look_ms": 0, "word": "K"}
        ),
    )
    check_whole_match(sim)


def test_two_halves_that_lose_each_other_pause_and_come_together_again() -> None:
    """No quorum on either side: nothing becomes final until the network heals, then all goes on."""
    cut_ms, healed_ms = 4_000, 9_000
    sims: list[Sim] = []
    finals: set[int] = set()

    def split(sender: Seat, receiver: Seat, data: bytes) -> bytes | None:
        (sim,) = sims
        if not cut_ms <= sim.now_ms < healed_ms:
            return data
        if sim.now_ms > cut_ms + 1000:
            finals.update(peer.session.play.final.head.index for peer in sim.peers)
        return data if sender % 2 == receiver % 2 else None

    sim = Sim(rules=short_rules("K"), players=4, seed=7, group=STUB, net=ROUGH, tamper=split)
    sims.append(sim)
    assert sim.run(600_000) is Stop.DONE, describe(sim, 7)
    assert sim.now_ms > healed_ms
    assert 0 < len(finals) <= 4
    assert max(finals) < sim.peers[0].session.play.final.head.index
    check_whole_match(sim)


def test_a_peer_that_hears_nothing_for_a_while_catches_up() -> None:
    sims: list[Sim] = []

    def deafen(_sender: Seat, receiver: Seat, data: bytes) -> bytes | None:
        return None if receiver == 2 and 3_000 <= sims[0].now_ms < 8_000 else data

    sim = Sim(rules=short_rules(), players=4, seed=8, group=STUB, net=ROUGH, tamper=deafen)
    sims.append(sim)
    assert sim.run(600_000) is Stop.DONE, describe(sim, 8)
    check_whole_match(sim)


PRINT_DIGESTS = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from sim_helpers import play_match, short_rules
sim = play_match(21, rules=short_rules(word="K"))
for peer in sim.peers:
    print(hashlib.sha256(b"".join(peer.journal)).hexdigest(), hashlib.sha256(peer.log_bytes).hexdigest())
"""


def test_the_same_seed_gives_the_same_bytes_whatever_the_hash_seed() -> None:
    here = os.path.dirname(__file__)
    outputs = []
    for hash_seed in ("1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", PRINT_DIGESTS, here],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert len(set(outputs[0].split())) == 8


def test_another_seed_gives_another_match() -> None:
    """What the bots do differs, not just the keys."""
    sims = (play_match(seed, rules=short_rules("K"), limit_ms=3_000, stop=None) for seed in (30, 31))
    one, other = ([type(event) for entry in entries_of(sim) for event in entry.events] for sim in sims)
    assert min(len(one), len(other)) > 20
    assert one != other


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200))
def test_two_hundred_seeds(seed: int) -> None:
    group = RISTRETTO.name if seed % 20 == 0 else STUB
    sim = play_match(seed, rules=override(load_rules("kemps"), {"look_ms": 0}), group=group)
    check_whole_match(sim)
    assert honest_faults(sim) == [[]] * 4
    audited = audit_all([peer.log_bytes for peer in sim.peers], allow_stub=group == STUB)
    assert audited.verdict is Verdict.CLEAN
    assert len({one.head for one in audited.audits}) == 1


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("players", [6, 8, 10])
def test_seeds_at_larger_tables(players: int, seed: int) -> None:
    check_match(seed, players)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", rule_names())
def test_seeds_of_every_rule_set(name: str, seed: int) -> None:
    rules = load_rules(name)
    sim = play_match(seed, players=rules.players[0], rules=override(rules, {"look_ms": 0}))
    check_whole_match(sim)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_seeds_in_a_storm(seed: int) -> None:
    check_match(seed, net=STORM)
