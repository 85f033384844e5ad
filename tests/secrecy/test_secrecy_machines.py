"""Whole matches in which seats leak while they play, and the snoop that finds each of them out."""

import pytest
from secrecy_check import Checked, checked
from secrecy_leaky import (
    STOCK,
    Chatters,
    ReusesNonce,
    ReusesOrder,
    ReusesOrderAlone,
    SharesOwnHand,
    SharesStock,
)
from secrecy_runs import opening_of_match, two_open_deals
from snoop import Finding, Kind

from kemps_p2p.session.play import Play

LEAKY: dict[int, type[Play]] = {0: SharesOwnHand, 1: ReusesNonce, 2: SharesStock, 3: Chatters}


@pytest.fixture(scope="module")
def leaky() -> Checked:
    """The deal of hands and the beginning of play, every seat leaking in its own way."""
    return checked(opening_of_match(seed=3, leaky=LEAKY))


def leaks(done: Checked, seat: int) -> list[Finding]:
    found = done.early(seat)
    assert found, "not found out"
    return found


def test_an_early_share_of_a_hand_card(leaky: Checked) -> None:
    (leak,) = leaks(leaky, 0)
    assert (leak.kind, leak.deal, leak.position) == (Kind.SHARE, 0, 0)


def test_an_early_share_of_a_stock_card(leaky: Checked) -> None:
    (leak,) = leaks(leaky, 2)
    assert (leak.kind, leak.deal, leak.position) == (Kind.SHARE, 0, STOCK)


def test_a_nonce_used_twice_opens_hand_and_stock(leaky: Checked) -> None:
    found = leaks(leaky, 1)
    assert {leak.kind for leak in found} == {Kind.KEY, Kind.WEAK}
    read = {leak.position for leak in found if leak.kind is Kind.KEY}
    due = leaky.dues[1].against(1)
    assert read >= {position for position in range(52) if (0, position) not in due}
    assert len({leak.card for leak in found if leak.kind is Kind.KEY}) == len(read)


@pytest.mark.parametrize("kind", [Kind.SEED, Kind.KEY])
def test_a_seed_whispered_to_the_partner_and_a_key_sent_for_a_coin(leaky: Checked, kind: Kind) -> None:
    found = leaks(leaky, 3)
    assert {leak.kind for leak in found} == {Kind.SEED, Kind.KEY}
    assert set(range(12, 16)) <= {leak.position for leak in found if leak.kind is kind}


def test_one_permutation_for_two_deals() -> None:
    """The deal that is shuffled ahead while this one is played is enough."""
    done = checked(opening_of_match(seed=3, leaky={2: ReusesOrder}), honest=(2,))
    found = leaks(done, 2)
    assert {leak.kind for leak in found} == {Kind.WEAK}
    assert len([leak for leak in found if leak.text.startswith("factor ")]) >= 52


@pytest.mark.soak
def test_one_permutation_with_fresh_factors_for_two_deals() -> None:
    """Cards that may be known tell. The group hides nothing here, but that is not what is asked."""
    trace = two_open_deals(seed=4, leaky={1: ReusesOrderAlone})
    found = checked(trace, honest=(1,)).early(1)
    assert {leak.text.split(" lie in ")[1] for leak in found if leak.kind is Kind.ORDER} >= {
        "the order of deal 0"
    }
    innocent = checked(two_open_deals(seed=4, leaky={}), honest=(1,))
    assert Kind.ORDER not in {leak.kind for leak in innocent.snoops.of(1)}
