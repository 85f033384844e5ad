"""What a claimant may try to bend the draw with: the digest of its own claim is all that it can choose."""

from kemps_p2p.codec import Digest, tagged_hash
from kemps_p2p.ledger.poll import DecidedSet, order_together

VARIANTS = 32
GUESSES = 100
DRAWS = 3000


def claim_variant(number: int) -> Digest:
    """One way to say the same wish: another head, another word beside it, another signature."""
    return tagged_hash("test/variant", number.to_bytes(2, "big"))


def coin(name: str, number: int) -> bytes:
    return tagged_hash(f"test/coin/{name}", number.to_bytes(2, "big"))


HONEST = tagged_hash("test/honest claim")
OWN_COIN = coin("own", 0)


def wins(own: Digest, other_coin: bytes) -> bool:
    """True if the grinder's claim goes first; its seat is the lower one."""
    together = DecidedSet(tuple(sorted((own, HONEST))), frozenset())
    return order_together(together, lambda a, b: False, (OWN_COIN, other_coin))[0] == own


def test_grinding_a_claim_gains_nothing_while_one_coin_is_unknown() -> None:
    """The claim that would win most against many guesses of the other coin wins half of the time."""
    guesses = [coin("guess", number) for number in range(GUESSES)]
    variants = [claim_variant(number) for number in range(VARIANTS)]
    best = max(variants, key=lambda own: sum(wins(own, guess) for guess in guesses))
    assert sum(wins(best, guess) for guess in guesses) > 0.55 * GUESSES, "grinding looked worth it"
    won = sum(wins(best, coin("honest", number)) for number in range(DRAWS))
    assert abs(won / DRAWS - 0.5) < 0.03


def test_a_coin_that_was_known_would_be_ground_against() -> None:
    """What the coins are committed and kept back for: with the other's in hand the grinder always wins."""
    for number in range(20):
        known = coin("honest", number)
        assert any(wins(claim_variant(tried), known) for tried in range(VARIANTS))
