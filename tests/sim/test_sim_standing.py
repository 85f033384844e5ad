"""Seats pass from one standing to another as the table says, and the table is the one in protocol.md."""

from pathlib import Path

import pytest
from sim_helpers import STUB
from standing import TRANSITIONS, Standing, diagram, standing

from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat
from kemps_p2p.lab.faults import run_seed, short
from kemps_p2p.session import effects as fx
from kemps_p2p.session.play import Play

PROTOCOL = Path(__file__).parents[2] / "protocol.md"
STEPS = {pair for pair in TRANSITIONS if Standing.RECOVERING not in pair}


def seen_in(seeds: range, players: int, monkeypatch: pytest.MonkeyPatch) -> set[tuple[Standing, Standing]]:
    """Every change of a seat's standing in matches under faults, from one input to the next."""
    seen: set[tuple[Standing, Standing]] = set()
    last: dict[Seat, tuple[Play, Standing]] = {}
    flush = Play.flush

    def watched(self: Play, now_ms: int) -> list[fx.Effect]:
        effects = flush(self, now_ms)
        now = standing(self)
        play, before = last.get(self.seat, (self, Standing.NORMAL))
        # A process that died in the lobby, or right after it, has nothing to recover from.
        if before is not now and (play is self or now is Standing.RECOVERING):
            seen.add((before, now))
        last[self.seat] = self, now
        return effects

    monkeypatch.setattr(Play, "flush", watched)
    for seed in seeds:
        last.clear()
        assert not run_seed(seed, players, short(load_rules("kemps")), STUB).wrong
    return seen


def test_the_diagram_is_that_of_the_table() -> None:
    assert f"```mermaid\n{diagram()}\n```\n" in PROTOCOL.read_text()


def test_seats_change_their_standing_by_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = seen_in(range(304, 306), 6, monkeypatch)
    assert seen <= TRANSITIONS.keys()
    assert (Standing.HANDED_OVER, Standing.NORMAL) in seen
    assert (Standing.RECOVERING, Standing.NORMAL) in seen


@pytest.mark.soak
def test_every_change_of_the_table_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = seen_in(range(300, 400), 6, monkeypatch)
    assert seen <= TRANSITIONS.keys()
    assert seen >= STEPS
