"""What a sitting shows, as lines of text: events as sentences, rows of cards by number, prompts.

Reads a sitting and writes nothing. Invariants:

1. Every sight has its line, or a reason here why it has none.
2. A gesture is told only of the face that is watched.
3. Rows and prompts are told when they have changed, and never twice in a row.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from kemps_p2p.errors import Fault
from kemps_p2p.game.cards import Card
from kemps_p2p.game.events import (
    Dealt,
    Event,
    Gestured,
    MatchEnded,
    Settled,
)
from kemps_p2p.game.gestures import GESTURES, named_in
from kemps_p2p.game.record import Phase, Result, is_running
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.entry import Result as Outcome
from kemps_p2p.plain.board import Board
from kemps_p2p.plain.commands import Page
from kemps_p2p.plain.help import help_lines
from kemps_p2p.runtime.huddle import Huddle
from kemps_p2p.runtime.sights import Refused, Sight, StandInFailed
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.session import effects as fx
from kemps_p2p.session.messages import Want
from kemps_p2p.session.presence import unready
from kemps_p2p.wording.absence import absence_text, failed_text, hold_text
from kemps_p2p.wording.actions import action_text
from kemps_p2p.wording.books import lost_text, sign_text
from kemps_p2p.wording.cards import card_text
from kemps_p2p.wording.events import event_text
from kemps_p2p.wording.faults import FAULTS
from kemps_p2p.wording.observing import struck_text
from kemps_p2p.wording.people import counted, listed
from kemps_p2p.wording.plain import plain
from kemps_p2p.wording.presence import away_text, away_texts, gone_text, rematch_text
from kemps_p2p.wording.prompts import instead_text, prompt_text
from kemps_p2p.wording.races import met_text
from kemps_p2p.wording.refusals import refusal_text
from kemps_p2p.wording.scores import standing
from kemps_p2p.wording.tutorial import Tutorial
from kemps_p2p.wording.waiting import OWN_UNREADY, ready_text, unready_text, waiting_text
from kemps_p2p.wording.walkovers import silent_text

END_HINT = (
    "The match cannot go on without them; it ends once all who are here say `abandon`. "
    "After 10 s of silence `vote NAME` ends the deal instead, once enough do"
)
WANTS: dict[Want, str] = {
    Want.PLAY_ON: "wants to play on",
    Want.AS_OTHERS: "goes along with what the others want",
    Want.PAUSE: "wants a break: it begins once all say `pause`, and ends with `play on`",
    Want.ABANDON: "wants to abandon the match: it ends once all say `abandon`",
    Want.WALK_OVER: "has signed a walk-over: the match ends once their partner has too",
    Want.HUDDLE: "is not ready for the next deal",
    Want.GONE: f"has left the table. {END_HINT}",
}


def sentence(text: str) -> str:
    """A text with a capital and a full stop."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def is_told(event: Event) -> bool:
    """False for what has been told before it was final, and for what the next event says better."""
    match event:
        case Gestured():
            return False
        case Settled(result=result):
            return result != Result.OK
        case _:
            return True


