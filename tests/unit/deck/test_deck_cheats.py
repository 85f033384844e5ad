"""False shuffles with the best proof that their author can make, and true ones in the wrong place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import pytest
from deck_helpers import seats, seed, shuffled, table, take_turns, with_keys
from msgspec import structs

from kemps_p2p.deck import shuffle as shuffle_module
from kemps_p2p.deck.context import Context, Secrets, Stage
from kemps_p2p.deck.deal import Deck, Turn, add_turn, check_turn, list_digest, make_turn, new_deck, next_round
from kemps_p2p.deck.group import (
    ORDER,
    RISTRETTO,
    STUB,
    Group,
    Point,
    card_point,
    chain_generator,
    generators,
    scalar_bytes,
)
from kemps_p2p.deck.shuffle import (
    Announcement,
    Blinded,
    Reblinding,
    ShuffleProof,
    Statement,
    card_challenges,
    last_challenge,
    prove,
    reblind,
    reblinding,
    statement_transcript,
    verify,
)
from kemps_p2p.deck.state import list_before
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Position, Seat

CHEAT = Seat(1)
COUNT = 5
GROUPS = pytest.mark.parametrize("group", [RISTRETTO, STUB], ids=lambda group: group.name)


@dataclass(frozen=True)
class Scene:
    """The deck before the cheat's turn, and what an honest seat would do there."""

    deck: Deck
    inputs: Blinded
    secret: Reblinding
    outputs: Blinded

    @property
    def group(self) -> Group:
        return self.deck.table.group

    @property
    def key(self) -> Point:
        assert self.deck.joint_key is not None
        return self.deck.joint_key

    def encrypted(self, a: Point, c: Point, factor: int) -> tuple[Point, Point]:
        group = self.group
        return group.add(a, group.base_mul(factor)), group.add(c, group.mul(factor, self.key))

    def turn(self, outputs: Blinded, secret: Reblinding, inputs: Blinded | None = None) -> Turn:
        """The turn with these outputs and a proof made for exactly them."""
        context = self.deck.context(CHEAT, Stage.TURN)
        statement = Statement(context, self.key, inputs or self.inputs, outputs)
        return self.with_proof(outputs, prove(statement, secret, seed(CHEAT)))

    def with_proof(self, outputs: Blinded, proof: ShuffleProof) -> Turn:
        return Turn(input=list_digest(self.deck), a=outputs.a, c=outputs.c, proof=proof)

    def refuses(self, turn: Turn, code: Fault = Fault.BAD_SHUFFLE_PROOF) -> None:
        with pytest.raises(PeerFault) as fault:
            check_turn(self.deck, CHEAT, turn)
        assert (fault.value.code, fault.value.culprit) == (code, CHEAT)


def scene(group: Group, count: int = COUNT, *, first: bool = False) -> Scene:
    """Stand before the turn of seat 1, or of seat 0 as if it were the cheat's."""
    deck = with_keys(table(group), range(count))
    if not first:
        deck = take_turns(deck, count=1)
    inputs = list_before(deck, Seat(len(deck.turns)))
    secret = reblinding(Secrets(seed(CHEAT), list_digest(deck)), count)
    assert deck.joint_key is not None
    return Scene(deck, inputs, secret, reblind(group, deck.joint_key, inputs, secret))


def put(points: Sequence[Point], index: int, point: Point) -> tuple[Point, ...]:
    return (*points[:index], point, *points[index + 1 :])


def with_pair(outputs: Blinded, index: int, pair: tuple[Point, Point]) -> Blinded:
    return Blinded(put(outputs.a, index, pair[0]), put(outputs.c, index, pair[1]))


def duplicate(at: Scene) -> Blinded:
    """Output 0 is a second encryption of the card in output 1."""
    source = at.secret.order[1]
    return with_pair(at.outputs, 0, at.encrypted(at.inputs.a[source], at.inputs.c[source], 99))


def unknown_point(at: Scene) -> Blinded:
    return with_pair(at.outputs, 0, (at.outputs.a[0], at.group.base_mul(12345)))


def card_of_another_deck(at: Scene) -> Blinded:
    stranger = card_point(at.group, 103)
    return with_pair(at.outputs, 0, (at.group.base_mul(7), at.group.add(stranger, at.group.mul(7, at.key))))


