"""`decide` for any claims and tapes: another reading of its rules, confluence, and what no liar may gain.

Each property has a short share with fixed seeds by default and a long one behind `soak`.
"""

import itertools
import random
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from poll_scenes import OBSERVER, Scene, lawful, reference, scenes, seen

from kemps_p2p.ids import Seat
from kemps_p2p.ledger.poll import Order, compare, decide, needed_words

SHORT = 40
LONG = 5_000
T = TypeVar("T")

Property = Callable[[st.DataObject], None]
PROPERTIES: dict[str, Property] = {}


def holds(check: Property) -> Property:
    """Register a property of whatever it draws."""
    PROPERTIES[check.__name__] = check
    return check


def run(name: str, examples: int, *, derandomize: bool) -> None:
    @settings(max_examples=examples, derandomize=derandomize, database=None)
    @given(st.data())
    def property_holds(data: st.DataObject) -> None:
        PROPERTIES[name](data)

    property_holds()


@holds
def decides_what_the_rules_say(data: st.DataObject) -> None:
    scene = data.draw(scenes())
    assert scene.decided() == reference(scene)


@holds
def is_a_function_of_what_it_is_told(data: st.DataObject) -> None:
    """No order of claims, tapes or mappings matters, nor do the numbers in them but for their order."""
    scene = data.draw(scenes())
    rng = data.draw(st.randoms(use_true_random=False))
    first = decide(scene.contenders(), scene.seats, scene.observer, scene.places())
    claims, tapes = scene.contenders(), list(scene.places().items())
    rng.shuffle(claims)
    rng.shuffle(tapes)
    told = {seat: stretched(rng, shown) for seat, shown in tapes}
    assert decide(claims, scene.seats, scene.observer, told) == first


def stretched(rng: random.Random, shown: dict[T, int]) -> dict[T, int]:
    """The same order in other numbers, told in another order."""
    ranks = sorted(rng.sample(range(1000), len(shown)))
    pairs = list(zip(sorted(shown, key=shown.__getitem__), ranks, strict=True))
    rng.shuffle(pairs)
    return dict(pairs)


@holds
def is_blind_to_who_sits_where(data: st.DataObject) -> None:
    scene = data.draw(scenes())
    labels = data.draw(st.permutations(range(scene.seats)))
    moved = replace(
        scene,
        authors=tuple(labels[author] for author in scene.authors),
        tapes={
            seat if seat == OBSERVER else Seat(labels[seat]): shown for seat, shown in scene.tapes.items()
        },
    )
    assert moved.decided() == scene.decided()


@holds
def a_claim_that_conflicts_with_nothing_changes_nothing_else(data: st.DataObject) -> None:
    scene = data.draw(scenes(claims=4))
    count = len(scene.authors)
    author = data.draw(st.integers(0, scene.seats - 1))
    tapes = {}
    for seat, shown in scene.tapes.items():
        place = data.draw(st.integers(0, len(shown)))
        is_shown = seat == author or data.draw(st.booleans())
        tapes[seat] = (*shown[:place], count, *shown[place:]) if is_shown else shown
    more = replace(scene, authors=(*scene.authors, author), tapes=tapes)
    assert more.decided() - {frozenset({count})} == scene.decided()


@holds
def a_part_of_the_tapes_decides_nothing_that_the_whole_does_not(data: st.DataObject) -> None:
    """The set is the same set, and as it is still among the first, nothing that conflicts came before it."""
    scene = data.draw(scenes())
    part = {seat: data.draw(st.integers(0, len(shown))) for seat, shown in scene.tapes.items()}
    more = {seat: data.draw(st.integers(part[seat], len(shown))) for seat, shown in scene.tapes.items()}
    assert seen(scene, part) <= seen(scene, more)


