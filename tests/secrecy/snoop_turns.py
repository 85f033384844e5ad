"""What a seat's turns and proofs give away by themselves: repeated, trivial, or related secrets.

Every scalar k that an honest seat must draw anew leaves a point k·B in the open, up to a guess at its
permutation: A'_i - A_j for the factor r_i (the one j that is right), P_j - H_i for ρ_j, Q_i - u_j·Q_{i-1} for
σ_i, with that ŝ_i·B - c·σ_i·B for ŵ_i, and the announcement of each proof for its nonce. Two of these points
that are the same are a secret used twice, whatever it was for; one that is k·B for a small k is no secret. A
permutation and factors used on two inputs show so: then A'1_i - A'2_i = A1_j - A2_j, which is
A'1_i - A1_j = A'2_i - A2_j.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from snoop_formulas import Answer, single_announcements
from snoop_table import Decks, LinkedTurn

from kemps_p2p.deck.group import IDENTITY, ORDER, Group, Point, chain_generator, generators

SMALL = 64


@dataclass(frozen=True)
class Slot:
    """The place of one secret scalar: in which message, of which kind, the how manieth.

    `source`: the input j that the guess takes; None where there is nothing to guess. `linked` is the turn, if
    it is one's. `answer`: the response that rests on it, if knowing it gives the key.
    """

    message: tuple[object, ...]
    kind: str
    index: int
    at: int
    deal: int
    source: int | None = None
    linked: LinkedTurn | None = None
    answer: Answer | None = None

    @property
    def name(self) -> tuple[object, ...]:
        """What tells it from other secrets."""
        return (*self.message, self.kind, self.index)

    def __str__(self) -> str:
        return f"{self.kind} {self.index} of {' '.join(map(str, self.message))}"


def turn_slots(group: Group, linked: LinkedTurn) -> Iterator[tuple[Point, Slot]]:
    """The points of all secret scalars of a turn."""
    turn, proof = linked.turn, linked.turn.proof
    message = ("turn", turn.deal, turn.round, turn.input.hex()[:8])

    def slot(kind: str, index: int, source: int | None = None) -> Slot:
        return Slot(message, kind, index, turn.at, turn.deal, source, linked)

    is_first = linked.inputs.a[0] == IDENTITY
    for i, a in enumerate(turn.outputs.a):
        if is_first:
            yield a, slot("factor", i)
            continue
        for j, source in enumerate(linked.inputs.a):
            yield group.sub(a, source), slot("factor", i, j)
    h = generators(group, len(proof.p))
    for j, commitment in enumerate(proof.p):
        for i, generator in enumerate(h):
            # The index of an order's blinding is that of its commitment; what it would tell is π(i) = j.
            yield group.sub(commitment, generator), slot("rho", j, i)
    answers = [group.base_mul(response) for response in proof.s_hat]
    for i, (before, link) in enumerate(zip((chain_generator(group), *proof.q), proof.q, strict=False)):
        for j, weight in enumerate(linked.weights):
            blind = group.sub(link, group.mul(weight, before))
            yield blind, slot("sigma", i, j)
            # With this guess the response to σ_i gives the nonce that it hides.
            yield group.sub(answers[i], group.mul(proof.c, blind)), slot("w hat", i, j)
    for kind, point in single_announcements(group, proof, linked.weights).items():
        yield point, slot(kind, 0)


def mask_points(group: Group, linked: LinkedTurn) -> Iterator[tuple[Point, Slot]]:
    """r·K under each guess: nothing is public of it, but who says it links an output to its input."""
    turn = linked.turn
    message = ("turn", turn.deal, turn.round, turn.input.hex()[:8])
    for i, c in enumerate(turn.outputs.c):
        for j, source in enumerate(linked.inputs.c):
            yield group.sub(c, source), Slot(message, "factor", i, turn.at, turn.deal, j, linked)


def proof_slots(decks: Decks, seat: int) -> Iterator[tuple[Point, Slot]]:
    """The announcements w·B of the proofs of a seat's keys and shares, which rest on its x of a deal."""
    reading, group = decks.reading, decks.public.group
    for (deal, owner), key in reading.keys.items():
        if owner == seat:
            announced = key.proof.announced(group, key.key)
            yield announced, Slot(("key", deal), "nonce", 0, key.at, deal, answer=key.proof)
    for number, shares in enumerate(reading.shares):
        owner_key = reading.keys.get((shares.deal, seat))
        if shares.seat == seat and owner_key is not None:
            announced = shares.proof.announced(group, owner_key.key)
            message = ("shares", number, shares.deal)
            yield announced, Slot(message, "nonce", 0, shares.at, shares.deal, answer=shares.proof)


