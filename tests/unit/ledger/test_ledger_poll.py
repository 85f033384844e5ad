"""The order of claims against an independent reading of the rules, and what no liar may gain."""

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.poll import (
    Contender,
    DecidedSet,
    Order,
    Places,
    compare,
    decide,
    needed_words,
    order_together,
)

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


@pytest.mark.parametrize(
    ("seats", "observer", "need"),
    [
        (4, None, 2),
        (4, OBSERVER, 2),
        (6, None, 3),
        (6, OBSERVER, 3),
        (8, None, 4),
        (8, OBSERVER, 4),
        (10, None, 5),
    ],
)
def test_needed_words_are_more_than_half_of_the_expected(
    seats: int, observer: Seat | None, need: int
) -> None:
    assert needed_words(seats, observer) == need


@settings(max_examples=200)
@given(scenes())
def test_decide_is_the_reference(scene: Scene) -> None:
    assert scene.decided() == reference(scene)


def test_every_pair_of_claims_and_words_at_four_seats() -> None:
    """Exhaustive: two claims of any two seats, and every way in which four tapes can show them."""
    ways: list[tuple[int, ...]] = [(), (0,), (1,), (0, 1), (1, 0)]
    checked = 0
    for author_a, author_b in itertools.product(range(4), repeat=2):
        for shown in itertools.product(ways, repeat=4):
            tapes = {Seat(seat): lawful(way, own(author_a, author_b, seat)) for seat, way in enumerate(shown)}
            scene = Scene(4, None, (author_a, author_b), frozenset({frozenset({0, 1})}), tapes)
            assert scene.decided() == reference(scene)
            checked += 1
    assert checked == 16 * 625


def own(author_a: int, author_b: int, seat: int) -> list[int]:
    return [claim for claim, author in enumerate((author_a, author_b)) if author == seat]


@settings(max_examples=100)
@given(scenes(), st.randoms(use_true_random=False))
def test_the_order_of_arguments_does_not_matter(scene: Scene, rng: random.Random) -> None:
    first = decide(scene.contenders(), scene.seats, scene.observer, scene.places())
    claims, tapes = scene.contenders(), list(scene.places().items())
    rng.shuffle(claims)
    rng.shuffle(tapes)
    again = decide(claims, scene.seats, scene.observer, {seat: dict(shown) for seat, shown in tapes})
    assert again == first


@settings(max_examples=100)
@given(scenes(), st.data())
def test_relabelling_the_seats_relabels_nothing_else(scene: Scene, data: st.DataObject) -> None:
    labels = data.draw(st.permutations(range(scene.seats)))
    moved = Scene(
        scene.seats,
        scene.observer,
        tuple(labels[author] for author in scene.authors),
        scene.conflicts,
        {seat if seat == OBSERVER else Seat(labels[seat]): shown for seat, shown in scene.tapes.items()},
    )
    assert moved.decided() == scene.decided()


# Confluence


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


@settings(max_examples=200)
@given(scenes(), st.data())
def test_what_a_part_of_the_tapes_decides_the_whole_decides_as_well(
    scene: Scene, data: st.DataObject
) -> None:
    part = {
        seat: data.draw(st.integers(0, len(shown)), label=str(seat)) for seat, shown in scene.tapes.items()
    }
    more = {seat: data.draw(st.integers(part[seat], len(shown))) for seat, shown in scene.tapes.items()}
    # The set is the same set, and as it is still among the first, nothing that conflicts came before it.
    assert seen(scene, part) <= seen(scene, more)


@settings(max_examples=100)
@given(scenes(), st.data())
def test_two_peers_never_decide_against_each_other(scene: Scene, data: st.DataObject) -> None:
    one, other = (
        seen(scene, {seat: data.draw(st.integers(0, len(shown))) for seat, shown in scene.tapes.items()})
        for _ in range(2)
    )
    for mine, theirs in itertools.product(one, other):
        if mine != theirs:
            assert not mine & theirs
            assert not any(frozenset(pair) in scene.conflicts for pair in itertools.product(mine, theirs))


# Liars


@settings(max_examples=200)
@given(st.sampled_from([4, 6, 8, 10]), st.booleans(), st.data())
def test_fewer_than_need_liars_never_put_the_later_claim_first(
    seats: int, has_observer: bool, data: st.DataObject
) -> None:
    """All honest witnesses saw claim 0 before claim 1; its author is honest. The others say anything."""
    observer = OBSERVER if has_observer else None
    need = needed_words(seats, observer)
    author_a, author_b = data.draw(st.sampled_from(list(itertools.permutations(range(seats), 2))))
    witnesses = [Seat(seat) for seat in range(seats) if seat not in (author_a, author_b)]
    witnesses += [OBSERVER] if observer is not None else []
    liars = data.draw(st.sets(st.sampled_from(witnesses), max_size=need - 1))
    ways: list[tuple[int, ...]] = [(), (0,), (1,), (0, 1), (1, 0)]
    tapes: dict[Seat, tuple[int, ...]] = {
        Seat(author_a): (0, *data.draw(st.sampled_from([(), (1,)]))),
        Seat(author_b): data.draw(st.sampled_from([(1,), (1, 0), (0, 1)])),
    }
    for witness in witnesses:
        if witness in liars:
            tapes[witness] = data.draw(st.sampled_from(ways))
        else:
            tapes[witness] = (0, 1)[: data.draw(st.integers(0, 2))]
    scene = Scene(seats, observer, (author_a, author_b), frozenset({frozenset({0, 1})}), tapes)
    first, second = scene.contenders()
    order, _ = compare(first, second, seats, observer, scene.places())
    assert order is not Order.SECOND
    assert frozenset({1}) not in scene.decided()