def another_factor(at: Scene) -> Blinded:
    """The two halves of card 2 are re-encrypted with different factors: a tag."""
    source, factor = at.secret.order[2], at.secret.factors[2]
    a, _ = at.encrypted(at.inputs.a[source], at.inputs.c[source], factor + 1)
    return Blinded(put(at.outputs.a, 2, a), at.outputs.c)


def another_key(at: Scene) -> Blinded:
    """One card is blinded under the cheat's own key instead of the joint one."""
    source, factor = at.secret.order[0], at.secret.factors[0]
    own = at.deck.keys[CHEAT]
    assert own is not None
    c = at.group.add(at.inputs.c[source], at.group.mul(factor, Point(own.key)))
    return Blinded(at.outputs.a, put(at.outputs.c, 0, c))


def scaled(at: Scene) -> Blinded:
    """Both halves of one card are doubled: it decrypts to 2·M, which only the cheat recognises."""
    twice = at.group.mul(2, at.outputs.a[3]), at.group.mul(2, at.outputs.c[3])
    return with_pair(at.outputs, 3, twice)


def exchanged_halves(at: Scene) -> Blinded:
    return Blinded(at.outputs.a, (at.outputs.c[1], at.outputs.c[0], *at.outputs.c[2:]))


def exchanged_lists(at: Scene) -> Blinded:
    return Blinded(at.outputs.c, at.outputs.a)


def untouched(at: Scene) -> Blinded:
    """The identity permutation without the re-encryption that the proof speaks of."""
    return at.inputs


def shifted_between_two(at: Scene) -> Blinded:
    """One point moves from one card to another, so that the sum of the list is right."""
    extra = at.group.base_mul(31337)
    c = put(at.outputs.c, 0, at.group.add(at.outputs.c[0], extra))
    return Blinded(at.outputs.a, put(c, 1, at.group.sub(c[1], extra)))


FALSE = [
    duplicate, unknown_point, card_of_another_deck, another_factor, another_key, scaled, exchanged_halves,
    exchanged_lists, untouched, shifted_between_two,
]  # fmt: skip


@GROUPS
@pytest.mark.parametrize("false", FALSE, ids=lambda f: f.__name__)
def test_a_false_list_with_a_fresh_proof(group: Group, false: Callable[[Scene], Blinded]) -> None:
    at = scene(group)
    check_turn(at.deck, CHEAT, at.turn(at.outputs, at.secret))
    outputs = false(at)
    assert outputs != at.outputs
    at.refuses(at.turn(outputs, at.secret))


@GROUPS
def test_an_identity_order_with_a_wrong_rerandomisation(group: Group) -> None:
    at = scene(group)
    still = Reblinding(tuple(range(COUNT)), at.secret.factors)
    outputs = reblind(group, at.key, at.inputs, still)
    check_turn(at.deck, CHEAT, at.turn(outputs, still))
    wrong = Reblinding(still.order, (still.factors[0] + 1, *still.factors[1:]))
    at.refuses(at.turn(outputs, wrong))


@GROUPS
def test_a_list_of_another_deal(group: Group) -> None:
    """A true shuffle, truly proven, of the list that the same seats had in another deal."""
    at = scene(group)
    other = take_turns(with_keys(table(group, deal=4), range(COUNT)), count=1)
    inputs = list_before(other, CHEAT)
    outputs = reblind(group, at.key, inputs, at.secret)
    at.refuses(at.turn(outputs, at.secret, inputs))
    at.refuses(make_turn(other, CHEAT, seed(CHEAT)), Fault.BAD_TURN)


@GROUPS
def test_false_first_lists(group: Group) -> None:
    """The first turn, whose proof skips a term: a duplicate, and cards of the own choice."""
    deck = with_keys(table(group), range(COUNT))
    for cards in ((0, 0, 2, 3, 4), (5, 6, 7, 8, 9), (4, 3, 2, 1, 50)):
        inputs = Blinded(list_before(deck, Seat(0)).a, tuple(card_point(group, card) for card in cards))
        secret = reblinding(Secrets(seed(0), b"binding"), COUNT)
        assert deck.joint_key is not None
        outputs = reblind(group, deck.joint_key, inputs, secret)
        context = deck.context(Seat(0), Stage.TURN)
        for proven in (inputs, list_before(deck, Seat(0))):
            proof = prove(Statement(context, deck.joint_key, proven, outputs), secret, seed(0))
            turn = Turn(input=list_digest(deck), a=outputs.a, c=outputs.c, proof=proof)
            with pytest.raises(PeerFault, match="bad-shuffle-proof"):
                check_turn(deck, Seat(0), turn)


