import pytest
from audit_forger import Forger
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
    """A match with races of every kind."""
    return eventful("K")


@pytest.fixture(scope="session")
def parts(busy: Played) -> Forger:
    """The busy match taken apart. Tests work on copies."""
    return Forger.of(busy)


@pytest.fixture
def forger(parts: Forger) -> Forger:
    """The busy match in parts that a test may change."""
    return parts.copy()
