"""The sights of a real sitting as lines of text: every sight, rows, prompts, pages, and the tutorial."""

import asyncio
from pathlib import Path
from typing import get_args

import pytest
from local_helpers import SHORT, evening, passing, still_bot, tried

from kemps_p2p.errors import Fault, Illegal, PeerFault
from kemps_p2p.game import events
from kemps_p2p.game.actions import CallItem, Next, Partner, Pass
from kemps_p2p.game.rules import RuleSet, load_rules, override
from kemps_p2p.game.scoring import Verdict
from kemps_p2p.ids import Seat, Team
from kemps_p2p.ledger.entry import Result
from kemps_p2p.plain.commands import Page
from kemps_p2p.plain.voice import Voice, sentence
from kemps_p2p.runtime.huddle import Huddle
from kemps_p2p.runtime.sights import Refused, Sight, StandInFailed
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import Want
from kemps_p2p.session.presence import Away
from kemps_p2p.session.races import Asked, Race
from kemps_p2p.wording.tutorial import Tutorial

EACH = (Partner(),)


class Told:
    """A sitting in the middle of its first deal, left there, with the lines told until then."""

    def __init__(self, home: Path, rules: RuleSet = SHORT) -> None:
        self.lines: list[str] = []
        evening(home, self._screen, still_bot, rules)

    async def _screen(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.voice = Voice(sitting, Huddle(sitting), is_ascii=False, tutorial=Tutorial())
        while not (
            sitting.has_begun and len(sitting.view().hand) == 4 and passing(sitting) in sitting.legal()
        ):
            await asyncio.sleep(0.01)
            tried(sitting, Next())
        while sitting.has_sights:
            async for sight in sitting.sights():
                self.lines += self.voice.hear(sight)
                if not sitting.has_sights:
                    break

    def hear(self, *sights: Sight) -> list[str]:
        """The lines of sights, as if they came now."""
        return [line for sight in sights for line in self.voice.hear(sight)]

    def happened(self, *happened: events.Event) -> list[str]:
        return self.hear(fx.Happened(9, happened, self.sitting.view().state))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return Told(tmp_path_factory.mktemp("home"))


def test_the_beginning_is_told_in_order(told: Told) -> None:
    text = "\n".join(told.lines)
    places = [
        text.index(part)
        for part in (
            "At the table: you, Me, with Anna, Ben and Carla.",
            "Your partner is Anna.",
            f"This match is called {told.sitting.words}",
            "Lesson: collect four cards",
            "Deal 1 starts;",
            "4 cards lie face down in the middle.",
            "Turned up: ",
            "Play is open.",
            "Lesson: play is open.",
            "Middle: 1 ",
        )
    ]
    assert places == sorted(places)
    assert len([line for line in told.lines if line.startswith("Middle: ")]) == 1
    assert len([line for line in told.lines if line.startswith("Your hand: ")]) == 1


def test_every_line_is_one_plain_sentence(told: Told) -> None:
    for line in told.lines:
        assert line.isprintable()
        assert line[0] == line[0].upper()
        assert line.endswith((".", "!", "?"))


def race(first: int, second: int, *, is_together: bool = False, by_cause: bool = False) -> Race:
    claims = [Asked(bytes([seat]) * 32, Seat(seat), Next()) for seat in (first, second)]  # type: ignore[arg-type]
    return Race(claims[0], claims[1], is_together, by_cause, (2, 0, 2) if not is_together else (1, 1, 2))


def test_every_sight_has_its_line(told: Told) -> None:
    heard: list[tuple[Sight, str]] = [
        (fx.TableFormed(told.sitting.match or b"", told.sitting.names), "At the table:"),  # type: ignore[arg-type]
        (fx.Happened(1, (events.Passed(Seat(1)),), told.sitting.view().state), "Ben passed."),
        (fx.Known(Next(), Result.REFUSED), "Too late to start the next deal: the table has moved on."),
        (fx.Known(Next(), Result.MISSED), ""),
        (fx.Raced(race(1, 2)), "Ben was first: 2 of 2 witnesses saw Ben before Me."),
        (
            fx.Raced(race(1, 2, by_cause=True)),
            "Ben was first: Me had already seen what Ben wanted, as Me's own tape",
        ),
        (
            fx.Raced(race(1, 2, is_together=True)),
            "Ben and Me at once: 1 of 2 witnesses saw Ben first, 1 saw Me first;",
        ),
        (fx.GestureSeen(Seat(0), "cough"), "Anna makes a gesture: cough."),
        (fx.GestureSeen(Seat(1), "cough"), ""),
        (fx.Whispered("hello\x1b[2J"), "Anna whispers: hello\\x1b[2J."),
        (fx.Wanted(Seat(1), Want.PAUSE), "Ben wants a break"),
        (fx.Wanted(Seat(1), Want.ABANDON), "Ben wants to abandon the match"),
        (
            fx.Wanted(Seat(1), Want.WALK_OVER),
            "Ben has signed a walk-over: the match ends once",
        ),
        (fx.Wanted(Seat(1), Want.PLAY_ON), "Ben wants to play on."),
        (fx.Wanted(Seat(1), Want.PLAY_ON, Want.GONE), "Ben is back."),
        (fx.Wanted(Seat(1), Want.AS_OTHERS), ""),
        (fx.Wanted(Seat(1), Want.HUDDLE), ""),
        # In play that means nothing any more.
        (fx.Wanted(Seat(1), Want.PLAY_ON, Want.HUDDLE), ""),
        (fx.Wanted(Seat(1), Want.GONE), "Ben has left the table. The match cannot go on without them;"),
        (fx.ObserverStruck(is_proven=False), "The observer has fallen silent"),
        (fx.VotedAbsent(Seat(1), Seat(3)), "Ben votes Carla absent."),
        (fx.SeatStruck(Seat(3)), "The table has voted Carla absent: this deal is over"),
        (fx.SeatBack(Seat(3)), "Carla is back at the table."),
        (fx.SeatStruck(Seat(3), is_stand_in=True), "Nobody stands in for Carla any more"),
        (fx.StandInOffered(Seat(3), Seat(1)), "Ben, partner of Carla, offers a bot to play for Carla"),
        (fx.StandInOffered(Seat(3), Seat(2)), "Me, opponent of Carla, offers a bot to play for Carla"),
        (fx.StandInAgreed(Seat(0), Seat(3), Seat(1)), "Anna agrees that a bot of Ben plays for Carla."),
        (fx.SeatHeld(Seat(3), Seat(1)), "A bot of Ben plays for Carla from now on, until Carla is back."),
        (fx.SeatHeld(Seat(3), None), "A bot plays for Carla from now on, until Carla is back."),
        (fx.PlayerAsks(Seat(3)), "Carla is back, and plays from the next deal on."),
        (fx.FaultFound(PeerFault(Fault.BAD_TURN, culprit=1)), "Fault of Ben: a shuffle turn is out of turn"),
        (fx.MatchClosed(told.sitting.match or b""), "The match is over: `rematch`"),  # type: ignore[arg-type]
        (Refused(Next(), Illegal.DEAL_RUNS), "You cannot start the next deal: the deal is still on."),
        (StandInFailed(Seat(3), "no more processes"), "Your bot for Carla has ended: no more processes."),
    ]
    assert {type(sight) for sight, _ in heard} == {*get_args(fx.Sight), Refused, StandInFailed}
    for sight, start in heard:
        lines = told.hear(sight)
        assert lines[0].startswith(start) if start else lines == [], sight


def test_who_falls_silent_is_told_once_and_so_is_who_is_back(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    away: list[Away] = []
    monkeypatch.setattr(told.sitting, "away", lambda: tuple(away))
    list(told.voice.news())
    away.append(Away(Seat(1), 5_100, has_left=False))
    first, hint = told.voice.news()
    assert first == "Nothing has been heard of Ben for 5 s."
    assert "once all who are here say `abandon`" in hint
    away[0] = Away(Seat(1), 125_000, has_left=False)
    assert list(told.voice.news()) == []
    assert next(told.voice.page(Page.WAITING)) == "Nothing has been heard of Ben for 2 min 5 s."
    away.clear()
    assert list(told.voice.news()) == ["Ben is back."]
    # Who says that it leaves was told when it did, and is not back for that.
    away.append(Away(Seat(1), 9_000, has_left=False))
    assert len(list(told.voice.news())) == 2
    away[0] = Away(Seat(1), 0, has_left=True)
    assert list(told.voice.news()) == []
    assert next(told.voice.page(Page.WAITING)) == "Ben left the table 0 s ago."


def test_a_fault_is_told_once(told: Told) -> None:
    fault = fx.FaultFound(PeerFault(Fault.BAD_COIN, "again and again", culprit=3))
    assert len(told.hear(fault, fault, fault)) == 1


def test_the_gestures_of_the_face_that_is_watched_are_told(told: Told) -> None:
    seen = fx.GestureSeen(Seat(3), "yawn")
    told.voice.watched = Seat(3)
    assert told.hear(seen) == ["Carla makes a gesture: yawn."]
    told.voice.watched = told.sitting.partner
    assert told.hear(seen) == []


def test_what_was_told_before_it_was_final_is_not_told_again(told: Told) -> None:
    ok = events.Settled(0, Seat(1), Next(), "ok", None)
    no = events.Settled(1, Seat(1), Next(), "refused", Illegal.DEAL_RUNS)
    assert told.happened(events.Gestured(Seat(0), "wink"), ok) == []
    assert len(told.happened(no)) == 1


def test_pages(told: Told) -> None:
    pages = {page: list(told.voice.page(page)) for page in Page}
    assert pages[Page.HAND][0].startswith("Your hand: 1 ")
    assert pages[Page.SCORES] == ["Anna and Me no letter, Ben and Carla no letter."]
    assert pages[Page.WAITING] == ["The table waits for nobody."]
    assert pages[Page.GESTURES][0].startswith("Gestures: wink, ")
    assert any(line.startswith("Middle: 1 ") for line in pages[Page.TABLE])
    assert len(pages[Page.HELP]) > 8


def test_each_lesson_is_given_once(told: Told) -> None:
    calls: tuple[CallItem, ...] = EACH
    for event, part in (
        (events.Swapped(Seat(1), (), ()), "what a player takes all can see"),
        (events.Missed(told.sitting.seat, Pass(pool=())), "the table votes"),
        (events.Swept(()), "new ones are dealt"),
        (events.Called(Seat(1), calls), "Ben calls: now the named hand is opened"),
        (events.Scored((1, 0), (1, 0)), "the whole word loses the match"),
        (events.DealEnded(events.DealEnd.CALL, (1, 0)), "that was a whole deal"),
    ):
        first, again = told.happened(event), told.happened(event)
        lessons = [line for line in first if line.startswith("Lesson: ")]
        assert part in lessons[0]
        assert [line for line in first if line not in lessons] == again
    told.happened(events.Verdicts(Seat(1), calls, (Verdict.RIGHT,)), events.MatchEnded((Team(0),), (0, 1)))


def test_a_turn_is_prompted_once(tmp_path: Path) -> None:
    rules = override(load_rules("cash"), {"look_ms": 0})

    async def screen(sitting: Sitting) -> None:
        voice = Voice(sitting, Huddle(sitting), is_ascii=True)
        lines: list[str] = []
        async for sight in sitting.sights():
            lines += voice.hear(sight)
            tried(sitting, Next())
            if sitting.view().turn == sitting.seat and voice.is_asked:
                break
        prompts = [line for line in lines if line.startswith("It is your turn: ")]
        assert prompts == ["It is your turn: `take 2 give 3`, `pass`, or call."]
        assert list(voice.news()) == []

    evening(tmp_path, screen, still_bot, rules)


def test_a_sentence() -> None:
    assert sentence("play is open") == "Play is open."
    assert sentence("who?") == "Who?"
