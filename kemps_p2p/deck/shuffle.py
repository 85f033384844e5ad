"""Permute, re-encrypt, and prove it: one shuffle turn.

The proof is Terelius–Wikström's in the form of Haenni, Locher, Koenig and Dubuis, "Pseudo-Code Algorithms for
Verifiable Re-Encryption Mix-Nets" (2017), written additively; names follow its equations in protocol.md. It
knows no rule of turns: the lists it is given are the statement. Invariants:

1. A proof holds for one statement: context, joint key, both lists, and their length are all in the transcript
   before the first challenge, and everything else before the last.
2. All `a` of a first list are the identity, which everybody derives; their term is left out. In every other
   list no point is the identity.
3. Everything of a proof is checked for form before the first multiplication.

For N cards, in multiplications of any point (m), of the base point (b) and additions (+): a turn costs N m,
N b, 2N +; a proof 5N m, 3N b, 6N +; its verification 8N m, N b, 9N +.

Section "Proof of shuffle" of protocol.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count as count_up

from kemps_p2p.codec import Record, Transcript
from kemps_p2p.deck.context import Context, Secrets, nonces, number
from kemps_p2p.deck.group import (
    IDENTITY,
    ORDER,
    Group,
    Point,
    card_point,
    chain_generator,
    check_length,
    check_points,
    check_scalar,
    check_scalars,
    generators,
    generators_total,
    scalar_bytes,
)
from kemps_p2p.errors import Fault, PeerFault


@dataclass(frozen=True, slots=True)
class Blinded:
    """A list of blinded cards: the encryption of card i is (a[i], c[i])."""

    a: tuple[Point, ...]
    c: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a proof of shuffle is about: under `key`, `outputs` hold the cards of `inputs`, in some order."""

    context: Context
    key: Point
    inputs: Blinded
    outputs: Blinded


@dataclass(frozen=True, slots=True, repr=False)
class Reblinding:
    """The secret of a turn: output i is input `order[i]`, re-encrypted with `factors[i]`."""

    order: tuple[int, ...]
    factors: tuple[int, ...]


class ShuffleProof(Record, frozen=True):
    """The proof of one turn: N points in `p` and `q`, N scalars in `s_hat` and `s_prime`."""

    p: tuple[bytes, ...]
    q: tuple[bytes, ...]
    challenge: bytes
    s1: bytes
    s2: bytes
    s3: bytes
    s4: bytes
    s_hat: tuple[bytes, ...]
    s_prime: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a prover says before the last challenge, and a verifier computes back from the responses."""

    t1: Point
    t2: Point
    t3: Point
    t41: Point
    t42: Point
    t_hat: tuple[Point, ...]


def first_list(group: Group, cards: Sequence[int]) -> Blinded:
    """Return the list before the first turn: each card in the clear, in pack order."""
    return Blinded((IDENTITY,) * len(cards), tuple(card_point(group, card) for card in cards))


def _draws(secrets: Secrets) -> Iterator[int]:
    """Endless 64-bit integers from the secret's own stream."""
    for index in count_up():
        block = secrets.block("order", index)
        for start in range(0, 64, 8):
            yield int.from_bytes(block[start : start + 8], "big")


def secret_order(secrets: Secrets, count: int) -> tuple[int, ...]:
    """Draw a permutation without bias: Fisher–Yates, and a draw that would favour one place is dropped."""
    order = list(range(count))
    draws = _draws(secrets)
    for last in range(count - 1, 0, -1):
        choices = last + 1
        limit = 2**64 - 2**64 % choices
        chosen = next(draw for draw in draws if draw < limit) % choices
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


def reblinding(secrets: Secrets, count: int) -> Reblinding:
    """Derive the secret of a turn; `secrets` must be bound to the input list and its context."""
    return Reblinding(secret_order(secrets, count), secrets.scalars("factor", count))


def reblind(group: Group, key: Point, inputs: Blinded, secret: Reblinding) -> Blinded:
    """Permute and re-encrypt."""
    a: list[Point] = []
    c: list[Point] = []
    for source, factor in zip(secret.order, secret.factors, strict=True):
        mask = group.base_mul(factor)
        # In a first list the old mask is nothing, and adding it would cost as much as a quarter of a product.
        a.append(mask if inputs.a[source] == IDENTITY else group.add(inputs.a[source], mask))
        c.append(group.add(inputs.c[source], group.mul(factor, key)))
    return Blinded(tuple(a), tuple(c))


