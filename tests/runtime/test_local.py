"""A table in one process: bytes passed on in order, a person's seat, breaks, rematches, every end."""

import asyncio
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from local_helpers import LIMIT_S, Still, evening, passing, plan, played, quick, still_bot, tried

from kemps_p2p.bots.bot import Level, Pace
from kemps_p2p.bots.player import Player
from kemps_p2p.cli.telling import stopped
from kemps_p2p.codec import decode, frame
from kemps_p2p.errors import Illegal, IllegalAction, RuntimeFault
from kemps_p2p.game.actions import Action, Call, Counter, Gesture, Next, Pass, Say
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import load_rules
from kemps_p2p.game.seating import partner_of
from kemps_p2p.game.table import Table, pack_order
from kemps_p2p.game.views import SeatView, seat_view
from kemps_p2p.ids import Seat
from kemps_p2p.runtime.housebot import HouseBot
from kemps_p2p.runtime.local import KEPT_MESSAGES_MAX, Room, chairs, own_seat, play_on
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.sights import Refused
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.runtime.transport import Arrival, PublicKey, new_event_loop
from kemps_p2p.session import dealing, silence, walkover
from kemps_p2p.session import effects as fx
from kemps_p2p.session.audit import Verdict, audit, audit_all
from kemps_p2p.session.messages import WalkOver, Want
from kemps_p2p.session.waiting import Waiting, What
from kemps_p2p.wording.words import words_of


def in_loop(test: Callable[[], object]) -> object:
    async def run() -> object:
        return await test()  # type: ignore[misc]

    return asyncio.run(run())


# The room


def test_messages_arrive_in_order_at_the_handler() -> None:
    async def run() -> None:
        room = Room()
        one, two = room.enter(), room.enter()
        came: list[Arrival] = []
        two.deliver(came.extend)
        for number in range(5):
            assert one.send(two.public_key, bytes([number]))
        assert came == []
        await asyncio.sleep(0)
        assert [(arrival.peer, arrival.data) for arrival in came] == [
            (one.public_key, bytes([number])) for number in range(5)
        ]

    in_loop(run)


def test_what_is_asked_for_first_is_not_handed_over_again() -> None:
    async def run() -> None:
        room = Room()
        one, two = room.enter(), room.enter()
        came: list[Arrival] = []
        two.deliver(came.extend)
        one.send(two.public_key, b"a")
        assert [arrival.data for arrival in two.arrived()] == [b"a"]
        await asyncio.sleep(0)
        assert came == []
        assert two.arrived() == []

    in_loop(run)


def test_what_nobody_takes_is_kept_up_to_a_bound_and_handed_over_later() -> None:
    async def run() -> None:
        room = Room()
        one, two = room.enter(), room.enter()
        for number in range(KEPT_MESSAGES_MAX + 2):
            one.send(two.public_key, number.to_bytes(4, "big"))
        came: list[Arrival] = []
        two.deliver(came.extend)
        await asyncio.sleep(0)
        assert len(came) == KEPT_MESSAGES_MAX
        assert came[0].data == (2).to_bytes(4, "big")

    in_loop(run)


def test_nobody_of_another_room_is_reached() -> None:
    async def run() -> None:
        assert not Room().enter().send(PublicKey(bytes(32)), b"a")

    in_loop(run)


# A whole evening


