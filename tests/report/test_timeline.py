"""The timeline of a log: the fold's own states, and for each seat what its own program saw, no card more."""

import re
from pathlib import Path
from typing import Any

import pytest
from report_helpers import CARD, Memory, Seen, short_rules, watched_match

from kemps_p2p.game.rules import RuleSet
from kemps_p2p.game.views import seat_view
from kemps_p2p.ids import Seat
from kemps_p2p.report.knowledge import own_faces, shown_deals
from kemps_p2p.report.replay_text import tell
from kemps_p2p.report.timeline import Timeline
from kemps_p2p.session.audit import audit
from kemps_p2p.wording.eyes import Wide

pytest_plugins = ("report_fixtures",)


def check_what_seats_knew(seen: Seen) -> None:
    """At every entry a seat is credited with just the view that its own program had."""
    deals = shown_deals(seen.audit)
    compared = hidden = 0
    for step in seen.audit.steps:
        for seat in map(Seat, range(step.match.seats)):
            live = seen.views.get((seat, step.match.head.index))
            if live is not None:
                assert seat_view(step.match.game, seat, own_faces(step.match, seat, deals)) == live
                compared += 1
                hidden += len(live.hand) < len(live.hands[seat] if live.hands else ())
    assert compared > len(seen.audit.steps)
    assert hidden, "there are entries at which a hand lies and its own seat has not seen it yet"


def check_what_seats_are_told(timeline: Timeline) -> None:
    """No line names a card that those who hear it had not seen by then; the lines are the same ones."""
    everybody: list[Seat | Wide] = [Wide.TABLE, *map(Seat, range(timeline.seats))]
    told = 0
    for whose in everybody:
        memory = Memory(timeline, whose)
        for moment in timeline.moments:
            line = timeline.line(moment.index, whose)
            assert (line.entry, line.at_ms, line.event) == (
                moment.line.entry,
                moment.line.at_ms,
                moment.line.event,
            )
            named = {*CARD.findall(line.text), *CARD.findall(repr(line.facts))}
            assert named <= memory.names(moment.index), line
            told += len(named)
    assert told > 100


def test_a_seat_knew_what_its_program_showed_it(seen: Seen) -> None:
    check_what_seats_knew(seen)


def test_lines_name_no_card_that_was_not_seen(timeline: Timeline) -> None:
    check_what_seats_are_told(timeline)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("rules", "players", "seed"),
    [
        (short_rules(word="KEMPS"), 4, 1),
        (short_rules(word="KEM"), 8, 2),
        (short_rules("chaulcer", goal=6), 6, 3),
        (short_rules("kems", goal=4), 4, 4),
        (short_rules("cash", goal=2), 4, 5),
        (short_rules("kent", word="KE"), 4, 6),
    ],
    ids=["kemps", "eight", "chaulcer", "kems", "cash", "kent"],
)
def test_whole_matches_of_every_rule_book(rules: RuleSet, players: int, seed: int) -> None:
    seen = watched_match(rules, seed, players)
    check_what_seats_knew(seen)
    check_what_seats_are_told(Timeline(seen.audit))


def test_perspectives_are_views_of_the_moment(timeline: Timeline) -> None:
    for moment in timeline.moments:
        for seat in map(Seat, range(timeline.seats)):
            view = timeline.perspective(seat, moment.index)
            assert view.state is moment.game
            own = {held.position for held in view.hand}
            assert own <= set(moment.game.hands[seat] if moment.game.hands else ())
            everybody = timeline.faces(moment.index, Wide.TABLE).keys()
            assert timeline.faces(moment.index, seat).keys() - everybody <= own


def test_open_seeds_show_every_hand_from_its_start(timeline: Timeline) -> None:
    start = timeline.deals[0].index
    game = timeline.moments[start].game
    dealt = {position for hand in game.hands for position in hand}
    assert len(dealt) == 16
    assert dealt <= timeline.faces(start).keys()
    assert timeline.faces(start, Wide.TABLE) == {}
    assert timeline.faces(start, Seat(0)) == {}, "no share is in the log yet"
    assert "hidden" not in timeline.text(start + 1)


