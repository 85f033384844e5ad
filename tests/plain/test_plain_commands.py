"""Every command of line mode: what a line means at a table, and what is said of one that means nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_helpers import board_of, hand_card, laid, pool_card, view_of

from kemps_p2p.game import actions as act
from kemps_p2p.game.gestures import FIDGETS, GESTURES
from kemps_p2p.game.rules import load_rules, rule_names
from kemps_p2p.game.views import options
from kemps_p2p.ids import Seat
from kemps_p2p.plain.board import NotUnderstood
from kemps_p2p.plain.commands import (
    Command,
    Do,
    Hold,
    Leave,
    LookAt,
    Page,
    SealBook,
    Tell,
    VoteAbsent,
    Wait,
    WalkOver,
    Whispering,
    Wish,
    call_names,
    read_command,
)
from kemps_p2p.plain.help import help_lines
from kemps_p2p.session.messages import Want

KEMPS = laid("kemps")
CHAULCER = laid("chaulcer")
CASH = laid("cash")
EIGHT = laid("kemps", tuple(f"{rank}C {rank}D {rank}H {rank}S" for rank in "23456789"), "TC KH TS KS")


def read(line: str, table: object = None, seat: int = 0) -> Command:
    return read_command(line, board_of(KEMPS if table is None else table, seat))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "line", ["take 2 give 3", "take kh give 2h", "TAKE K♥ GIVE 2♥", "  take   2   give 3 ", "take KH give 3"]
)
def test_a_swap_names_the_cards_that_lie_there(line: str) -> None:
    wanted = act.Swap(take=(pool_card(KEMPS, 2),), give=(hand_card(KEMPS, 3),))
    assert read(line) == Do(wanted)


def test_several_cards_are_one_swap() -> None:
    swap = act.Swap(
        take=(pool_card(KEMPS, 1), pool_card(KEMPS, 4)), give=(hand_card(KEMPS, 4), hand_card(KEMPS, 1))
    )
    assert read("take 1 4 give 4 1") == Do(swap)
    assert read("take 10c 2s give 3c 2c") == Do(swap)


def test_the_halves_of_an_exchange() -> None:
    assert read("put 4", CHAULCER) == Do(act.Discard(give=(hand_card(CHAULCER, 4),)))
    assert read("take 2", CHAULCER) == Do(act.Take(take=(pool_card(CHAULCER, 2),)))


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("next", act.Next()),
        ("n", act.Next()),
        ("go", act.Go()),
        ("halt", act.Halt()),
        ("resume", act.Resume()),
        ("r", act.Resume()),
        ("mulligan", act.Mulligan()),
        ("admit", act.Admit()),
        ("deny", act.Deny()),
        ("say hello there", act.Say(text="hello there")),
        ("say Hello  THERE", act.Say(text="Hello THERE")),
        ("Wink", act.Gesture(name="wink")),
        ("ear tug", act.Gesture(name="ear tug")),
    ],
)
def test_what_needs_no_cards(line: str, action: act.Action) -> None:
    assert read(line) == Do(action)


def test_a_pass_names_the_cards_that_lie_there() -> None:
    assert read("pass") == read("p") == Do(act.Pass(pool=KEMPS.state.pool))


def test_a_denial_can_show_two_cards() -> None:
    assert read("deny 1 4") == Do(act.Deny(show=(hand_card(KEMPS, 1), hand_card(KEMPS, 4))))


def test_the_public_signal_and_the_agreement() -> None:
    assert read("signal", CASH) == Do(act.Signal())
    assert read("signal wink") == Whispering("signal: wink")
    with pytest.raises(NotUnderstood, match="which gesture"):
        read("signal")
    with pytest.raises(NotUnderstood, match="no gesture"):
        read("signal moonwalk")


@pytest.mark.parametrize("kind", [*GESTURES, *FIDGETS], ids=lambda kind: kind.name)
def test_every_gesture_is_a_command(kind: object) -> None:
    name = kind.name  # type: ignore[attr-defined]
    assert read(name) == Do(act.Gesture(name=name))


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ("kemps", (act.Partner(),)),
        ("Kemps!", (act.Partner(),)),
        ("partner", (act.Partner(),)),
        ("stop", (act.Counter(target=1),)),
        ("stop ben", (act.Counter(target=1),)),
        ("Stop Kemps! dan", (act.Counter(target=1),)),
        ("counter Dan", (act.Counter(target=1),)),
        ("double", (act.Double(),)),
        ("double stop", (act.DoubleCounter(team=1),)),
    ],
)
def test_calls_on_teams(line: str, calls: tuple[act.CallItem, ...]) -> None:
    assert read(line) == Do(act.Call(calls=calls))


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ("Chaulcer!", (act.Partner(),)),
        ("stop ben", (act.Counter(target=1),)),
        ("counter-chaulcer dan", (act.Counter(target=3),)),
        ("Double Chaulcer!", (act.Double(),)),
        ("double-counter-chaulcer ben", (act.DoubleCounter(team=1),)),
        ("double counter d", (act.DoubleCounter(team=1),)),
        ("chaulcer and stop ben", (act.Partner(), act.Counter(target=1))),
        ("chaulcer + stop seat 1 + stop dan", (act.Partner(), act.Counter(target=1), act.Counter(target=3))),
        ("double, double stop", (act.Double(), act.DoubleCounter(team=1))),
    ],
)
def test_calls_on_players_and_several_in_one(line: str, calls: tuple[act.CallItem, ...]) -> None:
    assert read(line, CHAULCER) == Do(act.Call(calls=calls))


@pytest.mark.parametrize("name", rule_names())
def test_the_words_of_every_rule_set_can_be_said(name: str) -> None:
    rules = load_rules(name)
    names = call_names(rules)
    for sort in rules.calls:
        word = rules.words.of(sort)
        assert word is not None
        assert sort in names.values()
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("look", LookAt(None)),
        ("look ben", LookAt(Seat(1))),
        ("look at Dan", LookAt(Seat(3))),
        ("look partner", LookAt(Seat(2))),
        ("l c", LookAt(Seat(2))),
        ("whisper Hello You", Whispering("Hello You")),
        ("w signal: yawn", Whispering("signal: yawn")),
        ("seal", SealBook()),
        ("table", Tell(Page.TABLE)),
        ("t", Tell(Page.TABLE)),
        ("hand", Tell(Page.HAND)),
        ("scores", Tell(Page.SCORES)),
        ("waiting", Tell(Page.WAITING)),
        ("gestures", Tell(Page.GESTURES)),
        ("help", Tell(Page.HELP)),
        ("?", Tell(Page.HELP)),
        ("pause", Wish(Want.PAUSE)),
        ("play on", Wish(Want.PLAY_ON)),
        ("abandon", Wish(Want.ABANDON)),
        ("vote c", VoteAbsent(Seat(2))),
        ("hold c", Hold(Seat(2), None)),
        ("hold c by seat 1", Hold(Seat(2), Seat(1))),
        ("walk  over", WalkOver()),
        ("wait", Wait(None)),
        ("wait 2.5", Wait(2.5)),
        ("quit", Leave.QUIT),
        ("rematch", Leave.REMATCH),
    ],
)
def test_what_is_no_action(line: str, command: Command) -> None:
    assert read(line) == command


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("take", "which card"),
        ("take 2", "what you give"),
        ("take 5 give 1", "no card 5 in the middle"),
        ("take 0 give 1", "no card 0 in the middle"),
        ("take 1 give 5", "no card 5 in your hand"),
        ("take AS give 1", "no as in the middle"),
        ("take XX give 1", "is no card"),
        ("take ² give 1", "is no card"),
        ("put", "which card"),
        ("look bob", "nobody here is called bob; there are Anna, Ben, Carla and Dan"),
        ("look seat 9", "nobody"),
        ("say", "say what"),
        ("whisper", "whisper what"),
        ("wait long", "how many seconds"),
        ("wait -1", "from 0"),
        ("wait nan", "from 0"),
        ("kemps ben", "names nobody"),
        ("kemps and dance", "is no call"),
        ("dance", "I do not know"),
    ],
)
def test_what_means_nothing_is_told_why(line: str, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why):
        read(line)


def test_where_cards_are_put_down_first_nothing_is_given_for_what_is_taken() -> None:
    with pytest.raises(NotUnderstood, match="put down first"):
        read("take 2 give 3", CHAULCER)


def test_whom_a_call_is_about_is_asked_where_it_could_be_several() -> None:
    with pytest.raises(NotUnderstood, match="on whose team"):
        read("stop", EIGHT)
    with pytest.raises(NotUnderstood, match="on whom"):
        read("stop", CHAULCER)
    with pytest.raises(NotUnderstood, match="several players"):
        read("look an", EIGHT)
    assert read("look anna", EIGHT) == LookAt(Seat(0))


WORDS = (
    "take",
    "give",
    "put",
    "deny",
    "stop",
    "and",
    "+",
    "double",
    "kemps",
    "1",
    "9S",
    "10♥",
    "wait",
    "look",
)


@settings(max_examples=40)
@given(st.text(max_size=80) | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_any_line_is_a_command_or_is_told_why(line: str) -> None:
    for table in (KEMPS, CHAULCER, CASH):
        why = ""
        try:
            read(line, table)
        except NotUnderstood as error:
            why = str(error)
        assert why.isprintable()


@pytest.mark.parametrize("preset", ["kemps", "chaulcer", "cash", "kems", "kent"])
def test_all_that_is_legal_can_be_said(preset: str) -> None:
    """Every kind of legal action has a line that makes exactly this action."""
    table = laid(preset)
    board = board_of(table, 1)
    names = {position: str(place) for place, position in enumerate(table.state.pool, start=1)}
    own = {position: str(place) for place, position in enumerate(table.state.hands[1], start=1)}
    for action in options(view_of(table, 1)):
        match action:
            case act.Swap(take=take, give=give):
                line = f"take {' '.join(names[c] for c in take)} give {' '.join(own[c] for c in give)}"
            case act.Discard(give=give):
                line = f"put {own[give[0]]}"
            case act.Take(take=take):
                line = f"take {names[take[0]]}"
            case act.Call(calls=(act.Counter(target=target),)):
                line = f"stop seat {target}"
            case act.Call(calls=(act.DoubleCounter(team=team),)):
                line = f"double stop seat {team}"
            case act.Call(calls=(act.Double(),)):
                line = "double"
            case act.Call():
                line = "kemps"
            case act.Gesture(name=name):
                line = name
            case _:
                line = type(action).__name__.lower()
        assert read_command(line, board) == Do(action)


@pytest.mark.parametrize("name", rule_names())
def test_the_help_shows_lines_that_are_understood(name: str) -> None:
    """Each example of the page, tried at a table of these rules."""
    rules = load_rules(name)
    table = laid(name)
    board = board_of(table)
    text = " ".join(help_lines(rules))
    examples = [part for index, part in enumerate(text.split("`")) if index % 2]
    assert len(examples) > 15
    for example in examples:
        # A card by name need not lie here, and a text is whatever one says.
        if "TEXT" not in example and example != "take 9S give KH":
            read_command(example, board)
