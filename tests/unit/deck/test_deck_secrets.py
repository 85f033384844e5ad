"""Secrets: bound to all that they meet, drawn without bias, and the same again for the same."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest
from deck_helpers import positions, seats, seed, shuffled, table, take_turns, with_keys

from kemps_p2p.deck import context as context_module
from kemps_p2p.deck.context import Context, Secrets, Stage, Table, nonces
from kemps_p2p.deck.deal import (
    Deck,
    Shares,
    Turn,
    commitment,
    list_digest,
    make_key,
    make_shares,
    make_turn,
    next_round,
)
from kemps_p2p.deck.group import ORDER, RISTRETTO, STUB, Point, chain_generator, generators
from kemps_p2p.deck.shares import secret_key
from kemps_p2p.deck.shuffle import (
    Blinded,
    Reblinding,
    Statement,
    card_challenges,
    reblinding,
    secret_order,
    statement_transcript,
)
from kemps_p2p.deck.state import list_before
from kemps_p2p.ids import Position, Seat

OTHER_TABLES = {
    "group": table(RISTRETTO),
    "match": table(match=b"n" * 32),
    "deal": table(deal=4),
    "attempt": table(attempt=1),
    "seats": table(seats=6),
}


def secret_of(deck: Deck, seed_: bytes) -> Reblinding:
    return reblinding(Secrets(seed_, list_digest(deck)), len(deck.cards))


def distinct(values: Sequence[object]) -> bool:
    return len(set(values)) == len(values)


class Scripted(Secrets):
    """Secrets whose stream is given."""

    script: tuple[int, ...]

    def block(self, label: str, index: int) -> bytes:
        part = self.script[8 * index : 8 * index + 8]
        return b"".join(value.to_bytes(8, "big") for value in (*part, *(0,) * (8 - len(part))))


def scripted_order(count: int, *script: int) -> tuple[int, ...]:
    secrets = Scripted(b"", b"")
    object.__setattr__(secrets, "script", script)
    return secret_order(secrets, count)


def test_every_part_of_the_table_changes_key_and_commitment() -> None:
    tables = [table(), *OTHER_TABLES.values()]
    assert distinct([commitment(at, Seat(1), seed(1)) for at in tables])
    assert distinct([secret_key(at, Seat(1), seed(1)) for at in tables])
    assert distinct([secret_key(table(), seat, seed(1)) for seat in seats(table())])
    assert distinct([commitment(table(), seat, seed(1)) for seat in seats(table())])


def test_every_part_of_the_context_changes_the_secrets_of_a_turn() -> None:
    deck = take_turns(with_keys(table(), range(20)), count=1)
    others = [replace(deck, table=at) for name, at in OTHER_TABLES.items() if name != "group"]
    others += [replace(deck, round=1), take_turns(deck, count=2), with_keys(table(), range(20))]
    others += [replace(deck, joint_key=Point(deck.turns[0].a[0]))]
    secrets = [secret_of(other, seed(1)) for other in (deck, *others)]
    assert distinct([secret.order for secret in secrets])
    assert distinct([factor for secret in secrets for factor in secret.factors])
    assert secret_of(deck, seed(2)).order != secret_of(deck, seed(1)).order


def number_of(data: bytes) -> int:
    """A scalar of the wire; or a point of the stand-in group, which is its own logarithm."""
    return int.from_bytes(data, "little")


def used_nonces(deck: Deck, seat: Seat, turn: Turn) -> list[int]:
    """Every nonce of a turn's proof, computed back from the secret, which the stand-in group lays open."""
    secret, proof, count = secret_of(deck, seed(seat)), turn.proof, len(deck.cards)
    outputs = Blinded(tuple(map(Point, turn.a)), tuple(map(Point, turn.c)))
    assert deck.joint_key is not None
    inputs = list_before(deck, seat)
    statement = Statement(deck.context(seat, Stage.TURN), deck.joint_key, inputs, outputs)
    u = card_challenges(statement_transcript(statement), proof.p)
    u_prime = [u[j] for j in secret.order]
    c = number_of(proof.challenge)
    rho = [0] * count
    for i, j in enumerate(secret.order):
        rho[j] = number_of(proof.p[j]) - number_of(generators(STUB, count)[i])
    links = (chain_generator(STUB), *proof.q)
    sigma = [
        number_of(q) - x * number_of(before) for q, x, before in zip(proof.q, u_prime, links, strict=False)
    ]
    sigma_hat = 0
    for blind, factor in zip(sigma, u_prime, strict=True):
        sigma_hat = sigma_hat * factor + blind
    answered = [
        (proof.s1, sum(rho)),
        (proof.s2, sigma_hat),
        (proof.s3, sum(r * x for r, x in zip(rho, u, strict=True))),
        (proof.s4, sum(r * x for r, x in zip(secret.factors, u_prime, strict=True))),
        *zip(proof.s_hat, sigma, strict=True),
        *zip(proof.s_prime, u_prime, strict=True),
    ]
    blinds = [number_of(response) - c * known for response, known in answered]
    return [value % ORDER for value in (*secret.factors, *rho, *sigma, *blinds)]


