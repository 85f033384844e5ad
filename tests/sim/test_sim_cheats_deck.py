"""A seat that lies in the deck: every honest peer names it, its team loses the deal, the match goes on."""

from dataclasses import replace

import pytest
from msgspec import structs
from sim_cheats import (
    DUTY,
    OTHERS,
    SEED,
    cheated,
    harmless,
    lost,
    named,
    refused,
    shares_of_deal,
)
from sim_helpers import journaled, play_match, short_rules

from kemps_p2p.codec import encode
from kemps_p2p.deck.deal import Shares, make_shares
from kemps_p2p.deck.shares import Proof
from kemps_p2p.errors import Fault
from kemps_p2p.ids import Position
from kemps_p2p.lab.cheats import Cheat, deeds_in, seated
from kemps_p2p.lab.lies_deck import (
    KEYS,
    POINT,
    REPLAYS,
    SHARES,
    TURNS,
    cancelling_keys,
    copied_commitment,
    duplicate_card,
    false_key,
    false_seal,
    false_seed,
    false_share,
    false_turn,
    replayed,
)
from kemps_p2p.lab.referee import blames_in, check_whole_match, entries_of
from kemps_p2p.ledger.tape import Deed, Statement
from kemps_p2p.runtime.sim import Sim
from kemps_p2p.session.dealing import deal_seed
from kemps_p2p.session.match import is_ready
from kemps_p2p.session.messages import ShareDeed, TurnDeed
from kemps_p2p.session.play import Play
from kemps_p2p.session.replay import winners
from kemps_p2p.session.takeover import take_over_in

# Turns


@pytest.mark.parametrize("name", TURNS)
def test_a_false_turn(name: str) -> None:
    make, code = TURNS[name]
    # The turn of another seat takes one before the own.
    cheat = max(OTHERS) if name == "turn of another seat" else OTHERS[len(name) % 3]
    match = refused(cheated(cheat, false_turn(make)), cheat, code)
    assert winners(match) == (1 - cheat % 2,)


def test_a_false_turn_later_in_the_match() -> None:
    """In the second deal: the first is played as ever, and after the lost one comes another."""
    cheat = next(seat for seat in OTHERS if seat != (DUTY + 1) % 4)
    sim = cheated(cheat, false_turn(duplicate_card, deal=1), word="KEM")
    match = refused(sim, cheat, Fault.BAD_SHUFFLE_PROOF, deal=1)
    assert match.game.deal >= 2
    assert sum(match.game.scores) >= 3
    assert shares_of_deal(sim, 0)
    assert shares_of_deal(sim, match.game.deal)


@pytest.mark.parametrize("name", REPLAYS)
def test_what_was_true_in_another_deal(name: str) -> None:
    kind, code = REPLAYS[name]
    cheat = next(seat for seat in OTHERS if seat != (DUTY + 1) % 4)
    refused(cheated(cheat, replayed(kind), word="KE"), cheat, code, deal=1)


def test_a_false_turn_on_real_points() -> None:
    cheat = OTHERS[0]
    sim = play_match(
        SEED,
        rules=short_rules("K"),
        group="ristretto255",
        machine=seated({cheat: false_turn(duplicate_card)}),
        liars=frozenset({cheat}),
    )
    refused(sim, cheat, Fault.BAD_SHUFFLE_PROOF)


def test_a_false_turn_of_the_seat_on_duty_that_blames_itself() -> None:
    refused(cheated(DUTY, false_turn(duplicate_card)), DUTY, Fault.BAD_SHUFFLE_PROOF)


def test_a_false_turn_of_the_seat_on_duty_that_it_does_not_blame_costs_it_the_duty_too() -> None:
    how = replace(false_turn(duplicate_card), hides=True)
    sim = cheated(DUTY, how)
    refused(sim, DUTY, Fault.BAD_SHUFFLE_PROOF)
    assert any(take_over_in(entry) is not None for entry in entries_of(sim))


def turns_of(sim: Sim, seat: int, deal: int) -> list[TurnDeed]:
    """Every turn that a seat has signed in the first round of a deal."""
    return [
        deed
        for item in journaled(sim, seat)
        if item.seat == seat
        for deed in deeds_in(item)
        if isinstance(deed, TurnDeed) and (deed.deal, deed.round) == (deal, 0)
    ]


def test_a_turn_out_of_turn_is_left_alone() -> None:
    """Said once more it is not owed: it is never logged, and nobody takes another turn because of it."""

    def again(play: Play) -> tuple[Statement, ...] | None:
        mine = [item for item in play.tapes.by_digest.values() if item.seat == play.seat]
        for item in mine:
            for deed in deeds_in(item):
                if isinstance(deed, TurnDeed):
                    return (Deed(payload=encode(deed)), Deed(payload=encode(structs.replace(deed, round=1))))
        return None

    cheat = OTHERS[1]
    sim = cheated(cheat, Cheat(nuisance=again))
    harmless(sim, cheat)
    assert [len(turns_of(sim, seat, 0)) for seat in range(4) if seat != cheat] == [1] * 3


