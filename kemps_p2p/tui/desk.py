"""One person at one sitting: which screen is shown, what is pressed on it, and what a repaint has to draw.

Knows no terminal. It keeps what the person has switched on and seen, and nothing of the game: that is read
anew from the sitting. Invariants:

1. Which screen is shown follows from the match; only showdowns wait for the person.
2. Between deals the person is asked for by nobody's program before they are ready.
"""

from enum import Enum, auto

from kemps_p2p.errors import IllegalAction
from kemps_p2p.game.actions import Action, Mulligan, Next, Say, Signal
from kemps_p2p.game.record import BETWEEN_DEALS, Phase
from kemps_p2p.game.rules import Signals
from kemps_p2p.game.views import SeatView
from kemps_p2p.runtime.huddle import Huddle
from kemps_p2p.runtime.sights import Sight
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.session.messages import Want
from kemps_p2p.session.presence import unready
from kemps_p2p.session.waiting import Waiting, What
from kemps_p2p.tui import keys
from kemps_p2p.tui.calling import AGAIN_MS
from kemps_p2p.tui.glance import Glance, Switches
from kemps_p2p.tui.news import News
from kemps_p2p.tui.overlays import Overlay
from kemps_p2p.tui.playing import Playing, asked, decline
from kemps_p2p.wording.books import no_sign_text, sealed_text, unsealable_text
from kemps_p2p.wording.people import People
from kemps_p2p.wording.presence import away_texts
from kemps_p2p.wording.refusals import refusal_text
from kemps_p2p.wording.tutorial import Tutorial
from kemps_p2p.wording.waiting import unready_text

CARDS_MS = 800


class Page(Enum):
    """The screens."""

    LOBBY = auto()
    HUDDLE = auto()
    TABLE = auto()
    SHOWDOWN = auto()
    END = auto()


class Request(Enum):
    """What the desk wants of the program around it."""

    TALK = auto()
    WHISPER = auto()
    REMATCH = auto()
    LEAVE = auto()


