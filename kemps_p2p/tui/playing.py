"""What a person does at the table while cards are in play: presses in, actions out.

Knows no terminal. Keeps what is chosen and half called, and whose face is watched; of the game nothing.
Invariants:

1. A press does one thing or says why not.
2. What is done names the cards that were on the screen.
"""

from collections.abc import Callable, Mapping

from kemps_p2p.errors import Illegal, IllegalAction
from kemps_p2p.game.actions import (
    Action,
    Admit,
    Call,
    Deny,
    Gesture,
    Go,
    Halt,
    Mulligan,
    Next,
    Pass,
    Resume,
    Signal,
)
from kemps_p2p.game.cards import QUARTET_CARDS
from kemps_p2p.game.record import Phase
from kemps_p2p.game.rules import Exchange, Signals, Sweep
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Position, Seat
from kemps_p2p.runtime.sitting import Sitting
from kemps_p2p.session.waiting import What
from kemps_p2p.tui import keys
from kemps_p2p.tui.calling import Caller, Declaration
from kemps_p2p.tui.cards import pool_page
from kemps_p2p.tui.glance import Switches
from kemps_p2p.tui.news import News
from kemps_p2p.tui.picking import Picks
from kemps_p2p.wording.refusals import refusal_text


def asked(sitting: Sitting) -> Action | None:
    """What the table waits for from this seat as its dealer, if it waits for that."""
    mine = {wait.what for wait in sitting.waiting_for() if sitting.seat in wait.seats}
    acts: Mapping[What, Action] = {What.NEXT: Next(), What.GO: Go(), What.RESUME: Resume()}
    return next((action for what, action in acts.items() if what in mine), None)


def decline(view: SeatView) -> Action:
    """None of these cards: a pass, or where there is none, the dealer's halt."""
    return Pass(pool=view.state.pool) if view.rules.sweep is Sweep.PASS else Halt()


