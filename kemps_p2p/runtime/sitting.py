"""One person at one seat for one match: what a screen or line mode sees of it, and what it can do.

The same for a table in this process and for one on the network. It keeps no state of the game: all of it is
in the view. Invariants:

1. What the person does is handled after everything that has already arrived, and a refusal is raised at once.
2. Sights come in the order in which the machine gave them, and never while one of the verbs runs.
3. Whatever becomes of the match, `sights` ends and `ended` returns or raises.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from functools import partial
from random import Random
from typing import TypeAlias

from kemps_p2p.bots.pact import AGREEMENT, PROPOSAL
from kemps_p2p.codec import Digest
from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.actions import Action
from kemps_p2p.game.legal import against
from kemps_p2p.game.record import Phase, State, is_running
from kemps_p2p.game.rows import Row
from kemps_p2p.game.rules import RuleSet
from kemps_p2p.game.seating import partner_of
from kemps_p2p.game.views import SeatView, options
from kemps_p2p.ids import Position, Seat
from kemps_p2p.runtime.aftermath import Aftermath, say_farewell
from kemps_p2p.runtime.chair import FIRST, Before, Chair, after
from kemps_p2p.runtime.person import WAITED_FOR, Person
from kemps_p2p.runtime.runner import Outcome
from kemps_p2p.runtime.sights import Refused, Sight, StandInFailed
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import Want
from kemps_p2p.session.presence import Away
from kemps_p2p.session.session import Session
from kemps_p2p.session.standin import ReadOffer
from kemps_p2p.session.waiting import Waiting, What, waiting
from kemps_p2p.wording.absence import with_stand_ins
from kemps_p2p.wording.people import People
from kemps_p2p.wording.scene import Scene
from kemps_p2p.wording.scores import result_line
from kemps_p2p.wording.words import words_of

Screen: TypeAlias = Callable[["Sitting"], Awaitable[None]]
"""Shows a sitting to a person, and those of its rematches, until the person leaves."""


CLOSING_S = 30.0
OWN_CARDS_FORBID = (Illegal.FALSE_DENIAL, Illegal.NO_MULLIGAN)
"""What the machine finds only once cards are shown; here it is found before anything is sent."""


class Sitting:
    """A person's seat. `chances` move its face; `before` says what came before if this is a rematch.

    `gone`: who has left the table already.
    """

    def __init__(
        self, chair: Chair, chances: Random, before: Before = FIRST, gone: frozenset[Seat] = frozenset()
    ) -> None:
        self.seat = chair.seat
        self.players = chair.players
        self.partner = partner_of(chair.seat, chair.players)
        self.rules: RuleSet = chair.rules
        self.outcome: Outcome | None = None
        self.next: Sitting | None = None
        self.has_bots = chair.has_bots
        self._chair = chair
        self._chances = chances
        self._aftermath = Aftermath(chair, gone)
        self._person = Person(chances, self.against, self._refused, self._in_deal)
        self._sights: asyncio.Queue[Sight | None] = asyncio.Queue()
        # An earlier process has played at this seat of this match; what it has shown is not kept.
        self.has_returned = before == FIRST and chair.returning is not None
        self._session, self._runner = chair.sit(self._person, self._watch, before)
        self._task: asyncio.Task[Outcome] | None = None
        self._pool = Row()
        self._hand = Row()

    # From start to end

    def start(self) -> "Sitting":
        """Sit down: the seat runs by itself from now on."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        return self

    async def _run(self) -> Outcome:
        try:
            outcome = await self._runner.run()
            if outcome.is_closed:
                view = self.view()
                outcome.result = result_line(self.rules, view.scores, view.winners, self.people)
            self.outcome = outcome
        finally:
            self._sights.put_nowait(None)
        return self.outcome

    async def ended(self) -> Outcome:
        """Wait until the match is over here. Raises `RuntimeFault` if this machine failed."""
        assert self._task is not None, "asked before it was started"
        return await asyncio.shield(self._task)

    def leave(self) -> None:
        """Go, whatever the others do. What was played until now is in the log."""
        self._runner.leave()

    @property
    def is_closing(self) -> bool:
        """True once the match is won and its log is not complete yet: the last shuffles are to be opened."""
        return self.has_begun and self.outcome is None and self.view().phase is Phase.MATCH_OVER

    async def closed(self) -> bool:
        """Wait until the log of a match that is won is complete; False if the others take too long for it."""
        assert self._task is not None, "asked before it was started"
        done, _ = await asyncio.wait({self._task}, timeout=CLOSING_S)
        return bool(done)

    async def close(self) -> None:
        """Leave, and wait until all files are closed; `ended` still tells how it went."""
        self.leave()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        if self._chair.stand_ins is not None:
            await self._chair.stand_ins.started()
        if self.next is None and (self._is_over or not self.has_begun):
            say_farewell(self._chair)

    def series(self) -> "Iterator[Sitting]":
        """The sitting itself and those of its rematches."""
        yield self
        if self.next is not None:
            yield from self.next.series()

    def rematch(self) -> "Sitting":
        """Sit down for another match at the same table; it begins once all have. This one is to be closed."""
        self.next = Sitting(self._chair, self._chances, after(self._session), frozenset(self.gone())).start()
        return self.next

    @property
    def _is_over(self) -> bool:
        return self.outcome is not None and self.outcome.is_closed

    def gone(self) -> tuple[Seat, ...]:
        """Who has left the table, before the match or after it."""
        if self._is_over and self.next is None:
            self._aftermath.look()
        said = {Seat(seat) for seat, want in enumerate(self.wants) if want is Want.GONE}
        return tuple(sorted(said | self._aftermath.gone))

    def wants_rematch(self) -> tuple[Seat, ...]:
        """The other people who have sat down for another match, once this one is over."""
        if self._is_over and self.next is None:
            self._aftermath.look()
        seated = sorted(self._aftermath.seated)
        return tuple(seat for seat in seated if self.wants[seat] is not Want.AS_OTHERS)

    async def sights(self) -> AsyncIterator[Sight]:
        """What there is to show, until the match is over here. For one reader."""
        while (sight := await self._sights.get()) is not None:
            yield sight

    @property
    def has_sights(self) -> bool:
        """True while there is a sight that the reader has not taken yet: then the view is ahead of it."""
        return not self._sights.empty()

    def _watch(self, session: Session, sight: fx.Sight) -> None:
        self._sights.put_nowait(sight)
        if isinstance(sight, fx.SeatHeld) and sight.by == self.seat and self._chair.stand_ins is not None:
            key = session.play.final.signers[sight.seat][-1].key
            self._chair.stand_ins.start(sight.seat, key, partial(self._stand_in_failed, key))

    def _stand_in_failed(self, key: bytes, seat: Seat, text: str) -> None:
        # One that has made room, or whose match is over, may end as it likes.
        if self.outcome is None and self._session.is_sitting(seat, key):
            self._sights.put_nowait(StandInFailed(seat, text))

    def _refused(self, action: Action, reason: Illegal) -> None:
        self._sights.put_nowait(Refused(action, reason))

    # What is known

    @property
    def has_begun(self) -> bool:
        """True once all have signed the founding of the match."""
        return self._session.has_begun

    @property
    def match(self) -> Digest | None:
        """What the match is called, once it has begun."""
        return self._session.play.founding.match if self.has_begun else None

    @property
    def words(self) -> str:
        """Three words that are the same on all screens of this match; empty before it has begun."""
        return "" if self.match is None else words_of(self.match)

    @property
    def names(self) -> tuple[str, ...]:
        """Names by seat; none before the match has begun."""
        return self._session.names if self.has_begun else ()

    @property
    def owners(self) -> People:
        """What to call the players of the seats; before the match, by the names under which they came."""
        return People(self.players, self.names or self._chair.came)

    @property
    def people(self) -> People:
        """What to call who plays at the seats, which may be somebody else for a while."""
        return with_stand_ins(self.owners, self.held())

    def held(self) -> frozenset[Seat]:
        """The seats at which a bot stands in for a player."""
        return self._session.held()

    def view(self) -> SeatView:
        """What this seat may see now. Only once the match has begun."""
        return self._session.view()

    def scene(self, game: State | None = None, *, is_ascii: bool = False) -> Scene:
        """What sentences need to know; `game`: the state that a sight brought, now by default."""
        view = self.view()
        own = {held.position: held.card for held in view.hand}
        shown = view.state if game is None else game
        # Positions come again in every deal.
        known = own if (shown.matches, shown.deal) == (view.matches, view.deal) else {}
        return Scene(self.people, self.rules, {**shown.faces, **known}, is_ascii)

    def pool_row(self) -> tuple[Position | None, ...]:
        """Where the cards of the middle lie, by place from 0."""
        return self._pool.follow(self.view().state.pool)

    def hand_row(self) -> tuple[Position | None, ...]:
        """Where the own cards are, by place from 0."""
        hands = self.view().state.hands
        return self._hand.follow(hands[self.seat] if hands else ())

    def now_ms(self) -> int:
        """The clock of the table, in milliseconds; it stands still during a pause."""
        return self._runner.now_ms()

    def waiting_for(self) -> tuple[Waiting, ...]:
        """For whom the table waits, and for what."""
        if self.has_begun:
            return waiting(self._session.play.final)
        missing = tuple(sorted(self._session.missing()))
        return (Waiting(What.SEATING, missing),) if missing else ()

    @property
    def is_looking_on(self) -> bool:
        """True for a player who is back while a bot still plays the deal for them."""
        return self.seat in self.held()

    # What can be done

    def legal(self) -> tuple[Action, ...]:
        """What can be done now; combined calls and free text are not listed."""
        if not self.has_begun:
            return ()
        return tuple(action for action in options(self.view()) if self.against(action) is None)

    def against(self, action: Action) -> Illegal | None:
        """Why an action cannot be done now; None if it can."""
        if not self.has_begun or self.outcome is not None:
            return Illegal.DEAL_OVER
        if self.is_paused:
            return Illegal.PAUSED
        if self.is_looking_on:
            return Illegal.STOOD_IN
        try:
            self._session.play.check(action, self.now_ms())
        except IllegalAction as illegal:
            # After the last deal none gets ready any more; another match is a rematch.
            is_over = self._session.play.final.game.phase is Phase.MATCH_OVER
            return Illegal.DEAL_OVER if is_over else illegal.reason
        view = self.view()
        reason = against(view.state, self.seat, action, {held.position: held.card for held in view.hand})
        # The time of the view is that of the last entry; the machine has asked with the time of now.
        return None if reason is Illegal.NOT_IDLE else reason

    def act(self, action: Action) -> None:
        """Do something. Raises `IllegalAction`; then nothing was sent and nothing has changed.

        While an earlier action of its kind is not settled it waits, which takes some milliseconds, and so
        does the start of a deal until the deck is shuffled; the last one of a kind counts. If it cannot be
        done then, a sight tells so.
        """
        reason = self.against(action)
        if reason in WAITED_FOR:
            self._person.intend(action)
            return
        if reason in OWN_CARDS_FORBID or reason is Illegal.STOOD_IN:
            raise IllegalAction(reason)
        self._runner.act(action)

    def whisper(self, text: str) -> str:
        """Say something to the partner alone; gives what was said. Raises `IllegalAction` if it is too long.

        To propose what the partner has proposed is to agree to it.
        """
        said = f"{AGREEMENT}: {self.offered}" if text == f"{PROPOSAL}: {self.offered}" else text
        self._runner.whisper(said)
        return said

    def _in_deal(self) -> bool:
        return self.has_begun and is_running(self._session.play.final.game)

    @property
    def signal(self) -> str | None:
        """The gesture to make with a quartet: what is agreed on, or else what the partner has proposed."""
        return self._person.accord.signal

    @property
    def signal_agreed(self) -> str | None:
        """The gesture that both partners have named."""
        return self._person.accord.agreed

    @property
    def offered(self) -> str | None:
        """The gesture that the partner has named, and this seat has not agreed to."""
        return self._person.accord.offered

    @property
    def proposed(self) -> str | None:
        """The gesture that this seat has named, and the partner has not agreed to."""
        return self._person.accord.proposed

    @property
    def book(self) -> tuple[str, ...] | None:
        """The signals that this seat has sealed last."""
        return self._session.play.books.last if self.has_begun else None

    @property
    def lost_books(self) -> tuple[int, ...]:
        """From which deals books of this seat are in force that cannot be opened any more."""
        return self._session.play.books.lost if self.has_begun else ()

    @property
    def can_seal_book(self) -> bool:
        """True if a signal is agreed on that can be sealed for the coming deal."""
        if not self.has_begun or self.outcome is not None or self.signal_agreed is None:
            return False
        play = self._session.play
        return play.books.can_seal(play.tip, (self.signal_agreed,))

    def seal_book(self) -> bool:
        """Commit to the agreed signal before the coming deal; False if there is nothing to seal now."""
        if not self.can_seal_book or self.signal_agreed is None:
            return False
        self._runner.seal_book((self.signal_agreed,))
        return True

    # What the table agrees on beside the game

    def want(self, want: Want) -> None:
        """Say what this seat wants: a pause, the end, or to play on. All seats want it, then it is done."""
        self._runner.want(want)

    def silent_teams(self) -> tuple[Seat, ...]:
        """Against whom this seat could sign a walk-over now: all opponents, once they are silent for long."""
        is_on = self.has_begun and self.outcome is None and not self.is_paused
        return self._session.silent_teams(self.now_ms()) if is_on else ()

    def walk_over(self) -> None:
        """Sign that all opponents have fallen silent. Raises `IllegalAction` while they have not."""
        self._runner.walk_over()

    @property
    def wants(self) -> tuple[Want, ...]:
        """What each seat wants."""
        return self._session.wants

    def away(self) -> tuple[Away, ...]:
        """Who has left the running match, or has not been heard of for long."""
        return self._session.away(self.now_ms()) if self.outcome is None else ()

    def can_vote_absent(self) -> tuple[Seat, ...]:
        """Who has been silent for so long that this seat may vote them absent, and has not."""
        return self._session.can_vote_absent(self.now_ms()) if self.outcome is None else ()

    def vote_absent(self, seat: Seat) -> None:
        """Vote a seat absent. Raises `IllegalAction` if it has not been silent for long."""
        self._runner.beside(lambda session, now: session.vote_absent(seat, now))

    def can_offer(self) -> tuple[Seat, ...]:
        """The absent seats for which this person may offer a bot: it would run here, beside this process."""
        has_offers = self._chair.stand_ins is not None and self.outcome is None
        return self._session.can_offer() if has_offers else ()

    def offers(self) -> tuple[ReadOffer, ...]:
        """What others offer for absent seats, and this person has not agreed to."""
        return self._session.offers() if self.outcome is None else ()

    def offer_stand_in(self, seat: Seat) -> None:
        """Offer a bot for an absent seat. Raises `IllegalAction` where there is none to be offered."""
        if self._chair.stand_ins is None or seat not in self.can_offer():
            raise IllegalAction(Illegal.NOT_ABSENT)
        own = self._chair.stand_ins.draw()
        self._runner.beside(lambda here, now: here.offer_stand_in(seat, own.signs, own.curve.public, now))

    def agree_to_stand_in(self, seat: Seat, by: Seat) -> None:
        """Agree to the bot that a seat offers for another. Raises `IllegalAction` if it offers none."""
        self._runner.beside(lambda session, now: session.agree_to_stand_in(seat, by, now))

    @property
    def is_paused(self) -> bool:
        """True while all seats want a pause."""
        return self._runner.is_paused


async def play_as_person(
    chair: Chair, screen: Screen, others: Collection["asyncio.Task[None]"] = ()
) -> Outcome:
    """Let a person play at a chair, with a screen, until they leave; see `attended`."""
    sitting = Sitting(chair, Random(secrets.randbits(128))).start()
    return await attended(sitting, screen, others)


async def attended(
    sitting: Sitting, screen: Screen, others: Collection["asyncio.Task[None]"] = ()
) -> Outcome:
    """Let a screen show a started sitting until the person leaves; how the last match begun has ended.

    `others` play along in this process; what fails there fails here. Raises `RuntimeFault`.
    """
    shown = asyncio.ensure_future(screen(sitting))
    try:
        await asyncio.wait({shown, *others}, return_when=asyncio.FIRST_COMPLETED)
        for other in others:
            if other.done():
                other.result()
        await shown
    finally:
        shown.cancel()
        await asyncio.wait({shown})
        for each in sitting.series():
            await each.close()
    begun = [each for each in sitting.series() if each.has_begun]
    return await (begun[-1] if begun else sitting).ended()
