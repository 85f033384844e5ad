"""Who has fallen silent, by this peer's clock and by what others say of that; live, beside the fold.

An observer that owes receipts is found silent by every seat for itself; a seat is voted absent by players.
Knows no rules and no deck. Sections "Observer" and "Absent seats" of protocol.md.
"""

from collections.abc import Iterable, Iterator, Mapping

from kemps_p2p.codec import Digest
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.entry import Readmitted, Struck, quorum
from kemps_p2p.ledger.tape import Back, TapeItem, Unheard
from kemps_p2p.ledger.tapebook import TapeBook
from kemps_p2p.session.absence import is_at_table, is_of_now
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.match import Match
from kemps_p2p.session.pacing import HEARD_MS, Pacing

STRIKE_MS = 5000
"""How long an observer may owe receipts and give none, and how long a word that says so stands once it is
back.
"""
ABSENT_MS = 10_000
"""How long a seat has to be silent before it can be voted absent."""
ALONE_MS = 60_000
"""How long a seat is waited for by a player that goes along, while nobody else votes it absent."""


def unheard_in(item: TapeItem) -> Iterator[Unheard]:
    """What an item says of tapes that nothing comes for."""
    return (said for said in item.item.body if isinstance(said, Unheard))


class Silence:
    """One peer's words on silent tapes, and those of the others.

    At a table without an observer there is none to say anything of.
    """

    def __init__(self, seat: Seat, founding: Founding, tapes: TapeBook, pacing: Pacing) -> None:
        self._seat = seat
        self._seats = founding.seats
        self._observer = founding.observer
        self._tapes = tapes
        self._pacing = pacing
        self._length = 0
        self._answered_count = 0
        self._owed_since_ms: int | None = None
        self._said: dict[int, int] = {}
        """Of which tapes the own seat has said that it is silent, and at what length last."""
        self._words: dict[Seat, dict[Seat, tuple[Unheard, TapeItem]]] = {}
        """By tape and by who says so: the last word, since a tape only grows, and the item that it is in."""
        self._votes: set[Seat] = set()
        self._told: set[tuple[Seat, Seat]] = set()
        self._returns: dict[Seat, tuple[Back, Digest]] = {}
        self._back_index = 0
        self._is_missed = False
        """Somebody says that nothing comes of the own tape, where it ends now."""

    def hear(self, item: TapeItem, said: Unheard) -> bool:
        """Take in a word on a silent tape; true if it is the first of a seat on another's absence."""
        if not 0 <= said.seat < len(self._tapes.lengths()):
            return False
        self._words.setdefault(Seat(said.seat), {})[item.seat] = said, item
        if said.seat == self._seat:
            self._is_missed |= (said.length, said.last) == self._tapes.end(self._seat)
        if item.seat == self._seat:
            # Said by an earlier run of this program, perhaps: it is not said again.
            self._said[said.seat] = max(self._said.get(said.seat, -1), said.length)
        vote = item.seat, Seat(said.seat)
        if vote in self._told or item.seat == said.seat or said.seat >= self._seats:
            return False
        self._told.add(vote)
        return True

    def hear_return(self, item: TapeItem, said: Back) -> None:
        """Take in the word of a seat that it is back."""
        self._returns[item.seat] = said, item.digest
        self._told = {vote for vote in self._told if vote[1] != item.seat}
        if item.seat == self._seat:
            self._back_index = max(self._back_index, said.index)

    def given(self, seat: Seat) -> None:
        """A seat is another incarnation's: what was said of the one before says nothing of it."""
        self._words.pop(seat, None)
        self._said.pop(seat, None)
        self._votes.discard(seat)
        self._told = {vote for vote in self._told if vote[1] != seat}

    # What a quorum says

    def voters(self, match: Match, target: Seat) -> Mapping[Seat, Digest]:
        """Who says that a tape is silent where it ends here, with the items that do. Without its author."""
        length, last = self._tapes.end(target)
        said = Unheard(seat=target, length=length, last=last)
        words = self._words.get(target, {})
        return {
            voter: item.digest
            for voter, (word, item) in words.items()
            if voter < match.seats and voter != target and word == said and is_of_now(match, target, item)
        }

    def strikes(self, match: Match, final: Match) -> Iterator[Struck]:
        """The strikes that the words of a quorum call for; none if a tape goes on here: it is back.

        Nor where a seat has just been given to another: that was said of the one before.
        """
        for target in sorted(self._words):
            is_there = target == match.observer or is_at_table(match, target)
            if is_there and match.signers[target] == final.signers[target]:
                by_seat = self.voters(match, target)
                if len(by_seat) >= quorum(match.seats):
                    chosen = sorted(by_seat)[: quorum(match.seats)]
                    yield Struck(seat=target, words=tuple(by_seat[seat] for seat in chosen))

    def returns(self, match: Match) -> Iterator[Readmitted]:
        """The returns of struck seats that have said that they are back."""
        for seat, (said, name) in self._returns.items():
            if match.absent.get(seat) == said.index:
                yield Readmitted(seat=seat, item=name)

    def is_lapsed(self, event: Struck, items: Mapping[Digest, TapeItem], now_ms: int) -> bool:
        """True if whom an event strikes is back here for so long that whoever strikes it must know."""
        if not event.words or not 0 <= event.seat < len(self._tapes.lengths()):
            # What is wrong with such a strike, and whose fault it is, the fold says.
            return False
        for said in unheard_in(items[event.words[0]]):
            if said.seat == event.seat:
                held_at_ms = self._tapes.held_at_ms(Seat(said.seat), said.length)
                if held_at_ms is not None and now_ms - held_at_ms > STRIKE_MS:
                    return True
        return False

    # What this seat says

    def can_vote(self, match: Match, target: Seat, now_ms: int) -> bool:
        """True if a seat has been silent for so long that the own player may vote it absent, and has not."""
        # Asked all the time, and hardly ever of a seat that is silent: that comes first.
        if target == self._seat or self._silent_ms(target, now_ms) < ABSENT_MS:
            return False
        has_voted = target in self._votes or self._seat in self.voters(match, target)
        return not has_voted and is_at_table(match, target) and self._hears_quorum(now_ms)

    def _hears_quorum(self, now_ms: int) -> bool:
        """False for a seat that is cut off itself, or has slept: whom it does not hear may well be there."""
        heard = sum(self._pacing.is_there((seat,), HEARD_MS, now_ms) for seat in range(self._seats))
        return heard >= quorum(self._seats)

    def _silent_ms(self, target: Seat, now_ms: int) -> int:
        """For how long nothing has come of a seat, from itself or by way of others."""
        length, _ = self._tapes.end(target)
        grown_at_ms = self._tapes.held_at_ms(target, length - 1) if length else None
        silent_ms = self._pacing.silent_ms(target, now_ms)
        return silent_ms if grown_at_ms is None else min(silent_ms, now_ms - grown_at_ms)

    def vote(self, target: Seat) -> None:
        """Say of a seat that it is absent."""
        self._votes.add(target)

    def is_voted_along(self, match: Match, target: Seat, now_ms: int) -> bool:
        """True if a player that goes along with others votes a seat absent by now."""
        return bool(self.voters(match, target)) or self._silent_ms(target, now_ms) >= ALONE_MS

    def back(self, final: Match) -> Iterator[Back]:
        """The word that the own seat is there: once for each strike, and when a vote says that it is not."""
        if self._seat == self._observer:
            return
        since = final.absent.get(self._seat, 0)
        if since > self._back_index or self._is_missed:
            yield Back(index=since or final.head.index)
        self._back_index, self._is_missed = max(self._back_index, since), False

    def follow(self, held_count: int, now_ms: int) -> None:
        """Note what has come. `held_count`: of claims, so far; any item of the observer makes up for all."""
        if self._observer is None:
            return
        length, _ = self._tapes.end(self._observer)
        if length != self._length:
            self._length, self._answered_count, self._owed_since_ms = length, held_count, None
        elif self._owed_since_ms is None and held_count > self._answered_count:
            self._owed_since_ms = now_ms

    def words(self, match: Match, now_ms: int, lost: Iterable[Seat] = ()) -> Iterator[Unheard]:
        """What a seat has to say of silent tapes now: once for each end of a tape.

        `lost`: the tapes that their own players say are lost.
        """
        for target in lost:
            if is_at_table(match, target):
                yield from self._word_on(target)
        observer = match.observer
        if observer is not None and observer != self._seat and self._is_owing(now_ms):
            yield from self._word_on(observer)
        for target in sorted(self._votes):
            if is_at_table(match, target) and self._silent_ms(target, now_ms) >= ABSENT_MS:
                yield from self._word_on(target)
            else:
                self._votes.discard(target)

    def _is_owing(self, now_ms: int) -> bool:
        """True if the observer has kept its words back for long."""
        return self._owed_since_ms is not None and now_ms - self._owed_since_ms >= STRIKE_MS

    def _word_on(self, target: Seat) -> Iterator[Unheard]:
        length, last = self._tapes.end(target)
        if self._said.get(target) != length:
            self._said[target] = length
            yield Unheard(seat=target, length=length, last=last)