def test_one_lying_partner_of_four_can_force_a_coin_and_no_more() -> None:
    # Seat 2 is the partner of seat 0, whose claim 1 came second.
    tapes = {Seat(0): (1,), Seat(1): (0,), Seat(2): (1, 0), Seat(3): (0, 1)}
    scene = Scene(4, None, (1, 0), frozenset({frozenset({0, 1})}), tapes)
    assert scene.decided() == {frozenset({0, 1})}


def test_two_claims_seen_by_all_but_the_last_witness_wait_for_its_word() -> None:
    tapes = {Seat(0): (0, 1), Seat(1): (1, 0), Seat(2): (0, 1), Seat(3): ()}
    scene = Scene(4, None, (0, 1), frozenset({frozenset({0, 1})}), tapes)
    assert scene.decided() == set()


def test_silence_of_need_witnesses_decides_nothing() -> None:
    tapes = {Seat(0): (0,), Seat(1): (1,), Seat(2): (0, 1), Seat(3): ()}
    scene = Scene(4, None, (0, 1), frozenset({frozenset({0, 1})}), tapes)
    assert scene.decided() == set()


# The order of a set that is together


@st.composite
def together(draw: st.DrawFn) -> tuple[DecidedSet, frozenset[tuple[int, int]], tuple[bytes, ...]]:
    count = draw(st.integers(2, 6))
    pairs = list(itertools.combinations(range(count), 2))
    causal = draw(st.sets(st.sampled_from(pairs), max_size=4))
    prefers = draw(st.sets(st.sampled_from([*pairs, *((b, a) for a, b in pairs)]), max_size=5))
    coins = tuple(draw(st.binary(min_size=32, max_size=32)) for _ in range(2))
    claims = tuple(sorted(name(number) for number in range(count)))
    return (
        DecidedSet(claims, frozenset((name(a), name(b)) for a, b in causal)),
        frozenset(prefers),
        coins,
    )


def drawn(
    decided: DecidedSet, prefers: frozenset[tuple[int, int]], coins: tuple[bytes, ...]
) -> tuple[Digest, ...]:
    preferred = {(name(a), name(b)) for a, b in prefers}
    return order_together(decided, lambda a, b: (a, b) in preferred, coins)


@given(together())
def test_a_draw_orders_everything_once_and_keeps_causality(
    case: tuple[DecidedSet, frozenset[tuple[int, int]], tuple[bytes, ...]],
) -> None:
    decided = case[0]
    order = drawn(*case)
    assert sorted(order) == list(decided.claims)
    assert all(order.index(early) < order.index(late) for early, late in decided.causal)


@given(together())
def test_what_the_rules_put_first_is_first_where_there_is_a_choice(
    case: tuple[DecidedSet, frozenset[tuple[int, int]], tuple[bytes, ...]],
) -> None:
    decided, prefers, _ = case
    order = drawn(*case)
    preferred = {(name(a), name(b)) for a, b in prefers}
    for place, chosen in enumerate(order):
        left = order[place:]
        free = [claim for claim in left if not any((other, claim) in decided.causal for other in left)]
        assert chosen in free
        held_back = {claim for claim in free if any((other, claim) in preferred for other in free)}
        # Only where everything free is held back, a cycle, may the draw choose among it.
        assert chosen not in held_back or len(held_back) == len(free)


def test_each_of_two_claims_goes_first_half_of_the_time_and_every_coin_matters() -> None:
    decided = DecidedSet(tuple(sorted((name(0), name(1)))), frozenset())
    trials = 4000
    wins = changed = 0
    for trial in range(trials):
        coins = tuple(
            tagged_hash("test/coin", bytes([which]), trial.to_bytes(4, "big")) for which in range(2)
        )
        order = order_together(decided, lambda a, b: False, coins)
        wins += order[0] == name(0)
        other = (coins[0], tagged_hash("test/other", coins[1]))
        changed += order_together(decided, lambda a, b: False, other) != order
    # Five standard deviations of a fair coin.
    assert abs(wins - trials / 2) < 5 * (trials / 4) ** 0.5
    assert abs(changed - trials / 2) < 5 * (trials / 4) ** 0.5


@given(together())
def test_the_set_is_drawn_anew_with_other_members(
    case: tuple[DecidedSet, frozenset[tuple[int, int]], tuple[bytes, ...]],
) -> None:
    decided = case[0]
    assume(len(decided.claims) > 2)
    fewer = DecidedSet(decided.claims[:-1], frozenset())
    assert fewer.digest != decided.digest


def test_places_are_a_mapping_of_claims() -> None:
    places: Places = {name(0): 3}
    contenders = [Contender(name(0), Seat(0), frozenset())]
    tapes = {Seat(1): places, Seat(2): places}
    (found,) = decide(contenders, 4, None, tapes)
    assert found.claims == (name(0),)
