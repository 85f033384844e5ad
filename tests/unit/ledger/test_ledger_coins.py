"""Coins: each is the preimage of the one before it, has 32 bytes, and its seat answers for it."""

from itertools import pairwise

import pytest
from ledger_helpers import code_of

from kemps_p2p.codec import tagged_hash
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import CHAIN_LENGTH, check_coin, coin_chain

CHAIN = coin_chain(b"secret")


def test_a_chain_is_used_up_coin_by_coin() -> None:
    assert len(CHAIN) == CHAIN_LENGTH + 1
    for last, coin in pairwise(CHAIN[:9]):
        check_coin(last, coin, Seat(2))


@pytest.mark.parametrize("coin", [CHAIN[0], CHAIN[2], bytes(32), coin_chain(b"other")[1]])
def test_a_coin_that_does_not_follow_is_its_seats_fault(coin: bytes) -> None:
    with pytest.raises(PeerFault) as fault:
        check_coin(CHAIN[0], coin, Seat(2))
    assert code_of(fault) == (Fault.BAD_COIN, 2)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_coin_of_another_length_is_refused_although_the_chain_was_made_for_it(size: int) -> None:
    coin = b"x" * size
    with pytest.raises(PeerFault) as fault:
        check_coin(tagged_hash("kemps/v1/coin", coin), coin, Seat(1))
    assert code_of(fault) == (Fault.BAD_COIN, 1)