# A cheat who may use other matrices in the place of the permutation's. The honest prover uses one permutation
# matrix for all four; Σ u'·A' = Σ u·A asks that `mixed` is the inverse transpose of `weighted`.

Matrix = tuple[tuple[int, ...], ...]
HALF = pow(2, -1, ORDER)
SAME: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
TURNED: Matrix = ((0, 1, 0), (0, 0, 1), (1, 0, 0))
TWICE: Matrix = ((1, 0, 0), (1, 0, 0), (0, 0, 1))
MERGED: Matrix = ((1, 1, 0), (0, 0, 0), (0, 0, 1))
SCALED: Matrix = ((2, 0, 0), (0, HALF, 0), (0, 0, 1))
UNSCALED: Matrix = ((HALF, 0, 0), (0, 2, 0), (0, 0, 1))
NEGATED: Matrix = ((-1, 0, 0), (0, -1, 0), (0, 0, 1))
SHEARED: Matrix = ((1, 0, 0), (2, -1, 0), (0, 0, 1))
SHEARED_BACK: Matrix = ((1, 2, 0), (0, -1, 0), (0, 0, 1))


@dataclass(frozen=True)
class Lie:
    """What the commitments, the answers, the outputs and the chain follow, and where it comes out."""

    committed: Matrix
    weighted: Matrix
    mixed: Matrix
    chained: Matrix
    fails: frozenset[str]


def lie(committed: Matrix, weighted: Matrix, mixed: Matrix, chained: Matrix, *fails: str) -> Lie:
    return Lie(committed, weighted, mixed, chained, frozenset(fails))


LIES = {
    "none": lie(TURNED, TURNED, TURNED, TURNED),
    "a duplicate": lie(TWICE, TWICE, TWICE, TWICE, "t2", "t41", "t42"),
    "two cards in one": lie(MERGED, MERGED, MERGED, MERGED, "t1", "t2", "t41", "t42"),
    "scaled, product kept": lie(SCALED, SCALED, UNSCALED, SCALED, "t1"),
    "negated twice": lie(NEGATED, NEGATED, NEGATED, NEGATED, "t1"),
    "sums of cards, rows of one": lie(SHEARED, SHEARED, SHEARED_BACK, SHEARED, "t2"),
    "the same, a false chain": lie(SHEARED, SHEARED, SHEARED_BACK, SAME, "t_hat"),
    "scaled, true commitments": lie(SAME, SCALED, UNSCALED, SCALED, "t3"),
}


def mix(group: Group, row: Sequence[int], points: Sequence[Point]) -> Point:
    return group.total(group.mul(m, point) for m, point in zip(row, points, strict=True) if m)


def applied(matrix: Matrix, u: Sequence[int]) -> tuple[int, ...]:
    return tuple(sum(m * x for m, x in zip(row, u, strict=True)) % ORDER for row in matrix)


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(left, right, strict=True))


