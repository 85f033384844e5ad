"""Carelessness with permutations, factors and nonces, which no peer can refuse and the snoop finds."""

from dataclasses import replace

import pytest
from secrecy_small import CARDS, CARELESS, Small, fixed, honest_secret, sticky
from snoop import Finding, Kind

from kemps_p2p.codec import encode
from kemps_p2p.deck.context import Secrets, Stage, nonces
from kemps_p2p.deck.deal import Deck
from kemps_p2p.deck.group import ORDER, Point, scalar_bytes
from kemps_p2p.deck.shares import secret_key
from kemps_p2p.deck.shuffle import (
    Blinded,
    Reblinding,
    Statement,
    card_challenges,
    secret_order,
    statement_transcript,
)
from kemps_p2p.deck.state import list_before
from kemps_p2p.ids import Position, Seat

FIXED = Secrets(bytes(32), b"fixed")


def fixed_secret() -> Reblinding:
    return Reblinding(secret_order(FIXED, len(CARDS)), FIXED.scalars("factor", len(CARDS)))


def weak(leaks: list[Finding], word: str) -> list[Finding]:
    """Weaknesses of some kind; all leaks must be weaknesses."""
    assert {leak.kind for leak in leaks} <= {Kind.WEAK}
    return [leak for leak in leaks if word in leak.text]


def equivocated(small: Small, deck: Deck, *secrets: Reblinding | None) -> None:
    """The seat before says two turns, and the careless seat takes its own on both, with these secrets."""
    deck = small.turn(deck, Seat(0))
    ours = small.turn(deck, Seat(1))
    other = small.turn(deck, Seat(1), replace(fixed_secret(), order=tuple(reversed(CARDS))))
    small.turn(ours, CARELESS, secrets[0])
    small.turn(other, CARELESS, secrets[1])


def test_a_careful_seat_gives_nothing_away() -> None:
    """Two deals, a round that comes back, and a turn redone for a seat that shows two lists."""
    small = Small()
    first = small.shuffled(small.keys(0))
    small.share(first, range(5))
    small.share(first, (7,))
    again = small.shuffled(small.again(first))
    small.share(again, (8, 15))
    second = small.shuffled(small.keys(1))
    small.share(second, range(5))
    equivocated(small, small.keys(2), None, None)
    due = [(0, position) for position in (*range(5), 7, 8, 15)] + [(1, position) for position in range(5)]
    found = small.found()
    assert small.leaks(due) == []
    assert {(each.deal, each.position) for each in found} == set(due)
    assert {each.kind for each in found} == {Kind.SHARE}


def test_one_permutation_with_its_factors_in_two_deals() -> None:
    small = Small()
    for deal in (0, 1):
        small.shuffled(small.keys(deal), fixed_secret())
    assert len({leak.text.split(" of ")[0] for leak in weak(small.leaks(), "factor")}) == len(CARDS)


def test_one_permutation_with_its_factors_for_an_equivocating_predecessor() -> None:
    small = Small()
    equivocated(small, small.keys(0), fixed_secret(), fixed_secret())
    assert len(weak(small.leaks(), "factor")) >= len(CARDS)


def test_one_permutation_with_its_factors_for_cards_that_come_back() -> None:
    small = Small()
    deck = small.shuffled(small.keys(0), fixed_secret())
    small.shuffled(small.again(deck), fixed_secret())
    assert len(weak(small.leaks(), "factor")) >= len(CARDS)


def test_the_same_factors_with_another_permutation() -> None:
    small = Small()
    for deal in (0, 1):
        deck = small.keys(deal)
        for seat in map(Seat, range(4)):
            order = secret_order(Secrets(bytes(32), bytes([deal])), len(CARDS))
            secret = replace(fixed_secret(), order=order) if seat == CARELESS else None
            deck = small.turn(deck, seat, secret)
    assert len(weak(small.leaks(), "factor")) >= len(CARDS)


