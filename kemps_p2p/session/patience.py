"""How long this peer waits for words and for coins, by its own clock; what is decided never depends on it.

The sequencer logs a cut, or a draw without a coin, when it has waited long enough; every other seat waits as
long by its own clock before it acks. Invariants:

1. A coin that is here, and fits, is never acked as withheld.
2. Another seat's entry that passes over a claim which is decided here for longer than `PATIENCE_MS` and some
   slack is not acked until an entry logs that claim.

Section "Time" of protocol.md.
"""

from collections.abc import Sequence, Set

from kemps_p2p.codec import Digest
from kemps_p2p.ledger.claimbook import ClaimBook
from kemps_p2p.ledger.entry import Drawn
from kemps_p2p.ledger.tape import NO_DIGEST, TapeItem
from kemps_p2p.session.claims import is_coin_of
from kemps_p2p.session.match import Match
from kemps_p2p.session.pacing import CLOCK_SLACK_MS

PATIENCE_MS = 150
"""How long a contest waits for words, and an entry may pass over a claim that is decided."""

WORDS_SLACK_MS = 150
"""How much longer than `PATIENCE_MS` others wait before they hold that an entry passes over a claim."""

CUT_FINAL_MS = 2000
"""How long after a cut is final here another one in its place is still acked: its author may not know yet."""

COIN_PATIENCE_MS = 1000
"""How long a contest that is final waits for the coins of its claimants."""


class Patience:
    """Since when things wait here. `coins`: all items with coins that have come, in a list that grows."""

    def __init__(self, book: ClaimBook, coins: Sequence[TapeItem]) -> None:
        self._book = book
        self._coins = coins
        self._held_at_ms: dict[Digest, int] = {}
        self._decided_at_ms: dict[Digest, int] = {}
        self._contest_final_at_ms: dict[int, int] = {}
        self._final_index = 0
        self._final_at_ms: dict[int, int] = {}
        self._cut_at_ms = 0

    def watch(self, now_ms: int) -> None:
        """Note since when each undecided claim is held, and since when it is decided though not logged."""
        undecided = self._book.undecided
        if not undecided and not self._held_at_ms:
            return
        if self._held_at_ms.keys() != undecided.keys():
            self._held_at_ms = {name: self._held_at_ms.get(name, now_ms) for name in undecided}
            self._decided_at_ms = {
                name: at_ms for name, at_ms in self._decided_at_ms.items() if name in undecided
            }
        if now_ms - min(self._held_at_ms.values(), default=now_ms) >= PATIENCE_MS:
            for found in self._book.decided():
                for name in found.claims:
                    self._decided_at_ms.setdefault(name, now_ms)

    def note_final(self, match: Match, now_ms: int) -> None:
        """A match is final: coins are owed for its contests from now on, and its cut stands."""
        self._final_index = match.head.index
        for opened in match.contests:
            self._contest_final_at_ms.setdefault(opened.index, now_ms)
        if match.cut is not None:
            self._final_at_ms.setdefault(match.cut.index, now_ms)

    def note_cut(self, now_ms: int) -> None:
        """A cut has been accepted here."""
        self._cut_at_ms = now_ms

    def due_ms(self, match: Match) -> int | None:
        """When the sequencer has waited long enough for something next."""
        if not self._held_at_ms and match.cut is None and not match.contests:
            # Most of the time.
            return None
        words = [self._held_at_ms[name] for name in self._without_words()]
        if match.cut is not None:
            words = [self._cut_at_ms] if match.cut.index > self._final_index else []
        coins = [self._contest_final_at_ms.get(opened.index) for opened in match.contests]
        times = [at_ms + PATIENCE_MS for at_ms in words]
        times += [at_ms + COIN_PATIENCE_MS for at_ms in coins if at_ms is not None]
        return min(times, default=None)

    def overdue(self, match: Match, now_ms: int) -> tuple[Digest, ...]:
        """The claims of the contest to be cut, if one has waited too long for words; else none.

        That of an open cut once more, if it is not final and more has come since.
        """
        waiting = self._without_words()
        if match.cut is not None:
            is_due = match.cut.index > self._final_index and now_ms - self._cut_at_ms >= PATIENCE_MS
            names = [name for name in match.cut.claims if name in self._book.undecided]
            stands = self._book.may_cut(match.cut.claims, [(end.length, end.last) for end in match.cut.ends])
            return self._book.contest_of(names[0]) if is_due and names and not stands else ()
        if not waiting:
            return ()
        oldest = min(waiting, key=self._held_at_ms.__getitem__)
        is_due = now_ms - self._held_at_ms[oldest] >= PATIENCE_MS
        return self._book.contest_of(oldest) if is_due else ()

    def may_cut_again(self, match: Match, now_ms: int) -> bool:
        """False if the open cut is final here for so long that its author must know."""
        if match.cut is None or match.cut.index > self._final_index:
            return True
        return now_ms - self._final_at_ms.get(match.cut.index, now_ms) <= CUT_FINAL_MS

    def _without_words(self) -> list[Digest]:
        book = self._book
        return [
            name
            for name in self._held_at_ms
            if name not in self._decided_at_ms
            and name not in book.contested
            and (held := book.undecided.get(name)) is not None
            and held.rivals
            and not book.is_blocked(name)
        ]

    def passes_over(self, logged: Set[Digest], now_ms: int) -> bool:
        """True if a claim is long decided here and not among those that are logged."""
        long_ms = PATIENCE_MS + WORDS_SLACK_MS
        late = {name for name, at_ms in self._decided_at_ms.items() if now_ms - at_ms > long_ms}
        waiting = self._book.undecided.keys() - self._book.contested
        return not waiting.isdisjoint(late - logged)

    def is_coin_overdue(self, index: int, now_ms: int) -> bool:
        """True if the contest named at `index` is final here for so long that every coin should have come."""
        final_at_ms = self._contest_final_at_ms.get(index)
        return final_at_ms is not None and now_ms - final_at_ms >= COIN_PATIENCE_MS

    def is_withheld(self, match: Match, drawn: Drawn, now_ms: int) -> bool:
        """True if every coin that a draw says is missing has been waited for here, and has not come."""
        opened = next((opened for opened in match.contests if opened.index == drawn.index), None)
        if opened is None or NO_DIGEST not in drawn.coins:
            # What is wrong with such a draw, and whose fault it is, the fold says.
            return True
        if not self.is_coin_overdue(drawn.index, now_ms + CLOCK_SLACK_MS):
            return False
        owed = zip(opened.claimants(), drawn.coins, strict=False)
        missing = {seat for seat, coin in owed if coin == NO_DIGEST}
        return not any(item.seat in missing and is_coin_of(match, item, drawn.index) for item in self._coins)