def test_an_equivocating_predecessor_learns_nothing_from_two_turns() -> None:
    """Two lists from the seat before: another permutation, other factors, no nonce used twice."""
    start = with_keys(table(), range(12))
    left = take_turns(start, count=1)
    other = make_turn(start, Seat(0), b"\x77" * 32)
    right = replace(start, turns=(other,))
    one, two = make_turn(left, Seat(1), seed(1)), make_turn(right, Seat(1), seed(1))
    assert secret_of(left, seed(1)).order != secret_of(right, seed(1)).order
    used = used_nonces(left, Seat(1), one) + used_nonces(right, Seat(1), two)
    assert len(used) == 2 * (5 * 12 + 4)
    assert distinct(used)


def test_the_nonces_computed_back_are_those_drawn() -> None:
    """What the test above computes back is what was drawn: else it would compare noise with noise."""
    deck = with_keys(table(), range(4))
    turn = make_turn(deck, Seat(0), seed(0))
    drawn = secret_of(deck, seed(0)).factors
    used = used_nonces(deck, Seat(0), turn)
    assert tuple(used[:4]) == drawn
    assert used == used_nonces(deck, Seat(0), make_turn(deck, Seat(0), seed(0)))
    statement = Statement(
        deck.context(Seat(0), Stage.TURN),
        Point(deck.joint_key or b""),
        list_before(deck, Seat(0)),
        Blinded(tuple(map(Point, turn.a)), tuple(map(Point, turn.c))),
    )
    transcript = statement_transcript(statement)
    assert tuple(used[4:8]) == nonces(seed(0), transcript).scalars("rho", 4)
    card_challenges(transcript, turn.proof.p)
    fresh = nonces(seed(0), transcript)
    assert tuple(used[8:]) == (
        *fresh.scalars("sigma", 4),
        *fresh.scalars("w", 4),
        *fresh.scalars("w hat", 4),
        *fresh.scalars("w prime", 4),
    )


def test_a_turn_made_again_is_the_same_bytes() -> None:
    deck = take_turns(with_keys(table(RISTRETTO), range(4)), count=2)
    assert make_turn(deck, Seat(2), seed(2)) == make_turn(deck, Seat(2), seed(2))


def test_a_recycled_list_of_the_same_cards_has_other_secrets() -> None:
    deck = with_keys(table(), range(12))
    again = next_round(deck, range(12), Position(12))
    first, second = make_turn(deck, Seat(0), seed(0)), make_turn(again, Seat(0), seed(0))
    assert secret_of(deck, seed(0)).order != secret_of(again, seed(0)).order
    assert not set(first.a) & set(second.a)
    assert not set(first.proof.p) & set(second.proof.p)