class Voice:
    """Tells one sitting."""

    def __init__(
        self, sitting: Sitting, huddle: Huddle, *, is_ascii: bool, tutorial: Tutorial | None = None
    ) -> None:
        self._sitting = sitting
        self._huddle = huddle
        self._is_ascii = is_ascii
        self._tutorial = tutorial
        self.watched: Seat = sitting.partner
        self._rows: dict[str, str] = {}
        self._prompt: str | None = None
        self._faults: set[tuple[Fault, int | None]] = set()
        self._silent: set[Seat] = set()
        self._is_offered = False
        self._gone: set[Seat] = set()
        self._seated: set[Seat] = set()

    def board(self) -> Board:
        """What a line can point at now."""
        sitting = self._sitting
        return Board(sitting.view(), sitting.pool_row(), sitting.hand_row(), sitting.owners)

    def hear(self, sight: Sight) -> Iterator[str]:
        """The lines of one sight, then of what it changed."""
        for text in self._sight(sight):
            yield sentence(text)
        yield from self.news()

    def news(self) -> Iterator[str]:
        """The lines of what has changed without a sight of its own: own cards, and what is waited for."""
        if not self._sitting.has_begun:
            yield from self.aftermath()
            return
        yield from self._presence()
        if not self._sitting.has_sights and not self._sitting.is_looking_on:
            yield from self._changed_rows()
            yield from self._prompts()

    def _sight(self, sight: Sight) -> Iterator[str]:
        sitting = self._sitting
        people = sitting.people
        match sight:
            case fx.TableFormed():
                yield from self._formed()
            case fx.Happened(events=events):
                yield from self._events(sight, events)
            case fx.Known(action=action, result=Outcome.REFUSED):
                text = action_text(sitting.seat, action, sitting.scene(is_ascii=self._is_ascii))
                yield f"too late to {text}: the table has moved on"
            case fx.Known():
                # What was done or missed is told by its event, some milliseconds later.
                return
            case fx.Raced(race=race):
                yield met_text(race, people)
            case fx.GestureSeen(seat=seat, name=name):
                if seat == self.watched:
                    yield f"{people.seat(seat)} makes a gesture: {plain(name)}"
                    yield from self._lesson_of_gesture(seat, name)
            case fx.Whispered(text=text):
                yield f"{people.seat(sitting.partner)} whispers: {plain(text)}"
                if sitting.offered is not None and sitting.offered in named_in(text):
                    yield self.sign()
            case fx.Wanted(seat=seat, want=Want.PLAY_ON, did=Want.HUDDLE):
                if sitting.has_begun and not is_running(sitting.view().state):
                    yield ready_text((seat,), people)
            case fx.Wanted(seat=seat, want=Want.PLAY_ON, did=Want.GONE):
                yield f"{people.seat(seat)} is back"
            case fx.Wanted(seat=seat, want=want):
                yield from self._wanted(seat, want)
            case fx.ObserverStruck(is_proven=is_proven):
                yield struck_text(is_proven=is_proven)
            case fx.VotedAbsent() | fx.SeatStruck() | fx.SeatBack() | fx.StandInOffered():
                yield from self._absence(sight)
            case fx.StandInAgreed() | fx.SeatHeld() | fx.PlayerAsks():
                yield from self._absence(sight)
            case fx.FaultFound(fault=fault):
                if (fault.code, fault.culprit) not in self._faults:
                    self._faults.add((fault.code, fault.culprit))
                    who = "somebody" if fault.culprit is None else people.seat(fault.culprit)
                    yield f"fault of {who}: {FAULTS[fault.code]}"
            case fx.MatchClosed():
                yield "the match is over: `rematch` plays again at this table, `quit` leaves"
            case StandInFailed(seat=seat, text=text):
                yield failed_text(seat, text, sitting.owners)
            case Refused(action=action, reason=reason):
                text = action_text(sitting.seat, action, sitting.scene(is_ascii=self._is_ascii))
                yield f"you cannot {text}: {refusal_text(reason)}"
            case _:
                assert_never(sight)

    def _absence(self, sight: fx.AbsenceSight) -> Iterator[str]:
        """What becomes of a seat whose player is away, and what can be done about it."""
        owners = self._sitting.owners
        yield absence_text(sight, owners)
        match sight:
            case fx.StandInOffered(seat=seat, by=by) if by != self._sitting.seat:
                yield f"`hold {owners.seat(seat).casefold()}` agrees to that"
            case fx.SeatStruck(seat=seat, is_stand_in=False) if self._sitting.can_offer():
                yield hold_text(seat, owners)
            case _:
                return

    def _formed(self) -> Iterator[str]:
        sitting = self._sitting
        people = sitting.people
        others = [people.seat(seat) for seat in range(sitting.players) if seat != sitting.seat]
        yield f"at the table: you, {people.seat(sitting.seat)}, with {listed(others)}"
        yield f"your partner is {people.seat(sitting.partner)}"
        yield f"this match is called {sitting.words}; all see the same three words"
        if self._tutorial is not None:
            yield from self._tutorial.welcome(sitting.rules, people.seat(sitting.partner))

    def _events(self, sight: fx.Happened, events: Iterable[Event]) -> Iterator[str]:
        scene = self._sitting.scene(sight.game, is_ascii=self._is_ascii)
        for event in events:
            if is_told(event):
                yield event_text(event, scene)
            if isinstance(event, Dealt):
                self._rows.clear()
            if isinstance(event, MatchEnded):
                yield "all shuffles of this match are opened and checked now"
            if self._tutorial is not None:
                yield from self._tutorial.lesson(event, self._sitting.view(), scene)

    def _lesson_of_gesture(self, seat: Seat, name: str) -> Iterator[str]:
        sitting = self._sitting
        if self._tutorial is not None and seat == sitting.partner and name == sitting.signal:
            yield from self._tutorial.signal_seen(sitting.scene(is_ascii=self._is_ascii))

    def _wanted(self, seat: Seat, want: Want) -> Iterator[str]:
        sitting = self._sitting
        is_on = sitting.has_begun and sitting.view().phase is not Phase.MATCH_OVER
        if want is Want.GONE and not is_on:
            # That is told of all who have left between matches.
            return
        # Who is not ready is told to whoever deals.
        if want not in (Want.AS_OTHERS, Want.HUDDLE):
            yield f"{self._sitting.people.seat(seat)} {WANTS[want]}"
        if self._sitting.is_paused:
            yield "the table takes a break; `play on` ends it"

    def aftermath(self) -> Iterator[str]:
        """Who has left the table, and who has sat down for another match, each once."""
        sitting = self._sitting
        gone, seated = set(sitting.gone()), set(sitting.wants_rematch())
        for seat in sorted(gone - self._gone):
            yield sentence(f"{gone_text((seat,), sitting.people)}; `quit` leaves")
        for seat in sorted(seated - self._seated):
            yield sentence(f"{rematch_text((seat,), sitting.people)}: `rematch` joins")
        self._gone, self._seated = gone, seated

    def _presence(self) -> Iterator[str]:
        """Who has fallen silent, and who is back; who has said that it leaves was told when it did."""
        silent = {away.seat: away for away in self._sitting.away() if not away.has_left}
        people = self._sitting.people
        for seat in silent.keys() - self._silent:
            yield sentence(away_text(silent[seat], people))
            yield sentence(END_HINT)
        gone = {away.seat for away in self._sitting.away()} - silent.keys()
        # Who stands in is heard from now on, and that was told.
        for seat in self._silent - silent.keys() - gone - self._sitting.held():
            yield sentence(f"{people.seat(seat)} is back")
        self._silent = set(silent)
        opponents = self._sitting.silent_teams()
        if opponents and not self._is_offered:
            yield sentence(f"{silent_text(opponents, people)}: both of you can sign that by `walk over`")
        self._is_offered = bool(opponents)

    # Rows and prompts

    def _changed_rows(self) -> Iterator[str]:
        view = self._sitting.view()
        is_whole = all(lying.card is not None for lying in view.pool)
        if view.pool and is_whole and self._is_new("pool", self.pool_line()):
            yield self._rows["pool"]
        is_known = bool(view.hand) and len(view.hand) == len(view.state.hands[view.seat])
        if is_known and self._is_new("hand", self.hand_line()):
            yield self._rows["hand"]
            if self._tutorial is not None:
                for text in self._tutorial.hand(view, self._sitting.signal):
                    yield sentence(text)

    def _is_new(self, what: str, line: str) -> bool:
        if self._rows.get(what) == line:
            return False
        self._rows[what] = line
        return True

    def _prompts(self) -> Iterator[str]:
        """What the table waits for here, if that is new."""
        sitting = self._sitting
        missing = [seat for seat in unready(sitting.wants, sitting.away()) if seat != sitting.seat]
        prompt = prompt_text(sitting.view(), sitting.waiting_for(), sitting.people, missing)
        if prompt is None and self._huddle.is_on:
            prompt = "take your time: `ready` lets the next deal begin"
        if prompt is not None and prompt != self._prompt:
            yield sentence(prompt)
        self._prompt = prompt

    def instead(self) -> str:
        """What can be done while no deal is on."""
        sitting = self._sitting
        return instead_text(
            sitting.view(),
            sitting.people,
            is_ended=sitting.outcome is not None,
            is_ready=not self._huddle.is_on,
        )

    @property
    def is_asked(self) -> bool:
        """True while the table waits for this seat."""
        return self._prompt is not None

    def pool_line(self) -> str:
        """The cards of the middle by number."""
        faces = {lying.position: lying.card for lying in self._sitting.view().pool}
        return self._row("Middle", self._sitting.pool_row(), faces)

    def hand_line(self) -> str:
        """The own cards by number."""
        faces = {held.position: held.card for held in self._sitting.view().hand}
        return self._row("Your hand", self._sitting.hand_row(), faces)

    def _row(self, name: str, row: tuple[Position | None, ...], faces: Mapping[Position, Card | None]) -> str:
        cards = [
            f"{place} {self._card(faces.get(position))}"
            for place, position in enumerate(row, start=1)
            if position is not None
        ]
        return f"{name}: {', '.join(cards) or 'no cards'}."

    def _card(self, card: Card | None) -> str:
        return "face down" if card is None else card_text(card, is_ascii=self._is_ascii)

    # What is asked for

    def page(self, page: Page) -> Iterator[str]:
        """The lines that tell how things stand."""
        match page:
            case Page.TABLE:
                yield from self._table()
            case Page.HAND:
                yield self.hand_line()
            case Page.SCORES:
                view = self._sitting.view()
                yield sentence(standing(view.rules, view.scores, self._sitting.people))
            case Page.WAITING:
                yield from self._waiting()
            case Page.GESTURES:
                yield f"Gestures: {', '.join(kind.name for kind in GESTURES)}."
                yield sentence(self.sign())
                if self._sitting.lost_books:
                    yield sentence(lost_text(self._sitting.lost_books))
            case Page.HELP:
                yield from help_lines(self._sitting.rules)

    def sign(self) -> str:
        """What is agreed on with the partner, and what is only proposed."""
        sitting = self._sitting
        partner = sitting.people.seat(sitting.partner)
        return sign_text(sitting.signal_agreed, sitting.offered, sitting.proposed, partner)

    def _table(self) -> Iterator[str]:
        view, people = self._sitting.view(), self._sitting.people
        yield f"Deal {view.deal + 1}. {people.seat(view.dealer)} is the dealer."
        yield sentence(standing(view.rules, view.scores, people))
        yield self.pool_line()
        yield self.hand_line()
        for seat, hand in enumerate(view.hands):
            shown = [lying.card for lying in hand if lying.card is not None]
            if shown and seat != view.seat:
                cards = " ".join(self._card(card) for card in shown)
                yield f"{people.seat(seat)} has taken {cards} for all to see."
        yield f"{counted(view.stock_count, 'card is', 'cards are')} left, and {view.swept_count} swept away."
        if view.passes:
            yield f"Passed: {people.all(sorted(view.passes))}."
        yield f"You watch {people.seat(self.watched)}."

    def _waiting(self) -> Iterator[str]:
        sitting = self._sitting
        waits, away = sitting.waiting_for(), sitting.away()
        for told in away_texts(away, sitting.people):
            yield sentence(told)
        unready_seats = unready(sitting.wants, away)
        if sitting.seat in unready_seats:
            yield sentence(OWN_UNREADY)
        missing = [seat for seat in unready_seats if seat != sitting.seat]
        if missing:
            yield sentence(unready_text(missing, sitting.people))
        for wait in waits:
            yield sentence(waiting_text(wait, sitting.people))
        if not waits and not away and not unready_seats:
            yield "The table waits for nobody."