@lru_cache
def small_multiples(group: Group) -> dict[Point, int]:
    """k·B for k from -SMALL to SMALL."""
    return {group.base_mul(k): k for k in range(-SMALL, SMALL + 1)}


@dataclass(frozen=True)
class Weakness:
    """Something that turns and proofs of a seat give away. `x`: its key of the deal, where that follows."""

    at: int
    deal: int
    text: str
    x: int | None = None


def weaknesses(group: Group, slots: list[tuple[Point, Slot]]) -> Iterator[Weakness]:
    """Scalars that are small, used twice, or a small step apart."""
    small = small_multiples(group)
    known: dict[Point, Slot] = {}
    for point, slot in slots:
        step = small.get(point)
        if step is not None:
            yield Weakness(slot.at, slot.deal, f"{slot} is {step}", _key(slot.answer, step))
        other = known.setdefault(point, slot)
        if other.name != slot.name:
            at = max(slot.at, other.at)
            yield Weakness(at, slot.deal, f"{slot} is {other} again", _key_of_two(slot, other, 0))
    answers = [(point, slot) for point, slot in slots if slot.answer is not None]
    for (one, first), (two, second) in combinations(answers, 2):
        step = small.get(group.sub(one, two))
        if first.deal == second.deal and step:
            text = f"{first} is {second} and {step}"
            at = max(first.at, second.at)
            yield Weakness(at, first.deal, text, _key_of_two(first, second, step))


def _key(answer: Answer | None, nonce: int) -> int | None:
    """X from one answer whose nonce is known."""
    if answer is None:
        return None
    return (answer.response - nonce) * pow(answer.challenge, -1, ORDER) % ORDER


def _key_of_two(first: Slot, second: Slot, step: int) -> int | None:
    """X from two answers of one deal, the nonce of the first being that of the second and `step`."""
    one, two = first.answer, second.answer
    if one is None or two is None or first.deal != second.deal or one.challenge == two.challenge:
        return None
    difference = (one.challenge - two.challenge) % ORDER
    return (one.response - two.response - step) * pow(difference, -1, ORDER) % ORDER


def response_nonces(linked: LinkedTurn) -> Iterator[tuple[int, Slot]]:
    """The numbers s'_i - c·u_j, one of which is the nonce w'_i: for the right j."""
    turn, proof = linked.turn, linked.turn.proof
    message = ("turn", turn.deal, turn.round, turn.input.hex()[:8])
    for i, response in enumerate(proof.s_prime):
        for j, weight in enumerate(linked.weights):
            slot = Slot(message, "w prime", i, turn.at, turn.deal, j, linked)
            yield (response - proof.c * weight) % ORDER, slot


def repeated_numbers(numbers: list[tuple[int, Slot]]) -> Iterator[Weakness]:
    """Nonces of responses that are small or used twice."""
    known: dict[int, Slot] = {}
    for value, slot in numbers:
        if min(value, ORDER - value) < 1 << 64:
            yield Weakness(slot.at, slot.deal, f"{slot} is {value}")
        other = known.setdefault(value, slot)
        if other.name != slot.name:
            yield Weakness(max(slot.at, other.at), slot.deal, f"{slot} is {other} again")


def echoes(linked: list[LinkedTurn]) -> Iterator[Weakness]:
    """Points of a turn's output that were in its input, or in another output of the seat."""
    for one in linked:
        turn = one.turn
        own = {*turn.outputs.a, *turn.outputs.c}
        if len(own) < 2 * len(turn.outputs.a):
            yield Weakness(turn.at, turn.deal, "a turn has a point twice")
        before = {*one.inputs.a, *one.inputs.c}
        for other in linked:
            if other is not one:
                before |= {*other.turn.outputs.a, *other.turn.outputs.c}
        if own & before:
            text = f"{len(own & before)} points of the turn in deal {turn.deal} were there before"
            yield Weakness(turn.at, turn.deal, text)
