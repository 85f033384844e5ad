"""Who asks for an absent seat, and who agrees to that; live, beside the fold.

Knows no rules and no deck. Invariants:

1. A word names one sitting and one end of the old tape. Whoever has said it takes nothing in behind that end
   once the seat is given.
2. The key that a seat was founded with is its player: it gets the seat back whenever it asks, from a stand-in
   once no deal is on.
3. To any other key the own seat agrees only where its own player does.

Sections "New incarnations" and "Stand-ins" of protocol.md.
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
from kemps_p2p.session.duties import is_dealt
from kemps_p2p.session.genesis import Founding
from kemps_p2p.session.incarnation import may_sit
from kemps_p2p.session.match import Match, is_over
from kemps_p2p.session.messages import Offer, Plea
from kemps_p2p.session.standin import StandIn, is_held, sign_offer

ENDS_MAX = 3
"""How many ends of a tape that is said to be lost are taken for its last. What was on its way comes late; but
where two programs have the key of one seat, the one that is there answers each vote against it.
"""
PLEAS_MAX = 8
"""How many pleas for one incarnation of a seat are heard: a program that lost its files twice makes two."""
ASKED_MS = 5000
"""How long a player's plea for a seat that is held stands: it says it again five times a second."""
PASSING_ON = 2
"""How many others have to pass that on to a stand-in: one alone could say an old plea again."""
ROOM_MS = 10_000
"""How long the next deal waits until a stand-in has made room; then it is played with that one."""
STILL_MS = 250
"""How long nothing has come of a stand-in that makes room, before it is voted absent."""


