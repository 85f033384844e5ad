import pytest
from audit_helpers import Played, eventful, play, short_rules


@pytest.fixture(scope="session")
def stub() -> Played:
    """One short match whose cards are not hidden."""
    return play(1, short_rules("K"))


@pytest.fixture(scope="session")
def secure() -> Played:
    """One short match with the real group."""
    return play(1, short_rules("K"), "ristretto255")


@pytest.fixture(scope="session")
def busy() -> Played:
    """A match of several deals with races of every kind."""
    return eventful("KE")
