"""The small parts: rows of cards, faces, settings, lines of a stream, the words of prompts."""

import asyncio
import io
import stat
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_helpers import NAMES, laid, view_of

from kemps_p2p.errors import RuntimeFault
from kemps_p2p.game.gestures import FIDGETS, GESTURES, length_ms, named_in
from kemps_p2p.game.rows import Row
from kemps_p2p.game.rules import Signals, load_rules
from kemps_p2p.game.table import Layout, Table
from kemps_p2p.ids import Position, Seat
from kemps_p2p.plain.lines import Lines
from kemps_p2p.runtime.settings import FILE, remember_name, remembered_name
from kemps_p2p.session.waiting import Waiting, What
from kemps_p2p.wording.faces import COLUMNS, REST, face_at, movement
from kemps_p2p.wording.people import People
from kemps_p2p.wording.prompts import instead_text, prompt_text
from kemps_p2p.wording.waiting import WAITS, waiting_text

# Rows


def cards(*numbers: int) -> tuple[Position, ...]:
    return tuple(map(Position, numbers))


def test_a_card_that_is_taken_leaves_its_place_to_the_one_given() -> None:
    row = Row()
    assert row.follow(cards(1, 2, 3, 4)) == (1, 2, 3, 4)
    assert row.follow(cards(1, 3, 4, 9)) == (1, 9, 3, 4)
    assert row.follow(cards(9, 3, 4)) == (None, 9, 3, 4)
    assert row.follow(cards(9, 3)) == (None, 9, 3)
    assert row.follow(cards(9, 3, 7, 8)) == (7, 9, 3, 8)
    assert row.follow(cards(21, 22)) == (21, 22)
    assert row.follow(()) == ()


@given(st.lists(st.sets(st.integers(0, 12), max_size=6)))
def test_a_card_keeps_its_place_as_long_as_it_lies_there(rows: list[set[int]]) -> None:
    row = Row()
    for there in rows:
        before = row.places
        after = row.follow(cards(*sorted(there)))
        assert {card for card in after if card is not None} == there
        for place, card in enumerate(before):
            if card in there:
                assert after[place] == card


# Faces


@pytest.mark.parametrize("kind", [*GESTURES, *FIDGETS], ids=lambda kind: kind.name)
def test_every_gesture_moves_the_face_in_its_own_way_and_then_it_rests(kind: object) -> None:
    name = kind.name  # type: ignore[attr-defined]
    frames = movement(name)
    others = {other.name: movement(other.name) for other in (*GESTURES, *FIDGETS) if other.name != name}
    assert frames not in others.values()
    assert frames != movement("a gesture of tomorrow")
    shown = [face_at(name, at_ms) for at_ms in range(length_ms(name))]
    assert list(dict.fromkeys(shown)) == list(dict.fromkeys(frames))
    assert REST not in frames[:1]
    assert face_at(name, length_ms(name)) == face_at(name, -1) == REST


def test_faces_have_one_size_and_no_wide_character() -> None:
    faces = [REST, *(face for kind in (*GESTURES, *FIDGETS) for face in movement(kind.name)), *movement("?")]
    for face in faces:
        for row in (*face.rows(is_ascii=True), *face.rows(is_ascii=False)):
            assert len(row) == COLUMNS
            assert all(unicodedata.east_asian_width(each) not in "WF" for each in row)
            assert not any(unicodedata.combining(each) for each in row)
        assert "".join(face.rows(is_ascii=True)).isascii()


def test_gestures_named_in_a_text() -> None:
    assert named_in("signal: Ear Tug") == ("ear tug",)
    assert named_in("wink or cough?") == ("wink", "cough")
    assert named_in("twinkle, coughing, ear") == ()


# Settings


