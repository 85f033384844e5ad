"""What a person and their partner have agreed on: which gesture is to mean a quartet.

Either of the two proposes, the other agrees by naming the same gesture; a bot says so in words. Knows no
cards. Invariants:

1. A sign is agreed on once both have named it; until then a proposal says whose it is.
2. What is only asked (“perhaps”) is never the sign, and no proposal takes the place of what is agreed on.
3. Only gestures of the catalogue are signs.
"""

from collections.abc import Sequence

from kemps_p2p.bots.pact import AGREEMENT, PROPOSAL, REGRET, YES
from kemps_p2p.game.gestures import GESTURES, named_in

_NAMES = frozenset(kind.name for kind in GESTURES)
_OFFERED = {False: "asked", True: "offered"}
_OWN = "proposed"
_NAMED = "named"


class Accord:
    """One person's side. Every sign is the name of a gesture, or None."""

    def __init__(self) -> None:
        self.named: set[str] = set()
        """What either has named."""
        self.agreed: str | None = None
        self.offered: str | None = None
        """What the partner has named, and this side has not agreed to."""
        self.proposed: str | None = None
        """What this side has named, and the partner has not agreed to."""
        self._is_firm = False

    @property
    def signal(self) -> str | None:
        """The gesture to make: what is agreed on; while that is nothing, what the partner has proposed."""
        return self.agreed or (self.offered if self._is_firm else None)

    def is_answer(self, text: str) -> bool:
        """True for words by which the partner agrees to what this side has proposed."""
        head, names = _read(text)
        return self.proposed is not None and head in YES and tuple(names) in ((), (self.proposed,))

    def heard(self, text: str) -> None:
        """Take in the partner's words."""
        head, names = _read(text)
        if head == REGRET:
            return
        self.named.update(names)
        if head in YES and self.proposed is not None and not names:
            self._agree(self.proposed)
        if len(names) != 1:
            return
        (name,) = names
        if head == AGREEMENT or name == self.proposed:
            self._agree(name)
        elif name != self.agreed:
            self.offered, self._is_firm = name, head == PROPOSAL

    def said(self, text: str) -> None:
        """Take in the own words."""
        head, names = _read(text)
        self.named.update(names)
        if head in YES and self.offered is not None and not names:
            self._agree(self.offered)
        if len(names) != 1:
            return
        (name,) = names
        if name == self.offered:
            self._agree(name)
        elif name != self.agreed:
            self.proposed = name

    def _agree(self, name: str) -> None:
        self.agreed, self.offered, self.proposed = name, None, None

    # What outlives the process

    def kept(self) -> str:
        """All of it, as lines."""
        lines = [(AGREEMENT, self.agreed), (_OFFERED[self._is_firm], self.offered), (_OWN, self.proposed)]
        lines += [(_NAMED, name) for name in sorted(self.named)]
        return "\n".join(f"{head}: {name}" for head, name in lines if name is not None)

    def recall(self, text: str) -> None:
        """Go on with what an earlier process has kept; lines that are no such thing are passed over."""
        for line in text.splitlines():
            head, _, name = line.partition(": ")
            if name not in _NAMES:
                continue
            self.named.add(name)
            if head == AGREEMENT:
                self.agreed = name
            elif head in _OFFERED.values():
                self.offered, self._is_firm = name, head == _OFFERED[True]
            elif head == _OWN:
                self.proposed = name


def _read(text: str) -> tuple[str, Sequence[str]]:
    """The word before a colon, or a single word; and the gestures that are named."""
    head, _, _ = text.strip().lower().partition(":")
    return head.strip(), named_in(text)
