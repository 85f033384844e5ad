import pytest

from kemps_p2p.runtime import wire


@pytest.fixture
def short_farewells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of those who talk in these tests never hang up by themselves."""
    monkeypatch.setattr(wire, "_PARTING_S", 0.1)