def test_the_same_permutation_with_other_factors() -> None:
    """Nothing in the turns tells; the cards that may be known do."""
    small = Small()
    for deal in (0, 1):
        deck = small.keys(deal)
        factors = Secrets(bytes(32), bytes([deal])).scalars("factor", len(CARDS))
        deck = small.shuffled(deck, replace(fixed_secret(), factors=factors))
        small.share(deck, range(6))
    leaks = small.leaks([(deal, position) for deal in (0, 1) for position in range(6)])
    assert {leak.kind for leak in leaks} == {Kind.ORDER}
    assert "the order of deal 0" in leaks[0].text


def test_no_permutation_at_all() -> None:
    small = Small()
    deck = small.shuffled(small.keys(0), replace(fixed_secret(), order=tuple(CARDS)))
    small.share(deck, range(6))
    leaks = small.leaks([(0, position) for position in range(6)])
    assert [(leak.kind, leak.text) for leak in leaks] == [(Kind.ORDER, "6 of 6 cards lie in no order at all")]


def test_one_factor_for_two_cards() -> None:
    small = Small()
    factors = fixed_secret().factors
    small.shuffled(small.keys(0), replace(fixed_secret(), factors=(*factors[:-1], factors[0])))
    (leak,) = small.leaks()
    assert leak.text.startswith("factor 7 of ")
    assert "factor 0 of " in leak.text


@pytest.mark.parametrize("factor", [1, 3, ORDER - 2])
def test_a_factor_that_anyone_can_guess(factor: int) -> None:
    small = Small()
    small.shuffled(small.keys(0), replace(fixed_secret(), factors=(*fixed_secret().factors[1:], factor)))
    (text,) = (leak.text for leak in small.leaks() if leak.kind is Kind.WEAK)
    assert text.startswith("factor 7 of ")


def test_a_card_that_is_not_blinded_anew() -> None:
    """The output is the input, and so tracks its card."""
    small = Small()
    small.shuffled(small.keys(0), replace(fixed_secret(), factors=(*fixed_secret().factors[1:], 0)))
    texts = {leak.text.split(" of ")[0] for leak in small.leaks() if leak.kind is Kind.WEAK}
    assert texts == {"factor 7", "2 points"}


@pytest.mark.parametrize(
    ("label", "slots"),
    [
        ("rho", {"rho"}),
        ("sigma", {"sigma"}),
        ("w", {"t1", "t2"}),
        ("w hat", {"w hat"}),
        ("w prime", {"w prime"}),
    ],
)
def test_a_nonce_of_a_turn_used_twice(label: str, slots: set[str]) -> None:
    small = Small()
    twice = sticky(label)
    for deal in (0, 1):
        small.shuffled(small.keys(deal), nonces=twice)
    leaks = weak(small.leaks(), "again")
    assert {leak.text.rpartition(" of turn 1 ")[0].rpartition(" ")[0] for leak in leaks} == slots


@pytest.mark.parametrize("label", ["rho", "sigma", "w hat", "w prime"])
def test_a_nonce_of_a_turn_that_anyone_can_guess(label: str) -> None:
    small = Small()
    small.shuffled(small.keys(0), nonces=fixed(label, 7))
    texts = [leak.text for leak in small.leaks() if leak.kind is Kind.WEAK]
    assert len({text for text in texts if text.startswith(f"{label} ")}) == len(CARDS)


def test_a_nonce_of_shares_used_twice_opens_the_deal() -> None:
    small = Small()
    deck = small.shuffled(small.keys(0))
    twice = sticky("w")
    small.share(deck, (0,), twice)
    small.share(deck, (1,), twice)
    opened(small, deck)


def test_nonces_of_shares_a_step_apart_open_the_deal() -> None:
    small = Small()
    deck = small.shuffled(small.keys(0))
    apart = sticky("w", step=5)
    for position in (0, 1):
        small.share(deck, (position,), apart)
    opened(small, deck)


def test_one_nonce_for_the_key_and_for_shares_opens_the_deal() -> None:
    small = Small()
    twice = sticky("w")
    deck = small.shuffled(small.keys(0, twice))
    small.share(deck, (0,), twice)
    opened(small, deck)


def test_a_nonce_of_shares_that_anyone_can_guess_opens_the_deal() -> None:
    small = Small()
    deck = small.shuffled(small.keys(0))
    small.share(deck, (0,), fixed("w", 11))
    opened(small, deck)


