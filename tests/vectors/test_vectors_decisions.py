"""The vectors of `decide`, in any order of what it is told."""

from typing import Any

import pytest

from kemps_p2p.codec import Digest
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.poll import Contender, Cut, DecidedSet, decide
from vectors.form import read

VECTORS = read("ledger/decisions.json")["vectors"]
Vector = dict[str, Any]


def name_of(claim: int) -> Digest:
    """The digest that stands for a claim: its number, big-endian."""
    return Digest(claim.to_bytes(32, "big"))


def number_of(name: Digest) -> int:
    return int.from_bytes(name, "big")


def ask(vector: Vector, left: list[int], *, backwards: bool) -> tuple[DecidedSet, ...]:
    """What is decided of the claims that are left."""
    seats = vector["seats"]
    refused = {claim for claim in left if vector["claims"][claim]["refused"]}
    conflicts = [set(pair) for pair in vector["conflicts"] if not refused & set(pair)]
    contenders = [
        Contender(
            name_of(claim),
            Seat(vector["claims"][claim]["seat"]),
            frozenset(name_of(other) for other in left if other != claim and {claim, other} in conflicts),
        )
        for claim in left
    ]
    tapes, cut = places(vector["tapes"]), None
    if vector["cut"] is not None:
        cut = Cut(frozenset(map(name_of, vector["cut"]["claims"])), places(vector["cut"]["tapes"]))
    if backwards:
        contenders.reverse()
        tapes = {seat: dict(reversed(places.items())) for seat, places in reversed(tapes.items())}
    return decide(contenders, seats, Seat(seats) if vector["observer"] else None, tapes, cut)


def places(tapes: list[list[int]]) -> dict[Seat, dict[Digest, int]]:
    """What each tape shows; the observer's is the one after the last seat's."""
    return {
        Seat(seat): {name_of(claim): 10 * place for place, claim in enumerate(shown)}
        for seat, shown in enumerate(tapes)
    }


def decided_in(vector: Vector, *, backwards: bool) -> tuple[list[list[list[int]]], set[tuple[int, int]]]:
    """The rounds, and the pairs that causality orders within a set."""
    left = list(range(len(vector["claims"])))
    rounds: list[list[list[int]]] = []
    causal: set[tuple[int, int]] = set()
    while decided := ask(vector, left, backwards=backwards):
        rounds.append([[number_of(name) for name in chosen.claims] for chosen in decided])
        causal |= {(number_of(a), number_of(b)) for chosen in decided for a, b in chosen.causal}
        left = [claim for claim in left if not any(claim in chosen for chosen in rounds[-1])]
    return rounds, causal


@pytest.mark.parametrize("backwards", [False, True])
def test_decisions(backwards: bool) -> None:
    found = {vector["name"]: decided_in(vector, backwards=backwards) for vector in VECTORS}
    causal = {vector["name"]: {(a, b) for a, b in vector["causal"]} for vector in VECTORS}
    assert found == {vector["name"]: (vector["rounds"], causal[vector["name"]]) for vector in VECTORS}


def test_all_cases_could_come_about() -> None:
    """A claim is on its author's tape, and no two can each have been seen before the other was made."""
    for vector in VECTORS:
        seen_first = set()
        for claim, made in enumerate(vector["claims"]):
            own = vector["tapes"][made["seat"]]
            seen_first |= {(earlier, claim) for earlier in own[: own.index(claim)]}
        assert not {(b, a) for a, b in seen_first} & seen_first, vector["name"]


def test_there_are_cases_of_every_sort() -> None:
    assert len(VECTORS) >= 60
    assert len({vector["name"] for vector in VECTORS}) == len(VECTORS)
    tables = {(vector["seats"], vector["observer"]) for vector in VECTORS}
    assert tables == {(seats, observed) for seats in (4, 6, 8) for observed in (False, True)}
    sizes = {len(chosen) for vector in VECTORS for decided in vector["rounds"] for chosen in decided}
    assert sizes == {1, 2, 3, 4}
    assert any(not vector["rounds"] for vector in VECTORS)