def test_no_nonce_of_a_key_or_share_proof_meets_two_challenges() -> None:
    """With x in hand a nonce is response - challenge·x: all of them must differ."""
    deck = shuffled(table(), range(8))
    secret = secret_key(deck.table, Seat(1), seed(1))
    key = make_key(deck.table, Seat(1), seed(1))
    messages: list[Shares] = [
        make_shares(deck, Seat(1), seed(1), positions(chosen)) for chosen in ((0,), (1,), (0, 1), (0, 1, 2))
    ]
    messages.append(make_shares(replace(deck, round=1), Seat(1), seed(1), positions((0,))))
    proofs = [key.proof, *(message.proof for message in messages)]
    used = [
        (int.from_bytes(proof.response, "little") - int.from_bytes(proof.challenge, "little") * secret)
        % ORDER
        for proof in proofs
    ]
    assert distinct(used)


def test_labels_and_indices_give_independent_secrets() -> None:
    secrets = Secrets(seed(0), b"binding")
    drawn = [*secrets.scalars("a", 5), *secrets.scalars("b", 5), secrets.scalar("a", 5)]
    assert distinct(drawn)
    assert all(0 < scalar < ORDER for scalar in drawn)
    assert secrets.scalar("a") == secrets.scalar("a", 0) == drawn[0]


def test_a_secret_does_not_show_in_a_traceback() -> None:
    secrets = Secrets(b"\x99" * 32, b"binding")
    assert "x99" not in repr(secrets)
    assert repr((3, 1, 2)) not in repr(Reblinding((3, 1, 2), (1, 2, 3)))


def test_fisher_yates_by_hand() -> None:
    assert scripted_order(4, 3, 2, 1) == (0, 1, 2, 3)
    assert scripted_order(4, 0, 0, 0) == (1, 2, 3, 0)
    assert scripted_order(4, 4, 3, 2) == (1, 2, 3, 0)
    assert scripted_order(1) == (0,)


def test_a_draw_that_would_favour_a_place_is_dropped() -> None:
    """2**64 is 1 mod 3: the last value of the range has no partners, so it is skipped."""
    assert scripted_order(3, 2**64 - 1, 1, 0) == scripted_order(3, 1, 0)
    assert scripted_order(3, 2**64 - 2, 0) == scripted_order(3, 2, 0)


def test_all_permutations_are_equally_likely() -> None:
    rounds = 4800
    drawn = Counter(secret_order(Secrets(seed(0), b"%d" % n), 4) for n in range(rounds))
    assert set(drawn) == set(permutations(range(4)))
    expected = rounds / 24
    chi_square = sum((count - expected) ** 2 / expected for count in drawn.values())
    assert chi_square < 49.7, "beyond the 0.1 % point of 23 degrees of freedom"


def test_a_permutation_of_a_pack_uses_the_whole_seed() -> None:
    """52! needs 226 bits: 51 draws of 64 bits, each from a hash of all 256 bits of the seed."""
    base = secret_order(Secrets(bytes(32), b"b"), 52)
    for bit in range(256):
        changed = (1 << bit).to_bytes(32, "little")
        assert secret_order(Secrets(changed, b"b"), 52) != base


@pytest.mark.parametrize("name", ["match", "deal", "attempt", "seats", "round", "seat", "stage", "group"])
def test_every_part_of_the_context_changes_transcript_and_digest(name: str) -> None:
    one = Context(table(), 0, Seat(1), Stage.TURN)
    match name:
        case "round":
            other = replace(one, round=1)
        case "seat":
            other = replace(one, seat=Seat(2))
        case "stage":
            other = replace(one, stage=Stage.SHARES)
        case _:
            other = replace(one, table=OTHER_TABLES[name])
    assert one.transcript().challenge("c") != other.transcript().challenge("c")
    assert one.digest("x") != other.digest("x")


def test_the_version_changes_transcript_and_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    at: Table = table()
    one = Context(at, 0, Seat(1), Stage.TURN)
    before = one.transcript().challenge("c"), one.digest("x")
    monkeypatch.setattr(context_module, "VERSION", 2)
    after = one.transcript().challenge("c"), one.digest("x")
    assert before[0] != after[0]
    assert before[1] != after[1]
