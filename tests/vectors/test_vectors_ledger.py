"""The vectors of the ledger: keys, items, signatures, tapes, evidence, coins and draws."""

from collections.abc import Callable
from typing import Any

import pytest

from kemps_p2p.codec import Digest, decode
from kemps_p2p.errors import PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import check_coin, priority
from kemps_p2p.ledger.evidence import Equivocation, check_equivocation
from kemps_p2p.ledger.identity import check_key, forget_verified, verify
from kemps_p2p.ledger.poll import DecidedSet, order_together
from kemps_p2p.ledger.tape import Signed, open_item
from kemps_p2p.ledger.tapebook import TapeBook
from kemps_p2p.session.genesis import found
from vectors.form import read

SETTING = read("ledger/vectors.json")
FOUNDING = found(bytes.fromhex(SETTING["genesis"]))
VECTORS = SETTING["vectors"]
SIGNATURES = read("ledger/signatures.json")["vectors"]
TAPES = read("ledger/tapes.json")["vectors"]
EVIDENCE = read("ledger/evidence.json")["vectors"]
COINS = read("ledger/coins.json")["coins"]
DRAWS = read("ledger/coins.json")["draws"]
CHECKS: dict[str, Callable[[bytes], object]] = {
    "key": check_key,
    "item": lambda data: open_item(decode(data, Signed), FOUNDING.match, FOUNDING.signers),
}
Vector = dict[str, Any]


def outcome(check: Callable[[], object]) -> tuple[str | None, int | None]:
    """The code and the culprit of the fault that a check finds; two times None if it finds none."""
    # A signature that has verified once is not looked at again, so each vector starts from nothing.
    forget_verified()
    try:
        check()
    except PeerFault as fault:
        return fault.code.value, fault.culprit
    return None, None


def named(vector: Vector) -> str:
    return f"{vector.get('kind', '')} {vector['name']}".strip()


@pytest.mark.parametrize("vector", VECTORS, ids=named)
def test_keys_and_items(vector: Vector) -> None:
    data = bytes.fromhex(vector["bytes"])
    found = outcome(lambda: CHECKS[vector["kind"]](data))
    assert found == (vector["fault"], vector.get("culprit"))


@pytest.mark.parametrize("vector", SIGNATURES, ids=named)
def test_signatures(vector: Vector) -> None:
    key, message, signature = (bytes.fromhex(vector[name]) for name in ("key", "message", "signature"))
    assert outcome(lambda: verify(key, vector["label"], message, signature)) == (vector["fault"], None)


@pytest.mark.parametrize("vector", TAPES, ids=named)
def test_tapes(vector: Vector) -> None:
    book = TapeBook(FOUNDING.seats)
    faults = []
    for data in vector["items"]:
        item = open_item(decode(bytes.fromhex(data), Signed), FOUNDING.match, FOUNDING.signers)
        shown = book.add(item, 0).faults
        assert len(shown) <= 1
        faults.append({"fault": shown[0].code.value, "culprit": shown[0].culprit} if shown else None)
    assert faults == vector["faults"]
    assert list(book.lengths()) == vector["lengths"]


@pytest.mark.parametrize("vector", EVIDENCE, ids=named)
def test_evidence(vector: Vector) -> None:
    culprits: list[Seat] = []

    def check() -> None:
        proof = decode(bytes.fromhex(vector["bytes"]), Equivocation)
        culprits.append(check_equivocation(proof, FOUNDING.match, FOUNDING.signers))

    assert outcome(check) == (vector["fault"], None)
    assert culprits == ([] if vector["culprit"] is None else [vector["culprit"]])


@pytest.mark.parametrize("vector", COINS, ids=named)
def test_coins(vector: Vector) -> None:
    last, coin = bytes.fromhex(vector["last"]), bytes.fromhex(vector["coin"])
    culprit = None if vector["fault"] is None else vector["seat"]
    assert outcome(lambda: check_coin(last, coin, Seat(vector["seat"]))) == (vector["fault"], culprit)


@pytest.mark.parametrize("vector", DRAWS, ids=named)
def test_draws(vector: Vector) -> None:
    claims = tuple(Digest(bytes.fromhex(claim)) for claim in vector["claims"])
    coins = tuple(bytes.fromhex(coin) for coin in vector["coins"])
    decided = DecidedSet(claims, frozenset((claims[a], claims[b]) for a, b in vector["causal"]))
    first = {(claims[a], claims[b]) for a, b in vector["precedes"]}
    assert decided.digest.hex() == vector["set"]
    assert [priority(decided.digest, coins, claim).hex() for claim in claims] == vector["priorities"]
    order = order_together(decided, lambda a, b: (a, b) in first, coins)
    assert [claims.index(claim) for claim in order] == vector["order"]


@pytest.mark.parametrize("vectors", [VECTORS, SIGNATURES, EVIDENCE, COINS], ids=lambda some: some[0]["name"])
def test_there_are_true_and_false_vectors(vectors: list[Vector]) -> None:
    assert {vector["fault"] is None for vector in vectors} == {True, False}


def test_all_vectors_are_of_one_table() -> None:
    for name in ("ledger/tapes.json", "ledger/evidence.json", "codec/vectors.json", "session/vectors.json"):
        other = read(name)
        assert (other["keys"], other["genesis"]) == (SETTING["keys"], SETTING["genesis"])
    assert [key.hex() for key in FOUNDING.keys] == SETTING["keys"]
