"""Whole evenings of bots: they end, at the length and with the share of right calls that a table expects.

The driver itself fails if a bot proposes what the rules forbid on the view it was asked with, wants to
wake up in the past, or does not stop at one instant.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import cycle

import pytest
from bots_helpers import Evening

from kemps_p2p.bots.bot import Pace
from kemps_p2p.game.actions import Action, Call, Gesture, Next, Pass, Swap, call_kind
from kemps_p2p.game.actions import CallKind as Sort
from kemps_p2p.game.cards import is_quartet
from kemps_p2p.game.events import DealEnd, Event, PlayStarted, Verdicts
from kemps_p2p.game.record import Phase, Result
from kemps_p2p.game.rules import rule_names
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.game.seating import team_of
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Seat
from kemps_p2p.lab.evening import DealRecord


def right_share(deals: Iterable[DealRecord]) -> float:
    found = [call.verdict for deal in deals for call in deal.calls]
    return found.count(Verdict.RIGHT) / len(found)


@pytest.mark.parametrize(
    "pace",
    [pytest.param(pace, marks=[] if pace is Pace.NORMAL else pytest.mark.soak) for pace in Pace],
)
def test_matches_end(pace: Pace) -> None:
    deals = []
    for seed in range(6):
        evening = Evening(seed, (4, 6, 8, 10)[seed % 4], pace=pace)
        tally = evening.play_match()
        assert evening.table.state.phase is Phase.MATCH_OVER
        assert max(evening.table.state.scores) == len(evening.rules.word)
        assert len(evening.rules.word) <= len(tally.deals) <= 16
        deals += tally.deals
    assert 0.4 <= right_share(deals) <= 0.95


def test_sixteen_players_finish_a_deal() -> None:
    (deal,) = Evening(0, 16).play_deals(1).over()
    assert deal.end is not None


@pytest.mark.soak
def test_deals_of_four_fast_bots_are_of_a_length() -> None:
    deals = [deal for seed in range(15) for deal in Evening(seed).play_match().deals]
    lengths = sorted(deal.actions for deal in deals)
    assert 15 <= lengths[len(lengths) // 2] <= 60
    assert lengths[-1] <= 150
    assert 5 <= len(deals) / 15 <= 9
    assert 0.6 <= right_share(deals) <= 0.95


def test_deals_end_in_every_way() -> None:
    ends: Counter[DealEnd | None] = Counter()
    calls: Counter[tuple[Sort, Verdict]] = Counter()

    def note(event: Event) -> None:
        if isinstance(event, Verdicts):
            calls.update(
                (call_kind(item), found) for item, found in zip(event.calls, event.verdicts, strict=True)
            )

    for seed in range(20):
        evening = Evening(seed, pace=Pace.RELAXED)
        evening.on_event = note
        ends.update(deal.end for deal in evening.play_match().deals)
    assert ends[DealEnd.CALL] > 5 * ends[DealEnd.EXHAUSTED] > 0
    for sort in (Sort.PARTNER, Sort.COUNTER):
        assert 2 * calls[sort, Verdict.RIGHT] > calls[sort, Verdict.WRONG] > 0
    assert calls[Sort.PARTNER, Verdict.RIGHT] > calls[Sort.COUNTER, Verdict.RIGHT]


@pytest.mark.parametrize("seed", range(50))
def test_no_proposal_is_illegal(seed: int) -> None:
    evening = Evening(seed, (4, 6, 8, 10)[seed % 4], pace=list(Pace)[seed // 4 % 2], delay_ms=(5, 60))
    tally = evening.play_deals(1)
    assert {Next, Pass, Swap, Call} >= {type(action) for _, _, action in tally.log} - {Gesture}
    assert tally.results[Result.OK] >= 5


@pytest.mark.parametrize(("name", "pace"), list(zip(rule_names(), cycle(Pace), strict=False)))
def test_other_rule_books_are_played_too(name: str, pace: Pace) -> None:
    evening = Evening(7, preset=name, pace=pace)
    evening.run(lambda it: len(it.tally.over()) >= 5)
    deals = evening.tally.deals
    assert any(call.verdict is Verdict.RIGHT for deal in deals for call in deal.calls)


def test_a_table_that_could_not_whisper_still_ends() -> None:
    deals = [deal for seed in range(5) for deal in Evening(seed, whispers=False).play_match().deals]
    assert any(call.verdict is Verdict.RIGHT for deal in deals for call in deal.calls)


def test_the_signal_tells_the_truth() -> None:
    signals: Counter[bool] = Counter()
    decoys = 0
    for seed in range(10):
        evening = Evening(seed, pace=Pace.RELAXED)
        agreed = {team: evening.bots[Seat(team)].kept().removeprefix("agreed: ") for team in (0, 1)}

        def note(seat: Seat, view: SeatView, action: Action, agreed: dict[int, str] = agreed) -> None:
            nonlocal decoys
            if isinstance(action, Gesture):
                if action.name == agreed[team_of(seat, 4)]:
                    signals[is_quartet(held.card for held in view.hand)] += 1
                else:
                    decoys += 1

        evening.on_action = note
        evening.play_match()
    assert signals[True] > 50
    assert signals[False] == 0
    assert decoys > 0


def test_a_bot_waits_for_the_outcome_of_a_claim() -> None:
    evening = Evening(3, delay_ms=(400, 400))
    sent: dict[tuple[Seat, type[Action]], int] = {}
    repeats = 0

    def note(seat: Seat, view: SeatView, action: Action) -> None:
        nonlocal repeats
        if isinstance(action, Swap):
            before_ms = sent.get((seat, Swap))
            assert before_ms is None or evening.now_ms >= before_ms + 400
            repeats += before_ms is not None
            sent[seat, Swap] = evening.now_ms

    evening.on_action = note
    evening.play_deals(5)
    assert repeats > 10


def test_people_are_never_faster_than_people() -> None:
    evening = Evening(5, pace=Pace.RELAXED)
    opened_ms = 0
    signals: dict[Seat, int] = {}
    counted: Counter[type[Action]] = Counter()

    def opened(event: Event) -> None:
        nonlocal opened_ms
        if isinstance(event, PlayStarted):
            opened_ms = evening.now_ms

    def note(seat: Seat, view: SeatView, action: Action) -> None:
        counted[type(action)] += 1
        match action:
            case Pass():
                assert evening.now_ms >= opened_ms + 1500
            case Swap():
                assert evening.now_ms >= opened_ms + 350
            case Next() if evening.tally.deals:
                assert 3000 <= evening.now_ms - evening.tally.deals[-1].ended_ms <= 6000
            case Gesture() if is_quartet(held.card for held in view.hand):
                last_ms = signals.get(seat)
                assert last_ms is None or evening.now_ms >= last_ms + 1000
                signals[seat] = evening.now_ms
            case _:
                pass

    evening.on_action, evening.on_event = note, opened
    evening.play_match()
    assert min(counted[sort] for sort in (Pass, Swap, Next, Gesture)) > 3
