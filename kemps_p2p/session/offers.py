"""The stand-ins that are offered for absent seats, and those that hold one; live, beside the fold.

Knows no sockets: whoever carries messages is told by which key a stand-in is let in. Invariants:

1. A stand-in is let in nowhere before the entry that gives it the seat is final there.
2. What is offered binds nobody: each player agrees to one offer of one seat, or does not.

Section "Stand-ins" of protocol.md.
"""

from collections.abc import Iterator
from itertools import islice

from kemps_p2p.codec import Digest, encode
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.tape import Agreed, TapeItem
from kemps_p2p.session import effects as fx
from kemps_p2p.session.dealing import Dealing
from kemps_p2p.session.duties import is_dealt
from kemps_p2p.session.incarnation import may_sit
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import Offer, Openings
from kemps_p2p.session.seating import Pen, Seating
from kemps_p2p.session.standin import ReadOffer, is_held, offered_sitting, read_offer

OPENINGS_MAX = 64
"""How many deals and books are opened by one message; what more there is comes with the next."""
OFFERS_MAX = 4
"""How many offers of one seat for one incarnation of another are kept: a program that crashed makes two."""


class Offers:
    """What one peer has heard and made of offers. `identity`: what the own seat signs with."""

    def __init__(self, seat: Seat, identity: Identity, seating: Seating) -> None:
        self._seat, self._identity, self._seating = seat, identity, seating
        self._known: dict[Digest, ReadOffer] = {}
        self._told: set[tuple[Digest, Seat]] = set()
        self._lent: list[tuple[Seat, bytes, Dealing]] = []
        """What the own player has offered: for which seat, with which key, and what opens its deals."""

    def make(self, pen: Pen, seat: Seat, curve: bytes, match: Match) -> ReadOffer:
        """Offer a program for an absent seat, by what it signs with; its owner agrees to it."""
        made = read_offer(pen.offer(self._identity, self._seat, curve, len(match.signers[seat])), match)
        self._keep(made)
        self._seating.agree(made.name)
        self._lent.append((seat, made.key, Dealing(seat, pen.secret, ())))
        return made

    def hear(self, offer: Offer, match: Match) -> ReadOffer | None:
        """Take in an offer; what it says, if that is news. Raises `PeerFault`, without a culprit."""
        sitting = offered_sitting(offer)
        place = sitting.seat, sitting.incarnation
        is_next = may_sit(match, sitting) if 0 <= sitting.seat < match.seats else False
        if not is_next and not _has_sat(match, *place, sitting.key):
            return None
        if any(known.offer == offer for known in self._known.values()):
            return None
        read = read_offer(offer, match)
        like = sum((known.by, known.seat, known.incarnation) == (read.by, *place) for known in self._all())
        # The messages of one process would count as those of two seats.
        is_taken = any(known.curve == read.curve and known.key != read.key for known in self._all())
        if read.name in self._known or like >= OFFERS_MAX or is_taken:
            return None
        self._keep(read)
        return read

    def _keep(self, offered: ReadOffer) -> None:
        like = [known for known in self._all() if known.seat == offered.seat]
        for known in like:
            if known.incarnation < offered.incarnation - 1:
                del self._known[known.name]
        self._known[offered.name] = offered
        self._seating.offer(offered.plea, offered_sitting(offered.offer))

    def _all(self) -> Iterator[ReadOffer]:
        yield from self._known.values()

    def standing(self, match: Match) -> tuple[ReadOffer, ...]:
        """What is offered for seats that are absent, by who is not; of each the last that it offers."""
        last = {
            (known.seat, known.by): known
            for known in self._all()
            if may_sit(match, offered_sitting(known.offer)) and known.by not in match.absent
        }
        return tuple(last.values())

    def own(self, seat: Seat, match: Match) -> ReadOffer | None:
        """What the own seat offers for another."""
        mine = (known for known in self.standing(match) if (known.seat, known.by) == (seat, self._seat))
        return next(mine, None)

    def to_agree_to(self, match: Match) -> tuple[ReadOffer, ...]:
        """What others offer, and the own player has not agreed to."""
        return tuple(
            known
            for known in self.standing(match)
            if self._seat not in (known.by, known.seat) and not self._seating.has_agreed(known.name)
        )

    def is_agreed_by_all(self, offered: ReadOffer, players: frozenset[Seat]) -> bool:
        """True if each of these players has agreed to an offer."""
        return self._seating.voters(offered.name) >= players

    def let_in(self, match: Match) -> tuple[ReadOffer, ...]:
        """The stand-ins that are let in: who sits, and until the next deal who did, to hear of its end."""
        return tuple(
            known
            for known in self._all()
            if known.seat != self._seat
            and _has_sat(match, known.seat, known.incarnation, known.key)
            and (_sits(match, known) or not is_dealt(match))
        )

    def to_say(self, match: Match) -> tuple[Offer, ...]:
        """What is said again and again, to whoever has come back meanwhile."""
        sitting = (known for known in self._all() if is_held(match, known.seat) and _sits(match, known))
        return tuple(known.offer for known in (*self.standing(match), *sitting))

    def openings(self, match: Match) -> Iterator[tuple[Seat, Openings]]:
        """What opens the deals of own stand-ins that have left, by seat, once the match is over."""
        for seat, key, dealing in self._lent:
            if is_relieved(match, seat, key) and (said := openings_of(dealing, match)) is not None:
                yield seat, said

    # Sights

    def agreement(self, item: TapeItem, said: Agreed) -> Iterator[fx.Sight]:
        """That a seat agrees to an offer, the first time."""
        known = self._known.get(said.sitting)
        if known is not None and (said.sitting, item.seat) not in self._told:
            self._told.add((said.sitting, item.seat))
            yield fx.StandInAgreed(item.seat, known.seat, known.by)

    def owner(self, key: bytes) -> Seat | None:
        """Who has offered the program with this key, if that is known here."""
        return next((known.by for known in self._all() if known.key == key), None)


def _has_sat(match: Match, seat: int, incarnation: int, key: bytes) -> bool:
    """True if a seat is, or was last, held by this key as this incarnation."""
    known = match.signers[seat] if 0 <= seat < match.seats else ()
    return max(1, len(known) - 2) <= incarnation < len(known) and known[incarnation].key == key


def _sits(match: Match, offered: ReadOffer) -> bool:
    return match.signers[offered.seat][-1].key == offered.key


def openings_of(dealing: Dealing, match: Match) -> Openings | None:
    """What a secret opens of a seat at which others sit now; None if there is nothing."""
    deeds = tuple(encode(opening) for opening in islice(dealing.openings(match), OPENINGS_MAX))
    return Openings(deeds=deeds) if deeds else None


def is_relieved(match: Match, seat: Seat, key: bytes) -> bool:
    """True if a key that has stood in for a seat does so no more."""
    known = match.signers[seat] if seat < match.seats else ()
    is_player = bool(known) and key == match.founding.keys[seat]
    return not is_player and any(signer.key == key for signer in known) and known[-1].key != key