class Evening:
    """A match, its rematch, and what was seen of both."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.sittings: list[Sitting] = []
        self.sights: list[list[fx.Sight]] = []
        self.waits: list[What] = []
        self.early: list[Illegal | None] = []
        self.outcome = evening(home, self._screen)

    async def _screen(self, sitting: Sitting) -> None:
        self.waits += [wait.what for wait in sitting.waiting_for()]
        self.early.append(sitting.against(Next()))
        for _ in range(2):
            self.sittings.append(sitting)
            self.sights.append(await played(sitting))
            await sitting.ended()
            if len(self.sights) == 1:
                sitting = sitting.rematch()


@pytest.fixture(scope="module")
def two_matches(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    return Evening(tmp_path_factory.mktemp("home"))


def test_a_match_is_played_to_its_end_and_so_is_its_rematch(two_matches: Evening) -> None:
    assert two_matches.outcome.is_closed
    for sights in two_matches.sights:
        # What another seat wants may be heard before its last signature.
        assert isinstance(next(s for s in sights if not isinstance(s, fx.Wanted)), fx.TableFormed)
        assert isinstance(sights[-1], fx.MatchClosed)
        assert not [sight for sight in sights if isinstance(sight, fx.FaultFound)]
    assert two_matches.outcome is two_matches.sittings[1].outcome


def test_before_the_match_the_others_are_waited_for(two_matches: Evening) -> None:
    assert two_matches.waits[:1] in ([], [What.SEATING])
    assert two_matches.early[0] in (Illegal.DEAL_OVER, Illegal.NOT_READY, Illegal.NOT_DEALER)


def test_a_rematch_names_the_last_head_and_counts(two_matches: Evening) -> None:
    first, second = (
        audit(Path(str(s.outcome and s.outcome.log)).read_bytes(), allow_stub=True)
        for s in two_matches.sittings
    )
    assert first.founding is not None
    assert second.founding is not None
    assert first.match is not None
    assert first.founding.genesis.matches == 0
    assert second.founding.genesis.matches == 1
    assert second.founding.genesis.previous == first.match.head.digest
    assert second.founding.keys == first.founding.keys
    assert second.founding.match != first.founding.match


def test_all_seats_hold_the_same_log(two_matches: Evening) -> None:
    logs = sorted(two_matches.home.rglob("*.kemps"))
    assert len(logs) == 8
    joint = audit_all([log.read_bytes() for log in logs], allow_stub=True)
    assert joint.verdict in (Verdict.CLEAN, Verdict.UNDECIDABLE)
    chains = {len(one.steps) for one in joint.audits}
    assert len(chains) <= 2
    assert not joint.findings


def test_nothing_is_kept_that_others_can_read(two_matches: Evening) -> None:
    files = [path for path in two_matches.home.rglob("*") if path.is_file()]
    # The bots have sat down for a third match already.
    assert len([path for path in files if path.name == "secret"]) >= 8
    assert len([path for path in files if path.name == "journal"]) == 8
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_the_person_sits_opposite_seat_0_under_the_own_name(two_matches: Evening) -> None:
    sitting = two_matches.sittings[0]
    assert sitting.seat == own_seat(4) == 2
    assert sitting.partner == 0
    assert sitting.names[sitting.seat] == "Me"
    assert len(set(sitting.names)) == 4
    assert sitting.match is not None
    assert sitting.words == words_of(sitting.match)


def test_after_the_end_nothing_can_be_done(two_matches: Evening) -> None:
    sitting = two_matches.sittings[0]
    with pytest.raises(IllegalAction):
        sitting.act(Next())
    with pytest.raises(IllegalAction):
        sitting.whisper("hello")


# One seat


class Rash(Still):
    """Asks for a deal while one is played, until it hears that it was refused."""

    def __init__(self) -> None:
        super().__init__()
        self.refusals: list[Action] = []

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        is_rash = view.phase is Phase.OPEN and not self.refusals
        return Next() if is_rash else super().decide(view, now_ms)

    def refused(self, action: Action, now_ms: int) -> None:
        self.refusals.append(action)


async def dealt(sitting: Sitting) -> None:
    """Start the deal if that is due here; wait until the own hand is known and play is open."""
    while not (sitting.has_begun and len(sitting.view().hand) == 4 and passing(sitting) in sitting.legal()):
        await asyncio.sleep(0.01)
        tried(sitting, Next())


def test_the_view_and_what_can_be_done_agree(tmp_path: Path) -> None:
    async def screen(sitting: Sitting) -> None:
        await dealt(sitting)
        view = sitting.view()
        assert [held.position for held in view.hand] == [
            card for card in sitting.hand_row() if card is not None
        ]
        assert tuple(lying.position for lying in view.pool) == sitting.pool_row()
        legal = sitting.legal()
        assert Pass(pool=view.state.pool) in legal
        assert Next() not in legal
        assert all(sitting.against(action) is None for action in legal)
        for action, reason in (
            (Next(), Illegal.DEAL_RUNS),
            (Say(text="hello"), Illegal.NO_SPEECH),
            (Gesture(name="x" * 41), Illegal.TEXT_TOO_LONG),
        ):
            with pytest.raises(IllegalAction) as refused:
                sitting.act(action)
            assert refused.value.reason is sitting.against(action) is reason
        # Whoever sits here is asked again only when something has come or is due.
        runner = sitting._runner
        runner._player_due, runner._seen_index = False, sitting._session.play.final.head.index
        rash = runner._player = Rash()
        runner._let_play()
        assert rash.refusals == []

    bots: list[Rash] = []

    def rash_bot(seat: Seat, chances: Random) -> Player:
        bots.append(Rash())
        return bots[-1]

    assert not evening(tmp_path, screen, rash_bot).is_closed
    assert {action for bot in bots for action in bot.refusals} == {Next()}


def test_a_second_action_of_a_kind_waits_for_the_first(tmp_path: Path) -> None:
    """Neither raises, and the second is not lost: it is done, or a sight says why not."""
    said: list[object] = []

    async def screen(sitting: Sitting) -> None:
        await dealt(sitting)
        said.append(sitting.against(Pass(pool=sitting.view().state.pool)))
        sitting.act(Pass(pool=sitting.view().state.pool))
        said.append(sitting.against(Pass(pool=sitting.view().state.pool)))
        sitting.act(Pass(pool=sitting.view().state.pool))
        async for sight in sitting.sights():
            if isinstance(sight, Refused):
                said.append(sight)
                return

    evening(tmp_path, screen, still_bot)
    assert said[:2] == [None, Illegal.TOO_SOON]
    assert isinstance(said[2], Refused)
    assert said[2].reason is Illegal.ALREADY_PASSED


def test_a_break_stops_the_clock_and_play_until_somebody_wants_to_go_on(tmp_path: Path) -> None:
    async def screen(sitting: Sitting) -> None:
        await dealt(sitting)
        sitting.want(Want.PAUSE)
        assert sitting.is_paused
        assert sitting.wants == (Want.AS_OTHERS, Want.AS_OTHERS, Want.PAUSE, Want.AS_OTHERS)
        began_ms, index = sitting.now_ms(), sitting.view().state
        with pytest.raises(IllegalAction) as refused:
            sitting.act(Pass(pool=sitting.view().state.pool))
        assert refused.value.reason is Illegal.PAUSED
        assert sitting.legal() == ()
        # Claims that were under way are settled; then nothing moves any more.
        await asyncio.sleep(0.2)
        index = sitting.view().state
        await asyncio.sleep(0.3)
        assert sitting.view().state == index
        assert sitting.now_ms() == began_ms
        sitting.want(Want.PLAY_ON)
        assert not sitting.is_paused
        await played(sitting)

    assert evening(tmp_path, screen).is_closed


def test_what_all_want_abandoned_ends_with_its_log_kept(tmp_path: Path) -> None:
    async def screen(sitting: Sitting) -> None:
        await dealt(sitting)
        sitting.want(Want.ABANDON)
        await sitting.ended()

    outcome = evening(tmp_path, screen)
    assert outcome.is_abandoned
    assert not outcome.is_closed
    assert outcome.log is not None
    assert audit(outcome.log.read_bytes(), allow_stub=True).verdict is Verdict.UNDECIDABLE


def test_who_leaves_is_named_and_those_who_stay_can_end_the_match(tmp_path: Path) -> None:
    """Two persons and two bots: nobody has to wait for somebody who said that it goes."""

    async def stays(sitting: Sitting, leaver: Sitting) -> None:
        async for sight in sitting.sights():
            if isinstance(sight, fx.TableFormed):
                assert sitting.away() == ()
                leaver.leave()
            if sight == fx.Wanted(leaver.seat, Want.GONE):
                break
        (away,) = sitting.away()
        assert (away.seat, away.has_left) == (leaver.seat, True)
        sitting.want(Want.ABANDON)

    async def run() -> tuple[Outcome, Outcome]:
        own, others = chairs(plan(tmp_path))
        sitting, leaver = (Sitting(quick(chair), Random(1)).start() for chair in (own, others[0]))
        bots = [
            asyncio.ensure_future(play_on(quick(chair), still_bot, Random(int(chair.seat))))
            for chair in others[1:]
        ]
        async with asyncio.timeout(LIMIT_S):
            await stays(sitting, leaver)
            ended = await sitting.ended(), await leaver.ended()
            await sitting.close()
            await leaver.close()
        for bot in bots:
            bot.cancel()
        await asyncio.wait(bots)
        return ended

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        stayed, left = runner.run(run())
    assert (stayed.is_abandoned, left.is_abandoned) == (True, False)
    assert left.log is not None


def test_a_team_that_is_left_alone_signs_a_walk_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person and a bot, whose opponents have left: the bot signs along."""
    monkeypatch.setattr(walkover, "WALK_OVER_MS", 1000)

    async def run() -> Outcome:
        own, others = chairs(plan(tmp_path))
        partner = next(chair for chair in others if chair.seat == partner_of(own.seat, own.players))
        sitting = Sitting(quick(own), Random(1)).start()
        leavers = [Sitting(quick(chair), Random(1)).start() for chair in others if chair is not partner]
        bot = asyncio.ensure_future(play_on(quick(partner), still_bot, Random(1)))
        async with asyncio.timeout(LIMIT_S):
            while not all(each.has_begun for each in (sitting, *leavers)):
                await asyncio.sleep(0.02)
            with pytest.raises(IllegalAction, match=r"no-walk-over"):
                sitting.walk_over()
            for each in leavers:
                await each.close()
            while not sitting.silent_teams():
                await asyncio.sleep(0.02)
            sitting.walk_over()
            outcome = await sitting.ended()
            await sitting.close()
        bot.cancel()
        await asyncio.wait({bot})
        return outcome

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        outcome = runner.run(run())
    assert outcome.is_walk_over
    assert outcome.log is not None
    signed = frame(outcome.log.with_suffix(walkover.SUFFIX).read_bytes()).objects
    assert {decode(decode(each, WalkOver).raw, walkover.Silence).seat % 2 for each in signed} == {
        int(outcome.log.stem[-1]) % 2
    }
    assert len(signed) == 2
    why = stopped(outcome, "you left the table")
    assert (why.code, why.text) == (8, "match abandoned (walk-over: the others had fallen silent)")


