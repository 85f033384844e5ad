"""Sentences for people: one for everything that can be said, and none that a stranger's text can break."""

import enum
from typing import get_args

import pytest
from audit_helpers import Played
from hypothesis import given, settings
from hypothesis import strategies as st

from kemps_p2p.errors import Fault, Illegal
from kemps_p2p.game import actions, events
from kemps_p2p.game.cards import Card, pack
from kemps_p2p.game.rules import canonical_text, load_rules, override
from kemps_p2p.game.scoring import Verdict as CallVerdict
from kemps_p2p.ids import Position, Seat, Team
from kemps_p2p.report.audit_text import audit_lines
from kemps_p2p.report.replay_text import tell
from kemps_p2p.session.audit import Verdict, audit, audit_all
from kemps_p2p.session.findings import Finding, Flaw
from kemps_p2p.wording.actions import action_text
from kemps_p2p.wording.audits import verdict_line
from kemps_p2p.wording.cards import card_text, clock_text, day_text
from kemps_p2p.wording.events import ENDS, VERDICTS, event_text
from kemps_p2p.wording.faults import FAULTS, FLAWS, sentence
from kemps_p2p.wording.glossary import glossary_lines
from kemps_p2p.wording.people import People, counted, listed
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.refusals import REFUSALS
from kemps_p2p.wording.rule_books import book_text, changes_lines, nearest_book
from kemps_p2p.wording.scene import Scene
from kemps_p2p.wording.scores import result_line, score_text

pytest_plugins = ("audit_fixtures",)

HOSTILE = "\x1b[2J\u202eevil\x07\r\n\u2028\x9b31m"
CARDS = (Position(0), Position(1), Position(60))
PEOPLE = People(4, ("Ann", "Ben", "Cem", "Dan"))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Illegal, REFUSALS),
        (Fault, FAULTS),
        (Flaw, FLAWS),
        (events.DealEnd, ENDS),
        (CallVerdict, VERDICTS),
    ],
)
def test_every_member_has_words_of_its_own(kind: type[enum.Enum], words: dict[enum.Enum, str]) -> None:
    assert words.keys() == set(kind)
    assert len(set(words.values())) == len(words)
    for text in words.values():
        assert text == plain(text)
        assert not text.endswith(".")


def scene(names: tuple[str, ...] = PEOPLE.names, *, is_ascii: bool = False) -> Scene:
    faces = {Position(0): Card(5), Position(1): Card(30)}
    return Scene(People(4, names), load_rules("chaulcer"), faces, is_ascii)


CALLS = (actions.Partner(), actions.Double(), actions.Counter(target=1), actions.DoubleCounter(team=Team(1)))
ACTIONS: tuple[actions.Action, ...] = (
    actions.Swap(take=CARDS, give=CARDS),
    actions.Discard(give=CARDS[:1]),
    actions.Take(take=CARDS[2:]),
    actions.Pass(pool=CARDS),
    actions.Signal(),
    actions.Gesture(name=HOSTILE),
    actions.Say(text=HOSTILE),
    actions.Call(calls=CALLS),
    actions.Mulligan(),
    actions.Go(),
    actions.Halt(),
    actions.Resume(),
    actions.Next(),
    actions.Admit(),
    actions.Deny(show=CARDS[:2]),
)
A, B = Seat(0), Seat(1)
EVENTS: tuple[events.Event, ...] = (
    events.Dealt(0, A),
    events.PoolDealt(CARDS),
    events.TurnedUp(CARDS),
    events.PoolShown(),
    events.PlayStarted(),
    events.Swapped(A, CARDS, CARDS),
    events.Discarded(A, CARDS[0]),
    events.Took(A, CARDS[2]),
    events.Missed(A, ACTIONS[0]),
    events.Passed(A),
    events.Swept(CARDS),
    events.Recycled(7),
    events.Halted(),
    events.MulliganAsked(A),
    events.Mulliganed(A, CARDS),
    events.MulliganFailed(A),
    events.Called(A, CALLS),
    events.Answered(A, actions.Admit()),
    events.AnswerVoid(A),
    events.Unopened(A),
    events.Shown(A, CARDS),
    events.Verdicts(A, CALLS, (CallVerdict.RIGHT, CallVerdict.WRONG, CallVerdict.HALF, CallVerdict.RIGHT)),
    events.Scored((1, 0), (1, 0)),
    events.Barred(A),
    events.ProofsOwed((A, B)),
    events.FalseDenial(A, B),
    events.DealLost(Team(0)),
    events.DealEnded(events.DealEnd.CALL, (1, 0)),
    events.PlayoffAhead(),
    events.MatchEnded((Team(0),), (10, 3)),
    events.TurnMoved(A),
    events.Gestured(A, HOSTILE),
    events.Said(A, HOSTILE),
    events.Signalled(A),
    events.Settled(0, A, ACTIONS[0], "refused", Illegal.UNEVEN),
)