@holds
def two_peers_never_decide_against_each_other(data: st.DataObject) -> None:
    scene = data.draw(scenes())
    one, other = (
        seen(scene, {seat: data.draw(st.integers(0, len(shown))) for seat, shown in scene.tapes.items()})
        for _ in range(2)
    )
    for mine, theirs in itertools.product(one, other):
        if mine != theirs:
            assert not mine & theirs
            assert not any(frozenset(pair) in scene.conflicts for pair in itertools.product(mine, theirs))


@holds
def fewer_than_need_liars_never_put_the_later_claim_first(data: st.DataObject) -> None:
    """All honest witnesses saw claim 0 before claim 1; its author is honest. The others say anything."""
    seats = data.draw(st.sampled_from([4, 6, 8, 10]))
    observer = OBSERVER if data.draw(st.booleans()) else None
    author_a, author_b = data.draw(st.sampled_from(list(itertools.permutations(range(seats), 2))))
    witnesses = [Seat(seat) for seat in range(seats) if seat not in (author_a, author_b)]
    witnesses += [OBSERVER] if observer is not None else []
    liars = data.draw(st.sets(st.sampled_from(witnesses), max_size=needed_words(seats, observer) - 1))
    ways: list[tuple[int, ...]] = [(), (0,), (1,), (0, 1), (1, 0)]
    tapes: dict[Seat, tuple[int, ...]] = {
        Seat(author_a): (0, *data.draw(st.sampled_from([(), (1,)]))),
        Seat(author_b): data.draw(st.sampled_from([(1,), (1, 0), (0, 1)])),
    }
    for witness in witnesses:
        honest = (0, 1)[: data.draw(st.integers(0, 2))]
        tapes[witness] = data.draw(st.sampled_from(ways)) if witness in liars else honest
    scene = Scene(seats, observer, (author_a, author_b), frozenset({frozenset({0, 1})}), tapes)
    first, second = scene.contenders()
    order, _ = compare(first, second, seats, observer, scene.places())
    assert order is not Order.SECOND
    assert frozenset({1}) not in scene.decided()


@holds
def fewer_than_need_liars_put_no_set_before_the_first_of_many(data: st.DataObject) -> None:
    """Claim 0 was first at every honest seat, its rivals came in any order: no set goes before its own."""
    seats = data.draw(st.sampled_from([6, 8]))
    observer = OBSERVER if data.draw(st.booleans()) else None
    count = data.draw(st.integers(2, 4))
    authors = tuple(data.draw(st.permutations(range(seats)))[:count])
    everybody = [Seat(seat) for seat in range(seats)] + ([OBSERVER] if observer is not None else [])
    # A liar among the claimants has no word on its own claim, so it counts as none of the witnesses.
    bystanders = [seat for seat in everybody if seat not in authors]
    liars = data.draw(st.sets(st.sampled_from(bystanders), max_size=needed_words(seats, observer) - 1))
    pairs = [frozenset(pair) for pair in itertools.combinations(range(count), 2)]
    beside = data.draw(st.sets(st.sampled_from(pairs)))
    conflicts = frozenset({pair for pair in pairs if 0 in pair} | beside)
    tapes = {}
    for seat in everybody:
        later = data.draw(st.permutations(range(1, count)))
        honest = (0, *later)[: data.draw(st.integers(0, count))]
        lie = data.draw(st.permutations(range(count)))
        own = [claim for claim in range(count) if authors[claim] == seat]
        # An honest claimant made its claim before it saw the first; else that would be first by causality.
        tapes[seat] = lawful((*own, *(lie if seat in liars else honest)), own)
    scene = Scene(seats, observer, authors, conflicts, tapes)
    assert all(0 in chosen for chosen in scene.decided())


@pytest.mark.parametrize("name", PROPERTIES)
def test_property(name: str) -> None:
    run(name, SHORT, derandomize=True)


@pytest.mark.soak
@pytest.mark.parametrize("name", PROPERTIES)
def test_property_at_length(name: str) -> None:
    run(name, LONG, derandomize=False)
