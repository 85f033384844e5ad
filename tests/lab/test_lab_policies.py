"""Other orders than the poll: what each says, and that one of your own is found by its entry point."""

import inspect
from importlib import invalidate_caches
from pathlib import Path

import pytest

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.ids import Seat
from kemps_p2p.lab.policies import POLICIES, Policy, PolicyError, Table, policy_named, policy_names
from kemps_p2p.ledger.poll import Contender, Cut, DecidedSet, decide

A, B = sorted(Digest(tagged_hash("kemps/v1/test", bytes([number]))) for number in range(2))
STAMPS = {A: 9, B: 7}
TABLE = Table(dealer=lambda: Seat(3), stamp=STAMPS.__getitem__)
CLAIMS = (Contender(A, Seat(0), frozenset({B})), Contender(B, Seat(1), frozenset({A})))
EVERYWHERE = {
    Seat(0): {A: 0, B: 1},
    Seat(1): {B: 0, A: 1},
    Seat(2): {A: 0, B: 1},
    Seat(3): {A: 0, B: 1},
}


def decided(
    policy: Policy, tapes: dict[Seat, dict[Digest, int]], cut: Cut | None = None
) -> list[tuple[Digest, ...]]:
    found: tuple[DecidedSet, ...] = policy(TABLE)(CLAIMS, 4, None, tapes, cut)
    return [each.claims for each in found]


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_has_the_signature_of_the_poll(name: str) -> None:
    assert inspect.signature(policy_named(name)(TABLE)) == inspect.signature(decide)


@pytest.mark.parametrize(
    ("name", "first"),
    [("poll", (A,)), ("arrival", (A,)), ("lamport", (B,)), ("lottery", (A, B))],
)
def test_what_each_policy_makes_of_one_race(name: str, first: tuple[Digest, ...]) -> None:
    assert decided(policy_named(name), EVERYWHERE) == [first]


@pytest.mark.parametrize("name", ["lamport", "lottery"])
def test_a_claim_waits_until_every_tape_shows_it(name: str) -> None:
    tapes = {seat: dict(places) for seat, places in EVERYWHERE.items()}
    del tapes[Seat(2)][B]
    assert decided(policy_named(name), tapes) == []


def test_arrival_asks_the_dealer_alone() -> None:
    assert decided(policy_named("arrival"), {Seat(3): {B: 4}}) == [(B,)]
    assert decided(policy_named("arrival"), {Seat(2): {A: 0, B: 1}}) == []


def test_a_lottery_leaves_causality_as_it_is() -> None:
    seen = {**EVERYWHERE, Seat(1): {A: 0, B: 1}}
    assert decided(policy_named("lottery"), seen) == [(A,)]


@pytest.mark.parametrize(("name", "first"), [("arrival", (A, B)), ("lamport", (B,)), ("lottery", (A, B))])
def test_what_a_cut_names_is_not_waited_for(name: str, first: tuple[Digest, ...]) -> None:
    cut = Cut(frozenset({A, B}), {})
    assert decided(policy_named(name), {}, cut) == [first]
    assert decided(policy_named(name), {}, Cut(frozenset({A}), {})) == [(A,)]


def test_a_name_that_no_policy_has() -> None:
    with pytest.raises(PolicyError, match="no policy 'fair'; there are poll, arrival, lamport, lottery"):
        policy_named("fair")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package beside the program, with entry points as pip would write them."""
    examples = Path(__file__).parents[2] / "examples"
    info = tmp_path / "own_policies-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-policies\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[kemps_p2p.policies]\n"
        "low-seat = own_policy:low_seat\n"
        "lost = own_policy:nothing\n"
        "number = own_policy:RACES\n"
    )
    monkeypatch.syspath_prepend(str(examples))
    monkeypatch.syspath_prepend(str(tmp_path))
    invalidate_caches()
    return info


@pytest.mark.usefixtures("installed")
def test_a_policy_of_your_own_is_found_by_its_entry_point() -> None:
    assert policy_names()[-3:] == ("low-seat", "lost", "number")
    assert decided(policy_named("low-seat"), EVERYWHERE) == [(A,)]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("name", "reason"), [("lost", "cannot be loaded"), ("number", "is not a function")])
def test_an_entry_point_that_leads_nowhere(name: str, reason: str) -> None:
    with pytest.raises(PolicyError, match=reason):
        policy_named(name)