class Desk:
    """A person's desk. `before`: who sat here in the last match, if this is a rematch."""

    def __init__(
        self,
        sitting: Sitting,
        *,
        is_ascii: bool,
        switches: Switches,
        before: People | None = None,
        tutorial: Tutorial | None = None,
    ) -> None:
        self.sitting = sitting
        self.news = News(sitting, is_ascii=is_ascii, tutorial=tutorial)
        self.switches = switches
        self.overlay: Overlay | None = None
        self.scroll = 0
        self._is_ascii = is_ascii
        self._before = before
        self.playing = Playing(sitting, self.news, switches, is_ascii=is_ascii)
        self._shown_deal: tuple[int, int] | None = None
        """The last deal whose showdown the person has seen."""
        self._huddle = Huddle(sitting)
        self._was_paused = False
        self._has_warned = False
        self._deal_until_ms = 0
        """Until then another press deals, though somebody is not ready."""
        self._cards_since_ms: int | None = None

    @property
    def people(self) -> People:
        """Who sits at the table; while it forms again, who sat there before."""
        if not self.sitting.has_begun and self._before is not None:
            return self._before
        return self.sitting.people

    # What is shown

    def page(self) -> Page:
        """The screen that belongs to where the match stands."""
        if not self.sitting.has_begun:
            return Page.LOBBY
        view = self.sitting.view()
        match view.phase:
            case Phase.SEATED:
                return Page.HUDDLE
            case Phase.DEAL_OVER | Phase.MATCH_OVER if self._shown_deal != (view.matches, view.deal):
                return Page.SHOWDOWN
            case Phase.DEAL_OVER:
                return Page.HUDDLE
            case Phase.MATCH_OVER:
                return Page.END
            case _:
                return Page.TABLE

    def glance(self, now_ms: int) -> Glance:
        """All that a repaint draws. Only once the match has begun."""
        sitting = self.sitting
        view = sitting.view()
        draft = self.playing.caller.draft(now_ms)
        choosing = draft.choosing if draft is not None else None
        outcome = sitting.outcome
        return Glance(
            seat=sitting.seat,
            partner=sitting.partner,
            people=sitting.people,
            owners=sitting.owners,
            words=sitting.words,
            view=view,
            pool=sitting.pool_row(),
            hand=sitting.hand_row(),
            scene=sitting.scene(is_ascii=self._is_ascii),
            waits=self._waits(view, now_ms),
            wants=sitting.wants,
            away=sitting.away(),
            can_vote_absent=sitting.can_vote_absent(),
            can_offer=sitting.can_offer(),
            offers=sitting.offers(),
            silent_teams=sitting.silent_teams(),
            is_looking_on=sitting.is_looking_on,
            is_paused=sitting.is_paused,
            is_held=self._huddle.is_on,
            signal=sitting.signal,
            agreed=sitting.signal_agreed,
            offered=sitting.offered,
            proposed=sitting.proposed,
            has_returned=sitting.has_returned,
            book=sitting.book,
            lost_books=sitting.lost_books,
            can_seal=sitting.can_seal_book,
            has_bots=sitting.has_bots,
            rematch=sitting.wants_rematch(),
            gone=sitting.gone(),
            is_closed=outcome is not None and outcome.is_closed,
            log=None if outcome is None else outcome.log,
            take=self.playing.picks.take,
            give=self.playing.picks.give,
            draft=draft,
            targets=() if choosing is None else self.playing.caller.targets(choosing),
            watched=self.playing.watched,
            can=self._can(view),
            recent=self.news.recent,
            switches=self.switches,
            now_ms=now_ms,
        )

    def _waits(self, view: SeatView, now_ms: int) -> tuple[Waiting, ...]:
        """What is waited for; cards that were left are turned up at once, so only if that takes long."""
        waits = self.sitting.waiting_for()
        if view.phase is not Phase.OPEN or not any(wait.what is What.CARDS for wait in waits):
            self._cards_since_ms = None
            return waits
        self._cards_since_ms = now_ms if self._cards_since_ms is None else self._cards_since_ms
        if now_ms - self._cards_since_ms > CARDS_MS:
            return waits
        return tuple(wait for wait in waits if wait.what is not What.CARDS)

    def _can(self, view: SeatView) -> frozenset[str]:
        """The keys beside cards and calls that would do something now."""
        awaited = asked(self.sitting)
        acts: dict[str, Action] = {keys.DECLINE: decline(view), keys.MULLIGAN: Mulligan()}
        if view.rules.signals is Signals.ONCE:
            acts[keys.SIGN] = Signal()
        if awaited is not None:
            acts[keys.ASKED] = awaited
        can = {key for key, action in acts.items() if self.sitting.against(action) is None}
        if self._huddle.is_on or self.page() is Page.SHOWDOWN or isinstance(awaited, Next):
            can.add(keys.ASKED)
        return frozenset(can)

    # What happens

    def hear(self, sight: Sight, now_ms: int) -> None:
        """Take in a sight, and let the choice of cards follow it."""
        self.news.hear(sight, now_ms)
        self.news.watch(self.playing.watched, sight)
        self.follow(now_ms)

    def follow(self, now_ms: int) -> None:
        """Keep up with the match: what is chosen, the whispers that waited, the huddle."""
        if not self.sitting.has_begun:
            return
        view = self.sitting.view()
        self.news.notice_away(self.sitting.away(), now_ms)
        self._end_break()
        self.playing.follow(view, now_ms)
        self._huddle.follow()
        if view.phase in BETWEEN_DEALS:
            self.news.release()

    def _end_break(self) -> None:
        """A break that another seat has ended is over for this one too."""
        is_paused = self.sitting.is_paused
        if self._was_paused and not is_paused and self.sitting.wants[self.sitting.seat] is Want.PAUSE:
            self._huddle.go_on()
        self._was_paused = is_paused

    # What is pressed

    def press(self, key: str, now_ms: int) -> Request | None:
        """One key, or a click on the place that stands for it."""
        if self.overlay is not None:
            return self._press_overlay(key, now_ms)
        page = self.page()
        if page is Page.LOBBY:
            return Request.LEAVE if key in (keys.QUIT, keys.CANCEL) else None
        if key in (keys.HELP, "f1"):
            self._open(Overlay.HELP)
        elif key == keys.STORY:
            self._open(Overlay.STORY)
        elif key == keys.QUIT:
            return self._quit(page)
        elif key == keys.CANCEL:
            if not self.playing.cancel(now_ms):
                self._open(Overlay.MENU)
        elif key == keys.BREAK:
            self._break(now_ms)
        elif key == keys.TALK:
            return self._talk(now_ms)
        else:
            return self._press_page(page, key, now_ms)
        return None

    def _press_page(self, page: Page, key: str, now_ms: int) -> Request | None:
        match page:
            case Page.TABLE:
                if key == keys.ASKED and self.sitting.is_paused:
                    self._huddle.go_on()
                else:
                    self.playing.press(key, now_ms)
            case Page.HUDDLE:
                return self._press_huddle(key, now_ms)
            case Page.SHOWDOWN:
                if key in (keys.ASKED, keys.DECLINE):
                    view = self.sitting.view()
                    self._shown_deal = (view.matches, view.deal)
            case Page.END if key == keys.REMATCH:
                if self.sitting.outcome is not None and self.sitting.outcome.is_closed:
                    return Request.REMATCH
                self.news.notify("the log is being completed: a moment", now_ms)
            case _:
                return None
        return None

    def _open(self, overlay: Overlay) -> None:
        self.overlay = overlay
        self.scroll = 0

    def _press_overlay(self, key: str, now_ms: int) -> Request | None:
        overlay = self.overlay
        if key in (keys.WATCH_PARTNER, keys.TURN_ON) and overlay is not Overlay.MENU:
            step = 1 if key == keys.TURN_ON else -1
            self.scroll = max(self.scroll + (step if overlay is Overlay.HELP else -step) * 3, 0)
            return None
        self.overlay = None
        if overlay is not Overlay.MENU:
            return None
        match key:
            case keys.BREAK:
                self._break(now_ms)
            case keys.BELL:
                self.switches.has_bell = not self.switches.has_bell
                self.overlay = Overlay.MENU
            case keys.FLASH:
                self.switches.has_flash = not self.switches.has_flash
                self.overlay = Overlay.MENU
            case keys.HELP:
                self._open(Overlay.HELP)
            case keys.STORY:
                self._open(Overlay.STORY)
            case keys.ABANDON:
                self.sitting.want(Want.ABANDON)
                self.news.tell("you want to abandon the match: it ends once all do", now_ms)
            case keys.VOTE:
                for seat in self.sitting.can_vote_absent():
                    self.sitting.vote_absent(seat)
            case keys.HOLD:
                self._hold()
            case keys.WALK_OVER:
                self._walk_over(now_ms)
            case keys.QUIT:
                return Request.LEAVE
            case _:
                return None
        return None

    def _hold(self) -> None:
        """Agree to the first bot that is offered; if none is, offer one for who is absent."""
        for offered in self.sitting.offers()[:1]:
            self.sitting.agree_to_stand_in(offered.seat, offered.by)
            return
        for seat in self.sitting.can_offer():
            self.sitting.offer_stand_in(seat)

    def _walk_over(self, now_ms: int) -> None:
        try:
            self.sitting.walk_over()
        except IllegalAction as illegal:
            self.news.notify(f"no walk-over: {refusal_text(illegal.reason)}", now_ms)
        else:
            self.news.tell("you have signed a walk-over: the match ends once your partner has too", now_ms)

    def _quit(self, page: Page) -> Request | None:
        if page is Page.END:
            return Request.LEAVE
        self._open(Overlay.MENU)
        return None

    def _break(self, now_ms: int) -> None:
        own = self.sitting.wants[self.sitting.seat]
        if own is Want.PAUSE:
            self._huddle.go_on()
        else:
            self.sitting.want(Want.PAUSE)
            if not self.sitting.is_paused:
                self.news.notify("you want a break: it begins once all do", now_ms)

    def _talk(self, now_ms: int) -> Request | None:
        reason = self.sitting.against(Say(text="."))
        if reason is None:
            return Request.TALK
        self.news.notify(f"you cannot talk now: {refusal_text(reason)}", now_ms)
        return None

    def _press_huddle(self, key: str, now_ms: int) -> Request | None:
        if key == keys.WHISPER:
            return Request.WHISPER
        if key == keys.ASKED:
            self._go_on(now_ms)
        elif key == keys.SEAL:
            self._seal_book(now_ms)
        elif self.sitting.rules.signals is Signals.GESTURES:
            self._choose_sign(key, now_ms)
        return None

    def _choose_sign(self, key: str, now_ms: int) -> None:
        if key in keys.GESTURE_KEYS:
            self.whisper(f"signal: {keys.GESTURE_KEYS[key]}", now_ms)
        elif (capital := key.upper()) in keys.GESTURE_KEYS:
            # Some small letters are commands here or at the table, so none of them changes a sign.
            self.news.notify(f"Shift+{capital} chooses {keys.GESTURE_KEYS[capital]}", now_ms)

    def _seal_book(self, now_ms: int) -> None:
        """Commit to the sign that is agreed on, so that after the match anybody can see how honest it was."""
        if self.sitting.seal_book():
            self.news.notify(sealed_text(self.sitting.book or ()), now_ms)
        else:
            self.news.notify(unsealable_text(self.sitting.signal_agreed), now_ms)

    def _go_on(self, now_ms: int) -> None:
        """Ready for the next deal, which is dealt if that is for this seat to do."""
        if self._warns_of_no_sign(now_ms) or self._warns_of_unready(now_ms):
            return
        self._huddle.end()
        if not isinstance(asked(self.sitting), Next):
            return
        away = self.sitting.away()
        if away:
            self.news.notify(f"no deal without them: {'; '.join(away_texts(away, self.people))}", now_ms)
        self.playing.act(Next(), now_ms)

    def _warns_of_no_sign(self, now_ms: int) -> bool:
        """Say once in a match that the partner has not agreed on a sign."""
        sitting = self.sitting
        if self._has_warned or sitting.rules.signals is not Signals.GESTURES or sitting.signal:
            return False
        self._has_warned = True
        self.news.notify(f"{no_sign_text(self.people.seat(sitting.partner))}: Enter again goes on", now_ms)
        return True

    def _warns_of_unready(self, now_ms: int) -> bool:
        """The dealer deals to people who are not ready only with a second press, as one calls."""
        missing = unready(self.sitting.wants, self.sitting.away())
        missing = tuple(seat for seat in missing if seat != self.sitting.seat)
        if not missing or not isinstance(asked(self.sitting), Next) or now_ms <= self._deal_until_ms:
            self._deal_until_ms = 0
            return False
        self._deal_until_ms = now_ms + AGAIN_MS
        self.news.notify(f"{unready_text(missing, self.people)}: Enter again deals", now_ms)
        return True

    # What is said

    def whisper(self, text: str, now_ms: int) -> None:
        """Say something to the partner alone."""
        try:
            said = self.sitting.whisper(text)
        except IllegalAction as illegal:
            self.news.notify(f"that was not whispered: {refusal_text(illegal.reason)}", now_ms)
        else:
            self.news.whispered(said)

    def say(self, text: str, now_ms: int) -> None:
        """Say something to all."""
        self.playing.act(Say(text=text), now_ms)
