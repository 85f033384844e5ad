"""What a deal costs, counted in group operations instead of milliseconds, and what garbage costs: nothing."""

from collections import Counter
from collections.abc import Callable

import pytest
from deck_helpers import positions, seed, table, take_turns, with_keys
from msgspec import structs

from kemps_p2p.deck.deal import (
    Deck,
    Shares,
    Turn,
    add_turn,
    check_key,
    check_shares,
    check_turn,
    make_key,
    make_shares,
    make_turn,
    next_turn,
)
from kemps_p2p.deck.group import STUB, Group, Point
from kemps_p2p.errors import PeerFault
from kemps_p2p.ids import Seat

COUNT = 52


class Counting(Group):
    """The stand-in group, with a tally of its operations."""

    name = "counting"

    def __init__(self) -> None:
        self.tally: Counter[str] = Counter()

    def base_mul(self, scalar: int) -> Point:
        self.tally["base"] += 1
        return STUB.base_mul(scalar)

    def mul(self, scalar: int, point: Point) -> Point:
        self.tally["mul"] += 1
        return STUB.mul(scalar, point)

    def add(self, left: Point, right: Point) -> Point:
        self.tally["add"] += 1
        return STUB.add(left, right)

    def sub(self, left: Point, right: Point) -> Point:
        self.tally["add"] += 1
        return STUB.sub(left, right)

    def is_point(self, data: bytes) -> bool:
        self.tally["read"] += 1
        return STUB.is_point(data)

    def from_hash(self, digest: bytes) -> Point:
        return STUB.from_hash(digest)

    def count(self, act: Callable[[], object]) -> Counter[str]:
        self.tally.clear()
        act()
        return Counter(self.tally)


def worth(tally: Counter[str]) -> float:
    """In multiplications of a point, at the ratios measured with rbcl: 50, 16, 13.5 and 4.5 µs."""
    return tally["mul"] + tally["base"] / 3 + tally["add"] * 0.27 + tally["read"] * 0.09


def counted_deck() -> tuple[Counting, Deck]:
    """A deck before its second turn, with the derived generators already in their caches."""
    group = Counting()
    deck = take_turns(with_keys(table(group), range(COUNT)), count=1)
    return group, deck


def test_a_turn_and_its_verification() -> None:
    group, deck = counted_deck()
    made = group.count(lambda: make_turn(deck, Seat(1), seed(1)))
    assert made == {"mul": 6 * COUNT + 1, "base": 4 * COUNT + 4, "add": 8 * COUNT}
    turn = make_turn(deck, Seat(1), seed(1))
    assert group.count(lambda: add_turn(deck, Seat(1), turn)) == {"read": 2 * COUNT}
    checked = group.count(lambda: check_turn(deck, Seat(1), turn))
    assert checked == {
        "mul": 8 * COUNT + 7,
        "base": COUNT + 4,
        "add": 9 * COUNT + 3,
        # What has been read before, on the draft or in the fold, is known to be points.
        "read": 2 * COUNT,
    }
    assert group.count(lambda: add_turn(deck, Seat(1), turn)) == {}


def test_the_critical_path_of_a_deal_at_four_seats() -> None:
    """Turns one after the other, each worked on while it is verified; then the last one's verification."""
    group = Counting()
    deck = with_keys(table(group), range(COUNT))
    make_turn(deck, Seat(0), seed(0))
    spent = 0.0
    while (seat := next_turn(deck)) is not None:
        before = deck
        turns: list[Turn] = []
        spent += worth(group.count(lambda: turns.append(make_turn(before, seat, seed(seat)))))  # noqa: B023
        spent += worth(group.count(lambda: add_turn(before, seat, turns[0])))  # noqa: B023
        deck = add_turn(before, seat, turns[0])
    spent += worth(group.count(lambda: check_turn(deck, Seat(3), deck.turns[3])))
    assert 2000 < spent < 2700


def test_shares_and_keys() -> None:
    group, deck = counted_deck()
    deck = take_turns(deck)
    wanted = positions(range(13))
    made: list[Shares] = []
    tally = group.count(lambda: made.append(make_shares(deck, Seat(1), seed(1), wanted)))
    assert tally == {"mul": 27, "base": 1, "add": 12}
    tally = group.count(lambda: check_shares(deck, Seat(1), made[0]))
    assert tally == {"mul": 29, "base": 1, "add": 26, "read": 13}
    key = make_key(deck.table, Seat(1), seed(1))
    assert group.count(lambda: check_key(deck.table, Seat(1), key)) == {
        "mul": 1,
        "base": 1,
        "add": 1,
        "read": 1,
    }


@pytest.mark.parametrize("name", ["a", "c", "p", "q", "s_hat", "s_prime"])
@pytest.mark.parametrize("length", [0, COUNT - 1, COUNT + 1, 1_000_000])
def test_vectors_of_another_length_cost_no_operation(name: str, length: int) -> None:
    group, deck = counted_deck()
    turn = make_turn(deck, Seat(1), seed(1))
    holder = turn if name in ("a", "c") else turn.proof
    vector = (getattr(holder, name) * 2)[:length] if length < 2 * COUNT else (b"x",) * length
    if holder is turn:
        lied = structs.replace(turn, **{name: vector})
    else:
        lied = structs.replace(turn, proof=structs.replace(turn.proof, **{name: vector}))

    def refuse() -> None:
        for act in (check_turn, add_turn):
            with pytest.raises(PeerFault, match="malformed"):
                act(deck, Seat(1), lied)

    assert group.count(refuse) == {}


def test_bad_points_and_scalars_cost_no_multiplication() -> None:
    group, deck = counted_deck()
    turn = make_turn(deck, Seat(1), seed(1))
    shares = make_shares(take_turns(deck), Seat(1), seed(1), positions((0, 1)))
    bad, proof = b"\xff" * 32, turn.proof
    turns = [
        structs.replace(turn, c=(*turn.c[:-1], bad)),
        structs.replace(turn, input=bytes(32)),
        structs.replace(turn, proof=structs.replace(proof, q=(*proof.q[:-1], bad))),
        structs.replace(turn, proof=structs.replace(proof, s_hat=(*proof.s_hat[:-1], bad))),
        structs.replace(turn, proof=structs.replace(proof, s4=bad)),
    ]
    done = take_turns(deck)

    def refuse() -> None:
        for lied in turns:
            with pytest.raises(PeerFault):
                check_turn(deck, Seat(1), lied)
        for share in (
            structs.replace(shares, parts=(shares.parts[0], bad)),
            structs.replace(shares, proof=structs.replace(shares.proof, response=bad)),
        ):
            with pytest.raises(PeerFault):
                check_shares(done, Seat(1), share)

    assert set(group.count(refuse)) == {"read"}