def test_a_hand_is_told_when_its_seat_can_see_it_and_to_nobody_else(timeline: Timeline) -> None:
    told = [moment for moment in timeline.moments if moment.line.event == "hand"]
    first = [moment.index for moment in told if moment.game.deal == 0]
    assert {timeline.moments[index].line.facts["seat"] for index in first} == set(range(4))
    for index in first:
        for seat in range(4):
            is_own = timeline.moments[index].line.facts["seat"] == seat
            line = timeline.line(index, Seat(seat))
            assert line.text.endswith(": face down") is line.is_hidden is not is_own


def test_an_unfinished_log_shows_no_hand_that_was_not_shown(seen: Seen) -> None:
    torn = Timeline(audit(seen.log[: len(seen.log) * 2 // 3], allow_stub=True))
    last = torn.moments[-1]
    assert last.game.hands
    for seat in map(Seat, range(4)):
        assert torn.faces(last.index, seat).items() <= last.game.faces.items()
        assert torn.faces(last.index, Wide.ALL).items() >= torn.faces(last.index, seat).items()


def test_numbers_are_those_of_the_replay(seen: Seen, timeline: Timeline) -> None:
    told = list(tell(seen.audit))
    assert [moment.line for moment in timeline.moments] == told
    assert [mark.number for mark in timeline.calls] == list(range(1, len(timeline.calls) + 1))
    assert [mark.number for mark in timeline.races] == list(range(1, len(timeline.races) + 1))
    assert timeline.calls
    assert timeline.races
    for mark in timeline.calls:
        assert told[mark.index].text.startswith(f"Call {mark.number}: ")
    for mark in timeline.races:
        assert told[mark.index].text.startswith(f"Race {mark.number}: ")
    assert [told[mark.index].event for mark in timeline.deals] == ["dealt"] * seen.audit.deals


def test_times_of_day_are_those_of_the_entries(seen: Seen, timeline: Timeline) -> None:
    walls = {step.record.entry.index: step.record.entry.wall_ms for step in seen.audit.steps}
    for moment in timeline.moments[1:]:
        assert moment.wall_ms == walls[moment.line.entry]
        assert moment.day.endswith(" UTC")
    assert timeline.moments[0].day == ""


def test_the_words_of_witnesses_make_the_count(timeline: Timeline) -> None:
    counted = 0
    for mark in timeline.races:
        facts: Any = timeline.moments[mark.index].line.facts
        orders = {word["witness"]: word["saw"] for word in facts["orders"]}
        if timeline.moments[mark.index].line.event != "race" or facts["first"] == facts["second"]:
            continue
        assert [claim["seat"] for claim in facts["claims"]] == [facts["first"], facts["second"]]
        assert orders.keys() == set(range(4)) - {facts["first"], facts["second"]}
        first = sum(saw[:1] == [0] for saw in orders.values())
        second = sum(saw[:1] == [1] for saw in orders.values())
        assert (first, second) == (facts["words_first"], facts["words_second"])
        counted += 1
    assert counted, "a match without a race that witnesses decided"


def test_an_observer_is_a_witness(observed: Seen) -> None:
    timeline = Timeline(observed.audit)
    words = []
    for mark in timeline.races:
        orders: Any = timeline.moments[mark.index].line.facts["orders"]
        assert orders[-1]["witness"] == timeline.seats
        words += orders[-1]["saw"]
    assert words


LOGS = Path(__file__).parent.parent / "vectors" / "logs"


@pytest.mark.parametrize(
    ("file", "event", "text"),
    [
        ("take-over.kemps", "taken-over", r"(\w+) orders from now on, not (?!\1)\w+: 3 of 4 players handed"),
        ("lying-observer.kemps", "struck", "the observer is proven to have lied"),
        ("not-opened-in-time.kemps", "seeds-missing", "has not opened its seeds in time"),
    ],
)
def test_what_happens_to_the_order_of_a_table_is_told(file: str, event: str, text: str) -> None:
    timeline = Timeline(audit((LOGS / file).read_bytes(), allow_stub=True))
    told = [moment.line.text for moment in timeline.moments if moment.line.event == event]
    assert told
    assert all(re.search(text, line) for line in told)


def test_what_is_no_match_has_no_timeline() -> None:
    with pytest.raises(ValueError, match="founding"):
        Timeline(audit(b"hello"))