@pytest.mark.parametrize("name", ["Mia", 'A "quoted" \\ name', "Zoë ♠", "name = 1"])
def test_a_name_is_remembered_for_its_owner_only(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    assert remembered_name(home) is None
    remember_name(home, "Somebody")
    remember_name(home, name)
    assert remembered_name(home) == name
    assert stat.S_IMODE((home / FILE).stat().st_mode) == 0o600
    assert [path.name for path in home.iterdir()] == [FILE]


@pytest.mark.parametrize("text", [b"", b"name = 3", b"name", b"\xff\xfe", b'name = ""', b'name = "a\\u0007"'])
def test_settings_that_hold_no_name_are_as_good_as_none(tmp_path: Path, text: bytes) -> None:
    (tmp_path / FILE).write_bytes(text)
    assert remembered_name(tmp_path) is None


def test_settings_that_cannot_be_read_or_written_are_a_fault_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(RuntimeFault, match="cannot read"):
        remembered_name(tmp_path)
    with pytest.raises(RuntimeFault, match="cannot write"):
        remember_name(tmp_path, "Mia")


# Lines


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\n\nlast without end", ["one", "", "last without end"]),
        ("größer ♠\n".encode() * 2000, ["größer ♠"] * 2000),
        (b"\xff\n", ["\ufffd"]),
    ],
)
def test_lines_of_a_stream(data: bytes, lines: list[str]) -> None:
    async def read() -> list[str]:
        given = Lines(io.BytesIO(data), asyncio.get_running_loop())
        found = []
        while (line := await given.next()) is not None:
            found.append(line)
        assert await given.next() is None
        return found

    assert asyncio.run(read()) == lines


class Broken:
    def read(self, size: int, /) -> bytes:
        raise OSError("the terminal is gone")


def test_a_stream_that_breaks_has_ended() -> None:
    async def read() -> str | None:
        return await Lines(Broken(), asyncio.get_running_loop()).next()

    assert asyncio.run(read()) is None


# Prompts and waits

PEOPLE = People(4, ("Anna", "Ben", "Carla", "Dan"))


def test_all_that_can_be_waited_for_has_words() -> None:
    assert WAITS.keys() == set(What)
    told = waiting_text(Waiting(What.SHUFFLE, (Seat(1), Seat(3))), PEOPLE)
    assert told == "waiting for Ben and Dan to shuffle"


@pytest.mark.parametrize(
    ("preset", "what", "start"),
    [
        ("kemps", What.NEXT, "You are the dealer: `next`"),
        ("kems", What.GO, "You are the dealer: `go`"),
        ("chaulcer", What.RESUME, "You are the dealer: `resume`"),
        ("cash", What.TURN, "It is your turn: `take 2 give 3`"),
        ("kems", What.PASSES, "All others have passed: `put 3`"),
        ("kems", What.ANSWER, "You are called: `deny 1 2`"),
        ("kemps", What.ANSWER, ""),
        ("kemps", What.SHUFFLE, ""),
        ("kemps", What.SEEDS, ""),
    ],
)
def test_prompts_come_where_a_person_has_to_do_something(preset: str, what: What, start: str) -> None:
    view = view_of(laid(preset))
    prompt = prompt_text(view, (Waiting(what, (Seat(0),)),), PEOPLE)
    assert (prompt or "").startswith(start)
    assert (prompt is None) == (start == "")
    assert prompt_text(view, (Waiting(what, (Seat(1),)),), PEOPLE) is None


def test_whoever_deals_is_told_who_is_not_ready() -> None:
    view = view_of(laid("kemps"))
    waits = (Waiting(What.NEXT, (Seat(0),)),)
    told = prompt_text(view, waits, PEOPLE, [Seat(1), Seat(2)])
    assert told == "You are the dealer: `next` starts the deal (Ben and Carla are not ready yet)"
    others = (Waiting(What.PASSES, (Seat(0),)),)
    assert prompt_text(view, others, PEOPLE, [Seat(1)]) == prompt_text(view, others, PEOPLE)


def test_nobody_is_hurried_to_pass_while_others_think_as_well() -> None:
    view = view_of(laid("kemps"))
    assert prompt_text(view, (Waiting(What.PASSES, (Seat(0), Seat(1))),), PEOPLE) is None


@pytest.mark.parametrize("preset", ["kemps", "chaulcer"])
def test_between_deals_a_person_is_told_what_can_be_done_instead(preset: str) -> None:
    people = People(4, NAMES[:4])
    rules = load_rules(preset)
    table = Table.seated(rules, 4, Seat(1), lambda state: Layout(hands=(), pool=(), stock=()))
    mine = instead_text(view_of(table, 1), people, is_ended=False)
    others = instead_text(view_of(table, 0), people, is_ended=False)
    assert mine.startswith("You are the dealer: `next` starts the deal.")
    assert others.startswith("The next deal begins when Ben starts it.")
    assert ("`signal wink`" in mine) == (rules.signals is Signals.GESTURES)
    unready = instead_text(view_of(table, 0), people, is_ended=False, is_ready=False)
    assert unready.startswith("The next deal waits for you: `ready` lets Ben start it.")
    assert instead_text(view_of(table, 0), people, is_ended=True) == (
        "The match is over: `rematch` plays again at this table, `quit` leaves"
    )