def test_the_samples_are_complete() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(events.Event))
    assert {type(action) for action in ACTIONS} == set(get_args(actions.Action))


def test_every_event_and_action_has_a_sentence_of_its_own() -> None:
    told = [event_text(event, scene()) for event in EVENTS]
    assert len(set(told)) == len(told)
    wanted = [action_text(A, action, scene()) for action in ACTIONS]
    assert len(set(wanted)) == len(wanted)
    for text in (*told, *wanted):
        assert text
        assert text.isprintable()


def test_whoever_an_event_is_about_is_in_its_sentence() -> None:
    for event in EVENTS:
        if "seat" in event.__struct_fields__:
            assert "Ann" in event_text(event, scene()), event


@settings(max_examples=50)
@given(st.text(max_size=300))
def test_no_text_gets_through_unprintable(text: str) -> None:
    assert plain(text).isprintable()
    named = People(4, (text, "Ben", "Cem", "Dan"))
    for event in EVENTS:
        assert event_text(event, scene(named.names)).isprintable()


@given(st.text(max_size=60), st.text(max_size=60))
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert (plain(one) == plain(other)) == (one == other)


def test_a_long_text_is_cut() -> None:
    assert len(plain("x" * 10_000_000)) < 300


def test_names_that_could_be_confused_carry_their_seat() -> None:
    people = People(4, ("Ann", "ann", "seat 0", "Dan"))
    assert [people.seat(seat) for seat in range(4)] == [
        "Ann (seat 0)",
        "ann (seat 1)",
        "seat 0 (seat 2)",
        "Dan",
    ]
    assert People(4).seat(2) == "seat 2"
    assert people.seat(17) == "seat 17"