class Pen:
    """What the own peer signs its sittings with. `secret`: that of the match, from which the coins follow."""

    def __init__(self, identity: Identity, secret: bytes, match: Digest, seat: Seat) -> None:
        self._identity, self._secret, self._match, self._seat = identity, secret, match, seat
        self._coins: dict[int, tuple[Coin, ...]] = {}

    @property
    def key(self) -> bytes:
        """The public key that it signs with."""
        return self._identity.public

    @property
    def secret(self) -> bytes:
        """That of the match, for whoever opens what was made of it."""
        return self._secret

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

    def offer(self, owner: Identity, by: Seat, curve: bytes, incarnation: int) -> Offer:
        """What offers this pen's program as that incarnation of a seat: in the name of `by`, its owner."""
        plea = self.plea(incarnation)
        said = StandIn(by=by, curve=curve, raw=plea.raw, signature=plea.signature)
        return sign_offer(owner, self._identity, said)

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
        self._asked_at_ms: dict[Digest, int] = {}
        """When each player's plea was last said by itself, or passed on to who stands in for it."""
        self._passed: dict[Digest, dict[Seat, int]] = {}
        """Who has passed on that the own seat is asked for, and when last."""
        self._room: dict[Digest, tuple[int, int]] = {}
        """After which deal a player may have its seat from a stand-in, and since when."""
        self._agreed: set[Digest] = set()
        """The sittings of stand-ins that the own player agrees to."""

    # Who asks

    def hear_plea(self, plea: Plea, sender: Seat, match: Match, now_ms: int) -> bool:
        """Take in that a player asks for a seat; true if that is news. Raises `PeerFault`, of nobody."""
        name = sitting_digest(plea.raw)
        is_news = name not in self._pleas
        if is_news:
            sitting = read_sitting(plea.raw, plea.signature, self._founding.match)
            if not 0 <= sitting.seat < match.seats or not self._is_player(sitting):
                return False
            if not _is_next(match, sitting) or self._count_like(sitting) >= PLEAS_MAX:
                return False
            self._pleas[name] = plea, sitting
        if self._is_heard_of(name, sender, now_ms):
            self._asked_at_ms[name] = now_ms
        return is_news

    def _is_heard_of(self, name: Digest, sender: Seat, now_ms: int) -> bool:
        """True if a plea comes of who asks; where it asks for the own seat, if several pass it on."""
        seat = self._pleas[name][1].seat
        if seat != self._seat:
            return seat == sender
        passed = self._passed.setdefault(name, {})
        passed[sender] = now_ms
        return sum(now_ms - at_ms <= ASKED_MS for at_ms in passed.values()) >= PASSING_ON

    def _is_player(self, sitting: Sitting) -> bool:
        return sitting.key == self._founding.keys[sitting.seat]

    def _count_like(self, sitting: Sitting) -> int:
        place = sitting.seat, sitting.incarnation
        known = (other for _, other in self._pleas.values() if self._is_player(other))
        return sum((other.seat, other.incarnation) == place for other in known)

    def offer(self, plea: Plea, sitting: Sitting) -> None:
        """Take in who is to stand in for the player of a seat; nothing comes of it before others agree."""
        self._pleas[sitting_digest(plea.raw)] = plea, sitting

    def agree(self, name: Digest) -> None:
        """The own player agrees to a sitting that was offered."""
        self._agreed.add(name)

    def has_agreed(self, name: Digest) -> bool:
        """True if the own player has agreed to a sitting, in this run or an earlier one."""
        return name in self._agreed or self._seat in self._words.get(name, {})

    def asks_anew(self, plea: Plea, match: Match) -> Seat | None:
        """The seat that a player asks for while somebody stands in, who may not have heard it; else None."""
        known = self._pleas.get(sitting_digest(plea.raw))
        return None if known is None or not self._is_asked_for(known[1], match) else Seat(known[1].seat)

    def is_asked_back(self, seat: int, match: Match) -> bool:
        """True if the player of a seat has asked for it while somebody stands in."""
        asked = (sitting for _, sitting in self._pleas.values() if sitting.seat == seat)
        return any(self._is_asked_for(sitting, match) for sitting in asked)

    def _is_asked_for(self, sitting: Sitting, match: Match) -> bool:
        is_held_here = _is_next(match, sitting) and is_held(match, sitting.seat)
        return is_held_here and self._is_player(sitting) and not is_over(match)

    def _may_have(self, name: Digest, sitting: Sitting, match: Match, now_ms: int) -> bool:
        """True if a player may have its seat now: from a stand-in between deals, as long as it asks."""
        if not is_held(match, sitting.seat):
            return True
        asked_at_ms = self._asked_at_ms.get(name)
        if is_dealt(match) or asked_at_ms is None or now_ms - asked_at_ms > ASKED_MS:
            return False
        deal, since_ms = self._room.get(name, (None, now_ms))
        if deal != match.game.deal:
            since_ms = now_ms
            self._room[name] = match.game.deal, now_ms
        return now_ms - since_ms <= ROOM_MS

    def yields(self, match: Match, now_ms: int) -> bool:
        """True if the own program stands in, and the player may have the seat: it says nothing any more."""
        return any(
            sitting.seat == self._seat
            and self._is_asked_for(sitting, match)
            and self._may_have(name, sitting, match, now_ms)
            for name, (_, sitting) in self._pleas.items()
        )

    def is_awaited(self, match: Match, now_ms: int) -> bool:
        """True if the next deal waits until a player has its seat back from a stand-in."""
        return any(
            self._is_asked_for(sitting, match) and self._may_have(name, sitting, match, now_ms)
            for name, (_, sitting) in self._pleas.items()
        )

    def pleading(self, match: Match, now_ms: int) -> Iterator[Seat]:
        """The seats whose players ask for them anew: nothing comes of the old tape any more."""
        for name, (_, sitting) in self._pleas.items():
            is_asked = sitting.seat != self._seat and self._is_player(sitting) and _is_next(match, sitting)
            if is_asked and self._may_have(name, sitting, match, now_ms):
                seat = Seat(sitting.seat)
                length, _ = self._tapes.end(seat)
                if is_held(match, seat):
                    grown_at_ms = self._tapes.held_at_ms(seat, length - 1) if length else None
                    is_asked_still = grown_at_ms is None or now_ms - grown_at_ms >= STILL_MS
                else:
                    self._ends.setdefault(name, set()).add(length)
                    is_asked_still = len(self._ends[name]) <= ENDS_MAX
                if is_asked_still:
                    yield seat

    # Who agrees

    def hear(self, item: TapeItem, said: Agreed) -> None:
        """Take in a word on a sitting."""
        self._words.setdefault(said.sitting, {})[item.seat] = said, item.digest

    def voters(self, name: Digest) -> frozenset[Seat]:
        """Who has said that it agrees to a sitting."""
        return frozenset(self._words.get(name, ()))

    def words(self, final: Match) -> Iterator[Agreed]:
        """What the own seat has to say now: that it agrees, once for each sitting and end of the tape."""
        for name, (_, sitting) in self._pleas.items():
            said = self._word(name, sitting)
            own = self._words.get(name, {}).get(self._seat)
            is_willing = self._is_player(sitting) or self.has_agreed(name)
            is_new = own is None or own[0] != said
            if is_willing and is_new and sitting.seat != self._seat and may_sit(final, sitting):
                yield said

    def _word(self, name: Digest, sitting: Sitting) -> Agreed:
        length, last = self._tapes.end(Seat(sitting.seat))
        return Agreed(seat=sitting.seat, sitting=name, length=length, last=last)

    def seatings(self, match: Match) -> Iterator[Seated]:
        """The seats that the words of a quorum give away, where their tapes end here: first to players."""
        asking = sorted(self._pleas.items(), key=lambda known: not self._is_player(known[1][1]))
        for name, (plea, sitting) in asking:
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


def _is_next(match: Match, sitting: Sitting) -> bool:
    return sitting.incarnation == len(match.signers[sitting.seat])
