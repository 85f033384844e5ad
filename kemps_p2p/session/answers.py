"""The answer that a called seat owes, given by its own program, so that no call waits for a whim.

Where the rules leave no choice it is given at once: a quartet is admitted, and a denial that only is stated
is stated. Which two cards a denial shows is the player's choice, for a while.

Section "Duties" of protocol.md.
"""

from collections.abc import Iterable, Mapping

from kemps_p2p.game.actions import Admit, Deny
from kemps_p2p.game.cards import Card
from kemps_p2p.game.rules import Reveal
from kemps_p2p.game.state import owed_answers
from kemps_p2p.game.table import truthful_answer
from kemps_p2p.ids import Position, Seat
from kemps_p2p.ledger.claimbook import HeldClaim
from kemps_p2p.session.holding import asked
from kemps_p2p.session.match import Match

CHOICE_MS = 5000
"""How long a player may choose what to show."""


class Answering:
    """One seat's answers. It notes when each was asked for; whether one is under way is not its matter."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._asked: tuple[object, ...] | None = None
        self._asked_at_ms = 0

    def is_asked(self, match: Match) -> bool:
        """True if a call waits for this seat's answer."""
        return match.game.pending is not None and self._seat in owed_answers(match.game)

    def has_answered(self, tip: Match, own: Iterable[HeldClaim]) -> bool:
        """True if an answer is among the `own` undecided claims, or logged and not final yet."""
        is_claimed = any(isinstance(asked(held)[1], Admit | Deny) for held in own)
        return is_claimed or not self.is_asked(tip)

    def due(self, match: Match, faces: Mapping[Position, Card], now_ms: int) -> Admit | Deny | None:
        """The truth, once it must be told; `faces` are those of the own hand."""
        game = match.game
        hand = game.hands[self._seat]
        asked = game.deal, len(game.judged), game.pending
        if self._asked != asked:
            self._asked, self._asked_at_ms = asked, now_ms
        if any(position not in faces for position in hand):
            return None
        answer = truthful_answer(game.rules, hand, faces)
        has_choice = isinstance(answer, Deny) and game.rules.reveal is Reveal.TWO_CARDS
        return None if has_choice and now_ms < self._asked_at_ms + CHOICE_MS else answer
