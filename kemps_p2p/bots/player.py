"""What sits at a seat: views and sights in, at most one action at a time out.

The base of every bot, the honest one and yours. Only `decide` must be written; the rest does nothing.
"""

from abc import ABC, abstractmethod

from kemps_p2p.game.actions import Action
from kemps_p2p.game.events import Event
from kemps_p2p.game.gestures import Intent
from kemps_p2p.game.views import SeatView
from kemps_p2p.ids import Seat


class Player(ABC):
    """One seat's player. All times are milliseconds of one clock that does not run backwards."""

    @property
    def wake_at_ms(self) -> int | None:
        """When to ask again even if nothing happens; None for never."""
        return None

    @property
    def goes_along(self) -> bool:
        """True if this player lets the others decide about pauses and about ending the match early."""
        return True

    def greet(self) -> str | None:
        """Words for the partner before the first deal; may be asked for again, since words can be lost."""
        return None

    def regret(self) -> str | None:
        """Words for the partner after a deal, each said once; None for nothing to say."""
        return None

    def whispered(self, text: str) -> str | None:
        """The partner's words, whatever they are; gives the words to whisper back."""
        del text
        return None

    def said(self, text: str) -> None:
        """Take in what the person at this seat has whispered, if one sits there."""
        del text

    def kept(self) -> str:
        """What another process that goes on for this player has to know of the talk with the partner."""
        return ""

    def recall(self, text: str) -> None:
        """Go on with what another process has kept; whatever else it is, it is borne."""
        del text

    def gestured(self, seat: Seat, name: str, now_ms: int) -> None:
        """Take in that somebody made a gesture just now."""
        del seat, name, now_ms

    def happened(self, events: tuple[Event, ...], now_ms: int) -> None:
        """Take in what became final, in order."""
        del events, now_ms

    @abstractmethod
    def decide(self, view: SeatView, now_ms: int) -> Action | None:
        """What to do now. Asked again after every action, until the answer is None."""

    def intent(self, action: Action) -> Intent:
        """What the action it has just decided on is made for, should it be a gesture."""
        del action
        return Intent.MEANT

    def book(self, deal: int) -> tuple[str, ...] | None:
        """The gestures that are to mean a quartet in a deal, to be sealed before it; None to seal none."""
        del deal
        return None

    def refused(self, action: Action, now_ms: int) -> None:
        """Take in that the own action was not lawful any more, and was not sent."""
        del action, now_ms