def opened(small: Small, deck: Deck) -> None:
    """All cards are read by the key, and rightly, at the moment of the last piece."""
    by_key = [leak for leak in small.leaks() if leak.kind is Kind.KEY]
    assert {leak.position: leak.card for leak in by_key} == truth(small, deck)
    assert {leak.at for leak in by_key} == {len(small.pieces) - 1}


def test_a_share_on_an_earlier_list_reads_the_last() -> None:
    """The others know what the later turns did, so a share of the own turn's list is as good."""
    small = Small()
    deck = small.shuffled(small.keys(0))
    outputs = list_before(deck, Seat(CARELESS + 1))
    secret = secret_key(deck.table, CARELESS, small.seed(0, CARELESS))
    small.pieces.append((99, encode((deck.table.group.mul(secret, outputs.a[5]),))))
    (leak,) = small.leaks()
    assert leak.kind is Kind.SHARE
    assert leak.at == 99


def test_two_seats_with_one_secret() -> None:
    """A broken source of chance: then each knows the other's key."""
    small = Small()
    small.secrets[CARELESS] = small.secrets[0]
    small.shuffled(small.keys(0))
    assert {(leak.kind, leak.position) for leak in small.leaks()} == {(Kind.SEED, n) for n in CARDS}


@pytest.mark.parametrize("what", ["factor", "point of the factor", "factor times K", "rho", "w prime"])
def test_a_secret_of_a_turn_that_is_said_links_one_card(what: str) -> None:
    small = Small()
    deck = small.keys(0)
    for seat in (Seat(0), Seat(1)):
        deck = small.turn(deck, seat)
    secret = honest_secret(small, deck)
    done = small.turn(deck, CARELESS)
    output, source, group = 4, secret.order[4], deck.table.group
    said = {
        "factor": scalar_bytes(secret.factors[output]),
        "point of the factor": group.base_mul(secret.factors[output]),
        "factor times K": group.mul(secret.factors[output], done.joint_key or Point(b"")),
        "rho": scalar_bytes(nonce_of(small, done, "rho", source)),
        "w prime": scalar_bytes(nonce_of(small, done, "w prime", output)),
    }[what]
    deck = small.turn(done, Seat(3))
    small.pieces.append((50, encode((said,))))
    (leak,) = small.leaks()
    assert (leak.kind, leak.at) == (Kind.LINK, 50)
    assert leak.card == truth(small, deck)[Position(leak.position or 0)]
    assert leak.card == truth_before(small, deck)[source]


def nonce_of(small: Small, deck: Deck, label: str, index: int) -> int:
    """A nonce of the careless turn, as the program derives it."""
    turn = deck.turns[CARELESS]
    outputs = Blinded(tuple(map(Point, turn.a)), tuple(map(Point, turn.c)))
    context = deck.context(CARELESS, Stage.TURN)
    inputs = list_before(deck, CARELESS)
    script = statement_transcript(Statement(context, deck.joint_key or Point(b""), inputs, outputs))
    if label != "rho":
        card_challenges(script, turn.proof.p)
    return nonces(small.seed(0, CARELESS), script).scalar(label, index)


def truth_before(small: Small, deck: Deck) -> list[int]:
    """The cards of the list that the careless turn was taken on."""
    return cards_of(small, deck, CARELESS)


def truth(small: Small, deck: Deck) -> dict[Position, int]:
    """The cards as they lie at the end."""
    return dict(zip(map(Position, CARDS), cards_of(small, deck, Seat(4)), strict=True))


def cards_of(small: Small, deck: Deck, seat: Seat) -> list[int]:
    """The cards of the list before a seat's turn, decrypted with all keys."""
    group = deck.table.group
    total = sum(secret_key(deck.table, Seat(each), small.seed(0, each)) for each in small.secrets)
    clear = list(list_before(deck, Seat(0)).c)
    blinded = list_before(deck, seat)
    return [clear.index(group.sub(c, group.mul(total, a))) for a, c in zip(blinded.a, blinded.c, strict=True)]