def owes_cards(sitting: Sitting) -> bool:
    return any(wait.what is What.CARDS for wait in sitting.waiting_for())


def test_a_person_votes_absent_who_has_left_and_bots_go_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence, "ABSENT_MS", 1000)

    async def run() -> Outcome:
        own, others = chairs(plan(tmp_path))
        sitting, leaver = (Sitting(quick(chair), Random(1)).start() for chair in (own, others[0]))
        bots = [
            asyncio.ensure_future(play_on(quick(chair), still_bot, Random(int(chair.seat))))
            for chair in others[1:]
        ]
        async with asyncio.timeout(LIMIT_S):
            # Until nobody waits for the leaver's shares: else the deal would be lost, and the match with it.
            while not (
                sitting.has_begun and sitting.view().phase is Phase.OPEN and not sitting.waiting_for()
            ):
                await asyncio.sleep(0.02)
                for person in (sitting, leaver):
                    tried(person, Next())
            with pytest.raises(IllegalAction, match=r"not-silent"):
                sitting.vote_absent(leaver.seat)
            await leaver.close()
            while not sitting.can_vote_absent():
                await asyncio.sleep(0.02)
            assert sitting.can_vote_absent() == (leaver.seat,)
            sitting.vote_absent(leaver.seat)
            async for sight in sitting.sights():
                if sight == fx.SeatStruck(leaver.seat):
                    break
            waits = sitting.waiting_for()
            sitting.want(Want.ABANDON)
            outcome = await sitting.ended()
            await sitting.close()
        for bot in bots:
            bot.cancel()
        await asyncio.wait(bots)
        assert waits[0] == Waiting(What.ABSENT, (leaver.seat,))
        return outcome

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        outcome = runner.run(run())
    assert outcome.log is not None
    ended = audit(outcome.log.read_bytes(), allow_stub=True)
    assert ended.verdict is Verdict.UNDECIDABLE
    assert ended.match is not None
    assert len(ended.match.absent) == 1


