"""A seat that denies every quartet: found out at the end of that deal, and worse off for it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from sim_helpers import honest_faults, play_match
from sim_rules import happened

from kemps_p2p.game.actions import Admit, Deny, call_kind
from kemps_p2p.game.cards import Card
from kemps_p2p.game.events import Answered, Called, DealEnded, DealLost, Event, FalseDenial, Scored
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.ids import Position, Seat, Team
from kemps_p2p.lab.referee import check_whole_match
from kemps_p2p.runtime.simnet import PERFECT
from kemps_p2p.session.answers import Answering
from kemps_p2p.session.audit import Verdict, audit
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.match import Match
from kemps_p2p.session.play import Play
from kemps_p2p.session.session import Session

LIAR = Seat(1)
Sort = TypeVar("Sort")
RULES = override(load_rules("chaulcer"), {"look_ms": 0, "idle_seconds": 1, "goal": 4, "deal_limit": 6})


class LyingAnswers(Answering):
    def due(self, match: Match, faces: Mapping[Position, Card], now_ms: int) -> Admit | Deny | None:
        true = super().due(match, faces, now_ms)
        return None if true is None else Deny()


class LyingSession(Session):
    """A seat whose program denies whatever it holds."""

    def _make_play(self, founding: Founding, now_ms: int, wall_ms: int) -> Play:
        play = super()._make_play(founding, now_ms, wall_ms)
        play._answering = LyingAnswers(self.seat)
        return play


def seated(setup: Setup) -> Session:
    return LyingSession(setup) if setup.seat == LIAR else Session(setup)


def deals(events: Iterable[Event]) -> Iterator[list[Event]]:
    deal: list[Event] = []
    for event in events:
        deal.append(event)
        if isinstance(event, DealEnded):
            yield deal
            deal = []


def of_kind(deal: list[Event], sort: type[Sort]) -> list[Sort]:
    return [event for event in deal if isinstance(event, sort)]


def first_lie() -> list[Event]:
    """The events of a deal in which the first call was denied falsely, after everything has been checked."""
    for seed in range(24):
        sim = play_match(seed, rules=RULES, net=PERFECT, machine=seated)
        check_whole_match(sim)
        assert honest_faults(sim) == [[]] * 4
        report = audit(sim.peers[0].log_bytes, allow_stub=True)
        assert report.verdict is Verdict.CLEAN
        for deal in deals(happened(report)):
            lies = of_kind(deal, FalseDenial)
            if lies and lies[0].caller == of_kind(deal, Called)[0].seat:
                return deal
    raise AssertionError("no seed brings the seat to a lie")


def test_a_false_denial_makes_the_call_right_and_costs_the_denier_besides() -> None:
    """The call counts as right for whoever made it, be it the liar's partner; and what a double counter is
    worth, the most here, goes to the other team.
    """
    deal = first_lie()
    call, first, ended = of_kind(deal, Called)[0], of_kind(deal, Scored)[0], of_kind(deal, DealEnded)[0]
    assert Answered(LIAR, Deny()) in deal
    assert {lie.seat for lie in of_kind(deal, FalseDenial)} == {LIAR}
    assert of_kind(deal, DealLost) == [DealLost(Team(LIAR % 2))]
    # When it was made, it was counted as wrong.
    assert first.changes[call.seat % 2] == -1
    before = [score - change for score, change in zip(first.scores, first.changes, strict=True)]
    before[call.seat % 2] += RULES.points_right.of(call_kind(call.calls[0])) or 0
    before[1 - LIAR % 2] += 4
    assert ended.scores == tuple(before)
