"""The order of claims, case by case; what holds for all cases is in test_ledger_poll_properties."""

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from poll_scenes import OBSERVER, Scene, lawful, name, reference

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.poll import (
    Contender,
    DecidedSet,
    Places,
    decide,
    needed_words,
    order_together,
)


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
