"""The formulas of protocol.md that a snoop computes with, written anew: hashes, transcripts, secrets, proofs.

It takes group arithmetic from `deck.group` and nothing else from the program, so that a mistake in how the
program derives or binds a secret is not made here too.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256, sha512

from kemps_p2p.deck.group import IDENTITY, ORDER, Group, Point, card_point, chain_generator, generators

PACKS_MAX = 2
ATTEMPT = 0


def framed(label: str, *parts: bytes) -> bytes:
    """What a hash takes: the label with its length in a byte, each part with its length in eight."""
    out = bytes([len(label)]) + label.encode()
    return out + b"".join(struct.pack(">Q", len(part)) + part for part in parts)


def number(value: int) -> bytes:
    """A small number as hashes take it."""
    return struct.pack(">Q", value)


def scalar(data: bytes) -> int:
    """A scalar of the wire."""
    return int.from_bytes(data, "little")


class Script:
    """A Fiat–Shamir transcript."""

    def __init__(self, label: str) -> None:
        self._state = sha512()
        self.absorb("transcript", label.encode())

    def absorb(self, label: str, *values: bytes) -> None:
        data = bytes([len(label)]) + label.encode() + struct.pack(">I", len(values))
        self._state.update(data + b"".join(struct.pack(">I", len(value)) + value for value in values))

    def squeeze(self, label: str) -> bytes:
        fork = self._state.copy()
        fork.update(b"\xff" + bytes([len(label)]) + label.encode())
        out = fork.digest()
        self.absorb(label, out)
        return out

    def weights(self, label: str, count: int) -> list[int]:
        """`count` numbers of 128 bits."""
        root = self.squeeze(label)
        return [scalar(sha512(root + struct.pack(">I", n)).digest()[:16]) for n in range(count)]


@dataclass(frozen=True)
class Place:
    """A seat's stage in a round of a deal: what binds its hashes, secrets and proofs."""

    group: Group
    match: bytes
    seats: int
    deal: int
    seat: int
    stage: str
    round: int = 0

    def parts(self) -> tuple[bytes, ...]:
        numbers = (self.deal, ATTEMPT, self.seats, self.round, self.seat)
        table = (number(1), self.group.name.encode(), self.match)
        return (*table, *map(number, numbers), self.stage.encode())

    def prefix(self, name: str) -> bytes:
        """All that a digest of this stage takes before its own parts."""
        return framed(f"kemps/v1/deck/{self.stage}/{name}", *self.parts())

    def script(self) -> Script:
        script = Script(f"kemps/v1/deck/{self.stage}")
        script.absorb("context", *self.parts())
        return script


def part(data: bytes) -> bytes:
    """One part as a hash takes it."""
    return struct.pack(">Q", len(data)) + data


def seed_of_deal(secret: bytes, deal: int) -> bytes:
    """The deal seed that this program derives from the secret of a match."""
    return sha512(framed("kemps/v1/deal-seed", secret, number(deal), number(ATTEMPT))).digest()[:32]


def block(name: str, seed: bytes, binding: bytes, index: int) -> bytes:
    """64 secret bytes."""
    return sha512(framed(f"kemps/v1/deck/secret/{name}", seed, binding, number(index))).digest()


def wide(data: bytes) -> int:
    """A secret scalar, never zero."""
    return 1 + scalar(data) % (ORDER - 1)


def key_of(at: Place, seed: bytes) -> int:
    """A seat's x in a deal."""
    binding = sha256(at.prefix("secret")).digest()
    return wide(block("key", seed, binding, 0))


def order_of(seed: bytes, binding: bytes, count: int) -> list[int]:
    """The permutation of a turn: output i is input `order[i]`."""
    order = list(range(count))
    draws = _draws(seed, binding)
    for last in reversed(range(1, count)):
        fair = 2**64 // (last + 1) * (last + 1)
        chosen = next(draw for draw in draws if draw < fair) % (last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return order


def _draws(seed: bytes, binding: bytes) -> Iterator[int]:
    index = 0
    while True:
        yield from struct.unpack(">8Q", block("order", seed, binding, index))
        index += 1


def factor_of(seed: bytes, binding: bytes, index: int) -> int:
    """The factor r of one output of a turn."""
    return wide(block("factor", seed, binding, index))


@dataclass(frozen=True)
class Cards:
    """A list of blinded cards."""

    a: tuple[Point, ...]
    c: tuple[Point, ...]


def clear_list(group: Group, cards: Sequence[int]) -> Cards:
    """The list before the first turn."""
    return Cards((IDENTITY,) * len(cards), tuple(card_point(group, card) for card in cards))


def list_name(at: Place, key: Point, cards: Cards) -> bytes:
    """What the turn on a list names it by, and binds its secrets to; `at` is of stage `turn`."""
    parts = (key, number(len(cards.c)), *cards.a, *cards.c)
    return sha256(at.prefix("input") + b"".join(map(part, parts))).digest()


# What proofs announced, computed back from their challenges and responses


@dataclass(frozen=True)
class Answer:
    """A proof that a secret is known: nonce = response - challenge·secret, and nonce·B was announced."""

    challenge: int
    response: int

    def announced(self, group: Group, key: Point) -> Point:
        return group.sub(group.base_mul(self.response), group.mul(self.challenge, key))


@dataclass(frozen=True)
class TurnProof:
    """The vectors and numbers of a proof of shuffle."""

    p: tuple[Point, ...]
    q: tuple[Point, ...]
    c: int
    s1: int
    s2: int
    s3: int
    s4: int
    s_hat: tuple[int, ...]
    s_prime: tuple[int, ...]


def card_weights(at: Place, key: Point, inputs: Cards, outputs: Cards, p: Sequence[Point]) -> list[int]:
    """The challenges u of a proof of shuffle; `at` is of stage `turn`."""
    script = at.script()
    script.absorb("count", number(len(p)))
    script.absorb("key", key)
    script.absorb("inputs a", *inputs.a)
    script.absorb("inputs c", *inputs.c)
    script.absorb("outputs a", *outputs.a)
    script.absorb("outputs c", *outputs.c)
    script.absorb("p", *p)
    return script.weights("u", len(p))


def single_announcements(group: Group, proof: TurnProof, u: Sequence[int]) -> dict[str, Point]:
    """T1 and T2, and every T̂, of a proof of shuffle."""
    count = len(proof.p)
    sum_p = IDENTITY
    for commitment, generator in zip(proof.p, generators(group, count), strict=True):
        sum_p = group.add(sum_p, group.sub(commitment, generator))
    product = 1
    for weight in u:
        product = product * weight % ORDER
    chain = chain_generator(group)
    t2 = group.sub(proof.q[-1], group.mul(product, chain))
    found = {
        "t1": group.sub(group.base_mul(proof.s1), group.mul(proof.c, sum_p)),
        "t2": group.sub(group.base_mul(proof.s2), group.mul(proof.c, t2)),
    }
    links = zip(proof.s_hat, proof.s_prime, (chain, *proof.q[:-1]), proof.q, strict=True)
    for i, (hat, prime, before, link) in enumerate(links):
        said = group.add(group.base_mul(hat), group.mul(prime, before))
        found[f"t hat {i}"] = group.sub(said, group.mul(proof.c, link))
    return found