def statement_transcript(statement: Statement) -> Transcript:
    """Start the transcript of a proof with everything that was fixed before it."""
    transcript = statement.context.transcript()
    transcript.append("count", number(len(statement.inputs.c)))
    transcript.append("key", statement.key)
    transcript.append("inputs a", *statement.inputs.a)
    transcript.append("inputs c", *statement.inputs.c)
    transcript.append("outputs a", *statement.outputs.a)
    transcript.append("outputs c", *statement.outputs.c)
    return transcript


def card_challenges(transcript: Transcript, p: Sequence[bytes]) -> tuple[int, ...]:
    """Absorb the permutation commitments and draw u_0 … u_{N-1}, 128 bits each."""
    transcript.append("p", *p)
    return tuple(int.from_bytes(u, "little") for u in transcript.challenges("u", len(p)))


def last_challenge(transcript: Transcript, q: Sequence[bytes], said: Announcement) -> int:
    """Absorb the chain and the announcement and draw the challenge that the responses answer."""
    transcript.append("q", *q)
    transcript.append("t", said.t1, said.t2, said.t3, said.t41, said.t42)
    transcript.append("t hat", *said.t_hat)
    return int.from_bytes(transcript.challenge("c"), "little") % ORDER


def _announce(
    statement: Statement, q: Sequence[Point], w: Sequence[int], w_hat: Sequence[int], w_prime: Sequence[int]
) -> Announcement:
    """T of the prover's step 5."""
    group = statement.context.table.group
    outputs = statement.outputs
    links = zip(w_hat, w_prime, (chain_generator(group), *q[:-1]), strict=True)
    return Announcement(
        t1=group.base_mul(w[0]),
        t2=group.base_mul(w[1]),
        t3=group.add(group.base_mul(w[2]), group.weighted(w_prime, generators(group, len(q)))),
        t41=group.sub(group.weighted(w_prime, outputs.a), group.base_mul(w[3])),
        t42=group.sub(group.weighted(w_prime, outputs.c), group.mul(w[3], statement.key)),
        t_hat=tuple(group.add(group.base_mul(hat), group.mul(w, before)) for hat, w, before in links),
    )


