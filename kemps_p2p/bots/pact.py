"""What two partners whisper to each other: which gesture means a quartet.

The lower seat of a team proposes, the other agrees; a person may propose anything at any time. Words can
be lost or come twice. Knows no cards. Invariants:

1. Only a gesture of the catalogue is ever agreed on.
2. An agreement is never answered, so two bots fall silent.
"""

from random import Random

from kemps_p2p.game.gestures import GESTURES, named_in
from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat

PROPOSAL = "signal"
AGREEMENT = "agreed"
HEARD_CHARS_MAX = 200

_NAMES = tuple(gesture.name for gesture in GESTURES)
_YES = frozenset({"yes", "ok", "okay", AGREEMENT})


class Pact:
    """One seat's side of the agreement with its partner."""

    def __init__(self, seat: Seat, players: int, rng: Random) -> None:
        self._proposes = seat < partner_of(seat, players)
        self._own = rng.choice(_NAMES)
        self._agreed: str | None = None

    @property
    def signal(self) -> str:
        """The gesture to make with a quartet in hand; the own idea while nothing is agreed."""
        return self._agreed or self._own

    @property
    def agreed(self) -> str | None:
        """The gesture that both are known to have settled on."""
        return self._agreed

    def means_quartet(self, name: str) -> bool | None:
        """Whether a gesture of the partner is the signal; None if that cannot be told for want of words."""
        if self._agreed is not None:
            return name == self._agreed
        return True if self._proposes and name == self._own else None

    def greet(self) -> str | None:
        """The words to begin with; the same again if asked again."""
        return f"{PROPOSAL}: {self.signal}" if self._proposes else None

    def hear(self, text: str) -> str | None:
        """Take in the partner's words; what to whisper back, None for nothing."""
        words = text[:HEARD_CHARS_MAX].strip().lower()
        head, _, rest = words.partition(":")
        head, named = head.strip(), rest.strip()
        if head == AGREEMENT and named:
            self._agreed = named if named in _NAMES else self._agreed
            return None
        if words in _YES:
            self._agreed = self.signal
            return None
        found = named_in(words)
        if len(found) == 1:
            self._agreed = found[0]
            return f"{AGREEMENT}: {self._agreed}"
        return f"{PROPOSAL}: {self.signal}" if head == PROPOSAL else None
