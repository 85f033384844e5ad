"""Claims and tapes for the tests of the poll, and an independent reading of its rules."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.poll import Contender, Order, decide, needed_words

OBSERVER = Seat(100)


def name(number: int) -> Digest:
    return tagged_hash("test/claim", bytes([number]))


@dataclass(frozen=True)
class Scene:
    """Claims by number: authors, which pairs conflict, and what each witness's tape shows, in its order."""

    seats: int
    observer: Seat | None
    authors: tuple[int, ...]
    conflicts: frozenset[frozenset[int]]
    tapes: Mapping[Seat, tuple[int, ...]]

    def contenders(self, among: Sequence[int] | None = None) -> list[Contender]:
        numbers = range(len(self.authors)) if among is None else among
        return [
            Contender(
                name(a),
                Seat(self.authors[a]),
                frozenset(name(b) for b in numbers if frozenset((a, b)) in self.conflicts),
            )
            for a in numbers
        ]

    def places(self) -> dict[Seat, dict[Digest, int]]:
        return {
            seat: {name(claim): place for place, claim in enumerate(shown)}
            for seat, shown in self.tapes.items()
        }

    def decided(self, among: Sequence[int] | None = None) -> set[frozenset[int]]:
        numbers = {name(claim): claim for claim in range(len(self.authors))}
        found = decide(self.contenders(among), self.seats, self.observer, self.places())
        return {frozenset(numbers[claim] for claim in chosen.claims) for chosen in found}


@st.composite
def scenes(draw: st.DrawFn, seats: Sequence[int] = (4, 6, 8), claims: int = 5) -> Scene:
    """Any claims and tapes; but a claim is made before it is shown anywhere, since its digest names it.

    So claims are numbered as they are made, and before its own claim a tape shows only lower numbers.
    """
    table = draw(st.sampled_from(seats))
    observer = draw(st.sampled_from([None, OBSERVER]))
    count = draw(st.integers(1, claims))
    authors = tuple(draw(st.integers(0, table - 1)) for _ in range(count))
    pairs = [frozenset(pair) for pair in itertools.combinations(range(count), 2)]
    conflicts = frozenset(draw(st.sets(st.sampled_from(pairs)))) if pairs else frozenset()
    tapes: dict[Seat, tuple[int, ...]] = {}
    everybody = [Seat(seat) for seat in range(table)] + ([OBSERVER] if observer is not None else [])
    for seat in everybody:
        shown = draw(st.lists(st.sampled_from(range(count)), unique=True, max_size=count))
        own = [claim for claim in range(count) if authors[claim] == seat]
        tapes[seat] = lawful(shown, own)
    return Scene(table, observer, authors, conflicts, tapes)


def lawful(shown: Sequence[int], own: Sequence[int]) -> tuple[int, ...]:
    """The shown claims with all own ones, in that order, but none before an own one that was made earlier."""
    order: list[int] = []
    for claim in (*shown, *own):
        order += [mine for mine in own if mine < claim and mine not in order]
        order += [claim] if claim not in order else []
    return tuple(order)


# The reference: section 4 of the design, rules 1 to 4, read literally and without any cleverness.


def shows_before(shown: Sequence[int], a: int, b: int) -> bool:
    return a in shown and b in shown and shown.index(a) < shown.index(b)


def reference_order(scene: Scene, a: int, b: int) -> Order:
    """How a stands to b. FIRST: a goes first."""
    author_a, author_b = Seat(scene.authors[a]), Seat(scene.authors[b])
    # Rule 1.
    if shows_before(scene.tapes.get(author_b, ()), a, b):
        return Order.FIRST
    if shows_before(scene.tapes.get(author_a, ()), b, a):
        return Order.SECOND
    # Rule 2.
    witnesses = [Seat(seat) for seat in range(scene.seats) if seat not in (author_a, author_b)]
    if scene.observer is not None:
        witnesses.append(scene.observer)
    expected = scene.seats - 2 + (scene.observer is not None)
    need = expected // 2 + 1
    words = {"a": 0, "b": 0, "none": 0}
    for witness in witnesses:
        shown = scene.tapes.get(witness, ())
        if a in shown and (b not in shown or shown.index(a) < shown.index(b)):
            words["a"] += 1
        elif b in shown:
            words["b"] += 1
        else:
            words["none"] += 1
    if words["a"] >= need:
        return Order.FIRST
    if words["b"] >= need:
        return Order.SECOND
    # Rule 3: whatever those who have said nothing yet will say.
    if words["a"] + words["none"] < need and words["b"] + words["none"] < need:
        return Order.TOGETHER
    return Order.OPEN


def reference(scene: Scene) -> set[frozenset[int]]:
    """Rule 4: the smallest sets that beat, or commute with, all outside; decided once the table saw them."""
    claims = range(len(scene.authors))
    need = needed_words(scene.seats, scene.observer)

    def beats_or_commutes(a: int, b: int) -> bool:
        return frozenset((a, b)) not in scene.conflicts or reference_order(scene, a, b) is Order.FIRST

    closed = [
        frozenset(chosen)
        for size in range(1, len(claims) + 1)
        for chosen in itertools.combinations(claims, size)
        if all(beats_or_commutes(a, b) for a in chosen for b in claims if b not in chosen)
    ]
    smallest = [chosen for chosen in closed if not any(other < chosen for other in closed)]
    return {
        chosen
        for chosen in smallest
        if not any(
            frozenset((a, b)) in scene.conflicts and reference_order(scene, a, b) is Order.OPEN
            for a, b in itertools.combinations(sorted(chosen), 2)
        )
        and all(
            sum(claim in shown for seat, shown in scene.tapes.items() if seat != scene.authors[claim]) >= need
            for claim in chosen
        )
    }


# What a peer counts


def counted(scene: Scene, lengths: Mapping[Seat, int]) -> tuple[list[int], dict[Seat, tuple[int, ...]]]:
    """Rule 5: what a peer that holds these lengths of the tapes counts, and the claims it holds."""
    prefixes = {seat: shown[: lengths[seat]] for seat, shown in scene.tapes.items()}
    held: set[int] = set()
    counts = dict.fromkeys(prefixes, 0)
    while True:
        before = len(held), sum(counts.values())
        for seat, prefix in prefixes.items():
            while counts[seat] < len(prefix):
                claim = prefix[counts[seat]]
                if scene.authors[claim] == seat:
                    held.add(claim)
                elif claim not in held:
                    break
                counts[seat] += 1
        if (len(held), sum(counts.values())) == before:
            return sorted(held), {seat: prefix[: counts[seat]] for seat, prefix in prefixes.items()}


def seen(scene: Scene, lengths: Mapping[Seat, int]) -> set[frozenset[int]]:
    held, tapes = counted(scene, lengths)
    return Scene(scene.seats, scene.observer, scene.authors, scene.conflicts, tapes).decided(held)