def test_whoever_leaves_at_once_leaves_nothing_running(tmp_path: Path) -> None:
    async def screen(sitting: Sitting) -> None:
        sitting.leave()

    outcome = evening(tmp_path, screen)
    assert (outcome.is_closed, outcome.is_abandoned) == (False, False)


class Failing(Player):
    """A bot on a machine that fails."""

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        raise RuntimeFault("the disk is full")


def test_a_bot_whose_machine_fails_ends_the_evening_with_its_error(tmp_path: Path) -> None:
    def seated(seat: Seat, chances: Random) -> Player:
        return Failing()

    async def screen(sitting: Sitting) -> None:
        async for _ in sitting.sights():
            tried(sitting, Next())

    with pytest.raises(RuntimeFault, match="the disk is full"):
        evening(tmp_path, screen, seated)


def test_a_proof_that_a_bug_keeps_from_being_verified_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The evening ends with the error, and does not go on as if the proof were a good one."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug of ours")

    async def screen(sitting: Sitting) -> None:
        async for _ in sitting.sights():
            tried(sitting, Next())

    monkeypatch.setattr(dealing, "check_turn", broken)
    with pytest.raises(ZeroDivisionError, match="a bug of ours"):
        evening(tmp_path, screen)


class Idle(Player):
    """Whoever sits there does nothing."""

    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        return None


