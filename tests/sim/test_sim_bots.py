"""The light table of bots against whole simulated ones: the same bots, the same figures."""

from dataclasses import dataclass, field

import pytest
from sim_helpers import play_match, short_rules

from kemps_p2p.bots.bot import Pace
from kemps_p2p.game.events import DealEnded, Event, PlayStarted, Verdicts
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.rules import RuleSet, load_rules, override
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.ids import Seat
from kemps_p2p.lab.evening import Evening
from kemps_p2p.lab.referee import check_whole_match
from kemps_p2p.runtime.sim import Sim, Stop
from kemps_p2p.session import effects as fx
from kemps_p2p.session.seals import opened_intents

MATCHES = 16


@dataclass
class Figures:
    """What happened in some matches; `played_ms`: from the first start of play in a deal to its end."""

    matches: int = 0
    deals: int = 0
    calls: int = 0
    right: int = 0
    played_ms: int = 0
    _since_ms: list[int] = field(default_factory=list)

    def note(self, event: Event, now_ms: int) -> None:
        match event:
            case PlayStarted():
                self._since_ms.append(now_ms)
            case Verdicts():
                self.calls += len(event.verdicts)
                self.right += event.verdicts.count(Verdict.RIGHT)
            case DealEnded():
                self.deals += 1
                self.played_ms += now_ms - self._since_ms[0]
                self._since_ms.clear()
            case _:
                pass


def simulated(rules: RuleSet) -> Figures:
    """Of whole tables: keys, deck, log and network."""
    figures = Figures()
    for seed in range(MATCHES):

        def watch(seat: Seat, effect: fx.Effect, now_ms: int) -> None:
            match effect:
                case fx.Show(sight=fx.Happened(events=events)) if seat == 0:
                    for event in events:
                        figures.note(event, now_ms)
                case _:
                    pass

        sim = Sim(rules=rules, players=4, seed=seed, group="stub-insecure", pace=Pace.NORMAL, watch=watch)
        assert sim.run() is Stop.DONE
        figures.matches += 1
    return figures


def light(rules: RuleSet, matches: int) -> Figures:
    """Of bots around an omniscient table."""
    figures = Figures()
    for seed in range(matches):
        evening = Evening(seed, rules, 4, pace=Pace.NORMAL)
        evening.on_event = lambda event, it=evening: figures.note(event, it.now_ms)
        evening.play_match()
        figures.matches += 1
    return figures


@pytest.mark.soak
@pytest.mark.parametrize(("preset", "keys"), [("kemps", {}), ("chaulcer", {"deal_limit": 6})])
def test_the_light_table_plays_as_whole_ones_do(preset: str, keys: dict[str, object]) -> None:
    """Sixteen matches tell a share only roughly; the bounds are some two and a half deviations wide."""
    rules = override(load_rules(preset), keys)
    whole, quick = simulated(rules), light(rules, 6 * MATCHES)
    assert whole.deals / whole.matches == pytest.approx(quick.deals / quick.matches, rel=0.15)
    assert whole.calls / whole.deals == pytest.approx(quick.calls / quick.deals, rel=0.25)
    assert whole.right / whole.calls == pytest.approx(quick.right / quick.calls, abs=0.12)
    assert whole.played_ms / whole.deals == pytest.approx(quick.played_ms / quick.deals, rel=0.25)


def test_bots_seal_their_books_and_open_them() -> None:
    """And whoever knows the log knows what each gesture was made for."""
    sim = play_match(5, rules=short_rules("KE"))
    match = check_whole_match(sim)
    books = {seat: set(opened.values()) for seat, opened in match.opened_books.items()}
    assert books.keys() == {0, 1, 2, 3}
    assert all(books[Seat(team)] == books[Seat(team + 2)] for team in (0, 1))
    intents = opened_intents(match)
    assert set(intents.values()) == set(Intent)
    assert len(intents) == sum(map(len, match.gestures.values()))
