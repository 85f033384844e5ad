"""What gestures were worth: honest or not, sealed books, and ties that chance does not make."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest
from msgspec import structs
from report_helpers import Seen

from kemps_p2p.game.cards import Card, pack, parse_cards
from kemps_p2p.game.gestures import Intent
from kemps_p2p.ids import Seat
from kemps_p2p.report.knowledge import SeatEyes, TableEyes, shown_deals
from kemps_p2p.report.replay_text import tell
from kemps_p2p.report.signals import (
    Book,
    BookState,
    Comparisons,
    Made,
    SeatSignals,
    Share,
    Signals,
    Uses,
    compare,
    fisher,
    signals_of,
)
from kemps_p2p.report.signals_text import signals_json, signals_lines
from kemps_p2p.session.audit import Audit, audit
from kemps_p2p.wording.people import People

pytest_plugins = ("report_fixtures",)

LOGS = Path(__file__).parents[1] / "vectors" / "logs"
THREE = parse_cards("9C 9D 9H KC")
NOTHING = parse_cards("2C 5D 9H KC")
QUARTET = parse_cards("9C 9D 9H 9S")
PEOPLE = People(4, ("Anna", "Ben", "Carla", "Dan"))


def audited(name: str) -> Audit:
    return audit((LOGS / f"{name}.kemps").read_bytes(), allow_stub=True)


def made(deal: int, name: str, hand: tuple[Card, ...], intent: Intent | None = Intent.DECOY) -> Made:
    return Made(Seat(0), deal, name, intent, hand)


# Replay


def test_a_replay_tells_what_each_gesture_was_made_for() -> None:
    gestures = [line for line in tell(audited("four-seats")) if line.event == "gestured"]
    assert [line.facts["intent"] for line in gestures] == ["meant", "decoy"]
    assert [line.text for line in gestures] == [
        "Ann made a gesture: wink, and meant it",
        "Cleo made a gesture: ear, as a decoy",
    ]


def test_whoever_sat_there_was_told_of_its_own_gestures_alone() -> None:
    log = audited("four-seats")
    deals = shown_deals(log)
    for eyes, told in ((TableEyes(), [False, False]), (SeatEyes(Seat(2), deals), [False, True])):
        gestures = [line for line in tell(log, eyes=eyes) if line.event == "gestured"]
        assert ["intent" in line.facts for line in gestures] == told


def test_a_seal_that_was_not_opened_tells_nothing() -> None:
    gestures = [line for line in tell(audited("false-seal")) if line.event == "gestured"]
    assert [line.text for line in gestures] == ["Dora made a gesture: wink"]


# Uses


def test_only_what_was_made_in_play_is_told() -> None:
    """In this log the wink was made before the cards were dealt."""
    signals = signals_of(audited("four-seats"))
    assert signals is not None
    uses = {seat.seat: seat.uses for seat in signals.seats}
    decoy = Uses(name="ear", in_book=False, honest=Share(0, 0), meant=0, decoys=1, sealed=0)
    assert uses == {0: (), 1: (), 2: (decoy,), 3: ()}


def test_without_an_open_seal_it_is_not_known_what_was_meant() -> None:
    signals = signals_of(audited("false-seal"))
    assert signals is not None
    (use,) = signals.seats[3].uses
    assert (use.name, use.sealed, use.meant, use.decoys) == ("wink", 1, 0, 0)


def test_bots_mean_a_quartet_by_what_their_books_say(seen: Seen) -> None:
    signals = signals_of(seen.audit)
    assert signals is not None
    for seat in signals.seats:
        assert [book.state for book in seat.books] == [BookState.OPEN]
        for use in seat.uses:
            assert use.in_book == (use.name in seat.books[0].signals)
            assert use.honest.count == use.honest.of == use.meant
            assert (use.decoys == 0) == use.in_book
    assert any(use.count for seat in signals.seats for use in seat.uses)


def with_books(seen: Seen, **changes: object) -> Signals:
    """The report on that log, had its last entry left other books."""
    *before, last = seen.audit.steps
    step = replace(last, match=structs.replace(last.match, **changes))
    signals = signals_of(replace(seen.audit, steps=(*before, step)))
    assert signals is not None
    return signals


def test_a_gesture_is_in_no_book_of_a_seat_that_never_opened_its_own(seen: Seen) -> None:
    """The partner's book says nothing of it then, though it is open; it does for a seat that sealed none."""
    match = seen.audit.match
    assert match is not None
    opened = {**match.opened_books, Seat(1): {}}
    kept = with_books(seen, opened_books=opened)
    none = with_books(seen, opened_books=opened, books={**match.books, Seat(1): {}})
    assert [book.state for book in kept.seats[1].books] == [BookState.SEALED]
    assert not any(use.in_book for use in kept.seats[1].uses)
    for signals in (kept, none):
        assert any(use.in_book for use in signals.seats[3].uses)
    assert [use.name for use in none.seats[1].uses if use.in_book] == list(none.seats[3].books[0].signals)