def prove(statement: Statement, secret: Reblinding, seed: bytes) -> ShuffleProof:
    """Prove that `secret` leads from the inputs to the outputs. It does not check that it does."""
    group = statement.context.table.group
    count = len(secret.order)
    transcript = statement_transcript(statement)
    rho = nonces(seed, transcript).scalars("rho", count)
    h = generators(group, count)
    p = [IDENTITY] * count
    for i, j in enumerate(secret.order):
        p[j] = group.add(group.base_mul(rho[j]), h[i])
    u = card_challenges(transcript, p)
    u_prime = tuple(u[j] for j in secret.order)

    fresh = nonces(seed, transcript)
    sigma = fresh.scalars("sigma", count)
    q: list[Point] = []
    before = chain_generator(group)
    for blind, factor in zip(sigma, u_prime, strict=True):
        before = group.add(group.base_mul(blind), group.mul(factor, before))
        q.append(before)

    w, w_hat, w_prime = fresh.scalars("w", 4), fresh.scalars("w hat", count), fresh.scalars("w prime", count)
    c = last_challenge(transcript, q, _announce(statement, q, w, w_hat, w_prime))
    # σ̂ = Σ σ_i·v_i by Horner's rule, since v_i is the product of all later u'.
    sigma_hat = 0
    for blind, factor in zip(sigma, u_prime, strict=True):
        sigma_hat = (sigma_hat * factor + blind) % ORDER
    return ShuffleProof(
        p=tuple(p),
        q=tuple(q),
        challenge=scalar_bytes(c),
        s1=scalar_bytes(w[0] + c * sum(rho)),
        s2=scalar_bytes(w[1] + c * sigma_hat),
        s3=scalar_bytes(w[2] + c * sum(r * x for r, x in zip(rho, u, strict=True))),
        s4=scalar_bytes(w[3] + c * sum(r * x for r, x in zip(secret.factors, u_prime, strict=True))),
        s_hat=tuple(scalar_bytes(x + c * y) for x, y in zip(w_hat, sigma, strict=True)),
        s_prime=tuple(scalar_bytes(x + c * y) for x, y in zip(w_prime, u_prime, strict=True)),
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """A proof whose form has been checked: points and numbers instead of bytes."""

    p: tuple[Point, ...]
    q: tuple[Point, ...]
    c: int
    s: tuple[int, int, int, int]
    s_hat: tuple[int, ...]
    s_prime: tuple[int, ...]


def check_proof_lengths(proof: object, count: int, culprit: int) -> None:
    """Raise `PeerFault` MALFORMED unless all vectors of a proof are of `count`; nothing else is looked at."""
    if not isinstance(proof, ShuffleProof):
        raise PeerFault(Fault.MALFORMED, "not a proof of shuffle", culprit=culprit)
    for values, what in ((proof.p, "p"), (proof.q, "q"), (proof.s_hat, "s_hat"), (proof.s_prime, "s_prime")):
        check_length(values, count, what, culprit)


def _parts(group: Group, proof: ShuffleProof, count: int, culprit: int) -> _Parts:
    """Check the form of a proof."""
    return _Parts(
        c=check_scalar(proof.challenge, culprit),
        s=(
            check_scalar(proof.s1, culprit),
            check_scalar(proof.s2, culprit),
            check_scalar(proof.s3, culprit),
            check_scalar(proof.s4, culprit),
        ),
        s_hat=check_scalars(proof.s_hat, count, "s_hat", culprit),
        s_prime=check_scalars(proof.s_prime, count, "s_prime", culprit),
        p=check_points(group, proof.p, count, "p", culprit),
        q=check_points(group, proof.q, count, "q", culprit),
    )


def _announced(statement: Statement, parts: _Parts, u: Sequence[int]) -> Announcement:
    """Compute back what the prover must have announced, if the statement is true."""
    group = statement.context.table.group
    inputs, outputs = statement.inputs, statement.outputs
    count, c = len(u), parts.c
    s1, s2, s3, s4 = parts.s
    product = 1
    for factor in u:
        product = product * factor % ORDER
    chain = chain_generator(group)
    t1 = group.sub(group.total(parts.p), generators_total(group, count))
    t2 = group.sub(parts.q[-1], group.mul(product, chain))
    t3 = group.weighted(parts.s_prime, generators(group, count))
    t41 = group.sub(group.weighted(parts.s_prime, outputs.a), group.base_mul(s4))
    if inputs.a[0] != IDENTITY:
        t41 = group.sub(t41, group.mul(c, group.weighted(u, inputs.a)))
    t42 = group.sub(group.weighted(parts.s_prime, outputs.c), group.mul(s4, statement.key))
    links = zip(parts.s_hat, parts.s_prime, (chain, *parts.q[:-1]), parts.q, strict=True)
    return Announcement(
        t1=group.sub(group.base_mul(s1), group.mul(c, t1)),
        t2=group.sub(group.base_mul(s2), group.mul(c, t2)),
        t3=group.sub(group.add(group.base_mul(s3), t3), group.mul(c, group.weighted(u, parts.p))),
        t41=t41,
        t42=group.sub(t42, group.mul(c, group.weighted(u, inputs.c))),
        t_hat=tuple(
            group.sub(group.add(group.base_mul(hat), group.mul(s, before)), group.mul(c, link))
            for hat, s, before, link in links
        ),
    )


def verify(statement: Statement, proof: ShuffleProof) -> None:
    """Verify a proof for a statement whose lists have equal lengths, not 0, and canonical points.

    Raises `PeerFault` with the context's seat as culprit: MALFORMED (lengths), BAD_POINT, BAD_SCALAR, or
    BAD_SHUFFLE_PROOF.
    """
    culprit = statement.context.seat
    group = statement.context.table.group
    parts = _parts(group, proof, len(statement.inputs.c), culprit)
    transcript = statement_transcript(statement)
    u = card_challenges(transcript, parts.p)
    if last_challenge(transcript, parts.q, _announced(statement, parts, u)) != parts.c:
        raise PeerFault(Fault.BAD_SHUFFLE_PROOF, "the equations do not hold", culprit=culprit)
