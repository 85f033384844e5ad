"""Committed coins: hash chains whose preimages settle what the table's poll leaves together.

The genesis holds the end of each seat's chain; every draw uses up one preimage, so that nobody can choose
its coin after seeing the claims. Section "Coins" of protocol.md.
"""

from functools import lru_cache
from hashlib import sha256
from typing import NewType

from kemps_p2p.codec import Digest, derive, lead, tagged_hash
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.ids import Seat

Coin = NewType("Coin", bytes)
"""32 bytes: a preimage of the chain, or its published end."""

CHAIN_LENGTH = 4096


_COIN_BYTES = 32
_LEAD = lead("kemps/v1/coin", last_bytes=_COIN_BYTES)
"""What a tagged hash of a coin begins with."""


def _next(coin: bytes) -> Coin:
    """The tagged hash of a coin of 32 bytes."""
    return Coin(sha256(_LEAD + coin).digest())


@lru_cache(maxsize=16)
def coin_chain(secret: bytes) -> tuple[Coin, ...]:
    """The chain from its published end (index 0) to its root (index CHAIN_LENGTH); kept, since it is long."""
    coin = derive("kemps/v1/coin-root", secret)[:32]
    chain = [coin]
    for _ in range(CHAIN_LENGTH):
        # `_next`, in line.
        coin = sha256(_LEAD + coin).digest()
        chain.append(coin)
    return tuple(map(Coin, reversed(chain)))


def check_coin(last: bytes, coin: bytes, seat: Seat) -> None:
    """Raise `PeerFault` BAD_COIN unless `coin` is the preimage that follows `last` in the seat's chain."""
    if len(coin) != _COIN_BYTES or _next(coin) != last:
        raise PeerFault(Fault.BAD_COIN, "a coin does not fit the committed chain", culprit=seat)


def priority(set_digest: bytes, coins: tuple[bytes, ...], claim: bytes) -> Digest:
    """Where a claim comes in the draw of a set: lower goes first. `coins` are the claimants', by seat."""
    return tagged_hash("kemps/v1/draw", set_digest, *coins, claim)
