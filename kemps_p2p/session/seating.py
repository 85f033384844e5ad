"""Who asks for an absent seat, and who agrees to that; live, beside the fold.

Knows no rules and no deck. Invariants:

1. A word names one sitting and one end of the old tape. Whoever has said it takes nothing in behind that end
   once the seat is given.
2. The key that a seat was founded with is its player: it gets the seat back whenever it asks.

Section "New incarnations" of protocol.md.
"""

from collections.abc import Iterator

from kemps_p2p.codec import Digest, derive
from kemps_p2p.deck.context import number
from kemps_p2p.errors import PeerFault
from kemps_p2p.ids import Seat
from kemps_p2p.ledger.coins import Coin, coin_chain
from kemps_p2p.ledger.entry import Seated, TapeEnd, quorum
from kemps_p2p.ledger.identity import Identity
from kemps_p2p.ledger.sitting import Sitting, read_sitting, sign_sitting, sitting_digest, sitting_in
from kemps_p2p.ledger.tape import Agreed, TapeItem
from kemps_p2p.ledger.tapebook import TapeBook
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.incarnation import may_sit
from kemps_p2p.session.match import Match
from kemps_p2p.session.messages import Plea

ENDS_MAX = 3
"""How many ends of a tape that is said to be lost are taken for its last. What was on its way comes late; but
where two programs have the key of one seat, the one that is there answers each vote against it.
"""
PLEAS_MAX = 8
"""How many pleas for one incarnation of a seat are heard: a program that lost its files twice makes two."""


class Pen:
    """What the own peer signs its sittings with. `secret`: that of the match, from which the coins follow."""

    def __init__(self, identity: Identity, secret: bytes, match: Digest, seat: Seat) -> None:
        self._identity, self._secret, self._match, self._seat = identity, secret, match, seat
        self._coins: dict[int, tuple[Coin, ...]] = {}

    def coins(self, incarnation: int) -> tuple[Coin, ...]:
        """The coins of the own seat, should this program sit there as that incarnation: fresh for each."""
        if incarnation not in self._coins:
            secret = derive("kemps/v1/sitting-secret", self._secret, number(incarnation))[:32]
            self._coins[incarnation] = coin_chain(secret)
        return self._coins[incarnation]

    def plea(self, incarnation: int) -> Plea:
        """Ask for the own seat as that incarnation."""
        raw, signature = sign_sitting(self._identity, self._sitting(incarnation))
        return Plea(raw=raw, signature=signature)

    def is_own(self, sitting: Sitting) -> bool:
        """True if it is this program that sits down."""
        return sitting == self._sitting(sitting.incarnation)

    def _sitting(self, incarnation: int) -> Sitting:
        return Sitting(
            match=self._match,
            seat=self._seat,
            incarnation=incarnation,
            key=self._identity.public,
            coin=self.coins(incarnation)[0],
        )


class Seating:
    """One peer's words on who is to sit where, and those of the others."""

    def __init__(self, seat: Seat, founding: Founding, tapes: TapeBook) -> None:
        self._seat = seat
        self._founding = founding
        self._tapes = tapes
        self._pleas: dict[Digest, tuple[Plea, Sitting]] = {}
        self._words: dict[Digest, dict[Seat, tuple[Agreed, Digest]]] = {}
        """By sitting and by who says so: the last word, and the item that it is in."""
        self._ends: dict[Digest, set[int]] = {}

    def hear_plea(self, plea: Plea, match: Match) -> bool:
        """Take in who asks for a seat; true if that is news. Raises `PeerFault`, without a culprit."""
        name = sitting_digest(plea.raw)
        if name in self._pleas:
            return False
        sitting = read_sitting(plea.raw, plea.signature, self._founding.match)
        if not 0 <= sitting.seat < match.seats or not self._is_player(sitting):
            return False
        if sitting.incarnation != len(match.signers[sitting.seat]):
            return False
        place = sitting.seat, sitting.incarnation
        if sum((other.seat, other.incarnation) == place for _, other in self._pleas.values()) >= PLEAS_MAX:
            return False
        self._pleas[name] = plea, sitting
        return True

    def _is_player(self, sitting: Sitting) -> bool:
        return sitting.key == self._founding.keys[sitting.seat]

    def hear(self, item: TapeItem, said: Agreed) -> None:
        """Take in a word on a sitting."""
        self._words.setdefault(said.sitting, {})[item.seat] = said, item.digest

    def pleading(self, match: Match) -> Iterator[Seat]:
        """The seats whose players ask for them anew: nothing comes of the old tape any more."""
        for name, (_, sitting) in self._pleas.items():
            if sitting.incarnation == len(match.signers[sitting.seat]) and sitting.seat != self._seat:
                ends = self._ends.setdefault(name, set())
                ends.add(self._tapes.end(Seat(sitting.seat))[0])
                if len(ends) <= ENDS_MAX:
                    yield Seat(sitting.seat)

    def words(self, final: Match) -> Iterator[Agreed]:
        """What the own seat has to say now: that it agrees, once for each sitting and end of the tape."""
        for name, (_, sitting) in self._pleas.items():
            said = self._word(name, sitting)
            own = self._words.get(name, {}).get(self._seat)
            if sitting.seat != self._seat and may_sit(final, sitting) and (own is None or own[0] != said):
                yield said

    def _word(self, name: Digest, sitting: Sitting) -> Agreed:
        length, last = self._tapes.end(Seat(sitting.seat))
        return Agreed(seat=sitting.seat, sitting=name, length=length, last=last)

    def seatings(self, match: Match) -> Iterator[Seated]:
        """The seats that the words of a quorum give away, where their tapes end here."""
        for name, (plea, sitting) in self._pleas.items():
            wanted = self._word(name, sitting)
            items = {
                voter: item
                for voter, (said, item) in self._words.get(name, {}).items()
                if said == wanted and voter < match.seats and voter != sitting.seat
            }
            if may_sit(match, sitting) and len(items) >= quorum(match.seats):
                words = tuple(items[voter] for voter in sorted(items)[: quorum(match.seats)])
                end = TapeEnd(length=wanted.length, last=wanted.last)
                yield Seated(raw=plea.raw, signature=plea.signature, end=end, words=words)

    def is_end(self, event: Seated) -> bool:
        """True if a tape ends here where it is to be closed: then nothing in the log rests on more of it.

        Whose seat is given away has no word in that.
        """
        try:
            seat = sitting_in(event.raw).seat
        except PeerFault:
            # The fold says so again, and whose fault it is.
            return True
        is_seat = 0 <= seat < self._founding.seats
        return not is_seat or (
            seat != self._seat and self._tapes.end(Seat(seat)) == (event.end.length, event.end.last)
        )