def lying_turn(at: Scene, told: Lie, secrets: Secrets) -> tuple[Turn, set[str]]:
    """The turn, with every equation made to hold that can be, and the names of those that do not."""
    group, count = at.group, len(told.mixed)
    factors, rho, sigma, w_hat, w_prime = (
        secrets.scalars(name, count) for name in ("factor", "rho", "sigma", "w hat", "w prime")
    )
    w = secrets.scalars("w", 4)
    pairs = [
        at.encrypted(mix(group, row, at.inputs.a), mix(group, row, at.inputs.c), factor)
        for row, factor in zip(told.mixed, factors, strict=True)
    ]
    outputs = Blinded(tuple(a for a, _ in pairs), tuple(c for _, c in pairs))
    statement = Statement(at.deck.context(CHEAT, Stage.TURN), at.key, at.inputs, outputs)
    transcript = statement_transcript(statement)
    columns = zip(rho, zip(*told.committed, strict=True), strict=True)
    h = generators(group, count)
    p = tuple(group.add(group.base_mul(blind), mix(group, column, h)) for blind, column in columns)
    u = card_challenges(transcript, p)
    u_prime = applied(told.weighted, u)
    q: list[Point] = []
    sigma_hat = 0
    for blind, factor in zip(sigma, applied(told.chained, u), strict=True):
        q.append(group.add(group.base_mul(blind), group.mul(factor, q[-1] if q else chain_generator(group))))
        sigma_hat = (sigma_hat * factor + blind) % ORDER
    said = shuffle_module._announce(statement, q, w, w_hat, w_prime)
    c = last_challenge(transcript, q, said)
    proof = ShuffleProof(
        p=p,
        q=tuple(q),
        challenge=scalar_bytes(c),
        s1=scalar_bytes(w[0] + c * sum(rho)),
        s2=scalar_bytes(w[1] + c * sigma_hat),
        s3=scalar_bytes(w[2] + c * dot(rho, u)),
        s4=scalar_bytes(w[3] + c * dot(factors, u_prime)),
        s_hat=tuple(scalar_bytes(x + c * y) for x, y in zip(w_hat, sigma, strict=True)),
        s_prime=tuple(scalar_bytes(x + c * y) for x, y in zip(w_prime, u_prime, strict=True)),
    )
    found = shuffle_module._announced(statement, shuffle_module._parts(group, proof, count, CHEAT), u)
    fails = {f.name for f in fields(Announcement) if getattr(said, f.name) != getattr(found, f.name)}
    return at.with_proof(outputs, proof), fails


@GROUPS
@pytest.mark.parametrize("name", LIES)
def test_the_best_that_a_cheat_can_do(group: Group, name: str) -> None:
    """Some lies fail in one equation alone: a verifier that dropped it would take them for true."""
    told = LIES[name]
    at = scene(group, 3)
    turn, fails = lying_turn(at, told, Secrets(seed(CHEAT), b"cheat"))
    assert fails == told.fails
    if fails:
        at.refuses(turn)
    else:
        check_turn(at.deck, CHEAT, turn)


def test_generators_of_the_provers_choice() -> None:
    """With H_1 = 2·H_0 a prover could scale cards; generators are derived, so its proof is for others."""
    at = scene(STUB, 3)
    known = tuple(STUB.base_mul(k) for k in (2, 4, 6))
    statement = Statement(at.deck.context(CHEAT, Stage.TURN), at.key, at.inputs, at.outputs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffle_module, "generators", lambda _group, _count: known)
        proof = prove(statement, at.secret, seed(CHEAT))
    at.refuses(at.with_proof(at.outputs, proof))


# True proofs in the wrong place


CONTEXTS = {
    "match": lambda deck: replace(deck, table=table(match=b"n" * 32)),
    "deal": lambda deck: replace(deck, table=table(deal=4)),
    "attempt": lambda deck: replace(deck, table=table(attempt=1)),
    "round": lambda deck: replace(deck, round=1),
}


@pytest.mark.parametrize("name", CONTEXTS)
def test_a_turn_replayed_elsewhere(name: str) -> None:
    """Same keys, same lists, only the context differs; the cheat corrects the digest as well."""
    at = scene(STUB)
    turn = make_turn(at.deck, CHEAT, seed(CHEAT))
    elsewhere: Deck = CONTEXTS[name](at.deck)
    with pytest.raises(PeerFault) as fault:
        check_turn(elsewhere, CHEAT, turn)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_TURN, CHEAT)
    with pytest.raises(PeerFault, match="bad-turn"):
        add_turn(elsewhere, CHEAT, turn)
    corrected = structs.replace(turn, input=list_digest(elsewhere))
    with pytest.raises(PeerFault) as fault:
        check_turn(elsewhere, CHEAT, corrected)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_SHUFFLE_PROOF, CHEAT)


