"""Signal books: which gestures a seat has sealed as its signals, and what it has opened in the end.

A book holds names of gestures that mean a quartet; the rules allow them to mean nothing else. Knows no cards.
Invariants:

1. A book is sealed before the deal that it is in force from, once for it, and holds until the next one.
2. Only what fits the commitment is ever taken for a book.

Section "Signal books" of protocol.md.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from kemps_p2p.codec import Digest, derive, tagged_hash
from kemps_p2p.deck.context import number
from kemps_p2p.errors import Fault, PeerFault
from kemps_p2p.game.actions import GESTURE_CHARS_MAX
from kemps_p2p.game.gestures import GESTURES
from kemps_p2p.game.rules import Signals
from kemps_p2p.ids import Seat
from kemps_p2p.session.match import Match, is_over
from kemps_p2p.session.messages import BOOK_SIGNALS_MAX, BookDeed, BookOpenedDeed

BOOK_LABEL = "kemps/v1/book"


def book_commitment(match: Digest, deal: int, seat: Seat, salt: bytes, signals: tuple[str, ...]) -> Digest:
    """What seals a book of a seat that is in force from a deal on."""
    names = (name.encode() for name in signals)
    return tagged_hash(BOOK_LABEL, match, number(deal), number(seat), salt, *names)


def is_book(signals: tuple[str, ...]) -> bool:
    """True for names that can be sealed: at least one, not too many, each as a gesture may be called."""
    is_small = 0 < len(signals) <= BOOK_SIGNALS_MAX
    return is_small and all(0 < len(name) <= GESTURE_CHARS_MAX and name.isprintable() for name in signals)


def may_seal(match: Match, seat: Seat, deal: int) -> bool:
    """True if a book of this seat may still be sealed for this deal; only where the rules have gestures."""
    has_gestures = match.founding.rules.signals is Signals.GESTURES
    is_coming = deal == match.coming_deal and not is_over(match)
    return has_gestures and is_coming and deal not in match.books.get(seat, {})


def with_book(match: Match, seat: Seat, deed: BookDeed) -> Match:
    """Note a sealed book."""
    sealed = {**match.books.get(seat, {}), deed.deal: deed.commitment}
    return replace(match, books={**match.books, seat: sealed})


def with_opened(match: Match, seat: Seat, deed: BookOpenedDeed) -> Match:
    """Note an opened book. Raises `PeerFault` BAD_COMMITMENT, the seat's own fault, if it is another one."""
    said = book_commitment(match.founding.match, deed.deal, seat, deed.salt, deed.signals)
    if match.books[seat][deed.deal] != said:
        raise PeerFault(Fault.BAD_COMMITMENT, "not the book that was sealed", culprit=seat)
    return with_opening(match, seat, deed.deal, deed.signals)


def with_opening(match: Match, seat: Seat, deal: int, signals: tuple[str, ...] | None) -> Match:
    """Note what came of a sealed book; None for one that was proven false."""
    opened = {**match.opened_books.get(seat, {}), deal: signals}
    return replace(match, opened_books={**match.opened_books, seat: opened})


class OwnBooks:
    """One seat's own books, and what opens them: salts are made of the secret of the match, which is on disk.

    What a book of an earlier run says is found by trying each gesture of the catalogue. One that names
    others, or several, is found once its player says again what it goes by.
    """

    def __init__(self, seat: Seat, secret: bytes) -> None:
        self._seat = seat
        self._secret = secret
        self._signals: dict[int, tuple[str, ...]] = {}
        self._sealed: dict[int, Digest] = {}

    @property
    def last(self) -> tuple[str, ...] | None:
        """What the last sealed book says."""
        return self._signals[max(self._signals)] if self._signals else None

    def can_seal(self, match: Match, signals: tuple[str, ...]) -> bool:
        """True if these can be sealed for the coming deal, and are not what is in force already."""
        deal = match.coming_deal
        is_new = signals != self.last and deal not in self._sealed
        return is_new and is_book(signals) and may_seal(match, self._seat, deal)

    def seal(self, match: Match, signals: tuple[str, ...]) -> BookDeed:
        """Seal what can be sealed."""
        deal = match.coming_deal
        self._signals[deal] = signals
        salt = self._salt(deal)
        commitment = book_commitment(match.founding.match, deal, self._seat, salt, signals)
        self._sealed[deal] = commitment
        return BookDeed(deal=deal, commitment=commitment)

    def recall(self, match: Digest, deal: int, commitment: Digest) -> None:
        """A book of the own tape, sealed perhaps by an earlier run."""
        self._sealed[deal] = commitment
        for gesture in GESTURES:
            self.remember(match, (gesture.name,))

    def remember(self, match: Digest, signals: tuple[str, ...]) -> None:
        """The books that an earlier run sealed with these can be opened, if there are any."""
        for deal in self.lost:
            salt = self._salt(deal)
            if book_commitment(match, deal, self._seat, salt, signals) == self._sealed[deal]:
                self._signals[deal] = signals

    @property
    def lost(self) -> tuple[int, ...]:
        """The deals from which own books are in force that cannot be opened: another secret sealed them."""
        return tuple(sorted(self._sealed.keys() - self._signals.keys()))

    def opened(self, deal: int) -> BookOpenedDeed | None:
        """What opens the book of a deal; None if this program does not remember it: then it stays sealed."""
        signals = self._signals.get(deal)
        return None if signals is None else BookOpenedDeed(deal=deal, salt=self._salt(deal), signals=signals)

    def _salt(self, deal: int) -> bytes:
        return derive("kemps/v1/book-salt", self._secret, number(deal))[:32]


def book_in_force(match: Match, seat: Seat, deal: int) -> tuple[str, ...] | None:
    """The signals that a seat's own book names in a deal; None if it sealed none, or has not opened it."""
    sealed: Mapping[int, Digest] = match.books.get(seat, {})
    since = max((start for start in sealed if start <= deal), default=None)
    return None if since is None else match.opened_books.get(seat, {}).get(since)