def test_a_log_without_entries_says_nothing_of_gestures() -> None:
    assert signals_of(audit(b"")) is None


def test_lines_and_data_say_the_same() -> None:
    name = "\x1b[31mnose"
    seat = SeatSignals(
        Seat(1),
        (
            Book(0, BookState.OPEN, ("wink", name)),
            Book(2, BookState.SEALED, ()),
            Book(4, BookState.FALSE, ()),
        ),
        (
            Uses("wink", in_book=True, honest=Share(3, 4), meant=5, decoys=0, sealed=0),
            Uses(name, in_book=True, honest=Share(0, 0), meant=0, decoys=0, sealed=0),
            Uses("yawn", in_book=False, honest=Share(0, 1), meant=1, decoys=2, sealed=1),
            Uses("ear tug", in_book=False, honest=Share(0, 0), meant=3, decoys=0, sealed=0),
        ),
    )
    signals = Signals((seat,), Comparisons(0, could_tell=False, ties=()))
    lines = list(signals_lines(signals, PEOPLE))
    assert lines[:8] == [
        "Ben",
        "  book from deal 1: wink and \\x1b[31mnose",
        "  book from deal 3: never opened, so nobody can tell what it says",
        "  book from deal 5: opened falsely, which lost the match",
        "  wink (in the book): meant 5 times, 3 of them honest, so 30 % to 95 % of the time (95 % interval)",
        "  \\x1b[31mnose (in the book): never made",
        "  yawn: meant once, not honest; a decoy twice; once without an open seal",
        "  ear tug: meant 3 times, with a hand that is not open",
    ]
    told = signals_json(signals)
    assert told["comparisons"] == 0
    assert [use["honest"]["of"] for use in told["seats"][0]["gestures"]] == [4, 0, 1, 0]  # type: ignore[index]


# Ties


@pytest.mark.parametrize(
    ("share", "low", "high"),
    [(Share(4, 4), 0.510, 1.0), (Share(0, 10), 0.0, 0.278), (Share(3, 4), 0.301, 0.954), (Share(0, 0), 0, 1)],
)
def test_an_interval_is_wilsons(share: Share, low: float, high: float) -> None:
    assert share.interval == pytest.approx((low, high), abs=5e-4)


def test_the_chance_is_that_of_fishers_exact_test() -> None:
    assert fisher(Share(3, 3), Share(0, 3)) == pytest.approx(1 / 20)
    assert fisher(Share(0, 5), Share(2, 4)) == 1
    # The lady who tastes tea: three of four cups right.
    assert fisher(Share(3, 4), Share(1, 4)) == pytest.approx(17 / 70)


def test_a_gesture_that_goes_with_three_of_a_kind_is_found() -> None:
    told = [made(deal, "ear tug", THREE) for deal in range(10)]
    told += [made(deal, "cough", NOTHING) for deal in range(10, 20)]
    # Within a deal only the first counts, and quartets and hands that are not open do not.
    told += [made(deal, "ear tug", NOTHING) for deal in range(10)]
    told += [made(deal, "cough", hand) for deal, hand in product(range(20, 40), (QUARTET, ()))]
    compared = compare(told)
    assert compared.could_tell
    first = compared.ties[0]
    assert (first.name, first.with_it, first.without) == ("ear tug", Share(10, 10), Share(0, 10))
    assert first.chance == pytest.approx(1 / 184_756)
    assert first.corrected == pytest.approx(compared.count / 184_756)
    assert {tie.trait for tie in compared.ties if tie.is_telling} == {
        "three of a kind",
        "two or more of rank 9",
    }
    lines = list(signals_lines(Signals((), compared), PEOPLE))
    assert any(
        line.startswith(
            "  ear tug of Anna and three of a kind: in 10 of 10 deals with the gesture, in 0 of 10"
        )
        for line in lines
    )


def test_a_match_that_is_too_short_to_show_a_tie_says_so() -> None:
    told = [made(deal, "ear tug", THREE) for deal in range(3)]
    told += [made(deal, "cough", NOTHING) for deal in range(3, 6)]
    compared = compare(told)
    assert compared.count > 0
    assert not compared.could_tell
    assert not any(tie.is_telling for tie in compared.ties)
    assert any("too short" in line for line in signals_lines(Signals((), compared), PEOPLE))
    assert compare(told[:5]) == Comparisons(0, could_tell=False, ties=())
    none = list(signals_lines(Signals((), compare(told[:5])), PEOPLE))
    assert any("no gesture was made in enough deals" in line for line in none)
    assert not any("comparison" in line for line in none)


def test_chance_alone_is_rarely_taken_for_a_tie() -> None:
    """Of 120 matches whose gestures mean nothing at all, about one of twenty at most is suspected."""
    draw = Random(5)
    suspected = 0
    for _ in range(120):
        told = []
        for deal in range(16):
            hand = tuple(draw.sample(pack(1), 4))
            told.append(made(deal, draw.choice(("ear tug", "cough", "yawn")), hand))
        suspected += any(tie.is_telling for tie in compare(told).ties)
    assert suspected <= 120 * 0.05