def test_a_table_at_which_nothing_moves_is_given_up_after_a_while(tmp_path: Path) -> None:
    async def run() -> list[Outcome]:
        own, others = chairs(plan(tmp_path))
        seats = [replace(quick(chair), give_up_ms=300) for chair in (own, *others)]
        runners = [chair.sit(Idle(), lambda _session, _sight: None)[1] for chair in seats]
        return await asyncio.wait_for(asyncio.gather(*(runner.run() for runner in runners)), LIMIT_S)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        outcomes = runner.run(run())
    assert [(outcome.is_closed, outcome.is_abandoned) for outcome in outcomes] == [(False, False)] * 4


def test_bots_of_the_house_deal_at_once_the_first_time_and_in_their_own_time_later() -> None:
    rules = load_rules("kemps")
    table = Table.seated(rules, 4, Seat(1), lambda state: pack_order(rules, 4))
    bot = HouseBot(Seat(1), 4, Random(1), Pace.RELAXED, Level.NORMAL)
    assert bot.wake_at_ms is None
    assert bot.decide(view_at(table), 1000) == Next()
    # The deck is not shuffled yet: it asks again soon.
    bot.refused(Next(), 1000)
    assert bot.decide(view_at(table), 1000) is None
    assert bot.wake_at_ms is not None
    assert 1000 < bot.wake_at_ms < 1100
    assert bot.decide(view_at(table), bot.wake_at_ms) == Next()
    table.act(Seat(1), Next())
    assert bot.decide(view_at(table), 1100) is None
    table.act(Seat(0), Call(calls=(Counter(target=1),)))
    assert bot.decide(view_at(table), 1200) is None
    assert bot.wake_at_ms is not None
    assert bot.wake_at_ms >= 1200 + 3000


def view_at(table: Table) -> SeatView:
    return seat_view(table.state, Seat(1), table.hand(Seat(1)))
