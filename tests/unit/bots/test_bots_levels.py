"""Levels: who notices, remembers and infers more wins more; and nobody is always right."""

import json
from random import Random

import pytest
from bots_helpers import laid, swap, view_of
from click.testing import CliRunner

from kemps_p2p.bots.bot import Bot, Level, Pace
from kemps_p2p.bots.learning import Book
from kemps_p2p.bots.level import skill_of
from kemps_p2p.bots.memory import Memory
from kemps_p2p.bots.pace import Span, manners_of
from kemps_p2p.bots.reading import read
from kemps_p2p.cli.lab import lab
from kemps_p2p.game.actions import Call
from kemps_p2p.game.cards import parse_card, rank
from kemps_p2p.game.rules import load_rules
from kemps_p2p.ids import Seat, Team
from kemps_p2p.lab.bots import measure_bots

BETTER = ((Level.SHARP, Level.NORMAL), (Level.NORMAL, Level.EASY))


@pytest.mark.parametrize("levels", BETTER)
def test_the_better_team_wins_more(levels: tuple[Level, Level]) -> None:
    figures = measure_bots("kemps", load_rules("kemps"), 4, 5, levels=levels)
    assert figures.wins >= 0.6
    assert figures.right >= 0.6


@pytest.mark.soak
@pytest.mark.parametrize("preset", ["kemps", "chaulcer"])
@pytest.mark.parametrize("levels", BETTER)
def test_the_better_team_wins_six_of_ten_in_four_hundred(levels: tuple[Level, Level], preset: str) -> None:
    figures = measure_bots(preset, load_rules(preset), 4, 400, levels=levels)
    assert figures.wins >= 0.6


@pytest.mark.soak
@pytest.mark.parametrize("preset", ["kemps", "chaulcer", "cash", "kems", "kent"])
@pytest.mark.parametrize("level", list(Level))
def test_nobody_is_always_right_nor_mostly_wrong(level: Level, preset: str) -> None:
    figures = measure_bots(preset, load_rules(preset), 4, 100, levels=(level, level))
    assert 0.04 <= figures.wrong[level.value] <= 0.4
    assert figures.unscored <= 0.1


def test_a_level_sets_how_soon_somebody_acts_but_not_how_soon_the_table_does() -> None:
    slow, quick = (manners_of(Pace.RELAXED, skill_of(level).tempo) for level in (Level.EASY, Level.SHARP))
    for span in ("look", "react", "notice", "speak", "first_signal"):
        assert getattr(slow, span).low_ms > getattr(quick, span).low_ms
    assert slow.deal == quick.deal
    assert slow.answer == quick.answer
    assert manners_of(Pace.FAST, 2.0).react == Span(0, 0)


def test_the_better_know_more_of_the_same_cards() -> None:
    """Of cards that all saw, the weaker forget more; nobody forgets what the partner took."""
    known = {}
    for level in Level:
        known[level] = 0
        for seed in range(60):
            table = laid("2C 3C 4C 5C;6C 6D 6H QC;2D 3D 4D 5D;2H 3H 4H 5H", "8C 8D TC TS")
            memory = Memory(Random(seed), skill_of(level))
            memory.gaps(view_of(table, 0))
            swap(table, 1, "8C 8D", "6C 6D")
            swap(table, 2, "TC TS", "2D 3D")
            view = view_of(table, 0)
            gaps = memory.gaps(view)
            reading = read(view, gaps.overlooked, gaps.forgotten)
            known[level] += reading.seen[1][rank(parse_card("8C"))]
            assert reading.seen[2][rank(parse_card("TC"))] == 2
            assert reading.hidden[1] == 4 - sum(reading.seen[1])
    assert known[Level.EASY] < known[Level.NORMAL] < known[Level.SHARP] <= 120


def test_a_card_is_forgotten_once_and_for_all() -> None:
    table = laid("2C 3C 4C 5C;6C 6D 6H QC;2D 3D 4D 5D;2H 3H 4H 5H", "8C 8D TC TS")
    memory = Memory(Random(4), skill_of(Level.EASY))
    first = memory.gaps(view_of(table, 0))
    assert all(memory.gaps(view_of(table, 0)) == first for _ in range(20))
    others = []
    for _ in range(20):
        memory.begin_deal()
        others.append(memory.gaps(view_of(table, 0)))
    assert any(gaps != first for gaps in others)


def test_a_book_learns_what_a_gesture_was_worth() -> None:
    book = Book(Random(1), skill_of(Level.SHARP))
    assert book.odds(Team(1), "wink") == 1
    book.teach_quartet(Team(1), ["wink"])
    book.teach_bluff(Team(1), ["yawn"])
    assert book.odds(Team(1), "wink") > 1 > book.odds(Team(1), "yawn")
    assert book.odds(Team(0), "wink") == 1
    dull = Book(Random(1), skill_of(Level.EASY))
    dull.teach_quartet(Team(1), ["wink"])
    assert dull.odds(Team(1), "wink") == 1


@pytest.mark.parametrize("level", list(Level))
def test_a_bot_of_any_level_plays_on_the_same_words(level: Level) -> None:
    one, other = (Bot(Seat(seat), 4, Random(seat), Pace.FAST, level) for seat in (0, 2))
    words = one.greet()
    assert words is not None
    reply = other.whispered(words)
    assert reply is not None
    assert reply.startswith("agreed: ")
    assert one.whispered(reply) is None


def test_a_stronger_nerve_needs_better_reasons() -> None:
    """What hardly anything speaks for is called by the easy one more often than by the sharp one."""
    heard = {}
    for level in Level:
        heard[level] = 0
        for seed in range(150):
            table = laid("2C 3C 4C 5C;6C 6D 6H QC;2D 3D 4D 5D;2H 3H 4H 5H", "9C TC JC AC")
            player = Bot(Seat(0), 4, Random(seed), Pace.FAST, level)
            for index in range(4):
                player.gestured(Seat(1), ("yawn", "wink", "cough", "sigh")[index], 10)
            while (action := player.decide(view_of(table, 0), 10)) is not None:
                heard[level] += isinstance(action, Call)
    assert heard[Level.EASY] > heard[Level.SHARP]


def test_the_lab_tells_the_figures() -> None:
    told = CliRunner().invoke(lab, ["bots", "--matches", "2", "--levels", "sharp:easy", "--json"])
    assert told.exit_code == 0
    figures = json.loads(told.stdout)
    measured = measure_bots("kemps", load_rules("kemps"), 4, 2, levels=(Level.SHARP, Level.EASY))
    assert figures["minutes"] == measured.minutes
    assert figures["wrong"] == measured.wrong
    assert set(figures["wrong"]) <= {"sharp", "easy"}


@pytest.mark.parametrize("levels", ["expert", "sharp:", ":easy", "sharp:easy:easy"])
def test_the_lab_knows_three_levels(levels: str) -> None:
    told = CliRunner().invoke(lab, ["bots", "--matches", "1", "--levels", levels])
    assert told.exit_code == 2
    assert "easy, normal, sharp" in told.stderr