class Playing:
    """One person's hands and eyes."""

    def __init__(self, sitting: Sitting, news: News, switches: Switches, *, is_ascii: bool) -> None:
        self.picks = Picks(sitting.rules)
        self.caller = Caller(sitting.rules, sitting.seat, sitting.players)
        self.watched: Seat = sitting.partner
        self.columns = 80
        """How wide the table is drawn; it says how many cards of a long row have keys."""
        self._sitting = sitting
        self._news = news
        self._switches = switches
        self._is_ascii = is_ascii

    def follow(self, view: SeatView, now_ms: int) -> None:
        """Let go of cards that have gone, and make the second half of an exchange that was chosen before."""
        hand = view.state.hands[view.seat] if view.state.hands else ()
        gone = self.picks.follow(view.state.pool, hand)
        if view.phase is not Phase.OPEN:
            return
        if gone:
            scene = self._sitting.scene(is_ascii=self._is_ascii)
            self._news.notify(f"{scene.cards(gone)} is gone", now_ms)
        is_half = len(hand) < QUARTET_CARDS and view.rules.exchange is Exchange.DISCARD_FIRST
        if is_half and self.picks.take:
            self._exchange(len(hand), now_ms)

    def cancel(self, now_ms: int) -> bool:
        """Forget what is chosen or half called; False if there was nothing."""
        is_any = self.caller.draft(now_ms) is not None or bool(self.picks.take or self.picks.give)
        is_any = is_any or self._switches.is_expressing
        self.caller.cancel()
        self.picks.clear()
        self._switches.is_expressing = False
        return is_any

    def act(self, action: Action, now_ms: int) -> None:
        """Do something, or say why it cannot be done."""
        try:
            self._sitting.act(action)
        except IllegalAction as illegal:
            self._news.refuse(f"you cannot do that: {refusal_text(illegal.reason)}", now_ms)

    def press(self, key: str, now_ms: int) -> None:
        """A key, while the table is shown."""
        view = self._sitting.view()
        for sort, call_key in keys.CALL_KEYS.items():
            if key == call_key and sort in view.rules.calls:
                self._declare(self.caller.press(sort, now_ms), now_ms)
                return
        seat = keys.seat_of_key(key, view.seat, view.players)
        if seat is not None:
            self._press_seat(seat, now_ms)
        elif key == keys.SEVERAL and view.rules.combine_calls:
            self._declare(self.caller.press_several(now_ms), now_ms)
        elif key in keys.HAND_KEYS and len(key) == 1:
            self._press_card(key, self._sitting.hand_row(), keys.HAND_KEYS, self.picks.press_hand, now_ms)
        elif key in keys.POOL_KEYS and len(key) == 1:
            row = self._sitting.pool_row()
            first, last = pool_page(view, len(row), self._switches.pool_turn, self.columns)
            row = row[first:last]
            self._press_card(key, row, keys.POOL_KEYS, self.picks.press_pool, now_ms)
        elif key in keys.GESTURE_KEYS:
            self.act(Gesture(name=keys.GESTURE_KEYS[key]), now_ms)
        else:
            self._press_other(key, view, now_ms)

    def _press_other(self, key: str, view: SeatView, now_ms: int) -> None:
        match key:
            case keys.DECLINE:
                self.act(decline(view), now_ms)
            case keys.ASKED:
                self._press_asked(now_ms)
            case keys.SIGN:
                self._sign(view, now_ms)
            case keys.EXPRESS:
                self._switches.is_expressing = not self._switches.is_expressing
            case keys.MULLIGAN if view.rules.mulligan:
                self.act(Mulligan(), now_ms)
            case keys.ADMIT:
                self.act(Admit(), now_ms)
            case keys.DENY:
                self.act(self._denial(), now_ms)
            case keys.WATCH_PARTNER:
                self.watched = self._sitting.partner
            case keys.WATCH_LEFT | keys.WATCH_LAST:
                self._turn_head(-1)
            case keys.WATCH_RIGHT | keys.WATCH_NEXT:
                self._turn_head(1)
            case keys.TURN_ON:
                self._switches.pool_turn += 1
            case keys.WHISPER:
                self._news.notify("there is no whispering while cards are in play: use your face", now_ms)
            case _:
                return

    def _press_asked(self, now_ms: int) -> None:
        action = asked(self._sitting)
        if action is not None:
            self.act(action, now_ms)

    def _press_seat(self, seat: Seat, now_ms: int) -> None:
        """A seat's key: the target of a call that wants one, else a look at the face."""
        draft = self.caller.draft(now_ms)
        if draft is None or draft.choosing is None:
            self.watched = seat
            return
        if seat not in self.caller.targets(draft.choosing):
            self._news.notify("nobody calls against their own team", now_ms)
            return
        self._declare(self.caller.press_seat(seat, now_ms), now_ms)

    def _turn_head(self, step: int) -> None:
        faces = keys.others(self._sitting.seat, self._sitting.players)
        self.watched = faces[(faces.index(self.watched) + step) % len(faces)]

    def _declare(self, calls: Declaration | None, now_ms: int) -> None:
        if calls is not None:
            self.act(Call(calls=calls), now_ms)

    def _press_card(
        self,
        key: str,
        row: tuple[Position | None, ...],
        row_keys: str,
        choose: Callable[[Position], None],
        now_ms: int,
    ) -> None:
        place = row_keys.index(key)
        card = row[place] if place < len(row) else None
        if card is None:
            self._news.notify("no card lies there", now_ms)
            return
        view = self._sitting.view()
        hand_cards = len(view.state.hands[view.seat])
        if row_keys is keys.HAND_KEYS and hand_cards < QUARTET_CARDS:
            self._news.notify(refusal_text(Illegal.HALF_EXCHANGE), now_ms)
            return
        choose(card)
        if any(
            wait.what is What.ANSWER and self._sitting.seat in wait.seats
            for wait in self._sitting.waiting_for()
        ):
            # Two cards are chosen to be shown with a denial.
            return
        self._exchange(hand_cards, now_ms)

    def _exchange(self, hand_cards: int, now_ms: int) -> None:
        """Make the exchange that the chosen cards amount to, if they do."""
        action = self.picks.exchange(hand_cards)
        if action is None:
            return
        self.act(action, now_ms)
        self.picks.made(action)

    def _denial(self) -> Deny:
        """A denial that shows the chosen cards, where two are to be shown; else the first two that deny."""
        denials = [action for action in self._sitting.legal() if isinstance(action, Deny)]
        chosen = [
            denial for denial in denials if self.picks.give and set(denial.show) == set(self.picks.give)
        ]
        return next(iter([*chosen, *denials]), Deny())

    def _sign(self, view: SeatView, now_ms: int) -> None:
        if view.rules.signals is Signals.ONCE:
            self.act(Signal(), now_ms)
        elif self._sitting.signal is not None:
            self.act(Gesture(name=self._sitting.signal), now_ms)
        else:
            self._switches.is_expressing = True
            self._news.notify("nothing is agreed yet: choose a gesture", now_ms)