def test_a_turn_of_another_seat() -> None:
    """Seat 2 sends the turn that seat 1 made, on the list that seat 1 had."""
    at = scene(STUB)
    turn = make_turn(at.deck, CHEAT, seed(CHEAT))
    after = add_turn(at.deck, CHEAT, turn)
    with pytest.raises(PeerFault) as fault:
        check_turn(after, Seat(2), turn)
    assert (fault.value.code, fault.value.culprit) == (Fault.BAD_TURN, Seat(2))
    statement = Statement(
        Context(at.deck.table, 0, CHEAT, Stage.TURN),
        at.key,
        at.inputs,
        Blinded(tuple(map(Point, turn.a)), tuple(map(Point, turn.c))),
    )
    verify(statement, turn.proof)
    for context in (
        replace(statement.context, seat=Seat(2)),
        replace(statement.context, stage=Stage.SHARES),
        replace(statement.context, table=table(seats=6)),
    ):
        with pytest.raises(PeerFault, match="bad-shuffle-proof"):
            verify(replace(statement, context=context), turn.proof)


def test_turns_out_of_order() -> None:
    empty = new_deck(table(), range(COUNT))
    deck = with_keys(table(), range(COUNT))
    first = make_turn(deck, Seat(0), seed(0))
    after = add_turn(deck, Seat(0), first)
    second = make_turn(after, Seat(1), seed(1))
    cases = (
        (empty, Seat(0), first),
        (deck, Seat(1), first),
        (deck, Seat(3), second),
        (after, Seat(0), first),
        (after, Seat(2), second),
        (after, Seat(1), first),
        (shuffled(table(), range(COUNT)), Seat(0), first),
    )
    for at, seat, turn in cases:
        with pytest.raises(PeerFault) as fault:
            add_turn(at, seat, turn)
        assert (fault.value.code, fault.value.culprit) == (Fault.BAD_TURN, seat)
    for at, seat, turn in ((empty, Seat(0), first), (deck, Seat(1), second), (after, Seat(2), second)):
        with pytest.raises(PeerFault, match="bad-turn"):
            check_turn(at, seat, turn)
    with pytest.raises(ValueError, match="turn"):
        make_turn(deck, Seat(1), seed(1))
    with pytest.raises(ValueError, match="turn"):
        make_turn(empty, Seat(0), seed(0))


def test_a_turn_on_a_list_that_is_not_the_predecessors() -> None:
    """Seat 0 sent two different turns; seat 1 worked on the one, the table has the other."""
    deck = with_keys(table(), range(COUNT))
    one, two = make_turn(deck, Seat(0), seed(0)), make_turn(deck, Seat(0), b"\x55" * 32)
    check_turn(deck, Seat(0), two)
    turn = make_turn(add_turn(deck, Seat(0), two), Seat(1), seed(1))
    with pytest.raises(PeerFault, match="another list"):
        add_turn(add_turn(deck, Seat(0), one), Seat(1), turn)
    with pytest.raises(PeerFault, match="another list"):
        check_turn(add_turn(deck, Seat(0), one), Seat(1), turn)


def test_a_turn_of_another_size() -> None:
    small, large = with_keys(table(), range(4)), with_keys(table(), range(5))
    with pytest.raises(PeerFault, match="malformed"):
        check_turn(small, Seat(0), make_turn(large, Seat(0), seed(0)))
    with pytest.raises(PeerFault, match="malformed"):
        add_turn(large, Seat(0), make_turn(small, Seat(0), seed(0)))


def test_a_turn_stays_checkable_after_later_ones() -> None:
    """The next seat may work on an unverified list; the proof is checked against what lay before."""
    deck = shuffled(table(), range(COUNT))
    for seat in seats(deck):
        check_turn(deck, seat, deck.turns[seat])
        with pytest.raises(PeerFault):
            check_turn(deck, seat, deck.turns[(seat + 1) % 4])


def test_a_turn_of_an_earlier_round() -> None:
    deck = shuffled(table(), range(COUNT))
    again = next_round(deck, range(COUNT), Position(COUNT))
    with pytest.raises(PeerFault, match="bad-turn"):
        add_turn(again, Seat(0), deck.turns[0])


def test_a_seat_that_the_table_lacks() -> None:
    deck = with_keys(table(), range(COUNT))
    turn = make_turn(deck, Seat(0), seed(0))
    for seat in (Seat(4), Seat(-1)):
        for act in (add_turn, check_turn):
            with pytest.raises(PeerFault) as fault:
                act(deck, seat, turn)
            assert (fault.value.code, fault.value.culprit) == (Fault.WRONG_SEAT, None)
