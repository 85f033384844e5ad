"""What two partners whisper to each other: which gesture means a quartet, or which ones, a deal each in turn.

The lower seat of a team proposes, the other agrees. Where the partner may be a person, who waits for a word,
the other tells its idea too, which gives way to a proposal. A person may propose anything at any time. Words
may be lost or come twice. Knows no cards. Invariants:

1. Only gestures of the catalogue are ever agreed on.
2. An agreement is never answered, so two bots fall silent.
"""

from random import Random

from kemps_p2p.game.gestures import GESTURES, named_in
from kemps_p2p.game.seating import partner_of
from kemps_p2p.ids import Seat

PROPOSAL = "signal"
IDEA = "perhaps"
AGREEMENT = "agreed"
REGRET = "sorry"
"""Begins what explains a wrong call; the gesture in it is no proposal."""
HEARD_CHARS_MAX = 200
IN_TURN = ", then "

_NAMES = tuple(gesture.name for gesture in GESTURES)
YES = frozenset({"yes", "ok", "okay", AGREEMENT})


class Pact:
    """One seat's side of the agreement with its partner; `signals` is how many it would like to have.

    `speaks_first`: it tells its idea, whichever seat it has.
    """

    def __init__(
        self, seat: Seat, players: int, rng: Random, signals: int = 1, *, speaks_first: bool = False
    ) -> None:
        self._proposes = seat < partner_of(seat, players)
        self._has_spoken = self._proposes or speaks_first
        self._own = tuple(rng.sample(_NAMES, signals))
        self._agreed: tuple[str, ...] | None = None
        self._deal = 0

    def begin_deal(self, deal: int) -> None:
        """Of several signals, each deal has its own."""
        self._deal = deal

    @property
    def signal(self) -> str:
        """The gesture to make with a quartet in hand; the own idea while nothing is agreed."""
        names = self._agreed or self._own
        return names[self._deal % len(names)]

    @property
    def agreed(self) -> str | None:
        """The gesture that both are known to have settled on for this deal."""
        return self.agreed_for(self._deal)

    def agreed_for(self, deal: int) -> str | None:
        """The same for any deal."""
        return None if self._agreed is None else self._agreed[deal % len(self._agreed)]

    def means_quartet(self, name: str) -> bool | None:
        """Whether a gesture of the partner is the signal; None if that cannot be told for want of words."""
        if self._agreed is not None:
            return name == self.signal
        return True if self._has_spoken and name == self.signal else None

    def greet(self) -> str | None:
        """The words to begin with; the same again if asked again, and none once something is agreed on."""
        speaks = self._has_spoken and self._agreed is None
        return self._words(PROPOSAL if self._proposes else IDEA) if speaks else None

    def kept(self) -> str:
        """What another process that goes on for this seat has to know: what is agreed on, or the own idea."""
        return self._words(IDEA if self._agreed is None else AGREEMENT)

    def recall(self, text: str) -> None:
        """Go on with what another process has kept; anything else is passed over."""
        head, _, rest = text.partition(": ")
        names = tuple(rest.split(IN_TURN))
        if head not in (IDEA, AGREEMENT) or not set(names) <= set(_NAMES):
            return
        self._own = names
        self._agreed = names if head == AGREEMENT else None

    def _words(self, head: str) -> str:
        return f"{head}: {IN_TURN.join(self._agreed or self._own)}"

    def hear(self, text: str) -> str | None:
        """Take in the partner's words; what to whisper back, None for nothing."""
        words = text[:HEARD_CHARS_MAX].strip().lower()
        head, _, rest = words.partition(":")
        head, named = head.strip(), tuple(rest.strip().split(IN_TURN))
        is_known = set(named) <= set(_NAMES)
        if head == AGREEMENT and named != ("",):
            self._agreed = named if is_known else self._agreed
            return None
        if head == REGRET:
            return None
        if words in YES:
            self._agreed = self._agreed or self._own
            return None
        found = named_in(words)
        if head == IDEA and self._proposes:
            # Each has spoken before it heard the other: the lower seat's word stands.
            return self._words(PROPOSAL)
        if head == PROPOSAL and is_known:
            found = named
        elif len(found) != 1:
            return self._words(PROPOSAL) if head == PROPOSAL else None
        self._agreed = found
        return self._words(AGREEMENT)
