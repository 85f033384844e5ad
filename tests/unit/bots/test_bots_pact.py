"""Whispers: a signal is agreed on whatever is said, lost or said twice."""

from random import Random

import pytest

from kemps_p2p.bots.bot import Bot, Level, Pace
from kemps_p2p.bots.pact import Pact
from kemps_p2p.game.actions import Gesture, Next
from kemps_p2p.game.gestures import FIDGETS, GESTURES, Intent, named_in
from kemps_p2p.ids import Seat

NAMES = {gesture.name for gesture in GESTURES}


def pair(seed: int = 1) -> tuple[Pact, Pact]:
    return Pact(Seat(1), 4, Random(seed)), Pact(Seat(3), 4, Random(seed + 1))


def test_the_lower_seat_proposes_and_the_other_agrees() -> None:
    lower, upper = pair()
    words = lower.greet()
    assert words is not None
    assert words.removeprefix("signal: ") in NAMES
    assert upper.greet() is None
    reply = upper.hear(words)
    assert reply == words.replace("signal", "agreed")
    assert lower.hear(reply) is None
    assert lower.agreed == upper.agreed == lower.signal == upper.signal


def test_a_bot_whose_partner_may_be_a_person_speaks_first_on_either_seat() -> None:
    upper = Pact(Seat(3), 4, Random(2), speaks_first=True)
    words = upper.greet()
    assert words == f"perhaps: {upper.signal}"
    assert named_in(words) == (upper.signal,)
    assert upper.means_quartet(upper.signal) is True
    # A person takes that, or wants another.
    assert upper.hear("ok") is None
    assert upper.agreed == words.removeprefix("perhaps: ")
    other = next(iter(NAMES - {upper.signal}))
    assert upper.hear(f"signal: {other}") == f"agreed: {other}"
    assert upper.agreed == other


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_two_bots_that_both_speak_first_agree_on_the_lower_seats_idea(lost: int) -> None:
    for seed in range(30):
        lower = Pact(Seat(1), 4, Random(seed), speaks_first=True)
        upper = Pact(Seat(3), 4, Random(seed + 1), speaks_first=True)
        wanted = lower.signal
        # What each has said and the other not heard yet, the own words first; one greeting may be lost.
        said = [(upper, lower.greet()), (lower, upper.greet())]
        said = said[: lost - 1] + said[lost:] if lost else said
        for _ in range(10):
            if said:
                listener, words = said.pop(0)
                reply = listener.hear(words or "")
                if reply is not None:
                    said.append((lower if listener is upper else upper, reply))
        assert not said
        assert lower.agreed == upper.agreed == wanted


def test_teams_do_not_all_choose_the_same() -> None:
    assert len({pair(seed)[0].signal for seed in range(20)}) > 5


def test_a_proposal_that_came_twice_is_agreed_to_twice() -> None:
    lower, upper = pair()
    words = lower.greet()
    assert words == lower.greet()
    assert words is not None
    assert upper.hear(words) == upper.hear(words)
    assert upper.agreed == lower.signal


def test_both_sides_use_a_proposal_whose_answer_was_lost() -> None:
    lower, upper = pair()
    assert upper.hear(lower.greet() or "") is not None
    assert lower.agreed is None
    assert lower.signal == upper.signal
    assert lower.means_quartet(lower.signal) is True


def test_without_words_no_gesture_is_surely_the_signal() -> None:
    _, upper = pair()
    assert {upper.means_quartet(name) for name in NAMES} == {None}


def test_an_agreement_rules_other_gestures_out() -> None:
    _, upper = pair()
    upper.hear("signal: yawn")
    assert {name for name in NAMES if upper.means_quartet(name)} == {"yawn"}
    assert upper.means_quartet("cough") is False


@pytest.mark.parametrize(
    ("text", "reply", "agreed"),
    [
        ("signal: wink", "agreed: wink", "wink"),
        ("  SIGNAL :  Ear Tug ", "agreed: ear tug", "ear tug"),
        ("let us take the cough, shall we?", "agreed: cough", "cough"),
        ("agreed: yawn", None, "yawn"),
        ("agreed: a handstand", None, None),
        ("out of sight", None, None),
        ("wink or cough?", None, None),
        ("hello", None, None),
        ("", None, None),
        (":", None, None),
        ("\x00\ud800", None, None),
        ("x" * 100_000 + " wink", None, None),
        (f"signal: {FIDGETS[0].name}", "signal: ", None),
        ("signal:", "signal: ", None),
    ],
)
def test_any_words_are_borne(text: str, reply: str | None, agreed: str | None) -> None:
    for pact in pair():
        said = pact.hear(text)
        if reply == "signal: ":
            assert said == f"signal: {pact.signal}"
        else:
            assert said == reply
        assert pact.agreed == agreed


@pytest.mark.parametrize("text", ["ok", "Yes", "agreed"])
def test_a_yes_is_to_the_own_idea(text: str) -> None:
    lower, _ = pair()
    before = lower.signal
    assert lower.hear(text) is None
    assert lower.agreed == before


def test_a_book_holds_the_signal_of_its_deal_and_all_else_is_a_decoy() -> None:
    """What a bot seals before a deal, and how it seals each gesture."""
    lower = Bot(Seat(0), 4, Random(1), Pace.FAST, Level.SHARP)
    upper = Bot(Seat(2), 4, Random(2), Pace.FAST, Level.SHARP)
    assert lower.book(0) is None
    words = lower.greet() or ""
    names = words.removeprefix("signal: ").split(", then ")
    assert len(names) > 1
    lower.whispered(upper.whispered(words) or "")
    for deal in range(2 * len(names)):
        assert lower.book(deal) == upper.book(deal) == (names[deal % len(names)],)
    assert lower.intent(Gesture(name=names[0])) is Intent.MEANT
    assert lower.intent(Gesture(name=names[1])) is Intent.DECOY
    assert lower.intent(Next()) is Intent.MEANT