def test_lists_and_numbers() -> None:
    assert [listed(list("abc")[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert (counted(1, "entry", "entries"), counted(2, "entry", "entries")) == ("1 entry", "2 entries")
    assert counted(0, "point") == "0 points"


def test_every_card_has_a_name_of_its_own() -> None:
    for is_ascii in (False, True):
        names = {card_text(card, is_ascii=is_ascii) for card in pack(2)}
        assert len(names) == 104
        assert all(name.isascii() for name in names) == is_ascii
    assert card_text(Card(0)) == "2♣"
    assert card_text(Card(52 + 8 + 13)) == "10♦'"


def test_times() -> None:
    assert clock_text(61_005) == "1:01.005"
    assert day_text(1_767_225_600_000) == "2026-01-01 00:00:00 UTC"
    assert day_text((1 << 53) - 1) == "a day that no calendar has"


def test_scores() -> None:
    letters, points = load_rules("kemps"), load_rules("chaulcer")
    assert [score_text(letters, score) for score in (0, 1, 5)] == ["no letter", "K", "K-E-M-P-S"]
    assert [score_text(points, score) for score in (-1, 1, 3)] == ["-1 points", "1 point", "3 points"]
    assert result_line(letters, (0, 5), (Team(0),), PEOPLE) == (
        "Ann and Cem win: Ann and Cem no letter, Ben and Dan K-E-M-P-S"
    )


@pytest.mark.parametrize("code", [*Fault, *Flaw])
def test_every_finding_names_its_culprit(code: Fault | Flaw) -> None:
    text = sentence(Finding(3, code, Seat(1), HOSTILE), PEOPLE)
    assert text.startswith("Ben (seat 1) is at fault: ")
    assert text.isprintable()


def test_verdict_lines_begin_with_their_verdict(stub: Played) -> None:
    log = stub.logs[0]
    for data, verdict in (
        ([log], Verdict.CLEAN),
        ([log, log], Verdict.CLEAN),
        ([log[:-1]], Verdict.UNDECIDABLE),
        ([log + log], Verdict.VIOLATED),
        ([b"no"], Verdict.UNREADABLE),
        ([log, b"no"], Verdict.UNREADABLE),
    ):
        joint = audit_all(data, allow_stub=True)
        assert joint.verdict is verdict
        assert verdict_line(joint).startswith(f"{verdict.value}: ")


def test_reports_of_labels_that_are_hostile_are_printable(stub: Played) -> None:
    joint = audit_all([stub.logs[0], stub.logs[1][:-9]], allow_stub=True)
    lines = list(audit_lines(joint, [HOSTILE, HOSTILE + "2"]))
    assert all(line.isprintable() for line in lines)


def test_many_findings_of_a_kind_are_counted_not_listed(stub: Played) -> None:
    log = stub.logs[0]
    joint = audit_all([log[:50_000] + b"\x90" * 500 + log[50_000:]], allow_stub=True)
    assert joint.verdict is not Verdict.CLEAN
    assert sum(line.startswith("  entry ") for line in audit_lines(joint, ["x"])) < 100


def test_every_entry_of_a_match_is_told_in_order(busy: Played) -> None:
    found = audit(busy.logs[0], allow_stub=True)
    lines = list(tell(found))
    assert [line.entry for line in lines] == sorted(line.entry for line in lines)
    assert all(line.shown().isprintable() for line in lines)
    happened = sum(len(part.events) for step in found.steps for part in step.parts)
    by_rules = {
        "race",
        "together",
        "drawn",
        "refused",
        "shuffled",
        "hand",
        "match",
        "end",
        "blamed",
        "finding",
    }
    assert sum(line.event not in by_rules for line in lines) == happened


def test_a_rule_set_is_called_by_the_book_that_it_is_nearest_to() -> None:
    book = load_rules("kemps")
    assert book_text(canonical_text(book)) == "rules “kemps”"
    house = override(book, {"word": "KE", "look_ms": 0})
    assert book_text(canonical_text(house)) == 'rules “kemps”, changed in look_ms = 0 and word = "KE"'
    far = override(house, {"idle_seconds": 4, "auto_pass_s": 30})
    assert book_text(canonical_text(far)) == "house rules"
    assert book_text("") == book_text("a = 1\n") == "house rules"
    assert nearest_book(canonical_text(book)).distance == 0


def test_what_is_changed_in_a_rule_book_is_told_in_the_sentences_of_its_page() -> None:
    book = load_rules("kemps")
    assert changes_lines(book) == ()
    shows = "the last card in the middle shows."
    assert changes_lines(override(book, {"look_ms": 0})) == (
        f"that means: Play opens as soon as {shows}",
        f"instead of: Play opens 0.8 seconds after {shows}",
    )
    assert changes_lines(override(book, {"auto_pass_s": 0})) == (
        "that takes away: Whoever neither passes nor acts for 20 seconds is passed for.",
    )
    assert (
        changes_lines(override(book, {"word": "KE", "look_ms": 0, "idle_seconds": 4, "auto_pass_s": 9})) == ()
    )


def test_words_of_the_protocol_are_explained_where_they_occur_and_nowhere_else() -> None:
    plain_words = Finding(4, Flaw.TORN, None, "3 bytes of an unfinished object")
    assert glossary_lines([plain_words]) == []
    acks = Finding(5, Flaw.NO_CERTIFICATE, None, "0 of 3 acks of the last entry")
    names = Finding(5, Fault.BAD_ANNEX, None, "name 0 is not that of the genesis")
    annex = Finding(5, Fault.BAD_SIGNATURE, None, "a signature under kemps/v1/annex does not verify")
    told = glossary_lines([plain_words, acks, names, annex])
    assert [line.split(": ")[0] for line in told] == ["ack", "annex", "genesis"]
