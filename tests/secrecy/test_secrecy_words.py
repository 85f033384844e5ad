"""No third seat, no file and nobody on the network learns what partners whisper; a leak is found."""

import base64
from collections.abc import Callable, Iterator, Mapping
from random import Random

import pytest
from secrecy_record import How, RecordedSession, Trace, log_objects, recorded
from secrecy_words import Words, overheard, whispered

from kemps_p2p.bots.bot import Bot, Pace
from kemps_p2p.bots.player import Player
from kemps_p2p.codec import decode, encode
from kemps_p2p.game.actions import Action, Say
from kemps_p2p.game.gestures import GESTURES
from kemps_p2p.game.rules import load_rules, override
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import LogRecord
from kemps_p2p.ledger.tape import Deed, Item
from kemps_p2p.runtime.sim import Machine, Sim, Stop
from kemps_p2p.session import effects as fx
from kemps_p2p.session.lobby import Setup
from kemps_p2p.session.logfile import read_object
from kemps_p2p.session.messages import BookOpenedDeed, DeedBody, SeedDeed, Whisper, pack, read_deed
from kemps_p2p.session.session import Session

SEATS = 4
HUDDLE_MS = 300
"""By then the partners have agreed on their signals, and said what they say."""
SECRET = "signal: nose scratch"


def play_match(
    machine: Machine, players_at: Mapping[Seat, Player] | None = None, limit_ms: int | None = None
) -> None:
    """A short match from the lobby to its end, or to a limit. With speech: a player can be careless."""
    rules = override(load_rules("kemps"), {"look_ms": 0, "word": "K", "speech": True})
    sim = Sim(
        rules=rules, players=SEATS, seed=1, group="stub-insecure", machine=machine, players_at=players_at
    )
    if limit_ms is None:
        assert sim.run() is Stop.DONE
    else:
        assert sim.run(limit_ms) is Stop.TIME


@pytest.fixture(scope="module")
def trace() -> Trace:
    """What every seat of an honest match has heard, said and written."""
    trace = Trace()
    play_match(recorded(trace))
    return trace


def test_both_teams_have_whispered_and_nobody_has_overheard_them(trace: Trace) -> None:
    words = whispered(trace)
    assert {each.seat for each in words} == {0, 1, 2, 3}
    assert {each.text.split(":")[0] for each in words} == {"signal", "agreed"}
    assert list(overheard(trace, words, SEATS)) == []


def test_what_opens_a_book_is_seen_nowhere_before_the_match_is_over(trace: Trace) -> None:
    """A salt is what keeps others from trying the few gestures there are."""
    openings = [deed for deed in deeds_in_log(trace) if isinstance(deed, BookOpenedDeed)]
    seeds = [deed.seed.seed for deed in deeds_in_log(trace) if isinstance(deed, SeedDeed)]
    assert len(openings) == SEATS
    over_at = min(first_seen(trace, seed) for seed in seeds)
    for opening in openings:
        assert set(opening.signals) < {kind.name for kind in GESTURES}
        assert first_seen(trace, opening.salt) >= over_at
        told = trace.added(over_at - 1, 0, How.HEARD, b"x" + opening.salt)
        assert first_seen(told, opening.salt) < over_at


def first_seen(trace: Trace, data: bytes) -> int:
    return next(piece.at for piece in trace.ordered() if data in piece.data)


def deeds_in_log(trace: Trace) -> Iterator[DeedBody]:
    for _, data in log_objects(trace, 0):
        record = read_object(data)
        for signed in record.items if isinstance(record, LogRecord) else ():
            for statement in decode(signed.raw, Item).body:
                if isinstance(statement, Deed):
                    yield read_deed(statement.payload)


WAYS: dict[str, Callable[[str], bytes]] = {
    "as it is": lambda text: text.encode(),
    "in a record": lambda text: encode(["said", text]),
    "in capitals": lambda text: text.upper().encode(),
    "in hexadecimal": lambda text: b"<" + text.encode().hex().encode() + b">",
    "in base64": lambda text: base64.b64encode(text.encode()),
    "in base64, one off": lambda text: base64.b64encode(b"x" + text.encode() + b"yz"),
    "in base64, two off": lambda text: base64.b64encode(b"xx" + text.encode() + b"y"),
    "backwards": lambda text: text.encode()[::-1],
    "in two bytes a letter": lambda text: text.encode("utf-16-le"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("seat", "how"),
    [(1, How.HEARD), (3, How.JOURNAL), (0, How.JOURNAL), (2, How.LOG), (0, How.PRINTED), (0, How.WIRE)],
)
def test_planted_words_are_found(way: str, seat: int, how: How) -> None:
    words = [Words(0, SECRET)]
    told = Trace().added(7, seat, how, b"before " + WAYS[way](SECRET) + b" behind")
    (found,) = overheard(told, words, SEATS)
    assert (found.at, found.seat, found.how) == (7, seat, how)


def test_partners_may_hear_each_other() -> None:
    told = Trace().added(7, 2, How.HEARD, pack(Whisper(text=SECRET))).added(7, 0, How.SAID, SECRET.encode())
    assert list(overheard(told, [Words(0, SECRET)], SEATS)) == []


def test_two_teams_may_agree_on_the_same_words() -> None:
    """Then each holds words of its own, and a file or the wire may still hold none."""
    told = Trace().added(7, 3, How.HEARD, pack(Whisper(text=SECRET)))
    words = [Words(0, SECRET), Words(1, SECRET)]
    assert list(overheard(told, words, SEATS)) == []
    leaked = told.added(8, 3, How.JOURNAL, SECRET.encode())
    assert {each.how for each in overheard(leaked, words, SEATS)} == {How.JOURNAL}


# Machines that leak


class Shouting(RecordedSession):
    """Tells all seats what it tells its partner."""

    def whisper(self, text: str) -> list[fx.Effect]:
        super().whisper(text)
        return [fx.Send(pack(Whisper(text=text)))]


class Writing(RecordedSession):
    """Keeps a diary of what it whispers."""

    def whisper(self, text: str) -> list[fx.Effect]:
        return [*self._noted([fx.Append(fx.File.JOURNAL, encode([text]))]), *super().whisper(text)]


class Gossip(Bot):
    """Says aloud, before the first deal, what its partner has whispered to it."""

    _heard: str | None = None

    def whispered(self, text: str) -> str | None:
        self._heard = text
        return super().whispered(text)

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        heard, self._heard = self._heard, None
        return super().decide(view, now_ms) if heard is None else Say(text=heard)


@pytest.mark.parametrize(("kind", "hearers"), [(Shouting, {1, 3}), (Writing, {0})])
def test_a_machine_that_leaks_is_found(kind: type[RecordedSession], hearers: set[int]) -> None:
    trace = Trace()

    def machine(setup: Setup) -> Session:
        return (kind if setup.seat == 0 else RecordedSession)(setup, trace.note)

    play_match(machine, limit_ms=HUDDLE_MS)
    found = list(overheard(trace, whispered(trace), SEATS))
    assert {each.seat for each in found} == hearers
    assert {each.words.seat for each in found} == {0}


def test_a_player_that_says_it_aloud_is_found() -> None:
    trace = Trace()
    play_match(recorded(trace), {Seat(2): Gossip(Seat(2), SEATS, Random(1), Pace.FAST)}, HUDDLE_MS)
    found = list(overheard(trace, whispered(trace), SEATS))
    assert {each.words.seat for each in found} == {0}
    assert {each.seat for each in found} == {0, 1, 2, 3}
    assert How.LOG in {each.how for each in found}