def test_a_turn_taken_by_another_seat_is_left_alone() -> None:
    """A seat says the turn of the seat whose turn it is, as its own and before that seat does."""

    def snatched(play: Play) -> tuple[Statement, ...] | None:
        for item in play.tapes.by_digest.values():
            for deed in deeds_in(item):
                if isinstance(deed, TurnDeed) and item.seat == 0:
                    return (Deed(payload=encode(structs.replace(deed, on=item.digest))),)
        return None

    cheat = max(OTHERS)
    sim = cheated(cheat, Cheat(nuisance=snatched))
    harmless(sim, cheat)
    assert len(turns_of(sim, cheat, 0)) == 2


# Keys


@pytest.mark.parametrize("name", KEYS)
def test_a_false_key(name: str) -> None:
    change, code = KEYS[name]
    cheat = OTHERS[0]
    refused(cheated(cheat, false_key(change)), cheat, code)


def test_a_copied_commitment_loses_the_match_when_it_cannot_be_opened() -> None:
    """Nobody can tell who copied, so the table plays on; but a commitment names its seat."""
    cheat = OTHERS[0]
    sim = cheated(cheat, false_key(copied_commitment))
    named(sim, cheat, Fault.BAD_SEED)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert match.spoilt == {}
    assert match.forfeits == {cheat % 2}
    assert winners(match) == (1 - cheat % 2,)


def test_keys_that_cancel() -> None:
    """Two seats conspire to prove them; the one that comes second is blamed, by the fold alone."""
    first, second = (seat for seat in range(4) if seat % 2 != DUTY % 2)
    liars = frozenset({first, second})
    sim = play_match(
        SEED,
        rules=short_rules("K"),
        machine=seated(cancelling_keys(first, second)),
        liars=liars,
        limit_ms=60_000,
    )
    lost(sim, second, liars=liars)


# Shares


@pytest.mark.parametrize("name", SHARES)
def test_a_false_share(name: str) -> None:
    """Of the other hands, or of the pool."""
    change, code = SHARES[name]
    which = list(SHARES).index(name) % 2
    cheat = OTHERS[which]
    sim = cheated(cheat, false_share(change, which))
    named(sim, cheat, code)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert [event.culprit for event in blames_in(sim, DUTY)] == [cheat]
    assert match.spoilt == {}
    assert match.game.scores[cheat % 2] == 1
    assert winners(match) == (1 - cheat % 2,)


def test_a_false_share_said_before_the_deck_is_shuffled_counts_when_it_is_owed() -> None:
    proof = Proof(challenge=POINT, response=POINT)
    early = ShareDeed(deal=0, attempt=0, round=0, shares=Shares(positions=(0,), parts=(POINT,), proof=proof))
    cheat = next(seat for seat in OTHERS if seat != 0)
    said = Cheat(nuisance=lambda play: None if is_ready(play.tip) else (Deed(payload=encode(early)),))
    sim = cheated(cheat, said)
    named(sim, cheat, Fault.BAD_SHARE_PROOF)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert [event.culprit for event in blames_in(sim, DUTY)] == [cheat]
    assert winners(match) == (1 - cheat % 2,)


def test_a_true_share_that_is_not_owed_is_never_accepted() -> None:
    """Of the last card of the stock, which a short match never comes to."""
    last = Position(51)

    def nuisance(play: Play) -> tuple[Statement, ...] | None:
        if not play.final.game.hands:
            return None
        shares = make_shares(play.final.decks[0, 0], play.seat, deal_seed(play._dealing._secret, 0), [last])
        return (Deed(payload=encode(ShareDeed(deal=0, attempt=0, round=0, shares=shares))),)

    cheat = OTHERS[0]
    sim = cheated(cheat, Cheat(nuisance=nuisance))
    match = harmless(sim, cheat)
    assert any(last in deed.shares.positions for deed in shares_of_deal(sim, 0))
    assert match.decks[0, 0].shares[last] == (None,) * 4


# Seeds


def test_a_seal_that_the_seed_does_not_open_loses_the_match() -> None:
    """Honest peers find it when the seed is opened, which all else in the chain speaks for."""
    cheat = OTHERS[1]
    sim = cheated(cheat, false_seal())
    named(sim, cheat, Fault.BAD_SEAL)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert any(seat == cheat for _, seat in match.gestures)
    assert match.forfeits == {cheat % 2}


def test_a_false_seed_loses_the_match() -> None:
    cheat = OTHERS[2]
    sim = cheated(cheat, false_seed())
    named(sim, cheat, Fault.BAD_SEED)
    match = check_whole_match(sim, liars=frozenset({cheat}))
    assert match.forfeits == {cheat % 2}
    assert winners(match) == (1 - cheat % 2,)
